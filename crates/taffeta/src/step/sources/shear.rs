//! Shear `F` of elements, pairs of triangles or nodes, where no `E` and `G` go with it: no direction of its own is under tension.

use std::ops::Range;

use super::fabric::Laws;
use super::{Prescription, RowResidual, RowSource, RowValues};
use crate::cloth::RowLaw;

pub(super) struct Shear {
    rows: Range<usize>,
    laws: Laws,
}

impl Shear {
    pub fn new(rows: Range<usize>, laws: &[RowLaw]) -> Self {
        Self { rows, laws: Laws::new(laws) }
    }
}

impl RowSource for Shear {
    fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    fn begin(&mut self, part: &Prescription, compliance: &mut [f64]) {
        self.laws.begin(part, compliance);
    }

    fn residual(&self, at: &RowValues) -> RowResidual {
        self.laws.residual(at)
    }

    fn curvature(&self, _lambda: &[f64], _curvature: &mut [f64]) {}
}
