//! Accept: the solved iterate becomes the state.

use super::predict::Dynamics;
use super::{Inputs, Workspace};
use crate::state::State;

/// Moves the state to the solved iterate; positions, velocities and multipliers of the last step become history.
pub(super) fn accept(dynamics: &Dynamics, inputs: &Inputs, workspace: &mut Workspace, state: &mut State) {
    state.previous_positions.copy_from_slice(&state.positions);
    state.previous_velocities.copy_from_slice(&state.velocities);
    state.previous_dt = dynamics.dt;
    for (i, &phi) in workspace.phi.iter().enumerate() {
        state.velocities[i] = (phi - workspace.psi[i]) / dynamics.h;
        state.positions[i] = phi;
    }
    for (truth, lambda) in state.multipliers.iter_mut().zip(&workspace.lambda) {
        *truth = lambda / (dynamics.h * dynamics.h);
    }
    // What the forces on a held node leave unbalanced is what holds it.
    let (mut pulls, residual) = (workspace.hands.forces(&workspace.phi), &workspace.residual);
    let force = inputs.held.iter().map(|held| {
        let pull = held.spring.and_then(|_| pulls.next()).unwrap_or(residual[held.node]);
        pull / (dynamics.h * dynamics.h)
    });
    state.held_forces.clear();
    state.held_forces.extend(force);
    workspace.contacts.keep(dynamics.dt, dynamics.h, &mut state.contacts);
    workspace.contacts.write_clearances(workspace.phi.len(), &mut state.clearances);
    workspace.bodies.keep(state);
    state.coupled_pairs.clear();
    if !workspace.coupled_pairs().is_empty() && workspace.contacts.rooms_are_needed(&workspace.phi) {
        state.coupled_pairs.extend_from_slice(workspace.coupled_pairs());
    }
    state.time += dynamics.dt;
}
