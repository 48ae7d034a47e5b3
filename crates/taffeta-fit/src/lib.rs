//! Captures of real cloth: what cameras saw of it, simulated with the hands that moved it, and how far the two are apart.
//!
//! - [`Capture`]: markers on the cloth over time, with gaps, and how those that are held were moved,
//! - [`depth_camera`]: captures in the layout of a depth camera's grids,
//! - [`replay`]: a simulation of the same cloth in the same hands,
//! - [`Errors`]: how far its markers are from those that were seen.

mod capture;
pub mod depth_camera;
mod errors;
mod hem;
mod replay;
mod spline;

pub use capture::{Capture, CaptureError, CaptureFrame, HeldMarker};
pub use errors::Errors;
pub use hem::{Hem, HemSwing};
pub use replay::{Discretisation, Parameters, Replay, ReplayError, replay};
pub use spline::Spline;
