//! taffeta: a simulator of inextensible cloth.

pub mod cloth;
mod linalg;
pub mod mesh;
mod model;
mod params;
mod state;
mod step;

pub use glam::{DVec2, DVec3};
pub use model::Model;
pub use params::{Integrator, Params, Solver};
pub use state::State;
pub use step::{Held, Inputs, StepError, StepReport, Workspace, step};
