//! The arrays that have a row for every frame.

use glam::DVec3;

use super::Frame;
use super::folder::{
    CLEARANCE, CONTACT_FRICTION, CONTACT_NORMAL, HELD, HELD_FORCE, OBSTACLE_POSE, POSITIONS, TENSION, TIMES, VELOCITIES,
};
use crate::npy::Dtype;

/// Numbers of a pose: x, y, z and the quaternion's w, x, y, z.
pub(super) const POSE: usize = 7;

/// Such an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Array {
    Positions,
    Times,
    Held,
    Velocities,
    HeldForce,
    Tension,
    Clearance,
    ContactNormal,
    ContactFriction,
    ObstaclePose,
}

/// In the order in which they are made and flushed; the last three are there if the scene has obstacles.
const ALL: [Array; 10] = [
    Array::Positions,
    Array::Times,
    Array::Held,
    Array::Velocities,
    Array::HeldForce,
    Array::Tension,
    Array::Clearance,
    Array::ContactNormal,
    Array::ContactFriction,
    Array::ObstaclePose,
];

impl Array {
    /// The arrays of a recording with so many obstacles.
    pub fn of(obstacles: usize) -> &'static [Array] {
        if obstacles == 0 { &ALL[..7] } else { &ALL }
    }

    /// The file it is in.
    pub fn file(self) -> &'static str {
        match self {
            Array::Times => TIMES,
            Array::Held => HELD,
            Array::Positions => POSITIONS,
            Array::Velocities => VELOCITIES,
            Array::HeldForce => HELD_FORCE,
            Array::Tension => TENSION,
            Array::Clearance => CLEARANCE,
            Array::ContactNormal => CONTACT_NORMAL,
            Array::ContactFriction => CONTACT_FRICTION,
            Array::ObstaclePose => OBSTACLE_POSE,
        }
    }

    /// What its items are.
    pub fn dtype(self) -> Dtype {
        if self == Array::Held { Dtype::Bool } else { Dtype::F64 }
    }

    /// The shape of a row.
    pub fn shape(self, nodes: usize, obstacles: usize) -> Vec<usize> {
        match self {
            Array::Times => Vec::new(),
            Array::Held | Array::Tension | Array::Clearance => vec![nodes],
            Array::ObstaclePose => vec![obstacles, POSE],
            _ => vec![nodes, 3],
        }
    }

    /// Puts its row of a frame behind what is there.
    pub fn put(self, frame: &Frame, bytes: &mut Vec<u8>) {
        let mut number = |x: f64| bytes.extend_from_slice(&x.to_le_bytes());
        let mut vectors = |vectors: &[DVec3]| vectors.iter().flat_map(DVec3::to_array).for_each(&mut number);
        match (self, &frame.world) {
            (Array::Positions, _) => vectors(frame.positions),
            (Array::Velocities, _) => vectors(frame.velocities),
            (Array::HeldForce, _) => vectors(frame.node_forces.held_forces),
            (Array::ContactNormal, Some(world)) => vectors(world.normal_forces),
            (Array::ContactFriction, Some(world)) => vectors(world.friction_forces),
            (Array::ObstaclePose, Some(world)) => world.poses.iter().for_each(|pose| {
                let ([x, y, z], [qx, qy, qz, qw]) = (pose.translation.to_array(), pose.rotation.to_array());
                [x, y, z, qw, qx, qy, qz].into_iter().for_each(&mut number);
            }),
            (Array::ContactNormal | Array::ContactFriction | Array::ObstaclePose, None) => {}
            (Array::Times, _) => number(frame.time_s),
            (Array::Tension, _) => frame.node_forces.tensions.iter().copied().for_each(number),
            // What is written is finite.
            (Array::Clearance, _) => {
                frame.node_forces.clearances.iter().map(|gap| gap.min(NOTHING_NEAR)).for_each(number)
            }
            (Array::Held, _) => bytes.extend(frame.held.iter().map(|&held| u8::from(held))),
        }
    }
}

/// The gap that is recorded where nothing is near, m: recordings hold finite numbers only.
pub const NOTHING_NEAR: f64 = 1e9;
