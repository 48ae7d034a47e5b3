//! Tests of who meets whom.

mod bounds;
mod broad;
mod edges;
mod gaps;
mod intersections;
mod pairs;
mod rational;
