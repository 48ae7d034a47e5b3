//! Parts of the cloth near each other.

use glam::DVec3;

use super::detect::{Found, Sight, at};
use super::meeting::Meeting;
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

/// Of the tolerance for gaps, and of the thickness: by the lesser of the two edges may be closer to each other than nodes to faces.
/// Where two layers lie flat on each other the nodes keep them apart, and their many edges need not.
const EASE: f64 = 0.75;
const MOST_EASE: f64 = 0.02;

/// Of the thickness: as long as nodes are this deep in faces, only edges that are deeper are watched.
const DEEPER: f64 = 0.25;

/// Cosine of the angle up to which two parts that have met and come apart again are on the side where they were.
const SAME_SIDE: f64 = 0.5;

/// A touch, and how many pairs have told of it.
pub(super) struct Told {
    pairs: usize,
    touch: Touch,
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
    fn of(sight: &Sight) -> Option<Self> {
        let itself = sight.params.self_contact?;
        let thickness = sight.cloth.thickness(sight.params);
        let reach = (1.0 + 2.0 * itself.proximity) * thickness;
        Some(Self { thickness, reach, friction: itself.friction, room: reach + ROOM * thickness })
    }

    /// How far apart two parts are kept, m.
    fn least(&self, meeting: &Meeting, sight: &Sight) -> f64 {
        let Dynamics { gap_tolerance, dt, .. } = *sight.dynamics;
        let usual = self.thickness.min(NEIGHBOURS * meeting.usual);
        let ease =
            if meeting.pair.kind == Kind::Edges { f64::min(EASE * gap_tolerance, MOST_EASE * usual) } else { 0.0 };
        let thickness = usual - ease;
        // What starts too close parts slowly.
        let close = meeting.distance < thickness - gap_tolerance;
        if close { thickness.min(meeting.distance + RECOVERY * dt) } else { thickness }
    }

    /// The touch of two parts that are to each other like this and must stay `least` apart, m; `None` where another pair tells of
    /// it, or nothing can move.
    fn found(&self, pair: &Pair, approach: &Approach, least: f64, sight: &Sight) -> Option<Found> {
        let (site, stencil, normal) = pair.site(approach, &pair.places(sight.phi))?;
        let moved = stencil.sum(sight.phi) - stencil.sum(sight.start);
        Some(Found {
            site,
            stencil,
            place: DVec3::ZERO,
            gap: approach.gap,
            slack: approach.gap - least,
            allowed: least,
            normal,
            slip: moved.reject_from_normalized(normal),
            mass: sight.mass(&stencil)?,
            coefficient: self.friction,
        })
    }
}

/// Where two parts are to each other at the iterate, on the side where they were; `None` if they have not come within `reach`, m.
fn orient(meeting: &Meeting, sight: &Sight, reach: f64) -> Option<Approach> {
    let pair = meeting.pair;
    let (from, to) = (pair.places(sight.start), pair.places(sight.phi));
    let travel = pair.kind.travel(&from, &to);
    if meeting.distance > travel + reach {
        return None;
    }
    let approach = pair.kind.approach(&from, &to, meeting.distance, travel);
    if !approach.crosses {
        return Some(approach);
    }
    // If they met at the end of an edge, where a node sees to it, or have come apart again on the side where they were, where they
    // are now is another matter.
    let now = pair.kind.at(&to, &from);
    let same_side = approach.gap > 0.0 && now.normal.dot(approach.normal) > SAME_SIDE;
    Some(if same_side || pair.site(&approach, &to).is_none() { now } else { approach })
}

impl Contacts {
    /// Finds the parts of the cloth near each other.
    pub(super) fn detect_cloth(&mut self, sight: &Sight) {
        let Some(layers) = Layers::of(sight) else { return self.meetings.forget() };
        self.meetings.list(sight, &layers);
        let Self { touches, before, meetings, told, order, fresh, programs, .. } = self;
        told.clear();
        let edges_before = &before[before.partition_point(|touch| touch.site < Site::Edges([0; 2], [0; 2]))..];
        let edges_felt = |pair: &Pair| at(edges_before, pair.edges()).is_some_and(|touch| touch.gamma > 0.0);
        let mut deepest = 0.0;
        for meeting in meetings.within(layers.reach) {
            let edges = meeting.pair.kind == Kind::Edges;
            let least = layers.least(&meeting, sight);
            // Edges are many, and most are kept apart by the nodes at their ends: those are watched that were felt before, and
            // those that are deeper than any node.
            let known = !edges || edges_felt(meeting.pair);
            let reach = if known { layers.reach } else { least - deepest };
            if !known && (*programs == 0 || meeting.closest > reach) {
                continue;
            }
            let Some(approach) = orient(&meeting, sight, layers.reach).filter(|approach| approach.gap <= reach) else {
                continue;
            };
            let Some(found) = layers.found(meeting.pair, &approach, least, sight) else { continue };
            let old = at(before, found.site);
            let touch = found.felt_as(old);
            if !edges && !approach.crosses {
                // Nodes come before edges in the list. What keeps them apart may well do for the edges.
                deepest = f64::max(deepest, f64::min(-touch.slack, DEEPER * layers.thickness));
            }
            told.push(Told { pairs: if approach.crosses { ALONE } else { 1 }, touch });
        }
        let first = touches.len();
        keep_nearest(told, order, sight.cloth.surface(), touches);
        hand_on(before, &mut touches[first..], fresh);
    }

    /// Two parts of the cloth that may have gone through each other in the part of the step: a node of each, and their distance at
    /// the start, m.
    pub fn passing(&self, sight: &Sight) -> Option<([usize; 2], f64)> {
        self.meetings.passing(sight)
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
        self.touches.iter().filter(|touch| touch.site.obstacle().is_none()).all(|touch| {
            let nodes = touch.stencil.nodes();
            nodes.iter().enumerate().all(|(a, &i)| nodes[..a].iter().all(|&j| pattern.has(i, j)))
        })
    }

    /// Whether parts of the cloth are so near each other that the room they have in the matrix is kept.
    pub fn layers_are_near(&self, phi: &[DVec3]) -> bool {
        self.meetings.with_room(phi).next().is_some()
    }

    /// Pairs of nodes that the rows of contacts couple, or will soon.
    pub fn bonds(&self, phi: &[DVec3]) -> Vec<[usize; 2]> {
        let mut bonds = Vec::new();
        let mut bond = |nodes: &[usize]| {
            for (a, &i) in nodes.iter().enumerate() {
                bonds.extend(nodes[..a].iter().map(|&j| [i.min(j), i.max(j)]));
            }
        };
        self.meetings.with_room(phi).for_each(|pair| bond(&pair.nodes));
        // What meets on the way need not be near at its end.
        self.touches.iter().for_each(|touch| bond(touch.stencil.nodes()));
        bonds.sort_unstable();
        bonds.dedup();
        bonds
    }
}

/// Adds up touches of the same site, and keeps those that are nearest in all directions. A node is near an edge of a face,
/// and not to the other face there, where that one comes closer: then it is near that one. All faces about an edge or a
/// node tell of a touch only where none of them comes closer.
fn keep_nearest(told: &[Told], order: &mut Vec<u32>, surface: &Surface, touches: &mut Vec<Touch>) {
    let of = |k: u32| &told[k as usize].touch;
    order.clear();
    order.extend(0..told.len() as u32);
    let nearer = |a: u32, b: u32| of(a).site.cmp(&of(b).site).then(of(a).slack.total_cmp(&of(b).slack)).then(a.cmp(&b));
    order.sort_unstable_by(|&a, &b| nearer(a, b));
    for same in order.chunk_by(|&a, &b| of(a).site == of(b).site) {
        let pairs: usize = same.iter().map(|&k| told[k as usize].pairs).fold(0, usize::saturating_add);
        let nearest = of(same[0]);
        let around = match nearest.site {
            Site::Nodes([i, j]) => surface.faces_with(&[i], j) + surface.faces_with(&[j], i),
            Site::NodeEdge(i, edge) => surface.faces_with(&edge, i),
            _ => 1,
        };
        if pairs >= around {
            touches.push(*nearest);
        }
    }
}

/// Hands what was felt where nothing touches any more to new touches of the same parts. A node that slides from one face to the
/// next has a new site, and feels what it felt.
fn hand_on(before: &[Touch], touches: &mut [Touch], fresh: &mut Vec<(usize, u32)>) {
    let before = &before[before.partition_point(|old| old.site.obstacle().is_some())..];
    // New touches, by their nodes.
    fresh.clear();
    for (touch, k) in touches.iter().zip(0..).filter(|(touch, _)| at(before, touch.site).is_none()) {
        fresh.extend(touch.stencil.nodes().iter().map(|&node| (node, k)));
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
