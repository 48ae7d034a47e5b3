//! What is recorded of every step.

use taffeta::StepReport;

use super::NOTHING_NEAR;

/// The fields of `report.npy`. There is no wall time among them: recordings of the same scene are
/// the same to the bit.
pub const FIELDS: [&str; 28] = [
    "time_s",
    "iterations",
    "factorisations",
    "substeps",
    "retries",
    "residual",
    "unbalanced_m_s2",
    "max_edge_strain",
    "rms_edge_strain",
    "area_strain",
    "kinetic_energy_J",
    "gravity_energy_J",
    "bending_energy_J",
    "min_gap_m",
    "separation_m",
    "friction_residual",
    "active_contacts",
    "exchanges",
    "min_self_gap_m",
    "self_contacts",
    "max_pressure_Pa",
    "max_compression",
    "compression_energy_J",
    "max_lag_m",
    "hand_energy_J",
    "body_energy_J",
    "max_body_lag_m",
    "degraded",
];

/// The values of the fields for a step that ended at a time.
pub fn row(time_s: f64, report: &StepReport) -> [f64; FIELDS.len()] {
    [
        time_s,
        report.iterations as f64,
        report.factorisations as f64,
        report.substeps as f64,
        report.retries as f64,
        report.residual,
        report.unbalanced,
        report.max_edge_strain,
        report.rms_edge_strain,
        report.area_strain,
        report.kinetic_energy,
        report.gravity_energy,
        report.bending_energy,
        report.min_gap.min(NOTHING_NEAR),
        report.separation,
        report.friction_residual,
        report.active_contacts as f64,
        report.exchanges as f64,
        report.min_self_gap.min(NOTHING_NEAR),
        report.self_contacts as f64,
        report.max_pressure,
        report.max_compression,
        report.compression_energy,
        report.max_lag,
        report.hand_energy,
        report.body_energy,
        report.max_body_lag,
        report.degraded as f64,
    ]
}
