//! Which parts of the cloth may touch in a part of a step.

use glam::DVec3;

use super::cloth::Layers;
use super::detect::IterateView;
use crate::collide::{Approach, Kind, Neighbours, Pair, ccd};

/// Of the thickness: how far nodes may move before the parts that may touch are listed anew.
const MARGIN: f64 = 0.25;

/// Distances are compared with the motion that could bring them to nothing: what rounding can have taken from either, of the size
/// of the coordinates.
const ROUNDING: f64 = 1e-13;

/// m. What is saved by not looking must not change what is found: bounds of distances count from here on, beyond rounding.
const SURE: f64 = 1e-12;

/// The parts of the cloth that are near each other in the part of a step at hand. All of it is found anew where it does not fit
/// the step: nothing depends on the steps before.
#[derive(Default)]
pub(super) struct Meetings {
    /// Parts that may come near each other, in this step and maybe the next ones.
    neighbours: Neighbours,
    /// Their distances at the start of the part, m, or less where they are not known: what is far away need not be looked at. Which
    /// list of theirs these are of, and where the nodes were, m.
    apart: Vec<f64>,
    known: Vec<bool>,
    listed: usize,
    listed_at: Vec<DVec3>,
    /// Which of them may touch in this part as long as no node leaves the place it had, m, by more than a margin; and by how much
    /// they can have come closer since.
    watched: Vec<Watched>,
    watched_at: Vec<DVec3>,
    closer: f64,
    /// Where the nodes were when `Watched::spare` was right, m.
    seen_at: Vec<DVec3>,
    /// Parts closer than this have room in the matrix, m.
    room: f64,
    /// How far every node has moved, but for what all have moved, m.
    drift: Vec<f64>,
}

/// Two parts that are watched.
#[derive(Clone, Copy)]
struct Watched {
    pair: u32,
    /// How close they could have come when they were listed, m.
    closest: f64,
    /// How much closer they can come before they must be looked at again, m.
    spare: f64,
    /// The direction in which they were apart when they were last looked at; zero if they were not.
    normal: DVec3,
    /// Whether they push each other.
    felt: bool,
}

/// Two parts that may touch.
#[derive(Clone, Copy)]
pub(super) struct Meeting {
    pub pair: Pair,
    /// Their distance at the start of the part, m.
    pub distance: f64,
    /// How close they can have come, m.
    pub closest: f64,
    /// Whether they push each other.
    pub felt: bool,
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
        let IterateView { cloth, start, phi, .. } = *view;
        self.room = layers.room;
        self.neighbours.update(cloth, start, phi, f64::max(layers.room, layers.reach));
        if self.listed != self.neighbours.made() || self.listed_at != *start {
            self.begin(start);
        }
        let margin = 4.0 * MARGIN * layers.thickness;
        self.closer = closer_by(&self.watched_at, phi);
        if self.watched_at.len() == phi.len() && self.closer <= margin {
            self.use_up_spare(phi);
        } else {
            self.watch(start, phi, layers.reach + margin);
        }
        self.seen_at.clear();
        self.seen_at.extend_from_slice(phi);
    }

    /// Bounds the distances at the start of a part by those that were known before, less what the nodes have moved since.
    fn begin(&mut self, start: &[DVec3]) {
        let Self { neighbours, apart, known, listed, listed_at, watched_at, drift, .. } = self;
        known.clear();
        // As many as the list has room for, so that steps allocate nothing.
        known.reserve(neighbours.room());
        known.resize(neighbours.pairs().len(), false);
        if *listed != neighbours.made() || listed_at.len() != start.len() {
            *listed = neighbours.made();
            apart.clear();
            apart.reserve(neighbours.room());
            apart.resize(neighbours.pairs().len(), 0.0);
        } else {
            note_drift(listed_at, start, drift);
            for (apart, pair) in apart.iter_mut().zip(neighbours.pairs()) {
                *apart -= pair.drift(drift);
            }
        }
        listed_at.clear();
        listed_at.extend_from_slice(start);
        watched_at.clear();
    }

    /// Lists the parts that come within `reach`, m, on the way from `start` to `phi`.
    fn watch(&mut self, start: &[DVec3], phi: &[DVec3], reach: f64) {
        let Self { neighbours, apart, known, watched, watched_at, closer, drift, .. } = self;
        *closer = 0.0;
        watched_at.clear();
        watched_at.extend_from_slice(phi);
        note_drift(start, phi, drift);
        watched.clear();
        watched.reserve(neighbours.room());
        for (k, pair) in neighbours.pairs().iter().enumerate() {
            let near = reach + pair.drift(drift);
            if apart[k] > near {
                continue;
            }
            let from = pair.places(start);
            if !std::mem::replace(&mut known[k], true) {
                apart[k] = pair.kind.distance(&from);
                if apart[k] > near {
                    continue;
                }
            }
            let closest = apart[k] - pair.kind.travel(&from, &pair.places(phi));
            if closest <= reach {
                watched.push(Watched { pair: k as u32, closest, spare: 0.0, normal: DVec3::ZERO, felt: false });
            }
        }
    }

    /// Takes what the nodes have moved since the last look from what the watched parts can come closer.
    fn use_up_spare(&mut self, phi: &[DVec3]) {
        let Self { neighbours, watched, seen_at, drift, .. } = self;
        note_drift(seen_at, phi, drift);
        for watched in watched.iter_mut() {
            watched.felt = false;
            if watched.spare > 0.0 {
                watched.spare -= neighbours.pairs()[watched.pair as usize].drift(drift);
            }
        }
    }

    /// Notes that the nodes have moved, by less than would change what may touch.
    pub fn follow(&mut self, phi: &[DVec3]) {
        self.closer = closer_by(&self.watched_at, phi);
    }

    /// How many pairs are watched, nodes and faces before edges.
    pub fn len(&self) -> usize {
        self.watched.len()
    }

    /// Whether a watched pair may have come within `reach`, m, or may have crossed.
    pub fn may_matter(&self, index: usize, reach: f64) -> bool {
        let watched = &self.watched[index];
        watched.closest - self.closer <= reach && watched.spare <= SURE
    }

    /// One of the watched pairs.
    pub fn get(&self, index: usize) -> Meeting {
        let Watched { pair, closest, felt, .. } = self.watched[index];
        let k = pair as usize;
        Meeting {
            pair: self.neighbours.pairs()[k],
            distance: self.apart[k],
            closest: closest - self.closer,
            felt,
            usual: self.neighbours.usual(k),
        }
    }

    /// Notes what a look at a watched pair has found: how much closer it can come before it must be looked at again, m, and how
    /// the two are to each other.
    pub fn remember(&mut self, index: usize, spare: f64, approach: Option<&Approach>) {
        let watched = &mut self.watched[index];
        watched.spare = spare;
        watched.normal = approach.filter(|approach| !approach.crosses).map_or(DVec3::ZERO, |approach| approach.normal);
    }

    /// Whether the direction in which a watched pair was apart shows that it is farther apart than `near`, m, and has been apart all
    /// the way. Along it the parts are intervals; how far apart these are is concave in time, and least at an end of the way.
    pub fn stay_apart(&mut self, index: usize, view: &IterateView, near: f64) -> bool {
        let watched = &mut self.watched[index];
        if watched.normal == DVec3::ZERO {
            return false;
        }
        let pair = &self.neighbours.pairs()[watched.pair as usize];
        let [first, last] = [view.start, view.phi].map(|x| pair.kind.separation(&pair.places(x), watched.normal));
        watched.spare = f64::min(last - near, f64::min(first, last));
        watched.spare > SURE
    }

    /// Notes that two edges push each other.
    pub fn mark_felt(&mut self, edges: [usize; 4]) {
        let Self { neighbours, watched, .. } = self;
        let edges = Pair { kind: Kind::Edges, nodes: edges };
        // The list is in the order of pairs.
        if let Ok(k) = watched.binary_search_by_key(&edges, |watched| neighbours.pairs()[watched.pair as usize]) {
            // What pushes is looked at every time.
            (watched[k].felt, watched[k].spare) = (true, 0.0);
        }
    }

    /// Two parts that may have gone through each other on the way from `φⁿ` to `φ_j`, and their distance at the start, m: the check
    /// with `ω = 0`.
    pub fn passing(&self, view: &IterateView) -> Option<([usize; 2], f64)> {
        let rounding =
            ROUNDING * view.start.iter().chain(view.phi).fold(0.0, |size, x| f64::max(size, x.abs().max_element()));
        let passes = |meeting: &Meeting| {
            let pair = &meeting.pair;
            let (from, to) = (pair.places(view.start), pair.places(view.phi));
            meeting.distance <= pair.kind.travel(&from, &to) + rounding
                && match pair.kind {
                    Kind::NodeFace => ccd::node_face(&from, &to, 0.0).is_some(),
                    Kind::Edges => ccd::edge_edge(&from, &to, 0.0).is_some(),
                }
        };
        let near = |meeting: &Meeting| meeting.closest <= rounding;
        let found = (0..self.len()).map(|k| self.get(k)).filter(near).find(passes)?;
        Some(([found.pair.nodes[0], found.pair.nodes[3]], found.distance))
    }

    /// The parts that are so near each other at `phi` that they have room in the matrix.
    pub fn with_room(&self, phi: &[DVec3]) -> impl Iterator<Item = &Pair> {
        self.neighbours.pairs().iter().filter(|pair| pair.kind.distance(&pair.places(phi)) < self.room)
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
