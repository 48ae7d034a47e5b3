//! Why a step could not be taken.

use super::{GiveUp, Inputs};
use crate::model::Model;
use crate::params::Params;
use crate::state::State;

/// A step that could not be taken. The state is as it was before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The step length is not a positive number.
    #[error("dt is {dt} s: give a positive step length, 0.01 s is usual")]
    BadStepLength {
        /// The step length given, s.
        dt: f64,
    },
    /// A material constant is out of range.
    #[error("{field} of the material {rule}")]
    BadMaterial {
        /// The constant.
        field: &'static str,
        /// What it must be.
        rule: &'static str,
    },
    /// A cloth that would meet itself everywhere.
    #[error(
        "the cloth is {thickness} m thick and its shortest edge {edge:.6} m long, so that neighbours would push each other away: \
         make the mesh coarser or the cloth thinner, or leave self-contact out (self_collision = false in a scene)"
    )]
    TooThick {
        /// `τ₀`, m.
        thickness: f64,
        /// Rest length of the shortest edge, m.
        edge: f64,
    },
    /// A cloth that is hardly thicker than it may sink into itself.
    #[error(
        "the cloth is {thickness:.1e} m thick to itself, and gaps may be off by {tolerance:.1e} m (gap_tolerance): make the cloth \
         thicker, or the tolerance half as large as its thickness"
    )]
    TooThin {
        /// `τ₀`, m.
        thickness: f64,
        /// `ε₁`, m.
        tolerance: f64,
    },
    /// Two parts of the cloth that could not be kept apart.
    #[error(
        "at t = {time:.4} s the cloth near nodes {} and {} cannot be kept from itself: they are {distance:.2e} m apart; start the \
         layers farther apart, or move held nodes and obstacles more slowly",
        nodes[0], nodes[1]
    )]
    Tangled {
        /// Time at the start of the step, s.
        time: f64,
        /// A node of each part.
        nodes: [usize; 2],
        /// Their distance, m; negative where they would have gone through each other.
        distance: f64,
    },
    /// A parameter other than the material is out of range.
    #[error("{field} {rule}")]
    BadParameter {
        /// The parameter.
        field: &'static str,
        /// What it must be.
        rule: &'static str,
    },
    /// A held or loaded node that the cloth does not have.
    #[error("node {node} is held or loaded but the cloth has {nodes} nodes (0 to {})", nodes - 1)]
    NoSuchNode {
        /// The node asked for.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// A node held twice in one step.
    #[error("node {node} is held twice in the same step: release one of the two")]
    HeldTwice {
        /// The node.
        node: usize,
    },
    /// Bodies that cannot close on each other, or a suction cup that cannot hold anything.
    #[error("a gripper or suction cup cannot be: {rule}")]
    BadJaws {
        /// What is wrong, and how to fix it.
        rule: String,
    },
    /// A hand that cannot be.
    #[error("the hand that holds node {node} cannot be: {rule}")]
    BadHand {
        /// The node.
        node: usize,
        /// What it must be.
        rule: &'static str,
    },
    /// A state or forces with another number of nodes than the model's, or multipliers of another model.
    #[error("{what} has {found} entries, the model needs {expected}: use a state made for this model")]
    WrongSize {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it needs.
        expected: usize,
    },
    /// A number that is not finite.
    #[error("{what} of node {node} is not a finite number")]
    NotFinite {
        /// Position, velocity, target or force.
        what: &'static str,
        /// The node.
        node: usize,
    },
    /// A state that no step can have left.
    #[error("the state cannot be continued: {what}")]
    BadState {
        /// Which part of it, what is wrong with it, and what to do.
        what: String,
    },
    /// A seam whose distance is not a number, or negative.
    #[error("nodes {} and {} are to be sewn, and their distance is no finite number from 0 on", nodes[0], nodes[1])]
    BadSeam {
        /// The nodes.
        nodes: [usize; 2],
    },
    /// Two held nodes were moved farther apart than the cloth between them is long.
    #[error(
        "nodes {} and {} are held {distance:.4} m apart, but the cloth between them is only {available:.4} m long: \
         bring the targets closer or release one node", nodes[0], nodes[1]
    )]
    OutOfReach {
        /// The two nodes.
        nodes: [usize; 2],
        /// Distance of their targets, m.
        distance: f64,
        /// Length of the shortest path along the mesh between them, m.
        available: f64,
    },
    /// Two held neighbours were moved to a distance that the thread between them does not have.
    #[error(
        "nodes {} and {} are held {distance:.4} m apart, but the edge between them is {length:.4} m long and rigid: \
         move them together, or hold only one of them", nodes[0], nodes[1]
    )]
    EdgeHeld {
        /// The two nodes.
        nodes: [usize; 2],
        /// Distance of their targets, m.
        distance: f64,
        /// Length of the edge, m.
        length: f64,
    },
    /// The step could not be solved, and the cloth was far from its rest shape before it.
    #[error(
        "the edge of nodes {} and {} starts {:.1} % off its rest length of {length:.4} m: the rest shape does not fit the \
         positions; check the scale of the mesh and of its UVs", nodes[0], nodes[1], 100.0 * strain
    )]
    StartsStretched {
        /// The nodes of the edge.
        nodes: [usize; 2],
        /// Its strain `l/l₀ − 1`.
        strain: f64,
        /// Its rest length, m.
        length: f64,
    },
    /// The cloth passes through itself before the step.
    #[error(
        "the cloth passes through itself from the start, in {count} places: the edge of nodes {} and {} meets the triangle of nodes \
         {}, {} and {}; start its parts apart, or leave self-contact out", edge[0], edge[1], triangle[0], triangle[1], triangle[2]
    )]
    StartsCrossed {
        /// How many edges meet a triangle.
        count: usize,
        /// The nodes of the first such edge.
        edge: [usize; 2],
        /// The nodes of the triangle.
        triangle: [usize; 3],
    },
    /// The cloth is inside an obstacle before the step.
    #[error(
        "at t = {time:.4} s the cloth is inside obstacle {obstacle}: node {node} is {:.1} mm deep, half the thickness of the cloth \
         included; start it outside", 1e3 * depth
    )]
    StartsInside {
        /// Time at the start of the step, s.
        time: f64,
        /// The deepest node.
        node: usize,
        /// Index of the obstacle.
        obstacle: usize,
        /// How deep the node is, m.
        depth: f64,
    },
    /// A node was moved too far at once.
    #[error(
        "node {node} is held {distance:.3} m from where it is at t = {time:.4} s, a step before: let its path begin where it is, \
         and move it more slowly"
    )]
    HeldJumps {
        /// Time at the start of the step, s.
        time: f64,
        /// The node.
        node: usize,
        /// How far it is from its target, m.
        distance: f64,
    },
    /// A node is held in a place where the cloth around it cannot be.
    #[error(
        "after t = {time:.4} s node {node} is held {:.1} mm inside obstacle {obstacle}, where the cloth around it cannot follow: \
         hold it outside", 1e3 * depth
    )]
    HeldInside {
        /// Time at the start of the step, s.
        time: f64,
        /// The node.
        node: usize,
        /// Index of the obstacle.
        obstacle: usize,
        /// How deep the node is to be, m.
        depth: f64,
    },
    /// Two nodes are to be sewn together, and both are held elsewhere.
    #[error(
        "nodes {} and {} are to be sewn together and are held {distance:.4} m apart: release one of them, or move them together",
        nodes[0], nodes[1]
    )]
    SewnHeld {
        /// The nodes.
        nodes: [usize; 2],
        /// Distance of their targets, m.
        distance: f64,
    },
    /// An obstacle that cannot be simulated.
    #[error("obstacle {obstacle}: {rule}")]
    BadObstacle {
        /// Index of the obstacle.
        obstacle: usize,
        /// What is wrong with it, and how to mend it.
        rule: String,
    },
    /// A point of the cloth has no room between two obstacles.
    #[error(
        "at t = {time:.4} s the cloth near node {node} is squeezed between obstacles {} and {}, which leave it no room \
         ({depth:.1e} m inside one of them): {}; move them apart, or start the cloth elsewhere", obstacles[0], obstacles[1],
        room(*pressure)
    )]
    Squeezed {
        /// Time at the start of the step, s.
        time: f64,
        /// A node of the point.
        node: usize,
        /// Indices of the obstacles.
        obstacles: [usize; 2],
        /// How deep the point is in one of them, m.
        depth: f64,
        /// The pressure that would make room for it, Pa; infinite if none does.
        pressure: f64,
    },
    /// The steps that were found led a body through the cloth between its nodes.
    #[error(
        "at t = {time:.4} s obstacle {obstacle} would have gone through the cloth between its nodes, even in the smallest sub-steps: \
         move it more slowly, or take a smaller dt or a finer mesh"
    )]
    WentThrough {
        /// Time at the start of the step, s.
        time: f64,
        /// Index of the obstacle.
        obstacle: usize,
    },
    /// The step has taken all factorisations that it may, and is not solved.
    #[error(
        "the step at t = {time:.4} s is not solved after {factorisations} factorisations, which is as many as it may take \
         (max_factorisations): a smaller dt or slower motion of held nodes and obstacles may help, or allow more"
    )]
    TooExpensive {
        /// Time at the start of the step, s.
        time: f64,
        /// How many it may take.
        factorisations: usize,
    },
    /// The iteration did not end, even in the smallest sub-steps.
    #[error(
        "the step at t = {time:.4} s could not be solved, even in the smallest sub-steps: {reason} (strain {strain:.1e}, \
         unbalanced acceleration {acceleration:.1e} m/s², {penetration:.1e} m too deep in what it touches, friction off by \
         {friction:.1e}); a smaller dt, slower motion of held nodes and obstacles or a looser tolerance may help"
    )]
    NotSolved {
        /// Time at the start of the step, s.
        time: f64,
        /// Why the last attempt at it was given up.
        reason: GiveUp,
        /// Largest strain left.
        strain: f64,
        /// Acceleration left unbalanced, m/s².
        acceleration: f64,
        /// Depth of a point in what it touches, m.
        penetration: f64,
        /// Distance of a friction force from Coulomb's law, of the point's normal force or the mean one, whichever is larger.
        friction: f64,
    },
}

/// What it would take to make room for cloth that is squeezed.
fn room(pressure: f64) -> String {
    if pressure.is_finite() {
        format!("it would take {pressure:.1e} Pa to make it thin enough")
    } else {
        "no pressure makes its fibres that thin".to_owned()
    }
}

impl StepError {
    /// The indices of the obstacles that it speaks of.
    pub fn obstacles(&self) -> Vec<usize> {
        match self {
            StepError::BadObstacle { obstacle, .. }
            | StepError::StartsInside { obstacle, .. }
            | StepError::HeldInside { obstacle, .. }
            | StepError::WentThrough { obstacle, .. } => vec![*obstacle],
            StepError::Squeezed { obstacles, .. } => obstacles.to_vec(),
            _ => Vec::new(),
        }
    }
}

/// Refuses what cannot be simulated, before anything is computed.
pub(super) fn check_inputs(model: &Model, params: &Params, state: &State, inputs: &Inputs) -> Result<(), StepError> {
    if !(inputs.dt.is_finite() && inputs.dt > 0.0) {
        return Err(StepError::BadStepLength { dt: inputs.dt });
    }
    check_params(params)?;
    let (thickness, edge) = (params.material.thickness, model.cloth().shortest_edge());
    if params.self_contact.is_some() && thickness > edge {
        return Err(StepError::TooThick { thickness, edge });
    }
    check_state(model, state)?;
    let n = model.node_count();
    let given = |count: usize, needed: usize| if count == 0 { 0 } else { needed };
    let seams = model.cloth().seams().len();
    check_sizes(&[
        ("the force array", inputs.forces.len(), given(inputs.forces.len(), n)),
        ("the array of seams", inputs.seams.len(), given(inputs.seams.len(), seams)),
    ])?;
    check_finite("the force", inputs.forces)?;
    for held in inputs.held {
        if held.node >= n {
            return Err(StepError::NoSuchNode { node: held.node, nodes: n });
        }
        if !held.target.is_finite() {
            return Err(StepError::NotFinite { what: "the target", node: held.node });
        }
        if let Some(rule) = held.spring.and_then(|spring| spring.fault()) {
            return Err(StepError::BadHand { node: held.node, rule });
        }
    }
    if let Some(pair) = inputs.seams.iter().position(|distance| distance.is_some_and(|d| !(d.is_finite() && d >= 0.0)))
    {
        return Err(StepError::BadSeam { nodes: model.cloth().seams()[pair] });
    }
    if params.solver.published.is_some() && inputs.seams.iter().any(Option::is_some) {
        return Err(StepError::BadParameter {
            field: "published",
            rule: "knows no seams: leave them open, or unset it",
        });
    }
    if let Some(rule) = inputs.jaws.iter().find_map(|jaws| jaws.fault(inputs.bodies)) {
        return Err(StepError::BadJaws { rule });
    }
    for (obstacle, body) in inputs.bodies.iter().enumerate() {
        if let Some(rule) = body.fault() {
            return Err(StepError::BadObstacle { obstacle, rule });
        }
    }
    Ok(())
}

/// Refuses a state that is not one of this model's, or that no step can have left: one made by hand, or read from a file.
pub(crate) fn check_state(model: &Model, state: &State) -> Result<(), StepError> {
    let n = model.node_count();
    check_sizes(&[
        ("the position array", state.positions.len(), n),
        ("the velocity array", state.velocities.len(), n),
        ("the array of previous positions", state.previous_positions.len(), n),
        ("the array of previous velocities", state.previous_velocities.len(), n),
        ("the multiplier array", state.multipliers.len(), model.cloth().rows.len()),
    ])?;
    check_finite("the position", &state.positions)?;
    check_finite("the velocity", &state.velocities)?;
    check_finite("the previous position", &state.previous_positions)?;
    check_finite("the previous velocity", &state.previous_velocities)?;
    match state.fault(model) {
        Some(what) => Err(StepError::BadState { what }),
        None => Ok(()),
    }
}

fn check_sizes(sizes: &[(&'static str, usize, usize)]) -> Result<(), StepError> {
    match sizes.iter().find(|(_, found, expected)| found != expected) {
        Some(&(what, found, expected)) => Err(StepError::WrongSize { what, found, expected }),
        None => Ok(()),
    }
}

fn check_finite(what: &'static str, values: &[glam::DVec3]) -> Result<(), StepError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(node) => Err(StepError::NotFinite { what, node }),
        None => Ok(()),
    }
}

/// Parts that are farther apart, in thicknesses, will not meet in a step, and all of them would have to be watched.
const MOST_PROXIMITY: f64 = 10.0;

fn check_params(params: &Params) -> Result<(), StepError> {
    if let Some((field, rule)) = params.material.fault() {
        return Err(StepError::BadMaterial { field, rule });
    }
    let solver = &params.solver;
    let faults = [
        (params.gravity.is_finite(), "gravity", "must be finite"),
        (params.wind.is_none_or(|w| w.is_finite()), "wind", "must be finite"),
        (
            params.self_contact.is_none_or(|itself| itself.friction >= 0.0 && itself.friction.is_finite()),
            "friction of the cloth on itself",
            "must be 0 or a positive number",
        ),
        (
            params.self_contact.is_none_or(|itself| (0.0..=MOST_PROXIMITY).contains(&itself.proximity)),
            "proximity",
            "must be from 0 to 10",
        ),
        (solver.strain_tolerance > 0.0, "strain_tolerance", "must be positive"),
        (solver.acceleration_tolerance > 0.0, "acceleration_tolerance", "must be positive"),
        (solver.gap_tolerance > 0.0, "gap_tolerance", "must be positive"),
        (solver.friction_tolerance > 0.0, "friction_tolerance", "must be positive"),
        (solver.max_iterations > 0, "max_iterations", "must be at least 1"),
        (solver.max_factorisations > 0, "max_factorisations", "must be at least 1"),
        (solver.max_halvings <= 20, "max_halvings", "must be at most 20"),
        (
            solver.method.is_available(),
            "method",
            "is InteriorPoint: build with the feature `interior-point` to have it",
        ),
    ];
    match faults.into_iter().find(|(fine, ..)| !fine) {
        Some((_, field, rule)) => Err(StepError::BadParameter { field, rule }),
        None => Ok(()),
    }
}
