//! The field of spikes of the paper.

mod nearest;

use std::f64::consts::PI;

use glam::DVec3;

use super::{Implicit, Near, Outline, Tip};

/// Half waves from the origin beyond which spikes are not told apart.
const FAR: f64 = 1e6;

/// All that is below `c₁ c₂ z = sin(c₁ x) sin(c₁ y)`: an egg box when flat, a bed of nails when steep.
///
/// Spikes and pits are `1/(c₁ c₂)` high and deep, `√2 π/c₁` from their neighbours, and the steepest slope is `1/c₂`. The
/// paper's are 67 cm high and 22 cm apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EggBox {
    /// `c₁`: wave number, 1/m.
    pub c1: f64,
    /// `c₂`: one over the steepest slope.
    pub c2: f64,
}

impl Default for EggBox {
    /// The paper's: `c₁` = 20 1/m, `c₂` = 0.075.
    fn default() -> Self {
        Self { c1: 20.0, c2: 0.075 }
    }
}

impl EggBox {
    /// Spikes of wave number `c1`, 1/m, and steepest slope `1/c2`.
    pub fn new(c1: f64, c2: f64) -> Self {
        Self { c1, c2 }
    }

    /// A point with lengths times `c₁`. Squares and phases overflow far out, where one place is as good as another.
    fn scaled(&self, point: DVec3) -> DVec3 {
        (self.c1 * point).clamp(DVec3::splat(-1e100), DVec3::splat(1e100))
    }

    /// `c₁ c₂ z − sin(c₁ x) sin(c₁ y)`: zero on the surface, positive above.
    pub(super) fn value(&self, point: DVec3) -> f64 {
        let scaled = self.scaled(point);
        self.c2 * scaled.z - scaled.x.sin() * scaled.y.sin()
    }
}

impl Implicit for EggBox {
    fn near(&self, point: DVec3) -> Near {
        let near = nearest::near(self.scaled(point), 1.0 / self.c2);
        Near { gap: near.gap / self.c1, ..near }
    }

    /// The larger of two bounds: the value over its largest gradient `c₁ √(1 + c₂²)`, and the distance to the plane
    /// that touches the spikes.
    fn clearance(&self, point: DVec3) -> f64 {
        let steepest = self.c1 * self.c2.hypot(1.0);
        (self.value(point) / steepest).max(point.z - 1.0 / (self.c1 * self.c2))
    }

    /// The spikes, where `sin(c₁ x)` and `sin(c₁ y)` are both 1 or both −1. They are as round as `c₂/c₁` at the top and wider
    /// than that ball below.
    fn tips(&self, low: DVec3, high: DVec3, tips: &mut Vec<Tip>) {
        let (height, roundness) = (1.0 / (self.c1 * self.c2), self.c2 / self.c1);
        let range = |low: f64, high: f64| {
            let count = |x: f64| (self.c1 * x / PI - 0.5).clamp(-FAR, FAR);
            (count(low).ceil() as i64, count(high).floor() as i64)
        };
        let ((k_low, k_high), (l_low, l_high)) = (range(low.x, high.x), range(low.y, high.y));
        if low.z > height || high.z < height - roundness {
            return;
        }
        for k in k_low..=k_high {
            for l in (l_low..=l_high).filter(|l| (k - l) % 2 == 0) {
                let [x, y] = [k, l].map(|count| (count as f64 + 0.5) * PI / self.c1);
                let place = DVec3::new(x, y, height - roundness);
                // Both counts are within FAR of 0.
                let name = ((k + FAR as i64) * (2 * FAR as i64 + 1) + l + FAR as i64) as usize;
                tips.push(Tip { name, place, radius: roundness, roundness, outward: DVec3::Z });
            }
        }
    }

    fn outline(&self, extent: f64) -> Outline {
        // Twelve cells per half wave draw a spike; more than 400 a side draw nothing that can be seen.
        let cells = (2.0 * extent * self.c1 / PI * 12.0).ceil().clamp(1.0, 400.0) as usize;
        Outline::graph(extent, cells, |x, y| (self.c1 * x).sin() * (self.c1 * y).sin() / (self.c1 * self.c2))
    }

    fn fault(&self) -> Option<String> {
        // The search of the nearest point is tested up to slopes of 100; walls of 7000 were seen to defeat it.
        if !(self.c1 > 0.0 && self.c1.is_finite()) {
            Some(format!("its c1 is {} 1/m: give a positive, finite wave number", self.c1))
        } else if !(0.01..=100.0).contains(&self.c2) {
            Some(format!("its c2 is {}: give one over the steepest slope, from 0.01 to 100", self.c2))
        } else {
            None
        }
    }
}
