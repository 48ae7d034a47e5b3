//! A cylinder with round ends.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::sphere::arc;
use super::{Implicit, Inertia, Near, Outline, Spine, Tip, length_fault, polar};

/// All that is within a radius of a segment on the z axis of its frame: a finger, a rail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// Radius, m.
    pub radius: f64,
    /// Half the length of the segment, m: the body reaches from `−half_length − radius` to `half_length + radius`.
    pub half_length: f64,
}

impl Capsule {
    /// A capsule of this radius about a segment of twice this half length, m.
    pub fn new(radius: f64, half_length: f64) -> Self {
        Self { radius, half_length }
    }
}

impl Implicit for Capsule {
    fn near(&self, point: DVec3) -> Near {
        // Not `clamp`, which panics when the ends are the wrong way round.
        let foot = point.z.min(self.half_length).max(-self.half_length);
        let (distance, normal) = polar(point - DVec3::Z * foot, DVec3::X);
        Near { gap: distance - self.radius, normal }
    }

    fn tips(&self, _low: DVec3, _high: DVec3, tips: &mut Vec<Tip>) {
        tips.extend([-1.0, 1.0].into_iter().enumerate().map(|(name, end)| {
            let outward = DVec3::Z * end;
            Tip { name, place: outward * self.half_length, radius: self.radius, roundness: self.radius, outward }
        }));
    }

    fn spines(&self, _reach: f64, spines: &mut Vec<Spine>) {
        spines.push(Spine { ends: [-1.0, 1.0].map(|end| DVec3::Z * (end * self.half_length)), depth: self.radius });
    }

    fn reach(&self) -> f64 {
        self.radius + self.half_length
    }

    fn inertia(&self) -> Option<Inertia> {
        let (radius, half) = (self.radius, self.half_length);
        // Of a cylinder and two half balls, whose centres are ⅜ r beyond its ends.
        let (wall, ball) = (2.0 * half, 4.0 / 3.0 * radius);
        let square = radius * radius;
        let along = 0.5 * wall * square + 0.4 * ball * square;
        let ends = ball * (0.4 * square + half * half + 0.75 * half * radius);
        let across = wall * (0.25 * square + half * half / 3.0) + ends;
        let moments = DMat3::from_diagonal(DVec3::new(across, across, along) / (wall + ball));
        Some(Inertia { mass: 1.0, centre: DVec3::ZERO, moments })
    }

    fn outline(&self, _extent: f64) -> Outline {
        let mut profile = arc(self.radius, -self.half_length, -PI / 2.0, 0.0);
        profile.extend(arc(self.radius, self.half_length, 0.0, PI / 2.0));
        Outline::revolved(&profile)
    }

    fn fault(&self) -> Option<String> {
        length_fault("radius", self.radius).or_else(|| length_fault("half length", self.half_length))
    }
}
