//! Hands, grippers and parameters of many simulations.

use glam::{DQuat, DVec3};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use taffeta::obstacle::Pose;
use taffeta_io::scene::{ParameterValue, parameters};

use super::{Batch, Member, chosen};
use crate::arrays::{indices, numbers, numbers_of_shape, rotations, vectors};
use crate::errors::invalid;
use crate::simulation::control::{hold_of, interpolation_of, pace};
use crate::simulation::measure::{get, set};
use crate::world::Pace;

/// How many hands all of some simulations have, if they have as many.
pub(super) fn common_hands(members: &[Member], ids: &[usize]) -> PyResult<usize> {
    let hands = ids.first().map_or(0, |&k| members[k].world.hands().len());
    match ids.iter().find(|&&k| members[k].world.hands().len() != hands) {
        None => Ok(hands),
        Some(&k) => Err(invalid(format!(
            "simulation {} has {hands} hands and simulation {k} has {}: step them apart, with ids",
            ids[0],
            members[k].world.hands().len()
        ))),
    }
}

/// Moves the hands of some simulations to targets of shape (len(ids), hands, 3).
pub(super) fn move_hands(
    members: &mut [Member],
    ids: &[usize],
    targets: &Bound<'_, PyAny>,
    steps: u64,
    interpolation: &str,
) -> PyResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let hands = common_hands(members, ids)?;
    if hands == 0 {
        return Err(invalid("there are targets, and no hands to move there: take nodes with hold first"));
    } else if steps == 0 {
        return Err(invalid("there are targets, and no steps to move there in: give steps = 1 or more"));
    }
    let pace = Pace { steps, interpolation: interpolation_of(interpolation)? };
    let numbers = numbers_of_shape(targets, "targets", &[ids.len(), hands, 3])?;
    for (&k, numbers) in ids.iter().zip(numbers.chunks_exact(3 * hands)) {
        let targets: Vec<DVec3> = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
        members[k].world.move_hands(&targets, pace).map_err(invalid)?;
    }
    Ok(())
}

/// Values of a parameter for some simulations: one for all, or one for each.
fn values_for(
    given: &[f64],
    shape: &[usize],
    is_vector: bool,
    count: usize,
    name: &str,
) -> PyResult<Vec<ParameterValue>> {
    let vector = |v: &[f64]| ParameterValue::Vector([v[0], v[1], v[2]]);
    match (is_vector, shape) {
        (false, []) => Ok(vec![ParameterValue::Number(given[0]); count]),
        (false, [n]) if *n == count => Ok(given.iter().map(|&number| ParameterValue::Number(number)).collect()),
        (true, [3]) => Ok(vec![vector(given); count]),
        (true, [n, 3]) if *n == count => Ok(given.chunks_exact(3).map(vector).collect()),
        (false, _) => {
            Err(invalid(format!("{name} is one number: give one, or {count} of them in an array of shape ({count},)")))
        }
        (true, _) => {
            Err(invalid(format!("{name} is a vector: give one, or {count} of them in an array of shape ({count}, 3)")))
        }
    }
}

/// Where bodies of some simulations are to go; what is left out stays as it is.
struct Poses {
    positions: Option<Vec<DVec3>>,
    rotations: Option<Vec<DQuat>>,
}

impl Poses {
    fn read(positions: Option<&Bound<'_, PyAny>>, turns: Option<&Bound<'_, PyAny>>, count: usize) -> PyResult<Self> {
        Ok(Self {
            positions: positions.map(|positions| vectors(positions, "positions", count)).transpose()?,
            rotations: turns.map(|turns| rotations(turns, "rotations", count)).transpose()?,
        })
    }

    fn from(&self, now: Pose, place: usize) -> Pose {
        Pose::new(
            self.rotations.as_ref().map_or(now.rotation, |rotations| rotations[place]),
            self.positions.as_ref().map_or(now.translation, |positions| positions[place]),
        )
    }
}

#[pymethods]
impl Batch {
    /// Names of the parameters that the first simulation has; see `Simulation.parameters`.
    fn parameters(&self) -> PyResult<Vec<String>> {
        Ok(parameters(&self.lock()?[0].world.simulation))
    }

    /// Changes a parameter of all simulations, or of those in `ids`: `values` is one value for all of them, or one for each.
    #[pyo3(signature = (name, values, ids = None))]
    fn set(&self, name: &str, values: &Bound<'_, PyAny>, ids: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut members = self.lock()?;
        let ids = chosen(ids, members.len())?;
        let before = ids.iter().map(|&k| get(&members[k].world, name)).collect::<PyResult<Vec<_>>>()?;
        let is_vector = matches!(before.first(), Some(ParameterValue::Vector(_)));
        // One number alone may be infinite, which some parameters can be.
        let (given, shape) = match values.extract::<f64>() {
            Ok(number) => (vec![number], Vec::new()),
            Err(_) => numbers(values, name)?,
        };
        let values = values_for(&given, &shape, is_vector, ids.len(), name)?;
        for (place, (&k, value)) in ids.iter().zip(values).enumerate() {
            if let Err(refused) = set(&mut members[k].world, name, value) {
                for (&k, &value) in ids.iter().zip(&before).take(place) {
                    set(&mut members[k].world, name, value)?;
                }
                return Err(refused);
            }
        }
        Ok(())
    }

    /// The value of a parameter in every simulation: array of shape (n,), or (n, 3) for a vector.
    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let members = self.lock()?;
        let values = members.iter().map(|member| get(&member.world, name)).collect::<PyResult<Vec<_>>>()?;
        if let Some(ParameterValue::Number(_)) = values.first() {
            return Ok(PyArray1::from_vec(py, values.iter().map(|value| value.numbers()[0]).collect()).into_any());
        }
        let rows: Vec<Vec<f64>> = values.iter().map(|value| value.numbers().to_vec()).collect();
        Ok(PyArray2::from_vec2(py, &rows).map_err(|_| invalid(format!("{name} differs in kind")))?.into_any())
    }

    /// Takes nodes in hands in all simulations, or in those in `ids`, as `Simulation.hold` does.
    #[pyo3(signature = (nodes, ids = None, *, exact = false, stiffness = None, damping = None, max_force = None))]
    fn hold(
        &self,
        nodes: &Bound<'_, PyAny>,
        ids: Option<&Bound<'_, PyAny>>,
        exact: bool,
        stiffness: Option<f64>,
        damping: Option<f64>,
        max_force: Option<f64>,
    ) -> PyResult<()> {
        let mut members = self.lock()?;
        let hold = hold_of(exact, stiffness, damping, max_force)?;
        for k in chosen(ids, members.len())? {
            let nodes = indices(nodes, "nodes", members[k].world.nodes())?;
            members[k].world.hold(&nodes, hold).map_err(invalid)?;
        }
        Ok(())
    }

    /// Lets go of nodes in all simulations, or in those in `ids`, as `Simulation.release` does; of all hands if `nodes` is None.
    #[pyo3(signature = (nodes = None, ids = None))]
    fn release(&self, nodes: Option<&Bound<'_, PyAny>>, ids: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut members = self.lock()?;
        for k in chosen(ids, members.len())? {
            let nodes = match nodes {
                Some(nodes) => indices(nodes, "nodes", members[k].world.nodes())?,
                None => members[k].world.hands().collect(),
            };
            members[k].world.release(&nodes).map_err(invalid)?;
        }
        Ok(())
    }

    /// Nodes that the hands hold, in their order: array of shape (n, hands).
    #[getter]
    fn hands<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let members = self.lock()?;
        let all: Vec<usize> = (0..members.len()).collect();
        common_hands(&members, &all)?;
        let rows: Vec<Vec<i64>> =
            members.iter().map(|member| member.world.hands().map(|node| node as i64).collect()).collect();
        PyArray2::from_vec2(py, &rows).map_err(|error| invalid(error.to_string()))
    }

    /// Moves a gripper of all simulations, or of those in `ids`, to places of shape (len(ids), 3), m, rotations of shape (len(ids), 4),
    /// quaternions w, x, y, z, or both, as `Simulation.move_gripper` does.
    #[pyo3(signature = (name, positions = None, rotations = None, ids = None, *, steps = None, seconds = None, interpolation = "smooth"))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn move_gripper(
        &self,
        name: &str,
        positions: Option<&Bound<'_, PyAny>>,
        rotations: Option<&Bound<'_, PyAny>>,
        ids: Option<&Bound<'_, PyAny>>,
        steps: Option<i64>,
        seconds: Option<f64>,
        interpolation: &str,
    ) -> PyResult<()> {
        let mut members = self.lock()?;
        let ids = chosen(ids, members.len())?;
        let poses = Poses::read(positions, rotations, ids.len())?;
        for (place, &k) in ids.iter().enumerate() {
            let world = &mut members[k].world;
            let now = world.gripper_target(world.gripper(name).map_err(invalid)?);
            let pace = pace(world, steps, seconds, interpolation)?;
            world.move_gripper(name, poses.from(now, place), pace).map_err(invalid)?;
        }
        Ok(())
    }

    /// Moves an obstacle of all simulations, or of those in `ids`, in the same way as `move_gripper` does.
    #[pyo3(signature = (name, positions = None, rotations = None, ids = None, *, steps = None, seconds = None, interpolation = "smooth"))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn move_obstacle(
        &self,
        name: &str,
        positions: Option<&Bound<'_, PyAny>>,
        rotations: Option<&Bound<'_, PyAny>>,
        ids: Option<&Bound<'_, PyAny>>,
        steps: Option<i64>,
        seconds: Option<f64>,
        interpolation: &str,
    ) -> PyResult<()> {
        let mut members = self.lock()?;
        let ids = chosen(ids, members.len())?;
        let poses = Poses::read(positions, rotations, ids.len())?;
        for (place, &k) in ids.iter().enumerate() {
            let world = &mut members[k].world;
            let now = world.obstacle_target(world.obstacle(name).map_err(invalid)?);
            let pace = pace(world, steps, seconds, interpolation)?;
            world.move_obstacle(name, poses.from(now, place), pace).map_err(invalid)?;
        }
        Ok(())
    }

    /// Closes a gripper of all simulations, or of those in `ids`, from the next step on.
    #[pyo3(signature = (name, ids = None))]
    fn close_gripper(&self, name: &str, ids: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.set_closed(name, ids, true)
    }

    /// Opens a gripper of all simulations, or of those in `ids`, from the next step on.
    #[pyo3(signature = (name, ids = None))]
    fn open_gripper(&self, name: &str, ids: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.set_closed(name, ids, false)
    }
}

impl Batch {
    fn set_closed(&self, name: &str, ids: Option<&Bound<'_, PyAny>>, close: bool) -> PyResult<()> {
        let mut members = self.lock()?;
        for k in chosen(ids, members.len())? {
            members[k].world.set_closed(name, close).map_err(invalid)?;
        }
        Ok(())
    }
}
