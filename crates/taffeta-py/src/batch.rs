//! `taffeta.Batch`.

mod control;
mod measure;
mod run;

use std::sync::{Arc, Mutex, MutexGuard};

use glam::DVec3;
use numpy::{PyArray1, PyArray3};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use rayon::ThreadPool;

use crate::arrays::{self, indices};
use crate::errors::{Error, Refused, invalid};
use crate::report::StepReport;
use crate::simulation::{Simulation, lock, step_count};
use crate::source;
use crate::world::World;

/// More simulations than this are a mistake.
const MAX_MEMBERS: usize = 1_000_000;

/// More threads than this are a mistake.
const MAX_THREADS: usize = 1024;

/// One of the simulations of a batch.
struct Member {
    world: World,
    /// Where it begins again.
    start: Arc<World>,
    /// Why it does not go on, if it does not.
    refused: Option<Refused>,
}

impl Member {
    fn at_start(start: &Arc<World>) -> Self {
        Self { world: World::clone(start), start: start.clone(), refused: None }
    }
}

/// Many simulations that are stepped side by side, by several threads.
///
/// `source` is a Simulation, whose very state all `n` begin from; anything that `Simulation` takes as a scene; or a list of such, one
/// for each simulation. `threads` is how many threads step them, by default as many as there are cores. The results are those of
/// single simulations, to the bit, whatever their number.
#[pyclass(frozen, module = "taffeta")]
pub struct Batch {
    members: Mutex<Vec<Member>>,
    pool: ThreadPool,
}

impl Batch {
    fn lock(&self) -> PyResult<MutexGuard<'_, Vec<Member>>> {
        lock(
            &self.members,
            "this batch is at work in another thread: wait for that call, or make a batch for each thread",
        )
    }
}

/// The start of simulations from one thing that Python gives.
fn start_of(source: &Bound<'_, PyAny>, overrides: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<World>> {
    if let Ok(simulation) = source.cast::<Simulation>() {
        if overrides.is_some() {
            return Err(invalid("overrides are for scenes, and the source is a Simulation: change it with set"));
        }
        return Ok(Arc::new(simulation.get().lock()?.clone()));
    }
    Ok(Arc::new(source::world(source, overrides, None)?))
}

/// Which simulations are meant: all of them, or some.
fn chosen(ids: Option<&Bound<'_, PyAny>>, count: usize) -> PyResult<Vec<usize>> {
    let Some(ids) = ids else { return Ok((0..count).collect()) };
    let ids = indices(ids, "ids", count)?;
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(invalid(format!("ids names simulation {} twice: name each once", pair[0]))),
        None => Ok(ids),
    }
}

/// How many nodes all simulations have, if they have as many.
fn common_nodes(members: &[Member]) -> PyResult<usize> {
    let nodes = members.first().map_or(0, |member| member.world.nodes());
    match members.iter().position(|member| member.world.nodes() != nodes) {
        None => Ok(nodes),
        Some(k) => Err(invalid(format!(
            "simulation 0 has {nodes} nodes and simulation {k} has {}: ask each of them, as in batch[{k}].positions",
            members[k].world.nodes()
        ))),
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (source, n = None, *, threads = None, overrides = None))]
    fn new(
        source: &Bound<'_, PyAny>,
        n: Option<i64>,
        threads: Option<i64>,
        overrides: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let n = n.map(|n| match usize::try_from(n) {
            Ok(n @ 1..=MAX_MEMBERS) => Ok(n),
            _ => Err(invalid(format!("n is {n}: give 1 to {MAX_MEMBERS}"))),
        });
        let n = n.transpose()?;
        let listed: Option<Vec<Bound<'_, PyAny>>> = match (source.cast::<PyList>(), source.cast::<PyTuple>()) {
            (Ok(list), _) => Some(list.iter().collect()),
            (_, Ok(tuple)) => Some(tuple.iter().collect()),
            _ => None,
        };
        let starts = match (listed, n) {
            (Some(sources), n) => {
                if n.is_some_and(|n| n != sources.len()) {
                    return Err(invalid(format!("there are {} sources: leave n out", sources.len())));
                }
                sources.iter().map(|source| start_of(source, overrides)).collect::<PyResult<Vec<_>>>()?
            }
            (None, Some(n)) => {
                let start = start_of(source, overrides)?;
                vec![start; n]
            }
            (None, None) => return Err(invalid("n is missing: say how many simulations the batch is of")),
        };
        if starts.is_empty() {
            return Err(invalid("a batch needs a simulation: the list is empty"));
        }
        let threads = match threads.map(usize::try_from) {
            None => std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            Some(Ok(threads @ 1..=MAX_THREADS)) => threads,
            Some(_) => return Err(invalid(format!("threads must be 1 to {MAX_THREADS}"))),
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|k| format!("taffeta-{k}"));
        let pool = pool.build().map_err(|error| Error::new_err(format!("threads cannot be started: {error}")))?;
        Ok(Self { members: Mutex::new(starts.iter().map(Member::at_start).collect()), pool })
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.lock()?.len())
    }

    /// A copy of one of the simulations.
    fn __getitem__(&self, k: &Bound<'_, PyAny>) -> PyResult<Simulation> {
        let members = self.lock()?;
        let k: isize = k.extract().map_err(|_| invalid("a simulation of a batch is asked for by its number"))?;
        let place = if k < 0 { k + members.len() as isize } else { k };
        // This error is what ends a loop over a batch.
        let outside =
            || pyo3::exceptions::PyIndexError::new_err(format!("the batch has {} simulations", members.len()));
        let member = usize::try_from(place).ok().and_then(|place| members.get(place)).ok_or_else(outside)?;
        Ok(Simulation::of(member.world.clone()))
    }

    /// How many threads step the simulations.
    #[getter]
    fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Takes `steps` steps of all simulations, or of those in `ids`; with `targets`, of shape (len(ids), hands, 3), m, their hands move
    /// there meanwhile, as `Simulation.move` does. Simulations that have failed stay as they are, until they are reset or restored.
    /// Returns the mask of those that have failed.
    #[pyo3(signature = (targets = None, steps = 1, ids = None, *, interpolation = "smooth"))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        targets: Option<&Bound<'py, PyAny>>,
        steps: i64,
        ids: Option<&Bound<'py, PyAny>>,
        interpolation: &str,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let steps = step_count(steps, "steps")?;
        let mut members = self.lock()?;
        let ids = chosen(ids, members.len())?;
        if let Some(targets) = targets {
            control::move_hands(&mut members, &ids, targets, steps, interpolation)?;
        }
        run::run(py, &self.pool, &mut members, &ids, steps)?;
        Ok(failed(py, &members))
    }

    /// Has all simulations, or those in `ids`, begin again where they began, with the parameters that they had then.
    #[pyo3(signature = (ids = None))]
    fn reset(&self, ids: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut members = self.lock()?;
        for k in chosen(ids, members.len())? {
            let Member { world, start, refused } = &mut members[k];
            world.clone_from(start);
            *refused = None;
        }
        Ok(())
    }

    /// Saved points of all simulations, or of those in `ids`, as `Simulation.save` makes them.
    #[pyo3(signature = (ids = None))]
    fn save<'py>(&self, py: Python<'py>, ids: Option<&Bound<'py, PyAny>>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let members = self.lock()?;
        let save = |k: usize| Ok(PyBytes::new(py, &members[k].world.save().map_err(invalid)?));
        chosen(ids, members.len())?.into_iter().map(save).collect()
    }

    /// Has simulations go to saved points: one for each of `ids` (all, if that is None), or one for all of them. A point is what `save`
    /// returned, or a Simulation of the same scene.
    fn restore(&self, ids: Option<&Bound<'_, PyAny>>, states: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut members = self.lock()?;
        let ids = chosen(ids, members.len())?;
        let states: Vec<Bound<'_, PyAny>> = match states.cast::<PyList>() {
            Ok(list) if list.len() == ids.len() => list.iter().collect(),
            Ok(list) => {
                return Err(invalid(format!("there are {} states for {} simulations", list.len(), ids.len())));
            }
            Err(_) => vec![states.clone(); ids.len()],
        };
        for (&k, state) in ids.iter().zip(&states) {
            let member = &mut members[k];
            if let Ok(simulation) = state.cast::<Simulation>() {
                member.world.clone_from(&*simulation.get().lock()?);
            } else {
                let saved = state.cast::<PyBytes>().map_err(|_| {
                    invalid(format!("a state is bytes from save or a Simulation, not {}", arrays::kind_of(state)))
                })?;
                member.world.restore(saved.as_bytes()).map_err(invalid)?;
            }
            member.refused = None;
        }
        Ok(())
    }

    /// Places of the nodes of all simulations, m: a copy, of shape (n, nodes, 3). Can be set.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        read(py, &self.lock()?, None, |world| world.simulation.positions())
    }

    #[setter]
    fn set_positions(&self, positions: &Bound<'_, PyAny>) -> PyResult<()> {
        write(&mut self.lock()?, positions, "positions", World::set_positions)
    }

    /// Velocities of the nodes of all simulations, m/s: a copy, of shape (n, nodes, 3). Can be set.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        read(py, &self.lock()?, None, |world| world.simulation.velocities())
    }

    #[setter]
    fn set_velocities(&self, velocities: &Bound<'_, PyAny>) -> PyResult<()> {
        write(&mut self.lock()?, velocities, "velocities", World::set_velocities)
    }

    /// Writes the places of the nodes into an array of float64 of shape (n, nodes, 3), m, and returns it.
    fn read_positions<'py>(&self, py: Python<'py>, out: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        read(py, &self.lock()?, Some(out), |world| world.simulation.positions())
    }

    /// Writes the velocities of the nodes into an array of float64 of shape (n, nodes, 3), m/s, and returns it.
    fn read_velocities<'py>(&self, py: Python<'py>, out: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        read(py, &self.lock()?, Some(out), |world| world.simulation.velocities())
    }

    /// Simulated time of each simulation, s: array of shape (n,).
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let members = self.lock()?;
        Ok(PyArray1::from_vec(py, members.iter().map(|member| member.world.simulation.time()).collect()))
    }

    /// Which simulations have failed: array of shape (n,).
    #[getter]
    fn failed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        Ok(failed(py, &self.lock()?))
    }

    /// Why each simulation has failed, in words; None for those that have not.
    #[getter]
    fn reasons(&self) -> PyResult<Vec<Option<String>>> {
        let members = self.lock()?;
        Ok(members.iter().map(|member| Some(member.refused.as_ref()?.message.clone())).collect())
    }

    /// The exception that a single simulation would have raised, for each that has failed; None for those that have not.
    #[getter]
    fn errors(&self, py: Python<'_>) -> PyResult<Vec<Option<Py<PyAny>>>> {
        let refused: Vec<Option<Refused>> = self.lock()?.iter().map(|member| member.refused.clone()).collect();
        Ok(refused.into_iter().map(|refused| Some(refused?.into_exception().into_value(py).into_any())).collect())
    }

    /// The report of each simulation for the last call of `step` that it took part in; None before the first.
    #[getter]
    fn reports(&self) -> PyResult<Vec<Option<StepReport>>> {
        let report = |member: &Member| {
            let account = &member.world.account;
            (account.steps > 0).then(|| StepReport::from(account))
        };
        Ok(self.lock()?.iter().map(report).collect())
    }

    fn __repr__(&self) -> PyResult<String> {
        let members = self.lock()?;
        let failed = members.iter().filter(|member| member.refused.is_some()).count();
        let threads = self.pool.current_num_threads();
        Ok(format!("<taffeta.Batch of {}, {failed} failed, {threads} threads>", members.len()))
    }
}

fn failed<'py>(py: Python<'py>, members: &[Member]) -> Bound<'py, PyArray1<bool>> {
    PyArray1::from_vec(py, members.iter().map(|member| member.refused.is_some()).collect())
}

/// Vectors of the nodes of all simulations, in an array of the caller's or a new one.
fn read<'py>(
    py: Python<'py>,
    members: &[Member],
    out: Option<&Bound<'py, PyAny>>,
    vectors: impl Fn(&World) -> &[DVec3],
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let nodes = common_nodes(members)?;
    arrays::fill(py, out, [members.len(), nodes, 3], |numbers| {
        for (member, numbers) in members.iter().zip(numbers.chunks_exact_mut(3 * nodes)) {
            arrays::write_vectors(vectors(&member.world), numbers);
        }
    })
}

/// Gives the nodes of all simulations vectors from an array of shape (n, nodes, 3).
fn write(
    members: &mut [Member],
    values: &Bound<'_, PyAny>,
    what: &str,
    give: impl Fn(&mut World, Vec<DVec3>),
) -> PyResult<()> {
    let nodes = common_nodes(members)?;
    let numbers = arrays::numbers_of_shape(values, what, &[members.len(), nodes, 3])?;
    for (member, numbers) in members.iter_mut().zip(numbers.chunks_exact(3 * nodes)) {
        give(&mut member.world, numbers.chunks_exact(3).map(DVec3::from_slice).collect());
    }
    Ok(())
}
