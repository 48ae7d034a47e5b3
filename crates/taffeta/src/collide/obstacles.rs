//! Where a moving point meets a body, seen from the body.

use glam::DVec3;

use crate::obstacle::{Implicit, Near};

/// m. Motion shorter than this within a step cannot take a point to the far side of anything worth simulating.
const SLOW: f64 = 1e-3;

/// m. A point that has come this close counts as arrived when its path is followed.
const ARRIVED: f64 = 1e-6;

/// m. A point that starts no deeper than this is on the surface.
const ON_SURFACE: f64 = 1e-4;

/// Steps of following a path; a path that needs more runs along the surface, and its end decides.
const MAX_MARCH: usize = 64;

/// Normals closer than this (cosine) belong to the same side of a body.
const SAME_SIDE: f64 = 0.5;

/// What a moving point meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meeting {
    /// The surface it must stay in front of.
    pub surface: Near,
    /// Its distance from the body at the end of its path, m: where the surface is a plane it entered through, the two differ.
    pub gap: f64,
}

/// The surface that a point meets which moves from one place to another in the frame of a body, `None` if it stays more than
/// `reach` away. `clearance` is the shape's at the start, and `at_end` says where the end of the path is relative to the body.
///
/// That is the surface nearest to the end of the path, except where the path went into the body by another side: then the
/// plane it entered through, so that a fast point is not pushed on to the far side of a thin body, or lost behind it.
pub(crate) fn meet(
    shape: &dyn Implicit,
    [from, to]: [DVec3; 2],
    clearance: f64,
    reach: f64,
    at_end: impl FnOnce() -> Near,
) -> Option<Meeting> {
    let travel = from.distance(to);
    if clearance > travel + reach {
        return None;
    }
    let near = at_end();
    if travel > SLOW
        && clearance > -ON_SURFACE
        && let Some(plane) = entered(shape, from, to, near)
    {
        return Some(Meeting { surface: plane, gap: near.gap });
    }
    (near.gap <= reach).then_some(Meeting { surface: near, gap: near.gap })
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
            hit = Some(place);
            break;
        }
        t += clearance;
        if t >= travel {
            return None;
        }
    }
    let place = hit?;
    let entry = shape.near(place);
    if entry.normal.dot(direction) >= 0.0 || entry.normal.dot(end.normal) > SAME_SIDE {
        return None;
    }
    if end.gap >= 0.0 && !goes_through(shape, place, to, entry.normal) {
        return None;
    }
    Some(Near { gap: entry.gap + entry.normal.dot(to - place), normal: entry.normal })
}

/// Whether a path that enters a body leaves it by another side than it came, rather than cutting one of its corners.
fn goes_through(shape: &dyn Implicit, from: DVec3, to: DVec3, entry: DVec3) -> bool {
    let travel = from.distance(to);
    let direction = (to - from) / travel;
    let mut t = ARRIVED;
    for _ in 0..MAX_MARCH {
        if t >= travel {
            return false;
        }
        let near = shape.near(from + direction * t);
        if near.gap >= 0.0 {
            return near.normal.dot(entry) < 0.0;
        }
        // Nothing is nearer than this: within it the path stays inside.
        t += f64::max(-near.gap, ARRIVED);
    }
    false
}
