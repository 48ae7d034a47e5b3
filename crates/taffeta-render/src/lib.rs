//! Pictures of cloth without a GPU.
//!
//! A small, deterministic software rasteriser whose one subject is a sheet of cloth: two colours
//! tell its sides apart, a key light with shadows and an occluded sky make its folds read, thin
//! mesh lines show how the material flows, and dots mark the nodes that are held.
//!
//! ```
//! use glam::DVec3;
//! use taffeta_render::{Camera, Style, Surface, render};
//!
//! let positions = [DVec3::ZERO, DVec3::X, DVec3::Z];
//! let surface = Surface {
//!     positions: &positions,
//!     triangles: &[[0, 1, 2]],
//!     edges: &[[0, 1], [1, 2], [2, 0]],
//!     marked: &[2],
//! };
//! let camera = Camera::framing(DVec3::ZERO, DVec3::ONE, 20.0, 15.0, 4.0 / 3.0);
//! let picture = render(&surface, &camera, &Style::default(), 160, 120)?;
//! assert_eq!((picture.width(), picture.height()), (160, 120));
//! # Ok::<(), taffeta_render::RenderError>(())
//! ```
//!
//! Lengths are in whatever unit the positions use, `z` is up, and pixel rows run from the top of
//! the picture to its bottom.

mod band;
mod bounds;
mod camera;
mod colour;
mod contact_sheet;
mod depth_map;
mod error;
mod floor;
mod font;
mod image;
mod lighting;
mod picture;
mod projection;
mod props;
mod raster;
mod render;
mod skin;
mod sky;
mod style;
mod surface;

pub use camera::Camera;
pub use contact_sheet::contact_sheet;
pub use error::RenderError;
pub use picture::Picture;
pub use render::render;
pub use style::Style;
pub use surface::Surface;
