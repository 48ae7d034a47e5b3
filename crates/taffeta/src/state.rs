//! The state of a run: all that the next step depends on.

mod check;

use glam::DVec3;

use crate::collide::{Site, Stencil};
use crate::model::Model;
use crate::obstacle::Pose;

/// Where the cloth is, how it moves, and what the next step starts from. A saved and restored state continues to the
/// same bits.
///
/// What the last step exerted and found near is here as well. No step depends on it: it is not saved, and states are equal that
/// differ in nothing else.
#[derive(Clone, Debug)]
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
    /// Where the cloth is pushed by the world and by itself, and how hard.
    pub contacts: Vec<Contact>,
    /// Where the bodies of the world are that move by the forces on them, by their indices; `None` for the others, and for what the next
    /// step is to find where its inputs say it starts.
    pub bodies: Vec<Option<BodyState>>,
    /// How often the last step had to be halved.
    pub(crate) halvings: u32,
    /// Pairs of nodes of parts that touch or nearly do, lower index first, ascending: the matrix of a step has room for
    /// them, and which room it has decides the last bits of the solution.
    pub(crate) coupled_pairs: Vec<[usize; 2]>,
    /// The force on the cloth at each held node in the last step, in the order of its inputs, N: what a gripper exerts there to
    /// move the node as it does. Empty before the first step, and in a state that was read back.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub held_forces: Vec<DVec3>,
    /// How far what each node belongs to was from touching something at the end of the last step, m: 0 where it touches, infinite
    /// where nothing is near. Empty before the first step, and in a state that was read back.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub clearances: Vec<f64>,
}

impl PartialEq for State {
    /// Whether steps go on alike from both.
    fn eq(&self, other: &Self) -> bool {
        let Self {
            time,
            positions,
            velocities,
            previous_positions,
            previous_velocities,
            previous_dt,
            multipliers,
            contacts,
            bodies,
            halvings,
            coupled_pairs,
            held_forces: _,
            clearances: _,
        } = self;
        *time == other.time
            && *positions == other.positions
            && *velocities == other.velocities
            && *previous_positions == other.previous_positions
            && *previous_velocities == other.previous_velocities
            && *previous_dt == other.previous_dt
            && *multipliers == other.multipliers
            && *contacts == other.contacts
            && *bodies == other.bodies
            && *halvings == other.halvings
            && *coupled_pairs == other.coupled_pairs
    }
}

/// Where a body is that moves by the forces on it, and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyState {
    /// Where it is.
    pub pose: Pose,
    /// The velocity of its centre of mass, m/s.
    pub velocity: DVec3,
    /// Its angular velocity, rad/s, along axes of the world.
    pub angular_velocity: DVec3,
    /// What its servo, and the jaws that it is one of, exerted on it in the last step: a force at its centre of mass, N, and a torque, N m.
    pub drive: [DVec3; 2],
}

/// A point of the cloth that is pushed by an obstacle, or by another part of the cloth; or a point of an obstacle that another one
/// pushes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// What touches what.
    pub site: Site,
    /// How the force is shared by the nodes of the cloth: with negative weights by those on the other side, if that is cloth.
    pub stencil: Stencil,
    /// Unit normal, outwards of the obstacle, or of the part of the cloth that has the negative weights.
    pub normal: DVec3,
    /// `γ`: force on the cloth along the normal, N.
    pub normal_force: f64,
    /// Force of friction on the cloth, N.
    pub friction: DVec3,
    /// Whether the point slips rather than sticks.
    pub slipping: bool,
    /// `p`: the normal force over the area that the point stands for, Pa.
    pub pressure: f64,
    /// How much thinner the pressure makes the cloth here, of all layers that touch, m.
    pub compressed: f64,
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
            bodies: Vec::new(),
            halvings: 0,
            coupled_pairs: Vec::new(),
            held_forces: Vec::new(),
            clearances: Vec::new(),
            positions,
            velocities,
        }
    }

    /// Forgets what came before: for when positions, velocities or the world were changed by hand.
    pub fn forget_history(&mut self) {
        self.previous_dt = 0.0;
        self.halvings = 0;
        self.contacts.clear();
        self.coupled_pairs.clear();
        self.multipliers.fill(0.0);
    }

    /// Copies without allocating.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.time = other.time;
        self.previous_dt = other.previous_dt;
        self.halvings = other.halvings;
        self.positions.copy_from_slice(&other.positions);
        self.velocities.copy_from_slice(&other.velocities);
        self.previous_positions.copy_from_slice(&other.previous_positions);
        self.previous_velocities.copy_from_slice(&other.previous_velocities);
        self.multipliers.copy_from_slice(&other.multipliers);
        self.contacts.clone_from(&other.contacts);
        self.bodies.clone_from(&other.bodies);
        self.coupled_pairs.clone_from(&other.coupled_pairs);
        self.held_forces.clone_from(&other.held_forces);
        self.clearances.clone_from(&other.clearances);
    }
}
