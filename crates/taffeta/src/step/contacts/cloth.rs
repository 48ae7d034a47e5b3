//! Parts of the cloth near each other.

use glam::DVec3;

use super::detect::{Found, Sight, at};
use super::{Contacts, Touch};
use crate::collide::{Kind, Pair, Places, Site, Stencil, Surface, ccd};
use crate::linalg::BlockPattern;

/// Speed at which parts of the cloth that start closer than its thickness part, m/s: slow enough not to be thrown.
const RECOVERY: f64 = 0.05;

/// Of the distance of two parts in the mesh as given: neighbours closer than the thickness are kept apart by no more.
const NEIGHBOURS: f64 = 0.5;

/// Of the size of a cell: parts this close get room in the matrix before they touch, so that it need not change with every
/// contact.
const ROOM: f64 = 0.15;

/// Of the tolerance for gaps: edges that are closer by this than the thickness are watched. Where two layers lie flat on each
/// other the nodes keep them apart, and their many edges need not.
const WORTHWHILE: f64 = 0.25;

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
        Some(Self { thickness, reach, friction: itself.friction, room: reach + ROOM * sight.cloth.cell_size() })
    }
}

impl Contacts {
    /// Finds the parts of the cloth near each other.
    pub(super) fn detect_cloth(&mut self, sight: &Sight) {
        let Some(layers) = Layers::of(sight) else { return };
        let Self { touches, before, neighbours, apart, listed, room, told, programs, .. } = self;
        *room = layers.room;
        let Sight { cloth, start, phi, dynamics, .. } = *sight;
        neighbours.update(cloth, start, phi, layers.room);
        if *listed != neighbours.made() {
            *listed = neighbours.made();
            apart.clear();
            apart.extend(neighbours.pairs().iter().map(|pair| pair.kind.distance(&pair.places(start))));
        }
        told.clear();
        for (pair, &distance) in neighbours.pairs().iter().zip(&*apart) {
            let (from, to) = (pair.places(start), pair.places(phi));
            let travel = pair.kind.travel(&from, &to);
            if distance > travel + layers.reach {
                continue;
            }
            let approach = pair.kind.approach(&from, &to, distance, travel, across(pair.kind, &from));
            if approach.gap > layers.reach {
                continue;
            }
            let Some((site, stencil, normal)) = pair.site(&approach, &to) else { continue };
            let Some(mass) = sight.mass(&stencil) else { continue };
            let usual = NEIGHBOURS * pair.kind.distance(&pair.places(cloth.mesh().positions()));
            let thickness = layers.thickness.min(usual);
            let least = if distance < thickness - dynamics.gap_tolerance {
                thickness.min(distance + RECOVERY * dynamics.dt)
            } else {
                thickness
            };
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
            let edges = pair.kind == Kind::Edges;
            let closer = touch.slack < -WORTHWHILE * dynamics.gap_tolerance;
            if !edges || touch.gamma > 0.0 || closer && *programs > 0 {
                told.push(Told { pairs: if approach.crosses { ALONE } else { 1 }, touch });
            }
        }
        let first = touches.len();
        keep_nearest(told, cloth.surface(), touches);
        hand_on(before, &mut touches[first..]);
    }

    /// Whether two parts of the cloth may have gone through each other on the way from `φⁿ` to `φ_j`: the check with `ω = 0`.
    pub fn pass_through(&self, sight: &Sight) -> bool {
        self.neighbours.pairs().iter().zip(&self.apart).any(|(pair, &distance)| {
            let (from, to) = (pair.places(sight.start), pair.places(sight.phi));
            distance <= pair.kind.travel(&from, &to)
                && match pair.kind {
                    Kind::NodeFace => ccd::node_face(&from, &to, 0.0).is_some(),
                    Kind::Edges => ccd::edge_edge(&from, &to, 0.0).is_some(),
                }
        })
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
fn keep_nearest(told: &mut [Told], surface: &Surface, touches: &mut Vec<Touch>) {
    told.sort_by(|a, b| a.touch.site.cmp(&b.touch.site).then(a.touch.slack.total_cmp(&b.touch.slack)));
    for same in told.chunk_by(|a, b| a.touch.site == b.touch.site) {
        let pairs: usize = same.iter().map(|told| told.pairs).fold(0, usize::saturating_add);
        let around = match same[0].touch.site {
            Site::Nodes([i, j]) => surface.faces_about(i) + surface.faces_about(j),
            Site::NodeEdge(_, edge) => surface.faces_beside(edge),
            _ => 1,
        };
        if pairs >= around {
            touches.push(same[0].touch);
        }
    }
}

/// Hands what was felt where nothing touches any more to new touches of the same parts. A node that slides from one face to the
/// next has a new site, and feels what it felt.
fn hand_on(before: &[Touch], touches: &mut [Touch]) {
    let cloth = before.partition_point(|old| old.site.obstacle().is_some());
    let felt = before[cloth..].iter().filter(|old| old.gamma > 0.0 || old.force != DVec3::ZERO);
    for old in felt {
        if at(touches, old.site).is_some() {
            continue;
        }
        let fresh = touches.iter_mut().filter(|touch| at(before, touch.site).is_none());
        let related = fresh.filter_map(|touch| Some((relation(&old.stencil, &touch.stencil)?, touch)));
        let best = related.max_by(|(a, one), (b, other)| a.0.cmp(&b.0).then(other.slack.total_cmp(&one.slack)));
        if let Some(((_, sign), touch)) = best {
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

/// The direction in which two parts lie to each other that touch, up to its sign.
fn across(kind: Kind, x: &Places) -> DVec3 {
    let normal = match kind {
        Kind::NodeFace => (x[2] - x[1]).cross(x[3] - x[1]),
        Kind::Edges => (x[1] - x[0]).cross(x[3] - x[2]),
    };
    normal.normalize_or(DVec3::Z)
}
