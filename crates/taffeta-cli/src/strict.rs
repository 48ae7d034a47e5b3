//! `--strict`: what a step must keep to.

use taffeta::mesh::{Element, Mesh};
use taffeta::{Solver, StepReport};

/// How far a thread may be off its length.
const STRAIN: f64 = 0.01;

/// What a step may be off by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    row_strain: f64,
    edge_strain: f64,
    depth_m: f64,
    separation_m: f64,
    friction: f64,
}

impl Limits {
    /// What a user can rely on, and what the solver was asked for. In a quad all edges are threads; in a triangle some are not, and change
    /// with shear: of these only the conditions of the solver count.
    pub fn new(solver: &Solver, mesh: &Mesh) -> Self {
        let has_triangles = mesh.elements().iter().any(|element| matches!(element, Element::Triangle(_)));
        Self {
            row_strain: STRAIN,
            edge_strain: if has_triangles { f64::INFINITY } else { STRAIN },
            depth_m: 1e-4,
            separation_m: solver.gap_tolerance,
            friction: solver.friction_tolerance,
        }
    }

    /// What a step has left its limits by, if anything.
    pub fn breach(&self, report: &StepReport) -> Option<String> {
        // Not `value > limit`: a NaN is a breach, too.
        let exceeds = |value: f64, limit: f64| !matches!(value.partial_cmp(&limit), Some(order) if order.is_le());
        if report.degraded > 0 {
            Some(format!("{} of its parts could not be solved and were degraded", report.degraded))
        } else if exceeds(report.max_edge_strain, self.edge_strain) {
            let [strain, limit] = [report.max_edge_strain, self.edge_strain].map(|strain| 100.0 * strain);
            Some(format!("an edge is {strain:.3} % off its length, and {limit} % is the limit"))
        } else if exceeds(report.residual, self.row_strain) {
            let [strain, limit] = [report.residual, self.row_strain].map(|strain| 100.0 * strain);
            Some(format!("a thread is {strain:.3} % off its length, and {limit} % is the limit"))
        } else if exceeds(-report.min_gap, self.depth_m) {
            let [depth, limit] = [-report.min_gap, self.depth_m].map(|depth| 1e3 * depth);
            Some(format!("the cloth is {depth:.4} mm inside an obstacle, and {limit} mm is the limit"))
        } else if exceeds(report.separation, self.separation_m) {
            let [height, limit] = [report.separation, self.separation_m].map(|height| 1e3 * height);
            Some(format!("an obstacle pushes from {height:.4} mm away, and {limit} mm is the limit"))
        } else if exceeds(report.friction_residual, self.friction) {
            let (residual, limit) = (report.friction_residual, self.friction);
            Some(format!("friction is {residual:.2e} off Coulomb's law, and {limit:.2e} is the limit"))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use taffeta::DVec3;

    use super::*;

    #[test]
    fn each_limit_is_kept_up_to_its_value_and_named_beyond_it() {
        let square = |s: f64, t: f64| DVec3::new(s, t, 0.0);
        let limits = Limits::new(&Solver::default(), &Mesh::grid(2, 2, square).expect("a square"));
        let fine = StepReport {
            residual: 0.01,
            max_edge_strain: 0.01,
            min_gap: -1e-4,
            separation: limits.separation_m,
            friction_residual: limits.friction,
            ..StepReport::default()
        };
        assert_eq!(limits.breach(&fine), None);
        assert_eq!(limits.breach(&StepReport::default()), None, "nothing is near");
        for (report, named) in [
            (StepReport { degraded: 2, ..fine }, "2 of its parts could not be solved"),
            (StepReport { max_edge_strain: 0.0101, ..fine }, "an edge is 1.010 % off"),
            (StepReport { max_edge_strain: f64::NAN, ..fine }, "an edge"),
            (StepReport { residual: 0.0101, ..fine }, "a thread is 1.010 % off"),
            (StepReport { min_gap: -1.01e-4, ..fine }, "0.1010 mm inside an obstacle"),
            (StepReport { min_gap: f64::NAN, ..fine }, "inside an obstacle"),
            (StepReport { separation: 1.01 * limits.separation_m, ..fine }, "pushes from 0.0202 mm away"),
            (StepReport { friction_residual: 1.01 * limits.friction, ..fine }, "1.01e-2 off Coulomb's law"),
        ] {
            let said = limits.breach(&report).unwrap_or_default();
            assert!(said.contains(named), "{said:?} does not say {named:?}");
        }
    }

    #[test]
    fn sides_of_triangles_that_are_no_threads_may_change() {
        let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let mesh = Mesh::new(corners, vec![Element::Triangle([0, 1, 2])], None).expect("a triangle");
        let limits = Limits::new(&Solver::default(), &mesh);
        let sheared = StepReport { max_edge_strain: 0.05, ..StepReport::default() };
        assert_eq!(limits.breach(&sheared), None);
        assert!(limits.breach(&StepReport { residual: 0.0101, ..sheared }).is_some());
        assert!(limits.breach(&StepReport { max_edge_strain: f64::NAN, ..sheared }).is_some());
    }
}
