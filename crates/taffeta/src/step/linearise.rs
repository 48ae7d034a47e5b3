//! Linearise: values and gradients of all conditions at `φ_j`, and how far from solved the step is.

use glam::DVec3;

use super::Workspace;
use super::predict::Dynamics;
use crate::cloth::Answer;
use crate::model::{Layout, Model};
use crate::params::Solver;

/// What an iterate leaves to be done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Residual {
    /// Largest |C| of the rigid rows.
    pub strain: f64,
    /// Largest |C − σλ| of the compliant rows.
    pub error: f64,
    /// Root mean square of the unbalanced acceleration, m/s².
    pub acceleration: f64,
}

impl Residual {
    pub fn within(&self, solver: &Solver) -> bool {
        f64::max(self.strain, self.error) <= solver.strain_tolerance
            && self.acceleration <= solver.acceleration_tolerance
    }

    /// Whether one cheap correction can be expected to do.
    pub fn nearly_within(&self, solver: &Solver) -> bool {
        f64::max(self.strain, self.error) <= 10.0 * solver.strain_tolerance
            && self.acceleration <= 10.0 * solver.acceleration_tolerance
    }

    pub fn is_finite(&self) -> bool {
        self.strain.is_finite() && self.acceleration.is_finite()
    }
}

/// Evaluates `C`, `∇C` and the residual `A φ − b + ∇Cᵀ λ`.
pub(super) fn linearise(model: &Model, layout: &Layout, dynamics: &Dynamics, workspace: &mut Workspace) -> Residual {
    let Workspace { phi, rhs, lambda, gradient, value, stiffness, residual, free, normals, drag, .. } = workspace;
    let rows = &layout.rows;
    rows.evaluate(phi, gradient, value);

    let (mut strain, mut error) = (0.0, 0.0);
    for r in 0..rows.len() {
        let rigid = match rows.answer(r) {
            Answer::Rigid => true,
            Answer::Shear(_) | Answer::MeanShear(_) => dynamics.rigid_shear,
            Answer::Remainder(_) | Answer::TriangleShear(_) => false,
        };
        if rigid {
            strain = f64::max(strain, value[r].abs());
        } else if stiffness[r] > 0.0 {
            error = f64::max(error, (value[r] - lambda[r] / stiffness[r]).abs());
        }
    }

    let cloth = model.cloth();
    for (i, r) in residual.iter_mut().enumerate() {
        *r = phi[i] * (cloth.node_areas()[i] * dynamics.inertia) - rhs[i];
        if dynamics.stiffness > 0.0 {
            *r += cloth.bending.times(i, phi) * dynamics.stiffness;
        }
        if dynamics.windy {
            *r += normals[i] * (drag[i] * normals[i].dot(phi[i]));
        }
    }
    for r in 0..rows.len() {
        for (&i, g) in rows.nodes(r).iter().zip(&gradient[rows.span(r)]) {
            residual[i] += *g * lambda[r];
        }
    }

    let (mut squares, mut total) = (0.0, 0.0);
    for (i, r) in residual.iter_mut().enumerate() {
        let a = cloth.node_areas()[i] * dynamics.inertia;
        if free[i] {
            squares += r.length_squared() / a;
            total += a;
        } else {
            *r = DVec3::ZERO;
        }
    }
    Residual {
        strain,
        error,
        acceleration: (squares / f64::max(total, f64::MIN_POSITIVE)).sqrt() / (dynamics.h * dynamics.h),
    }
}
