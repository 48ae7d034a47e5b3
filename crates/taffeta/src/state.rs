//! The state of a run: all that the next step depends on.

use glam::DVec3;

use crate::model::Model;

/// Where the cloth is, how it moves, and what the next step starts from. A saved and restored state continues to the
/// same bits.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// Simulated time, s.
    pub time: f64,
    /// `φⁿ`: node positions, m.
    pub positions: Vec<DVec3>,
    /// `φ̇ⁿ`: node velocities, m/s.
    pub velocities: Vec<DVec3>,
    /// `φⁿ⁻¹`, m: what the second-order integrator remembers.
    pub(crate) previous_positions: Vec<DVec3>,
    /// `φ̇ⁿ⁻¹`, m/s.
    pub(crate) previous_velocities: Vec<DVec3>,
    /// Length of the last step, s; 0 when there is no history.
    pub(crate) previous_dt: f64,
    /// `λ`: true multipliers of the cloth's rows, N·m; the warm start.
    pub(crate) multipliers: Vec<f64>,
    /// Where the cloth is pushed by the world, and how hard.
    pub contacts: Vec<Contact>,
}

/// A point of the cloth that is pushed by an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Index of the obstacle among the inputs of the step.
    pub obstacle: usize,
    /// The point: a node, or the number of nodes plus the index of an element, whose centre it is.
    pub point: usize,
    /// Outward unit normal of the obstacle.
    pub normal: DVec3,
    /// `γ`: force on the cloth along the normal, N.
    pub normal_force: f64,
    /// Force of friction on the cloth, N.
    pub friction: DVec3,
    /// Whether the point slips rather than sticks.
    pub slipping: bool,
}

impl Contact {
    /// The whole force on the cloth, N.
    pub fn force(&self) -> DVec3 {
        self.normal * self.normal_force + self.friction
    }
}

impl State {
    /// The mesh as given, at rest.
    pub fn at_rest(model: &Model) -> Self {
        Self::moving(model, model.cloth().mesh().positions().to_vec(), vec![DVec3::ZERO; model.node_count()])
    }

    /// Given positions and velocities, one per node of the model.
    pub fn moving(model: &Model, positions: Vec<DVec3>, velocities: Vec<DVec3>) -> Self {
        Self {
            time: 0.0,
            previous_positions: positions.clone(),
            previous_velocities: velocities.clone(),
            previous_dt: 0.0,
            multipliers: vec![0.0; model.cloth().rows.len()],
            contacts: Vec::new(),
            positions,
            velocities,
        }
    }

    /// Forgets what came before: for when positions, velocities or the world were changed by hand.
    pub fn forget_history(&mut self) {
        self.previous_dt = 0.0;
        self.contacts.clear();
        self.multipliers.fill(0.0);
    }

    /// Copies without allocating.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.time = other.time;
        self.previous_dt = other.previous_dt;
        self.positions.copy_from_slice(&other.positions);
        self.velocities.copy_from_slice(&other.velocities);
        self.previous_positions.copy_from_slice(&other.previous_positions);
        self.previous_velocities.copy_from_slice(&other.previous_velocities);
        self.multipliers.copy_from_slice(&other.multipliers);
        self.contacts.clone_from(&other.contacts);
    }
}
