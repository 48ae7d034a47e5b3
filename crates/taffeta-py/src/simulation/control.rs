//! Who moves the cloth and the bodies around it.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use taffeta::Interpolation;
use taffeta::obstacle::Pose;

use super::Simulation;
use crate::arrays::{from_rotation, from_vector, from_vectors, indices, rotation, vector, vectors};
use crate::errors::invalid;
use crate::report::GripReading;
use crate::world::{Hold, Pace, World};

/// A place and a quaternion.
pub type PoseArrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// How many steps a motion takes, given as steps or as seconds, and how it goes.
pub fn pace(world: &World, steps: Option<i64>, seconds: Option<f64>, interpolation: &str) -> PyResult<Pace> {
    let dt = world.simulation.dt();
    let steps = match (steps, seconds) {
        (Some(_), Some(_)) => return Err(invalid("both steps and seconds are given: give one of them")),
        (None, None) => 1,
        (Some(steps), None) => u64::try_from(steps)
            .ok()
            .filter(|&steps| steps > 0)
            .ok_or_else(|| invalid(format!("steps is {steps}: give 1 or more; nothing can jump")))?,
        (None, Some(seconds)) => {
            let steps = (seconds / dt).round();
            if !(1.0..1e9).contains(&steps) {
                return Err(invalid(format!("seconds is {seconds}: give at least {dt} s, which is a step")));
            }
            steps as u64
        }
    };
    Ok(Pace { steps, interpolation: interpolation_of(interpolation)? })
}

pub fn interpolation_of(name: &str) -> PyResult<Interpolation> {
    match name {
        "smooth" => Ok(Interpolation::Smooth),
        "linear" => Ok(Interpolation::Linear),
        other => Err(invalid(format!("interpolation is {other:?}: give \"smooth\" or \"linear\""))),
    }
}

/// How nodes are to be held.
pub fn hold_of(exact: bool, stiffness: Option<f64>, damping: Option<f64>, max_force: Option<f64>) -> PyResult<Hold> {
    if exact {
        let given = [("stiffness", stiffness), ("damping", damping), ("max_force", max_force)];
        return match given.iter().find(|(_, value)| value.is_some()) {
            None => Ok(Hold::Exact),
            Some((name, _)) => Err(invalid(format!("{name} has no effect with exact=True: remove one of them"))),
        };
    }
    let usual = taffeta::Hand::default();
    Ok(Hold::Giving {
        stiffness: stiffness.unwrap_or(usual.stiffness),
        damping: damping.or(usual.damping),
        max_force: max_force.unwrap_or(usual.max_force),
    })
}

/// A pose of which parts may be left as they are.
fn pose_of(now: Pose, position: Option<&Bound<'_, PyAny>>, turned: Option<&Bound<'_, PyAny>>) -> PyResult<Pose> {
    let translation = position.map(|position| vector(position, "position")).transpose()?;
    let rotation = turned.map(|turned| rotation(turned, "rotation")).transpose()?;
    Ok(Pose::new(rotation.unwrap_or(now.rotation), translation.unwrap_or(now.translation)))
}

#[pymethods]
impl Simulation {
    /// Nodes that are held by anybody, the scene's own grasps included: array, ascending.
    #[getter]
    fn held<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(PyArray1::from_vec(py, self.lock()?.held().into_iter().map(|node| node as i64).collect()))
    }

    /// Nodes that `hold` has taken, in that order: array.
    #[getter]
    fn hands<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        Ok(PyArray1::from_vec(py, self.lock()?.hands().map(|node| node as i64).collect()))
    }

    /// Where the hands are now, m: array of shape (hands, 3).
    #[getter]
    fn hand_targets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        from_vectors(py, &self.lock()?.hand_targets())
    }

    /// Takes nodes in hands, each by one of its own, where they are; with `targets`, of shape (nodes, 3), m, the hands then move there
    /// as `move` says. A hand gives like a robot's arm, of 1e4 N/m and 100 N unless `stiffness` (N/m), `damping` (N s/m; critical by
    /// default) and `max_force` (N) say otherwise; `exact=True` holds whatever force that takes. A node that a grasp of the scene
    /// holds is taken over where that grasp has it.
    #[pyo3(signature = (nodes, targets = None, *, steps = None, seconds = None, interpolation = "smooth", exact = false, stiffness = None, damping = None, max_force = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn hold(
        &self,
        nodes: &Bound<'_, PyAny>,
        targets: Option<&Bound<'_, PyAny>>,
        steps: Option<i64>,
        seconds: Option<f64>,
        interpolation: &str,
        exact: bool,
        stiffness: Option<f64>,
        damping: Option<f64>,
        max_force: Option<f64>,
    ) -> PyResult<()> {
        let mut world = self.lock()?;
        let nodes = indices(nodes, "nodes", world.nodes())?;
        let hold = hold_of(exact, stiffness, damping, max_force)?;
        let targets = targets.map(|targets| vectors(targets, "targets", nodes.len())).transpose()?;
        let pace = pace(&world, steps, seconds, interpolation)?;
        world.hold(&nodes, hold).map_err(invalid)?;
        targets.map_or(Ok(()), |targets| world.move_nodes(&nodes, &targets, pace)).map_err(invalid)
    }

    /// Moves the hands to `targets`, of shape (hands, 3), m, one for each node of `hands`, during the next `steps` steps or `seconds`
    /// seconds (one step by default): "smooth" begins and ends at rest, "linear" goes at constant speed. Only plans it; `step` does it.
    #[pyo3(name = "move", signature = (targets, *, steps = None, seconds = None, interpolation = "smooth"))]
    fn move_hands(
        &self,
        targets: &Bound<'_, PyAny>,
        steps: Option<i64>,
        seconds: Option<f64>,
        interpolation: &str,
    ) -> PyResult<()> {
        let mut world = self.lock()?;
        let targets = vectors(targets, "targets", world.hands().len())?;
        let pace = pace(&world, steps, seconds, interpolation)?;
        world.move_hands(&targets, pace).map_err(invalid)
    }

    /// Lets go of nodes, by whomever they are held, the scene's own grasps included; of all hands without `nodes`.
    #[pyo3(signature = (nodes = None))]
    fn release(&self, nodes: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut world = self.lock()?;
        let nodes = match nodes {
            Some(nodes) => indices(nodes, "nodes", world.nodes())?,
            None => world.hands().collect(),
        };
        world.release(&nodes).map_err(invalid)
    }

    /// Names of the obstacles; fingers of grippers are named `gripper.a` and `gripper.b`.
    #[getter]
    fn obstacles(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.obstacles().map(str::to_owned).collect())
    }

    /// Where an obstacle is: its place, m, and a quaternion w, x, y, z.
    fn obstacle_pose<'py>(&self, py: Python<'py>, name: &str) -> PyResult<PoseArrays<'py>> {
        let world = self.lock()?;
        let k = world.obstacle(name).map_err(invalid)?;
        let pose = world.simulation.poses()[k];
        Ok((from_vector(py, pose.translation), from_rotation(py, pose.rotation)))
    }

    /// Moves an obstacle to a place (m), a rotation (quaternion w, x, y, z) or both, during the next `steps` steps or `seconds`
    /// seconds, as `move` does. From then on the motion that the scene gives it does not count. A body that is "driven" in the scene
    /// follows as its servo can, one that is "free" cannot be moved so.
    #[pyo3(signature = (name, position = None, rotation = None, *, steps = None, seconds = None, interpolation = "smooth"))]
    fn move_obstacle(
        &self,
        name: &str,
        position: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        steps: Option<i64>,
        seconds: Option<f64>,
        interpolation: &str,
    ) -> PyResult<()> {
        let mut world = self.lock()?;
        let now = world.obstacle_target(world.obstacle(name).map_err(invalid)?);
        let (to, pace) = (pose_of(now, position, rotation)?, pace(&world, steps, seconds, interpolation)?);
        world.move_obstacle(name, to, pace).map_err(invalid)
    }

    /// Names of the grippers.
    #[getter]
    fn grippers(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.simulation.grippers().iter().map(|(gripper, _)| gripper.name.clone()).collect())
    }

    /// Where the frame of a gripper is to be: the middle between its pads, m, and a quaternion w, x, y, z. Pads close along its y
    /// axis, and its z axis points from the hand to the tips.
    fn gripper_pose<'py>(&self, py: Python<'py>, name: &str) -> PyResult<PoseArrays<'py>> {
        let world = self.lock()?;
        let pose = world.gripper_target(world.gripper(name).map_err(invalid)?);
        Ok((from_vector(py, pose.translation), from_rotation(py, pose.rotation)))
    }

    /// Moves a gripper, as `move_obstacle` does an obstacle.
    #[pyo3(signature = (name, position = None, rotation = None, *, steps = None, seconds = None, interpolation = "smooth"))]
    fn move_gripper(
        &self,
        name: &str,
        position: Option<&Bound<'_, PyAny>>,
        rotation: Option<&Bound<'_, PyAny>>,
        steps: Option<i64>,
        seconds: Option<f64>,
        interpolation: &str,
    ) -> PyResult<()> {
        let mut world = self.lock()?;
        let now = world.gripper_target(world.gripper(name).map_err(invalid)?);
        let (to, pace) = (pose_of(now, position, rotation)?, pace(&world, steps, seconds, interpolation)?);
        world.move_gripper(name, to, pace).map_err(invalid)
    }

    /// Closes a gripper from the next step on. From then on the times at which the scene closes and opens it do not count.
    fn close_gripper(&self, name: &str) -> PyResult<()> {
        self.lock()?.set_closed(name, true).map_err(invalid)
    }

    /// Opens a gripper from the next step on.
    fn open_gripper(&self, name: &str) -> PyResult<()> {
        self.lock()?.set_closed(name, false).map_err(invalid)
    }

    /// What a gripper feels at the end of the last step.
    fn grip(&self, name: &str) -> PyResult<GripReading> {
        let world = self.lock()?;
        let k = world.gripper(name).map_err(invalid)?;
        Ok(GripReading::new(world.simulation.grip_readings()[k], world.is_closed(k)))
    }
}
