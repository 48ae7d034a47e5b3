//! What can be asked of many simulations after a step.

use glam::DVec3;
use numpy::{PyArray1, PyArray2, PyArray3};
use pyo3::prelude::*;

use super::control::common_hands;
use super::{Batch, Member};
use crate::arrays::{fill, from_vectors, write_vectors};
use crate::errors::invalid;
use crate::report::GripReading;

/// Forces and torques.
type Wrenches<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

#[pymethods]
impl Batch {
    /// What a gripper feels in every simulation at the end of the last step.
    fn grips(&self, name: &str) -> PyResult<Vec<GripReading>> {
        let members = self.lock()?;
        let grip = |member: &Member| {
            let k = member.world.gripper(name).map_err(invalid)?;
            Ok(GripReading::new(member.world.simulation.grip_readings()[k], member.world.is_closed(k)))
        };
        members.iter().map(grip).collect()
    }

    /// Force on an obstacle, N, and torque about the origin of its frame, N m, in every simulation, as `Simulation.obstacle_wrench` tells
    /// them: two arrays of shape (n, 3).
    fn obstacle_wrenches<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Wrenches<'py>> {
        let members = self.lock()?;
        let wrench = |member: &Member| {
            let k = member.world.obstacle(name).map_err(invalid)?;
            Ok(member.world.simulation.obstacle_wrench(k).into())
        };
        let (forces, torques): (Vec<DVec3>, Vec<DVec3>) =
            members.iter().map(wrench).collect::<PyResult<Vec<(DVec3, DVec3)>>>()?.into_iter().unzip();
        Ok((from_vectors(py, &forces)?, from_vectors(py, &torques)?))
    }

    /// Force on the cloth of each hand in the last step, N: array of shape (n, hands, 3).
    #[getter]
    fn hand_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        of_hands(py, &self.lock()?, |member| {
            let forces = member.world.simulation.held_forces_on_nodes();
            member.world.hands().map(|node| forces[node]).collect()
        })
    }

    /// Where the hands are now, m: array of shape (n, hands, 3).
    #[getter]
    fn hand_targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        of_hands(py, &self.lock()?, |member| member.world.hand_targets())
    }

    /// Largest tension of the threads at each node, N: array of shape (n, nodes).
    #[getter]
    fn node_tensions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        use numpy::PyArrayMethods;
        let members = self.lock()?;
        let shape = [members.len(), super::common_nodes(&members)?];
        let tensions = members.iter().flat_map(|member| member.world.simulation.node_tensions());
        PyArray1::from_vec(py, tensions.collect()).reshape(shape)
    }
}

/// A vector for every hand of every simulation.
fn of_hands<'py>(
    py: Python<'py>,
    members: &[Member],
    vectors: impl Fn(&Member) -> Vec<DVec3>,
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let all: Vec<usize> = (0..members.len()).collect();
    let hands = common_hands(members, &all)?;
    fill(py, None, [members.len(), hands, 3], |out| {
        for (member, out) in members.iter().zip(out.chunks_exact_mut((3 * hands).max(1))) {
            write_vectors(&vectors(member), out);
        }
    })
}
