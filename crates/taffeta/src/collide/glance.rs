//! Where pairs of parts are to each other before and after a motion, eight pairs at a time.
//!
//! The nearest points are those of `distance.rs`, to the bit but for the signs of zeros, which no sum shows: the same operations in the
//! same order, with both ways of every question computed and one of them chosen.

use std::array::from_fn;

use glam::DVec3;
use pulp::{Arch, Simd, WithSimd};

use super::distance::THIN;
use super::lanes::{Gathered, LANES, Lanes, Mask, Vectors, travel};
use super::pairs::Kind;

/// How far two parts are apart along a direction at the start of a way and at its end, m, and how much closer it brings them at most, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parting {
    pub first: f64,
    pub last: f64,
    pub travel: f64,
}

/// [`Parting`] of eight pairs of one kind along a unit direction each, by their nodes.
pub(crate) fn partings(
    kind: Kind,
    nodes: &[[u32; 4]; LANES],
    directions: &[DVec3; LANES],
    from: &[DVec3],
    to: &[DVec3],
) -> [Parting; LANES] {
    Arch::new().dispatch(Partings { kind, nodes, directions, from, to })
}

struct Partings<'a> {
    kind: Kind,
    nodes: &'a [[u32; 4]; LANES],
    directions: &'a [DVec3; LANES],
    from: &'a [DVec3],
    to: &'a [DVec3],
}

impl WithSimd for Partings<'_> {
    type Output = [Parting; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [Parting; LANES] {
        let Self { kind, nodes, directions, from, to } = self;
        let (from, to) = (Gathered::new(nodes, from), Gathered::new(nodes, to));
        let mut along = [[0.0; LANES]; 3];
        for (lane, direction) in directions.iter().enumerate() {
            [along[0][lane], along[1][lane], along[2][lane]] = [direction.x, direction.y, direction.z];
        }
        let (mut start, mut end, mut way) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for first in (0..LANES).step_by(S::F64_LANES) {
            let along = Vectors::load(simd, &along, first);
            let (from, to) = (from.load(simd, first), to.load(simd, first));
            separation(kind, from, along).store(&mut start, first);
            separation(kind, to, along).store(&mut end, first);
            travel(simd, kind, moves(from, to)).store(&mut way, first);
        }
        from_fn(|lane| Parting { first: start[lane], last: end[lane], travel: way[lane] })
    }
}

/// [`Kind::separation`].
#[inline(always)]
fn separation<S: Simd>(kind: Kind, [a, b, c, d]: [Vectors<S>; 4], along: Vectors<S>) -> Lanes<S> {
    let (a, b, c, d) = (a.dot(along), b.dot(along), c.dot(along), d.dot(along));
    match kind {
        Kind::NodeFace => a - b.max(c).max(d),
        Kind::Edges => a.min(b) - c.max(d),
    }
}

/// How the nodes move.
#[inline(always)]
fn moves<S: Simd>(from: [Vectors<S>; 4], to: [Vectors<S>; 4]) -> [Vectors<S>; 4] {
    [to[0].minus(from[0]), to[1].minus(from[1]), to[2].minus(from[2]), to[3].minus(from[3])]
}

/// Where two parts are to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glance {
    /// Their distance at the start of the motion, m.
    pub distance: f64,
    /// [`Kind::travel`] of the motion, m.
    pub travel: f64,
    /// [`Kind::nearest`] at its end.
    pub weights: [f64; 4],
    /// From the nearest point of the second part to that of the first, m.
    pub apart: DVec3,
}

/// [`Glance`] of eight pairs of one kind, by their nodes. `distance` are the distances at the start that are known, m; not a number where
/// they are not.
pub(crate) fn glances(
    kind: Kind,
    nodes: &[[u32; 4]; LANES],
    distance: &[f64; LANES],
    from: &[DVec3],
    to: &[DVec3],
) -> [Glance; LANES] {
    Arch::new().dispatch(Glances { kind, nodes, distance, from, to })
}

struct Glances<'a> {
    kind: Kind,
    nodes: &'a [[u32; 4]; LANES],
    distance: &'a [f64; LANES],
    from: &'a [DVec3],
    to: &'a [DVec3],
}

impl WithSimd for Glances<'_> {
    type Output = [Glance; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [Glance; LANES] {
        let Self { kind, nodes, distance, from, to } = self;
        let (from, to) = (Gathered::new(nodes, from), Gathered::new(nodes, to));
        let (mut distances, mut way) = (*distance, [0.0; LANES]);
        let (mut weights, mut apart) = ([[0.0; LANES]; 4], [[0.0; LANES]; 3]);
        for first in (0..LANES).step_by(S::F64_LANES) {
            let (from, to) = (from.load(simd, first), to.load(simd, first));
            if distance[first..first + S::F64_LANES].iter().any(|distance| distance.is_nan()) {
                let between = combine(nearest(simd, kind, from), from);
                between.dot(between).sqrt().store(&mut distances, first);
            }
            let near = nearest(simd, kind, to);
            combine(near, to).store(&mut apart, first);
            for (row, weights) in weights.iter_mut().zip(near) {
                weights.store(row, first);
            }
            travel(simd, kind, moves(from, to)).store(&mut way, first);
        }
        from_fn(|lane| Glance {
            distance: if distance[lane].is_nan() { distances[lane] } else { distance[lane] },
            travel: way[lane],
            weights: from_fn(|k| weights[k][lane]),
            apart: DVec3::new(apart[0][lane], apart[1][lane], apart[2][lane]),
        })
    }
}

/// Σ w x.
#[inline(always)]
fn combine<S: Simd>(weights: [Lanes<S>; 4], x: [Vectors<S>; 4]) -> Vectors<S> {
    let ([a, b, c, d], [p, q, r, s]) = (x, weights);
    a.scaled(p).plus(b.scaled(q)).plus(c.scaled(r)).plus(d.scaled(s))
}

/// [`Kind::nearest`].
#[inline(always)]
fn nearest<S: Simd>(simd: S, kind: Kind, [a, b, c, d]: [Vectors<S>; 4]) -> [Lanes<S>; 4] {
    let one = Lanes::splat(simd, 1.0);
    match kind {
        Kind::NodeFace => {
            let [u, v, w] = point_triangle(simd, a, [b, c, d]);
            [one, u.negative(), v.negative(), w.negative()]
        }
        Kind::Edges => {
            let [alpha, beta] = segment_segment(simd, [a, b], [c, d]);
            [one - alpha, alpha, beta - one, beta.negative()]
        }
    }
}

/// The nearest of some places, as in `distance.rs`.
struct Best<S: Simd, const K: usize> {
    place: [Lanes<S>; K],
    squared: Lanes<S>,
}

impl<S: Simd, const K: usize> Best<S, K> {
    #[inline(always)]
    fn new(place: [Lanes<S>; K], gap: Vectors<S>) -> Self {
        Self { place, squared: gap.dot(gap) }
    }

    /// Offers a place where it counts.
    #[inline(always)]
    fn offer(&mut self, counts: Mask<S>, place: [Lanes<S>; K], gap: Vectors<S>) {
        let squared = gap.dot(gap);
        let better = counts.and(squared.less_than(self.squared));
        self.squared = squared.or(better, self.squared);
        for (best, offered) in self.place.iter_mut().zip(place) {
            *best = offered.or(better, *best);
        }
    }
}

/// Where the polygon of two sides is too thin to trust on which side of its edges a point is.
#[inline(always)]
fn is_thin<S: Simd>(simd: S, area_squared: Lanes<S>, e1: Vectors<S>, e2: Vectors<S>) -> Mask<S> {
    // A NaN is thin as well.
    (Lanes::splat(simd, THIN) * e1.dot(e1) * e2.dot(e2)).less_than(area_squared).negated()
}

/// The part of an edge, in [0, 1], closest to a point given from the edge's start.
#[inline(always)]
fn foot<S: Simd>(simd: S, from: Vectors<S>, edge: Vectors<S>) -> Lanes<S> {
    let (none, square) = (Lanes::splat(simd, 0.0), edge.dot(edge));
    from.dot(edge).over(square).clamped().or(none.less_than(square), none)
}

/// The weights of the ends of a side of a triangle at its point closest to `p`, and what leads from there to `p`.
#[inline(always)]
fn side<S: Simd>(simd: S, p: Vectors<S>, [start, end]: [Vectors<S>; 2]) -> (Lanes<S>, Lanes<S>, Vectors<S>) {
    let (edge, from) = (end.minus(start), p.minus(start));
    let s = foot(simd, from, edge);
    (Lanes::splat(simd, 1.0) - s, s, from.minus(edge.scaled(s)))
}

/// `distance::point_triangle`.
#[inline(always)]
fn point_triangle<S: Simd>(simd: S, p: Vectors<S>, [a, b, c]: [Vectors<S>; 3]) -> [Lanes<S>; 3] {
    let (none, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let (e1, e2, from) = (b.minus(a), c.minus(a), p.minus(a));
    let normal = e1.cross(e2);
    let area = normal.dot(normal);
    let w1 = from.cross(e2).dot(normal).over(area);
    let w2 = e1.cross(from).dot(normal).over(area);
    let w0 = one - w1 - w2;
    let is_inside = none.at_most(w0).and(none.at_most(w1)).and(none.at_most(w2));
    let is_thin = is_thin(simd, area, e1, e2);
    let mut best = Best::new([one, none, none], from);
    best.offer(is_inside, [w0, w1, w2], from.minus(e1.scaled(w1)).minus(e2.scaled(w2)));
    let (r, s, gap) = side(simd, p, [b, c]);
    best.offer(is_thin.or(w0.less_than(none)), [none, r, s], gap);
    let (r, s, gap) = side(simd, p, [c, a]);
    best.offer(is_thin.or(w1.less_than(none)), [s, none, r], gap);
    let (r, s, gap) = side(simd, p, [a, b]);
    best.offer(is_thin.or(w2.less_than(none)), [r, s, none], gap);
    let certain = is_inside.and(is_thin.negated());
    let [b0, b1, b2] = best.place;
    [w0.or(certain, b0), w1.or(certain, b1), w2.or(certain, b2)]
}

/// `distance::segment_segment`.
#[inline(always)]
fn segment_segment<S: Simd>(simd: S, a: [Vectors<S>; 2], b: [Vectors<S>; 2]) -> [Lanes<S>; 2] {
    let (none, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
    let (ea, eb, from) = (a[1].minus(a[0]), b[1].minus(b[0]), b[0].minus(a[0]));
    let normal = ea.cross(eb);
    let area = normal.dot(normal);
    let (u, v) = (from.cross(eb).dot(normal).over(area), from.cross(ea).dot(normal).over(area));
    let is_inside = none.at_most(u).and(u.at_most(one)).and(none.at_most(v)).and(v.at_most(one));
    let is_thin = is_thin(simd, area, ea, eb);
    let mut best = Best::new([none, none], from);
    best.offer(is_inside, [u, v], from.plus(eb.scaled(v)).minus(ea.scaled(u)));
    let (start, end) = (from, b[0].minus(a[1]));
    let beta = foot(simd, start.negative(), eb);
    best.offer(is_thin.or(u.less_than(none)), [none, beta], start.plus(eb.scaled(beta)));
    let beta = foot(simd, end.negative(), eb);
    best.offer(is_thin.or(one.less_than(u)), [one, beta], end.plus(eb.scaled(beta)));
    let (start, end) = (from, b[1].minus(a[0]));
    let alpha = foot(simd, start, ea);
    best.offer(is_thin.or(v.less_than(none)), [alpha, none], start.minus(ea.scaled(alpha)));
    let alpha = foot(simd, end, ea);
    best.offer(is_thin.or(one.less_than(v)), [alpha, one], end.minus(ea.scaled(alpha)));
    let certain = is_inside.and(is_thin.negated());
    let [alpha, beta] = best.place;
    [u.or(certain, alpha), v.or(certain, beta)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Points that often share coordinates, so that parallel, flat and degenerate cases come up.
    fn point() -> impl Strategy<Value = DVec3> {
        let number = prop_oneof![(-2i32..=2).prop_map(f64::from), -2.0..2.0f64, -1e-9..1e-9f64];
        [number.clone(), number.clone(), number].prop_map(DVec3::from_array)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn eight_pairs_are_seen_as_each_is_alone(
            from in prop::array::uniform32(point()), to in prop::array::uniform32(point()), known in any::<[bool; LANES]>(),
        ) {
            let nodes: [[u32; 4]; LANES] = from_fn(|lane| from_fn(|k| (4 * lane + k) as u32));
            for kind in [Kind::NodeFace, Kind::Edges] {
                let places = |x: &[DVec3], lane: usize| nodes[lane].map(|i| x[i as usize]);
                let given = from_fn(|lane| if known[lane] { 7.5 } else { f64::NAN });
                let seen = glances(kind, &nodes, &given, &from, &to);
                for (lane, glance) in seen.into_iter().enumerate() {
                    let (from, to) = (places(&from, lane), places(&to, lane));
                    let distance = if known[lane] { 7.5 } else { kind.distance(&from) };
                    prop_assert_eq!(glance.distance.to_bits(), distance.to_bits());
                    prop_assert_eq!(glance.travel.to_bits(), kind.travel(&from, &to).to_bits());
                    let weights = kind.nearest(&to);
                    // Zeros may differ in their signs.
                    prop_assert_eq!(glance.weights, weights);
                    prop_assert_eq!(glance.apart, super::super::pairs::combine(&weights, &to));
                }
                let directions: [DVec3; LANES] = from_fn(|lane| (from[lane] - to[lane]).normalize_or(DVec3::X));
                for (lane, parting) in partings(kind, &nodes, &directions, &from, &to).into_iter().enumerate() {
                    let (from, to) = (places(&from, lane), places(&to, lane));
                    prop_assert_eq!(parting.first, kind.separation(&from, directions[lane]));
                    prop_assert_eq!(parting.last, kind.separation(&to, directions[lane]));
                    prop_assert_eq!(parting.travel, kind.travel(&from, &to));
                }
            }
        }
    }
}
