//! Values at times, and what is between them: of places, of angles, of poses.

use glam::DVec3;

/// How a value runs between two keyframes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Interpolation {
    /// Straight, at constant speed.
    #[default]
    Linear,
    /// Straight, starting and ending at rest: `3s² − 2s³`.
    Smooth,
}

/// A value that keyframes can be of.
pub trait Interpolate: Clone {
    /// The value a fraction `s` of the way to another, `0 ≤ s ≤ 1`.
    fn between(&self, to: &Self, s: f64) -> Self;
}

impl Interpolate for DVec3 {
    fn between(&self, to: &Self, s: f64) -> Self {
        self.lerp(*to, s)
    }
}

impl Interpolate for f64 {
    fn between(&self, to: &Self, s: f64) -> Self {
        // As for vectors.
        self * (1.0 - s) + to * s
    }
}

/// Given values at given times; the first holds before, the last after.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes<T> {
    /// Times, s, strictly increasing.
    pub times: Vec<f64>,
    /// Values, one per time; extra entries of either are ignored.
    pub values: Vec<T>,
    /// What happens in between.
    pub interpolation: Interpolation,
}

impl<T> Keyframes<T> {
    /// At constant speed from each value to the next.
    pub fn linear(times: impl Into<Vec<f64>>, values: impl Into<Vec<T>>) -> Self {
        Self { times: times.into(), values: values.into(), interpolation: Interpolation::Linear }
    }

    /// At rest at every keyframe.
    pub fn smooth(times: impl Into<Vec<f64>>, values: impl Into<Vec<T>>) -> Self {
        Self { interpolation: Interpolation::Smooth, ..Self::linear(times, values) }
    }

    /// What is wrong with the times, if anything, and how to fix it; `what` is what messages call the values.
    pub(crate) fn fault(&self, what: &str) -> Option<String> {
        let (times, keys) = (&self.times, self.values.len());
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
}

impl<T: Interpolate> Keyframes<T> {
    /// The value at time `t`, s; `None` without keyframes.
    pub fn at(&self, t: f64) -> Option<T> {
        let count = self.times.len().min(self.values.len());
        let (times, values) = (&self.times[..count], &self.values[..count]);
        let next = times.partition_point(|&time| time <= t);
        if next == 0 || next == count {
            return values.get(next.saturating_sub(1)).cloned();
        }
        let s = (t - times[next - 1]) / (times[next] - times[next - 1]);
        let s = if self.interpolation == Interpolation::Smooth { smoothstep(s) } else { s };
        Some(values[next - 1].between(&values[next], s))
    }
}

/// `3s² − 2s³`.
pub(super) fn smoothstep(s: f64) -> f64 {
    s * s * (3.0 - 2.0 * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_holds_before_and_the_last_after() {
        let keys = Keyframes::linear([1.0, 2.0, 4.0], [10.0, 20.0, 0.0]);
        let at = [0.0, 1.0, 1.25, 2.0, 3.0, 4.0, 9.0].map(|t| keys.at(t));
        assert_eq!(at, [10.0, 10.0, 12.5, 20.0, 10.0, 0.0, 0.0].map(Some));
        assert_eq!(Keyframes::smooth([0.0, 1.0], [DVec3::ZERO, DVec3::X]).at(0.25), Some(DVec3::X * (5.0 / 32.0)));
    }

    #[test]
    fn extra_entries_are_ignored() {
        assert_eq!(Keyframes::linear([0.0, 1.0, 2.0], [1.0, 3.0]).at(5.0), Some(3.0));
        assert_eq!(Keyframes::linear([0.0], [1.0, 3.0]).at(5.0), Some(1.0));
        assert_eq!(Keyframes::<f64>::linear([], [1.0]).at(0.0), None);
    }
}
