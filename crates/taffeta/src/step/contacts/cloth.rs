//! Parts of the cloth near each other.

use glam::DVec3;

use super::detect::{Found, InOrder, IterateView, at};
use super::meeting::{Meeting, Way};
use super::{Contacts, SQUEEZED, Touch};
use crate::collide::{Approach, Kind, Pair, Site, Stencil, Surface};
use crate::linalg::BlockPattern;
use crate::step::predict::Dynamics;

/// Speed at which parts of the cloth that start closer than its thickness part, m/s: slow enough not to be thrown.
const RECOVERY: f64 = 0.05;

/// Of the distance of two parts in the mesh as given: neighbours closer than the thickness are kept apart by no more.
const NEIGHBOURS: f64 = 0.5;

/// Of the thickness: parts this close beyond what is watched get room in the matrix before they touch, so that it need not
/// change with every contact. A layer beyond the next gets none.
const ROOM: f64 = 0.5;

/// Of how far apart they are kept: two parts that are farther apart than that, and do not push each other, need no room in the matrix.
const UNDECIDED: f64 = 0.25;

/// Of the tolerance for gaps, and of the thickness: by the lesser of the two edges may be closer to each other than nodes to faces.
/// Where two layers lie flat on each other the nodes keep them apart, and their many edges need not.
const EASE: f64 = 0.75;
const MOST_EASE: f64 = 0.02;

/// Of the thickness: as long as nodes are this deep in faces, only edges that are deeper are watched.
const DEEPER: f64 = 0.25;

/// Cosine of the angle up to which two parts that have met and come apart again are on the side where they were.
const SAME_SIDE: f64 = 0.5;

/// A touch that one or more pairs of parts tell of.
pub(super) struct Candidate {
    /// How many pairs it counts for.
    pairs: usize,
    found: Found,
}

/// How candidates are ordered: by their sites, the nearest first, then as they were found.
type Order = (u128, f64, u32);

/// The order of candidates, one list for each kind of sites.
#[derive(Default)]
pub(super) struct Ranking {
    nodes: Vec<Order>,
    node_edge: Vec<Order>,
    node_face: Vec<Order>,
    edges: Vec<Order>,
}

impl Ranking {
    fn clear(&mut self) {
        let Self { nodes, node_edge, node_face, edges } = self;
        [nodes, node_edge, node_face, edges].into_iter().for_each(Vec::clear);
    }

    /// Adds candidate `k`. They come in the order of pairs.
    fn push(&mut self, found: &Found, k: usize) {
        let list = match found.site {
            Site::Nodes(_) => &mut self.nodes,
            Site::NodeEdge(..) => &mut self.node_edge,
            Site::NodeFace(..) => &mut self.node_face,
            _ => &mut self.edges,
        };
        list.push((found.site.key(), found.slack, k as u32));
    }

    /// Puts the candidates in order, and returns their lists in the order of sites.
    fn sorted(&mut self) -> [&[Order]; 4] {
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
        [&self.nodes, &self.node_edge, &self.node_face, &self.edges]
    }
}

/// As many pairs as if all had.
const ALONE: usize = usize::MAX / 2;

/// What the cloth is in contact with itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layers {
    /// `τ₀`, m.
    pub thickness: f64,
    /// Parts closer than this are watched, m.
    pub reach: f64,
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
        Some(Self { thickness, reach, friction: itself.friction, room: reach + ROOM * thickness })
    }

    /// How far apart two parts are kept, m, that do not start too close; `usual` is their distance in the mesh as given, m.
    fn most(&self, kind: Kind, usual: f64, view: &IterateView) -> f64 {
        let usual = self.thickness.min(NEIGHBOURS * usual);
        let ease =
            if kind == Kind::Edges { f64::min(EASE * view.dynamics.gap_tolerance, MOST_EASE * usual) } else { 0.0 };
        usual - ease
    }

    /// How far apart two parts are kept, m.
    fn least(&self, meeting: &Meeting, view: &IterateView) -> f64 {
        let Dynamics { gap_tolerance, dt, .. } = *view.dynamics;
        let thickness = self.most(meeting.pair.kind, meeting.usual, view);
        // What starts too close parts slowly.
        let close = meeting.distance < thickness - gap_tolerance;
        if close { thickness.min(meeting.distance + RECOVERY * dt) } else { thickness }
    }

    /// The touch of two parts that are to each other like this and must stay `least` apart, m; `None` where another pair tells of
    /// it, or nothing can move.
    fn found(&self, pair: &Pair, approach: &Approach, least: f64, view: &IterateView) -> Option<Found> {
        let (site, stencil, normal) = pair.site(approach, &pair.places(view.phi))?;
        let moved = stencil.sum(view.phi) - stencil.sum(view.start);
        Some(Found {
            site,
            stencil,
            place: DVec3::ZERO,
            gap: approach.gap,
            slack: approach.gap - least,
            allowed: least,
            normal,
            slip: moved.reject_from_normalized(normal),
            mass: view.mass(&stencil)?,
            coefficient: self.friction,
        })
    }
}

/// Where two parts are to each other at the iterate, on the side where they were, `None` if they have not come within `reach`, m;
/// and how much closer they can come before it matters, which is when they are `near`, m, or may have crossed.
fn orient(meeting: &Meeting, view: &IterateView, reach: f64, near: f64) -> (Option<Approach>, f64) {
    let pair = &meeting.pair;
    let (from, to) = (pair.places(view.start), pair.places(view.phi));
    if meeting.distance <= reach && meeting.distance > meeting.travel_bound {
        // Too far apart to meet on so short a way.
        let approach = pair.kind.at(&to, &from);
        if approach.gap <= near {
            return (Some(approach), 0.0);
        }
    }
    let travel = pair.kind.travel(&from, &to);
    if meeting.distance > travel + reach {
        let way = Way { distance: meeting.distance, travel, least: meeting.distance - travel };
        return (None, f64::min(way.least - near, way.spare(meeting.distance)));
    }
    let approach = pair.kind.approach(&from, &to, meeting.distance, travel);
    if !approach.crosses {
        // On the way they were no closer than what they need to get from one distance to the other leaves.
        let least = 0.5 * (meeting.distance + approach.gap - travel);
        let way = Way { distance: meeting.distance, travel, least };
        return (Some(approach), f64::min(approach.gap - near, way.spare(meeting.distance)));
    }
    // If they met at the end of an edge, where a node sees to it, or have come apart again on the side where they were, where they
    // are now is another matter.
    let now = pair.kind.at(&to, &from);
    let same_side = approach.gap > 0.0 && now.normal.dot(approach.normal) > SAME_SIDE;
    (Some(if same_side || pair.site(&approach, &to).is_none() { now } else { approach }), 0.0)
}

impl Contacts {
    /// Finds the parts of the cloth near each other.
    pub(super) fn detect_cloth(&mut self, view: &IterateView) {
        let Some(layers) = Layers::of(view) else { return self.meetings.forget() };
        self.meetings.list(view, &layers);
        let Self { touches, before, meetings, candidates, ranking, fresh, programs, .. } = self;
        let before = &before[before.partition_point(|old| old.site.obstacle().is_some())..];
        let felt = before.iter().rev().map_while(|old| match old.site {
            Site::Edges([a, b], [c, d]) => Some((old, [a, b, c, d])),
            _ => None,
        });
        felt.filter(|(old, _)| old.gamma > 0.0).for_each(|(_, edges)| meetings.mark_felt(edges));
        candidates.clear();
        ranking.clear();
        let mut deepest = 0.0;
        for index in 0..meetings.len() {
            let Some((kind, felt)) = meetings.may_matter(index, layers.reach) else { continue };
            let edges = kind == Kind::Edges;
            // Edges are many, and most are kept apart by the nodes at their ends: those are watched that were felt before, and
            // those that are deeper than any node.
            let known = !edges || felt;
            if !known && *programs == 0 {
                continue;
            }
            let near = if known { layers.reach } else { layers.most(kind, meetings.usual(index, view.cloth), view) };
            if meetings.stay_apart(index, view, near) {
                continue;
            }
            let meeting = meetings.get(index, view);
            let least = layers.least(&meeting, view);
            let (reach, near) = if known { (layers.reach, layers.reach) } else { (least - deepest, least) };
            let (approach, spare) = orient(&meeting, view, layers.reach, near);
            meetings.remember(index, spare, approach.as_ref());
            let Some(approach) = approach.filter(|approach| approach.gap <= reach) else { continue };
            let Some(found) = layers.found(&meeting.pair, &approach, least, view) else { continue };
            if !edges && !approach.crosses {
                // Nodes come before edges in the list. What keeps them apart may well do for the edges.
                deepest = f64::max(deepest, f64::min(-found.slack, DEEPER * layers.thickness));
            }
            ranking.push(&found, candidates.len());
            candidates.push(Candidate { pairs: if approach.crosses { ALONE } else { 1 }, found });
        }
        let first = touches.len();
        keep_nearest(candidates, ranking, view.cloth.surface(), before, touches);
        transfer_warm_start(before, &mut touches[first..], fresh);
    }

    /// Two parts of the cloth that may have gone through each other in the part of the step: a node of each, and their distance at
    /// the start, m.
    pub fn passing(&self, view: &IterateView) -> Option<([usize; 2], f64)> {
        self.meetings.passing(view)
    }

    /// The two parts of the cloth that are farthest from being kept apart, by a node of each, and their distance, m.
    pub fn tangled(&self) -> Option<([usize; 2], f64)> {
        let cloth = self.touches.iter().filter(|touch| touch.site.obstacle().is_none() && touch.slack < -SQUEEZED);
        let worst = cloth.min_by(|a, b| a.slack.total_cmp(&b.slack))?;
        let nodes = worst.stencil.nodes();
        Some(([nodes[0], nodes[nodes.len() - 1]], worst.gap))
    }

    /// Whether a matrix has room for the rows of all contacts.
    pub fn fit(&self, pattern: &BlockPattern) -> bool {
        let near = |touch: &&Touch| {
            touch.site.obstacle().is_none() && (touch.gamma > 0.0 || touch.slack < UNDECIDED * touch.allowed)
        };
        self.touches.iter().filter(near).all(|touch| fits(touch, pattern))
    }

    /// Whether parts of the cloth are so near each other that the room they have in the matrix is kept.
    pub fn layers_are_near(&self, phi: &[DVec3]) -> bool {
        self.meetings.with_room(phi).next().is_some()
    }

    /// Pairs of nodes that the rows of contacts couple, or will soon.
    pub fn coupled_pairs(&self, phi: &[DVec3]) -> Vec<[usize; 2]> {
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
        self.touches.iter().for_each(|touch| bond(touch.stencil.nodes()));
        coupled_pairs.sort_unstable();
        coupled_pairs.dedup();
        coupled_pairs.into_iter().map(|pair: u64| [pair >> 32, pair & 0xffff_ffff].map(|i| i as usize)).collect()
    }
}

/// Whether a matrix has room for the rows of a touch.
pub(super) fn fits(touch: &Touch, pattern: &BlockPattern) -> bool {
    // What touches an obstacle is in one element, whose nodes meet anyhow.
    touch.site.obstacle().is_some() || pattern.has(touch.stencil.nodes())
}

/// Adds up touches of the same site, and keeps those that are nearest in all directions. A node is near an edge of a face,
/// and not to the other face there, where that one comes closer: then it is near that one. All faces about an edge or a
/// node tell of a touch only where none of them comes closer.
fn keep_nearest(
    candidates: &[Candidate],
    ranking: &mut Ranking,
    surface: &Surface,
    before: &[Touch],
    touches: &mut Vec<Touch>,
) {
    let mut old = InOrder(before);
    for same in ranking.sorted().into_iter().flat_map(|list| list.chunk_by(|a, b| a.0 == b.0)) {
        let of = |k: &Order| &candidates[k.2 as usize];
        let pairs: usize = same.iter().map(|k| of(k).pairs).fold(0, usize::saturating_add);
        let nearest = &of(&same[0]).found;
        let around = match nearest.site {
            Site::Nodes([i, j]) => surface.faces_with(&[i], j) + surface.faces_with(&[j], i),
            Site::NodeEdge(i, edge) => surface.faces_with(&edge, i),
            _ => 1,
        };
        if pairs >= around {
            touches.push(nearest.felt_as(old.at(nearest.site)));
        }
    }
}

/// Hands what was felt where nothing touches any more to new touches of the same parts. A node that slides from one face to the
/// next has a new site, and feels what it felt.
fn transfer_warm_start(before: &[Touch], touches: &mut [Touch], fresh: &mut Vec<(usize, u32)>) {
    // New touches, by their nodes.
    fresh.clear();
    let mut old = InOrder(before);
    for (touch, k) in touches.iter().zip(0..).filter(|(touch, _)| old.at(touch.site).is_none()) {
        fresh.extend(touch.stencil.nodes().iter().map(|&node| (node, k)));
    }
    if fresh.is_empty() {
        return;
    }
    fresh.sort_unstable();
    let felt = before.iter().filter(|old| old.gamma > 0.0 || old.force != DVec3::ZERO);
    for old in felt {
        if at(touches, old.site).is_some() {
            continue;
        }
        let sharing = old.stencil.nodes().iter().flat_map(|&node| {
            let of_node = &fresh[fresh.partition_point(|&(other, _)| other < node)..];
            of_node.iter().take_while(move |&&(other, _)| other == node)
        });
        let related = sharing.filter_map(|&(_, k)| {
            let touch = &touches[k as usize];
            relation(&old.stencil, &touch.stencil).map(|(common, sign)| (common, sign, touch.slack, k))
        });
        let best = related.max_by(|a, b| a.0.cmp(&b.0).then(b.2.total_cmp(&a.2)).then(a.3.cmp(&b.3)));
        if let Some((_, sign, _, k)) = best {
            let touch = &mut touches[k as usize];
            touch.gamma += old.gamma;
            touch.force += (old.force * sign).reject_from_normalized(touch.normal);
            touch.side = touch.side.or(old.side);
        }
    }
}

/// How many nodes two touches have in common, if they have some on both sides, and 1, or −1 if the sides are swapped.
fn relation(old: &Stencil, new: &Stencil) -> Option<(usize, f64)> {
    let common = |swap: f64, side: f64| {
        let on = |weight: f64| weight * side > 0.0;
        let mut old = old.entries().filter(|&(_, weight)| on(weight)).map(|(i, _)| i);
        let has = |i: usize| new.entries().any(|(j, weight)| i == j && on(weight * swap));
        old.by_ref().filter(|&i| has(i)).count()
    };
    [1.0, -1.0].into_iter().find_map(|swap| {
        let (one, other) = (common(swap, 1.0), common(swap, -1.0));
        (one > 0 && other > 0).then_some((one + other, swap))
    })
}
