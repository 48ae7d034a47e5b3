//! A stick: a chain of segments with a radius.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::sphere::arc;
use super::{Implicit, Near, Outline, Spine, Tip, length_fault, polar};

/// All that is within a radius of a chain of segments: a stick, a wire, a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct Stick {
    points: Arc<[DVec3]>,
    radius: f64,
}

impl Stick {
    /// A stick through these points of its frame, m, with this radius, m.
    pub fn new(points: impl Into<Arc<[DVec3]>>, radius: f64) -> Self {
        Self { points: points.into(), radius }
    }

    /// A straight stick of this length, m, along the x axis of its frame, its middle at the origin: the paper's.
    pub fn straight(length: f64, radius: f64) -> Self {
        Self::new([DVec3::X * (-0.5 * length), DVec3::X * (0.5 * length)], radius)
    }

    fn segments(&self) -> impl Iterator<Item = [DVec3; 2]> + '_ {
        self.points.windows(2).map(|ends| [ends[0], ends[1]])
    }
}

/// The point of a segment nearest to a point. A segment without a length is the point it has.
fn foot([a, b]: [DVec3; 2], point: DVec3) -> DVec3 {
    let along = b - a;
    let part = ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    a + along * if part.is_nan() { 0.0 } else { part }
}

impl Implicit for Stick {
    fn near(&self, point: DVec3) -> Near {
        let farther = |segment: &[DVec3; 2], other: &[DVec3; 2]| {
            let [one, other] = [segment, other].map(|&segment| foot(segment, point).distance_squared(point));
            one.total_cmp(&other)
        };
        let Some(nearest) = self.segments().min_by(farther) else {
            return Near { gap: f64::INFINITY, normal: DVec3::Z };
        };
        let offset = point - foot(nearest, point);
        let across = || (nearest[1] - nearest[0]).try_normalize().unwrap_or(DVec3::X).any_orthonormal_vector();
        let (distance, normal) = if offset == DVec3::ZERO { (0.0, across()) } else { polar(offset, DVec3::X) };
        Near { gap: distance - self.radius, normal }
    }

    fn clearance(&self, point: DVec3) -> f64 {
        let squares = self.segments().map(|segment| foot(segment, point).distance_squared(point));
        // Rounded down, and finite far out, where squares are not.
        (squares.fold(f64::MAX, f64::min).sqrt() * (1.0 - 1e-15)) - self.radius
    }

    fn tips(&self, _low: DVec3, _high: DVec3, tips: &mut Vec<Tip>) {
        let middle = self.points.iter().sum::<DVec3>() / self.points.len() as f64;
        tips.extend(self.points.iter().enumerate().map(|(name, &place)| {
            let outward = (place - middle).normalize_or(DVec3::Z);
            Tip { name, place, radius: self.radius, roundness: self.radius, outward }
        }));
    }

    fn spines(&self, _reach: f64, spines: &mut Vec<Spine>) {
        spines.extend(self.segments().map(|ends| Spine { ends, depth: self.radius }));
    }

    fn reach(&self) -> f64 {
        self.points.iter().map(|point| point.length()).fold(0.0, f64::max) + self.radius
    }

    fn outline(&self, _extent: f64) -> Outline {
        let mut whole = Outline::default();
        for [a, b] in self.segments() {
            let half = 0.5 * a.distance(b);
            let mut profile = arc(self.radius, -half, -PI / 2.0, 0.0);
            profile.extend(arc(self.radius, half, 0.0, PI / 2.0));
            let turn = DQuat::from_rotation_arc(DVec3::Z, (b - a).normalize_or(DVec3::Z));
            let piece = Outline::revolved(&profile);
            let first = whole.positions.len();
            whole.positions.extend(piece.positions.iter().map(|&p| 0.5 * (a + b) + turn * p));
            whole.triangles.extend(piece.triangles.iter().map(|triangle| triangle.map(|i| i + first)));
        }
        whole
    }

    fn fault(&self) -> Option<String> {
        if self.points.len() < 2 {
            return Some(format!("it has {} points: give two or more", self.points.len()));
        }
        if let Some(k) = self.points.iter().position(|point| !point.is_finite()) {
            return Some(format!("point {k} of it is at {}: give finite coordinates", self.points[k]));
        }
        length_fault("radius", self.radius)
    }
}
