//! Numbers of two precisions, and vectors of them: doubles for nearly everything, pairs of doubles where those cannot tell.

use std::ops::{Add, Mul, Neg, Sub};

use glam::DVec3;

use super::pair::Pair;

/// A number whose sums, differences and products are off by at most half of [`Real::EPSILON`] of themselves.
pub(super) trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Twice the largest relative error of one operation.
    const EPSILON: f64;

    /// The shortest part of the motion worth cutting: within it a corner moves by about as much as rounding hides.
    const SHORTEST: f64;

    /// The most instants to look at in one query.
    const MAX_INSTANTS: u32;

    /// Passes that make a vector perpendicular to another, by factors of a double each: what is left after them is rounding.
    const PASSES: u32;

    /// A double, exactly.
    fn new(value: f64) -> Self;

    /// The difference of two doubles, as exact as can be.
    fn difference(a: f64, b: f64) -> Self;

    /// The nearest double.
    fn value(self) -> f64;
}

impl Real for f64 {
    const EPSILON: f64 = f64::EPSILON;
    const SHORTEST: f64 = 1.0 / (1u128 << 44) as f64;
    const MAX_INSTANTS: u32 = 512;
    const PASSES: u32 = 2;

    #[inline]
    fn new(value: f64) -> Self {
        value
    }

    #[inline]
    fn difference(a: f64, b: f64) -> Self {
        a - b
    }

    #[inline]
    fn value(self) -> f64 {
        self
    }
}

impl Real for Pair {
    // Sums are good to 3u² and products to 7u², u = 2⁻⁵³; 8u² leaves room for u³.
    const EPSILON: f64 = 4.0 * f64::EPSILON * f64::EPSILON;
    const SHORTEST: f64 = 1.0 / (1u128 << 96) as f64;
    const MAX_INSTANTS: u32 = 256;
    const PASSES: u32 = 4;

    #[inline]
    fn new(value: f64) -> Self {
        Self::new(value)
    }

    #[inline]
    fn difference(a: f64, b: f64) -> Self {
        Self::sum(a, -b)
    }

    #[inline]
    fn value(self) -> f64 {
        self.value()
    }
}

/// A vector in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vector<R> {
    x: R,
    y: R,
    z: R,
}

impl<R: Real> Vector<R> {
    /// The difference of two points.
    #[inline]
    pub fn between(from: DVec3, to: DVec3) -> Self {
        Self { x: R::difference(to.x, from.x), y: R::difference(to.y, from.y), z: R::difference(to.z, from.z) }
    }

    #[inline]
    pub fn dot(self, other: Self) -> R {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline]
    pub fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }

    /// The nearest vector of doubles.
    #[inline]
    pub fn value(self) -> DVec3 {
        DVec3::new(self.x.value(), self.y.value(), self.z.value())
    }
}

impl<R: Real> Add for Vector<R> {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<R: Real> Sub for Vector<R> {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl<R: Real> Neg for Vector<R> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl<R: Real> Mul<R> for Vector<R> {
    type Output = Self;

    #[inline]
    fn mul(self, factor: R) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}
