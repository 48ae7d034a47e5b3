//! Pages in one file that show a simulation or play a recording.

use pyo3::prelude::*;
use taffeta_io::recording;
use taffeta_page::film::that_plays;

use crate::batch::Batch;
use crate::errors::{Error, RecordingError, invalid, of_scene};
use crate::recording::{Recording, Writer, failed};
use crate::simulation::Simulation;

/// What a notebook shows, by the part of the package that is written in Python.
const NOTEBOOK: &str = "taffeta.notebook";

#[pymethods]
impl Simulation {
    /// A page in one file that shows the cloth as it is, in space; with `live`, one in which the scene runs from its start, and its cloth can
    /// be pulled at. Neither needs a network.
    #[pyo3(signature = (*, live = false))]
    fn to_html(&self, py: Python<'_>, live: bool) -> PyResult<String> {
        let guard = self.lock()?;
        let world = &*guard;
        if live {
            return taffeta_page::with_scene(world.scene(), world.scene().name()).map_err(of_scene);
        }
        // What the page shows are recordings: this is one of a single frame.
        let folder =
            tempfile::tempdir().map_err(|error| Error::new_err(format!("there is no temporary folder: {error}")))?;
        let path = folder.path().join(world.scene().name());
        py.detach(|| {
            Writer::begin(world, &path, false, None)?.finish(world)?;
            page(&recording::Recording::open(&path).map_err(failed)?, 1)
        })
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(NOTEBOOK)?.call_method1("of_simulation", (slf,))
    }
}

#[pymethods]
impl Recording {
    /// A page in one file that plays the recording, every so many frames of it; it needs no network.
    #[pyo3(signature = (every = 1))]
    fn to_html(&self, py: Python<'_>, every: usize) -> PyResult<String> {
        if every == 0 {
            return Err(invalid("every is 0, which leaves no frames: give 1 or more"));
        }
        py.detach(|| page(&self.recording, every))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(NOTEBOOK)?.call_method1("of_recording", (slf,))
    }
}

#[pymethods]
impl Batch {
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import(NOTEBOOK)?.call_method1("of_batch", (slf,))
    }
}

fn page(recording: &recording::Recording, every: usize) -> PyResult<String> {
    that_plays(recording, every).map_err(|error| RecordingError::new_err(error.to_string()))
}
