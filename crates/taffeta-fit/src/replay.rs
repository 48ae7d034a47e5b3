//! A simulation of a captured cloth, in the hands that were captured with it.

use glam::DVec3;
use serde::Serialize;
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::{Mesh, MeshError};
use taffeta::{Params, Simulation, StepError};
use thiserror::Error;

use crate::capture::{Capture, CaptureError};

/// Hands that are as far apart as the cloth is wide leave it no slack, and threads that are taut from end to end pull with any force:
/// the cloth is made wider than they get by this part.
const SLACK: f64 = 5e-4;

/// 1/s. Damping while the cloth comes to rest in the first pose of the hands.
const SETTLING: f64 = 20.0;

/// What a fit changes. Without contact the motion depends on the ratios alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parameters {
    /// `ρ`, kg/m².
    pub density: f64,
    /// `α/ρ`, 1/s.
    pub alpha: f64,
    /// `δ/ρ`.
    pub delta: f64,
    /// `κ`, N·m.
    pub kappa: f64,
}

impl Default for Parameters {
    /// Those with the least error on nine captures of a cloth of 0.3 × 0.3 m, swung by a robot; its density is not known and, without
    /// contact, does not matter.
    fn default() -> Self {
        Self { density: 0.2, alpha: 1.8, delta: 0.7, kappa: 0.0 }
    }
}

/// How finely a capture is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Discretisation {
    /// Edges of the mesh between two markers.
    pub refinement: usize,
    /// Length of a step, s.
    pub dt: f64,
    /// How long the cloth hangs in the first pose of the hands before the capture begins, s.
    pub settling_s: f64,
}

impl Default for Discretisation {
    fn default() -> Self {
        Self { refinement: 2, dt: 0.01, settling_s: 1.5 }
    }
}

/// Where the markers were simulated to be, at the times of the capture's frames.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Frame by frame, m.
    pub markers: Vec<Vec<DVec3>>,
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
    capture.check()?;
    let mut simulation = hang(capture, parameters, discretisation)?;
    let Discretisation { refinement, dt, settling_s } = *discretisation;
    let begin = capture.frames[0].time;
    let usual = simulation.params.material.damping;
    let nodes = Nodes { columns: (capture.columns() - 1) * refinement + 1, refinement, markers: capture.columns() };

    simulation.params.material.damping = SETTLING * parameters.density;
    let settling = (settling_s / dt).round() as usize;
    for _ in 0..settling {
        take_step(capture, &mut simulation, &nodes, begin)?;
    }
    simulation.params.material.damping = usual;

    let (mut markers, mut steps) = (Vec::with_capacity(capture.frames.len()), 0u32);
    let mut before = nodes.markers_of(capture, &simulation);
    let mut after = before.clone();
    for frame in &capture.frames {
        while begin + f64::from(steps) * dt < frame.time - 1e-9 {
            steps += 1;
            take_step(capture, &mut simulation, &nodes, begin + f64::from(steps) * dt)?;
            before = std::mem::replace(&mut after, nodes.markers_of(capture, &simulation));
        }
        // A frame between two steps is on the straight line between them.
        let part = 1.0 - (begin + f64::from(steps) * dt - frame.time) / dt;
        markers.push(before.iter().zip(&after).map(|(a, b)| a.lerp(*b, part.clamp(0.0, 1.0))).collect());
    }
    Ok(Replay { markers })
}

/// Which nodes are the markers.
struct Nodes {
    /// Columns of the mesh.
    columns: usize,
    refinement: usize,
    /// Columns of the grid of markers.
    markers: usize,
}

impl Nodes {
    fn of(&self, marker: usize) -> usize {
        let (column, row) = (marker % self.markers, marker / self.markers);
        row * self.refinement * self.columns + column * self.refinement
    }

    fn markers_of(&self, capture: &Capture, simulation: &Simulation) -> Vec<DVec3> {
        (0..capture.counted.len()).map(|marker| simulation.positions()[self.of(marker)]).collect()
    }
}

fn take_step(capture: &Capture, simulation: &mut Simulation, nodes: &Nodes, time: f64) -> Result<(), ReplayError> {
    for held in &capture.held {
        simulation.hold(nodes.of(held.marker), held.path.at(time));
    }
    let step = simulation.step();
    step.map(|_| ()).map_err(|cause| ReplayError::Step { id: capture.id.clone(), time, cause })
}

/// The cloth as it hangs straight down from the first places of the hands.
fn hang(
    capture: &Capture,
    parameters: &Parameters,
    discretisation: &Discretisation,
) -> Result<Simulation, ReplayError> {
    let rule = |name, rule| Err(ReplayError::Parameter { name, rule });
    let Parameters { density, alpha, delta, kappa } = *parameters;
    if discretisation.refinement == 0 {
        return rule("refinement", "must be 1 or more");
    }
    if !(discretisation.dt > 0.0 && discretisation.dt.is_finite()) {
        return rule("dt", "must be a positive number of seconds");
    }
    let material = Material {
        damping: alpha * density,
        virtual_density: delta * density,
        bending: kappa,
        ..Material::with_density(density)
    };
    if let Some((name, must)) = material.fault() {
        return rule(name, must);
    }
    let begin = capture.frames[0].time;
    let places = capture.held.iter().map(|held| (held.marker, held.path.at(begin)));
    let (left, right) = places.fold((None, None), |(left, right): (Option<(usize, DVec3)>, _), held| {
        let column = |(marker, _): (usize, DVec3)| marker % capture.columns();
        let left = left.filter(|&known| column(known) <= column(held)).or(Some(held));
        let right: Option<(usize, DVec3)> = right;
        (left, right.filter(|&known| column(known) >= column(held)).or(Some(held)))
    });
    let (Some((_, left)), Some((_, right))) = (left, right) else { return rule("held", "must be at least one marker") };
    let width = capture.size[0] * (1.0 + SLACK);
    let across = (right - left).with_z(0.0).try_normalize().unwrap_or(DVec3::X);
    let middle = 0.5 * (left + right);
    let [columns, rows] = capture.grid.map(|count| (count - 1) * discretisation.refinement + 1);
    let height = capture.size[1];
    // Straight down from the middle of the hands: what is off, settling mends.
    let place = |s: f64, t: f64| middle + across * ((s - 0.5) * width) + DVec3::Z * ((t - 1.0) * height);
    let mesh = Mesh::grid(columns, rows, place).map_err(|cause| ReplayError::Mesh { id: capture.id.clone(), cause })?;
    let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::default());
    let params = Params { material, self_contact: None, ..Params::default() };
    Ok(Simulation::new(cloth, params, discretisation.dt))
}
