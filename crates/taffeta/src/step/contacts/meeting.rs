//! Which parts of the cloth may touch in a part of a step.

use glam::DVec3;

use super::cloth::Layers;
use super::detect::Sight;
use crate::collide::{Kind, Neighbours, Pair, ccd};

/// Of the thickness: how far nodes may move before the parts that may touch are listed anew.
const MARGIN: f64 = 0.25;

/// Distances are compared with the motion that could bring them to nothing: what rounding can have taken from either, of the size
/// of the coordinates.
const ROUNDING: f64 = 1e-13;

/// The parts of the cloth that are near each other in the part of a step at hand. All of it is found anew where it does not fit
/// the step: nothing depends on the steps before.
#[derive(Default)]
pub(super) struct Meetings {
    /// Parts that may come near each other, in this step and maybe the next ones.
    neighbours: Neighbours,
    /// Their distances at the start of the part, m; which list of theirs these are of, and where the nodes were, m.
    apart: Vec<f64>,
    listed: usize,
    listed_at: Vec<DVec3>,
    /// Which of them may touch in this part as long as no node leaves the place it had, m, by more than a margin; how close they
    /// could have come by then, m; and by how much they can have come closer since.
    meeting: Vec<(u32, f64)>,
    meeting_at: Vec<DVec3>,
    closer: f64,
    /// Parts closer than this have room in the matrix, m.
    room: f64,
    /// How far every node has moved in this part, but for what all have moved, m.
    drift: Vec<f64>,
}

/// Two parts that may touch.
pub(super) struct Meeting<'a> {
    pub pair: &'a Pair,
    /// Their distance at the start of the part, m.
    pub distance: f64,
    /// How close they can have come, m.
    pub closest: f64,
    /// Their distance in the mesh as given, m; infinite if they are not close along the cloth.
    pub usual: f64,
}

impl Meetings {
    /// Nothing touches: the cloth is not to meet itself.
    pub fn forget(&mut self) {
        self.room = 0.0;
        self.listed_at.clear();
        self.meeting.clear();
        self.meeting_at.clear();
    }

    /// Lists the parts of the cloth that may touch on the way from `φⁿ` to `φ_j`, and maybe more.
    pub fn list(&mut self, sight: &Sight, layers: &Layers) {
        let Self { neighbours, apart, listed, listed_at, meeting, meeting_at, closer, drift, room } = self;
        let Sight { cloth, start, phi, .. } = *sight;
        *room = layers.room;
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
        let reach = layers.reach + margin;
        for (k, (pair, &distance)) in neighbours.pairs().iter().zip(&*apart).enumerate() {
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
    pub fn follow(&mut self, phi: &[DVec3]) {
        self.closer = closer_by(&self.meeting_at, phi);
    }

    /// The parts that may have come within `reach` (m), nodes and faces before edges.
    pub fn within(&self, reach: f64) -> impl Iterator<Item = Meeting<'_>> {
        let near = self.meeting.iter().map(|&(k, closest)| (k as usize, closest - self.closer));
        near.filter(move |(_, closest)| *closest <= reach).map(|(k, closest)| Meeting {
            pair: &self.neighbours.pairs()[k],
            distance: self.apart[k],
            closest,
            usual: self.neighbours.usual(k),
        })
    }

    /// Two parts that may have gone through each other on the way from `φⁿ` to `φ_j`, and their distance at the start, m: the check
    /// with `ω = 0`.
    pub fn passing(&self, sight: &Sight) -> Option<([usize; 2], f64)> {
        let rounding =
            ROUNDING * sight.start.iter().chain(sight.phi).fold(0.0, |size, x| f64::max(size, x.abs().max_element()));
        let passes = |meeting: &Meeting| {
            let pair = meeting.pair;
            let (from, to) = (pair.places(sight.start), pair.places(sight.phi));
            meeting.distance <= pair.kind.travel(&from, &to) + rounding
                && match pair.kind {
                    Kind::NodeFace => ccd::node_face(&from, &to, 0.0).is_some(),
                    Kind::Edges => ccd::edge_edge(&from, &to, 0.0).is_some(),
                }
        };
        let found = self.within(rounding).find(passes)?;
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
