//! Solve: the program of one iteration, condensed to the nodes.
//!
//! Eliminating `λ + Δλ = (C + ∇C Δ)/σ` leaves one positive definite system over the nodes,
//! `(A + Σ κ_r S_r + ∇Cᵀ σ⁻¹ ∇C) Δ = −residual − ∇Cᵀ σ⁻¹ (C − σλ)`. Its pattern never changes: a held node is a block
//! of the identity.

use glam::DVec3;

use super::Workspace;
use super::predict::Dynamics;
use crate::cloth::{Rows, Stress};
use crate::linalg::NotPositive;
use crate::model::{Layout, Model};

/// Moves `φ` and `λ` by one Newton increment, with a new factor or with the one at hand.
pub(super) fn solve(
    model: &Model,
    layout: &Layout,
    dynamics: &Dynamics,
    refactor: bool,
    workspace: &mut Workspace,
) -> Result<(), NotPositive> {
    if refactor {
        tension(&layout.rows, &workspace.lambda, &mut workspace.curvature);
        assemble(model, layout, dynamics, workspace).ok_or(NotPositive)?;
        workspace.factored.copy_from_slice(&workspace.gradient);
    }
    let Workspace { phi, lambda, factored, value, stiffness, residual, increment, free, factor, .. } = workspace;
    let factor = factor.as_mut().ok_or(NotPositive)?;
    if refactor {
        factor.factorise(&layout.pattern)?;
    }

    let rows = &layout.rows;
    for (delta, r) in increment.iter_mut().zip(&*residual) {
        *delta = -*r;
    }
    for r in 0..rows.len() {
        let excess = value[r] * stiffness[r] - lambda[r];
        for (&i, g) in rows.nodes(r).iter().zip(&factored[rows.span(r)]) {
            increment[i] -= *g * excess;
        }
    }
    for (delta, &free) in increment.iter_mut().zip(&*free) {
        if !free {
            *delta = DVec3::ZERO;
        }
    }
    factor.solve(&layout.pattern, increment);

    for r in 0..rows.len() {
        let along = rows.nodes(r).iter().zip(&factored[rows.span(r)]).map(|(&i, g)| g.dot(increment[i]));
        lambda[r] = (value[r] + along.sum::<f64>()) * stiffness[r];
    }
    for (p, delta) in phi.iter_mut().zip(&*increment) {
        *p += *delta;
    }
    Ok(())
}

/// The part of the multipliers that is tension: `κ` of every row, such that `Σ κ_r S_r` is positive semidefinite.
/// Compression would make the program non-convex and is left out; it only slows the iteration where cloth buckles.
fn tension(rows: &Rows, lambda: &[f64], curvature: &mut [f64]) {
    curvature.fill(0.0);
    for stress in rows.stresses() {
        match *stress {
            Stress::Tension(r) => curvature[r] = lambda[r].max(0.0),
            Stress::Tensor { e, f, g } => {
                (curvature[e], curvature[f], curvature[g]) = positive_part(lambda[e], lambda[f], lambda[g]);
            }
            Stress::Shear => {}
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

/// Writes the matrix of the iteration; `None` if there is no room for one.
fn assemble(model: &Model, layout: &Layout, dynamics: &Dynamics, workspace: &mut Workspace) -> Option<()> {
    let Workspace { gradient, stiffness, curvature, free, normals, drag, factor, .. } = workspace;
    let factor = factor.as_mut()?;
    let cloth = model.cloth();
    factor.clear();
    for (i, &slot) in layout.diagonal.iter().enumerate() {
        let mut entry = cloth.node_areas()[i] * dynamics.inertia;
        if dynamics.stiffness > 0.0 {
            entry += dynamics.stiffness * cloth.bending.diagonal(i);
        }
        factor.add_scaled_identity(slot, if free[i] { entry } else { 1.0 });
        if dynamics.windy && free[i] {
            factor.add_outer(slot, normals[i] * drag[i], normals[i], 0.0);
        }
    }
    if dynamics.stiffness > 0.0 {
        for &(i, j, k, slot) in &layout.bending {
            if free[i] && free[j] {
                factor.add_scaled_identity(slot, k * dynamics.stiffness);
            }
        }
    }
    let rows = &layout.rows;
    let mut slots = layout.pairs.iter();
    for r in 0..rows.len() {
        let (nodes, gradient) = (rows.nodes(r), &gradient[rows.span(r)]);
        for (a, (&i, s)) in nodes.iter().zip(rows.weights(r).chunks_exact(nodes.len())).enumerate() {
            let weighted = gradient[a] * stiffness[r];
            for ((b, &j), &slot) in nodes[..=a].iter().enumerate().zip(&mut slots) {
                if free[i] && free[j] {
                    factor.add_outer(slot, weighted, gradient[b], curvature[r] * s[b]);
                }
            }
        }
    }
    Some(())
}
