//! Boxes along the axes, eight at a time.
//!
//! Single precision is enough to tell who may meet, and twice as fast; rounding is always outwards.

use glam::DVec3;
use wide::f32x8;

/// Boxes tested at once.
pub(super) const LANES: usize = 8;

/// A box; one that holds nothing has its low end above its high end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub low: [f32; 3],
    pub high: [f32; 3],
}

impl Bounds {
    pub const EMPTY: Self = Self { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// A box of single precision around one of double precision; empty along an axis where that is not a number.
    pub fn around(low: DVec3, high: DVec3) -> Self {
        let down = |x: f64| lower(f32::INFINITY, round_down(x));
        Self { low: low.to_array().map(down), high: high.to_array().map(|x| -down(-x)) }
    }

    pub fn union(&self, other: &Self) -> Self {
        let mut sum = *self;
        for axis in 0..3 {
            sum.low[axis] = lower(sum.low[axis], other.low[axis]);
            sum.high[axis] = -lower(-sum.high[axis], -other.high[axis]);
        }
        sum
    }
}

/// The lesser of two numbers in one instruction; a second that is not a number is passed over.
fn lower(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The least of eight numbers, by halves: faster than one after the other.
fn lowest(x: [f32; LANES]) -> f32 {
    let four: [f32; 4] = std::array::from_fn(|k| lower(x[k], x[k + 4]));
    let two: [f32; 2] = std::array::from_fn(|k| lower(four[k], four[k + 2]));
    lower(two[0], two[1])
}

/// A single that is no more than the double, and hardly less.
fn round_down(x: f64) -> f32 {
    // Conversion rounds by at most half a unit in the last place, 2⁻²⁴ of the number, or by half the smallest single.
    (x - (x.abs() * f64::from(f32::EPSILON) + f64::from(f32::MIN_POSITIVE))) as f32
}

/// Eight boxes, lane by lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Boxes {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
}

impl Boxes {
    pub const EMPTY: Self = Self { low: [[f32::INFINITY; LANES]; 3], high: [[f32::NEG_INFINITY; LANES]; 3] };

    pub fn set(&mut self, lane: usize, bounds: &Bounds) {
        for axis in 0..3 {
            self.low[axis][lane] = bounds.low[axis];
            self.high[axis][lane] = bounds.high[axis];
        }
    }

    pub fn lane(&self, lane: usize) -> Bounds {
        Bounds { low: self.low.map(|x| x[lane]), high: self.high.map(|x| x[lane]) }
    }

    /// The box around all eight.
    pub fn hull(&self) -> Bounds {
        Bounds { low: self.low.map(lowest), high: self.high.map(|x| -lowest(x.map(|x| -x))) }
    }

    /// The lanes that overlap a box, as bits.
    #[inline]
    pub fn overlapping(&self, bounds: &Bounds) -> u32 {
        let axis = |k: usize| {
            f32x8::new(self.low[k]).simd_le(f32x8::splat(bounds.high[k]))
                & f32x8::splat(bounds.low[k]).simd_le(f32x8::new(self.high[k]))
        };
        (axis(0) & axis(1) & axis(2)).to_bitmask()
    }
}

/// The set bits of a mask, lowest first.
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let bit = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(bit)
    })
}
