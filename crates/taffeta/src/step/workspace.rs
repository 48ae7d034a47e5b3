//! Scratch of a step. A fresh one gives the same bits: nothing in here carries over from step to step.

use glam::DVec3;

use super::{Inputs, StepError};
use crate::linalg::Factor;
use crate::model::{Layout, Model};
use crate::params::Params;
use crate::state::State;

/// Room in which a step is computed; allocated once, used for every step of one model.
pub struct Workspace {
    /// The state at the start of the step.
    pub(super) start: State,
    /// `ψ`: what the backward difference subtracts, m.
    pub(super) psi: Vec<DVec3>,
    /// `b`.
    pub(super) rhs: Vec<DVec3>,
    /// `φ_j`, m.
    pub(super) phi: Vec<DVec3>,
    /// `λ`, scaled with h².
    pub(super) lambda: Vec<f64>,
    /// `∇C`, one vector per row and node.
    pub(super) gradient: Vec<DVec3>,
    /// `∇C` as it was when the matrix was last factorised.
    pub(super) factored: Vec<DVec3>,
    /// `C`.
    pub(super) value: Vec<f64>,
    /// `1/σ`.
    pub(super) stiffness: Vec<f64>,
    /// `κ`: multipliers as far as they are tension.
    pub(super) curvature: Vec<f64>,
    /// `A φ − b + ∇Cᵀ λ`.
    pub(super) residual: Vec<DVec3>,
    /// `Δ`.
    pub(super) increment: Vec<DVec3>,
    /// Node normals at the start of the step, for the wind.
    pub(super) normals: Vec<DVec3>,
    /// Drag of the wind along the normals, as it stands in `A`, kg.
    pub(super) drag: Vec<f64>,
    /// Which nodes are not held.
    pub(super) free: Vec<bool>,
    /// The matrix and its factor, for the layout with bending or without.
    pub(super) factor: Option<Factor>,
    bending: bool,
}

impl Workspace {
    /// Room for the steps of a model.
    pub fn new(model: &Model) -> Self {
        let (n, rows) = (model.node_count(), &model.cloth().rows);
        let nodes = || vec![DVec3::ZERO; n];
        let scalars = || vec![0.0; rows.len()];
        Self {
            start: State::at_rest(model),
            psi: nodes(),
            rhs: nodes(),
            phi: nodes(),
            lambda: scalars(),
            gradient: vec![DVec3::ZERO; rows.incidences()],
            factored: vec![DVec3::ZERO; rows.incidences()],
            value: scalars(),
            stiffness: scalars(),
            curvature: scalars(),
            residual: nodes(),
            increment: nodes(),
            normals: nodes(),
            drag: vec![0.0; n],
            free: vec![true; n],
            factor: None,
            bending: false,
        }
    }

    /// Factorises the matrix of the last step once more: what benchmarks compare a step with. False if there was no step
    /// or the factorisation failed.
    pub fn refactorise(&mut self, model: &Model) -> bool {
        let pattern = &model.layout(self.bending).pattern;
        self.factor.as_mut().is_some_and(|factor| factor.factorise(pattern).is_ok())
    }

    /// Notes where the step starts and which nodes are held. Room made for another model is made anew.
    pub(super) fn begin(
        &mut self,
        model: &Model,
        params: &Params,
        state: &State,
        inputs: &Inputs,
    ) -> Result<(), StepError> {
        let rows = &model.cloth().rows;
        if (self.phi.len(), self.lambda.len(), self.gradient.len())
            != (model.node_count(), rows.len(), rows.incidences())
        {
            *self = Self::new(model);
        }
        let (bends, pattern) = (bends(params), &model.layout(bends(params)).pattern);
        if self.bending != bends || !self.factor.as_ref().is_some_and(|factor| factor.fits(pattern)) {
            self.factor = Some(Factor::new(pattern));
            self.bending = bends;
        }
        self.start.copy_from(state);
        self.free.fill(true);
        for held in inputs.held {
            if !std::mem::replace(&mut self.free[held.node], false) {
                return Err(StepError::HeldTwice { node: held.node });
            }
        }
        Ok(())
    }

    pub(super) fn layout<'m>(&self, model: &'m Model, params: &Params) -> &'m Layout {
        model.layout(bends(params))
    }
}

fn bends(params: &Params) -> bool {
    params.material.bending > 0.0 || params.material.bending_damping > 0.0
}
