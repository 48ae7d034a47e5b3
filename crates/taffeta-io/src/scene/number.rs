//! Numbers that must be in a range.

use super::SceneError;
use super::document::Origin;

pub(super) fn finite(origin: &Origin, key: &str, value: f64) -> Result<(), SceneError> {
    demand(origin, key, value, value.is_finite(), "a finite number")
}

pub(super) fn positive(origin: &Origin, key: &str, value: f64) -> Result<(), SceneError> {
    let fine = value.is_finite() && value > 0.0;
    demand(origin, key, value, fine, "a positive number")
}

pub(super) fn not_negative(origin: &Origin, key: &str, value: f64) -> Result<(), SceneError> {
    let fine = value.is_finite() && value >= 0.0;
    demand(origin, key, value, fine, "0 or a positive number")
}

pub(super) fn finite_vector(origin: &Origin, key: &str, vector: &[f64; 3]) -> Result<(), SceneError> {
    vector.iter().try_for_each(|&component| finite(origin, key, component))
}

fn demand(origin: &Origin, key: &str, value: f64, fine: bool, rule: &str) -> Result<(), SceneError> {
    if fine { Ok(()) } else { Err(origin.fault(key, format!("is {value}: it must be {rule}"))) }
}
