//! Which parts of the cloth may touch in a part of a step.

use std::array::from_fn;
use std::ops::Range;

use glam::DVec3;

use super::IterateView;
use super::layers::Layers;
use crate::cloth::Cloth;
use crate::collide::{Approach, Glance, Kind, LANES, Neighbours, Pair, Parting, ccd, glances, partings};

/// Of the thickness: how far nodes may move before the parts that may touch are listed again.
const MARGIN: f64 = 0.25;

/// Distances are compared with the motion that could bring them to nothing: what rounding can have taken from either, of the size
/// of the coordinates.
const ROUNDING: f64 = 1e-13;

/// m. What is saved by not looking must not change what is found: bounds of distances count from here on, beyond rounding.
const SURE: f64 = 1e-12;

/// Of the distance at the start: parts that stay farther apart than this for certain are not taken to meet on the way. More than what
/// [`Kind::approach`] takes for a meeting.
const CLEAR: f64 = 0.11;

/// In distances at the start: a motion that is longer may need more steps to be followed than [`Kind::approach`] takes.
const LONG: f64 = 4.0;

/// How much more a motion can bring two parts together when nodes go farther by so much: their motion and the mean one change.
const FARTHER: f64 = 3.0;

/// The parts of the cloth that are near each other in the part of a step at hand. What is kept from one step to the next are bounds:
/// they show that a pair need not be looked at, and nothing else depends on them; and the distances at the end of a part, which are those at
/// the start of the next, to the bit.
#[derive(Default)]
pub(super) struct Meetings {
    /// Parts that may come near each other, in this step and maybe the next ones. Which list of theirs the following are of, and where
    /// the nodes were, m.
    neighbours: Neighbours,
    listed: usize,
    listed_at: Vec<DVec3>,
    /// How far apart they are at the start of the part, m, or less: what is far away need not be looked at.
    apart: Vec<f64>,
    /// Their distances at the start of the part, m; not a number where they are not known.
    distance: Vec<f64>,
    /// A unit direction, from the second to the first, in which they were apart when last looked at; zero if they touched.
    normals: Vec<DVec3>,
    /// Which of them may touch in this part as long as no node leaves the place it had, m, by more than a margin; and by how much
    /// they can have come closer since.
    watched: Vec<Watched>,
    watched_at: Vec<DVec3>,
    closer: f64,
    /// Where the nodes were when `Watched::spare` was right, m; how far every node has moved since then, and since the start of the
    /// part, but for what all have moved, m.
    seen_at: Vec<DVec3>,
    drift: Vec<f64>,
    gone: Vec<f64>,
    /// What the cloth was in contact with itself at the last look.
    layers: Option<Layers>,
    /// Counts the looks of a run.
    looks: u32,
    /// Parts closer than this have room in the matrix, m.
    room: f64,
}

/// Two parts that are watched.
#[derive(Clone, Copy)]
struct Watched {
    pair: u32,
    /// The last look at which they pushed each other.
    felt: u32,
    /// Their distance at the last look, m; not a number if it is not known.
    gap: f64,
    /// How close they could have come when they were listed, m.
    closest: f64,
    /// How much closer they can come before they must be looked at again, m.
    spare: f64,
}

/// A watched pair that may matter.
#[derive(Clone, Copy)]
pub(super) struct Doubtful {
    pub index: usize,
    /// It matters if its parts are closer than this, m, or have met.
    pub near: f64,
    /// Whether its parts are watched as far as any.
    pub known: bool,
}

/// Two parts that may touch.
#[derive(Clone, Copy)]
pub(super) struct Meeting {
    pub pair: Pair,
    pub glance: Glance,
    /// How much closer the way brings them, m, or more.
    pub travel_bound: f64,
    /// Their distance in the mesh as given, m; infinite if they are not close along the cloth.
    pub usual: f64,
}

impl Meetings {
    /// Nothing touches: the cloth is not to meet itself.
    pub fn forget(&mut self) {
        self.room = 0.0;
        self.listed_at.clear();
        self.watched.clear();
        self.watched_at.clear();
    }

    /// Lists the parts of the cloth that may touch on the way from `φⁿ` to `φ_j`, and maybe more.
    pub fn list(&mut self, view: &IterateView, layers: &Layers) {
        let IterateView { cloth, start, phi, cores, .. } = *view;
        self.room = layers.room;
        // Zero is no look.
        self.looks = self.looks.wrapping_add(1).max(1);
        if self.layers != Some(*layers) {
            // What is watched, and what there is to spare, is for other layers.
            self.layers = Some(*layers);
            self.watched_at.clear();
        }
        self.neighbours.update(cloth, start, phi, f64::max(layers.room, layers.reach), cores);
        if self.listed != self.neighbours.made() || self.listed_at != *start {
            self.begin(start);
        }
        note_drift(start, phi, &mut self.gone);
        let margin = 4.0 * MARGIN * layers.thickness;
        self.closer = closer_by(&self.watched_at, phi);
        if self.watched_at.len() == phi.len() && self.closer <= margin {
            note_drift(&self.seen_at, phi, &mut self.drift);
        } else {
            self.watch(phi, layers, margin);
        }
        self.seen_at.clear();
        self.seen_at.extend_from_slice(phi);
    }

    /// Bounds the distances at the start of a part by those that were known before, less what the nodes have moved since.
    fn begin(&mut self, start: &[DVec3]) {
        let Self {
            neighbours, apart, distance, normals, listed, listed_at, watched, watched_at, seen_at, drift, ..
        } = self;
        let pairs = neighbours.pairs();
        distance.clear();
        // As many as the list has room for, so that steps allocate nothing.
        distance.reserve(neighbours.room());
        distance.resize(pairs.len(), f64::NAN);
        if *listed != neighbours.made() {
            // It was made just now, at the start of this part.
            *listed = neighbours.made();
            apart.clear();
            apart.reserve(neighbours.room());
            apart.extend_from_slice(neighbours.apart());
            normals.clear();
            normals.reserve(neighbours.room());
            normals.extend_from_slice(neighbours.normals());
        } else if listed_at.len() != start.len() {
            apart.fill(0.0);
        } else {
            note_drift(listed_at, start, drift);
            for (apart, pair) in apart.iter_mut().zip(pairs) {
                *apart -= pair.drift(drift);
            }
            // Where the last part ended, and was looked at, this one starts.
            if seen_at == start {
                for watched in watched.iter().filter(|watched| watched.gap.is_finite()) {
                    let k = watched.pair as usize;
                    (distance[k], apart[k]) = (watched.gap, watched.gap);
                }
            }
        }
        listed_at.clear();
        listed_at.extend_from_slice(start);
        watched_at.clear();
    }

    /// Lists the parts that come within reach on the way to `phi` or to places that bring them closer by no more than `margin`, m,
    /// and those that could be taken to meet.
    fn watch(&mut self, phi: &[DVec3], layers: &Layers, margin: f64) {
        let Self { neighbours, apart, watched, watched_at, closer, gone, .. } = self;
        *closer = 0.0;
        watched_at.clear();
        watched_at.extend_from_slice(phi);
        watched.clear();
        watched.reserve(neighbours.room());
        let farthest = gone.iter().copied().fold(0.0, f64::max);
        for (k, (pair, apart)) in neighbours.pairs().iter().zip(&*apart).enumerate() {
            let reach = layers.reach_of(pair.kind);
            // What is farther apart than its motion is long is not taken to meet.
            let most = 2.0 * farthest + f64::max(2.0 * farthest - reach, 0.0);
            if apart - most > reach + margin {
                continue;
            }
            let closest = apart - pair.drift(gone) - f64::max(pair.rise(gone) - reach, 0.0);
            if closest <= reach + margin {
                watched.push(Watched { pair: k as u32, felt: 0, gap: f64::NAN, closest, spare: 0.0 });
            }
        }
    }

    /// Notes that the nodes have moved, by less than would change what may touch.
    pub fn follow(&mut self, phi: &[DVec3]) {
        self.closer = closer_by(&self.watched_at, phi);
    }

    /// The watched pairs of a kind.
    pub fn of(&self, kind: Kind) -> Range<usize> {
        let pairs = self.neighbours.pairs();
        let edges = self.watched.partition_point(|watched| pairs[watched.pair as usize].kind == Kind::NodeFace);
        match kind {
            Kind::NodeFace => 0..edges,
            Kind::Edges => edges..self.watched.len(),
        }
    }

    /// Whether the parts of a watched pair push each other; `None` if they cannot have come within reach, nor crossed. To be asked once
    /// at every look, of every pair.
    pub fn may_matter(&mut self, index: usize, layers: &Layers) -> Option<bool> {
        let Self { neighbours, watched, drift, closer, looks, .. } = self;
        let watched = &mut watched[index];
        let pair = &neighbours.pairs()[watched.pair as usize];
        watched.gap = f64::NAN;
        if watched.spare > 0.0 {
            watched.spare -= pair.drift(drift);
        }
        let felt = watched.felt == *looks;
        let matters = watched.closest - *closer <= layers.reach_of(pair.kind) && watched.spare <= SURE;
        (matters || felt).then_some(felt)
    }

    /// How far apart a watched pair is in the mesh as given, m; infinite if it is not close along the cloth.
    pub fn usual(&mut self, index: usize, cloth: &Cloth) -> f64 {
        self.neighbours.usual(self.watched[index].pair as usize, cloth)
    }

    /// How those parts are to each other before and after the way that are left in doubt.
    pub fn glance_at(&mut self, kind: Kind, view: &IterateView, doubtful: &[Doubtful], meetings: &mut Vec<Meeting>) {
        let Self { neighbours, watched, apart, distance, gone, .. } = self;
        meetings.clear();
        for some in doubtful.chunks(LANES) {
            // The last one fills the lanes that are left.
            let numbers: [usize; LANES] =
                from_fn(|lane| watched[some[usize::min(lane, some.len() - 1)].index].pair as usize);
            let nodes = numbers.map(|k| neighbours.pairs()[k].nodes);
            let glances = glances(kind, &nodes, &numbers.map(|k| distance[k]), view.start, view.phi);
            for (k, glance) in numbers.into_iter().zip(glances).take(some.len()) {
                distance[k] = glance.distance;
                apart[k] = f64::max(apart[k], glance.distance);
                let pair = neighbours.pairs()[k];
                let travel_bound = pair.travel_bound(gone) + SURE;
                meetings.push(Meeting { pair, glance, travel_bound, usual: neighbours.usual(k, view.cloth) });
            }
        }
    }

    /// Notes what a look at a watched pair has found: how much closer it can come before it must be looked at again, m, and how
    /// the two are to each other.
    pub fn remember(&mut self, index: usize, spare: f64, approach: Option<&Approach>) {
        let Self { watched, normals, .. } = self;
        let watched = &mut watched[index];
        watched.spare = spare;
        if let Some(approach) = approach {
            watched.gap = if approach.crosses { f64::NAN } else { approach.gap };
            normals[watched.pair as usize] = if spare > 0.0 { approach.normal } else { DVec3::ZERO };
        }
    }

    /// Drops those that the direction in which they were apart shows to be farther apart than they need be, and not to have met on
    /// the way. Along it the parts are intervals; how far apart these are is concave in time, and least at an end of the way.
    pub fn drop_apart(&mut self, kind: Kind, view: &IterateView, doubtful: &mut Vec<Doubtful>) {
        let Self { neighbours, watched, normals, apart, distance, gone, .. } = self;
        let pairs = neighbours.pairs();
        let mut kept = 0;
        for first in (0..doubtful.len()).step_by(LANES) {
            let some = first..usize::min(first + LANES, doubtful.len());
            // The last one fills the lanes that are left.
            let number = |lane: usize| watched[doubtful[usize::min(first + lane, some.end - 1)].index].pair as usize;
            let numbers: [usize; LANES] = from_fn(number);
            let (nodes, directions) = (numbers.map(|k| pairs[k].nodes), numbers.map(|k| normals[k]));
            let partings = partings(kind, &nodes, &directions, view.start, view.phi);
            for ((n, k), Parting { first, last, travel }) in some.zip(numbers).zip(partings) {
                let Doubtful { index, near, .. } = doubtful[n];
                if normals[k] != DVec3::ZERO {
                    // What is known of the end is known of the start, but for the motion between, and of where the next part starts.
                    apart[k] = apart[k].max(first - SURE).max(last - pairs[k].drift(gone) - SURE);
                    let way = Way { distance: distance[k], travel, least: f64::min(first, last) };
                    watched[index].spare = f64::min(last - near, way.spare(first));
                    if watched[index].spare > SURE {
                        continue;
                    }
                }
                doubtful[kept] = doubtful[n];
                kept += 1;
            }
        }
        doubtful.truncate(kept);
    }

    /// Notes that two edges push each other: they are looked at every time, and from farther away than others.
    pub fn mark_felt(&mut self, edges: [usize; 4]) {
        let Self { neighbours, watched, looks, .. } = self;
        let edges = Pair { kind: Kind::Edges, nodes: edges.map(|i| i as u32) };
        // Both lists are in the order of pairs. What is not listed is not near.
        let pairs = neighbours.pairs();
        let Ok(pair) = pairs.binary_search(&edges) else { return };
        let pair = pair as u32;
        let index = watched.binary_search_by_key(&pair, |watched| watched.pair).unwrap_or_else(|index| {
            watched.insert(index, Watched { pair, felt: 0, gap: f64::NAN, closest: f64::NEG_INFINITY, spare: 0.0 });
            index
        });
        (watched[index].felt, watched[index].spare) = (*looks, 0.0);
    }

    /// Two parts that may have gone through each other on the way from `φⁿ` to `φ_j`, and their distance at the start, m: the check
    /// with `ω = 0`.
    pub fn passing(&self, view: &IterateView) -> Option<([usize; 2], f64)> {
        let rounding =
            ROUNDING * view.start.iter().chain(view.phi).fold(0.0, |size, x| f64::max(size, x.abs().max_element()));
        let pairs = self.neighbours.pairs();
        let near = |index: &usize| self.watched[*index].closest - self.closer <= rounding;
        for kind in [Kind::NodeFace, Kind::Edges] {
            let mut numbers = self.of(kind).filter(near).map(|index| self.watched[index].pair as usize);
            while let Some(first) = numbers.next() {
                // The last ones fill the lanes that are left with the first.
                let some: [Option<usize>; LANES] = from_fn(|lane| if lane == 0 { Some(first) } else { numbers.next() });
                let nodes = some.map(|k| pairs[k.unwrap_or(first)].nodes);
                let partings = partings(kind, &nodes, &[DVec3::ZERO; LANES], view.start, view.phi);
                let passed = some.into_iter().flatten().zip(partings).find_map(|(k, Parting { travel, .. })| {
                    let distance = self.passes(k, view, travel + rounding)?;
                    Some(([pairs[k].nodes[0] as usize, pairs[k].nodes[3] as usize], distance))
                });
                if passed.is_some() {
                    return passed;
                }
            }
        }
        None
    }

    /// The distance of a pair at the start of the part if its two parts, which come no closer than by `travel`, m, may have gone through
    /// each other.
    fn passes(&self, k: usize, view: &IterateView, travel: f64) -> Option<f64> {
        if self.apart[k] > travel {
            return None;
        }
        let pair = &self.neighbours.pairs()[k];
        let (from, to) = (pair.places(view.start), pair.places(view.phi));
        let distance = if self.distance[k].is_nan() { pair.kind.distance(&from) } else { self.distance[k] };
        let passes = distance <= travel
            && match pair.kind {
                Kind::NodeFace => ccd::node_face(&from, &to, 0.0).is_some(),
                Kind::Edges => ccd::edge_edge(&from, &to, 0.0).is_some(),
            };
        passes.then_some(distance)
    }

    /// The parts that are so near each other at `phi` that they have room in the matrix.
    pub fn with_room(&self, phi: &[DVec3]) -> impl Iterator<Item = &Pair> {
        let far = |pair: &Pair, normal: DVec3| {
            normal != DVec3::ZERO && pair.kind.separation(&pair.places(phi), normal) > self.room + SURE
        };
        let pairs = self.neighbours.pairs().iter().zip(&self.normals);
        pairs
            .filter(move |&(pair, &normal)| !far(pair, normal) && pair.kind.distance(&pair.places(phi)) < self.room)
            .map(|(pair, _)| pair)
    }
}

/// The way of two parts from the start of a part of a step to an iterate.
pub(super) struct Way {
    /// Their distance at the start, m; not a number if it is not known.
    pub distance: f64,
    /// How much closer the way brings them at most, m.
    pub travel: f64,
    /// How close they come on it at least, m.
    pub least: f64,
}

impl Way {
    /// How much farther nodes can go, m, before two parts could be taken to meet that are at least `apart` at the start, m: before
    /// that the way is too short for them to meet, or leaves them far enough apart.
    pub fn spare(&self, apart: f64) -> f64 {
        let short = (apart - self.travel) / FARTHER;
        let not_long = (LONG * self.distance - self.travel) / FARTHER;
        let clear = f64::min(self.least - CLEAR * self.distance, not_long);
        // Of a distance that is not known nothing follows.
        if clear > short { clear } else { short }
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places() -> impl Strategy<Value = [DVec3; 4]> {
        prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_has_way_to_spare_is_not_taken_to_meet(
            from in places(), way in places(), more in places(), size in 0.01..1.0f64, known in any::<bool>(),
        ) {
            for kind in [Kind::NodeFace, Kind::Edges] {
                let to = std::array::from_fn(|k| from[k] + way[k] * size);
                let (distance, travel) = (kind.distance(&from), kind.travel(&from, &to));
                let approach = kind.approach(&from, &to, distance, travel);
                let least = 0.5 * (distance + approach.gap - travel);
                let told = Way { distance: if known { distance } else { f64::NAN }, travel, least };
                let spare = told.spare(distance);
                if approach.crosses || spare <= SURE {
                    continue;
                }
                // All nodes go on, by as much as there is to spare for the two parts together.
                let pair = Pair { kind, nodes: [0, 1, 2, 3] };
                let used = spare / pair.drift(&more.map(DVec3::length));
                let onwards = std::array::from_fn(|k| to[k] + more[k] * used);
                let travel = kind.travel(&from, &onwards);
                prop_assert!(!kind.approach(&from, &onwards, distance, travel).crosses, "{kind:?}: {spare}");
            }
        }
    }
}
