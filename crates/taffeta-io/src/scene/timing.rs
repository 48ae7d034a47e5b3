//! How many steps a scene has, and how many of them a frame.

use super::SceneError;
use super::document::Origin;
use super::number::positive;
use super::schema::Settings;

/// More steps than this are a mistake in the units.
const MOST_STEPS: f64 = 1e9;

/// The slack for multiples of dt, as a share of it: decimal fractions are not exact.
const SLACK: f64 = 1e-6;

/// The steps of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timing {
    pub steps: u64,
    pub steps_per_frame: u64,
}

impl Timing {
    pub fn new(settings: &Settings, origin: &Origin) -> Result<Self, SceneError> {
        let dt = settings.dt_s;
        positive(origin, "dt_s", dt)?;
        let frame_interval = settings.frame_interval_s.unwrap_or(dt);
        Ok(Self {
            steps: multiple(origin, "duration_s", settings.duration_s, dt)?,
            steps_per_frame: multiple(origin, "frame_interval_s", frame_interval, dt)?,
        })
    }
}

/// How many steps a time takes.
fn multiple(origin: &Origin, key: &str, time: f64, dt: f64) -> Result<u64, SceneError> {
    positive(origin, key, time)?;
    let count = (time / dt).round();
    if count > MOST_STEPS {
        let why = format!("is {time} s, which is more than {MOST_STEPS:e} steps of {dt} s");
        return Err(origin.fault(key, why));
    }
    if count < 1.0 || (time - count * dt).abs() > SLACK * dt {
        let nearest = decimal(count.max(1.0) * dt);
        let why = format!("is {time}, which is not a multiple of dt_s = {dt}: use {nearest}");
        return Err(origin.fault(key, why));
    }
    Ok(count as u64)
}

/// A number without the noise in its last digits.
fn decimal(value: f64) -> f64 {
    format!("{value:.12e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_found_despite_rounding_and_others_are_refused_with_the_nearest() {
        let origin = Origin::default();
        assert_eq!(multiple(&origin, "t", 0.3, 0.1).unwrap(), 3);
        assert_eq!(multiple(&origin, "t", 3.0, 0.01).unwrap(), 300);
        assert_eq!(multiple(&origin, "t", 1e4, 1e-3).unwrap(), 10_000_000);
        let refusal = multiple(&origin, "t", 0.32, 0.1).unwrap_err().to_string();
        assert!(refusal.ends_with("use 0.3"), "{refusal}");
        let refusal = multiple(&origin, "t", 0.001, 0.01).unwrap_err().to_string();
        assert!(refusal.ends_with("use 0.01"), "{refusal}");
    }
}
