//! Who meets whom: points of the cloth and the bodies of the world, and moving nodes, edges and faces.

pub mod ccd;
mod distance;
mod obstacles;
mod points;

pub use obstacles::Body;
pub(crate) use obstacles::meet;
pub(crate) use points::{Stencil, point_count};
