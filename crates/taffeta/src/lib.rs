//! A simulator of inextensible cloth.
//!
//! Cloth is a sheet that bends and shears but does not stretch. Build one from a mesh, hold it somewhere, and step it:
//!
//! ```
//! use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
//! use taffeta::mesh::{GridCorner, Mesh};
//! use taffeta::{DVec3, Grasp, Params, Path, Simulation};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A DIN A2 sheet of 7 × 9 nodes, hanging in the xz-plane.
//! let mesh = Mesh::grid(7, 9, |s, t| DVec3::new(0.42 * s, 0.0, 0.594 * t))?;
//! let shape = mesh.grid_shape().ok_or("a grid")?;
//! let corners = [shape.corner(GridCorner::TopLeft), shape.corner(GridCorner::TopRight)];
//!
//! let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::default());
//! let params = Params { material: Material::with_density(0.18), ..Params::default() };
//! let mut simulation = Simulation::new(cloth, params, 0.01);
//!
//! // Swing its upper corners by 10 cm, once a second.
//! let amplitude = DVec3::new(0.0, 0.1, 0.0);
//! simulation.grasp(Grasp::moving(corners, Path::Sinusoid { amplitude, frequency: 1.0, phase: 0.0, ramp: 0.5 }));
//! for _ in 0..100 {
//!     let report = simulation.step()?;
//!     assert!(report.max_edge_strain < 1e-3);
//! }
//! println!("the hem is at {}", simulation.positions()[0]);
//! # Ok(())
//! # }
//! ```
//!
//! The cloth meets itself, at the distance of its thickness and with friction, unless [`Params::self_contact`] is `None`.
//! Bodies that it cannot enter are [obstacles](obstacle), put in its way by [`Simulation::add_obstacle`]; what they and
//! the hands feel can be read after every step. Garments to measure are in [`mesh::garment`].
//!
//! The pieces, for those who want them apart: a [`Model`] is what never changes (mesh, rest shape, symbolic factor) and
//! is shared between threads, [`Params`] is what a fit changes, a [`State`] is what a step changes, a [`Workspace`] is
//! scratch, and [`step()`] takes the four and the [`Inputs`] of one step. Units are SI throughout: metres, seconds,
//! kilograms, newtons; z is up by default.

pub mod cloth;
pub mod collide;
mod cores;
mod friction;
mod gripper;
mod linalg;
pub mod mesh;
pub mod metrics;
mod model;
mod motion;
pub mod obstacle;
mod params;
pub mod qp;
mod simulation;
mod state;
mod step;
mod suction;
mod timing;

pub use cloth::Published;
pub use collide::{Site, Stencil, ccd};
pub use cores::Cores;
pub use glam::{DQuat, DVec2, DVec3};
pub use gripper::{Gripper, Pad};
pub use model::Model;
pub use motion::{Grasp, Hand, Interpolate, Interpolation, Keyframes, Path, Seam, Spring, Turn};
pub use obstacle::Body;
pub use params::{Integrator, Method, OnFailure, Params, SelfContact, Solver};
pub use simulation::{CupState, GripReading, Load, Progress, Simulation, SuctionReading};
pub use state::{BodyState, Contact, State};
pub use step::{GiveUp, Held, Inputs, StepError, StepReport, Workspace, step};
pub use suction::SuctionCup;
pub use timing::{Clock, Stage, Timings};
