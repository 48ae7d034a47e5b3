//! `taffeta.Simulation`.

pub mod control;
pub mod measure;
mod save;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Instant;

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::account::Account;
use crate::arrays::{self, from_nodes, from_vectors, vectors};
use crate::errors::{Busy, Error, Refused, SceneError, invalid};
use crate::interruptible;
use crate::recording::Writer;
use crate::report::StepReport;
use crate::source;
use crate::world::{Trouble, World};

/// What is said to who uses a simulation from two threads.
const BUSY: &str = "this simulation is at work in another thread: wait for that call, or give each thread a copy()";

/// A running simulation.
///
/// `scene` is the name of a shipped scene, the path of a scene file, a text in TOML, or a dict of the same tables; `overrides` changes
/// some of its keys, as in `{"cloth.fabric": "denim"}`; `files` holds the texts of files that a text or a dict refers to, by the
/// paths that it gives them.
///
/// Units are SI: m, s, kg, N; z is up.
#[pyclass(frozen, module = "taffeta")]
pub struct Simulation {
    world: Mutex<World>,
    /// Where it is recorded, if it is.
    writer: Mutex<Option<Writer>>,
}

impl Simulation {
    pub fn of(world: World) -> Self {
        Self { world: Mutex::new(world), writer: Mutex::new(None) }
    }

    /// Ends what `record` began.
    pub fn stop_recording(&self) -> PyResult<()> {
        let world = self.lock()?;
        let writer = lock(&self.writer, BUSY)?.take();
        writer.map_or(Ok(()), |writer| writer.finish(&world))
    }

    /// The simulation, unless another thread is at work with it.
    pub fn lock(&self) -> PyResult<MutexGuard<'_, World>> {
        lock(&self.world, BUSY)
    }
}

/// What is behind a lock that nobody waits for.
pub fn lock<'a, T>(mutex: &'a Mutex<T>, busy: &str) -> PyResult<MutexGuard<'a, T>> {
    match mutex.try_lock() {
        Ok(guard) => Ok(guard),
        Err(TryLockError::WouldBlock) => Err(Busy::new_err(busy.to_owned())),
        Err(TryLockError::Poisoned(_)) => {
            Err(Error::new_err("a call failed where it should not and left this object half-changed: make it again"))
        }
    }
}

/// Steps asked for.
pub fn step_count(steps: i64, what: &str) -> PyResult<u64> {
    u64::try_from(steps).map_err(|_| invalid(format!("{what} is {steps}: give 0 or more")))
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, overrides = None, files = None))]
    fn new(
        scene: &Bound<'_, PyAny>,
        overrides: Option<&Bound<'_, PyDict>>,
        files: Option<BTreeMap<String, String>>,
    ) -> PyResult<Self> {
        let mut world = source::world(scene, overrides, files)?;
        let checked = scene.py().detach(|| world.simulation.check_start());
        if let Err(error) = checked {
            let refused = Refused::new(&Trouble::Refused(error), &world.simulation, 0);
            return Err(SceneError::new_err(refused.message));
        }
        Ok(Self::of(world))
    }

    /// Takes `n` steps, and returns the report of all of them together.
    ///
    /// Raises `StepRefused` if one cannot be taken; the simulation is then as it was before that one.
    #[pyo3(signature = (n = 1))]
    fn step(&self, py: Python<'_>, n: i64) -> PyResult<StepReport> {
        let steps = step_count(n, "n")?;
        let mut guard = self.lock()?;
        let (world, mut writer) = (&mut *guard, lock(&self.writer, BUSY)?);
        let writer = &mut *writer;
        let (mut account, mut refused) = (Account::default(), None);
        let outcome = interruptible::repeat(py, || {
            if account.steps == steps {
                return Ok(true);
            }
            let begun = writer.is_some().then(Instant::now);
            match world.step() {
                Ok(report) => {
                    account.add(&report);
                    if let (Some(writer), Some(begun)) = (writer.as_mut(), begun) {
                        writer.note(world, &report, begun.elapsed().as_secs_f64())?;
                    }
                }
                Err(trouble) => refused = Some(Refused::new(&trouble, &world.simulation, account.steps)),
            }
            Ok(refused.is_some())
        });
        world.account = account;
        outcome?;
        match refused {
            None => Ok(StepReport::from(&account)),
            Some(refused) => Err(refused.into_exception()),
        }
    }

    /// The report of the last call of `step`; None before the first.
    #[getter]
    fn report(&self) -> PyResult<Option<StepReport>> {
        let account = self.lock()?.account;
        Ok((account.steps > 0).then(|| StepReport::from(&account)))
    }

    /// The name of the scene.
    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.lock()?.scene().name().to_owned())
    }

    /// The scene as TOML, with all its defaults filled in and as it was loaded.
    #[getter]
    fn toml(&self) -> PyResult<String> {
        self.lock()?.scene().to_toml().map_err(crate::errors::of_scene)
    }

    /// The texts of the files that the scene refers to, by their paths: what `files` is of a second simulation of `toml`.
    #[getter]
    fn files(&self) -> PyResult<BTreeMap<String, String>> {
        self.lock()?.scene().files().map_err(crate::errors::of_scene)
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.simulation.time())
    }

    /// Length of a step, s.
    #[getter]
    fn dt(&self) -> PyResult<f64> {
        Ok(self.lock()?.simulation.dt())
    }

    /// Steps taken since the start of the scene.
    #[getter]
    fn steps(&self) -> PyResult<u64> {
        Ok(self.lock()?.simulation.steps())
    }

    /// How long the scene is, s. Steps beyond it are taken all the same.
    #[getter]
    fn duration(&self) -> PyResult<f64> {
        Ok(self.lock()?.scene().settings().duration_s)
    }

    /// Places of the nodes, m: a copy, of shape (nodes, 3). Given such an array, puts the nodes there at once.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        from_vectors(py, self.lock()?.simulation.positions())
    }

    #[setter]
    fn set_positions(&self, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut world = self.lock()?;
        let positions = vectors(positions, "positions", world.nodes())?;
        world.set_positions(positions);
        Ok(())
    }

    /// Velocities of the nodes, m/s: a copy, of shape (nodes, 3). Can be set like positions.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        from_vectors(py, self.lock()?.simulation.velocities())
    }

    #[setter]
    fn set_velocities(&self, velocities: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut world = self.lock()?;
        let velocities = vectors(velocities, "velocities", world.nodes())?;
        world.set_velocities(velocities);
        Ok(())
    }

    /// Writes the places of the nodes into an array of float64 of shape (nodes, 3), m, and returns it.
    fn read_positions<'py>(&self, out: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        read_into(self.lock()?.simulation.positions(), out)
    }

    /// Writes the velocities of the nodes into an array of float64 of shape (nodes, 3), m/s, and returns it.
    fn read_velocities<'py>(&self, out: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        read_into(self.lock()?.simulation.velocities(), out)
    }

    /// How many nodes the cloth has.
    #[getter]
    fn nodes(&self) -> PyResult<usize> {
        Ok(self.lock()?.nodes())
    }

    /// Nodes of the triangles in which the cloth meets itself and is drawn: array of shape (triangles, 3).
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let world = self.lock()?;
        let triangles = world.simulation.model().cloth().surface().triangles();
        from_nodes(py, triangles.iter().map(|nodes| nodes.map(|node| node as usize)))
    }

    /// Nodes of the quads and triangles of the mesh: array of shape (elements, 4), in which triangles end with -1.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let world = self.lock()?;
        arrays::elements(py, world.simulation.model().cloth().mesh().elements())
    }

    /// Ends of the edges of the mesh: array of shape (edges, 2).
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let world = self.lock()?;
        from_nodes(py, world.simulation.model().cloth().mesh().edges().iter().map(|edge| edge.nodes))
    }

    /// Lengths of the edges at rest, m: array of shape (edges,).
    #[getter]
    fn rest_lengths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.lock()?.simulation.model().cloth().rest_lengths()))
    }

    /// Mass of each node, kg: array of shape (nodes,).
    #[getter]
    fn node_masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let world = self.lock()?;
        let density = world.simulation.params.material.density;
        let areas = world.simulation.model().cloth().node_areas();
        Ok(PyArray1::from_vec(py, areas.iter().map(|area| density * area).collect()))
    }

    /// Columns and rows of nodes, if the cloth is one grid: node `row * columns + column`. None for other meshes.
    #[getter]
    fn grid(&self) -> PyResult<Option<(usize, usize)>> {
        let world = self.lock()?;
        let shape = world.simulation.model().cloth().mesh().grid_shape();
        Ok(shape.map(|shape| (shape.nx, shape.ny)))
    }

    fn __repr__(&self) -> PyResult<String> {
        let world = self.lock()?;
        let (name, nodes, time) = (world.scene().name(), world.nodes(), world.simulation.time());
        Ok(format!("<taffeta.Simulation {name:?}: {nodes} nodes, t = {time:.4} s>"))
    }
}

fn read_into<'py>(vectors: &[glam::DVec3], out: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    arrays::fill_rows(&out, vectors)?;
    Ok(out)
}
