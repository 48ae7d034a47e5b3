//! Sparse linear algebra for symmetric positive definite matrices of 3×3 blocks: one symbolic analysis per pattern,
//! numeric factorisation as often as needed. And a small dense factor that grows and shrinks.

mod dense;
mod factor;
mod growing;
mod ordering;
mod pattern;
mod supernodes;

pub(crate) use factor::{Factor, NotPositive};
pub(crate) use growing::{Dependent, Growing};
pub(crate) use pattern::{BlockPattern, Slot};
