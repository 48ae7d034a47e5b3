//! The step of the authors' own codes: an unconstrained step, then projections with the mass alone.
//!
//! `(∇C M⁻¹ ∇Cᵀ) Δλ = C(φ_j)`, `Δφ = −M⁻¹ ∇Cᵀ Δλ`, at least once, until every `E`, `G` and boundary length is within a
//! relative tolerance. Dense and unhurried: it exists to reproduce published runs on sheets of a few hundred nodes.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use glam::DVec3;

use super::error::StepError;
use super::{GiveUp, Inputs, StepReport};
use crate::cloth::{Published, PublishedCloth};
use crate::model::Model;
use crate::params::Params;
use crate::qp::SolveError;
use crate::state::State;

/// Relative tolerance of the code of 2021, on raw metric values.
const TOLERANCE_2021: f64 = 1e-3;
/// Relative tolerance of the code of 2019.
const TOLERANCE_2019: f64 = 5e-3;
/// Absolute tolerance of that code's first step, m².
const TOLERANCE_2019_START: f64 = 1e-6;
/// Beyond this many nodes a dense step takes seconds.
const MAX_NODES: usize = 1000;
/// The codes stop after a few dozen projections; more never helped.
const MAX_PROJECTIONS: usize = 50;

/// Takes one step as `code` does.
pub(super) fn step(
    model: &Model,
    params: &Params,
    state: &mut State,
    inputs: &Inputs,
    code: Published,
) -> Result<StepReport, StepError> {
    let refuse = |rule| Err(StepError::BadParameter { field: "published", rule });
    if params.wind.is_some() || !inputs.forces.is_empty() || !inputs.bodies.is_empty() {
        return refuse("knows neither wind nor further forces nor obstacles: leave one or the other out");
    }
    if model.node_count() > MAX_NODES {
        return refuse("is dense and meant for small sheets: at most 1000 nodes");
    }
    let cloth = model.published(code).ok_or(StepError::BadParameter {
        field: "published",
        rule: "needs a grid of quads, at least 3 × 3 nodes: leave it out for other meshes",
    })?;
    let time = state.time;
    let singular = || not_solved(time, GiveUp::Program(SolveError::NotPositive), f64::INFINITY);
    let start = state.previous_dt == 0.0;
    let mut phi = match code {
        Published::ImplicitEuler2021 => implicit_euler(model, cloth, params, state, inputs).ok_or_else(singular)?,
        Published::Imex2019 => extrapolated(model, cloth, params, state, inputs),
    };

    let mut report = StepReport { substeps: 1, ..StepReport::default() };
    loop {
        let rounded_at = (code == Published::Imex2019 && !start).then_some(4.0 / 9.0 * inputs.dt * inputs.dt);
        project(model, cloth, params, inputs, rounded_at, &mut phi).ok_or_else(singular)?;
        report.iterations += 1;
        report.factorisations += 1;
        let (relative, absolute) = excess(cloth, &phi);
        report.residual = relative;
        let within = match code {
            Published::ImplicitEuler2021 => relative < TOLERANCE_2021,
            Published::Imex2019 if start => absolute < TOLERANCE_2019_START,
            Published::Imex2019 => relative < TOLERANCE_2019,
        };
        if within {
            break;
        }
        if report.iterations == MAX_PROJECTIONS || !relative.is_finite() {
            return Err(not_solved(state.time, GiveUp::TooManyIterations, relative));
        }
    }

    for (i, &phi) in phi.iter().enumerate() {
        let (now, before) = (state.positions[i], state.previous_positions[i]);
        let velocity = match code {
            Published::Imex2019 if !start => (phi * 3.0 - now * 4.0 + before) / (2.0 * inputs.dt),
            _ => (phi - now) / inputs.dt,
        };
        state.previous_positions[i] = now;
        state.previous_velocities[i] = std::mem::replace(&mut state.velocities[i], velocity);
        state.positions[i] = phi;
    }
    state.previous_dt = inputs.dt;
    state.contacts.clear();
    state.held_forces.clear();
    state.clearances.clear();
    state.time += inputs.dt;
    report.measure(model, params, state);
    Ok(report)
}

fn not_solved(time: f64, reason: GiveUp, strain: f64) -> StepError {
    StepError::NotSolved { time, reason, strain, acceleration: 0.0, penetration: 0.0, friction: 0.0 }
}

/// `(M + dt·D + dt²·K) φ₀ = dt²·δ·m g + dt·M φ̇ⁿ + (M + dt·D) φⁿ`.
fn implicit_euler(
    model: &Model,
    cloth: &PublishedCloth,
    params: &Params,
    state: &State,
    inputs: &Inputs,
) -> Option<Vec<DVec3>> {
    let (material, areas, dt) = (&params.material, model.cloth().node_areas(), inputs.dt);
    let inertia = material.density + dt * material.damping;
    let rhs = |i: usize| {
        params.gravity * (dt * dt * material.virtual_density * areas[i])
            + state.velocities[i] * (dt * material.density * areas[i])
            + state.positions[i] * (inertia * areas[i])
            + cloth.bending.times(i, &state.positions) * (dt * material.bending_damping)
    };
    let stiffness = dt * material.bending_damping + dt * dt * material.bending;
    if stiffness == 0.0 {
        return Some((0..areas.len()).map(|i| rhs(i) / (inertia * areas[i])).collect());
    }
    let mut matrix = Mat::<f64>::zeros(areas.len(), areas.len());
    for i in 0..areas.len() {
        matrix[(i, i)] += inertia * areas[i];
        cloth.bending.row(i).for_each(|(j, k)| matrix[(i, j)] += stiffness * k);
    }
    let factor = matrix.llt(Side::Lower).ok()?;
    let solution = factor.solve(Mat::from_fn(areas.len(), 3, |i, c| rhs(i)[c]));
    Some((0..areas.len()).map(|i| DVec3::new(solution[(i, 0)], solution[(i, 1)], solution[(i, 2)])).collect())
}

/// Explicit Euler at the start, then the second-order formula with forces extrapolated from the last two steps.
fn extrapolated(model: &Model, cloth: &PublishedCloth, params: &Params, state: &State, inputs: &Inputs) -> Vec<DVec3> {
    let (material, areas, dt) = (&params.material, model.cloth().node_areas(), inputs.dt);
    let acceleration = |i: usize, x: &[DVec3], v: &[DVec3]| {
        let force = params.gravity * (material.virtual_density * areas[i])
            - v[i] * (material.damping * areas[i])
            - cloth.bending.times(i, v) * material.bending_damping
            - cloth.bending.times(i, x) * material.bending;
        force / (material.density * areas[i])
    };
    let (x1, v1) = (&state.positions, &state.velocities);
    let (x0, v0) = (&state.previous_positions, &state.previous_velocities);
    (0..areas.len())
        .map(|i| {
            let now = acceleration(i, x1, v1);
            if state.previous_dt == 0.0 {
                return x1[i] + v1[i] * dt + now * (dt * dt);
            }
            let ahead = now * 2.0 - acceleration(i, x0, v0);
            (x1[i] * 4.0 - x0[i]) / 3.0 + (v1[i] * 4.0 - v0[i]) * (2.0 * dt / 9.0) + ahead * (4.0 * dt * dt / 9.0)
        })
        .collect()
}

/// One projection with the mass; a held node is three more rows, which bring it to its target.
///
/// The code of 2019 rounds its matrix, `(4/9) dt² ∇C M⁻¹ ∇Cᵀ`, to twelve decimals after the first step. On matrices of
/// condition 1e8 and more that moves nodes by up to 1e-7 m a step, so whoever would repeat its runs must do the same.
fn project(
    model: &Model,
    cloth: &PublishedCloth,
    params: &Params,
    inputs: &Inputs,
    rounded_at: Option<f64>,
    phi: &mut [DVec3],
) -> Option<()> {
    let rows = &cloth.rows;
    let mut gradient = vec![DVec3::ZERO; rows.incidences()];
    let mut value = vec![0.0; rows.len()];
    rows.evaluate_all(phi, &mut gradient, &mut value);

    // Of J M^(-1/2), so that the matrix is its square.
    let scale: Vec<f64> =
        model.cloth().node_areas().iter().map(|area| 1.0 / (params.material.density * area).sqrt()).collect();
    let count = rows.len() + 3 * inputs.held.len();
    let mut jacobian = Mat::<f64>::zeros(count, 3 * phi.len());
    let mut rhs = Mat::<f64>::zeros(count, 1);
    for r in 0..rows.len() {
        rhs[(r, 0)] = value[r];
        for (&i, g) in rows.nodes(r).iter().zip(&gradient[rows.span(r)]) {
            (0..3).for_each(|c| jacobian[(r, 3 * i + c)] = g[c] * scale[i]);
        }
    }
    for (k, held) in inputs.held.iter().enumerate() {
        let miss = phi[held.node] - held.target;
        for c in 0..3 {
            let r = rows.len() + 3 * k + c;
            rhs[(r, 0)] = miss[c];
            jacobian[(r, 3 * held.node + c)] = scale[held.node];
        }
    }
    let mut matrix = &jacobian * jacobian.transpose();
    if let Some(factor) = rounded_at {
        for column in 0..count {
            for r in 0..count {
                matrix[(r, column)] = (factor * matrix[(r, column)] * 1e12).round() / (factor * 1e12);
            }
        }
    }
    let factor = match matrix.llt(Side::Lower) {
        Ok(factor) => factor,
        Err(_) => {
            // A flat sheet is singular: the least that makes it solvable.
            let largest = (0..rows.len()).map(|r| matrix[(r, r)]).fold(0.0, f64::max);
            (0..rows.len()).for_each(|r| matrix[(r, r)] += 1e-9 * largest);
            matrix.llt(Side::Lower).ok()?
        }
    };
    let lambda = factor.solve(&rhs);
    let correction = jacobian.transpose() * &lambda;
    for (i, phi) in phi.iter_mut().enumerate() {
        let back = DVec3::new(correction[(3 * i, 0)], correction[(3 * i + 1, 0)], correction[(3 * i + 2, 0)]);
        *phi -= back * scale[i];
    }
    // What rounding leaves between a held node and its target is nobody's wish, except where it is to be repeated.
    if rounded_at.is_none() {
        inputs.held.iter().for_each(|held| phi[held.node] = held.target);
    }
    Some(())
}

/// Largest |C − C₀|, relative to C₀ where that is not zero by definition, and absolute.
fn excess(cloth: &PublishedCloth, phi: &[DVec3]) -> (f64, f64) {
    let rows = &cloth.rows;
    let mut gradient = vec![DVec3::ZERO; rows.incidences()];
    let mut value = vec![0.0; rows.len()];
    rows.evaluate_all(phi, &mut gradient, &mut value);
    let relative =
        value.iter().zip(&cloth.rest_values).filter(|(_, rest)| **rest != 0.0).map(|(c, rest)| (c / rest).abs());
    (relative.fold(0.0, f64::max), value.iter().fold(0.0, |m: f64, c| m.max(c.abs())))
}
