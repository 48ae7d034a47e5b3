//! Where a moving edge meets a body, seen from the body.

use glam::DVec3;

use crate::obstacle::{Implicit, Near};

/// What a moving edge meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EdgeMeeting {
    /// The surface it must stay in front of.
    pub surface: Near,
    /// Where on the edge, from 0 to 1.
    pub along: f64,
}

/// Cosine of the angle by which the normals at the ends of an edge differ, at least, where it is of interest what is between
/// them: of an edge that was so far, and of another. On a body rounder than that the cloth cuts off a little of the round
/// between its nodes, which is what a mesh does.
const KNOWN: f64 = 0.9;
const SHARP: f64 = 0.8;

/// m. Motion shorter than this within a step cannot take an edge to the far side of anything worth simulating.
const SLOW: f64 = 1e-3;

/// m. An edge that has come this close counts as arrived when its motion is followed.
const ARRIVED: f64 = 1e-6;

/// Steps of following a motion; one that needs more runs along the surface, and its end decides.
const MAX_MARCH: usize = 64;

/// Halvings of the interval in which the deepest point of an edge is sought.
const BISECTIONS: usize = 44;

/// Slope up to which an edge lies flat on a body: of all its points the last is taken, where the body ends.
const LEVEL: f64 = 1e-4;

/// m. How far beside the deepest point of an edge the sides of a body are looked at.
const ASIDE: f64 = 5e-4;

/// Normals closer than this (cosine) belong to the same side of a body.
const SAME_SIDE: f64 = 0.5;

/// The surface that an edge meets between its ends, which move from one place to another in the frame of a body; `None` if
/// it stays more than `reach` away, or if its ends meet it first. `clearance` is a bound of its distance at the start;
/// `known` whether the two met before.
///
/// That is the surface nearest to its deepest point at the end of the motion, except where the edge went into the body by
/// another side: then the plane it entered through.
pub(crate) fn meet_edge(
    shape: &dyn Implicit,
    from: [DVec3; 2],
    to: [DVec3; 2],
    clearance: f64,
    reach: f64,
    known: bool,
) -> Option<EdgeMeeting> {
    let travel = f64::max(from[0].distance(to[0]), from[1].distance(to[1]));
    if clearance > travel + reach {
        return None;
    }
    let along = deepest(shape, to);
    let end = near_edge(shape, to, along);
    if travel > SLOW
        && let Some(met) = entered(shape, from, to, travel, end)
    {
        return Some(met);
    }
    let is_sharp = || {
        let [a, b] = to.map(|end| shape.near(end).normal);
        a.dot(b) < if known { KNOWN } else { SHARP }
    };
    let between = along > 0.0 && along < 1.0;
    (between && end.gap <= reach && is_sharp()).then_some(EdgeMeeting { surface: end, along })
}

/// Where on an edge the body is deepest, or nearest: where the derivative of its distance changes sign. Of a body that is
/// not convex it is one such place.
fn deepest(shape: &dyn Implicit, edge: [DVec3; 2]) -> f64 {
    let direction = edge[1] - edge[0];
    let level = LEVEL * direction.length();
    let rises = |s: f64| shape.near(edge[0].lerp(edge[1], s)).normal.dot(direction) > level;
    let (mut low, mut high) = (0.0, 1.0);
    if rises(low) {
        return low;
    }
    if !rises(high) {
        return high;
    }
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        *(if rises(middle) { &mut high } else { &mut low }) = middle;
    }
    0.5 * (low + high)
}

/// Where an edge is relative to the surface at its deepest point. On the sharp edge of a body the surface has the normals of
/// both sides, and all in between: the one that is across the edge of the cloth is what pushes it.
fn near_edge(shape: &dyn Implicit, edge: [DVec3; 2], along: f64) -> Near {
    let near = shape.near(edge[0].lerp(edge[1], along));
    let direction = edge[1] - edge[0];
    let aside = ASIDE / direction.length();
    let sides = [f64::max(along - aside, 0.0), f64::min(along + aside, 1.0)];
    let [before, after] = sides.map(|s| shape.near(edge[0].lerp(edge[1], s)).normal);
    let (falls, rises) = (f64::min(before.dot(direction), 0.0), f64::max(after.dot(direction), 0.0));
    if rises > falls {
        let across = before.lerp(after, falls / (falls - rises));
        return Near { gap: near.gap, normal: across.try_normalize().unwrap_or(near.normal) };
    }
    near
}

/// The plane through which an edge enters the body, if it is another side than the one nearest to its end.
fn entered(shape: &dyn Implicit, from: [DVec3; 2], to: [DVec3; 2], travel: f64, end: Near) -> Option<EdgeMeeting> {
    let mut t = 0.0;
    for _ in 0..MAX_MARCH {
        let edge = [from[0].lerp(to[0], t), from[1].lerp(to[1], t)];
        let along = deepest(shape, edge);
        let place = edge[0].lerp(edge[1], along);
        let clearance = shape.clearance(place);
        if clearance < ARRIVED {
            let entry = near_edge(shape, edge, along);
            let gone = to[0].lerp(to[1], along) - place;
            let through = entry.normal.dot(gone) < 0.0 && entry.normal.dot(end.normal) <= SAME_SIDE;
            // What starts inside is for its end to say.
            let surface = Near { gap: entry.gap + entry.normal.dot(gone), normal: entry.normal };
            let inside = along <= 0.0 || along >= 1.0 || t == 0.0 && entry.gap < -100.0 * ARRIVED;
            return (through && !inside).then_some(EdgeMeeting { surface, along });
        }
        t += clearance / travel;
        if t >= 1.0 {
            return None;
        }
    }
    None
}
