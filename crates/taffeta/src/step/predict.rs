//! Predict: the quantities of the unconstrained step, and a first guess.
//!
//! Both integrators are backward differences: `φ̇ = (φ − ψ)/h` and `φ̈ = (φ̇ − χ)/h` with `h`, `ψ`, `χ` made of the step
//! length and what came before (`h = dt`, `ψ = φⁿ`, `χ = φ̇ⁿ` for implicit Euler). The unconstrained step then is
//! `A φ₀ = b` with `A = M + h·D + h²·K` and `b = M(ψ + h·χ) + h·D ψ + h² f`.

use glam::DVec3;

use super::sources::Prescription;
use super::{Inputs, Part, Workspace};
use crate::cloth::Cloth;
use crate::model::{Layout, Model};
use crate::params::{Integrator, Params};
use crate::state::State;

/// Density of air at 20 °C, kg/m³.
const AIR_DENSITY: f64 = 1.204;

/// The coefficients of one backward-difference step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dynamics {
    /// Length of the step, s.
    pub dt: f64,
    /// `h`: the step length as the difference formula sees it, s.
    pub h: f64,
    /// Node entry of `A` per area, without bending: `ρ + h·α`, kg/m².
    pub inertia: f64,
    /// Coefficient of `K₁` in `A`: `h·β + h²·κ`.
    pub stiffness: f64,
    /// Whether there is a wind, whose drag is in `A`.
    pub windy: bool,
    /// Whether the first guess is that nothing moves.
    pub resting: bool,
    /// Tolerance for gaps, m.
    pub gap_tolerance: f64,
    /// Size of the cloth's cells, m.
    pub cell: f64,
}

/// m/s. Below this speed a cloth is tried for rest before anything else: what rests for hours takes no time.
const REST: f64 = 1e-6;

/// What stands in `A` for the inertia of a unit of area when the step is `h` long, kg/m².
pub(super) fn inertia(params: &Params, h: f64) -> f64 {
    params.material.density + h * params.material.damping
}

/// What stands in `A` before the bending stiffness `K₁`, kg m².
pub(super) fn stiffness(params: &Params, h: f64) -> f64 {
    h * params.material.bending_damping + h * h * params.material.bending
}

/// Fills `b`, the compliances `σ`, the first guess of `φ` and of `λ`, and the targets of the held nodes.
pub(super) fn predict(
    model: &Model,
    layout: &Layout,
    params: &Params,
    state: &State,
    inputs: &Inputs,
    part: Part,
    workspace: &mut Workspace,
) -> Dynamics {
    let dt = inputs.dt * part.fraction;
    let material = &params.material;
    let [c0, c1, c2] = match params.solver.integrator {
        // Contact is not smooth: the second-order formula would bounce off.
        Integrator::Bdf2
            if state.previous_dt > 0.0
                && !workspace.contacts.are_close()
                && state.coupled_pairs.is_empty()
                && workspace.bodies.is_empty() =>
        {
            backward_difference(dt / state.previous_dt)
        }
        _ => [1.0, 1.0, 0.0],
    };
    let h = dt / c0;
    let dynamics = Dynamics {
        dt,
        h,
        inertia: inertia(params, h),
        stiffness: stiffness(params, h),
        windy: params.wind.is_some(),
        resting: nothing_moves(state, inputs) && !workspace.bodies.any_moves(),
        gap_tolerance: params.solver.gap_tolerance,
        cell: model.cloth().cell_size(),
    };

    let areas = model.cloth().node_areas();
    let (now, before) = (&state.positions, &state.previous_positions);
    // What touches something is stopped rather than accelerated, and going on with the last change of speed can lead from one state
    // of rest to another, and back in the next step.
    let smooth = state.previous_dt > 0.0 && state.contacts.is_empty();
    let extrapolation = if smooth { dt / state.previous_dt } else { 0.0 };
    for i in 0..areas.len() {
        let (v, v_before) = (state.velocities[i], state.previous_velocities[i]);
        // Written as a difference to φⁿ so that a cloth far from the origin loses no digits.
        let psi = now[i] + (now[i] - before[i]) * (c2 / c0);
        let chi = (v * c1 - v_before * c2) / c0;
        let force = params.gravity * (material.virtual_density * areas[i])
            + inputs.forces.get(i).copied().unwrap_or(DVec3::ZERO);
        workspace.psi[i] = psi;
        workspace.rhs[i] =
            psi * (areas[i] * dynamics.inertia) + chi * (h * areas[i] * material.density) + force * (h * h);
        let onwards = v * dt + (v - v_before) * (dt * extrapolation);
        workspace.phi[i] = if dynamics.resting { now[i] } else { now[i] + onwards };
    }
    if material.bending_damping > 0.0 {
        for i in 0..areas.len() {
            let drag = model.cloth().bending.times(i, &workspace.psi);
            workspace.rhs[i] += drag * (h * material.bending_damping);
        }
    }
    if let Some(wind) = params.wind {
        add_wind(model.cloth(), params, state, h, wind, workspace);
    }
    for held in inputs.held_exactly() {
        let from = workspace.start.positions[held.node];
        workspace.phi[held.node] = from.lerp(held.target, part.goal);
    }
    let Workspace { sources, program, start, hands, psi, phi, .. } = workspace;
    hands.begin(inputs, part, &dynamics, now, psi, phi);
    let (goal, start, scale) = (part.goal, &start.positions, &layout.scale);
    let prescription = Prescription { material, inputs, start, goal, h, inertia: dynamics.inertia, scale };
    sources.begin(&prescription, &mut program.rows.compliance);
    for (lambda, truth) in workspace.lambda.iter_mut().zip(&state.multipliers) {
        *lambda = truth * h * h;
    }
    dynamics
}

/// Whether the cloth, the hands and the world stand still.
fn nothing_moves(state: &State, inputs: &Inputs) -> bool {
    state.velocities.iter().all(|v| v.length_squared() < REST * REST)
        && inputs.held.iter().all(|held| held.spring.map_or(state.positions[held.node], |spring| spring.from) == held.target)
        && inputs.bodies.iter().all(|body| body.from == body.to)
        // What is closed stands still; whether it is shut is for the iteration to see.
        && inputs.seams.iter().flatten().all(|&distance| distance == 0.0)
}

/// Moves the first guess of every free node off the surface by a thousandth of its cell, in no pattern but the same each
/// time. A flat sheet pushed together in its own plane has nowhere to go in it; which way it buckles is for the guess to
/// say, and the solution of the step does not otherwise depend on the guess.
pub(super) fn break_symmetry(model: &Model, workspace: &mut Workspace) {
    let Workspace { phi, residual: normals, program, .. } = workspace;
    let cloth = model.cloth();
    cloth.node_normals(phi, &mut normals[..phi.len()]);
    for (i, &area) in cloth.node_areas().iter().enumerate().filter(|&(i, _)| program.free[i]) {
        // The fractional parts of multiples of the golden ratio fill [0, 1) evenly.
        let spread = (i as f64 * 0.618_033_988_749_894_9).fract() - 0.5;
        phi[i] += normals[i] * (2e-3 * spread * area.sqrt());
    }
}

/// Coefficients of `dt·φ̇ = c₀ φⁿ⁺¹ − c₁ φⁿ + c₂ φⁿ⁻¹` at second order, `ratio` the last two step lengths' quotient.
fn backward_difference(ratio: f64) -> [f64; 3] {
    [(1.0 + 2.0 * ratio) / (1.0 + ratio), 1.0 + ratio, ratio * ratio / (1.0 + ratio)]
}

/// Pressure of a uniform wind on both sides of the cloth, linear in the new velocity along the normal with the pressure
/// `½ ρ_air c |u_n|` of the old one: no wind is too strong for the step, and what is steady does not depend on dt. In `A`
/// it is `drag · n nᵀ` at each node.
fn add_wind(cloth: &Cloth, params: &Params, state: &State, h: f64, wind: DVec3, workspace: &mut Workspace) {
    cloth.node_normals(&state.positions, &mut workspace.normals);
    for (i, &area) in cloth.node_areas().iter().enumerate() {
        let normal = workspace.normals[i];
        let approach = (wind - state.velocities[i]).dot(normal);
        let drag = h * area * 0.5 * AIR_DENSITY * params.material.drag * approach.abs();
        workspace.drag[i] = drag;
        workspace.rhs[i] += normal * (drag * normal.dot(wind * h + workspace.psi[i]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::{RestShape, Scheme};
    use crate::mesh::{Element, Mesh};
    use crate::{Grasp, Seam, Simulation};

    #[test]
    fn the_backward_difference_is_exact_for_parabolas_at_any_ratio_of_steps() {
        for ratio in [0.25, 0.5, 1.0, 2.0, 3.7] {
            let [c0, c1, c2] = backward_difference(ratio);
            // A step of length 1 from 0 to 1 after one of length 1/ratio.
            for (f, slope) in [(|_| 1.0, 0.0), (|t: f64| t, 1.0), (|t: f64| t * t, 2.0)] as [(fn(f64) -> f64, f64); 3] {
                let difference = c0 * f(1.0) - c1 * f(0.0) + c2 * f(-1.0 / ratio);
                assert!((difference - slope).abs() < 1e-12, "{difference}, not {slope}, at {ratio}");
            }
        }
    }

    #[test]
    fn a_closed_seam_holds_when_a_step_is_taken_in_parts() {
        // Two panels beside each other, 10 cm apart; one hangs, the other is drawn to it.
        let (columns, rows) = (5, 7);
        let place = |panel: usize, row: usize, column: usize| {
            DVec3::new(0.04 * column as f64 + 0.26 * panel as f64, 0.0, 0.04 * row as f64)
        };
        let node = |panel: usize, row: usize, column: usize| (panel * rows + row) * columns + column;
        let all = |rows: usize, columns: usize| {
            let panel =
                move |panel| (0..rows).flat_map(move |row| (0..columns).map(move |column| (panel, row, column)));
            (0..2).flat_map(panel)
        };
        let positions = all(rows, columns).map(|(panel, row, column)| place(panel, row, column)).collect();
        let cell =
            |(p, r, c)| Element::Quad([node(p, r, c), node(p, r, c + 1), node(p, r + 1, c + 1), node(p, r + 1, c)]);
        let panels = Mesh::new(positions, all(rows - 1, columns - 1).map(cell).collect(), None).expect("two panels");
        let pairs: Vec<[usize; 2]> = (0..rows).map(|row| [node(0, row, columns - 1), node(1, row, 0)]).collect();
        let cloth =
            Cloth::new(panels, RestShape::Mesh, Scheme::default()).with_seams(pairs.iter().copied()).expect("seams");
        let mut simulation = Simulation::new(cloth, Params::default(), 0.01);
        simulation.grasp(Grasp::pin([node(0, rows - 1, 0), node(0, rows - 1, columns - 1)]));
        simulation.sew(Seam { pairs: 0..rows, from: 0.0, until: 0.35 });
        for step in 1..=80 {
            let closed = step > 40;
            if closed {
                // As if the step before had been hard.
                simulation.state_mut().halvings = 3;
            }
            let report = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
            let x = simulation.positions();
            let widest = pairs.iter().map(|&[a, b]| x[a].distance(x[b])).fold(0.0, f64::max);
            assert!(!closed || report.substeps >= 4, "step {step} was taken in {} parts", report.substeps);
            assert!(!closed || report.retries == 0, "step {step} was tried {} times again", report.retries);
            assert!(!closed || widest < 1e-6, "step {step}: {widest} m open");
        }
    }
}
