//! Who meets whom: points of the cloth and the bodies of the world.

#[allow(dead_code)]
mod distance;
mod obstacles;
mod points;

pub use obstacles::Body;
pub(crate) use obstacles::meet;
pub(crate) use points::{Stencil, point_count};
