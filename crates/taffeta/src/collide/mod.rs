//! Who meets whom: the cloth and the bodies of the world, the cloth and itself.

mod boxes;
mod broad;
pub(crate) mod ccd;
mod distance;
mod edges;
mod neighbours;
mod obstacles;
mod pairs;
mod points;
mod site;
mod surface;
mod tree;

pub use obstacles::Body;
pub use points::Stencil;
pub use site::Site;
pub use surface::Surface;

pub(crate) use edges::meet_edge;
pub(crate) use neighbours::Neighbours;
pub(crate) use obstacles::meet;
pub(crate) use pairs::{Kind, Pair, Places};
pub(crate) use points::point_count;
