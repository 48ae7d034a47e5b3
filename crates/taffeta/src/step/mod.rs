//! One time step, in the order of the paper's algorithm: predict, linearise (with the contacts), solve, accept.
//!
//! The step finds the `φ` that satisfies `A(φ − φ₀) = −∇C(φ)ᵀ λ + ∇H(φ)ᵀ γ + f_μ`, `C(φ) = σλ`, the complementarity of gaps
//! `H` and contact forces `γ`, and Coulomb's law for the friction `f_μ`; `A = M + h·D + h²·K`, `φ₀` the unconstrained step. Each
//! iteration solves the quadratic program
//!
//! ```text
//! min ½ Δᵀ (A + Σ κ_r ∇²C_r) Δ + Δᵀ A(φ_j − φ₀) + μγ |slip|    s.t.   C(φ_j) + ∇C Δ = σ λ,   H(φ_j) + ∇H Δ ≥ 0
//! ```
//!
//! for the increment `Δ` and the *total* multipliers (`σ` is a compliance: next to nothing for a rigid row, the
//! fabric's own for shear). Two things keep the iterations at one or two up to some 30×30 nodes, where projecting by
//! increments needs more with every refinement: the curvature of the conditions, as far as they are under tension (`κ`),
//! is in the program, and the multipliers, being totals, can be warm-started from the last step without changing the
//! answer.

mod accept;
mod bodies;
mod chord;
mod contacts;
mod error;
mod explain;
mod give_up;
mod hands;
mod linearise;
mod predict;
mod published;
mod report;
mod solve;
mod sources;
mod swing;
mod workspace;

pub use error::StepError;
pub(crate) use error::check_state;
pub(crate) use explain::check_start;
pub use give_up::GiveUp;
pub use report::StepReport;
pub use workspace::Workspace;

use bodies::Bodies;
use chord::Chord;
use contacts::{IterateView, PartStart, StartView};
use give_up::Manner;
use glam::DVec3;
use predict::Dynamics;

use crate::cores::Cores;
use crate::model::Model;
use crate::motion::Spring;
use crate::obstacle::{Body, Jaws};
use crate::params::Params;
use crate::state::State;
use crate::timing::Stage;

/// A node that is held. Where that is done exactly obstacles do not stop it: a hand that reaches into a table has its reasons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// The node.
    pub node: usize,
    /// Where it is to be at the end of the step, m.
    pub target: DVec3,
    /// What pulls it there; `None` if it is there, whatever force that takes.
    pub spring: Option<Spring>,
}

impl Held {
    /// A node that is exactly at its target at the end of the step.
    pub fn exact(node: usize, target: DVec3) -> Self {
        Self { node, target, spring: None }
    }
}

/// What the world decides per step.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Length of the step, s.
    pub dt: f64,
    /// The controlled nodes.
    pub held: &'a [Held],
    /// A further force on every node, N; empty for none.
    pub forces: &'a [DVec3],
    /// The bodies of the world, and how they move in the step.
    pub bodies: &'a [Body],
    /// How far apart the two nodes of each of the cloth's [seams](crate::cloth::Cloth::seams) are at the end of the step, m: 0 for
    /// a closed one, `None` for one that is still open; empty if all are.
    pub seams: &'a [Option<f64>],
    /// Bodies that close on each other.
    pub jaws: &'a [Jaws],
}

impl Inputs<'_> {
    /// The nodes that are held exactly.
    fn held_exactly(&self) -> impl Iterator<Item = &Held> {
        self.held.iter().filter(|held| held.spring.is_none())
    }
}

/// Advances `state` by one step. On error the state is as it was.
///
/// A step whose iterations fail is tried again in halves, quarters and so on, the held nodes moving in straight lines
/// in between, and the bodies turning the shorter way.
pub fn step(
    model: &Model,
    params: &Params,
    state: &mut State,
    inputs: &Inputs,
    workspace: &mut Workspace,
) -> Result<StepReport, StepError> {
    workspace.watch.restart();
    error::check_inputs(model, params, state, inputs)?;
    workspace.watch.lap(Stage::Predict);
    if let Some(code) = params.solver.published {
        return published::step(model, params, state, inputs, code);
    }
    workspace.begin(model, params, state, inputs)?;
    workspace.at_work.enter(|| in_parts(model, params, state, inputs, workspace))
}

/// The step, in as many parts as it takes.
fn in_parts(
    model: &Model,
    params: &Params,
    state: &mut State,
    inputs: &Inputs,
    workspace: &mut Workspace,
) -> Result<StepReport, StepError> {
    let mut report = StepReport::default();
    let (mut halvings, mut done) = (give_up::first_halvings(state.halvings, &params.solver), 0.0);
    let mut manner = Manner::Thrifty;
    while done < 1.0 {
        let fraction = 0.5f64.powi(halvings as i32);
        let part = Part { fraction, goal: f64::min(done + fraction, 1.0), manner };
        match substep(model, params, state, inputs, part, workspace, &mut report) {
            Ok(()) => {
                done = part.goal;
                manner = manner.after_success();
            }
            Err(failure) => {
                let Some(next) = failure.reason.next_attempt(manner, halvings, &params.solver) else {
                    state.copy_from(&workspace.start);
                    return Err(explain::explain(model, params, state, inputs, &workspace.contacts, failure));
                };
                (manner, halvings) = next;
                report.retries += 1;
            }
        }
    }
    state.time = workspace.start.time + inputs.dt;
    state.halvings = halvings;
    report.measure(model, params, state);
    workspace.watch.lap(Stage::Accept);
    report.timings = workspace.watch.timings();
    Ok(report)
}

/// Why the iterations of a step did not end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Failure {
    /// Why they were given up.
    reason: GiveUp,
    /// Largest strain left.
    strain: f64,
    /// Acceleration left unbalanced, m/s².
    acceleration: f64,
    /// Depth of a point in what it touches, m.
    penetration: f64,
    /// Distance from Coulomb's law, of the point's normal force or the mean one, whichever is larger.
    friction: f64,
    /// Parts of the cloth that went through each other: a node of each, and their distance at the start, m.
    crossing: Option<([usize; 2], f64)>,
    /// A body that went through the cloth.
    pierced: Option<usize>,
}

/// A part of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// How much of the step it is, in (0, 1].
    fraction: f64,
    /// How much of the step is done after it.
    goal: f64,
    /// How it is attempted.
    manner: Manner,
}

/// What does not change while a part of a step is iterated.
#[derive(Clone, Copy)]
struct Attempt<'a> {
    model: &'a Model,
    params: &'a Params,
    inputs: &'a Inputs<'a>,
    dynamics: &'a Dynamics,
    /// `φⁿ`, m.
    start: &'a [DVec3],
    /// Who computes it.
    cores: Cores,
}

impl<'a> Attempt<'a> {
    /// The iterate `phi`, of which some nodes are free.
    fn view(&self, phi: &'a [DVec3], free: &'a [bool], bodies: &'a Bodies) -> IterateView<'a> {
        let Self { model, params, inputs, dynamics, start, cores } = *self;
        IterateView { cloth: model.cloth(), inputs, params, dynamics, start, phi, free, bodies, cores }
    }
}

/// One attempt at a part of a step.
fn substep(
    model: &Model,
    params: &Params,
    state: &mut State,
    inputs: &Inputs,
    part: Part,
    workspace: &mut Workspace,
    report: &mut StepReport,
) -> Result<(), Failure> {
    let mut layout = workspace.layout(model, state);
    workspace.watch.lap(Stage::MakeRoom);
    workspace.bodies.begin(model.node_count(), params, inputs, part, state);
    let Workspace { contacts, bodies, .. } = &mut *workspace;
    contacts.survey(&StartView { cloth: model.cloth(), params, inputs, part, state, bodies });
    workspace.watch.lap(Stage::Detect);
    let dynamics = predict::predict(model, &layout, params, state, inputs, part, workspace);
    if part.manner.is_perturbed() {
        predict::break_symmetry(model, workspace);
    }
    workspace.contacts.warm_start(&PartStart {
        cloth: model.cloth(),
        material: &params.material,
        inputs,
        dynamics: &dynamics,
        state,
    });
    workspace.swing.restart(part.manner == Manner::Patient);
    workspace.watch.lap(Stage::Predict);
    let (mut iteration, mut chord) = (0, Chord::new(part.manner == Manner::Thrifty));
    let (mut follow, mut looked) = (false, false);
    loop {
        let attempt =
            Attempt { model, params, inputs, dynamics: &dynamics, start: &state.positions, cores: workspace.at_work };
        let residual = linearise::linearise(&attempt, &layout, follow, workspace);
        if workspace.contacts.invalid_shape().is_some() {
            return Err(residual.failure(GiveUp::InvalidShape));
        }
        if !residual.is_finite() {
            return Err(residual.failure(GiveUp::NotFinite));
        }
        let at_rest = dynamics.resting && !part.manner.is_perturbed();
        if residual.is_solved(&params.solver, iteration, at_rest, part.fraction) {
            let Workspace { contacts, phi, bodies, program, .. } = &mut *workspace;
            let view = attempt.view(phi, &program.free, bodies);
            if contacts.need_a_look(&view) {
                (follow, looked) = (false, true);
                continue;
            }
            let crossing = contacts.passing(&view);
            let pierced = if crossing.is_none() { contacts.pierced(&view) } else { None };
            workspace.watch.lap(Stage::Check);
            if crossing.is_some() || pierced.is_some() {
                return Err(Failure { crossing, pierced, ..residual.failure(GiveUp::Crossed) });
            }
            report.add_solved(&residual, part.fraction);
            report.add_rows(&workspace.lambda, &workspace.program.rows.compliance, dynamics.h);
            report.add_hands(workspace.hands.lag_and_energy(&workspace.phi));
            report.add_bodies(&workspace.bodies, params.gravity);
            break;
        }
        if let Some(reason) = GiveUp::after(iteration, part.manner, &residual, &params.solver) {
            return Err(residual.failure(reason));
        }
        if !workspace.contacts.fit(&layout.assembly.pattern) {
            // Parts of the cloth have met that were far apart: the matrix gets room for them, and what was linearised, which is in
            // the order of the matrix, is linearised anew. The iterate is the same, so that what touches now has room then.
            let coupled_pairs = workspace.contacts.coupled_pairs(&workspace.phi);
            layout = workspace.make_room(model, &coupled_pairs);
            workspace.watch.lap(Stage::MakeRoom);
            chord.restart();
            follow = false;
            continue;
        }
        let plan = chord.plan(&residual, &dynamics, &params.solver, looked);
        solve::solve(&attempt, &layout, &plan, workspace).map_err(|error| residual.failure(error.into()))?;
        (follow, looked) = (plan.follow, false);
        report.factorisations += workspace.solution.factorisations;
        report.passes += workspace.solution.passes;
        report.exchanges += workspace.solution.exchanges;
        report.iterations += 1;
        iteration += 1;
    }
    accept::accept(&dynamics, inputs, workspace, state);
    Ok(())
}
