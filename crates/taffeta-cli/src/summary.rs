//! What came of a run.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta::{Simulation, StepReport};

use crate::output::table;

/// The running account of a run: part of its checkpoints, so that a resumed run gives the same
/// summary as an uninterrupted one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Time spent in steps, without recording them.
    pub wall_s: f64,
    steps: u64,
    iterations: u64,
    iterations_max: u64,
    factorisations: u64,
    substeps: u64,
    retries: u64,
    max_edge_strain: f64,
    /// Of the root mean squares of all steps.
    sum_of_squared_strains: f64,
    max_residual: f64,
    max_unbalanced: f64,
    max_area_strain: f64,
    kinetic_energy: f64,
    total_energy: f64,
}

impl Tally {
    /// Adds a step.
    pub fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.iterations += report.iterations as u64;
        self.iterations_max = self.iterations_max.max(report.iterations as u64);
        self.factorisations += report.factorisations as u64;
        self.substeps += report.substeps as u64;
        self.retries += report.retries as u64;
        self.max_edge_strain = self.max_edge_strain.max(report.max_edge_strain);
        self.sum_of_squared_strains += report.rms_edge_strain.powi(2);
        self.max_residual = self.max_residual.max(report.residual);
        self.max_unbalanced = self.max_unbalanced.max(report.unbalanced);
        self.max_area_strain = self.max_area_strain.max(report.area_strain.abs());
        self.kinetic_energy = report.kinetic_energy;
        self.total_energy = report.energy();
    }
}

/// What came of a run: the object that `--json` prints and `summary.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub scene: String,
    pub nodes: usize,
    pub elements: usize,
    pub dt: f64,
    pub steps: u64,
    pub simulated_s: f64,
    /// Time spent in steps, without recording them.
    pub wall_s: f64,
    /// Wall time over simulated time: below 1 is faster than life.
    pub q: f64,
    /// Largest of all edges and steps.
    pub max_edge_strain: f64,
    /// Over all edges and steps.
    pub rms_edge_strain: f64,
    pub max_residual: f64,
    pub max_unbalanced_m_s2: f64,
    pub iterations_mean: f64,
    pub iterations_max: u64,
    pub refactorisations: u64,
    pub substeps: u64,
    pub retries: u64,
    /// Largest magnitude of all steps.
    pub max_area_strain: f64,
    /// At the end, J.
    pub kinetic_energy: f64,
    /// At the end, J.
    pub total_energy: f64,
    /// At the end, weighted with the area of the cloth, m.
    pub centroid: [f64; 3],
    /// The folder.
    pub recording: String,
}

impl Summary {
    pub fn new(scene: &str, simulation: &Simulation, tally: &Tally, recording: &str) -> Self {
        let cloth = simulation.model().cloth();
        let steps = tally.steps.max(1) as f64;
        let simulated_s = simulation.time();
        Self {
            scene: scene.to_owned(),
            nodes: cloth.mesh().node_count(),
            elements: cloth.mesh().elements().len(),
            dt: simulation.dt(),
            steps: tally.steps,
            simulated_s,
            wall_s: tally.wall_s,
            q: tally.wall_s / simulated_s,
            max_edge_strain: tally.max_edge_strain,
            rms_edge_strain: (tally.sum_of_squared_strains / steps).sqrt(),
            max_residual: tally.max_residual,
            max_unbalanced_m_s2: tally.max_unbalanced,
            iterations_mean: tally.iterations as f64 / steps,
            iterations_max: tally.iterations_max,
            refactorisations: tally.factorisations,
            substeps: tally.substeps,
            retries: tally.retries,
            max_area_strain: tally.max_area_strain,
            kinetic_energy: tally.kinetic_energy,
            total_energy: tally.total_energy,
            centroid: centroid(cloth.node_areas(), simulation.positions()).to_array(),
            recording: recording.to_owned(),
        }
    }

    /// The summary to be read by people.
    pub fn to_table(&self) -> String {
        let strain = |strain: f64| format!("{:.4} %", 100.0 * strain);
        let mut rows = vec![
            ("simulated time", format!("{:.3} s in {} steps", self.simulated_s, self.steps)),
            ("wall time", format!("{:.3} s", self.wall_s)),
            ("q (wall/simulated)", format!("{:.4}", self.q)),
            ("largest edge strain", strain(self.max_edge_strain)),
            ("largest metric residual", strain(self.max_residual)),
            ("iterations per step", format!("{:.2} (at most {})", self.iterations_mean, self.iterations_max)),
            ("factorisations", self.refactorisations.to_string()),
        ];
        if self.retries > 0 || self.substeps > self.steps {
            let more = format!("{} in all, {} retries", self.substeps, self.retries);
            rows.push(("sub-steps", more));
        }
        rows.extend([
            ("largest area change", strain(self.max_area_strain)),
            ("energy at the end", format!("kinetic {:.3e} J, total {:.3e} J", self.kinetic_energy, self.total_energy)),
            ("recording", self.recording.clone()),
        ]);
        table(&rows)
    }
}

fn centroid(areas: &[f64], positions: &[DVec3]) -> DVec3 {
    let moment: DVec3 = areas.iter().zip(positions).map(|(&area, &place)| area * place).sum();
    moment / areas.iter().sum::<f64>()
}
