//! What came of a run.

mod goal;
mod hands;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taffeta::{GripReading, Simulation, StepReport};
use taffeta_io::scene::Scene;

use crate::analytic::{centroid, relative_error};
use crate::output::table;
use crate::timings::shares;
use goal::{GoalSummary, covered_area};
use hands::{BodySummary, GripSummary, GripTally};

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
    degraded_steps: u64,
    max_edge_strain: f64,
    /// Of the root mean squares of all steps.
    sum_of_squared_strains: f64,
    max_residual: f64,
    max_unbalanced: f64,
    max_area_strain: f64,
    /// Of all steps in which an obstacle was near.
    min_gap: Option<f64>,
    /// Of all steps in which parts of the cloth were near each other.
    min_self_gap: Option<f64>,
    self_contacts_max: u64,
    max_pressure: f64,
    max_compression: f64,
    max_lag: f64,
    max_body_lag: f64,
    grips: Vec<GripTally>,
    /// Of all recorded frames.
    pub self_intersections: u64,
    max_separation: f64,
    max_friction_residual: f64,
    active_contacts_max: u64,
    exchanges: u64,
    kinetic_energy: f64,
    total_energy: f64,
}

/// More of anything than a run can count.
const UNCOUNTABLE: u64 = 1 << 53;

impl Tally {
    /// Whether it can be of a run of so many steps; one from a file may be anything.
    pub fn is_of(&self, steps: u64) -> bool {
        let counts = [
            self.iterations,
            self.iterations_max,
            self.factorisations,
            self.substeps,
            self.retries,
            self.degraded_steps,
            self.self_contacts_max,
            self.self_intersections,
            self.active_contacts_max,
            self.exchanges,
        ];
        let layers = self.grips.iter().map(|grip| grip.max_layers);
        self.steps == steps && counts.into_iter().chain(layers).all(|count| count < UNCOUNTABLE)
    }

    /// Adds a step, and what grippers feel after it.
    pub fn add(&mut self, report: &StepReport, grips: &[GripReading]) {
        self.grips.resize_with(grips.len(), GripTally::default);
        self.grips.iter_mut().zip(grips).for_each(|(tally, reading)| tally.add(reading));
        self.max_body_lag = self.max_body_lag.max(report.max_body_lag);
        self.steps += 1;
        self.iterations += report.iterations as u64;
        self.iterations_max = self.iterations_max.max(report.iterations as u64);
        self.factorisations += report.factorisations as u64;
        self.substeps += report.substeps as u64;
        self.retries += report.retries as u64;
        self.degraded_steps += u64::from(report.degraded > 0);
        self.max_edge_strain = self.max_edge_strain.max(report.max_edge_strain);
        self.sum_of_squared_strains += report.rms_edge_strain.powi(2);
        self.max_residual = self.max_residual.max(report.residual);
        self.max_unbalanced = self.max_unbalanced.max(report.unbalanced);
        self.max_area_strain = self.max_area_strain.max(report.area_strain.abs());
        for (least, gap) in [(&mut self.min_gap, report.min_gap), (&mut self.min_self_gap, report.min_self_gap)] {
            if gap.is_finite() {
                *least = Some(least.map_or(gap, |least| least.min(gap)));
            }
        }
        self.max_pressure = self.max_pressure.max(report.max_pressure);
        self.max_compression = self.max_compression.max(report.max_compression);
        self.max_lag = self.max_lag.max(report.max_lag);
        self.self_contacts_max = self.self_contacts_max.max(report.self_contacts as u64);
        self.max_separation = self.max_separation.max(report.separation);
        self.max_friction_residual = self.max_friction_residual.max(report.friction_residual);
        self.active_contacts_max = self.active_contacts_max.max(report.active_contacts as u64);
        self.exchanges += report.exchanges as u64;
        self.kinetic_energy = report.kinetic_energy;
        self.total_energy = report.energy();
    }
}

/// A law, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What the law of `[analytic]` says.
    pub analytic: f64,
    /// What was measured; null if there was nothing to measure.
    pub measured: Option<f64>,
    /// Measured over analytic, minus 1; null where that makes no sense.
    pub relative_error: Option<f64>,
}

impl Verdict {
    pub fn new(analytic: f64, measured: Option<f64>) -> Self {
        let relative_error = measured.and_then(|measured| relative_error(analytic, measured));
        Self { analytic, measured, relative_error }
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
    /// Steps with a part that could not be solved, and was taken as well as it could be.
    pub degraded_steps: u64,
    /// Largest magnitude of all steps.
    pub max_area_strain: f64,
    /// Smallest of all steps; null if no obstacle was ever near.
    pub min_obstacle_gap_m: Option<f64>,
    /// Smallest distance of parts of the cloth that share no node, of all steps; null if none were ever near each other.
    pub min_self_gap_m: Option<f64>,
    /// Edges through faces, over all recorded frames.
    pub self_intersections: u64,
    /// Largest number of places where the cloth pushes itself, of all steps.
    pub self_contacts_max: u64,
    /// Largest pressure on the cloth, Pa, and how much of its thickness that takes.
    pub max_pressure_pa: f64,
    pub max_compression: f64,
    /// How far a held node stayed behind its target at most, m.
    pub max_lag_m: f64,
    /// How far a driven body stayed behind where it was to be at most, m.
    pub max_body_lag_m: f64,
    /// What came of the grippers.
    pub grippers: BTreeMap<String, GripSummary>,
    /// What came of the bodies that are free or driven, without the fingers of grippers.
    pub bodies: BTreeMap<String, BodySummary>,
    /// The area that the cloth covers seen from above, at the end.
    pub covered_area_m2: f64,
    /// How near the cloth is to the goal of the scene, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal: Option<GoalSummary>,
    /// Largest of all steps.
    pub active_contacts_max: u64,
    /// Largest distance of a point from the obstacle that pushes it.
    pub complementarity_m: f64,
    /// Largest distance of a friction force from Coulomb's law, of the point's normal force or the mean one, whichever is larger.
    pub friction_residual: f64,
    /// Contacts that entered or left a working set.
    pub exchanges: u64,
    /// Force on each obstacle at the end, N.
    pub obstacle_forces: BTreeMap<String, [f64; 3]>,
    /// Force of the hand on each node held in the last step, N, by the node's number.
    pub held_forces: BTreeMap<String, [f64; 3]>,
    /// The law of the scene, if it has one.
    #[serde(flatten)]
    pub verdict: Option<Verdict>,
    /// At the end, J.
    pub kinetic_energy: f64,
    /// At the end, J.
    pub total_energy: f64,
    /// At the end, weighted with the area of the cloth, m.
    pub centroid: [f64; 3],
    /// The folder.
    pub recording: String,
    /// Seconds of each stage of the steps, if they were measured; of a resumed run, since it was resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timings_s: Option<BTreeMap<String, f64>>,
}

impl Summary {
    pub fn new(
        scene: &Scene,
        simulation: &Simulation,
        tally: &Tally,
        verdict: Option<Verdict>,
        recording: &str,
    ) -> Self {
        let obstacles = &simulation.obstacles;
        let forces = (0..obstacles.len()).map(|k| simulation.obstacle_force(k));
        let cloth = simulation.model().cloth();
        let steps = tally.steps.max(1) as f64;
        let simulated_s = simulation.time();
        Self {
            scene: scene.name().to_owned(),
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
            degraded_steps: tally.degraded_steps,
            max_area_strain: tally.max_area_strain,
            min_obstacle_gap_m: tally.min_gap,
            min_self_gap_m: tally.min_self_gap,
            self_intersections: tally.self_intersections,
            self_contacts_max: tally.self_contacts_max,
            max_pressure_pa: tally.max_pressure,
            max_compression: tally.max_compression,
            max_lag_m: tally.max_lag,
            max_body_lag_m: tally.max_body_lag,
            grippers: hands::grippers(simulation, &tally.grips),
            bodies: hands::bodies(simulation),
            covered_area_m2: covered_area(simulation),
            goal: scene.settings().goal.as_ref().map(|goal| GoalSummary::new(goal, simulation)),
            active_contacts_max: tally.active_contacts_max,
            complementarity_m: tally.max_separation,
            friction_residual: tally.max_friction_residual,
            exchanges: tally.exchanges,
            obstacle_forces: obstacles.iter().zip(forces).map(|(o, f)| (o.name.clone(), f.to_array())).collect(),
            held_forces: simulation
                .held()
                .iter()
                .zip(simulation.held_forces())
                .map(|(held, force)| (held.node.to_string(), force.to_array()))
                .collect(),
            verdict,
            kinetic_energy: tally.kinetic_energy,
            total_energy: tally.total_energy,
            centroid: centroid(simulation, simulation.positions()).to_array(),
            recording: recording.to_owned(),
            timings_s: None,
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
        if self.degraded_steps > 0 {
            rows.push(("degraded steps", self.degraded_steps.to_string()));
        }
        if let Some(gap) = self.min_obstacle_gap_m {
            let contacts = format!("at most {}, {} exchanges", self.active_contacts_max, self.exchanges);
            rows.extend([
                ("smallest gap", format!("{:.4} mm", 1e3 * gap)),
                ("contacts", contacts),
                ("complementarity", format!("{:.4} mm", 1e3 * self.complementarity_m)),
                ("friction residual", format!("{:.1e}", self.friction_residual)),
            ]);
        }
        if let Some(gap) = self.min_self_gap_m {
            rows.extend([
                ("smallest self gap", format!("{:.4} mm", 1e3 * gap)),
                ("self-contacts", format!("at most {}", self.self_contacts_max)),
            ]);
        }
        if self.max_pressure_pa > 0.0 {
            let thinner = format!("{:.0} Pa, {:.2} % thinner", self.max_pressure_pa, 100.0 * self.max_compression);
            rows.push(("largest pressure", thinner));
        }
        rows.push(("self-intersections", self.self_intersections.to_string()));
        rows.extend(hands::rows(&self.grippers, &self.bodies));
        for (name, [x, y, z]) in &self.obstacle_forces {
            rows.push(("force at the end", format!("{x:.3}, {y:.3}, {z:.3} N on {name}")));
        }
        if let Some(Verdict { analytic, measured, relative_error }) = self.verdict {
            let measured = measured.map_or("nothing".to_owned(), |measured| format!("{measured:.4}"));
            let off = relative_error.map_or(String::new(), |error| format!(" ({:+.2} %)", 100.0 * error));
            rows.push(("measured", format!("{measured}, and {analytic:.4} by the law{off}")));
        }
        if let Some(goal) = &self.goal {
            rows.extend(goal.rows());
        }
        rows.extend([
            ("covered area", format!("{:.4} m² seen from above", self.covered_area_m2)),
            ("largest area change", strain(self.max_area_strain)),
            ("energy at the end", format!("kinetic {:.3e} J, total {:.3e} J", self.kinetic_energy, self.total_energy)),
            ("recording", self.recording.clone()),
        ]);
        if let Some(timings) = &self.timings_s {
            rows.push(("time of the steps", format!("{:>9.3} s", timings.values().sum::<f64>())));
            rows.extend(shares(timings));
        }
        table(&rows)
    }
}
