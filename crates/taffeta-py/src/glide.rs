//! Ways from one place to another, in some steps: what is moved from outside never jumps.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta::obstacle::{Motion, Pose, Travel};
use taffeta::{Interpolate, Interpolation, Keyframes};

/// A way from one value to another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Glide<T> {
    from: T,
    to: T,
    /// When it begins and ends, s.
    times: [f64; 2],
    interpolation: Interpolation,
}

impl<T: Interpolate + Copy> Glide<T> {
    /// No way at all.
    pub fn resting(at: T) -> Self {
        Self { from: at, to: at, times: [0.0; 2], interpolation: Interpolation::Linear }
    }

    /// The way that begins and ends at these times, s.
    pub fn new(from: T, to: T, times: [f64; 2], interpolation: Interpolation) -> Self {
        Self { from, to, times, interpolation }
    }

    /// Where it is at a time, s.
    pub fn at(&self, time: f64) -> T {
        let [begin, end] = self.times;
        if time >= end {
            return self.to;
        } else if time <= begin {
            return self.from;
        }
        let s = (time - begin) / (end - begin);
        let smooth = self.interpolation == Interpolation::Smooth;
        self.from.between(&self.to, if smooth { s * s * (3.0 - 2.0 * s) } else { s })
    }
}

impl Glide<DVec3> {
    /// Whether all of its numbers are such as a way has.
    pub fn is_sound(&self) -> bool {
        self.from.is_finite() && self.to.is_finite() && self.times.iter().all(|time| time.is_finite())
    }
}

impl Glide<Pose> {
    /// The same as a motion of a body.
    pub fn motion(&self) -> Motion {
        let [begin, end] = self.times;
        if end <= begin {
            return Motion::still(self.to);
        }
        let keyframes =
            Keyframes { times: vec![begin, end], values: vec![self.from, self.to], interpolation: self.interpolation };
        Motion { start: self.from, travel: Travel::Keyframes(keyframes) }
    }
}
