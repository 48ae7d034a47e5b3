//! Errors of the library as exceptions of Python.

use pyo3::PyErr;
use pyo3::prelude::*;
use taffeta::obstacle::Obstacle;
use taffeta::{Simulation, StepError};
use taffeta_io::scene;

use crate::world::Trouble;

pyo3::import_exception!(taffeta.errors, Error);
pyo3::import_exception!(taffeta.errors, SceneError);
pyo3::import_exception!(taffeta.errors, InvalidInput);
pyo3::import_exception!(taffeta.errors, Busy);
pyo3::import_exception!(taffeta.errors, RecordingError);
pyo3::import_exception!(taffeta.errors, StepRefused);

/// The exception for an argument that cannot be used.
pub fn invalid(why: impl Into<String>) -> PyErr {
    InvalidInput::new_err(why.into())
}

/// The exception for a scene. What was overridden is named as Python names it.
pub fn of_scene(error: scene::SceneError) -> PyErr {
    SceneError::new_err(match error {
        scene::SceneError::Override { key, why } => format!("overrides[{key:?}]: {why}"),
        other => other.to_string().replace(", overridden by --set", ", set by overrides"),
    })
}

/// Why a step was not taken, apart from the interpreter: for another thread, and for a pickle.
#[derive(Clone, Debug)]
pub struct Refused {
    /// What is said of it.
    pub message: String,
    /// The same in a word.
    pub reason: String,
    time: f64,
    /// Steps that the same call had taken before.
    pub steps: u64,
    nodes: Vec<usize>,
    obstacles: Vec<String>,
    details: Vec<(&'static str, f64)>,
    is_defect: bool,
}

impl Refused {
    /// What is known of some trouble with a simulation.
    pub fn new(trouble: &Trouble, simulation: &Simulation, steps: u64) -> Self {
        let time = simulation.time();
        match trouble {
            Trouble::Refused(error) => {
                let obstacles = names(error, &simulation.obstacles);
                let (nodes, details) = facts(error);
                let message = match obstacles.as_slice() {
                    [] => error.to_string(),
                    names => format!("{error} (obstacles: {})", names.join(", ")),
                };
                Self { message, reason: word(error), time, steps, nodes, obstacles, details, is_defect: false }
            }
            Trouble::Panicked(why) => Self {
                message: format!(
                    "taffeta failed where it should not, at t = {time:.4} s: {why}; please report it, with the scene. This \
                     simulation cannot go on: restore it or make it again"
                ),
                reason: "defect".to_owned(),
                time,
                steps,
                nodes: Vec::new(),
                obstacles: Vec::new(),
                details: Vec::new(),
                is_defect: true,
            },
        }
    }

    /// The exception.
    pub fn into_exception(self) -> PyErr {
        let Self { message, reason, time, steps, nodes, obstacles, details, is_defect } = self;
        if is_defect {
            return Error::new_err(message);
        }
        Python::attach(|py| {
            let numbers = pyo3::types::PyDict::new(py);
            let filled = details.into_iter().try_for_each(|(name, number)| numbers.set_item(name, number));
            match filled {
                Ok(()) => StepRefused::new_err((message, reason, time, steps, nodes, obstacles, numbers.unbind())),
                Err(error) => error,
            }
        })
    }
}

/// The names of the obstacles that an error knows by their numbers.
fn names(error: &StepError, obstacles: &[Obstacle]) -> Vec<String> {
    error.obstacles().iter().filter_map(|&k| Some(obstacles.get(k)?.name.clone())).collect()
}

/// The variant of an error, as words with hyphens.
fn word(error: &StepError) -> String {
    let debug = format!("{error:?}");
    let variant: String = debug.chars().take_while(char::is_ascii_alphanumeric).collect();
    let mut word = String::new();
    for letter in variant.chars() {
        if letter.is_ascii_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.push(letter.to_ascii_lowercase());
    }
    word
}

/// The nodes and the numbers that an error knows.
fn facts(error: &StepError) -> (Vec<usize>, Vec<(&'static str, f64)>) {
    use StepError::*;
    match *error {
        BadStepLength { dt } => (vec![], vec![("dt", dt)]),
        TooThick { thickness, edge } => (vec![], vec![("thickness", thickness), ("edge", edge)]),
        TooThin { thickness, tolerance } => (vec![], vec![("thickness", thickness), ("tolerance", tolerance)]),
        Tangled { nodes, distance, .. } => (nodes.into(), vec![("distance", distance)]),
        NoSuchNode { node, .. } | HeldTwice { node } | BadHand { node, .. } | NotFinite { node, .. } => {
            (vec![node], vec![])
        }
        WrongSize { found, expected, .. } => (vec![], vec![("found", found as f64), ("expected", expected as f64)]),
        BadSeam { nodes } => (nodes.into(), vec![]),
        OutOfReach { nodes, distance, available } => {
            (nodes.into(), vec![("distance", distance), ("available", available)])
        }
        EdgeHeld { nodes, distance, length } => (nodes.into(), vec![("distance", distance), ("length", length)]),
        StartsStretched { nodes, strain, length } => (nodes.into(), vec![("strain", strain), ("length", length)]),
        StartsCrossed { count, edge, .. } => (edge.into(), vec![("count", count as f64)]),
        StartsInside { node, depth, .. } | HeldInside { node, depth, .. } => (vec![node], vec![("depth", depth)]),
        HeldJumps { node, distance, .. } => (vec![node], vec![("distance", distance)]),
        SewnHeld { nodes, distance } => (nodes.into(), vec![("distance", distance)]),
        Squeezed { node, depth, pressure, .. } => (vec![node], vec![("depth", depth), ("pressure", pressure)]),
        TooExpensive { factorisations, .. } => (vec![], vec![("factorisations", factorisations as f64)]),
        NotSolved { strain, acceleration, penetration, friction, .. } => (
            vec![],
            vec![
                ("strain", strain),
                ("acceleration", acceleration),
                ("penetration", penetration),
                ("friction", friction),
            ],
        ),
        WentThrough { .. }
        | BadMaterial { .. }
        | BadParameter { .. }
        | BadJaws { .. }
        | BadState { .. }
        | BadObstacle { .. } => (vec![], vec![]),
    }
}
