//! A part of a step that could not be solved, taken as well as it can be.
//!
//! The cloth goes from the start of the part towards the best iterate of the last attempt, all nodes in straight lines, as far as nothing
//! of it passes through itself or, if there is such a way, through a body, nothing is stretched much, and nothing is faster than what
//! moves it. Where no part of that way will do it stays where it is. Bodies whose motion is prescribed move on; what they leave inside comes
//! out of them in the steps that follow. Velocities are those of the motion that was taken; multipliers and forces of contact, which the next
//! step starts from, remain those of the last part that was solved.

use glam::DVec3;

use super::bodies::Bodies;
use super::linearise::{Residual, linearise};
use super::{Attempt, Held, Inputs, Part, StepReport, Workspace, accept, begin_part};
use crate::model::Model;
use crate::obstacle::Pose;
use crate::params::Params;
use crate::state::State;

/// How often the way to the best iterate is halved before the cloth stays where it is.
const MAX_HALVINGS: i32 = 6;

/// Strain of a rigid condition that such a part of a step may leave, unless it began with more.
const MAX_STRAIN: f64 = 0.01;

/// m/s. Speeds up to this count as moved by something.
const SLOW: f64 = 0.1;

/// The iterate of an attempt that leaves least to be done.
#[derive(Default)]
pub(super) struct BestIterate {
    /// In tolerances.
    left: Option<f64>,
    phi: Vec<DVec3>,
    poses: Vec<Pose>,
    /// How far a body that moves by the forces on it goes at most, m.
    bodies_go: f64,
}

impl BestIterate {
    /// Another attempt begins.
    pub fn restart(&mut self) {
        self.left = None;
    }

    /// Notes an iterate that leaves so much to be done.
    pub fn note(&mut self, left: f64, phi: &[DVec3], bodies: &Bodies) {
        if self.left.is_some_and(|least| least <= left) {
            return;
        }
        self.left = Some(left);
        self.phi.clear();
        self.phi.extend_from_slice(phi);
        self.poses.clear();
        self.poses.extend(bodies.poses());
        self.bodies_go = bodies.farthest();
    }
}

/// How a place on the way to the best iterate is.
struct Place {
    fraction: f64,
    residual: Residual,
    /// Whether everything is finite there, and not stretched.
    is_sound: bool,
    /// Whether the cloth passes through itself, or through a body, before it.
    crosses: bool,
    pierces: bool,
}

/// Takes a part of a step that could not be solved towards the best iterate of the last attempt.
pub(super) fn take_best(
    model: &Model,
    params: &Params,
    state: &mut State,
    inputs: &Inputs,
    part: Part,
    workspace: &mut Workspace,
    report: &mut StepReport,
) {
    let (layout, dynamics) = begin_part(model, params, state, inputs, part, workspace);
    let mut best = std::mem::take(&mut workspace.best);
    if best.left.is_none() {
        let Workspace { phi, bodies, .. } = &*workspace;
        best.note(f64::INFINITY, phi, bodies);
        best.restart();
    }
    let at_start = &state.positions;
    let attempt = Attempt { model, params, inputs, dynamics: &dynamics, start: at_start, cores: workspace.at_work };
    let limit = most_motion(params, state, inputs, part, dynamics.dt);
    let mut look = |fraction: f64, most_strain: f64| {
        for (k, (phi, from)) in workspace.phi.iter_mut().zip(at_start).enumerate() {
            *phi = if fraction > 0.0 { from.lerp(best.phi[k], fraction) } else { *from };
        }
        workspace.bodies.place_towards(&best.poses, fraction);
        let residual = linearise(&attempt, &layout, false, workspace);
        let Workspace { contacts, phi, bodies, program, .. } = &mut *workspace;
        let is_finite = residual.is_finite() && contacts.invalid_shape().is_none();
        let is_sound = is_finite && residual.strain <= most_strain;
        let view = attempt.view(phi, &program.free, bodies);
        let crosses = is_sound && contacts.passing(&view).is_some();
        let pierces = is_sound && !crosses && contacts.pierced(&view).is_some();
        Place { fraction, residual, is_sound, crosses, pierces }
    };

    let stays = look(0.0, f64::INFINITY);
    let mut chosen: Option<Place> = None;
    if best.left.is_some() {
        let ways = best.phi.iter().zip(at_start).map(|(to, from)| to.distance(*from));
        let farthest = ways.fold(best.bodies_go, f64::max);
        let most_strain = f64::max(MAX_STRAIN, stays.residual.strain);
        let whole = f64::min(limit / farthest, 1.0);
        for halvings in 0..=MAX_HALVINGS {
            let place = look(whole * 0.5f64.powi(halvings), most_strain);
            if !place.is_sound || place.crosses {
                continue;
            }
            // One on which the cloth goes through a body is taken only if there is no other.
            let is_clear = !place.pierces;
            if is_clear || chosen.is_none() {
                chosen = Some(place);
            }
            if is_clear {
                break;
            }
        }
    }
    let chosen = chosen.map_or(0.0, |place| place.fraction);
    // What is known of the contacts is that of the place that is taken.
    let place = look(chosen, f64::INFINITY);
    workspace.best = best;

    report.degraded += 1;
    if place.residual.is_finite() {
        report.add_solved(&place.residual, part.fraction);
    } else {
        report.substeps += 1;
    }
    let lags = inputs.held_exactly().map(|held| held.target.distance(workspace.phi[held.node]));
    report.add_hands(workspace.hands.lag_and_energy(&workspace.phi));
    report.max_lag = lags.fold(report.max_lag, f64::max);
    report.add_bodies(&workspace.bodies, params.gravity);
    accept::accept(&dynamics, inputs, workspace, state);
    // No difference formula goes on from here.
    for (v, (to, from)) in state.velocities.iter_mut().zip(state.positions.iter().zip(&state.previous_positions)) {
        *v = (*to - *from) / dynamics.dt;
    }
    state.previous_dt = 0.0;
}

/// How far anything may go in a part of a step that was not solved, m: as far as the cloth, its hands and the bodies go already, and gravity
/// adds to it.
fn most_motion(params: &Params, state: &State, inputs: &Inputs, part: Part, dt: f64) -> f64 {
    let of_cloth = state.velocities.iter().map(|v| v.length());
    let hand = |held: &Held| held.spring.map_or(state.positions[held.node], |spring| spring.from);
    let of_hands = inputs.held.iter().map(|held| held.target.distance(hand(held)) / inputs.dt);
    let of_bodies = inputs.bodies.iter().enumerate().map(|(b, body)| {
        if let Some(moving) = state.bodies.get(b).copied().flatten() {
            return moving.velocity.length();
        }
        let [from, to] = [part.goal - part.fraction, part.goal].map(|s| body.from.between(&body.to, s));
        let carried = |x: &DVec3| to.to_world(from.to_local(*x)).distance(*x);
        state.positions.iter().map(carried).fold(0.0, f64::max) / dt
    });
    let fastest = of_cloth.chain(of_hands).chain(of_bodies).fold(SLOW, f64::max);
    (fastest + params.gravity.length() * dt) * dt
}
