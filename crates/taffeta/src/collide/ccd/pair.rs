//! Pairs of doubles: numbers of 106 digits, by the algorithms whose error Joldeş, Muller and Popescu bound (*Tight and rigorous
//! error bounds for basic building blocks of double-word arithmetic*, 2017). With `u` = 2⁻⁵³, sums are good to `3u²` (their
//! algorithm 6) and products to `7u²` (algorithm 10, which needs no fused instructions), terms in `u³` apart.

use std::ops::{Add, Mul, Neg, Sub};

/// The sum of two doubles, the second at most half a unit in the last place of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    high: f64,
    low: f64,
}

impl Pair {
    /// A double.
    #[inline]
    pub fn new(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }

    /// The sum of two doubles, exactly.
    #[inline]
    pub fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let rest = high - a;
        Self { high, low: (a - (high - rest)) + (b - rest) }
    }

    /// The nearest double.
    #[inline]
    pub fn value(self) -> f64 {
        self.high
    }

    /// The sum of two doubles of which the first is not the smaller one, exactly.
    #[inline]
    fn ordered_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }

    /// The product of two doubles, exactly unless it underflows.
    #[inline]
    fn product(a: f64, b: f64) -> Self {
        let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
        let high = a * b;
        let low = a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low);
        Self { high, low }
    }
}

/// A double as a sum of two of 26 digits each, whose products are exact.
#[inline]
fn halves(a: f64) -> (f64, f64) {
    /// 2²⁷ + 1.
    const SPLIT: f64 = 134_217_729.0;
    let shifted = SPLIT * a;
    let high = shifted - (shifted - a);
    (high, a - high)
}

impl Add for Pair {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let sum = Self::ordered_sum(high.high, high.low + low.high);
        Self::ordered_sum(sum.high, sum.low + low.low)
    }
}

impl Sub for Pair {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Pair {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Mul for Pair {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::ordered_sum(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}
