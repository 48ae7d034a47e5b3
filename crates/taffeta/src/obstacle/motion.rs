//! How a body moves through the world.

use glam::{DQuat, DVec3};

use super::Pose;
use crate::motion::{Interpolation, smoothstep};

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
    /// About a fixed axis, by any number of revolutions.
    Turn {
        /// Direction of the axis in the world, right-handed, of any length but 0.
        axis: DVec3,
        /// A point of the world on the axis, m.
        through: DVec3,
        /// Times, s, strictly increasing.
        times: Vec<f64>,
        /// How far the body is turned from its start at these times, rad; the first holds before, the last after.
        angles: Vec<f64>,
        /// What happens in between.
        interpolation: Interpolation,
    },
    /// Given poses at given times; the first holds before, the last after.
    Keyframes {
        /// Times, s, strictly increasing.
        times: Vec<f64>,
        /// Poses in the world, one per time; they replace [`Motion::start`].
        poses: Vec<Pose>,
        /// What happens in between.
        interpolation: Interpolation,
    },
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
            Travel::Turn { axis, through, times, angles, interpolation } => {
                let Some((&from, &to, s)) = segment(times, angles, *interpolation, t) else { return self.start };
                let Some(axis) = axis.try_normalize() else { return self.start };
                let turn = DQuat::from_axis_angle(axis, from + s * (to - from));
                self.start.then(&Pose::new(turn, *through - turn * *through))
            }
            Travel::Keyframes { times, poses, interpolation } => match segment(times, poses, *interpolation, t) {
                Some((from, to, s)) => from.between(to, s),
                None => self.start,
            },
        }
    }

    /// What is wrong with the motion, if anything, and how to mend it.
    pub(super) fn fault(&self) -> Option<String> {
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
            Travel::Turn { axis, through, times, angles, .. } => {
                if axis.try_normalize().is_none() || !through.is_finite() {
                    Some(format!(
                        "the axis of the turn is {axis} through {through}: give a direction that is not zero and a finite point"
                    ))
                } else if let Some(angle) = angles.iter().find(|angle| !angle.is_finite()) {
                    Some(format!("an angle of the turn is {angle}: give finite angles in rad"))
                } else {
                    times_fault(times, angles.len(), "angles")
                }
            }
            Travel::Keyframes { times, poses, .. } => times_fault(times, poses.len(), "poses").or_else(|| {
                let mut faults = poses.iter().map(Pose::fault).enumerate();
                faults.find_map(|(k, fault)| Some(format!("pose {k} of the keyframes {}", fault?)))
            }),
        }
    }
}

/// The keys before and after time `t` and how far it is between them; at the ends both are the same.
fn segment<'a, T>(times: &[f64], keys: &'a [T], interpolation: Interpolation, t: f64) -> Option<(&'a T, &'a T, f64)> {
    let count = times.len().min(keys.len());
    let last = count.checked_sub(1)?;
    let next = times[..count].partition_point(|&time| time <= t);
    if next == 0 {
        return Some((&keys[0], &keys[0], 0.0));
    }
    if next == count {
        return Some((&keys[last], &keys[last], 0.0));
    }
    let s = (t - times[next - 1]) / (times[next] - times[next - 1]);
    let s = if interpolation == Interpolation::Smooth { smoothstep(s) } else { s };
    Some((&keys[next - 1], &keys[next], s))
}

/// What is wrong with the times of a motion with so many keys.
fn times_fault(times: &[f64], keys: usize, what: &str) -> Option<String> {
    if times.is_empty() || times.len() != keys {
        return Some(format!(
            "the motion has {} times and {keys} {what}: give as many of each, at least one",
            times.len()
        ));
    }
    if let Some(time) = times.iter().find(|time| !time.is_finite()) {
        return Some(format!("a time of the motion is {time}: give finite times in s"));
    }
    let k = times.windows(2).position(|pair| pair[1] <= pair[0])?;
    Some(format!(
        "time {} of the motion is {} s, after {} s: sort the times and give no time twice",
        k + 1,
        times[k + 1],
        times[k]
    ))
}
