//! How a body moves through the world.

use glam::{DQuat, DVec3};

use super::Pose;
use crate::motion::{Keyframes, Turn};

/// Where a body is at every time.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Where it is before it travels.
    pub start: Pose,
    /// What happens then.
    pub travel: Travel,
}

/// A way to move.
#[derive(Clone, Debug, PartialEq)]
pub enum Travel {
    /// Not at all.
    Still,
    /// At constant speed for some time, at rest before and after.
    Uniform {
        /// Velocity of the body's origin, m/s.
        velocity: DVec3,
        /// Angular velocity about the body's origin, rad/s, along axes of the world.
        angular_velocity: DVec3,
        /// When it begins, s.
        from: f64,
        /// When it ends, s; infinity for never.
        until: f64,
    },
    /// About a fixed axis of the world.
    Turn(Turn),
    /// Given poses in the world at given times; they replace [`Motion::start`].
    Keyframes(Keyframes<Pose>),
}

impl Motion {
    /// No motion.
    pub fn still(start: Pose) -> Self {
        Self { start, travel: Travel::Still }
    }

    /// The pose at time `t`, s. A motion that [`Obstacle::fault`](super::Obstacle::fault) objects to does what it can,
    /// which may be nothing.
    pub fn at(&self, t: f64) -> Pose {
        match &self.travel {
            Travel::Still => self.start,
            Travel::Uniform { velocity, angular_velocity, from, until } => {
                // Not `clamp`, which panics when the ends are the wrong way round.
                let elapsed = t.min(*until).max(*from) - from;
                let turn = DQuat::from_scaled_axis(*angular_velocity * elapsed);
                Pose::new(turn * self.start.rotation, self.start.translation + *velocity * elapsed)
            }
            Travel::Turn(turn) => {
                let rotation = turn.rotation_at(t);
                self.start.then(&Pose::new(rotation, turn.through - rotation * turn.through))
            }
            Travel::Keyframes(poses) => poses.at(t).unwrap_or(self.start),
        }
    }

    /// What is wrong with the motion, if anything, and how to fix it.
    pub(crate) fn fault(&self) -> Option<String> {
        if let Some(fault) = self.start.fault() {
            return Some(format!("the pose at the start {fault}"));
        }
        match &self.travel {
            Travel::Still => None,
            Travel::Uniform { velocity, angular_velocity, from, until } => {
                if !velocity.is_finite() || !angular_velocity.is_finite() {
                    Some("a velocity is not finite: give finite ones, 0 for none".into())
                } else if !from.is_finite() || until.is_nan() || until < from {
                    Some(format!(
                        "the motion is from {from} to {until} s: give a finite beginning and an end that is not before it"
                    ))
                } else {
                    None
                }
            }
            Travel::Turn(turn) => turn.fault(),
            Travel::Keyframes(poses) => poses.fault("poses").or_else(|| {
                let mut faults = poses.values.iter().map(Pose::fault).enumerate();
                faults.find_map(|(k, fault)| Some(format!("pose {k} of the keyframes {}", fault?)))
            }),
        }
    }
}
