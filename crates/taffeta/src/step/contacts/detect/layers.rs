//! Parts of the cloth near each other.

use glam::DVec3;

use super::super::carriers::Carriers;
use super::super::memory::{Known, pushed_edges};
use super::meeting::{Doubtful, Meeting, Way};
use super::{Detector, IterateView, Pressed, Touch};
use crate::collide::{Approach, Glance, Kind, Pair, Site, Stencil, Surface};
use crate::step::predict::Dynamics;

/// Speed at which parts of the cloth that start closer than its thickness part, m/s: slow enough not to be thrown.
const RECOVERY: f64 = 0.05;

/// Of the distance of two parts in the mesh as given: neighbours closer than the thickness are kept apart by no more.
const NEIGHBOURS: f64 = 0.5;

/// Of the thickness: parts this close beyond what is watched get room in the matrix before they touch, so that it need not
/// change with every contact. A layer beyond the next gets none.
const ROOM: f64 = 0.5;

/// Of the tolerance for gaps, and of the thickness: by the lesser of the two edges may be closer to each other than nodes to faces.
/// Where two layers lie flat on each other the nodes keep them apart, and their many edges need not.
const EASE: f64 = 0.75;
const MOST_EASE: f64 = 0.02;

/// Of the thickness: as long as nodes are this deep in faces, only edges that are deeper are watched.
const DEEPER: f64 = 0.25;

/// Cosine of the angle up to which two parts that have met and come apart again are on the side where they were.
const SAME_SIDE: f64 = 0.5;

/// A touch that one or more pairs of parts tell of.
#[derive(Clone, Copy)]
struct Candidate {
    site: Site,
    stencil: Stencil,
    normal: DVec3,
    gap: f64,
    /// How far apart the two are kept, m, and how thick the cloth between them is at rest.
    least: f64,
    layer: f64,
    /// The pressure that others make there, Pa.
    beside: f64,
    /// How many pairs it counts for.
    pairs: usize,
}

/// How candidates are ordered: by their sites, the nearest first, then as they were found.
type Order = (u128, f64, u32);

/// Touches of the cloth with itself before they are sorted out, and their order, one list for each kind of sites.
#[derive(Default)]
pub(super) struct Candidates {
    all: Vec<Candidate>,
    nodes: Vec<Order>,
    node_edge: Vec<Order>,
    node_face: Vec<Order>,
    edges: Vec<Order>,
}

impl Candidates {
    fn clear(&mut self) {
        let Self { all, nodes, node_edge, node_face, edges } = self;
        all.clear();
        [nodes, node_edge, node_face, edges].into_iter().for_each(Vec::clear);
    }

    /// Adds one. They come in the order of pairs.
    fn push(&mut self, candidate: Candidate) {
        let list = match candidate.site {
            Site::Nodes(_) => &mut self.nodes,
            Site::NodeEdge(..) => &mut self.node_edge,
            Site::NodeFace(..) => &mut self.node_face,
            _ => &mut self.edges,
        };
        list.push((candidate.site.key(), candidate.gap - candidate.least, self.all.len() as u32));
        self.all.push(candidate);
    }

    /// Puts them in order, and returns them with their lists in the order of sites.
    fn sorted(&mut self) -> (&[Candidate], [&[Order]; 4]) {
        let before = |a: &Order, b: &Order| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2));
        self.nodes.sort_unstable_by(before);
        // Those of one node come together, and two edges once, in their order: next to nothing is left to be done.
        for list in [&mut self.node_edge, &mut self.node_face, &mut self.edges] {
            for end in 1..list.len() {
                let new = list[end];
                let place = list[..end].iter().rposition(|old| before(old, &new).is_lt()).map_or(0, |k| k + 1);
                list[place..=end].rotate_right(1);
            }
        }
        (&self.all, [&self.nodes, &self.node_edge, &self.node_face, &self.edges])
    }
}

/// As many pairs as if all had.
const ALONE: usize = usize::MAX / 2;

/// What the cloth is in contact with itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layers {
    /// `τ₀`, m.
    pub thickness: f64,
    /// Nodes and faces closer than this are watched, and edges that push each other, m.
    pub reach: f64,
    /// Other edges closer than this are watched, m: as far as any are kept apart.
    edge_reach: f64,
    /// `μ`.
    friction: f64,
    /// Parts closer than this get room in the matrix, m.
    pub room: f64,
}

impl Layers {
    fn of(view: &IterateView) -> Option<Self> {
        let itself = view.params.self_contact?;
        let thickness = view.cloth.thickness(&view.params.material);
        let reach = (1.0 + 2.0 * itself.proximity) * thickness;
        let room = reach + ROOM * thickness;
        let layers = Self { thickness, reach, edge_reach: 0.0, friction: itself.friction, room };
        Some(Self { edge_reach: layers.most(Kind::Edges, f64::INFINITY, view), ..layers })
    }

    /// Parts closer than this are watched, m, if they do not push each other.
    pub fn reach_of(&self, kind: Kind) -> f64 {
        match kind {
            Kind::NodeFace => self.reach,
            Kind::Edges => self.edge_reach,
        }
    }

    /// How far apart two parts are kept, m, that do not start too close; `usual` is their distance in the mesh as given, m. The
    /// larger that is, the farther.
    fn most(&self, kind: Kind, usual: f64, view: &IterateView) -> f64 {
        let usual = self.thickness.min(NEIGHBOURS * usual);
        let ease = match kind {
            Kind::NodeFace => 0.0,
            Kind::Edges => f64::min(EASE * view.dynamics.gap_tolerance, MOST_EASE * usual),
        };
        usual - ease
    }

    /// How far apart two parts are kept, m.
    fn least(&self, meeting: &Meeting, pressed: &Pressed, view: &IterateView) -> f64 {
        let Dynamics { gap_tolerance, dt, .. } = *view.dynamics;
        let Meeting { pair: Pair { kind, nodes }, usual, .. } = meeting;
        let thickness = self.most(*kind, *usual, view);
        // What starts too close parts slowly, unless it was pressed together.
        let distance = meeting.glance.distance + pressed.between_layers(*nodes);
        let close = distance < thickness - gap_tolerance;
        if close { thickness.min(distance + RECOVERY * dt) } else { thickness }
    }
}

/// Where two parts are to each other at the iterate, on the side where they were, `None` if they have not come within `reach`, m;
/// and how much closer they can come before it matters, which is when they are `near`, m, or may have crossed.
fn orient(meeting: &Meeting, view: &IterateView, reach: f64, near: f64) -> (Option<Approach>, f64) {
    let Meeting { pair, glance: Glance { distance, travel, weights, apart }, .. } = *meeting;
    let now = || pair.kind.seen(weights, apart, || pair.places(view.start));
    if distance <= reach && distance > meeting.travel_bound {
        // Too far apart to meet on so short a way.
        let approach = now();
        if approach.gap <= near {
            return (Some(approach), 0.0);
        }
    }
    if distance > travel + reach {
        let way = Way { distance, travel, least: distance - travel };
        return (None, f64::min(way.least - near, way.spare(distance)));
    }
    let met = if distance > travel {
        None
    } else {
        pair.kind.met(&pair.places(view.start), &pair.places(view.phi), distance, travel)
    };
    let Some(approach) = met else {
        // On the way they were no closer than what they need to get from one distance to the other leaves.
        let approach = now();
        let least = 0.5 * (distance + approach.gap - travel);
        let way = Way { distance, travel, least };
        return (Some(approach), f64::min(approach.gap - near, way.spare(distance)));
    };
    // If they met at the end of an edge, where a node sees to it, or have come apart again on the side where they were, where they
    // are now is another matter.
    let now = now();
    let same_side = approach.gap > 0.0 && now.normal.dot(approach.normal) > SAME_SIDE;
    (Some(if same_side || pair.site(&approach, &pair.places(view.phi)).is_none() { now } else { approach }), 0.0)
}

impl Detector {
    /// Finds the parts of the cloth near each other, after so many programs; `before` was found at the last iterate.
    pub(super) fn detect_layers(
        &mut self,
        view: &IterateView,
        before: Known,
        programs: usize,
        touches: &mut Vec<Touch>,
    ) {
        let Self { meetings, candidates, doubtful, seen, pressed, shares, .. } = self;
        let Some(layers) = Layers::of(view) else { return meetings.forget() };
        meetings.list(view, &layers);
        pushed_edges(before).for_each(|edges| meetings.mark_felt(edges));
        candidates.clear();
        let mut deepest = 0.0;
        for kind in [Kind::NodeFace, Kind::Edges] {
            let edges = kind == Kind::Edges;
            doubtful.clear();
            for index in meetings.of(kind) {
                let Some(felt) = meetings.may_matter(index, &layers) else { continue };
                // Edges are many, and most are kept apart by the nodes at their ends: those are watched that were felt before, and
                // those that are deeper than any node.
                let known = !edges || felt;
                if known || programs > 0 {
                    let near =
                        if known { layers.reach } else { layers.most(kind, meetings.usual(index, view.cloth), view) };
                    doubtful.push(Doubtful { index, near, known });
                }
            }
            meetings.drop_apart(kind, view, doubtful);
            meetings.glance_at(kind, view, doubtful, seen);
            for (&Doubtful { index, near, known }, meeting) in doubtful.iter().zip(&*seen) {
                let least = layers.least(meeting, pressed, view);
                let layer = layers.thickness.min(NEIGHBOURS * meeting.usual);
                // Edges between nodes that are pressed together are as close as these, and carry nothing.
                let thinner = pressed.thinner_at(meeting.pair.nodes, layer);
                let reach = if known { layers.reach } else { least - thinner - deepest };
                let (approach, spare) = orient(meeting, view, layers.reach, near);
                meetings.remember(index, spare, approach.as_ref());
                let Some(approach) = approach.filter(|approach| approach.gap <= reach) else { continue };
                let Some((site, stencil, normal)) = meeting.pair.site(&approach, &meeting.pair.places(view.phi)) else {
                    continue;
                };
                if !edges && !approach.crosses && view.is_free(&stencil) {
                    // What keeps nodes apart may well do for the edges.
                    let deep = least - thinner - approach.gap;
                    deepest = f64::max(deepest, f64::min(deep, DEEPER * layers.thickness));
                }
                let pairs = if approach.crosses { ALONE } else { 1 };
                let beside = if edges { pressed.at(meeting.pair.nodes) } else { 0.0 };
                candidates.push(Candidate { site, stencil, normal, gap: approach.gap, least, layer, beside, pairs });
            }
        }
        let first = touches.len();
        keep_nearest(candidates, view, &layers, touches);
        // Pressures are those of a thickness of its own; that of the mesh is there to give somehow.
        if view.params.material.thickness > 0.0 {
            shares.share(first, before, programs, view, &layers, touches);
        }
    }

    /// Two parts of the cloth that may have gone through each other in the part of the step: a node of each, and their distance at
    /// the start, m.
    pub fn passing(&self, view: &IterateView) -> Option<([usize; 2], f64)> {
        self.meetings.passing(view)
    }

    /// Whether parts of the cloth are so near each other that the room they have in the matrix is kept.
    pub fn layers_are_near(&self, phi: &[DVec3]) -> bool {
        self.meetings.with_room(phi).next().is_some()
    }

    /// Pairs of nodes that the rows of these touches couple, and of those that may come soon.
    pub fn coupled_pairs(&self, phi: &[DVec3], touches: &[Touch], carriers: &Carriers) -> Vec<[usize; 2]> {
        let mut coupled_pairs = Vec::new();
        // Two nodes in one number, which is sorted faster.
        let mut bond = |nodes: &[usize]| {
            for (a, &i) in nodes.iter().enumerate() {
                coupled_pairs.extend(nodes[..a].iter().map(|&j| (i.min(j) as u64) << 32 | i.max(j) as u64));
            }
        };
        self.meetings.with_room(phi).for_each(|pair| {
            let x = pair.places(phi);
            if let Some((_, stencil, _)) = pair.site(&pair.kind.at(&x, &x), &x) {
                bond(stencil.nodes());
            }
        });
        // What meets on the way need not be near at its end.
        for touch in touches {
            let mut nodes = [0; 8];
            let count = carriers.nodes(touch).zip(&mut nodes).map(|(node, place)| *place = node).count();
            bond(&nodes[..count]);
        }
        self.near_carriers(phi.len(), carriers, |node, carrier| bond(&[node, carrier.node, carrier.node + 1]));
        coupled_pairs.sort_unstable();
        coupled_pairs.dedup();
        coupled_pairs.into_iter().map(|pair: u64| [pair >> 32, pair & 0xffff_ffff].map(|i| i as usize)).collect()
    }
}

/// Adds up candidates of the same site, and keeps those that are nearest in all directions. A node is near an edge of a face,
/// and not to the other face there, where that one comes closer: then it is near that one. All faces about an edge or a
/// node tell of a touch only where none of them comes closer.
fn keep_nearest(candidates: &mut Candidates, view: &IterateView, layers: &Layers, touches: &mut Vec<Touch>) {
    let surface: &Surface = view.cloth.surface();
    let (candidates, lists) = candidates.sorted();
    for same in lists.into_iter().flat_map(|list| list.chunk_by(|a, b| a.0 == b.0)) {
        let of = |k: &Order| &candidates[k.2 as usize];
        let pairs: usize = same.iter().map(|k| of(k).pairs).fold(0, usize::saturating_add);
        let nearest = of(&same[0]);
        let around = match nearest.site {
            Site::Nodes([i, j]) => surface.faces_with(&[i], j) + surface.faces_with(&[j], i),
            Site::NodeEdge(i, edge) => surface.faces_with(&edge, i),
            _ => 1,
        };
        // Where nothing can move nothing touches.
        if pairs >= around
            && let Some(mass) = view.mass(&nearest.stencil)
        {
            let &Candidate { site, stencil, normal, gap, least, layer, beside, .. } = nearest;
            let moved = stencil.sum(view.phi) - stencil.sum(view.start);
            // Edges stand for none of their own: what presses them is beyond what presses the nodes beside them.
            let area = 0.25 * view.area(&stencil);
            touches.push(Touch {
                site,
                stencil,
                place: DVec3::ZERO,
                gap,
                slack: gap - least,
                allowed: least,
                normal,
                slip: moved.reject_from_normalized(normal),
                mass,
                centre_distance: 0.0,
                layer,
                beside,
                area,
                coefficient: layers.friction,
                most_friction: view.most_friction(layers.friction, area),
            });
        }
    }
}
