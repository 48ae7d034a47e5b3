//! How far apart pairs of parts are at least, eight at a time.
//!
//! A bound only tells what need not be looked at, so that it may be any number up to the distance. Along a direction both parts are
//! intervals, and no closer than these: the direction between points that are about nearest gives a bound that is about the distance,
//! without asking on which side of what everything is.

use std::array::from_fn;

use glam::DVec3;
use pulp::Simd;

use super::lanes::{Gathered, LANES, Lanes, NOTHING, Vectors, travel};
use super::pairs::Kind;

/// m. What rounding can have added to a bound.
const ROUNDING: f64 = 1e-12;

/// Bounds for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bound {
    /// How far its parts are apart at least, m: negative if nothing was shown.
    pub apart: f64,
    /// How much closer the motion brings them at most, m.
    pub travel: f64,
    /// The unit direction from the second part to the first along which they are so far apart; zero if there is none.
    pub normal: DVec3,
}

/// Bounds for [`LANES`] pairs of one kind, by their nodes, which are at `places` and move by `motion`, m.
#[inline(always)]
pub(super) fn bounds<S: Simd>(
    simd: S,
    kind: Kind,
    nodes: &[[u32; 4]; LANES],
    places: &[DVec3],
    motion: &[DVec3],
) -> [Bound; LANES] {
    let (places, motion) = (Gathered::new(nodes, places), Gathered::new(nodes, motion));
    let (mut apart, mut normal, mut way) = ([0.0; LANES], [[0.0; LANES]; 3], [0.0; LANES]);
    for first in (0..LANES).step_by(S::F64_LANES) {
        let [a, b, c, d] = places.load(simd, first);
        let (distance, direction) = match kind {
            Kind::NodeFace => node_face(simd, a.minus(b), c.minus(b), d.minus(b)),
            Kind::Edges => edges(simd, b.minus(a), d.minus(c), c.minus(a)),
        };
        distance.store(&mut apart, first);
        direction.store(&mut normal, first);
        travel(simd, kind, motion.load(simd, first)).store(&mut way, first);
    }
    from_fn(|lane| {
        let normal = DVec3::new(normal[0][lane], normal[1][lane], normal[2][lane]);
        // Of what is not a number nothing is known.
        let apart = apart[lane] - ROUNDING;
        let shown = apart > 0.0 && normal.is_finite();
        Bound {
            apart: if shown { apart } else { -ROUNDING },
            travel: way[lane],
            normal: if shown { normal } else { DVec3::ZERO },
        }
    })
}

/// A node seen from a corner of a face, and the sides of the face at that corner.
#[inline(always)]
fn node_face<S: Simd>(simd: S, from: Vectors<S>, e1: Vectors<S>, e2: Vectors<S>) -> (Lanes<S>, Vectors<S>) {
    let (none, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let across = e1.cross(e2);
    let area = across.dot(across).max(Lanes::splat(simd, NOTHING));
    let w1 = from.cross(e2).dot(across).over(area);
    let w2 = e1.cross(from).dot(across).over(area);
    // What is beyond an edge is moved back to it, though not to the nearest point of it.
    let (w0, w1, w2) = ((one - w1 - w2).max(none), w1.max(none), w2.max(none));
    let sum = w0 + w1 + w2;
    let between = from.minus(e1.scaled(w1.over(sum))).minus(e2.scaled(w2.over(sum))).unit();
    let below = from.dot(across).less_than(none);
    let upright = across.negative().or(below, across).unit();
    let apart = from.dot(between) - e1.dot(between).max(e2.dot(between)).max(none);
    let apart_upright = from.dot(upright) - e1.dot(upright).max(e2.dot(upright)).max(none);
    (apart.max(apart_upright), upright.or(apart.less_than(apart_upright), between))
}

/// Two edges, and the start of the second seen from that of the first.
#[inline(always)]
fn edges<S: Simd>(simd: S, ea: Vectors<S>, eb: Vectors<S>, from: Vectors<S>) -> (Lanes<S>, Vectors<S>) {
    let (none, least) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, NOTHING));
    let across = ea.cross(eb);
    let area = across.dot(across).max(least);
    let alpha = from.cross(eb).dot(across).over(area).clamped();
    // The nearest points of each other in turns: exact where one of the two is an end.
    let beta = ea.scaled(alpha).minus(from).dot(eb).over(eb.dot(eb).max(least)).clamped();
    let alpha = from.plus(eb.scaled(beta)).dot(ea).over(ea.dot(ea).max(least)).clamped();
    let normal = ea.scaled(alpha).minus(from).minus(eb.scaled(beta)).unit();
    let (start, end) = (from.dot(normal), eb.dot(normal));
    (ea.dot(normal).min(none) - (start + end.max(none)), normal)
}
