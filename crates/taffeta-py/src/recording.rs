//! Recordings: written while a simulation is stepped, and read again.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use glam::DVec3;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use taffeta::StepReport;
use taffeta_io::recording::{self, RecordingHeader, Snapshot, report};
use taffeta_io::scene::Scene;

use crate::arrays::{self, elements};
use crate::errors::{RecordingError, of_scene};
use crate::simulation::Simulation;
use crate::world::World;

/// Wall time between flushes: to make a recording safe takes longer than a step.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) fn failed(error: recording::RecordingError) -> PyErr {
    RecordingError::new_err(error.to_string())
}

/// A recording that is being written.
pub struct Writer {
    recorder: recording::Recorder,
    /// Steps from one frame to the next.
    frame_steps: u64,
    flushed: Instant,
    /// Steps when it began.
    first: u64,
}

impl Writer {
    /// Begins a recording with the simulation as it is.
    pub fn begin(world: &World, folder: &Path, overwrite: bool, frame_steps: Option<u64>) -> PyResult<Self> {
        let simulation = &world.simulation;
        let mesh = simulation.model().cloth().mesh();
        let header = RecordingHeader {
            nodes: mesh.node_count(),
            elements: mesh.elements(),
            obstacles: simulation.obstacles.len(),
            grippers: simulation.grippers().len(),
            report_fields: &report::FIELDS,
            scene_toml: &world.scene().to_toml().map_err(of_scene)?,
            overwrite,
        };
        let recorder = recording::Recorder::create(folder, &header).map_err(|error| match error {
            recording::RecordingError::Exists { .. } => RecordingError::new_err(format!("{error} with overwrite=True")),
            other => failed(other),
        })?;
        let frame_steps = frame_steps.unwrap_or_else(|| world.scene().steps_per_frame());
        let mut writer = Self { recorder, frame_steps, flushed: Instant::now(), first: simulation.steps() };
        writer.frame(world).and_then(|()| writer.flush()).map_err(failed)?;
        Ok(writer)
    }

    /// Notes a step that was taken, and how long it took, s.
    pub fn note(&mut self, world: &World, taken: &StepReport, seconds: f64) -> PyResult<()> {
        self.recorder.report(&report::row(world.simulation.time(), taken), seconds).map_err(failed)?;
        if world.simulation.steps().is_multiple_of(self.frame_steps) {
            self.frame(world).map_err(failed)?;
        }
        if self.flushed.elapsed() >= FLUSH_INTERVAL { self.flush().map_err(failed) } else { Ok(()) }
    }

    fn frame(&mut self, world: &World) -> Result<(), recording::RecordingError> {
        self.recorder.frame(&Snapshot::new(&world.simulation, world.held()).frame())
    }

    fn flush(&mut self) -> Result<(), recording::RecordingError> {
        self.flushed = Instant::now();
        // It cannot be resumed by the command, which knows nothing of what Python does to a simulation.
        self.recorder.flush(&[])
    }

    /// Ends the recording.
    pub fn finish(mut self, world: &World) -> PyResult<()> {
        let steps = world.simulation.steps();
        let ended = if steps.is_multiple_of(self.frame_steps) { Ok(()) } else { self.frame(world) };
        let summary = json!({
            "scene": world.scene().name(),
            "steps": steps - self.first.min(steps),
            "simulated_s": world.simulation.time(),
            "by_hand": true,
        });
        ended.and_then(|()| self.recorder.finish(&summary)).map_err(failed)
    }
}

/// A recording that a simulation is writing: to be ended by `stop`, or by the end of a `with` block.
#[pyclass(frozen, module = "taffeta")]
pub struct Recorder {
    pub simulation: Py<Simulation>,
    pub folder: PathBuf,
}

#[pymethods]
impl Recorder {
    /// The folder that it is written to.
    #[getter]
    fn path(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Ends the recording; nothing happens if it has ended.
    fn stop(&self) -> PyResult<()> {
        self.simulation.get().stop_recording()
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(&self, _kind: &Bound<'_, PyAny>, _error: &Bound<'_, PyAny>, _trace: &Bound<'_, PyAny>) -> PyResult<()> {
        self.stop()
    }
}

/// A recording, of the command or of `Simulation.record`, as it was when it was opened: finished, going on or cut short.
#[pyclass(frozen, module = "taffeta")]
pub struct Recording {
    pub(crate) recording: recording::Recording,
}

impl Recording {
    /// Something of every frame.
    fn frames<T: Send>(
        &self,
        py: Python<'_>,
        read: impl Fn(usize) -> Result<T, recording::RecordingError> + Send,
    ) -> PyResult<Vec<T>> {
        py.detach(|| (0..self.recording.frames()).map(read).collect::<Result<Vec<T>, _>>()).map_err(failed)
    }

    /// Vectors of all nodes in every frame.
    fn vectors<'py>(
        &self,
        py: Python<'py>,
        read: impl Fn(usize) -> Result<Vec<DVec3>, recording::RecordingError> + Send,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let (frames, nodes) = (self.frames(py, read)?, self.recording.nodes());
        arrays::fill(py, None, [frames.len(), nodes, 3], |out| {
            for (frame, out) in frames.iter().zip(out.chunks_exact_mut(3 * nodes)) {
                arrays::write_vectors(frame, out);
            }
        })
    }
}

#[pymethods]
impl Recording {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        Ok(Self { recording: recording::Recording::open(&path).map_err(failed)? })
    }

    fn __len__(&self) -> usize {
        self.recording.frames()
    }

    /// The folder it is in.
    #[getter]
    fn path(&self) -> PathBuf {
        self.recording.folder().to_owned()
    }

    /// How many nodes the cloth has.
    #[getter]
    fn nodes(&self) -> usize {
        self.recording.nodes()
    }

    /// Times of the frames, s: array of shape (frames,).
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.recording.times())
    }

    /// Places of the nodes, m: array of shape (frames, nodes, 3), read anew whenever it is asked for.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.vectors(py, |frame| self.recording.positions(frame))
    }

    /// Velocities of the nodes, m/s: array of shape (frames, nodes, 3).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.vectors(py, |frame| self.recording.velocities(frame))
    }

    /// Which nodes are held: array of shape (frames, nodes).
    #[getter]
    fn held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let frames = self.frames(py, |frame| self.recording.held(frame))?;
        let shape = [frames.len(), self.recording.nodes()];
        PyArray1::from_vec(py, frames.into_iter().flatten().collect()).reshape(shape)
    }

    /// Where the obstacles are: array of shape (frames, obstacles, 7), places in m and quaternions w, x, y, z.
    #[getter]
    fn obstacle_poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let frames = self.frames(py, |frame| self.recording.obstacle_poses(frame))?;
        let shape = [frames.len(), self.recording.obstacles(), 7];
        let numbers = frames.into_iter().flatten().flat_map(|pose| {
            let (place, turn) = (pose.translation, pose.rotation);
            [place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z]
        });
        PyArray1::from_vec(py, numbers.collect()).reshape(shape)
    }

    /// Nodes of the quads and triangles of the mesh: array of shape (elements, 4), in which triangles end with -1.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        elements(py, self.recording.elements())
    }

    /// Numbers of every step by their names, with their units: arrays of shape (steps,).
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let columns = py.detach(|| self.recording.reports_of(0..self.recording.reports())).map_err(failed)?.0;
        for (name, column) in self.recording.report_fields().iter().zip(columns) {
            dict.set_item(name, PyArray1::from_vec(py, column))?;
        }
        Ok(dict)
    }

    /// The scene that was run, as TOML.
    #[getter]
    fn toml(&self) -> &str {
        self.recording.scene_toml()
    }

    /// What stopped the run, if something did.
    #[getter]
    fn failure(&self) -> Option<&str> {
        self.recording.failure()
    }

    /// What came of the run, as a dict; None while it is unfinished.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(summary) = self.recording.summary() else { return Ok(None) };
        Ok(Some(py.import("json")?.call_method1("loads", (summary.to_string(),))?))
    }

    /// The start of the scene that was run.
    fn simulation(&self, py: Python<'_>) -> PyResult<Simulation> {
        let file = self.recording.folder().join("scene.toml");
        let scene = Scene::from_text("scene", self.recording.scene_toml(), Some(&file)).map_err(of_scene)?;
        Ok(Simulation::of(py.detach(|| World::new(scene)).map_err(of_scene)?))
    }

    fn __repr__(&self) -> String {
        let (frames, nodes) = (self.recording.frames(), self.recording.nodes());
        format!(
            "<taffeta.Recording {:?}: {frames} frames of {nodes} nodes>",
            self.recording.folder().display().to_string()
        )
    }
}
