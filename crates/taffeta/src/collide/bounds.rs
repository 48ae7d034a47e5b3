//! How far apart pairs of parts are at least, eight at a time.
//!
//! A bound only tells what need not be looked at, so that it may be any number up to the distance. Along a direction both parts are
//! intervals, and no closer than these: the direction between points that are about nearest gives a bound that is about the distance,
//! without asking on which side of what everything is.

use std::array::from_fn;
use std::ops::{Add, Mul, Sub};

use glam::DVec3;

use super::pairs::Kind;

/// Pairs that are looked at together.
pub(super) const LANES: usize = 8;

/// m. What rounding can have added to a bound.
const ROUNDING: f64 = 1e-12;

/// Less than any squared length that is not zero, so that nothing is divided by zero.
const NOTHING: f64 = f64::MIN_POSITIVE;

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

/// Numbers of eight pairs.
#[derive(Clone, Copy)]
struct Lanes([f64; LANES]);

impl Lanes {
    #[inline(always)]
    fn map2(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(from_fn(|k| f(self.0[k], other.0[k])))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.map2(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.map2(other, |a, b| if a < b { a } else { b })
    }

    /// Between 0 and 1; 0 if it is not a number.
    #[inline(always)]
    fn clamped(self) -> Self {
        Self(self.0.map(|a| if a > 0.0 { a } else { 0.0 }).map(|a| if a < 1.0 { a } else { 1.0 }))
    }

    #[inline(always)]
    fn over(self, other: Self) -> Self {
        self.map2(other, |a, b| a / b)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }
}

impl Add for Lanes {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.map2(other, |a, b| a + b)
    }
}

impl Sub for Lanes {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.map2(other, |a, b| a - b)
    }
}

impl Mul for Lanes {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.map2(other, |a, b| a * b)
    }
}

/// Vectors of eight pairs.
#[derive(Clone, Copy)]
struct Vectors([Lanes; 3]);

impl Vectors {
    /// What node `k` of each pair has.
    #[inline(always)]
    fn gather(nodes: &[[u32; 4]; LANES], k: usize, values: &[DVec3]) -> Self {
        let all: [DVec3; LANES] = from_fn(|lane| values[nodes[lane][k] as usize]);
        Self(from_fn(|axis| Lanes(from_fn(|lane| all[lane][axis]))))
    }

    #[inline(always)]
    fn dot(self, other: Self) -> Lanes {
        let [x, y, z] = from_fn(|axis| self.0[axis] * other.0[axis]);
        x + y + z
    }

    #[inline(always)]
    fn cross(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }

    #[inline(always)]
    fn scaled(self, by: Lanes) -> Self {
        Self(self.0.map(|x| x * by))
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(from_fn(|axis| self.0[axis] + other.0[axis]))
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(from_fn(|axis| self.0[axis] - other.0[axis]))
    }

    /// Of unit length; zero stays zero.
    #[inline(always)]
    fn unit(self) -> Self {
        let length = self.dot(self).max(Lanes([NOTHING; LANES])).sqrt();
        Self(self.0.map(|x| x.over(length)))
    }
}

/// Bounds for eight pairs of one kind, by their nodes, which are at `places` and move by `motion`, m. To be called where the
/// processor's vectors can be used.
#[inline(always)]
pub(super) fn bounds(kind: Kind, nodes: &[[u32; 4]; LANES], places: &[DVec3], motion: &[DVec3]) -> [Bound; LANES] {
    let [first, second, third, fourth] = from_fn(|k| Vectors::gather(nodes, k, places));
    let (apart, normal) = match kind {
        Kind::NodeFace => node_face(first.minus(second), third.minus(second), fourth.minus(second)),
        Kind::Edges => edges(second.minus(first), fourth.minus(third), third.minus(first)),
    };
    let travel = travel(kind, from_fn(|k| Vectors::gather(nodes, k, motion)));
    from_fn(|lane| {
        let normal = DVec3::from_array(normal.0.map(|x| x.0[lane]));
        // Of what is not a number nothing is known.
        let apart = apart.0[lane] - ROUNDING;
        let shown = apart > 0.0 && normal.is_finite();
        Bound {
            apart: if shown { apart } else { -ROUNDING },
            travel: travel.0[lane],
            normal: if shown { normal } else { DVec3::ZERO },
        }
    })
}

/// A node seen from a corner of a face, and the sides of the face at that corner.
#[inline(always)]
fn node_face(from: Vectors, e1: Vectors, e2: Vectors) -> (Lanes, Vectors) {
    let (none, one) = (Lanes([0.0; LANES]), Lanes([1.0; LANES]));
    let across = e1.cross(e2);
    let area = across.dot(across).max(Lanes([NOTHING; LANES]));
    let w1 = from.cross(e2).dot(across).over(area);
    let w2 = e1.cross(from).dot(across).over(area);
    // What is beyond an edge is moved back to it, though not to the nearest point of it.
    let (w0, w1, w2) = ((one - w1 - w2).max(none), w1.max(none), w2.max(none));
    let sum = w0 + w1 + w2;
    let between = from.minus(e1.scaled(w1.over(sum))).minus(e2.scaled(w2.over(sum))).unit();
    let upright = across.scaled(from.dot(across).map2(none, |side, _| side.signum())).unit();
    let along = |direction: Vectors| from.dot(direction) - e1.dot(direction).max(e2.dot(direction)).max(none);
    let (apart, apart_upright) = (along(between), along(upright));
    let better: [bool; LANES] = from_fn(|k| apart_upright.0[k] > apart.0[k]);
    let normal = Vectors(from_fn(|axis| {
        Lanes(from_fn(|k| if better[k] { upright.0[axis].0[k] } else { between.0[axis].0[k] }))
    }));
    (apart.max(apart_upright), normal)
}

/// Two edges, and the start of the second seen from that of the first.
#[inline(always)]
fn edges(ea: Vectors, eb: Vectors, from: Vectors) -> (Lanes, Vectors) {
    let (none, least) = (Lanes([0.0; LANES]), Lanes([NOTHING; LANES]));
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

/// [`Kind::travel`] of eight pairs.
#[inline(always)]
fn travel(kind: Kind, moves: [Vectors; 4]) -> Lanes {
    let quarter = Lanes([0.25; LANES]);
    let mean =
        Vectors(from_fn(|axis| (moves[0].0[axis] + moves[1].0[axis] + moves[2].0[axis] + moves[3].0[axis]) * quarter));
    let [a, b, c, d] = moves.map(|moved| {
        let beyond = moved.minus(mean);
        beyond.dot(beyond)
    });
    match kind {
        Kind::NodeFace => a.sqrt() + b.max(c).max(d).sqrt(),
        Kind::Edges => a.max(b).sqrt() + c.max(d).sqrt(),
    }
}
