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
    /// Root mean square of the unbalanced acceleration, m/s².
    pub acceleration: f64,
}

impl Residual {
    pub fn within(&self, solver: &Solver) -> bool {
        self.strain <= solver.strain_tolerance && self.acceleration <= solver.acceleration_tolerance
    }

    /// Whether one cheap correction can be expected to do.
    pub fn nearly_within(&self, solver: &Solver) -> bool {
        self.strain <= 10.0 * solver.strain_tolerance && self.acceleration <= 10.0 * solver.acceleration_tolerance
    }

    pub fn is_finite(&self) -> bool {
        self.strain.is_finite() && self.acceleration.is_finite()
    }
}

/// Evaluates `C`, `∇C` and the residual `A φ − b + ∇Cᵀ λ`.
pub(super) fn linearise(model: &Model, layout: &Layout, dynamics: &Dynamics, workspace: &mut Workspace) -> Residual {
    let Workspace { phi, rhs, lambda, gradient, value, residual, free, normals, drag, .. } = workspace;
    let rows = &layout.rows;
    rows.evaluate(phi, gradient, value);

    let rigid = (0..rows.len()).filter(|&r| rows.answer(r) == Answer::Rigid);
    let strain = rigid.fold(0.0, |largest, r| f64::max(largest, value[r].abs()));

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
        if !free[i] {
            *r = DVec3::ZERO;
        }
        squares += r.length_squared() / a;
        total += a;
    }
    Residual { strain, acceleration: (squares / total).sqrt() / (dynamics.h * dynamics.h) }
}
