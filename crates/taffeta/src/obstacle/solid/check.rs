//! What a mesh must be to enclose a solid.

use std::collections::HashMap;

use glam::DVec3;

use super::SolidError;

/// Areas and volumes below this fraction of what the sizes allow are none: rounding makes as much.
const NOTHING: f64 = 1e-12;

/// For each triangle and side, from corner k to corner k + 1, the triangle on its other side. Refuses meshes that are
/// not closed and consistently oriented.
pub(super) fn neighbours(positions: &[DVec3], triangles: &[[usize; 3]]) -> Result<Vec<[usize; 3]>, SolidError> {
    if triangles.is_empty() {
        return Err(SolidError::Empty);
    }
    // Products of three lengths are finite up to here.
    let usable = |position: &DVec3| position.abs().max_element() <= 1e60 && !position.is_nan();
    if let Some(index) = positions.iter().position(|position| !usable(position)) {
        return Err(SolidError::UnusableCoordinate { index, position: positions[index] });
    }
    // Only looked up, never walked, so that its order is of no consequence.
    let mut owners = HashMap::with_capacity(3 * triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&index| index >= positions.len()) {
            return Err(SolidError::OutOfRange { triangle, index, count: positions.len() });
        }
        let [a, b, c] = corners.map(|corner| positions[corner]);
        let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
        let doubled_area = (b - a).cross(c - a).length();
        if doubled_area <= NOTHING * longest {
            return Err(SolidError::NoArea { triangle });
        }
        for [from, to] in sides(corners) {
            if let Some(first) = owners.insert([from, to], triangle) {
                return Err(SolidError::Inconsistent { first, second: triangle, from, to });
            }
        }
    }
    let across = |triangle: usize, [from, to]: [usize; 2]| {
        owners.get(&[to, from]).copied().ok_or(SolidError::Open { triangle, from, to })
    };
    let mut neighbours = Vec::with_capacity(triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        let [first, second, third] = sides(corners);
        neighbours.push([across(triangle, first)?, across(triangle, second)?, across(triangle, third)?]);
    }
    Ok(neighbours)
}

fn sides(&[a, b, c]: &[usize; 3]) -> [[usize; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// Whether a closed mesh faces inward: its volume is negative. Refuses volumes that are none.
pub(super) fn is_inside_out(positions: &[DVec3], triangles: &[[usize; 3]]) -> Result<bool, SolidError> {
    let corners = || triangles.iter().map(|corners| corners.map(|corner| positions[corner]));
    let low = corners().flatten().fold(DVec3::INFINITY, DVec3::min);
    let high = corners().flatten().fold(DVec3::NEG_INFINITY, DVec3::max);
    // Seen from a corner of its box, so that a solid far from the origin loses no digits.
    let volume: f64 = corners().map(|[a, b, c]| (a - low).dot((b - low).cross(c - low))).sum();
    if volume.abs() > NOTHING * (high - low).length().powi(3) { Ok(volume < 0.0) } else { Err(SolidError::NoVolume) }
}
