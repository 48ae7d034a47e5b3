//! The field of spikes of the paper.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::LazyLock;

use glam::{DMat2, DVec2, DVec3, Vec2Swizzles};

use super::{Implicit, Near, Outline, Tip};

/// Steps of the grid, along π/2, from which the nearest point is sought.
const GRID: usize = 8;

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
        let scaled = self.scaled(point);
        let (foot, fold) = Fold::of(scaled.truncate());
        let search = Search { slope: 1.0 / self.c2, point: foot.extend(scaled.z) };
        let nearest = search.nearest();
        let slopes = search.slopes(&nearest);
        let normal = DVec3::new(-slopes.x, -slopes.y, 1.0).normalize();
        let offset = search.point - nearest.place.extend(search.height(&nearest));
        // The component along the normal is exact to second order in what the foot is short of the nearest one.
        let distance = offset.dot(normal).abs() / self.c1;
        Near {
            gap: if search.is_above() { distance } else { -distance },
            normal: fold.undo(normal.truncate()).extend(normal.z),
        }
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

/// How a point was mirrored into the wedge |y| ≤ x ≤ π/2, lengths times c₁. The surface is its own mirror image in the
/// planes of the wedge, so that the point of it nearest to a point of the wedge is in the wedge, and one wedge stands
/// for all.
struct Fold {
    mirrored: bool,
    swapped: bool,
    turned: bool,
}

impl Fold {
    fn of(phases: DVec2) -> (DVec2, Fold) {
        let (x, x_odd) = from_multiple(phases.x);
        let (y, y_odd) = from_multiple(phases.y);
        let mirrored = x_odd != y_odd;
        let foot = DVec2::new(if mirrored { -x } else { x }, y);
        let swapped = foot.y.abs() > foot.x.abs();
        let foot = if swapped { foot.yx() } else { foot };
        let turned = foot.x < 0.0;
        (if turned { -foot } else { foot }, Fold { mirrored, swapped, turned })
    }

    /// A direction in the wedge, where the point was.
    fn undo(&self, direction: DVec2) -> DVec2 {
        let direction = if self.turned { -direction } else { direction };
        let direction = if self.swapped { direction.yx() } else { direction };
        DVec2::new(if self.mirrored { -direction.x } else { direction.x }, direction.y)
    }
}

/// A phase as its distance from the nearest multiple of π, and whether that multiple is odd.
fn from_multiple(phase: f64) -> (f64, bool) {
    let phase = phase.rem_euclid(TAU);
    let multiple = (phase / PI).round();
    (phase - PI * multiple, multiple == 1.0)
}

/// A foot in the plane, lengths times c₁, with all that is needed of its phases.
#[derive(Clone, Copy)]
struct Foot {
    place: DVec2,
    sines: DVec2,
    cosines: DVec2,
}

impl Foot {
    fn at(place: DVec2) -> Self {
        let ((sx, cx), (sy, cy)) = (place.x.sin_cos(), place.y.sin_cos());
        Self { place, sines: DVec2::new(sx, sy), cosines: DVec2::new(cx, cy) }
    }
}

/// The search for the point of `z = slope · sin x sin y` that is nearest to a point of the wedge.
struct Search {
    slope: f64,
    point: DVec3,
}

impl Search {
    fn own_foot(&self) -> Foot {
        Foot::at(self.point.truncate())
    }

    fn is_above(&self) -> bool {
        self.point.z >= self.height(&self.own_foot())
    }

    fn height(&self, foot: &Foot) -> f64 {
        self.slope * foot.sines.x * foot.sines.y
    }

    fn slopes(&self, foot: &Foot) -> DVec2 {
        self.slope * foot.cosines * foot.sines.yx()
    }

    /// Half the squared distance from the point to the surface over a foot.
    fn energy(&self, foot: &Foot) -> f64 {
        0.5 * (foot.place - self.point.truncate()).length_squared() + 0.5 * (self.height(foot) - self.point.z).powi(2)
    }

    /// The foot of the nearest point: the best of Newton's iterations from the point's own foot and from the best of a
    /// grid, towards the spike and towards the pit. Newton's iteration never goes up, so that the distance is at worst
    /// about that of the grid.
    fn nearest(&self) -> Foot {
        let starts = self.grid_starts().map(|start| self.descend(self.levelled(start)));
        let own = self.descend(self.own_foot());
        starts.into_iter().fold(own, |best, foot| if self.energy(&foot) < self.energy(&best) { foot } else { best })
    }

    /// The best feet of a grid, one with y > 0 and one with y ≤ 0. As the point is outside of the body below the
    /// surface (or of the one above), it is as far from the surface as from that body, and that is what the grid is
    /// compared by: on a steep wall the columns of the body say where the wall is, when the corners of the surface are
    /// far up and down.
    fn grid_starts(&self) -> [DVec2; 2] {
        static SINES: LazyLock<[f64; GRID + 1]> = LazyLock::new(|| std::array::from_fn(|k| phase(k).sin()));
        let sines = &*SINES;
        let above = self.is_above();
        let mut best = [(f64::INFINITY, DVec2::ZERO); 2];
        for i in 0..=GRID {
            for j in 0..=i {
                for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                    let foot = DVec2::new(phase(i), sign * phase(j));
                    let short = self.point.z - self.slope * sines[i] * sign * sines[j];
                    let short = if above { short.max(0.0) } else { short.min(0.0) };
                    let energy = foot.distance_squared(self.point.truncate()) + short * short;
                    if energy < best[side].0 {
                        best[side] = (energy, foot);
                    }
                }
            }
        }
        best.map(|(_, foot)| foot)
    }

    /// Where, on the way from the point's own foot to another, the surface passes the height of the point; that other foot
    /// if it does not.
    fn levelled(&self, foot: DVec2) -> Foot {
        let own = self.point.truncate();
        let is_above = |s: f64| self.point.z >= self.height(&Foot::at(own.lerp(foot, s)));
        let above = is_above(0.0);
        if is_above(1.0) == above {
            return Foot::at(foot);
        }
        let [mut low, mut high] = [0.0, 1.0];
        for _ in 0..8 {
            let middle = 0.5 * (low + high);
            if is_above(middle) == above { low = middle } else { high = middle }
        }
        Foot::at(own.lerp(foot, high))
    }

    /// Newton's method for the least energy, from a foot, never going up.
    fn descend(&self, start: Foot) -> Foot {
        let mut foot = start;
        let mut energy = self.energy(&foot);
        for _ in 0..40 {
            let slopes = self.slopes(&foot);
            let rise = self.height(&foot) - self.point.z;
            let gradient = foot.place - self.point.truncate() + rise * slopes;
            let Some(step) = newton_step(self.hessian(&foot, slopes, rise), gradient) else { break };
            // Below the rounding of the energy its differences mean nothing, and the last step is taken on trust.
            if -gradient.dot(step) <= 1e-13 * energy + 1e-30 {
                return Foot::at(foot.place + step);
            }
            let mut fraction = 1.0;
            let (next, reached) = loop {
                let next = Foot::at(foot.place + fraction * step);
                let reached = self.energy(&next);
                if reached <= energy || fraction <= 1e-6 {
                    break (next, reached);
                }
                fraction *= 0.5;
            };
            if reached > energy {
                break;
            }
            (foot, energy) = (next, reached);
        }
        foot
    }

    fn hessian(&self, foot: &Foot, slopes: DVec2, rise: f64) -> DMat2 {
        let mixed = self.slope * foot.cosines.x * foot.cosines.y;
        let bent = -self.height(foot);
        let [xx, xy, yy] = [bent, mixed, bent].map(|curvature| rise * curvature);
        DMat2::from_cols(
            DVec2::new(1.0 + slopes.x * slopes.x + xx, slopes.x * slopes.y + xy),
            DVec2::new(slopes.x * slopes.y + xy, 1.0 + slopes.y * slopes.y + yy),
        )
    }
}

/// The phases of the grid.
fn phase(k: usize) -> f64 {
    FRAC_PI_2 * k as f64 / GRID as f64
}

/// The step to the least of the quadratic with this Hessian and gradient. Where the Hessian is not positive definite its
/// eigenvalues are made so by their size, which turns saddles into directions of descent.
fn newton_step(hessian: DMat2, gradient: DVec2) -> Option<DVec2> {
    let (a, b, c) = (hessian.x_axis.x, hessian.x_axis.y, hessian.y_axis.y);
    let (mean, half) = (0.5 * (a + c), 0.5 * (a - c));
    let radius = (half * half + b * b).sqrt();
    // Of the two forms of the eigenvector the one without cancellation.
    let axis = if half >= 0.0 { DVec2::new(half + radius, b) } else { DVec2::new(b, radius - half) };
    let first = axis.try_normalize().unwrap_or(DVec2::X);
    let second = first.perp();
    let floor = 1e-8 * (mean.abs() + radius) + 1e-8;
    let scaled = |axis: DVec2, eigenvalue: f64| axis * (axis.dot(gradient) / eigenvalue.abs().max(floor));
    let step = -(scaled(first, mean + radius) + scaled(second, mean - radius));
    step.is_finite().then_some(step)
}
