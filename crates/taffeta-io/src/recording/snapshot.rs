//! What a frame says of a simulation.

use glam::DVec3;
use taffeta::obstacle::Pose;
use taffeta::{GripReading, Simulation};

use super::{Frame, NodeForces, World};

/// A simulation at a time, measured, to be recorded.
pub struct Snapshot<'a> {
    simulation: &'a Simulation,
    held: Vec<bool>,
    /// Normal force and friction on each node, N.
    pub contact_forces: [Vec<DVec3>; 2],
    /// Where the obstacles are.
    pub poses: Vec<Pose>,
    /// What each gripper feels.
    pub grips: Vec<GripReading>,
    /// The force of whoever holds it on each node, N.
    pub held_forces: Vec<DVec3>,
    /// The largest tension of the threads at each node, N.
    pub tensions: Vec<f64>,
    /// How far each node is from touching something, m; infinite where nothing is near.
    pub clearances: Vec<f64>,
}

impl<'a> Snapshot<'a> {
    /// Measures a simulation some nodes of which are held.
    pub fn new(simulation: &'a Simulation, held: impl IntoIterator<Item = usize>) -> Self {
        let mut is_held = vec![false; simulation.positions().len()];
        held.into_iter().for_each(|node| is_held[node] = true);
        Self {
            simulation,
            held: is_held,
            contact_forces: simulation.contact_forces(),
            poses: simulation.poses(),
            grips: simulation.grip_readings(),
            held_forces: simulation.held_forces_on_nodes(),
            tensions: simulation.node_tensions(),
            clearances: simulation.clearances(),
        }
    }

    /// The same after a step: with the nodes that were held in it.
    pub fn after_step(simulation: &'a Simulation) -> Self {
        Self::new(simulation, simulation.held().iter().map(|held| held.node))
    }

    /// Which nodes are held.
    pub fn held(&self) -> &[bool] {
        &self.held
    }

    /// The frame.
    pub fn frame(&self) -> Frame<'_> {
        let [normal_forces, friction_forces] = &self.contact_forces;
        let world = World { normal_forces, friction_forces, poses: &self.poses, grips: &self.grips };
        Frame {
            time_s: self.simulation.time(),
            positions: self.simulation.positions(),
            velocities: self.simulation.velocities(),
            held: &self.held,
            node_forces: NodeForces {
                held_forces: &self.held_forces,
                tensions: &self.tensions,
                clearances: &self.clearances,
            },
            world: Some(world).filter(|world| !world.poses.is_empty()),
        }
    }
}
