//! Pictures of cloth without a GPU.
//!
//! A small, deterministic software rasteriser whose subject is a sheet of cloth: two colours tell
//! its sides apart, a key light with shadows and an occluded sky make its folds read, thin mesh
//! lines show how the material flows, and dots mark the nodes that are held. Around it there may be
//! solid bodies in quiet colours, and a floor.
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
//!     colours: &[],
//! };
//! let camera = Camera::framing(DVec3::ZERO, DVec3::ONE, 20.0, 15.0, 4.0 / 3.0);
//! let picture = render(&surface, &camera, &Style::default(), 160, 120)?;
//! assert_eq!((picture.width(), picture.height()), (160, 120));
//! # Ok::<(), taffeta_render::RenderError>(())
//! ```
//!
//! With bodies it is a [`Scene`] that the picture is taken of, by [`render_scene`], and
//! [`Camera::framing_scene`] finds a view that they do not dwarf the cloth in.
//!
//! Lengths are in whatever unit the positions use, `z` is up, and pixel rows run from the top of
//! the picture to its bottom.

mod animation;
mod band;
mod body;
mod bounds;
mod camera;
mod colour;
mod contact_sheet;
mod depth_map;
mod error;
mod floor;
mod font;
mod image;
mod legend;
mod lighting;
mod picture;
mod projection;
mod props;
mod raster;
mod refine;
mod render;
mod scene;
mod shell;
mod skin;
mod sky;
mod style;
mod surface;

pub use animation::{to_apng, to_gif, write_apng, write_gif};
pub use body::Body;
pub use camera::Camera;
pub use colour::ramp;
pub use contact_sheet::contact_sheet;
pub use error::RenderError;
pub use legend::draw_legend;
pub use picture::Picture;
pub use render::{render, render_scene};
pub use scene::Scene;
pub use style::Style;
pub use surface::Surface;
