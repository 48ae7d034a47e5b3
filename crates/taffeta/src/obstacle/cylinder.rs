//! A cylinder with flat ends, or without ends.

use std::f64::consts::TAU;

use glam::{DMat3, DVec2, DVec3};

use super::{Implicit, Inertia, Near, Outline, Spine, Tip, length_fault, polar};

/// Points of a rim that are told of: half a radius apart, so that a face on two of them enters the end hardly at all.
const RIM: usize = 12;

/// A cylinder about the z axis of its frame: a roller, a bar, a pipe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// Radius, m.
    pub radius: f64,
    /// Half the length, m; infinity for a cylinder without ends.
    pub half_length: f64,
}

impl Cylinder {
    /// A cylinder of this radius and twice this half length, m.
    pub fn new(radius: f64, half_length: f64) -> Self {
        Self { radius, half_length }
    }
}

impl Implicit for Cylinder {
    fn near(&self, point: DVec3) -> Near {
        let (distance, outwards) = polar(point.truncate().extend(0.0), DVec3::X);
        let upwards = DVec3::Z.copysign(DVec3::splat(point.z));
        // How far the point is beyond the wall and beyond the end.
        let beyond = DVec2::new(distance - self.radius, point.z.abs() - self.half_length);
        if beyond.x > 0.0 && beyond.y > 0.0 {
            let (gap, normal) = polar(outwards * beyond.x + upwards * beyond.y, outwards);
            Near { gap, normal }
        } else if beyond.x >= beyond.y {
            Near { gap: beyond.x, normal: outwards }
        } else {
            Near { gap: beyond.y, normal: upwards }
        }
    }

    fn tips(&self, _low: DVec3, _high: DVec3, tips: &mut Vec<Tip>) {
        if self.half_length == f64::INFINITY {
            return;
        }
        tips.extend((0..2 * RIM).map(|name| {
            let outwards = DVec2::from_angle(TAU * (name % RIM) as f64 / RIM as f64);
            let end = if name < RIM { -1.0 } else { 1.0 };
            Tip {
                name,
                place: (self.radius * outwards).extend(end * self.half_length),
                radius: 0.0,
                roundness: self.radius,
                outward: outwards.extend(end).normalize(),
            }
        }));
    }

    fn spines(&self, reach: f64, spines: &mut Vec<Spine>) {
        let (radius, half) = (self.radius, self.half_length);
        if half >= radius {
            let end = DVec3::Z * f64::min(half - radius, reach);
            spines.push(Spine { ends: [-end, end], depth: radius });
        } else {
            // A disc: a polygon in its middle, with corners as far from the rim as from the ends.
            let corner = |k: usize| ((radius - half) * DVec2::from_angle(TAU * k as f64 / RIM as f64)).extend(0.0);
            spines.extend((0..RIM).map(|k| Spine { ends: [corner(k), corner(k + 1)], depth: half }));
        }
    }

    fn reach(&self) -> f64 {
        self.radius.hypot(self.half_length)
    }

    fn inertia(&self) -> Option<Inertia> {
        let (square, length) = (self.radius * self.radius, 2.0 * self.half_length);
        let across = 0.25 * square + length * length / 12.0;
        let moments = DMat3::from_diagonal(DVec3::new(across, across, 0.5 * square));
        (length < f64::INFINITY).then_some(Inertia { mass: 1.0, centre: DVec3::ZERO, moments })
    }

    fn outline(&self, extent: f64) -> Outline {
        if self.half_length == f64::INFINITY {
            return Outline::revolved(&[(self.radius, -extent), (self.radius, extent)]);
        }
        let [low, high] = [-self.half_length, self.half_length];
        Outline::revolved(&[(0.0, low), (self.radius, low), (self.radius, high), (0.0, high)])
    }

    fn fault(&self) -> Option<String> {
        let ends = || length_fault("half length", self.half_length).filter(|_| self.half_length != f64::INFINITY);
        length_fault("radius", self.radius).or_else(ends)
    }
}
