//! Parts of the cloth near each other.

use glam::DVec3;

use super::detect::{Found, Sight, at};
use super::{Contacts, SQUEEZED, Touch};
use crate::collide::{Kind, Pair, Site, Stencil, Surface, ccd};
use crate::linalg::BlockPattern;

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

/// Of the thickness: how far nodes may move before the parts that may touch are listed anew.
const MARGIN: f64 = 0.25;

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
    thickness: f64,
    /// Parts closer than this are watched, m.
    reach: f64,
    /// `μ`.
    friction: f64,
    /// Parts closer than this get room in the matrix, m.
    room: f64,
}

impl Layers {
    fn of(sight: &Sight) -> Option<Self> {
        let itself = sight.params.self_contact?;
        let thickness = sight.cloth.thickness(sight.params);
        let reach = (1.0 + 2.0 * itself.proximity) * thickness;
        Some(Self { thickness, reach, friction: itself.friction, room: reach + ROOM * thickness })
    }
}

impl Contacts {
    /// Finds the parts of the cloth near each other.
    pub(super) fn detect_cloth(&mut self, sight: &Sight) {
        let Some(layers) = Layers::of(sight) else {
            self.meeting.clear();
            return;
        };
        self.room = layers.room;
        self.list_meeting(sight, &layers);
        let Self { touches, before, neighbours, apart, meeting, closer, told, order, programs, .. } = self;
        let Sight { cloth, start, phi, dynamics, .. } = *sight;
        told.clear();
        let edges_before = &before[before.partition_point(|touch| touch.site < Site::Edges([0; 2], [0; 2]))..];
        let edges_felt = |pair: &Pair| at(edges_before, pair.edges()).is_some_and(|touch| touch.gamma > 0.0);
        let ease = f64::min(EASE * dynamics.gap_tolerance, MOST_EASE * layers.thickness);
        let mut deepest = 0.0;
        for &(k, closest) in &*meeting {
            if closest > layers.reach + *closer {
                continue;
            }
            let k = k as usize;
            let (pair, distance) = (&neighbours.pairs()[k], apart[k]);
            let edges = pair.kind == Kind::Edges;
            let thickness = layers.thickness.min(NEIGHBOURS * neighbours.usual(k)) - if edges { ease } else { 0.0 };
            let least = if distance < thickness - dynamics.gap_tolerance {
                thickness.min(distance + RECOVERY * dynamics.dt)
            } else {
                thickness
            };
            let known = !edges || edges_felt(pair);
            if !known && (*programs == 0 || closest > least - deepest + *closer) {
                continue;
            }
            let (from, to) = (pair.places(start), pair.places(phi));
            let travel = pair.kind.travel(&from, &to);
            if distance > travel + layers.reach {
                continue;
            }
            let mut approach = pair.kind.approach(&from, &to, distance, travel);
            if approach.crosses {
                let now = pair.kind.at(&to, &from);
                let same_side = approach.gap > 0.0 && now.normal.dot(approach.normal) > SAME_SIDE;
                // They met at the end of an edge, where a node sees to it, or have come apart again on the side where they were:
                // where they are now is another matter.
                if same_side || pair.site(&approach, &to).is_none() {
                    approach = now;
                }
            }
            if approach.gap > if known { layers.reach } else { least - deepest } {
                continue;
            }
            let Some((site, stencil, normal)) = pair.site(&approach, &to) else { continue };
            let Some(mass) = sight.mass(&stencil) else { continue };
            let moved = stencil.sum(phi) - stencil.sum(start);
            let found = Found {
                site,
                stencil,
                place: DVec3::ZERO,
                gap: approach.gap,
                slack: approach.gap - least,
                allowed: least,
                normal,
                slip: moved.reject_from_normalized(normal),
                mass,
                coefficient: layers.friction,
            };
            let touch = found.felt_as(at(before, site));
            if !edges && !approach.crosses {
                // Nodes come before edges in the list. What keeps them apart may well do for the edges.
                deepest = f64::max(deepest, f64::min(-touch.slack, DEEPER * layers.thickness));
            }
            told.push(Told { pairs: if approach.crosses { ALONE } else { 1 }, touch });
        }
        let first = touches.len();
        keep_nearest(told, order, cloth.surface(), touches);
        hand_on(before, &mut touches[first..], order);
    }

    /// Lists the parts of the cloth that may touch on the way from `φⁿ` to `φ_j`, and maybe more.
    fn list_meeting(&mut self, sight: &Sight, layers: &Layers) {
        let Self { neighbours, apart, listed, listed_at, meeting, meeting_at, closer, drift, .. } = self;
        let Sight { cloth, start, phi, .. } = *sight;
        neighbours.update(cloth, start, phi, layers.room);
        if *listed != neighbours.made() || *listed_at != *start {
            *listed = neighbours.made();
            listed_at.clear();
            listed_at.extend_from_slice(start);
            apart.clear();
            // As many as the list has room for, so that steps allocate nothing.
            apart.reserve(neighbours.room());
            apart.extend(neighbours.pairs().iter().map(|pair| pair.kind.distance(&pair.places(start))));
            meeting_at.clear();
        }
        let margin = 4.0 * MARGIN * layers.thickness;
        *closer = closer_by(meeting_at, phi);
        if meeting_at.len() == phi.len() && *closer <= margin {
            return;
        }
        *closer = 0.0;
        meeting_at.clear();
        meeting_at.extend_from_slice(phi);
        note_drift(start, phi, drift);
        meeting.clear();
        meeting.reserve(neighbours.room());
        for (k, (pair, &distance)) in neighbours.pairs().iter().zip(&*apart).enumerate() {
            let reach = layers.reach + margin;
            if distance > pair.drift(drift) + reach {
                continue;
            }
            let closest = distance - pair.kind.travel(&pair.places(start), &pair.places(phi));
            if closest <= reach {
                meeting.push((k as u32, closest));
            }
        }
    }

    /// Notes that the nodes have moved, by less than would change what may touch.
    pub(super) fn follow_meeting(&mut self, phi: &[DVec3]) {
        self.closer = closer_by(&self.meeting_at, phi);
    }

    /// Whether two parts of the cloth may have gone through each other on the way from `φⁿ` to `φ_j`: the check with `ω = 0`.
    pub fn pass_through(&self, sight: &Sight) -> bool {
        self.meeting.iter().filter(|(_, closest)| *closest <= self.closer).any(|&(k, _)| {
            let (pair, distance) = (&self.neighbours.pairs()[k as usize], self.apart[k as usize]);
            let (from, to) = (pair.places(sight.start), pair.places(sight.phi));
            distance <= pair.kind.travel(&from, &to)
                && match pair.kind {
                    Kind::NodeFace => ccd::node_face(&from, &to, 0.0).is_some(),
                    Kind::Edges => ccd::edge_edge(&from, &to, 0.0).is_some(),
                }
        })
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
        self.neighbours.pairs().iter().any(|pair| pair.kind.distance(&pair.places(phi)) < self.room)
    }

    /// Pairs of nodes that the rows of contacts couple, or will soon.
    pub fn bonds(&self, sight: &Sight) -> Vec<[usize; 2]> {
        let Some(layers) = Layers::of(sight) else { return Vec::new() };
        let mut bonds = Vec::new();
        let mut bond = |nodes: &[usize]| {
            for (a, &i) in nodes.iter().enumerate() {
                bonds.extend(nodes[..a].iter().map(|&j| [i.min(j), i.max(j)]));
            }
        };
        let near = |pair: &&Pair| pair.kind.distance(&pair.places(sight.phi)) < layers.room;
        self.neighbours.pairs().iter().filter(near).for_each(|pair| bond(&pair.nodes));
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
    order.sort_by(|&a, &b| of(a).site.cmp(&of(b).site).then(of(a).slack.total_cmp(&of(b).slack)));
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
fn hand_on(before: &[Touch], touches: &mut [Touch], fresh: &mut Vec<u32>) {
    let before = &before[before.partition_point(|old| old.site.obstacle().is_some())..];
    fresh.clear();
    fresh.extend((0..touches.len() as u32).filter(|&k| at(before, touches[k as usize].site).is_none()));
    let felt = before.iter().filter(|old| old.gamma > 0.0 || old.force != DVec3::ZERO);
    for old in felt {
        if at(touches, old.site).is_some() {
            continue;
        }
        let related = fresh.iter().filter_map(|&k| {
            let touch = &touches[k as usize];
            relation(&old.stencil, &touch.stencil).map(|(common, sign)| (common, sign, touch.slack, k))
        });
        let best = related.max_by(|a, b| a.0.cmp(&b.0).then(b.2.total_cmp(&a.2)));
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

/// How much closer two parts can have come when nodes have moved like this, m: what a node is off changes its motion and the mean
/// one, on both sides.
fn closer_by(from: &[DVec3], to: &[DVec3]) -> f64 {
    4.0 * from.iter().zip(to).map(|(from, to)| from.distance_squared(*to)).fold(0.0, f64::max).sqrt()
}

/// Notes how far every node has moved, but for what all have moved.
fn note_drift(start: &[DVec3], phi: &[DVec3], drift: &mut Vec<f64>) {
    let moves = || start.iter().zip(phi).map(|(from, to)| *to - *from);
    let mean = moves().sum::<DVec3>() / start.len() as f64;
    drift.clear();
    drift.extend(moves().map(|moved| (moved - mean).length()));
}
