//! Accept: the solved iterate becomes the state.

use super::Workspace;
use super::predict::Dynamics;
use crate::state::State;

/// Moves the state to the solved iterate; positions, velocities and multipliers of the last step become history.
pub(super) fn accept(dynamics: &Dynamics, workspace: &Workspace, state: &mut State) {
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
    workspace.contacts.keep(dynamics.h, &mut state.contacts);
    state.time += dynamics.dt;
}
