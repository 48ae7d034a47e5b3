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

/// m. An edge that is farther from a body need not know exactly how far.
const FAR_OFF: f64 = 1e-3;

/// Steps of following a motion; one that needs more runs along the surface, and its end decides.
const MAX_MARCH: usize = 64;

/// Halvings of an edge in the search for a proof that it is clear of a body.
const HALVINGS: u32 = 4;

/// Steps in which the deepest point of an edge is sought by secants, before it is sought by halving.
const SECANTS: usize = 9;

/// Slope at which it is found: it then is off by this times the radius of the body.
const FOUND: f64 = 1e-7;

/// m. Length of the interval in which the deepest point of an edge is found well enough, if its slope jumps there.
const PINNED: f64 = 1e-9;

/// Halvings of the interval at most: enough for edges of a hundred metres.
const BISECTIONS: usize = 37;

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
    if clearance > travel + reach || is_clear(shape, from, travel + reach, HALVINGS) {
        return None;
    }
    let [a, b] = to.map(|end| shape.near(end).normal);
    let is_sharp = a.dot(b) < if known { KNOWN } else { SHARP };
    // Both ends on one side of the body, and there all the time: it is neither between them nor passed.
    let stays =
        || from.map(|start| shape.near(start).normal).iter().all(|start| start.dot(a).min(start.dot(b)) > KNOWN);
    if !is_sharp && (travel <= SLOW || stays()) {
        return None;
    }
    let Deepest { along, bound } = deepest(shape, to, reach);
    let end = near_edge(shape, to, along);
    if travel > SLOW
        && let Some(met) = entered(shape, from, to, travel, end)
    {
        return Some(met);
    }
    if bound > reach {
        return None;
    }
    let between = along > 0.0 && along < 1.0;
    (between && end.gap <= reach && is_sharp).then_some(EdgeMeeting { surface: end, along })
}

/// Whether an edge is farther than this from a body, as far as can be told by cutting it in halves so many times.
fn is_clear(shape: &dyn Implicit, edge: [DVec3; 2], distance: f64, halvings: u32) -> bool {
    let [a, b] = edge;
    let middle = 0.5 * (a + b);
    let clearance = shape.clearance(middle);
    if clearance > distance + 0.5 * a.distance(b) {
        return true;
    }
    halvings > 0
        && clearance > distance
        && is_clear(shape, [a, middle], distance, halvings - 1)
        && is_clear(shape, [middle, b], distance, halvings - 1)
}

/// Where an edge is deepest in a body, or nearest to it.
struct Deepest {
    /// Where on the edge, from 0 to 1.
    along: f64,
    /// The distance there, m, or a bound of it that is enough.
    bound: f64,
}

/// Where on an edge the body is deepest, or nearest: where the derivative of its distance changes sign. Of a body that is
/// not convex it is one such place. No more is found out than that it is `enough` away, m.
fn deepest(shape: &dyn Implicit, edge: [DVec3; 2], enough: f64) -> Deepest {
    let direction = edge[1] - edge[0];
    let length = direction.length();
    let at = |s: f64| shape.near(edge[0].lerp(edge[1], s));
    let [first, last] = [at(0.0), at(1.0)];
    let steepness = |near: &Near| near.normal.dot(direction) / length;
    // Of an edge that comes over the rim and then lies flat the rim is sought, as of one that lies flat and then goes over it.
    let flat_at_last = steepness(&first) < -LEVEL && steepness(&last).abs() <= LEVEL;
    let level = if flat_at_last { -2.0 * LEVEL } else { LEVEL };
    let slope = |near: &Near| steepness(near) - level;
    let (mut falling, mut rising) = (slope(&first), slope(&last));
    if falling > 0.0 {
        return Deepest { along: 0.0, bound: first.gap };
    }
    if rising <= 0.0 {
        return Deepest { along: 1.0, bound: last.gap };
    }
    let (mut low, mut high, mut bound) = (0.0, 1.0, f64::NEG_INFINITY);
    for k in 0..SECANTS + BISECTIONS {
        if (high - low) * length < PINNED {
            break;
        }
        // On a round body secants find the place in a few steps (halving the end that stays, which is the Illinois rule); on
        // a sharp one, where the slope jumps, only halving does.
        let part = if k > 0 && k < SECANTS { falling / (falling - rising) } else { 0.5 };
        let along = low + part * (high - low);
        let near = at(along);
        // A distance changes by no more than a metre per metre.
        bound = near.gap - f64::max(part, 1.0 - part) * (high - low) * length;
        let found = slope(&near);
        if bound > enough || found.abs() < FOUND {
            return Deepest { along, bound: if bound > enough { bound } else { near.gap } };
        }
        if found > 0.0 {
            (high, rising, falling) = (along, found, 0.5 * falling);
        } else {
            (low, falling, rising) = (along, found, 0.5 * rising);
        }
    }
    Deepest { along: 0.5 * (low + high), bound }
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
        let Deepest { along, bound } = deepest(shape, edge, FAR_OFF);
        if bound > FAR_OFF {
            t += bound / travel;
            if t >= 1.0 {
                return None;
            }
            continue;
        }
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
