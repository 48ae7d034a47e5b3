//! Who meets whom: points of the cloth and the bodies of the world, the cloth and itself.

mod boxes;
mod broad;
mod obstacles;
mod points;
mod surface;
mod tree;

#[cfg(test)]
mod tests;

pub use broad::{BroadPhase, Candidates};
pub use obstacles::Body;
pub(crate) use obstacles::meet;
pub(crate) use points::{Stencil, point_count};
pub use surface::Surface;
