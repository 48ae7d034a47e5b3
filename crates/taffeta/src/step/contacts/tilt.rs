//! Faces that tilt where something round presses them.
//!
//! A ball whose centre is at the distance `D` from a face touches it at the foot of the perpendicular. Where the face tilts by a small slope
//! `s` the foot moves by `D s`, and the distance is `D (1 − |s|²/2)` to second order: the term `−γ ∇²d` of the curvature of the contact is
//! `γ D ∇s ∇sᵀ`, which is never negative. Of a light cloth that is pressed hard it outweighs the inertia, and without it iterates tilt to and
//! fro, each time farther. It has no force at the iterate, so that in a program it is two rows with the value 0 and the compliance `1/(γD)`.

use glam::DVec3;

use super::detect::Touch;
use crate::qp::{Bounds, RowSet, Side};

/// Of the mass of a touch: what adds less needs no rows.
const SLIGHT: f64 = 0.05;

/// The tilt of a face in a program.
pub(super) struct Tilt {
    nodes: [usize; 3],
    /// The change of the slope along two directions with the place of each node, 1/m.
    gradients: [[DVec3; 3]; 2],
    /// `1/(γD)`, 1/(kg m²).
    compliance: f64,
}

impl Tilt {
    /// That of a touch of something round with a face, if it matters.
    pub fn of(touch: &Touch, gamma: f64, phi: &[DVec3]) -> Option<Self> {
        let stiffness = gamma * touch.centre_distance;
        let &[i, j, k] = touch.stencil.nodes() else { return None };
        if stiffness <= 0.0 {
            return None;
        }
        let gradients = slopes_of_face([i, j, k].map(|i| phi[i]));
        let steepest = gradients.iter().flatten().map(|gradient| gradient.length_squared()).fold(0.0, f64::max);
        let matters = stiffness * steepest > SLIGHT * touch.mass && steepest.is_finite();
        matters.then_some(Self { nodes: [i, j, k], gradients, compliance: 1.0 / stiffness })
    }

    /// Adds its rows to a program.
    pub fn add_rows(&self, rows: &mut RowSet, sides: &mut Vec<Side>) {
        for gradient in self.gradients {
            rows.push(Bounds::Equality, 0.0, self.compliance, self.nodes.into_iter().zip(gradient));
            sides.push(Side::Within);
        }
    }
}

/// How the slope of a plane through three corners, along it in two directions, changes with the place of each, 1/m.
fn slopes_of_face([a, b, c]: [DVec3; 3]) -> [[DVec3; 3]; 2] {
    let (u, v) = (b - a, c - a);
    let double_area = u.cross(v).length();
    let normal = u.cross(v) / double_area;
    let (of_b, of_c) = (v.cross(normal) / double_area, normal.cross(u) / double_area);
    let slopes = [-of_b - of_c, of_b, of_c];
    let along = u.normalize();
    [along, normal.cross(along)].map(|direction| slopes.map(|slope| normal * slope.dot(direction)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_a_face_is_that_of_its_plane() {
        let corners = [DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.5, 0.1, 0.2), DVec3::new(0.2, 0.6, 0.4)];
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
        let along = (corners[1] - corners[0]).normalize();
        for (direction, gradient) in [along, normal.cross(along)].into_iter().zip(slopes_of_face(corners)) {
            // Corners that move along the normal by a linear function of the place, and across it by anything.
            let moves = |x: DVec3| normal * (0.3 * direction.dot(x) - 0.7) + direction * x.x;
            let slope: f64 = gradient.iter().zip(corners).map(|(g, x)| g.dot(moves(x))).sum();
            assert!((slope - 0.3).abs() < 1e-12, "{slope}");
        }
    }
}
