//! The metric `E, F, G`, averaged at nodes or of a triangle: its multipliers are the stress `[[λ_E, λ_F], [λ_F, λ_G]]`.

use std::ops::Range;

use super::fabric::Laws;
use super::{Prescription, RowResidual, RowSource, RowValues};
use crate::cloth::MetricRows;

pub(super) struct Metric {
    rows: Range<usize>,
    laws: Laws,
    /// Rows of the `E` that have their `F` and their `G` after them.
    tensors: Vec<usize>,
}

impl Metric {
    pub fn new(rows: Range<usize>, metric: &MetricRows) -> Self {
        Self { rows, laws: Laws::new(&metric.laws), tensors: metric.tensors.clone() }
    }
}

impl RowSource for Metric {
    fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    fn begin(&mut self, part: &Prescription, compliance: &mut [f64]) {
        self.laws.begin(part, compliance);
    }

    fn residual(&self, at: &RowValues) -> RowResidual {
        self.laws.residual(at)
    }

    fn curvature(&self, lambda: &[f64], curvature: &mut [f64]) {
        for &e in &self.tensors {
            let part = positive_part(lambda[e], lambda[e + 1], lambda[e + 2]);
            (curvature[e], curvature[e + 1], curvature[e + 2]) = part;
        }
    }
}

/// The positive semidefinite part of `[[e, f], [f, g]]`.
fn positive_part(e: f64, f: f64, g: f64) -> (f64, f64, f64) {
    let (mean, half) = ((e + g) / 2.0, (e - g) / 2.0);
    let radius = half.hypot(f);
    let (large, small) = (mean + radius, mean - radius);
    if small >= 0.0 {
        (e, f, g)
    } else if large <= 0.0 {
        (0.0, 0.0, 0.0)
    } else {
        // large · u uᵀ, u the unit eigenvector of the larger eigenvalue.
        let (c, s) = (half / radius, f / radius);
        (large * (1.0 + c) / 2.0, large * s / 2.0, large * (1.0 - c) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_of_a_stress_is_compression_across_what_is_kept() {
        for (e, f, g) in [(3.0, 1.0, 2.0), (-3.0, 1.0, -2.0), (3.0, 2.0, -1.0), (-2.0, 0.5, 1.0), (0.0, 1.0, 0.0)] {
            let (a, b, c) = positive_part(e, f, g);
            let (d, h, k) = (e - a, f - b, g - c);
            assert!(a >= 0.0 && c >= 0.0 && a * c - b * b > -1e-12, "{a}, {b}, {c} is not positive semidefinite");
            assert!(d <= 0.0 && k <= 0.0 && d * k - h * h > -1e-12, "{d}, {h}, {k} is not negative semidefinite");
            assert!((a * d + 2.0 * b * h + c * k).abs() < 1e-12, "they are not across each other");
        }
    }
}
