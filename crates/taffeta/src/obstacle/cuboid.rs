//! A box.

use glam::{DMat3, DVec3};

use super::{Implicit, Inertia, Near, Outline, Spine, Tip, length_fault, polar};

/// A box along the axes of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Where its centre is in its frame, m.
    pub centre: DVec3,
    /// Half its sizes, m.
    pub half_extents: DVec3,
}

impl Cuboid {
    /// A box of twice these half extents, m, about the origin of its frame.
    pub fn new(half_extents: DVec3) -> Self {
        Self { centre: DVec3::ZERO, half_extents }
    }

    /// A table: a slab of these sizes, m, whose top is centred at the origin of its frame.
    pub fn table(size_x: f64, size_y: f64, thickness: f64) -> Self {
        Self {
            centre: DVec3::new(0.0, 0.0, -0.5 * thickness),
            half_extents: 0.5 * DVec3::new(size_x, size_y, thickness),
        }
    }
}

impl Implicit for Cuboid {
    fn near(&self, point: DVec3) -> Near {
        let point = point - self.centre;
        // How far the point is beyond each pair of faces; inside all are negative and the largest is the nearest face.
        let beyond = point.abs() - self.half_extents;
        let face = beyond.max_position();
        let face_normal = DVec3::AXES[face].copysign(point);
        let outside = beyond.max(DVec3::ZERO);
        if outside == DVec3::ZERO {
            return Near { gap: beyond[face], normal: face_normal };
        }
        let (gap, normal) = polar(outside.copysign(point), face_normal);
        Near { gap, normal }
    }

    fn clearance(&self, point: DVec3) -> f64 {
        let beyond = (point - self.centre).abs() - self.half_extents;
        let outside = beyond.max(DVec3::ZERO);
        if outside == DVec3::ZERO { beyond.max_element() } else { outside.length().min(f64::MAX) }
    }

    fn tips(&self, _low: DVec3, _high: DVec3, tips: &mut Vec<Tip>) {
        tips.extend((0..8).map(|name| {
            let outward = corner(name);
            Tip {
                name,
                place: self.centre + self.half_extents * outward,
                radius: 0.0,
                roundness: 0.0,
                outward: outward.normalize(),
            }
        }));
    }

    fn spines(&self, _reach: f64, spines: &mut Vec<Spine>) {
        // The rectangle whose points are as far from the surface as any.
        let depth = self.half_extents.min_element();
        let half = self.half_extents - depth;
        let thin = self.half_extents.min_position();
        let (u, v) = (DVec3::AXES[(thin + 1) % 3] * half, DVec3::AXES[(thin + 2) % 3] * half);
        let corners = [u + v, v - u, -u - v, u - v].map(|corner| self.centre + corner);
        let sides = corners.into_iter().zip(corners.into_iter().cycle().skip(1));
        spines.extend(sides.map(|(from, to)| Spine { ends: [from, to], depth }));
    }

    fn reach(&self) -> f64 {
        (self.centre.abs() + self.half_extents).length()
    }

    fn inertia(&self) -> Option<Inertia> {
        let DVec3 { x, y, z } = self.half_extents * self.half_extents;
        let moments = DMat3::from_diagonal(DVec3::new(y + z, z + x, x + y) / 3.0);
        Some(Inertia { mass: 1.0, centre: self.centre, moments })
    }

    fn outline(&self, _extent: f64) -> Outline {
        let place = |name| self.centre + self.half_extents * corner(name);
        // Corners are numbered by their sides: bit 0 for x, 1 for y, 2 for z.
        let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        Outline {
            positions: (0..8).map(place).collect(),
            triangles: faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        }
    }

    fn fault(&self) -> Option<String> {
        if !self.centre.is_finite() {
            return Some(format!("its centre is at {}: give finite coordinates", self.centre));
        }
        let axes = [("half extent in x", 0), ("half extent in y", 1), ("half extent in z", 2)];
        axes.into_iter().find_map(|(what, k)| length_fault(what, self.half_extents[k]))
    }
}

/// The signs of the coordinates of a corner.
fn corner(name: usize) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|bit| if name >> bit & 1 == 1 { 1.0 } else { -1.0 }))
}
