//! Who meets whom: points of the cloth and the bodies of the world, the cloth and itself.
//!
//! For the simulator there is a [broad phase](BroadPhase) over the [surface](Surface) of a cloth. Apart from it, and independent
//! of it, stands the check of a frame: [`self_intersections`], [`self_gaps`].

mod boxes;
mod broad;
mod exact;
mod gaps;
mod intersections;
mod obstacles;
mod points;
mod surface;
mod sweep;
mod tree;

#[cfg(test)]
mod tests;

pub use broad::{BroadPhase, Candidates};
pub use gaps::{Gap, Parts, self_gaps, smallest_gap};
pub use intersections::{Intersection, self_intersections};
pub use obstacles::Body;
pub(crate) use obstacles::meet;
pub(crate) use points::{Stencil, point_count};
pub use surface::Surface;
