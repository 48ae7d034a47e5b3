//! Tests of who meets whom.

mod broad;
mod gaps;
mod intersections;
mod rational;
