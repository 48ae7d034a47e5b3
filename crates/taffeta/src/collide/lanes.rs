//! Numbers and vectors of several pairs of parts at a time: as many as fit in a vector of the processor.
//!
//! Every operation is done for each pair as it would be for one, so that results do not depend on how many go together. All of it must be inlined into a function that
//! is compiled for the vectors of the processor (`WithSimd`), or every operation is a call: so there are no closures.

use std::ops::{Add, Mul, Sub};

use glam::DVec3;
use pulp::Simd;

use super::pairs::Kind;

/// Pairs that are looked at together: one or several vectors of the processor.
pub(crate) const LANES: usize = 8;

/// Less than any squared length that is not zero, so that nothing is divided by zero.
pub(super) const NOTHING: f64 = f64::MIN_POSITIVE;

/// Numbers of [`LANES`] pairs.
pub(super) type Row = [f64; LANES];

/// Numbers of the pairs of one vector of the processor.
#[derive(Clone, Copy)]
pub(super) struct Lanes<S: Simd> {
    simd: S,
    x: S::f64s,
}

impl<S: Simd> Lanes<S> {
    #[inline(always)]
    pub fn splat(simd: S, number: f64) -> Self {
        Self { simd, x: simd.splat_f64s(number) }
    }

    /// Those of the pairs from this one on.
    #[inline(always)]
    pub fn load(simd: S, row: &Row, first: usize) -> Self {
        Self { simd, x: S::as_simd_f64s(&row[first..first + S::F64_LANES]).0[0] }
    }

    #[inline(always)]
    pub fn store(self, row: &mut Row, first: usize) {
        S::as_mut_simd_f64s(&mut row[first..first + S::F64_LANES]).0[0] = self.x;
    }

    #[inline(always)]
    fn with(self, x: S::f64s) -> Self {
        Self { x, ..self }
    }

    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.with(self.simd.max_f64s(self.x, other.x))
    }

    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.with(self.simd.min_f64s(self.x, other.x))
    }

    #[inline(always)]
    pub fn negative(self) -> Self {
        self.with(self.simd.neg_f64s(self.x))
    }

    /// Between 0 and 1.
    #[inline(always)]
    pub fn clamped(self) -> Self {
        self.max(Self::splat(self.simd, 0.0)).min(Self::splat(self.simd, 1.0))
    }

    #[inline(always)]
    pub fn over(self, other: Self) -> Self {
        self.with(self.simd.div_f64s(self.x, other.x))
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.with(self.simd.sqrt_f64s(self.x))
    }

    #[inline(always)]
    pub fn less_than(self, other: Self) -> Mask<S> {
        Mask { simd: self.simd, holds: self.simd.less_than_f64s(self.x, other.x) }
    }

    #[inline(always)]
    pub fn at_most(self, other: Self) -> Mask<S> {
        Mask { simd: self.simd, holds: self.simd.less_than_or_equal_f64s(self.x, other.x) }
    }

    /// These where the condition holds, others elsewhere.
    #[inline(always)]
    pub fn or(self, mask: Mask<S>, other: Self) -> Self {
        self.with(self.simd.select_f64s(mask.holds, self.x, other.x))
    }
}

impl<S: Simd> Add for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(self.simd.add_f64s(self.x, other.x))
    }
}

impl<S: Simd> Sub for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(self.simd.sub_f64s(self.x, other.x))
    }
}

impl<S: Simd> Mul for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(self.simd.mul_f64s(self.x, other.x))
    }
}

/// Where a condition holds.
#[derive(Clone, Copy)]
pub(super) struct Mask<S: Simd> {
    simd: S,
    holds: S::m64s,
}

impl<S: Simd> Mask<S> {
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { holds: self.simd.and_m64s(self.holds, other.holds), ..self }
    }

    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self { holds: self.simd.or_m64s(self.holds, other.holds), ..self }
    }

    #[inline(always)]
    pub fn negated(self) -> Self {
        let zero = self.simd.splat_f64s(0.0);
        let all = self.simd.less_than_or_equal_f64s(zero, zero);
        Self { holds: self.simd.xor_m64s(self.holds, all), ..self }
    }
}

/// What the nodes of [`LANES`] pairs have, node by node and axis by axis.
pub(super) struct Gathered([[Row; 3]; 4]);

impl Gathered {
    #[inline(always)]
    pub fn new(nodes: &[[u32; 4]; LANES], values: &[DVec3]) -> Self {
        let mut all = [[[0.0; LANES]; 3]; 4];
        for (lane, nodes) in nodes.iter().enumerate() {
            for (rows, &node) in all.iter_mut().zip(nodes) {
                let value = values[node as usize];
                [rows[0][lane], rows[1][lane], rows[2][lane]] = [value.x, value.y, value.z];
            }
        }
        Self(all)
    }

    /// Those of the pairs from this one on.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S, first: usize) -> [Vectors<S>; 4] {
        let [a, b, c, d] = &self.0;
        let (a, b) = (Vectors::load(simd, a, first), Vectors::load(simd, b, first));
        [a, b, Vectors::load(simd, c, first), Vectors::load(simd, d, first)]
    }
}

/// Vectors of the pairs of one vector of the processor.
#[derive(Clone, Copy)]
pub(super) struct Vectors<S: Simd>(pub [Lanes<S>; 3]);

impl<S: Simd> Vectors<S> {
    #[inline(always)]
    pub fn load(simd: S, rows: &[Row; 3], first: usize) -> Self {
        Self([
            Lanes::load(simd, &rows[0], first),
            Lanes::load(simd, &rows[1], first),
            Lanes::load(simd, &rows[2], first),
        ])
    }

    #[inline(always)]
    pub fn store(self, rows: &mut [Row; 3], first: usize) {
        let [x, y, z] = self.0;
        x.store(&mut rows[0], first);
        y.store(&mut rows[1], first);
        z.store(&mut rows[2], first);
    }

    #[inline(always)]
    pub fn dot(self, other: Self) -> Lanes<S> {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        a * d + b * e + c * f
    }

    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([b * f - c * e, c * d - a * f, a * e - b * d])
    }

    #[inline(always)]
    pub fn scaled(self, by: Lanes<S>) -> Self {
        let [x, y, z] = self.0;
        Self([x * by, y * by, z * by])
    }

    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([a + d, b + e, c + f])
    }

    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([a - d, b - e, c - f])
    }

    #[inline(always)]
    pub fn negative(self) -> Self {
        let [x, y, z] = self.0;
        Self([x.negative(), y.negative(), z.negative()])
    }

    /// These where the condition holds, others elsewhere.
    #[inline(always)]
    pub fn or(self, mask: Mask<S>, other: Self) -> Self {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Self([a.or(mask, d), b.or(mask, e), c.or(mask, f)])
    }

    /// Of unit length; zero stays zero.
    #[inline(always)]
    pub fn unit(self) -> Self {
        let [x, y, z] = self.0;
        let length = self.dot(self).max(Lanes::splat(x.simd, NOTHING)).sqrt();
        Self([x.over(length), y.over(length), z.over(length)])
    }
}

/// [`Kind::travel`].
#[inline(always)]
pub(super) fn travel<S: Simd>(simd: S, kind: Kind, moves: [Vectors<S>; 4]) -> Lanes<S> {
    let mean = moves[0].plus(moves[1]).plus(moves[2]).plus(moves[3]).scaled(Lanes::splat(simd, 0.25));
    let [a, b, c, d] = moves;
    let (a, b, c, d) = (a.minus(mean), b.minus(mean), c.minus(mean), d.minus(mean));
    let (a, b, c, d) = (a.dot(a), b.dot(b), c.dot(c), d.dot(d));
    match kind {
        Kind::NodeFace => a.sqrt() + b.max(c).max(d).sqrt(),
        Kind::Edges => a.max(b).sqrt() + c.max(d).sqrt(),
    }
}
