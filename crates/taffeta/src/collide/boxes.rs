//! Moving boxes along the axes, eight at a time.
//!
//! A box is where something is at the start of a motion, and how far it goes: two boxes are compared by how they move relative to
//! each other, so that what moves together is as far apart as if it stood still. Single precision is enough to tell who may
//! meet, and twice as fast; rounding is always outwards.

use glam::DVec3;
use wide::f32x8;

/// Boxes tested at once.
pub(super) const LANES: usize = 8;

/// A box that moves in a straight line; one that holds nothing has its low end above its high end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Where it is at the start.
    low: [f32; 3],
    high: [f32; 3],
    /// How far its parts move, at least and at most.
    back: [f32; 3],
    ahead: [f32; 3],
}

impl Bounds {
    pub const EMPTY: Self = Self {
        low: [f32::INFINITY; 3],
        high: [f32::NEG_INFINITY; 3],
        back: [f32::INFINITY; 3],
        ahead: [f32::NEG_INFINITY; 3],
    };

    /// The box around a point that moves from one place to another, inflated by `margin` on all sides; empty along an axis where
    /// these are not numbers.
    pub fn around(from: DVec3, to: DVec3, margin: f64) -> Self {
        let down = |x: f64| lower(f32::INFINITY, round_down(x));
        let up = |x: f64| -down(-x);
        let (low, high, motion) = (from - margin, from + margin, to - from);
        Self {
            low: low.to_array().map(down),
            high: high.to_array().map(up),
            back: motion.to_array().map(down),
            ahead: motion.to_array().map(up),
        }
    }

    pub fn union(&self, other: &Self) -> Self {
        let mut sum = *self;
        for axis in 0..3 {
            sum.low[axis] = lower(sum.low[axis], other.low[axis]);
            sum.high[axis] = -lower(-sum.high[axis], -other.high[axis]);
            sum.back[axis] = lower(sum.back[axis], other.back[axis]);
            sum.ahead[axis] = -lower(-sum.ahead[axis], -other.ahead[axis]);
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

/// A single that is less than the double by a little.
fn round_down(x: f64) -> f32 {
    // Conversion rounds by half a unit in the last place, 2⁻²⁴ of the number, or by half the smallest single; a comparison of boxes,
    // a difference and a sum, by as much of each number in it.
    const PLACES: f64 = 4.0;
    (x - PLACES * (x.abs() * f64::from(f32::EPSILON) + f64::from(f32::MIN_POSITIVE))) as f32
}

/// Eight boxes, lane by lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Boxes {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
    back: [[f32; LANES]; 3],
    ahead: [[f32; LANES]; 3],
}

impl Boxes {
    pub const EMPTY: Self = Self {
        low: [[f32::INFINITY; LANES]; 3],
        high: [[f32::NEG_INFINITY; LANES]; 3],
        back: [[f32::INFINITY; LANES]; 3],
        ahead: [[f32::NEG_INFINITY; LANES]; 3],
    };

    pub fn set(&mut self, lane: usize, bounds: &Bounds) {
        for axis in 0..3 {
            self.low[axis][lane] = bounds.low[axis];
            self.high[axis][lane] = bounds.high[axis];
            self.back[axis][lane] = bounds.back[axis];
            self.ahead[axis][lane] = bounds.ahead[axis];
        }
    }

    pub fn lane(&self, lane: usize) -> Bounds {
        Bounds {
            low: self.low.map(|x| x[lane]),
            high: self.high.map(|x| x[lane]),
            back: self.back.map(|x| x[lane]),
            ahead: self.ahead.map(|x| x[lane]),
        }
    }

    /// The box around all eight.
    pub fn hull(&self) -> Bounds {
        let highest = |x: [f32; LANES]| -lowest(x.map(|x| -x));
        Bounds {
            low: self.low.map(lowest),
            high: self.high.map(highest),
            back: self.back.map(lowest),
            ahead: self.ahead.map(highest),
        }
    }

    /// The lanes that may overlap a box at some time of the motion, as bits.
    #[inline]
    pub fn overlapping(&self, bounds: &Bounds) -> u32 {
        let axis = |k: usize| {
            // How far the box goes back and ahead, seen from each of the eight.
            let back = (f32x8::splat(bounds.back[k]) - f32x8::new(self.ahead[k])).min(f32x8::ZERO);
            let ahead = (f32x8::splat(bounds.ahead[k]) - f32x8::new(self.back[k])).max(f32x8::ZERO);
            (f32x8::splat(bounds.low[k]) + back).simd_le(f32x8::new(self.high[k]))
                & f32x8::new(self.low[k]).simd_le(f32x8::splat(bounds.high[k]) + ahead)
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
