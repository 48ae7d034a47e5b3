//! Values at times.

use glam::DVec3;
use taffeta::{Interpolation, Path};

use super::SceneError;
use super::document::Origin;
use super::number::{finite, finite_vector};
use super::schema::{InterpolationName, Vector};

/// Refuses times that are not finite or not in order.
pub(super) fn check_times(times: &[f64], table: &str, origin: &Origin) -> Result<(), SceneError> {
    let key = format!("{table}.times_s");
    times.iter().try_for_each(|&time| finite(origin, &key, time))?;
    match times.windows(2).find(|pair| pair[0] >= pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let why = format!("has {} s after {} s: each time must be later than the one before", pair[1], pair[0]);
            Err(origin.fault(&key, why))
        }
    }
}

/// Refuses more or fewer values than times, and none.
pub(super) fn check_count(
    count: usize,
    times: usize,
    key: &str,
    what: &str,
    table: &str,
    origin: &Origin,
) -> Result<(), SceneError> {
    if count == times && count > 0 {
        return Ok(());
    }
    let why =
        format!("has {count} {what} for the {times} times of {table}.times_s: give one for each, and at least one");
    Err(origin.fault(&format!("{table}.{key}"), why))
}

/// How a path runs between keyframes.
pub(super) fn interpolation(name: Option<InterpolationName>) -> Interpolation {
    match name {
        Some(InterpolationName::Smooth) => Interpolation::Smooth,
        _ => Interpolation::Linear,
    }
}

/// A path through the vectors of a key.
pub(super) fn path(
    times: &[f64],
    vectors: &[Vector],
    name: Option<InterpolationName>,
    key: &str,
    table: &str,
    origin: &Origin,
) -> Result<Path, SceneError> {
    check_times(times, table, origin)?;
    check_count(vectors.len(), times.len(), key, "vectors", table, origin)?;
    vectors.iter().try_for_each(|vector| finite_vector(origin, &format!("{table}.{key}"), vector))?;
    Ok(Path::Keyframes {
        times: times.to_vec(),
        places: vectors.iter().copied().map(DVec3::from_array).collect(),
        interpolation: interpolation(name),
    })
}
