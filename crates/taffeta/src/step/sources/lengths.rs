//! Lengths of rigid edges, `C = (l²/l₀² − 1)/2 = 0`.

use std::ops::Range;

use super::{Prescription, RowResidual, RowSource, RowValues};

pub(super) struct Lengths {
    rows: Range<usize>,
}

impl Lengths {
    pub fn new(rows: Range<usize>) -> Self {
        Self { rows }
    }
}

impl RowSource for Lengths {
    fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    fn begin(&mut self, part: &Prescription, compliance: &mut [f64]) {
        for (row, compliance) in compliance.iter_mut().enumerate() {
            *compliance = part.compliance(row, f64::INFINITY);
        }
    }

    fn residual(&self, at: &RowValues) -> RowResidual {
        RowResidual { strain: at.value.iter().fold(0.0, |strain, value| f64::max(strain, value.abs())), error: 0.0 }
    }

    fn curvature(&self, lambda: &[f64], curvature: &mut [f64]) {
        for (curvature, lambda) in curvature.iter_mut().zip(lambda) {
            *curvature = lambda.max(0.0);
        }
    }
}
