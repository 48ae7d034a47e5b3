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

/// As a fraction of what is left of its motion: nor does an edge that is this far away.
const FAR_ENOUGH: f64 = 0.25;

/// Steps of following a motion; one that needs more runs along the surface, and its end decides.
const MAX_MARCH: usize = 64;

/// Halvings of an edge in the search for a proof that it is clear of a body.
const HALVINGS: u32 = 4;

/// Slope at which the deepest point of an edge is found: it then is off by this times the radius of the body.
const FOUND: f64 = 1e-7;

/// The same where the motion of an edge is followed: the distance then is off by half the square of this times that radius. Well
/// below `LEVEL`, so that what is level is not taken for a deepest point.
const FOUND_MOVING: f64 = 1e-5;

/// m. Length of the interval in which the deepest point of an edge is found well enough, if its slope jumps there.
const PINNED: f64 = 1e-9;

/// Between two samples of an edge: by how much their mean slope must differ from the one of the way between them to tell a radius.
const ROUNDED: f64 = 1e-6;

/// Samples of an edge in the search for its deepest point, at most. Four of them halve the interval at least, and 37 halvings are enough for
/// edges of a hundred metres.
const MAX_SAMPLES: usize = 148;

/// Slope up to which an edge lies flat on a body: of all its points the last is taken, where the body ends.
const LEVEL: f64 = 1e-4;

/// m. How far beside the deepest point of an edge the sides of a body are looked at.
const ASIDE: f64 = 5e-4;

/// Normals closer than this (cosine) belong to the same side of a body.
const SAME_SIDE: f64 = 0.5;

/// An edge that moves, seen from a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeMotion {
    /// Where its ends are at the start and at the end, m.
    pub from: [DVec3; 2],
    pub to: [DVec3; 2],
    /// The longer of the ways of its ends, m.
    pub travel: f64,
    /// Clearance of its ends at the start, m.
    pub clearance: [f64; 2],
    /// Whether the two met before.
    pub known: bool,
}

/// What is known of how far an edge is from a body at the start of its motion, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    /// It is farther away than this.
    farther: f64,
    /// Cutting it in halves does not show that it is farther away than this.
    unclear: f64,
}

impl Known {
    pub const NOTHING: Self = Self { farther: f64::NEG_INFINITY, unclear: f64::INFINITY };

    /// [`is_clear`] for an edge that is not asked for twice: what is clear by more is clear by less.
    fn is_clear(&mut self, shape: &dyn Implicit, edge: [DVec3; 2], distance: f64) -> bool {
        if distance > self.farther && distance < self.unclear {
            let clear = is_clear(shape, edge, distance, HALVINGS);
            *(if clear { &mut self.farther } else { &mut self.unclear }) = distance;
        }
        distance <= self.farther
    }
}

/// The surface that a moving edge meets between its ends; `None` if it stays more than `reach` away, or if its ends meet it
/// first. `start` is what is known of its start, for the next time; `at_start` and `at_end` say where its first end (0) and its second (1) are relative to the body: many edges share a
/// node.
///
/// That is the surface nearest to its deepest point at the end of the motion, except where the edge went into the body by
/// another side: then the plane it entered through.
pub(crate) fn meet_edge(
    shape: &dyn Implicit,
    motion: &EdgeMotion,
    reach: f64,
    start: &mut Known,
    mut at_start: impl FnMut(usize) -> Near,
    mut at_end: impl FnMut(usize) -> Near,
) -> Option<EdgeMeeting> {
    let &EdgeMotion { from, to, travel, clearance, known } = motion;
    // A clearance changes by no more than a metre per metre: where that of an end is too small, those beside it are as well.
    let watched = travel + reach;
    if f64::min(clearance[0], clearance[1]) > watched && start.is_clear(shape, from, watched) {
        return None;
    }
    let ends = [at_end(0), at_end(1)];
    let [a, b] = ends.map(|end| end.normal);
    let is_sharp = a.dot(b) < if known { KNOWN } else { SHARP };
    if !is_sharp && travel <= SLOW {
        return None;
    }
    let starts = (travel > SLOW).then(|| [at_start(0), at_start(1)]);
    // Both ends on one side of the body, and there all the time: it is neither between them nor passed.
    let stays = |starts: [Near; 2]| starts.iter().all(|start| start.normal.dot(a).min(start.normal.dot(b)) > KNOWN);
    if !is_sharp && starts.is_some_and(stays) {
        return None;
    }
    let Deepest { along, bound } = deepest(shape, to, ends, reach, FOUND);
    if let Some(starts) = starts
        && let Some(met) = entered(shape, motion, starts, Deepest { along, bound })
    {
        return Some(met);
    }
    let between = along > 0.0 && along < 1.0;
    if bound > reach || !between || !is_sharp {
        return None;
    }
    let surface = near_edge(shape, to, along);
    (surface.gap <= reach).then_some(EdgeMeeting { surface, along })
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

/// A place on an edge, and what the body is like there.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// Where on the edge, m from its first end.
    pub at: f64,
    /// Distance from the body, m, and how it changes along the edge, counted from what counts as level.
    pub gap: f64,
    pub slope: f64,
}

/// Where on an edge the body is deepest, or nearest: where the derivative of its distance changes sign. Of a body that is
/// not convex it is one such place. `ends` are the distances at its ends. No more is found out than that it is `enough` away, m;
/// it is found where the slope is less than `flat`.
fn deepest(shape: &dyn Implicit, edge: [DVec3; 2], ends: [Near; 2], enough: f64, flat: f64) -> Deepest {
    let direction = edge[1] - edge[0];
    let length = direction.length();
    let [first, last] = ends;
    let steepness = |near: &Near| near.normal.dot(direction) / length;
    // Of an edge that comes over the rim and then lies flat the rim is sought, as of one that lies flat and then goes over it.
    let flat_at_last = steepness(&first) < -LEVEL && steepness(&last).abs() <= LEVEL;
    let level = if flat_at_last { -2.0 * LEVEL } else { LEVEL };
    let sample = |at: f64, near: Near| Sample { at, gap: near.gap, slope: steepness(&near) - level };
    let (mut low, mut high) = (sample(0.0, first), sample(length, last));
    // What is not a number, of places beyond all numbers, is an end.
    let (falls, rises) = (low.slope <= 0.0, high.slope > 0.0);
    if !falls {
        return Deepest { along: 0.0, bound: first.gap };
    }
    if !rises {
        return Deepest { along: 1.0, bound: last.gap };
    }
    let mut bound = lower_bound_between(&low, &high);
    // Where the slope vanishes, as far as the last sample and the one that it took the place of tell; and whether that sample was where
    // the tangents meet, as on a sharp edge.
    let (mut aim, mut is_sharp) = (None, true);
    let mut width_before = length;
    for k in 0..MAX_SAMPLES {
        let width = high.at - low.at;
        if bound > enough || width < PINNED {
            break;
        }
        let is_slow = k % 4 == 3 && width > 0.5 * width_before;
        if k % 4 == 3 {
            width_before = width;
        }
        let at = match aim {
            _ if is_slow => 0.5 * (low.at + high.at),
            Some(aim) => aim,
            // On a sharp edge the first finds it from one side, and the second from the other.
            None if is_sharp => tangent_intersection(&low, &high, level),
            None if k % 2 == 1 => secant(&low, &high),
            None => 0.5 * (low.at + high.at),
        };
        // Never so close to a known sample that the interval hardly shrinks.
        let aside = f64::min(0.25 * width, 0.5 * PINNED);
        let at = at.clamp(low.at + aside, high.at - aside);
        let found = sample(at, shape.near(edge[0].lerp(edge[1], at / length)));
        if found.slope.abs() < flat {
            return Deepest { along: at / length, bound: found.gap };
        }
        // A shape that answers so is refused by name where it is nearest; what was found before stands.
        if !(found.gap.is_finite() && found.slope.is_finite()) {
            break;
        }
        bound = f64::min(lower_bound_between(&low, &found), lower_bound_between(&found, &high));
        is_sharp =
            (found.gap - tangent(&low, level, at)).abs().min((found.gap - tangent(&high, level, at)).abs()) < PINNED;
        let end = if found.slope > 0.0 { &mut high } else { &mut low };
        let place = round_place(end, &found, level);
        *end = found;
        aim = place.filter(|&at| at > low.at && at < high.at);
    }
    // On a sharp edge, pinned down, the tangents say where it is to rounding: which way the search took does not show.
    let at = tangent_intersection(&low, &high, level).clamp(low.at, high.at);
    Deepest { along: at / length, bound }
}

/// The least distance between two places of an edge, m, or less: a distance changes by no more than a metre per metre.
fn lower_bound_between(low: &Sample, high: &Sample) -> f64 {
    0.5 * (low.gap + high.gap - (high.at - low.at))
}

/// Where the tangents at two places meet, m: where a sharp edge is, and close to a small round one. Slopes are counted from `level`.
fn tangent_intersection(low: &Sample, high: &Sample, level: f64) -> f64 {
    let meet = (tangent(low, level, 0.0) - tangent(high, level, 0.0)) / (high.slope - low.slope);
    if meet.is_finite() { meet } else { 0.5 * (low.at + high.at) }
}

/// How far the body would be at a place if the slope stayed what it is at another, m.
fn tangent(from: &Sample, level: f64, at: f64) -> f64 {
    from.gap + (level + from.slope) * (at - from.at)
}

/// Where the slope vanishes on the secant through two samples, m.
fn secant(a: &Sample, b: &Sample) -> f64 {
    a.at - a.slope * (b.at - a.at) / (b.slope - a.slope)
}

/// Where the slope vanishes, m, if both samples are of one part of a body that is round along the edge. A point, a line, a sphere and a
/// cylinder are at the distance `√(d² + c² (x − x₀)²) − r`: that plus `r`, times its derivative, is linear, and two samples tell the radius.
pub(super) fn round_place(a: &Sample, b: &Sample, level: f64) -> Option<f64> {
    let [steep_a, steep_b] = [a, b].map(|sample| sample.slope + level);
    let way = a.at - b.at;
    let trapezoid = (steep_a * a.gap + steep_b * b.gap) * way - (a.gap * a.gap - b.gap * b.gap);
    let bulge = 2.0 * (a.gap - b.gap) - (steep_a + steep_b) * way;
    // Of samples close to each other the radius is rounding, and makes no difference.
    let radius = if bulge.abs() > ROUNDED * way.abs() { trapezoid / bulge } else { 0.0 };
    let [far_a, far_b] = [a, b].map(|sample| sample.gap + radius);
    let (linear_a, linear_b) = (steep_a * far_a, steep_b * far_b);
    let growth = (linear_a - linear_b) / way;
    let least = (far_b * far_b - linear_b * linear_b / growth).sqrt();
    let at = b.at + (level * least.copysign(far_b) - linear_b) / growth;
    at.is_finite().then_some(at)
}

/// Where an edge is relative to the surface at its deepest point. On the sharp edge of a body the surface has the normals of
/// both sides, and all in between: the one that is across the edge of the cloth is what pushes it.
pub(crate) fn near_edge(shape: &dyn Implicit, edge: [DVec3; 2], along: f64) -> Near {
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

/// The plane through which an edge enters the body, if it is another side than the one nearest to its end. `starts` is where its
/// ends are at the start, and `last` where it is deepest at the end.
fn entered(shape: &dyn Implicit, motion: &EdgeMotion, starts: [Near; 2], last: Deepest) -> Option<EdgeMeeting> {
    let &EdgeMotion { from, to, travel, .. } = motion;
    let mut t = 0.0;
    for k in 0..MAX_MARCH {
        let edge = [from[0].lerp(to[0], t), from[1].lerp(to[1], t)];
        let ends = if k == 0 { starts } else { edge.map(|end| shape.near(end)) };
        let enough = f64::max(FAR_OFF, FAR_ENOUGH * (1.0 - t) * travel);
        let Deepest { along, bound } = deepest(shape, edge, ends, enough, FOUND_MOVING);
        // Seen from here and seen from the end, nothing comes closer than this.
        if 0.5 * (bound + last.bound - (1.0 - t) * travel) > ARRIVED {
            return None;
        }
        if bound > ARRIVED {
            t += bound / travel;
            if t >= 1.0 {
                return None;
            }
            continue;
        }
        let place = edge[0].lerp(edge[1], along);
        let [entry, end] = [(edge, along), (to, last.along)].map(|(edge, along)| near_edge(shape, edge, along));
        let gone = to[0].lerp(to[1], along) - place;
        let through = entry.normal.dot(gone) < 0.0 && entry.normal.dot(end.normal) <= SAME_SIDE;
        // What starts inside is for its end to say.
        let surface = Near { gap: entry.gap + entry.normal.dot(gone), normal: entry.normal };
        let inside = along <= 0.0 || along >= 1.0 || t == 0.0 && entry.gap < -100.0 * ARRIVED;
        return (through && !inside).then_some(EdgeMeeting { surface, along });
    }
    None
}
