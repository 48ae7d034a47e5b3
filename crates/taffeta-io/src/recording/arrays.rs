//! The arrays that have a row for every frame.

use glam::DVec3;
use taffeta::GripReading;

use super::Frame;
use super::folder::{
    CLEARANCE, CONTACT_FRICTION, CONTACT_NORMAL, GRIPPERS, HELD, HELD_FORCE, OBSTACLE_POSE, POSITIONS, TENSION, TIMES,
    VELOCITIES,
};
use crate::npy::Dtype;

/// Numbers of a pose: x, y, z and the quaternion's w, x, y, z.
pub(super) const POSE: usize = 7;

/// What grippers feel: the fields of `grippers.npy`, as [`GripReading`] has them.
pub const GRIP_FIELDS: [&str; 12] = [
    "opening_m",
    "normal_a_N",
    "normal_b_N",
    "tangential_x_N",
    "tangential_y_N",
    "tangential_z_N",
    "torque_x_N_m",
    "torque_y_N_m",
    "torque_z_N_m",
    "slip_m",
    "layers",
    "lag_m",
];

/// The values of these fields.
pub(super) fn grip_numbers(reading: &GripReading) -> [f64; GRIP_FIELDS.len()] {
    let GripReading { opening, normal_force: [a, b], tangential_force: f, torque: m, slip, layers, lag } = *reading;
    [opening, a, b, f.x, f.y, f.z, m.x, m.y, m.z, slip, layers as f64, lag]
}

/// How much of everything a frame has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub nodes: usize,
    pub obstacles: usize,
    pub grippers: usize,
}

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
    Grippers,
}

/// In the order in which they are made and flushed; the three before the last are there if the scene has obstacles, the last if it has
/// grippers.
const ALL: [Array; 11] = [
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
    Array::Grippers,
];

impl Array {
    /// The arrays of a recording with so much of everything.
    pub fn of(counts: Counts) -> &'static [Array] {
        match counts {
            Counts { obstacles: 0, .. } => &ALL[..7],
            Counts { grippers: 0, .. } => &ALL[..10],
            _ => &ALL,
        }
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
            Array::Grippers => GRIPPERS,
        }
    }

    /// What its items are.
    pub fn dtype(self) -> Dtype {
        match self {
            Array::Held => Dtype::Bool,
            Array::Grippers => Dtype::record(&GRIP_FIELDS),
            _ => Dtype::F64,
        }
    }

    /// The shape of a row.
    pub fn shape(self, counts: Counts) -> Vec<usize> {
        let Counts { nodes, obstacles, grippers } = counts;
        match self {
            Array::Times => Vec::new(),
            Array::Held | Array::Tension | Array::Clearance => vec![nodes],
            Array::ObstaclePose => vec![obstacles, POSE],
            Array::Grippers => vec![grippers],
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
            (Array::Grippers, Some(world)) => world.grips.iter().flat_map(grip_numbers).for_each(&mut number),
            (Array::ContactNormal | Array::ContactFriction | Array::ObstaclePose | Array::Grippers, None) => {}
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
