//! How the fabric answers to the multipliers of a metric: rigid, or with a stiffness.

use super::{ABSENT, Prescription, RowResidual, RowValues};
use crate::cloth::{Material, RowLaw};

/// N/m. What triangles put against what averages do not see: of the nodal conditions, with which their edges stay within 0.6 % in
/// a swing and their hems within 3 mm of those of quads, and of shear. No other value was tried.
const REMAINDER_STIFFNESS: f64 = 300.0;

/// Rows that each have a law of the fabric.
pub(super) struct Laws {
    laws: Vec<RowLaw>,
    /// Whether the fabric is rigid in shear.
    rigid_shear: bool,
}

impl Laws {
    pub fn new(laws: &[RowLaw]) -> Self {
        Self { laws: laws.to_vec(), rigid_shear: false }
    }

    /// Says how compliant the rows are in a part of a step.
    pub fn begin(&mut self, part: &Prescription, compliance: &mut [f64]) {
        self.rigid_shear = part.material.shear_compliance == 0.0;
        for (row, (&law, compliance)) in self.laws.iter().zip(compliance).enumerate() {
            *compliance = part.compliance(row, stiffness(law, part.material));
        }
    }

    /// How far the rows are from their laws.
    pub fn residual(&self, at: &RowValues) -> RowResidual {
        let (mut strain, mut error) = (0.0, 0.0);
        for (row, &law) in self.laws.iter().enumerate() {
            if self.is_rigid(law) {
                strain = f64::max(strain, at.value[row].abs());
            } else if at.compliance[row] < ABSENT {
                error = f64::max(error, (at.value[row] - at.lambda[row] * at.compliance[row]).abs());
            }
        }
        RowResidual { strain, error }
    }

    fn is_rigid(&self, law: RowLaw) -> bool {
        match law {
            RowLaw::Rigid => true,
            RowLaw::Shear(_) | RowLaw::MeanShear(_) => self.rigid_shear,
            RowLaw::Remainder(_) | RowLaw::TriangleShear(_) => false,
        }
    }
}

/// The stiffness of a row, N·m; infinite for a rigid one.
fn stiffness(law: RowLaw, material: &Material) -> f64 {
    // N/m; infinite for rigid shear.
    let shear = 1.0 / material.shear_compliance;
    match law {
        RowLaw::Rigid => f64::INFINITY,
        RowLaw::Shear(area) => shear * area,
        RowLaw::MeanShear(area) => (shear - REMAINDER_STIFFNESS).max(0.0) * area,
        RowLaw::Remainder(area) => REMAINDER_STIFFNESS * area,
        RowLaw::TriangleShear(area) => shear.min(REMAINDER_STIFFNESS) * area,
    }
}
