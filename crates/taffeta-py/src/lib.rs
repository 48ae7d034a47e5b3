//! The Python module of taffeta: simulations and batches of them, as `python/taffeta` shows them.
//!
//! Every object is behind a lock of its own that is never waited for: who uses one from two threads at once is told so by an
//! exception. Long work is done without the interpreter's lock, and looks for Ctrl-C about twenty times a second.

mod account;
mod arrays;
mod batch;
mod camera;
mod errors;
mod fit;
mod glide;
mod interruptible;
mod page;
mod recording;
mod report;
mod simulation;
mod source;
mod world;

/// What `taffeta` is made of; import that instead.
#[pyo3::pymodule]
mod _taffeta {
    #[pymodule_export]
    use super::batch::Batch;
    #[pymodule_export]
    use super::camera::Camera;
    #[pymodule_export]
    use super::fit::fit_captures;
    #[pymodule_export]
    use super::recording::{Recorder, Recording};
    #[pymodule_export]
    use super::report::{GripReading, StepReport};
    #[pymodule_export]
    use super::simulation::Simulation;

    use pyo3::prelude::*;

    /// The version of the library.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// The names of the scenes that come with taffeta.
    #[pyfunction]
    fn scenes() -> Vec<&'static str> {
        taffeta_io::scene::shipped().iter().map(|(name, _)| *name).collect()
    }
}
