//! Continuous collision detection: whether two moving primitives come within a distance of each other, and not before when.
//!
//! Corners move in straight lines from `t = 0` to `t = 1`. The answer errs on one side only: `None` is a proof, rounding
//! included, and `Some(t)` says that the primitives are farther apart at every time before `t`. There are no exceptions for flat,
//! parallel, touching or degenerate primitives.
//!
//! Two primitives meet where the polygon of their differences (`facet`) meets the origin. A stretch of time is cleared when a
//! plane, moving with the polygon, stays between it and the origin (`clearance`). What cannot be cleared is cut in two, the
//! earlier half first, so that work is spent in one dimension, time, and near the contact only.

mod clearance;
mod facet;
mod pair;
mod real;
mod search;

use facet::{EdgeEdge, NodeFace};
use glam::DVec3;

/// Whether a moving node comes within `separation` (m; 0 is touching) of a moving face, from `t = 0` to `t = 1`.
///
/// The points are the node, then the three of the face. `Some(t)`: it may, and the two are certainly farther apart before `t`.
/// `None`: it certainly does not. Input that is not finite gives `Some(0.0)`. A negative
/// separation counts as 0.
///
/// ```
/// use taffeta::{DVec3, ccd};
///
/// let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let query = |from: DVec3, to: DVec3| {
///     ccd::node_face(&[from, face[0], face[1], face[2]], &[to, face[0], face[1], face[2]], 0.0)
/// };
/// let above = DVec3::new(0.25, 0.25, 1.0);
/// let t = query(above, DVec3::new(0.25, 0.25, -3.0)).expect("it falls through");
/// assert!(t <= 0.25 && t > 0.2499);
/// assert_eq!(query(above, DVec3::new(2.0, 2.0, -3.0)), None);
/// ```
pub fn node_face(x_t0: &[DVec3; 4], x_t1: &[DVec3; 4], separation: f64) -> Option<f64> {
    let reach = |x: &[DVec3; 4]| (x[0] - x[1].max(x[2]).max(x[3]), x[0] - x[1].min(x[2]).min(x[3]));
    if !is_finite(x_t0, x_t1, separation) {
        return Some(0.0);
    }
    let separation = separation.max(0.0);
    if stays_apart(reach(x_t0), reach(x_t1), separation) {
        return None;
    }
    search::earliest::<NodeFace, 3>(x_t0, x_t1, separation)
}

/// Whether a moving edge comes within `separation` (m; 0 is touching) of another, from `t = 0` to `t = 1`.
///
/// The points are the two ends of one edge, then those of the other. The answer is as that of [`node_face`].
pub fn edge_edge(x_t0: &[DVec3; 4], x_t1: &[DVec3; 4], separation: f64) -> Option<f64> {
    let reach = |x: &[DVec3; 4]| (x[0].min(x[1]) - x[2].max(x[3]), x[0].max(x[1]) - x[2].min(x[3]));
    if !is_finite(x_t0, x_t1, separation) {
        return Some(0.0);
    }
    let separation = separation.max(0.0);
    if stays_apart(reach(x_t0), reach(x_t1), separation) {
        return None;
    }
    search::earliest::<EdgeEdge, 4>(x_t0, x_t1, separation)
}

/// Whether every coordinate is finite, and the separation as well.
#[inline]
fn is_finite(x_t0: &[DVec3; 4], x_t1: &[DVec3; 4], separation: f64) -> bool {
    separation.is_finite() && x_t0.iter().all(|x| x.is_finite()) && x_t1.iter().all(|x| x.is_finite())
}

/// Whether the differences of two primitives, given by their least and greatest coordinates at either end, are farther than
/// `separation` from 0 along an axis all the time.
///
/// Differences round monotonically: one that is computed to be greater than a number is greater, so no error needs adding.
#[inline]
fn stays_apart(from: (DVec3, DVec3), to: (DVec3, DVec3), separation: f64) -> bool {
    let (least, greatest) = (from.0.min(to.0), from.1.max(to.1));
    least.max_element() > separation || greatest.min_element() < -separation
}
