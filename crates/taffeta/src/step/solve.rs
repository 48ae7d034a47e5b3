//! Solve: the program of one iteration is written down, solved, and its solution taken.

use glam::{DMat3, DVec3};

use super::chord::Plan;
use super::contacts::Closeness;
use super::predict::Dynamics;
use super::sources::{RowContext, changing_sources};
use super::{Attempt, Workspace};
use crate::model::{Layout, Model};
use crate::params::Method;
use crate::qp::{self, Effort, Side, SolveError};
use crate::timing::Stage;

/// Of the size of a cell: how far a node moves at most from one iterate to the next. Where cloth buckles the linear model may send
/// it anywhere.
const TRUST: f64 = 0.5;

/// Moves `φ` and all multipliers by one Newton increment, with a new program or with the matrices of the last one, and with no more than
/// so many factorisations.
pub(super) fn solve(
    attempt: &Attempt,
    layout: &Layout,
    plan: &Plan,
    factorisations: usize,
    workspace: &mut Workspace,
) -> Result<(), SolveError> {
    let Attempt { model, params, dynamics, .. } = *attempt;
    if plan.reuse {
        amend_program(layout, dynamics, &plan.closeness, workspace);
    } else {
        write_program(model, layout, dynamics, &plan.closeness, workspace);
    }
    let Workspace { phi, lambda, bodies, hands, program, solution, contacts, active_set, swing, watch, .. } = workspace;
    watch.lap(Stage::Write);
    // There is one since there is a layout.
    let active_set = active_set.as_mut().ok_or(SolveError::NotAvailable)?;
    match params.solver.method {
        Method::ActiveSet => {
            let outcome =
                active_set.solve(program, &layout.assembly, Effort::of_step(plan.reuse, factorisations), solution);
            watch.join(&active_set.watch);
            outcome?;
        }
        method => qp::solve_from(program, &layout.assembly, method, &mut active_set.sides, solution)?,
    }

    let fraction = swing.fraction(&solution.delta);
    for (lambda, solved) in lambda.iter_mut().zip(&solution.multipliers) {
        *lambda += (solved - *lambda) * fraction;
    }
    for source in changing_sources(contacts, hands, bodies) {
        source.take_forces(&solution.multipliers, fraction);
    }
    contacts.lead_bounds(program, &solution.multipliers, active_set, &layout.assembly);
    let longest = solution.delta.iter().map(|delta| delta.length_squared()).fold(0.0, f64::max).sqrt();
    let part = f64::min(fraction, TRUST * dynamics.cell / longest);
    for (p, delta) in phi.iter_mut().zip(&solution.delta) {
        *p += *delta * part;
    }
    bodies.advance(&solution.delta, part);
    watch.lap(Stage::Solve);
    Ok(())
}

/// Writes the program of the iteration: `H` is `A` with the curvature of rows under tension, `g` the drive `Aφ − b`.
fn write_program(
    model: &Model,
    layout: &Layout,
    dynamics: &Dynamics,
    closeness: &Closeness,
    workspace: &mut Workspace,
) {
    let Workspace {
        phi,
        lambda,
        gradient,
        value,
        sources,
        drive,
        curvature,
        normals,
        drag,
        contacts,
        hands,
        bodies,
        program,
        active_set,
        ..
    } = workspace;
    sources.curvature(lambda, curvature);
    sources.expect(lambda, value, &mut program.rows.compliance);
    let cloth = model.cloth();
    for (i, block) in program.diagonal[..phi.len()].iter_mut().enumerate() {
        let mut entry = cloth.node_areas()[i] * dynamics.inertia;
        if dynamics.stiffness > 0.0 {
            entry += dynamics.stiffness * (cloth.bending.diagonal(i) + layout.beyond[i]);
        }
        *block = DMat3::from_diagonal(DVec3::splat(entry));
        if dynamics.windy {
            *block += outer(normals[i] * drag[i], normals[i]);
        }
    }
    bodies.write_inertia(program);
    for &(r, i, s) in &layout.curvature_diagonal {
        program.diagonal[i] += DMat3::from_diagonal(DVec3::splat(curvature[r] * s));
    }
    let (bending, curved) = program.couplings.split_at_mut(layout.bending.len());
    for ((_, coupling), (_, k)) in bending.iter_mut().zip(&layout.bending) {
        *coupling = k * dynamics.stiffness;
    }
    for ((_, coupling), (r, _, s)) in curved.iter_mut().zip(&layout.curvature) {
        *coupling = curvature[*r] * s;
    }
    program.gradient.copy_from_slice(drive);
    program.rows.gradient[..gradient.len()].copy_from_slice(gradient);
    program.rows.value[..value.len()].copy_from_slice(value);
    if let Some(active_set) = active_set {
        program.rows.truncate(program.cloth_rows);
        active_set.sides.clear();
        active_set.sides.resize(program.cloth_rows, Side::Within);
        let context = RowContext { dt: dynamics.dt, phi, closeness, assembly: &layout.assembly };
        for source in changing_sources(contacts, hands, bodies) {
            source.add_rows(&context, program, &mut active_set.sides);
        }
    }
}

/// Brings the program of the last iterate to this one: values and forces are those of the iterate, the matrices a little out of date.
/// It has the same solution.
fn amend_program(layout: &Layout, dynamics: &Dynamics, closeness: &Closeness, workspace: &mut Workspace) {
    let Workspace { phi, value, residual, lambda, program, solution, contacts, hands, bodies, active_set, .. } =
        workspace;
    let Some(active_set) = active_set else { return };
    program.rows.value[..value.len()].copy_from_slice(value);
    let context = RowContext { dt: dynamics.dt, phi, closeness, assembly: &layout.assembly };
    let mut changing = changing_sources(contacts, hands, bodies);
    changing.iter_mut().for_each(|source| source.amend_rows(&context, program, active_set));
    let multipliers = &mut solution.multipliers;
    multipliers.clear();
    multipliers.extend_from_slice(lambda);
    multipliers.resize(program.rows.len(), 0.0);
    changing.iter().for_each(|source| source.write_multipliers(phi, program, multipliers));
    program.gradient.copy_from_slice(residual);
    for (r, &lambda) in multipliers.iter().enumerate().filter(|(_, lambda)| **lambda != 0.0) {
        program.rows.add_to(r, -lambda, &mut program.gradient);
    }
}

fn outer(u: DVec3, v: DVec3) -> DMat3 {
    DMat3::from_cols(u * v.x, u * v.y, u * v.z)
}
