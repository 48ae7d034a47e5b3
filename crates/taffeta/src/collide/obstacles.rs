//! Where a moving point meets a body, seen from the body.

use glam::DVec3;

use crate::obstacle::{Implicit, Near, Pose, Shape};

/// A body of the world during one step.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its shape, in its own frame.
    pub shape: Shape,
    /// `μ`: its coefficient of friction with the cloth.
    pub friction: f64,
    /// Where it is at the start of the step.
    pub from: Pose,
    /// Where it is at the end of the step.
    pub to: Pose,
}

/// m. Motion shorter than this within a step cannot take a point to the far side of anything worth simulating.
const SLOW: f64 = 1e-3;

/// m. A point that has come this close counts as arrived when its path is followed.
const ARRIVED: f64 = 1e-6;

/// Steps of following a path; a path that needs more runs along the surface, and its end decides.
const MAX_MARCH: usize = 64;

/// Normals closer than this (cosine) belong to the same side of a body.
const SAME_SIDE: f64 = 0.5;

/// The surface that a point meets which moves from one place to another in the frame of a body, `None` if it stays more than
/// `reach` away. `clearance` is the shape's at the start.
///
/// That is the surface nearest to the end of the path, except where the path went into the body by another side: then the
/// plane it entered through, lest a fast point be pushed on to the far side of a thin body, or lost behind it.
pub(crate) fn meet(shape: &dyn Implicit, from: DVec3, to: DVec3, clearance: f64, reach: f64) -> Option<Near> {
    let travel = from.distance(to);
    if clearance > travel + reach {
        return None;
    }
    let near = shape.near(to);
    if travel > SLOW
        && clearance > 0.0
        && let Some(plane) = entered(shape, from, to, near)
    {
        return Some(plane);
    }
    (near.gap <= reach).then_some(near)
}

/// The plane through which the path enters the body, if it is another side than the one nearest to its end.
fn entered(shape: &dyn Implicit, from: DVec3, to: DVec3, end: Near) -> Option<Near> {
    let travel = from.distance(to);
    let direction = (to - from) / travel;
    let mut t = 0.0;
    let mut hit = None;
    for _ in 0..MAX_MARCH {
        let place = from + direction * t;
        let clearance = shape.clearance(place);
        if clearance < ARRIVED {
            hit = Some((t, place));
            break;
        }
        t += clearance;
        if t >= travel {
            return None;
        }
    }
    let (t, place) = hit?;
    let entry = shape.near(place);
    if entry.normal.dot(direction) >= 0.0 || entry.normal.dot(end.normal) > SAME_SIDE {
        return None;
    }
    if end.gap >= 0.0 {
        // Outside again, on another side: through the body, or only round one of its corners?
        let deepest =
            (1..8).map(|k| shape.near(from + direction * (t + (travel - t) * k as f64 / 8.0)).gap).fold(0.0, f64::min);
        if deepest > -SLOW {
            return None;
        }
    }
    Some(Near { gap: entry.gap + entry.normal.dot(to - place), normal: entry.normal })
}
