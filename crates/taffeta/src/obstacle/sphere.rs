//! A ball.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::{Implicit, Inertia, Near, Outline, Spine, Tip, length_fault, polar};

/// A ball about the origin of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Radius, m.
    pub radius: f64,
}

impl Sphere {
    /// A ball of this radius, m.
    pub fn new(radius: f64) -> Self {
        Self { radius }
    }
}

impl Implicit for Sphere {
    fn near(&self, point: DVec3) -> Near {
        let (distance, normal) = polar(point, DVec3::Z);
        Near { gap: distance - self.radius, normal }
    }

    fn tips(&self, _low: DVec3, _high: DVec3, tips: &mut Vec<Tip>) {
        tips.push(Tip { name: 0, place: DVec3::ZERO, radius: self.radius, roundness: self.radius, outward: DVec3::Z });
    }

    fn spines(&self, _reach: f64, spines: &mut Vec<Spine>) {
        spines.push(Spine { ends: [DVec3::ZERO; 2], depth: self.radius });
    }

    fn reach(&self) -> f64 {
        self.radius
    }

    fn inertia(&self) -> Option<Inertia> {
        let moments = DMat3::from_diagonal(DVec3::splat(0.4 * self.radius * self.radius));
        Some(Inertia { mass: 1.0, centre: DVec3::ZERO, moments })
    }

    fn outline(&self, _extent: f64) -> Outline {
        Outline::revolved(&arc(self.radius, 0.0, -PI / 2.0, PI / 2.0))
    }

    fn fault(&self) -> Option<String> {
        length_fault("radius", self.radius)
    }
}

/// The profile of a part of a ball whose centre is at height `z`, between two latitudes, rad.
pub(super) fn arc(radius: f64, z: f64, from: f64, to: f64) -> Vec<(f64, f64)> {
    let steps = 12;
    let latitude = |k: usize| from + (to - from) * k as f64 / steps as f64;
    let place = |angle: f64| {
        // The cosine of π/2 is not quite 0, and a pole must be on the axis.
        let r = if angle.abs() == PI / 2.0 { 0.0 } else { radius * angle.cos() };
        (r, z + radius * angle.sin())
    };
    (0..=steps).map(|k| place(latitude(k))).collect()
}
