//! Who is near whom, at the start of a part of a step and at every iterate.

use glam::{DQuat, DVec3};

use super::{Contacts, Stage, Touch};
use crate::cloth::Cloth;
use crate::collide::{Body, Stencil, meet, point_count};
use crate::mesh::Mesh;
use crate::obstacle::{Implicit, Near};
use crate::params::Params;
use crate::qp::Side;
use crate::state::{Contact, State};
use crate::step::predict::Dynamics;
use crate::step::{Inputs, Part};

/// Speed at which cloth that starts inside a body comes out of it, m/s: slow enough not to be thrown.
const RECOVERY: f64 = 0.25;

/// Of the size of a node's cell: how close a point must come, beyond its own motion, to be watched.
const REACH: f64 = 0.1;

/// m. The centre of an element is watched where it could sink into a body by more than this between its nodes.
const SAG: f64 = 5e-5;

/// m. On an edge the normal may be that of either side, and of all in between: between iterates it turns by no more than on
/// an edge of this radius, so that a point which stays has one.
const EDGE: f64 = 1e-3;

impl Contacts {
    /// Notes where everything is at the start of a part of a step.
    pub fn survey(&mut self, cloth: &Cloth, params: &Params, inputs: &Inputs, part: Part, start: &State) {
        let (mesh, dt) = (cloth.mesh(), inputs.dt * part.fraction);
        self.half_thickness = 0.5 * params.material.thickness;
        self.close = false;
        self.nonsense = None;
        self.stages.clear();
        self.clearance.clear();
        self.allowed.clear();
        let points = point_count(mesh);
        for (b, body) in inputs.bodies.iter().enumerate() {
            let at = |s| body.from.between(&body.to, s);
            let stage = Stage { from: at(part.goal - part.fraction), to: at(part.goal) };
            self.stages.push(stage);
            for point in 0..watched(body, mesh) {
                let stencil = Stencil::new(mesh, point);
                let place = stencil.mean(&start.positions);
                let from = stage.from.body(place);
                let clearance = body.shape.clearance(from);
                let inside = clearance < self.half_thickness;
                let gap = if inside { body.shape.near(from).gap - self.half_thickness } else { 0.0 };
                if !(clearance.is_finite() && gap.is_finite()) {
                    self.nonsense.get_or_insert(b);
                }
                // What the last step left within its tolerance is not a start inside.
                let deep = gap < -params.solver.gap_tolerance;
                self.allowed.push(if deep { (gap + RECOVERY * dt).min(0.0) } else { 0.0 });
                self.clearance.push(clearance);
                let onwards = stage.to.body(place + stencil.mean(&start.velocities) * dt);
                self.close |= clearance < self.half_thickness + EDGE + 1.5 * from.distance(onwards);
            }
            self.allowed.resize((b + 1) * points, 0.0);
            self.clearance.resize((b + 1) * points, 0.0);
        }
    }

    /// Takes what was felt at the end of the last step for a first guess.
    pub fn warm_start(&mut self, cloth: &Cloth, inputs: &Inputs, dynamics: &Dynamics, start: &State) {
        let (mesh, points) = (cloth.mesh(), point_count(cloth.mesh()));
        self.relaxation = 1.0;
        self.programs = 0;
        self.touches.clear();
        let felt = start.contacts.iter().filter(|felt| felt.obstacle < inputs.bodies.len() && felt.point < points);
        for felt in felt {
            let body = &inputs.bodies[felt.obstacle];
            self.touches.push(remembered(felt, mesh, body, &self.stages[felt.obstacle], dynamics, &start.positions));
        }
        self.touches.sort_unstable_by_key(|touch| touch.key);
    }

    /// Finds the points near bodies at `phi`; what they felt at the last iterate stays with them.
    pub fn detect(
        &mut self,
        cloth: &Cloth,
        inputs: &Inputs,
        dynamics: &Dynamics,
        start: &[DVec3],
        phi: &[DVec3],
        free: &[bool],
    ) {
        let Self { touches, before, stages, clearance, allowed, normals, half_thickness, nonsense, .. } = self;
        std::mem::swap(touches, before);
        touches.clear();
        let (mesh, areas) = (cloth.mesh(), cloth.node_areas());
        let (nodes, points) = (mesh.node_count(), point_count(mesh));
        let mut known = before.iter().peekable();
        for (b, (body, stage)) in inputs.bodies.iter().zip(&*stages).enumerate() {
            normals.clear();
            normals.resize(nodes, None);
            for point in 0..watched(body, mesh) {
                let stencil = Stencil::new(mesh, point);
                let compliance: f64 = stencil.nodes().iter().filter(|&&i| free[i]).map(|&i| 1.0 / areas[i]).sum();
                if compliance == 0.0 {
                    continue;
                }
                let (from, place) = (stage.from.body(stencil.mean(start)), stencil.mean(phi));
                let to = stage.to.body(place);
                let reach = REACH * areas[stencil.nodes()[0]].sqrt() + from.distance(to) + *half_thickness;
                let index = b * points + point;
                let Some(met) = meet(&body.shape, from, to, clearance[index], reach) else { continue };
                let surface = met.surface;
                if !makes_sense(&surface) {
                    nonsense.get_or_insert(b);
                    continue;
                }
                let key = (b, point);
                while known.peek().is_some_and(|old| old.key < key) {
                    known.next();
                }
                let old = known.peek().filter(|old| old.key == key);
                let mut normal = stage.to.turn(surface.normal);
                if let Some(old) = old {
                    normal = turned(old.normal, normal, old.place.distance(place) / EDGE);
                }
                if stencil.is_node() {
                    normals[point] = Some(normal);
                } else if !could_sink(&stencil, normal, place, phi, normals) {
                    continue;
                }
                let out = |gap: f64| gap - *half_thickness;
                touches.push(Touch {
                    key,
                    stencil,
                    place,
                    gap: f64::min(out(met.gap), out(surface.gap)),
                    slack: out(surface.gap) - allowed[index],
                    allowed: allowed[index],
                    normal,
                    slip: (place - stage.to.place(from)).reject_from_normalized(normal),
                    mass: dynamics.inertia / (compliance * stencil.weight() * stencil.weight()),
                    coefficient: body.friction,
                    gamma: old.map_or(0.0, |old| old.gamma),
                    force: old.map_or(DVec3::ZERO, |old| old.force.reject_from_normalized(normal)),
                    law: old.and_then(|old| old.law),
                    side: old.and_then(|old| old.side),
                    off: old.map_or(0.0, |old| old.off),
                });
            }
        }
    }
}

/// How many of the points are watched: on a half-space the centre of an element is where its nodes are, it cannot sink.
fn watched(body: &Body, mesh: &Mesh) -> usize {
    if body.shape.is_flat() { mesh.node_count() } else { point_count(mesh) }
}

fn makes_sense(near: &Near) -> bool {
    near.gap.is_finite() && (near.normal.length_squared() - 1.0).abs() < 1e-6
}

/// A contact of the last step as this one finds it: carried along by its body.
fn remembered(
    felt: &Contact,
    mesh: &Mesh,
    body: &Body,
    stage: &Stage,
    dynamics: &Dynamics,
    positions: &[DVec3],
) -> Touch {
    let stencil = Stencil::new(mesh, felt.point);
    let from = stage.from.body(stencil.mean(positions));
    // On an edge the last normal stays; anywhere else, and if the cloth or the body was moved by hand, it is what it is.
    let last = stage.from.rotation.inverse() * felt.normal;
    let near = body.shape.near(from);
    let leads_away = body.shape.near(from + last * EDGE).gap > near.gap + 0.9 * EDGE;
    let normal = if leads_away && last.is_normalized() { last } else { near.normal };
    let h2 = dynamics.h * dynamics.h;
    Touch {
        key: (felt.obstacle, felt.point),
        stencil,
        place: stage.to.place(from),
        gap: 0.0,
        slack: 0.0,
        allowed: 0.0,
        normal: stage.to.turn(normal),
        slip: DVec3::ZERO,
        mass: 0.0,
        coefficient: 0.0,
        gamma: felt.normal_force * h2,
        force: felt.friction * h2,
        law: None,
        side: Some(if felt.slipping { Side::High } else { Side::Within }),
        off: 0.0,
    }
}

/// The unit vector `from` turned towards `to` by at most `limit` radians.
fn turned(from: DVec3, to: DVec3, limit: f64) -> DVec3 {
    let angle = from.angle_between(to);
    if angle <= limit {
        to
    } else {
        DQuat::from_rotation_arc(from, to).slerp(DQuat::IDENTITY, 1.0 - limit / angle) * from
    }
}

/// Whether the centre of an element can sink into a body although its nodes do not.
fn could_sink(stencil: &Stencil, normal: DVec3, place: DVec3, phi: &[DVec3], normals: &[Option<DVec3>]) -> bool {
    stencil.nodes().iter().any(|&i| match normals[i] {
        // Over half the turn of the surface between the two.
        Some(at_node) => 0.5 * (at_node - normal).length() * phi[i].distance(place) > SAG,
        None => true,
    })
}
