//! The point of an egg box that is nearest to a point.
//!
//! All lengths are times c₁. With `u = x + y` and `v = x − y` the surface `z = s sin x sin y` is `z = s (cos v − cos u)/2`: the sum
//! of a function of each. It is its own mirror image in `u = kπ` and `v = kπ`, so that the square from 0 to π stands for all of it,
//! and upside down it is itself with `u` and `v` exchanged, so that points above it stand for those below.
//!
//! The nearest point of the surface to a point `(p, q, w)` above it has, with the height `ρ` of the point over it and `κ = s ρ`,
//!
//! ```text
//! u − p = κ sin u,    v − q = −κ sin v,    κ/s = w − s (cos v − cos u)/2,
//! ```
//!
//! so that it is on the side of the spike: `u ≥ p` and `v ≤ q`. Newton's method on these three equations takes about five steps from
//! the best of a coarse grid. Where it does not end at a minimum, which is seldom, a descent along the surface does.

use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2, TAU};
use std::sync::LazyLock;

use glam::{DMat2, DVec2, DVec3};

use crate::obstacle::Near;

/// Steps of the grid along π from which the nearest point is sought.
const GRID: usize = 8;

/// Steps of Newton's method before the descent takes over.
const MAX_STEPS: usize = 12;

/// Largest change of `u` and `v` in a step of Newton's method.
const MAX_CHANGE: f64 = 0.5;

/// Newton's method has converged when `u` and `v` change by less than this: the next change is about its square, which is rounding.
const CONVERGED: f64 = 1e-8;

/// How far towards the middle of the square the descent starts.
const ASIDE: f64 = 0.05;

/// Where a point is relative to the surface `z = slope · sin x sin y`.
pub(super) fn near(point: DVec3, slope: f64) -> Near {
    let ((u, u_sign), (v, v_sign)) = (folded(point.x + point.y), folded(point.x - point.y));
    let own = Foot::at(DVec2::new(u, v));
    let above = point.z >= own.height(slope);
    let (own, z) = if above { (own, point.z) } else { (own.swapped(), -point.z) };
    let search = Search { slope, own, z };
    let foot = search.nearest();
    // Along u/√2 and v/√2, which are lengths, and z.
    let normal = DVec3::new(-slope * foot.sines.x, slope * foot.sines.y, SQRT_2).normalize();
    let offset = (FRAC_1_SQRT_2 * (own.place - foot.place)).extend(z - foot.height(slope));
    // The component along the normal is exact to second order in what the foot is short of the nearest one.
    let distance = offset.dot(normal).abs();
    let (along_u, along_v) = if above { (normal.x, normal.y) } else { (-normal.y, -normal.x) };
    let (along_u, along_v) = (FRAC_1_SQRT_2 * u_sign * along_u, FRAC_1_SQRT_2 * v_sign * along_v);
    Near {
        gap: if above { distance } else { -distance },
        normal: DVec3::new(along_u + along_v, along_u - along_v, normal.z),
    }
}

/// A phase mirrored into the range from 0 to π, and the sign of a direction there.
fn folded(phase: f64) -> (f64, f64) {
    let phase = phase.rem_euclid(TAU);
    if phase > PI { (TAU - phase, -1.0) } else { (phase, 1.0) }
}

/// A foot in the plane, `u` and `v`, with all that is needed of its phases.
#[derive(Clone, Copy)]
struct Foot {
    place: DVec2,
    sines: DVec2,
    cosines: DVec2,
}

impl Foot {
    fn at(place: DVec2) -> Self {
        let ((sin_u, cos_u), (sin_v, cos_v)) = (place.x.sin_cos(), place.y.sin_cos());
        Self { place, sines: DVec2::new(sin_u, sin_v), cosines: DVec2::new(cos_u, cos_v) }
    }

    fn swapped(&self) -> Self {
        let swapped = |pair: DVec2| DVec2::new(pair.y, pair.x);
        Self { place: swapped(self.place), sines: swapped(self.sines), cosines: swapped(self.cosines) }
    }

    /// Of the surface over it.
    fn height(&self, slope: f64) -> f64 {
        0.5 * slope * (self.cosines.y - self.cosines.x)
    }
}

/// The search for the point of the surface that is nearest to a point above it.
struct Search {
    slope: f64,
    /// The foot of the point, and its height.
    own: Foot,
    z: f64,
}

impl Search {
    /// Half the squared distance from the point to the surface over a foot.
    fn energy(&self, foot: &Foot) -> f64 {
        let short = self.z - foot.height(self.slope);
        0.25 * foot.place.distance_squared(self.own.place) + 0.5 * short * short
    }

    fn nearest(&self) -> Foot {
        let start = self.levelled(self.grid_start());
        self.newton(start).unwrap_or_else(|| {
            // Off the lines of symmetry, on which a descent would stay.
            let aside = |foot: Foot| Foot::at(foot.place.lerp(DVec2::splat(0.5 * PI), ASIDE));
            let [first, second] = [start, self.own].map(|start| self.descend(aside(start)));
            if self.energy(&second) < self.energy(&first) { second } else { first }
        })
    }

    /// The best foot of a grid. The point is outside of the body below the surface, hence as far from the surface as from that
    /// body, and that is what the grid is compared by: on a steep wall the columns of the body say where the wall is, when the
    /// corners of the surface are far up and down.
    fn grid_start(&self) -> DVec2 {
        static COSINES: LazyLock<[f64; GRID + 1]> = LazyLock::new(|| std::array::from_fn(|k| phase(k).cos()));
        let cosines = &*COSINES;
        // No further from the spike than the point is.
        let [first, last] = [self.own.place.x, self.own.place.y].map(|phase| (phase * GRID as f64 / PI) as usize);
        let (mut best, mut start) = (f64::INFINITY, self.own.place);
        for i in first.min(GRID)..=GRID {
            let u_energy = 0.25 * (phase(i) - self.own.place.x).powi(2);
            if u_energy >= best {
                break;
            }
            for j in (0..=GRID.min(last + 1)).rev() {
                let beside = u_energy + 0.25 * (phase(j) - self.own.place.y).powi(2);
                if beside >= best {
                    break;
                }
                let short = f64::max(self.z - 0.5 * self.slope * (cosines[j] - cosines[i]), 0.0);
                let energy = beside + 0.5 * short * short;
                if energy < best {
                    (best, start) = (energy, DVec2::new(phase(i), phase(j)));
                }
            }
        }
        start
    }

    /// About where, on the way from the point's own foot to another, the surface passes the height of the point; that other
    /// foot if it does not.
    fn levelled(&self, far: DVec2) -> Foot {
        let rise = |foot: &Foot| foot.height(self.slope) - self.z;
        let mut foot = Foot::at(far);
        let ([mut low, mut high], [mut below, mut above]) = ([0.0, 1.0], [rise(&self.own), rise(&foot)]);
        if above <= 0.0 {
            return foot;
        }
        for _ in 0..4 {
            let fraction = low + (high - low) * below / (below - above);
            foot = Foot::at(self.own.place.lerp(far, fraction));
            let found = rise(&foot);
            if found.abs() < 0.02 * self.slope {
                break;
            }
            // Halving the value at the end that stays makes it move in the end (the Illinois rule).
            if found > 0.0 {
                (high, above, below) = (fraction, found, 0.5 * below);
            } else {
                (low, below, above) = (fraction, found, 0.5 * above);
            }
        }
        foot
    }

    /// Newton's method for the three equations of the nearest point, from a foot; `None` if it does not end at a minimum.
    fn newton(&self, start: Foot) -> Option<Foot> {
        let half = 0.5 * self.slope;
        let mut foot = start;
        let mut kappa = self.first_kappa(&foot);
        for _ in 0..MAX_STEPS {
            let (DVec2 { x: sin_u, y: sin_v }, DVec2 { x: cos_u, y: cos_v }) = (foot.sines, foot.cosines);
            let offset = foot.place - self.own.place;
            let residual_u = offset.x - kappa * sin_u;
            let residual_v = offset.y + kappa * sin_v;
            let residual_z = kappa / self.slope - self.z + foot.height(self.slope);
            let (by_u, by_v) = (1.0 - kappa * cos_u, 1.0 + kappa * cos_v);
            // The first two equations give the changes of u and v for one of κ, the third gives that.
            let determinant = by_u * by_v / self.slope + half * (sin_u * sin_u * by_v + sin_v * sin_v * by_u);
            let right = half * (sin_u * residual_u * by_v - sin_v * residual_v * by_u) - residual_z * by_u * by_v;
            let kappa_step = right / determinant;
            let step = DVec2::new((sin_u * kappa_step - residual_u) / by_u, -(sin_v * kappa_step + residual_v) / by_v);
            if !step.is_finite() {
                return None;
            }
            let largest = step.abs().max_element();
            let fraction = f64::min(1.0, MAX_CHANGE / largest);
            kappa += fraction * kappa_step;
            foot = Foot::at((foot.place + fraction * step).clamp(DVec2::ZERO, DVec2::splat(PI)));
            if largest < CONVERGED {
                return self.is_minimum(&foot, kappa).then_some(foot);
            }
        }
        None
    }

    /// What κ is by the least squares of the three equations.
    fn first_kappa(&self, foot: &Foot) -> f64 {
        let (slope, sines) = (self.slope, foot.sines);
        let offset = foot.place - self.own.place;
        let along = 0.5 * slope * (sines.x * offset.x - sines.y * offset.y) + self.z - foot.height(slope);
        slope * along / (0.5 * slope * slope * sines.length_squared() + 1.0)
    }

    /// Whether the energy is least at a foot where it is stationary, rather than on a saddle.
    fn is_minimum(&self, foot: &Foot, kappa: f64) -> bool {
        let steep = 0.5 * self.slope * self.slope * foot.sines * foot.sines;
        let uu = 1.0 - kappa * foot.cosines.x + steep.x;
        let vv = 1.0 + kappa * foot.cosines.y + steep.y;
        uu >= 0.0 && vv >= 0.0 && uu * vv >= steep.x * steep.y
    }

    /// Newton's method for the least energy, from a foot, never going up.
    fn descend(&self, start: Foot) -> Foot {
        let mut foot = start;
        let mut energy = self.energy(&foot);
        for _ in 0..40 {
            let slopes = 0.5 * self.slope * DVec2::new(foot.sines.x, -foot.sines.y);
            let bends = 0.5 * self.slope * DVec2::new(foot.cosines.x, -foot.cosines.y);
            let rise = foot.height(self.slope) - self.z;
            let gradient = 0.5 * (foot.place - self.own.place) + rise * slopes;
            let hessian =
                DMat2::from_diagonal(0.5 + rise * bends) + DMat2::from_cols(slopes.x * slopes, slopes.y * slopes);
            let Some(step) = newton_step(hessian, gradient) else { break };
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
}

/// The phases of the grid.
fn phase(k: usize) -> f64 {
    PI * k as f64 / GRID as f64
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
