//! Captures of real cloth: what cameras saw of it, simulated with the hands that moved it, how far the two are apart, and which
//! parameters bring them closest.
//!
//! - [`Capture`]: markers on the cloth over time, with gaps, how those that are held were moved, and what was in the way,
//! - [`description`]: captures as a TOML file describes them, with their markers in one of the usual files of [`markers`],
//! - [`depth_camera`]: captures in the layout of a depth camera's grids,
//! - [`replay`]: a simulation of the same cloth in the same hands,
//! - [`Errors`]: how far its markers are from those that were seen,
//! - [`fit`]: the parameters with the least error, and how well they are known,
//! - [`twin`]: captures of simulated cloth, whose parameters are known.

mod capture;
mod contact;
pub mod depth_camera;
pub mod description;
mod dice;
mod errors;
mod files;
pub mod fit;
mod hem;
pub mod markers;
mod parameter;
mod read_error;
mod replay;
mod smooth;
mod spline;
mod start;
pub mod twin;
mod world;

pub use capture::{Capture, CaptureError, CaptureFrame, CapturedObstacle, HeldMarker};
pub use contact::ContactInterval;
pub use errors::{ContactError, Errors};
pub use files::read_captures;
pub use hem::{Hem, HemSwing};
pub use parameter::{Parameter, Parameters};
pub use read_error::ReadError;
pub use replay::{Discretisation, Replay, ReplayError, Stage, Start, replay};
pub use spline::Spline;
