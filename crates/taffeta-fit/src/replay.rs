//! A simulation of a captured cloth, in the hands that were captured with it.

use std::sync::Arc;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::{Mesh, MeshError};
use taffeta::obstacle::{Obstacle, Travel};
use taffeta::{Method, Model, Params, SelfContact, Simulation, State, StepError};
use thiserror::Error;

use crate::capture::{Capture, CaptureError};
use crate::contact::{ContactInterval, Touches};
use crate::parameter::Parameters;
use crate::start;

/// Hands that are as far apart as the cloth is wide leave it no slack, and threads that are taut from end to end pull with any force:
/// the cloth is made wider than they get by this part.
const SLACK: f64 = 5e-4;

/// What is beyond these takes for ever.
const FINEST: usize = 100;
const SHORTEST: f64 = 1e-5;
/// s. And with longer steps no cloth can be followed.
const LONGEST: f64 = 0.1;

/// How finely a capture is simulated, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Discretisation {
    /// Edges of the mesh between two markers.
    pub refinement: usize,
    /// Length of a step, s.
    pub dt: f64,
    /// Where the simulation begins.
    pub start: Start,
    /// Whether the cloth meets itself.
    pub self_contact: bool,
}

/// Where the simulation of a capture begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// In the shape that was seen first, brought to where it is not stretched.
    #[default]
    FirstFrame,
    /// In equilibrium in the first pose of the hands.
    Rest,
}

impl Default for Discretisation {
    /// The paper's: 4×5 markers on 7×9 nodes, a hundred steps a second.
    fn default() -> Self {
        Self { refinement: 2, dt: 0.01, start: Start::FirstFrame, self_contact: true }
    }
}

/// What came of a simulation.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Where the markers were, at the times of the capture's frames, m.
    pub markers: Vec<Vec<DVec3>>,
    /// When the cloth touched an obstacle, in the order of time.
    pub contacts: Vec<ContactInterval>,
}

/// A capture that cannot be simulated.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// It makes no sense.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// Its mesh makes no sense.
    #[error("the cloth of {id} cannot be meshed: {cause}")]
    Mesh {
        /// The capture.
        id: String,
        /// Why.
        cause: MeshError,
    },
    /// The parameters make no sense.
    #[error("{name} {rule}")]
    Parameter {
        /// Which of them.
        name: &'static str,
        /// What it must be.
        rule: &'static str,
    },
    /// The first frame is none that a cloth can be in.
    #[error(
        "{id}: a cloth of this size cannot be where its markers are at first; check size_m, the order of the markers in the grid, and their unit ({cause})"
    )]
    Start {
        /// The capture.
        id: String,
        /// What the simulation says of it.
        cause: StepError,
    },
    /// A step could not be taken.
    #[error("{id} cannot be simulated beyond t = {time:.3} s: {cause}")]
    Step {
        /// The capture.
        id: String,
        /// When.
        time: f64,
        /// Why.
        cause: StepError,
    },
}

/// Simulates a captured cloth from its first frame to its last.
///
/// # Errors
///
/// If the capture or the parameters make no sense, or a step cannot be taken.
pub fn replay(
    capture: &Capture,
    parameters: &Parameters,
    discretisation: &Discretisation,
) -> Result<Replay, ReplayError> {
    Stage::new(capture, discretisation)?.replay(parameters)
}

/// All that simulations of a capture share, whatever their parameters.
pub struct Stage<'a> {
    pub(crate) capture: &'a Capture,
    pub(crate) discretisation: Discretisation,
    /// Who solves the programs.
    pub method: Method,
    model: Arc<Model>,
    nodes: Nodes,
    /// The obstacles, in times from the first frame.
    obstacles: Vec<Obstacle>,
}

impl<'a> Stage<'a> {
    /// Sets the stage.
    ///
    /// # Errors
    ///
    /// If the capture or the discretisation makes no sense.
    pub fn new(capture: &'a Capture, discretisation: &Discretisation) -> Result<Self, ReplayError> {
        capture.check()?;
        let rule = |name, rule| Err(ReplayError::Parameter { name, rule });
        if discretisation.refinement == 0 {
            return rule("refinement", "must be 1 or more");
        }
        if discretisation.refinement > FINEST {
            return rule("refinement", "must be 100 or less");
        }
        if !(SHORTEST..=LONGEST).contains(&discretisation.dt) {
            return rule("dt", "must be a positive number of seconds, from 1e-5 to 0.1");
        }
        let nodes = Nodes::new(capture.grid, discretisation.refinement);
        let [width, height] = loosened_size(capture);
        let [columns, rows] = nodes.grid;
        let mesh = Mesh::grid(columns, rows, |s, t| DVec3::new(s * width, 0.0, t * height))
            .map_err(|cause| ReplayError::Mesh { id: capture.id.clone(), cause })?;
        let begin = capture.frames[0].time;
        Ok(Self {
            capture,
            discretisation: *discretisation,
            method: Method::default(),
            model: Arc::new(Model::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()))),
            nodes,
            obstacles: capture.obstacles.iter().map(|obstacle| from_time(obstacle.body.clone(), begin)).collect(),
        })
    }

    /// Simulates the capture from its first frame to its last.
    ///
    /// # Errors
    ///
    /// If the parameters make no sense, or a step cannot be taken.
    pub fn replay(&self, parameters: &Parameters) -> Result<Replay, ReplayError> {
        self.replay_watched(parameters, |_| {})
    }

    /// The same, and lets the simulation be looked at after every step, and before the first.
    ///
    /// # Errors
    ///
    /// As above.
    pub fn replay_watched(
        &self,
        parameters: &Parameters,
        mut watch: impl FnMut(&Simulation),
    ) -> Result<Replay, ReplayError> {
        let mut simulation = self.simulation(parameters)?;
        let (capture, dt) = (self.capture, self.discretisation.dt);
        let begin = capture.frames[0].time;
        let mut touches = Touches::new(capture.obstacles.len());
        let (mut markers, mut steps) = (Vec::with_capacity(capture.frames.len()), 0u32);
        let mut before = self.nodes.markers_of(&simulation);
        let mut after = before.clone();
        watch(&simulation);
        for frame in &capture.frames {
            while begin + f64::from(steps) * dt < frame.time - 1e-9 {
                steps += 1;
                let time = begin + f64::from(steps) * dt;
                self.take_step(&mut simulation, time)?;
                touches.note(time, &simulation);
                before = std::mem::replace(&mut after, self.nodes.markers_of(&simulation));
                watch(&simulation);
            }
            // A frame between two steps is on the straight line between them.
            let part = 1.0 - (begin + f64::from(steps) * dt - frame.time) / dt;
            markers.push(before.iter().zip(&after).map(|(a, b)| a.lerp(*b, part.clamp(0.0, 1.0))).collect());
        }
        Ok(Replay { markers, contacts: touches.intervals(dt) })
    }

    /// The cloth before the first step.
    fn simulation(&self, parameters: &Parameters) -> Result<Simulation, ReplayError> {
        if !(parameters.mu >= 0.0 && parameters.mu.is_finite()) {
            return Err(ReplayError::Parameter { name: "mu", rule: "must be 0 or a positive number" });
        }
        let material = parameters.material();
        if let Some((name, rule)) = material.fault() {
            let name = match name {
                "virtual_density" => "delta",
                "damping" => "alpha",
                "bending" => "kappa",
                "bending_damping" => "beta",
                other => other,
            };
            return Err(ReplayError::Parameter { name, rule });
        }
        let self_contact = self.discretisation.self_contact.then(SelfContact::default);
        let mut params = Params { material, self_contact, ..Params::default() };
        params.solver.method = self.method;
        let state = start::state(self, &params, parameters.mu)?;
        let mut simulation = self.with_state(params, parameters.mu, self.discretisation.dt, state);
        simulation.state_mut().time = 0.0;
        Ok(simulation)
    }

    /// A simulation with steps of `dt`, s, in some state, with all obstacles, some of which have this friction.
    pub(crate) fn with_state(&self, params: Params, mu: f64, dt: f64, state: State) -> Simulation {
        let mut simulation = Simulation::of_model(self.model.clone(), params, dt);
        for (obstacle, captured) in self.obstacles.iter().zip(&self.capture.obstacles) {
            let friction = if captured.friction_known { obstacle.friction } else { mu };
            simulation.add_obstacle(obstacle.clone().with_friction(friction));
        }
        *simulation.state_mut() = state;
        simulation
    }

    /// Takes a step that ends at a time of the capture.
    pub(crate) fn take_step(&self, simulation: &mut Simulation, time: f64) -> Result<(), ReplayError> {
        for held in &self.capture.held {
            simulation.hold_exactly(self.nodes.of(held.marker), held.path.at(time));
        }
        let step = simulation.step();
        step.map(|_| ()).map_err(|cause| ReplayError::Step { id: self.capture.id.clone(), time, cause })
    }

    /// The capture.
    pub fn capture(&self) -> &'a Capture {
        self.capture
    }

    /// How finely it is simulated.
    pub fn discretisation(&self) -> Discretisation {
        self.discretisation
    }

    /// The obstacles, in times from the first frame.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The node of the mesh that is a marker.
    pub fn node_of(&self, marker: usize) -> usize {
        self.nodes.of(marker)
    }

    pub(crate) fn model(&self) -> &Arc<Model> {
        &self.model
    }

    pub(crate) fn nodes(&self) -> &Nodes {
        &self.nodes
    }
}

/// Width and height of the cloth, with as much slack as the hands need.
fn loosened_size(capture: &Capture) -> [f64; 2] {
    let [mut wider, mut higher] = [1.0 + SLACK, 1.0];
    for (k, one) in capture.held.iter().enumerate() {
        for other in &capture.held[k + 1..] {
            let markers = [one.marker, other.marker];
            let apart = |&time: &f64| one.path.at(time).distance(other.path.at(time));
            let farthest = one.path.times().iter().map(apart).fold(0.0, f64::max);
            let needed = farthest / capture.length(markers) * (1.0 + 0.5 * SLACK);
            let same =
                |of: fn(usize, usize) -> usize| of(markers[0], capture.columns()) == of(markers[1], capture.columns());
            if !same(|marker, columns| marker % columns) {
                wider = f64::max(wider, needed);
            }
            if !same(|marker, columns| marker / columns) {
                higher = f64::max(higher, needed);
            }
        }
    }
    [capture.size[0] * wider, capture.size[1] * higher]
}

/// A body whose motion is told in times from `begin`.
fn from_time(mut body: Obstacle, begin: f64) -> Obstacle {
    if let Travel::Keyframes(poses) = &mut body.motion.travel {
        poses.times.iter_mut().for_each(|time| *time -= begin);
    }
    body
}

/// Which nodes are the markers.
pub(crate) struct Nodes {
    /// Columns and rows of the mesh.
    pub grid: [usize; 2],
    /// Columns and rows of the markers.
    pub markers: [usize; 2],
    pub refinement: usize,
}

impl Nodes {
    fn new(markers: [usize; 2], refinement: usize) -> Self {
        Self { grid: markers.map(|count| (count - 1) * refinement + 1), markers, refinement }
    }

    pub fn of(&self, marker: usize) -> usize {
        let (column, row) = (marker % self.markers[0], marker / self.markers[0]);
        row * self.refinement * self.grid[0] + column * self.refinement
    }

    fn markers_of(&self, simulation: &Simulation) -> Vec<DVec3> {
        let count = self.markers[0] * self.markers[1];
        (0..count).map(|marker| simulation.positions()[self.of(marker)]).collect()
    }
}
