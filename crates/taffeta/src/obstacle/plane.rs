//! The half-space below a plane.

use glam::DVec3;

use super::{Implicit, Near, Outline};

/// The half-space z ≤ 0 of its frame: a floor, or a wall when turned.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Plane;

impl Implicit for Plane {
    fn near(&self, point: DVec3) -> Near {
        Near { gap: point.z, normal: DVec3::Z }
    }

    fn is_flat(&self) -> bool {
        true
    }

    fn outline(&self, extent: f64) -> Outline {
        Outline::graph(extent, 1, |_, _| 0.0)
    }
}
