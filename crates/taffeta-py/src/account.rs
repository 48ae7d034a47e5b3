//! What several steps came to.

use taffeta::{StepReport, Timings};

/// The account of some steps, taken together.
#[derive(Clone, Copy, Debug, Default)]
pub struct Account {
    /// How many steps.
    pub steps: u64,
    /// Work is summed up, what is off is the worst of all steps, and what is stored or touches is as it is at the end.
    pub report: StepReport,
}

impl Account {
    /// Adds a step. Every field is named, so that a new one cannot be forgotten.
    pub fn add(&mut self, next: &StepReport) {
        self.steps += 1;
        let last = &self.report;
        self.report = StepReport {
            substeps: last.substeps + next.substeps,
            retries: last.retries + next.retries,
            degraded: last.degraded + next.degraded,
            iterations: last.iterations + next.iterations,
            factorisations: last.factorisations + next.factorisations,
            passes: last.passes + next.passes,
            exchanges: last.exchanges + next.exchanges,
            residual: last.residual.max(next.residual),
            unbalanced: last.unbalanced.max(next.unbalanced),
            min_gap: last.min_gap.min(next.min_gap),
            separation: last.separation.max(next.separation),
            friction_residual: last.friction_residual.max(next.friction_residual),
            active_contacts: next.active_contacts,
            min_self_gap: last.min_self_gap.min(next.min_self_gap),
            self_contacts: next.self_contacts,
            max_pressure: last.max_pressure.max(next.max_pressure),
            max_compression: last.max_compression.max(next.max_compression),
            max_lag: last.max_lag.max(next.max_lag),
            max_edge_strain: last.max_edge_strain.max(next.max_edge_strain),
            rms_edge_strain: last.rms_edge_strain.max(next.rms_edge_strain),
            area_strain: if next.area_strain.abs() > last.area_strain.abs() {
                next.area_strain
            } else {
                last.area_strain
            },
            kinetic_energy: next.kinetic_energy,
            gravity_energy: next.gravity_energy,
            bending_energy: next.bending_energy,
            elastic_energy: next.elastic_energy,
            compression_energy: next.compression_energy,
            hand_energy: next.hand_energy,
            body_energy: next.body_energy,
            max_body_lag: last.max_body_lag.max(next.max_body_lag),
            timings: Timings::default(),
        };
    }
}
