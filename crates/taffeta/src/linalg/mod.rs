//! Sparse linear algebra for symmetric positive definite matrices of 3×3 blocks: one symbolic analysis per pattern,
//! numeric factorisation as often as needed.

mod aligned;
mod costs;
mod dense;
mod factor;
mod forest;
mod graph;
mod growing;
mod modify;
mod ordering;
mod pattern;
mod rank;
mod solve;
mod supernodes;
mod triangular;

pub(crate) use factor::{Factor, NotPositive};
pub(crate) use graph::{Graph, Pairs};
pub(crate) use growing::{Dependent, Growing};
pub(crate) use modify::Change;
pub(crate) use pattern::{BlockPattern, Slot};
