//! Tests of who meets whom.

mod broad;
mod edges;
mod gaps;
mod intersections;
mod pairs;
mod rational;
