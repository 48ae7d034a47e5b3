//! Proofs that a facet stays away from the origin for a stretch of time, with the errors of rounding counted.
//!
//! A plane between the facet and the origin turns and moves with time; where it stands is a polynomial in time. Its Bernstein
//! coefficients over the stretch bound it from below, so it is enough that none of them is too small. Two planes are tried:
//!
//! - the facet's own plane, exactly: a cubic, the determinant that vanishes where four points are coplanar;
//! - a plane that turns from one given normal to another: a quadratic for each corner.
//!
//! ## Rounding
//! `u` is the unit of rounding ([`Real::EPSILON`] is `2u`), `m` the largest coordinate of the corners and `m₁`, `m₂` those of the two spans, over the
//! motion. Corners and spans are differences of input, exact to `u` of themselves; at a time between they are off by at most
//! `5um` (`1 − t`, product and sum round as well). What follows adds up these and the roundings of each expression; terms in `u²`
//! are covered by rounding the sums up to the constants below. Lengths outside of [`Clearance::RANGE`] are not judged at all, so
//! that nothing here overflows, or is lost near the least number.

use std::ops::RangeInclusive;

use glam::DVec3;

use super::facet::Facet;
use super::real::{Real, Vector};

/// Error of a plane at a corner, as part of `2u ‖normal‖₁ m`: `5u` of the corner, `3u` of the product, `u` of the mean of two.
const CORNER_ERROR: f64 = 8.0;

/// Error of a coefficient of the cubic, as part of `2u m m₁ m₂`. A normal is off by `26u m₁m₂` in each component, which is at most
/// `2 m₁m₂`; times a corner, `108u`; the product of the two rounds by `18u`, the mean of three by `12u`: 138u in all.
const CUBIC_ERROR: f64 = 80.0;

/// Error of the length of a normal, as part of `2u m₁ m₂`: `√3 · 26u`.
const NORMAL_ERROR: f64 = 32.0;

/// What a product of the separation and a length is to be enlarged by, so that it has not been rounded down.
const UPWARD: f64 = 1.0 + 8.0 * f64::EPSILON;

/// m², and the unit of whatever a normal is made of. Normals shorter than this are lost in underflow.
const LEAST_NORMAL: f64 = 1e-100;

/// How far apart is far enough, for one motion of one facet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clearance {
    /// The distance to keep, m.
    separation: f64,
    /// Error of a plane at a corner for a normal of unit 1-norm, m.
    corner_error: f64,
    /// Error of a coefficient of the cubic, m³, the separation included. Infinite where the facet's plane is lost in underflow.
    cubic_error: f64,
}

/// A direction in which a facet lies away from the origin, at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Direction<R> {
    /// The direction, of any length.
    toward: Vector<R>,
    /// What a corner times `toward` has to exceed for the corner to be far enough out.
    keep: f64,
    /// How far out the nearest corner is, m, to compare directions by.
    pub reach: f64,
}

impl Clearance {
    /// m. Motions outside of these lengths are not judged.
    const RANGE: RangeInclusive<f64> = 1e-30..=1e30;

    /// For a motion between two facets, `None` if its lengths are out of range.
    #[inline]
    pub fn new<R: Real, const K: usize>(from: &Facet<R, K>, to: &Facet<R, K>, separation: f64) -> Option<Self> {
        let larger = |a: Vector<R>, b: Vector<R>| a.value().abs().max(b.value().abs());
        let size = (0..K).fold(DVec3::ZERO, |size, k| size.max(larger(from.corners[k], to.corners[k]))).max_element();
        let area: f64 = (0..2).map(|k| larger(from.spans[k], to.spans[k]).max_element()).product();
        let cubic_error = R::EPSILON * area * (CUBIC_ERROR * size + NORMAL_ERROR * separation);
        Self::RANGE.contains(&size).then_some(Self {
            separation,
            corner_error: R::EPSILON * CORNER_ERROR * size,
            cubic_error: if area > LEAST_NORMAL { cubic_error } else { f64::INFINITY },
        })
    }

    /// The direction, if the facet is proven to be far enough out in it.
    #[inline]
    pub fn direction<R: Real, const K: usize>(&self, facet: &Facet<R, K>, toward: Vector<R>) -> Option<Direction<R>> {
        let norm = toward.value().abs().element_sum();
        let keep = norm * self.corner_error + self.keep(toward);
        let least = facet.corners.iter().fold(f64::INFINITY, |least, &corner| least.min(toward.dot(corner).value()));
        (norm > LEAST_NORMAL && least > keep).then_some(Direction { toward, keep, reach: least / norm })
    }

    /// The part of a stretch after which a plane that does not turn fails to stay between the facet and the origin; `None` if it is
    /// proven not to fail. The direction is good at the start.
    #[inline]
    pub fn failing<R: Real, const K: usize>(
        &self,
        [from, to]: [&Facet<R, K>; 2],
        direction: Direction<R>,
    ) -> Option<f64> {
        (0..K).fold(None, |part: Option<f64>, k| {
            let [start, end] = [from, to].map(|facet| direction.toward.dot(facet.corners[k]).value() - direction.keep);
            if end > 0.0 {
                return part;
            }
            let fails = start / (start - end);
            Some(part.map_or(fails, |part| part.min(fails)))
        })
    }

    /// Whether a plane that turns from one direction to another, of which each is good at its end, stays between the facet and
    /// the origin.
    #[inline]
    pub fn by_turning_plane<R: Real, const K: usize>(
        &self,
        [from, to]: [&Facet<R, K>; 2],
        turn: [Direction<R>; 2],
    ) -> bool {
        // The outer coefficients are what made the directions good.
        let keep = turn[0].keep + turn[1].keep;
        let middle = |k: usize| turn[0].toward.dot(to.corners[k]) + turn[1].toward.dot(from.corners[k]);
        (0..K).all(|k| middle(k).value() > keep)
    }

    /// Whether the facet's own plane stays away from the origin.
    #[inline]
    pub fn by_own_plane<R: Real, const K: usize>(&self, [from, to]: [&Facet<R, K>; 2]) -> bool {
        let middle = from.spans[0].cross(to.spans[1]) + to.spans[0].cross(from.spans[1]);
        let normals = [from.normal(), middle * R::new(0.5), to.normal()];
        let [start, end] = [from, to].map(|facet| normals.map(|normal| normal.dot(facet.corners[0])));
        let cubic = elevate(start, end);
        let lengths = normals.map(|normal| self.keep(normal));
        let keep = elevate(lengths, lengths).map(|keep| keep + 3.0 * self.cubic_error);
        (0..4).all(|i| cubic[i].value() > keep[i]) || (0..4).all(|i| -cubic[i].value() > keep[i])
    }

    /// The separation times the length of a direction, not rounded down.
    #[inline]
    fn keep<R: Real>(&self, direction: Vector<R>) -> f64 {
        if self.separation > 0.0 { self.separation * direction.value().length() * UPWARD } else { 0.0 }
    }
}

/// Three times the cubic Bernstein coefficients of a quadratic times a linear function: given are the coefficients of the
/// quadratic, times the linear function at its start and at its end.
#[inline]
fn elevate<R: Real>(at_start: [R; 3], at_end: [R; 3]) -> [R; 4] {
    let (two, three) = (R::new(2.0), R::new(3.0));
    [three * at_start[0], two * at_start[1] + at_end[0], at_start[2] + two * at_end[1], three * at_end[2]]
}
