//! How well a step did.

use glam::DVec3;

use super::bodies::Bodies;
use super::linearise::Residual;
use crate::model::Model;
use crate::params::Params;
use crate::state::State;
use crate::timing::Timings;

/// The account of one step: work done, quality of the solution, energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Sub-steps the step was taken in.
    pub substeps: usize,
    /// Attempts that failed and were repeated with a smaller sub-step.
    pub retries: usize,
    /// Iterations: quadratic programs solved.
    pub iterations: usize,
    /// Numeric factorisations.
    pub factorisations: usize,
    /// Passes: equality problems solved, one for each working set that an iteration tried.
    pub passes: usize,
    /// Contacts that entered or left a working set.
    pub exchanges: usize,
    /// Largest |C| of the rigid conditions: a relative strain.
    pub residual: f64,
    /// Root mean square of the acceleration left unbalanced, m/s²; of a sub-step, times its part of the step.
    pub unbalanced: f64,
    /// Smallest gap between the cloth, as thick as the pressure leaves it, and an obstacle, m; infinite if none is near.
    pub min_gap: f64,
    /// Largest distance of a point that is pushed from the obstacle that pushes it, m: the complementarity residual.
    pub separation: f64,
    /// Largest distance of a friction force from Coulomb's law, of the point's normal force or the mean one, whichever is
    /// larger; of a sub-step, times its part of the step.
    pub friction_residual: f64,
    /// Points that are pushed by an obstacle.
    pub active_contacts: usize,
    /// Smallest distance of two parts of the cloth, m; infinite if none are near each other.
    pub min_self_gap: f64,
    /// Places where the cloth pushes itself.
    pub self_contacts: usize,
    /// Largest pressure on the cloth, Pa.
    pub max_pressure: f64,
    /// How much of its thickness the cloth loses where it is pressed hardest.
    pub max_compression: f64,
    /// How far a held node stays behind its target at most, m.
    pub max_lag: f64,
    /// Largest |l/l₀ − 1| of the mesh edges.
    pub max_edge_strain: f64,
    /// Root mean square of l/l₀ − 1 over the mesh edges.
    pub rms_edge_strain: f64,
    /// Area over rest area, minus 1.
    pub area_strain: f64,
    /// Kinetic energy, J.
    pub kinetic_energy: f64,
    /// Energy of gravity (weight δ), J, zero at the origin.
    pub gravity_energy: f64,
    /// Bending energy, J.
    pub bending_energy: f64,
    /// What the cloth stores in shear and in threads that give, J.
    pub elastic_energy: f64,
    /// Energy of cloth that is pressed, J.
    pub compression_energy: f64,
    /// What is stored in the hands that give, J.
    pub hand_energy: f64,
    /// Kinetic and gravitational energy of the bodies that move by the forces on them, and what is stored in their servos, J.
    pub body_energy: f64,
    /// How far such a body stays behind where it is to be at most, m.
    pub max_body_lag: f64,
    /// Where the time went; all zero unless the workspace has a [clock](super::Workspace::set_clock).
    pub timings: Timings,
}

impl Default for StepReport {
    /// A step in which nothing has been done and nothing is near.
    fn default() -> Self {
        Self {
            substeps: 0,
            retries: 0,
            iterations: 0,
            factorisations: 0,
            passes: 0,
            exchanges: 0,
            residual: 0.0,
            unbalanced: 0.0,
            min_gap: f64::INFINITY,
            separation: 0.0,
            friction_residual: 0.0,
            active_contacts: 0,
            min_self_gap: f64::INFINITY,
            self_contacts: 0,
            max_pressure: 0.0,
            max_compression: 0.0,
            max_lag: 0.0,
            max_edge_strain: 0.0,
            rms_edge_strain: 0.0,
            area_strain: 0.0,
            kinetic_energy: 0.0,
            gravity_energy: 0.0,
            bending_energy: 0.0,
            elastic_energy: 0.0,
            compression_energy: 0.0,
            hand_energy: 0.0,
            body_energy: 0.0,
            max_body_lag: 0.0,
            timings: Timings::default(),
        }
    }
}

impl StepReport {
    /// Adds a part of the step. What is off in a part of a step counts as much as it is a part.
    pub(super) fn add_solved(&mut self, residual: &Residual, part: f64) {
        self.substeps += 1;
        self.residual = f64::max(self.residual, residual.strain);
        self.unbalanced = f64::max(self.unbalanced, part * residual.acceleration);
        self.min_gap = f64::min(self.min_gap, residual.contact.gap);
        self.separation = f64::max(self.separation, residual.contact.separation);
        self.friction_residual = f64::max(self.friction_residual, part * residual.contact.friction);
        self.active_contacts = residual.contact.active;
        self.min_self_gap = f64::min(self.min_self_gap, residual.contact.self_gap);
        self.self_contacts = residual.contact.self_active;
        self.compression_energy = residual.contact.energy;
        self.max_pressure = f64::max(self.max_pressure, residual.contact.pressure);
        self.max_compression = f64::max(self.max_compression, residual.contact.compression);
    }

    /// Notes what is stored in the rows of the cloth, `½ σ λ²` each; in a program both are scaled with h².
    pub(super) fn add_rows(&mut self, lambda: &[f64], compliance: &[f64], h: f64) {
        let stored: f64 =
            lambda.iter().zip(compliance).map(|(lambda, compliance)| 0.5 * compliance * lambda * lambda).sum();
        self.elastic_energy = stored / (h * h);
    }

    /// Adds how far the hands gave in a part of the step, and what that stored in them.
    pub(super) fn add_hands(&mut self, (lag, energy): (f64, f64)) {
        self.max_lag = f64::max(self.max_lag, lag);
        self.hand_energy = energy;
    }

    /// Adds what the bodies that move by the forces on them do in a part of the step.
    pub(super) fn add_bodies(&mut self, bodies: &Bodies, gravity: DVec3) {
        self.body_energy = bodies.energy(gravity);
        self.max_body_lag = f64::max(self.max_body_lag, bodies.lag());
    }

    /// Measures what the new state shows.
    pub(super) fn measure(&mut self, model: &Model, params: &Params, state: &State) {
        let cloth = model.cloth();
        let (mut squares, mut largest, mut count) = (0.0, 0.0, 0.0);
        for strain in cloth.edge_strains(&state.positions) {
            squares += strain * strain;
            largest = f64::max(largest, strain.abs());
            count += 1.0;
        }
        self.max_edge_strain = largest;
        self.rms_edge_strain = (squares / count).sqrt();
        self.area_strain = cloth.area_at(&state.positions) / cloth.rest_area() - 1.0;

        let material = &params.material;
        for (i, &area) in cloth.node_areas().iter().enumerate() {
            let (x, v) = (state.positions[i], state.velocities[i]);
            self.kinetic_energy += 0.5 * material.density * area * v.length_squared();
            self.gravity_energy -= material.virtual_density * area * params.gravity.dot(x);
            if material.bending > 0.0 {
                self.bending_energy += 0.5 * material.bending * x.dot(cloth.bending.times(i, &state.positions));
            }
        }
    }

    /// Kinetic energy and all that is stored, J.
    pub fn energy(&self) -> f64 {
        self.kinetic_energy
            + self.gravity_energy
            + self.bending_energy
            + self.elastic_energy
            + self.compression_energy
            + self.hand_energy
            + self.body_energy
    }
}
