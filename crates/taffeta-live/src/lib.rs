//! A simulation that can be pulled at while it runs: what the viewer's page computes with, as WebAssembly.
//!
//! - [`Session`]: a scene being run, with a hand that grabs the cloth, pins, knobs for the material, and a recording of what
//!   was done,
//! - [`Description`]: what a page is told of it once,
//! - `bindings`: the same for JavaScript, on WebAssembly only.

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod bindings;
mod description;
mod hand;
mod knob;
mod session;

pub use description::Description;
pub use knob::{KNOBS, Knob};
pub use session::{LiveError, Session};
