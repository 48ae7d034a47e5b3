//! What is wrong with a step that failed, or with where a run begins.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::contacts::Contacts;
use super::error::check_inputs;
use super::{Failure, GiveUp, Held, Inputs, StepError};
use crate::cloth::Cloth;
use crate::collide::self_intersections;
use crate::model::Model;
use crate::obstacle::{Body, Pose};
use crate::params::Params;
use crate::state::State;

/// m. Cloth that is less deep in a body comes out of it, and nobody need be told.
const DEEP: f64 = 1e-3;

/// m. Nodes to be sewn together that are held farther apart than they are to be are held apart.
const OPEN: f64 = 1e-4;

/// Refuses what a step would, and a start from which no good can come: a cloth that is hardly thicker than gaps may be off, is off
/// its rest shape, through itself or inside a body, or has nodes whose path begins elsewhere.
pub(crate) fn check_start(model: &Model, params: &Params, state: &State, inputs: &Inputs) -> Result<(), StepError> {
    check_inputs(model, params, state, inputs)?;
    let cloth = model.cloth();
    let (thickness, tolerance) = (cloth.thickness(&params.material), params.solver.gap_tolerance);
    if params.self_contact.is_some() && tolerance > 0.5 * thickness {
        return Err(StepError::TooThin { thickness, tolerance });
    }
    let crossed = || {
        params.self_contact?;
        let met = self_intersections(&state.positions, cloth.surface());
        let first = met.first()?;
        Some(StepError::StartsCrossed { count: met.len(), edge: first.edge, triangle: first.triangle })
    };
    let fault = starts_stretched(cloth, state)
        .or_else(|| held_jumps(cloth, state, inputs))
        .or_else(|| starts_inside(params, state, inputs))
        .or_else(crossed);
    fault.map_or(Ok(()), Err)
}

/// Turns a failed iteration into the most useful thing that can be said about it.
pub(super) fn explain(
    model: &Model,
    params: &Params,
    state: &State,
    inputs: &Inputs,
    contacts: &Contacts,
    failure: Failure,
) -> StepError {
    let Failure { reason, strain, acceleration, penetration, friction, crossing, pierced } = failure;
    let (cloth, time, factorisations) = (model.cloth(), state.time, params.solver.max_factorisations);
    if let Some(obstacle) = contacts.invalid_shape() {
        let rule = "its shape answers with something that is not a finite distance and a normal of length 1".to_owned();
        return StepError::BadObstacle { obstacle, rule };
    }
    // What is found at an iterate says little where the iteration might have gone on.
    let is_exhausted = reason == GiveUp::Exhausted;
    let exhausted = || is_exhausted.then_some(StepError::TooExpensive { time, factorisations });
    let squeezed = || {
        let (node, obstacles, depth, pressure) = contacts.squeezed()?;
        Some(StepError::Squeezed { time, node, obstacles, depth, pressure })
    };
    let tangled = || {
        let (nodes, distance) = crossing.or_else(|| contacts.tangled())?;
        Some(StepError::Tangled { time, nodes, distance })
    };
    out_of_reach(cloth, inputs)
        .or_else(|| edge_held(cloth, inputs))
        .or_else(|| sewn_held(cloth, inputs))
        .or_else(|| held_jumps(cloth, state, inputs))
        .or_else(|| starts_stretched(cloth, state))
        .or_else(|| starts_inside(params, state, inputs))
        .or_else(|| held_inside(params, state, inputs).filter(|_| is_exhausted))
        .or_else(exhausted)
        .or_else(squeezed)
        .or_else(|| held_inside(params, state, inputs))
        .or_else(tangled)
        .or_else(|| pierced.map(|obstacle| StepError::WentThrough { time, obstacle }))
        .unwrap_or(StepError::NotSolved { time, reason, strain, acceleration, penetration, friction })
}

/// A mesh edge both of whose nodes are held, off its length by more than a thousandth.
fn edge_held(cloth: &Cloth, inputs: &Inputs) -> Option<StepError> {
    let mut target = vec![None; cloth.mesh().node_count()];
    inputs.held_exactly().for_each(|held| target[held.node] = Some(held.target));
    let edges = cloth.mesh().edges().iter().zip(cloth.rest_lengths()).zip(cloth.rigid_edges());
    edges.filter(|&(_, &rigid)| rigid).find_map(|((edge, &length), _)| {
        let distance = target[edge.nodes[0]]?.distance(target[edge.nodes[1]]?);
        let off = (distance / length - 1.0).abs() > 1e-3;
        off.then_some(StepError::EdgeHeld { nodes: edge.nodes, distance, length })
    })
}

/// A pair of nodes that are to be sewn together and are held elsewhere.
fn sewn_held(cloth: &Cloth, inputs: &Inputs) -> Option<StepError> {
    let target = |node: usize| inputs.held_exactly().find(|held| held.node == node).map(|held| held.target);
    cloth.seams().iter().zip(inputs.seams).find_map(|(&nodes, open)| {
        let distance = target(nodes[0])?.distance(target(nodes[1])?);
        ((distance - (*open)?).abs() > OPEN).then_some(StepError::SewnHeld { nodes, distance })
    })
}

/// The held node that is to be moved farthest, if that is more than an edge. One that a hand that gives has left behind is not: its hand
/// is as far away as it pleases.
fn held_jumps(cloth: &Cloth, state: &State, inputs: &Inputs) -> Option<StepError> {
    let from = |held: &Held| held.spring.map_or(state.positions[held.node], |spring| spring.from);
    let away = |held: &Held| (held.node, held.target.distance(from(held)));
    let (node, distance) = inputs.held.iter().map(away).max_by(|a, b| a.1.total_cmp(&b.1))?;
    (distance > cloth.longest_edge()).then_some(StepError::HeldJumps { time: state.time, node, distance })
}

/// The node that is deepest in a body before the step, of those that are not held.
fn starts_inside(params: &Params, state: &State, inputs: &Inputs) -> Option<StepError> {
    let mut free = vec![true; state.positions.len()];
    inputs.held_exactly().for_each(|held| free[held.node] = false);
    let places = || state.positions.iter().copied().enumerate().filter(|&(node, _)| free[node]);
    let (node, obstacle, depth) = deepest(params, inputs.bodies, |body| &body.from, places)?;
    Some(StepError::StartsInside { time: state.time, node, obstacle, depth })
}

/// The target of a held node that is deepest in a body at the end of the step.
fn held_inside(params: &Params, state: &State, inputs: &Inputs) -> Option<StepError> {
    let places = || inputs.held_exactly().map(|held| (held.node, held.target));
    let (node, obstacle, depth) = deepest(params, inputs.bodies, |body| &body.to, places)?;
    Some(StepError::HeldInside { time: state.time, node, obstacle, depth })
}

/// The place that is deepest in a body, and deep: its node, the body, and how deep it is, half the thickness included, m.
fn deepest<P: Iterator<Item = (usize, DVec3)>>(
    params: &Params,
    bodies: &[Body],
    pose: impl Fn(&Body) -> &Pose,
    places: impl Fn() -> P,
) -> Option<(usize, usize, f64)> {
    let half = 0.5 * params.material.thickness;
    let mut worst: Option<(usize, usize, f64)> = None;
    for (b, body) in bodies.iter().enumerate() {
        for (node, place) in places() {
            let place = pose(body).to_local(place);
            if body.shape.clearance(place) > half - DEEP {
                continue;
            }
            let depth = half - body.shape.near(place).gap;
            if depth > worst.map_or(DEEP, |(.., depth)| depth) {
                worst = Some((node, b, depth));
            }
        }
    }
    worst
}

/// A rigid edge that is far from its rest length before the step.
fn starts_stretched(cloth: &Cloth, state: &State) -> Option<StepError> {
    let edges = cloth.mesh().edges().iter().zip(cloth.rest_lengths()).zip(cloth.edge_strains(&state.positions));
    let rigid = edges.zip(cloth.rigid_edges()).filter(|&(_, &rigid)| rigid).map(|(edge, _)| edge);
    let ((edge, &length), strain) = rigid.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
    let stretched = StepError::StartsStretched { nodes: edge.nodes, strain, length };
    (strain.abs() > 0.05).then_some(stretched)
}

/// Held nodes among which pairs are looked at: a failure is to be explained within a moment.
const MAX_PAIRED: usize = 48;

/// The pair of held nodes that is farthest beyond the length of the cloth between them.
fn out_of_reach(cloth: &Cloth, inputs: &Inputs) -> Option<StepError> {
    let mut worst: Option<(f64, StepError)> = None;
    let held: Vec<&Held> = inputs.held_exactly().take(MAX_PAIRED).collect();
    for (k, a) in held.iter().enumerate() {
        let along = path_lengths(cloth, a.node);
        for b in &held[k + 1..] {
            let (distance, available) = (a.target.distance(b.target), along[b.node]);
            let excess = distance / available - 1.0;
            if excess > 1e-4 && worst.as_ref().is_none_or(|(w, _)| excess > *w) {
                worst = Some((excess, StepError::OutOfReach { nodes: [a.node, b.node], distance, available }));
            }
        }
    }
    worst.map(|(_, error)| error)
}

/// Length of the shortest path along mesh edges from a node to every other, at rest, m; infinite where there is none.
fn path_lengths(cloth: &Cloth, from: usize) -> Vec<f64> {
    let mesh = cloth.mesh();
    let mut length = vec![f64::INFINITY; mesh.node_count()];
    length[from] = 0.0;
    // Lengths are positive, so their bit patterns sort as they do.
    let mut queue = BinaryHeap::from([Reverse((0u64, from))]);
    while let Some(Reverse((bits, i))) = queue.pop() {
        if f64::from_bits(bits) > length[i] {
            continue;
        }
        for &k in mesh.node_edges(i) {
            let [a, b] = mesh.edges()[k].nodes;
            let j = if a == i { b } else { a };
            let candidate = length[i] + cloth.rest_lengths()[k];
            if candidate < length[j] {
                length[j] = candidate;
                queue.push(Reverse((candidate.to_bits(), j)));
            }
        }
    }
    length
}
