//! Saved points, copies, pictures and recordings.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use super::{BUSY, Simulation, lock};
use crate::camera::{Camera, draw};
use crate::errors::invalid;
use crate::recording::{Recorder, Writer};
use crate::world::World;

#[pymethods]
impl Simulation {
    /// All that changes, as bytes: state, hands, motions and parameters. `restore` goes on from there to the same bits. Forces of hands and
    /// clearances are of a step and not saved: they are known again after the next one.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.lock()?.save().map_err(invalid)?))
    }

    /// Goes to what `save` returned, of this simulation or another one of the same scene.
    fn restore(&self, saved: &[u8]) -> PyResult<()> {
        let mut world = self.lock()?;
        if lock(&self.writer, BUSY)?.is_some() {
            return Err(invalid("this simulation is being recorded, and in a recording time goes on: stop that first"));
        }
        world.restore(saved).map_err(invalid)
    }

    /// Records what follows into a folder that all tools of taffeta read, beginning with the simulation as it is: a frame every
    /// `frame_steps` steps, by default as the scene says, and the report of every step. Ends with `stop` of what is returned, which a
    /// `with` block does. What was written within the last second before a crash may be missing.
    #[pyo3(signature = (path, *, overwrite = false, frame_steps = None))]
    fn record(slf: Py<Self>, path: PathBuf, overwrite: bool, frame_steps: Option<i64>) -> PyResult<Recorder> {
        let frame_steps = frame_steps.map(|steps| match u64::try_from(steps) {
            Ok(steps @ 1..) => Ok(steps),
            _ => Err(invalid(format!("frame_steps is {steps}: give 1 or more"))),
        });
        let frame_steps = frame_steps.transpose()?;
        let simulation = slf.get();
        let world = simulation.lock()?;
        let mut writer = lock(&simulation.writer, BUSY)?;
        if writer.is_some() {
            return Err(invalid("this simulation is being recorded already: stop that first"));
        }
        *writer = Some(Writer::begin(&world, &path, overwrite, frame_steps)?);
        drop((world, writer));
        Ok(Recorder { simulation: slf, folder: path })
    }

    /// A simulation that goes on from here to the same bits, and apart from this one.
    fn copy(&self) -> PyResult<Self> {
        Ok(Self::of(self.lock()?.clone()))
    }

    fn __copy__(&self) -> PyResult<Self> {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy()
    }

    /// The simulation with its scene and all files of it, as bytes: for another process or machine. Pickles are made of it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.lock()?.save_whole().map_err(invalid)?))
    }

    /// The simulation that `to_bytes` was called for.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, saved: &[u8]) -> PyResult<Self> {
        Ok(Self::of(World::from_whole(saved).map_err(invalid)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let saved = slf.get().to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (saved,)))
    }

    /// A picture: array of shape (height, width, 3) of uint8. Without a `camera` one is set up for the cloth as it is, as `camera`
    /// does. `lines` draws the mesh, `supersample` is how many samples a pixel has along each of its sides, 1 to 8.
    #[pyo3(signature = (width = 640, height = 480, camera = None, *, lines = true, supersample = 3))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        width: usize,
        height: usize,
        camera: Option<&Camera>,
        lines: bool,
        supersample: usize,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let guard = self.lock()?;
        let world = &*guard;
        let camera = camera.copied();
        let picture = py.detach(|| draw(world, camera, [width, height], lines, supersample))?;
        PyArray1::from_slice(py, picture.pixels().as_flattened()).reshape([height, width, 3])
    }

    /// The camera that has the cloth as it is now, and what is near it, in a picture of this shape. Azimuth 0 looks along y, and grows
    /// anticlockwise seen from above; an elevation of 90 looks straight down; degrees.
    #[pyo3(signature = (azimuth = 30.0, elevation = 15.0, aspect = 4.0 / 3.0))]
    fn camera(&self, azimuth: f64, elevation: f64, aspect: f64) -> PyResult<Camera> {
        let finite = [azimuth, elevation, aspect].iter().all(|number| number.is_finite());
        if !finite || aspect <= 0.0 {
            return Err(invalid("azimuth and elevation must be finite, and aspect positive"));
        }
        Ok(Camera::of(&*self.lock()?, azimuth, elevation, aspect))
    }
}
