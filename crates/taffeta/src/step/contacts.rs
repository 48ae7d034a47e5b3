//! The contacts of a step: where the cloth touches the world, and what it feels there.

use glam::{DQuat, DVec3};

use super::predict::Dynamics;
use super::{Inputs, Part};
use crate::cloth::Cloth;
use crate::collide::{Stencil, meet, point_count};
use crate::friction::{self, Law};
use crate::obstacle::{Implicit, Pose};
use crate::qp::{Bounds, Program, Side};
use crate::state::{Contact, State};

/// Speed at which cloth that starts inside a body comes out of it, m/s: slow enough not to be thrown.
const RECOVERY: f64 = 0.25;

/// Of the size of a node's cell: how close a point must come, beyond its own motion, to be watched.
const REACH: f64 = 0.1;

/// m. The centre of an element is watched where it could sink into a body by more than this between its nodes.
const SAG: f64 = 5e-5;

/// Compliance of a contact, of what the inertia of its point would give. It shares out forces that the law leaves open (a
/// face and its four nodes on the same body). A sheet at rest sinks by 1e-5 g h², a point that lands at 2 m/s by 0.2 µm
/// in a step of 10 ms.
const CONTACT_COMPLIANCE: f64 = 1e-5;

/// The same for friction, where much more is open: a sheet that sticks everywhere is held in countless ways. It acts on the
/// change of the force from one iterate to the next, and from one step to the next, so that what is at rest does not
/// creep. From 0.3 on the iterations no longer converge; at 0.001 a sheet on a cylinder takes three times as many
/// factorisations.
const FRICTION_COMPLIANCE: f64 = 0.05;

/// m/s. Slip at this speed counts as much against a point that should stick as if all of its friction were missing: with a tolerance
/// of 0.5 % it creeps at less than 0.1 mm/s.
const CREEP: f64 = 0.01;

/// m. A point that sticks gives by no more than this until its friction has grown to its bound.
const GIVE: f64 = 1e-5;

/// m. On an edge the normal may be that of either side, and of all in between: between iterates it turns by no more than on
/// an edge of this radius, so that a point which stays has one.
const EDGE: f64 = 1e-3;

/// m. A point that is this deep in a body although another pushes it there has no room.
const SQUEEZED: f64 = 1e-5;

/// A point of the cloth near a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// The body, and the point of the cloth: what identifies a touch from one iterate to the next.
    pub key: (usize, usize),
    pub stencil: Stencil,
    /// Where the point is, m.
    place: DVec3,
    /// Distance to the body, m.
    pub gap: f64,
    /// The gap beyond what is allowed, m: less than zero is allowed to a point that began the step inside.
    pub slack: f64,
    /// Outward unit normal of the body.
    pub normal: DVec3,
    /// `u`: how far the point has slipped along the body in this step, m.
    pub slip: DVec3,
    /// The mass the point stands for, kg.
    pub mass: f64,
    /// `μ`.
    pub coefficient: f64,
    /// `γ`, scaled with h².
    pub gamma: f64,
    /// Friction on the cloth, scaled with h².
    pub force: DVec3,
    /// What the last program was told of it.
    pub law: Option<Law>,
    /// Whether it slipped in the last program.
    pub side: Option<Side>,
}

impl Touch {
    /// `μγ`.
    fn bound(&self) -> f64 {
        self.coefficient * self.gamma
    }

    /// `r`: how slip compares with force in Coulomb's law, kg. The mass of the point, or more where a light cloth is
    /// under a heavy load, so that slip at `CREEP` weighs as much as all of the friction.
    fn weight(&self, bound: f64, dt: f64) -> f64 {
        f64::max(self.mass, bound / (CREEP * dt))
    }

    /// Compliance of its friction to a change of the force: no more than would let it slip by `GIVE` for all of it.
    fn softness(&self, bound: f64) -> f64 {
        f64::min(FRICTION_COMPLIANCE / self.mass, GIVE / bound)
    }
}

/// A body in a part of a step.
#[derive(Clone, Copy, Debug)]
struct Stage {
    from: Pose,
    to: Pose,
}

/// The contacts of the step at hand.
#[derive(Default)]
pub(super) struct Contacts {
    /// In the order of their keys.
    touches: Vec<Touch>,
    before: Vec<Touch>,
    stages: Vec<Stage>,
    /// Clearance of every point at the start of the part, body by body, m.
    clearance: Vec<f64>,
    /// Gap that a point may keep although it is inside, body by body, m: at most 0.
    allowed: Vec<f64>,
    /// Normals of the nodes that are watched, for their elements.
    normals: Vec<Option<DVec3>>,
    half_thickness: f64,
}

/// How far the contacts are from their laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ContactResidual {
    /// Largest violation of a gap, m.
    pub penetration: f64,
    /// Largest distance of a point that is pushed from the body that pushes it, m.
    pub separation: f64,
    /// Largest distance from Coulomb's law, of the largest normal force.
    pub friction: f64,
    /// Smallest gap, m; infinite if nothing is near.
    pub gap: f64,
    /// Points that are pushed.
    pub active: usize,
}

impl Contacts {
    /// Notes where everything is at the start of a part of a step, and what was felt last.
    pub fn begin(&mut self, cloth: &Cloth, inputs: &Inputs, part: Part, dynamics: &Dynamics, start: &State) {
        let h2 = dynamics.h * dynamics.h;
        self.half_thickness = 0.5 * dynamics.thickness;
        self.stages.clear();
        self.clearance.clear();
        self.allowed.clear();
        let points = point_count(cloth.mesh());
        for body in inputs.bodies {
            let at = |s| body.from.between(&body.to, s);
            let stage = Stage { from: at(part.goal - part.fraction), to: at(part.goal) };
            self.stages.push(stage);
            for point in 0..points {
                let place = stage.from.body(Stencil::new(cloth.mesh(), point).mean(&start.positions));
                let clearance = body.shape.clearance(place);
                let inside = clearance < self.half_thickness;
                let gap = if inside { body.shape.near(place).gap - self.half_thickness } else { 0.0 };
                self.clearance.push(clearance);
                self.allowed.push((gap + RECOVERY * dynamics.dt).min(0.0));
            }
        }
        self.touches.clear();
        let felt = start.contacts.iter().filter(|felt| felt.obstacle < inputs.bodies.len() && felt.point < points);
        let stages = &self.stages;
        self.touches.extend(felt.map(|felt| {
            let (stencil, stage) = (Stencil::new(cloth.mesh(), felt.point), &stages[felt.obstacle]);
            let turn = stage.to.rotation * stage.from.rotation.inverse();
            Touch {
                key: (felt.obstacle, felt.point),
                stencil,
                place: stage.to.place(stage.from.body(stencil.mean(&start.positions))),
                gap: 0.0,
                slack: 0.0,
                normal: turn * felt.normal,
                slip: DVec3::ZERO,
                mass: 0.0,
                coefficient: 0.0,
                gamma: felt.normal_force * h2,
                force: felt.friction * h2,
                law: None,
                side: Some(if felt.slipping { Side::High } else { Side::Within }),
            }
        }));
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
        let Self { touches, before, stages, clearance, allowed, normals, half_thickness } = self;
        std::mem::swap(touches, before);
        touches.clear();
        let (mesh, areas) = (cloth.mesh(), cloth.node_areas());
        let (nodes, points) = (mesh.node_count(), point_count(mesh));
        let mut known = before.iter().peekable();
        for (b, (body, stage)) in inputs.bodies.iter().zip(&*stages).enumerate() {
            normals.clear();
            normals.resize(nodes, None);
            // On a half-space the centre of an element is where its nodes are: it cannot sink.
            let watched = if body.shape.is_flat() { nodes } else { points };
            for point in 0..watched {
                let stencil = Stencil::new(mesh, point);
                let compliance: f64 = stencil.nodes().iter().filter(|&&i| free[i]).map(|&i| 1.0 / areas[i]).sum();
                if compliance == 0.0 {
                    continue;
                }
                let (from, place) = (stage.from.body(stencil.mean(start)), stencil.mean(phi));
                let to = stage.to.body(place);
                let reach = REACH * areas[stencil.nodes()[0]].sqrt() + from.distance(to) + *half_thickness;
                let index = b * points + point;
                let Some(near) = meet(&body.shape, from, to, clearance[index], reach) else { continue };
                let key = (b, point);
                while known.peek().is_some_and(|old| old.key < key) {
                    known.next();
                }
                let old = known.peek().filter(|old| old.key == key);
                let mut normal = stage.to.turn(near.normal);
                if let Some(old) = old {
                    normal = turned(old.normal, normal, old.place.distance(place) / EDGE);
                }
                if stencil.is_node() {
                    normals[point] = Some(normal);
                } else if !could_sink(&stencil, normal, place, phi, normals) {
                    continue;
                }
                let gap = near.gap - *half_thickness;
                touches.push(Touch {
                    key,
                    stencil,
                    place,
                    gap,
                    slack: gap - allowed[index],
                    normal,
                    slip: (place - stage.to.place(from)).reject_from_normalized(normal),
                    mass: dynamics.inertia / (compliance * stencil.weight() * stencil.weight()),
                    coefficient: body.friction,
                    gamma: old.map_or(0.0, |old| old.gamma),
                    force: old.map_or(DVec3::ZERO, |old| old.force.reject_from_normalized(normal)),
                    law: old.and_then(|old| old.law),
                    side: old.and_then(|old| old.side),
                });
            }
        }
    }

    /// A point that two bodies leave no room: one of its nodes, the bodies, and how deep it is in one of them, m.
    pub fn squeezed(&self) -> Option<(usize, [usize; 2], f64)> {
        let deep = |touch: &&Touch| touch.slack < -SQUEEZED;
        self.touches.iter().filter(deep).find_map(|touch| {
            let node = touch.stencil.nodes()[0];
            let opposed = |other: &&Touch| {
                other.key.0 != touch.key.0
                    && other.stencil.nodes().contains(&node)
                    && other.gamma > 0.0
                    && other.normal.dot(touch.normal) < 0.0
            };
            let other = self.touches.iter().find(opposed)?;
            Some((node, [touch.key.0, other.key.0], -touch.gap))
        })
    }

    /// Subtracts what the bodies do to the cloth from the sum of forces.
    pub fn subtract_forces(&self, sum: &mut [DVec3]) {
        for touch in self.touches.iter().filter(|touch| touch.gamma > 0.0 || touch.force != DVec3::ZERO) {
            let force = touch.normal * touch.gamma + touch.force;
            touch.stencil.row(force).for_each(|(i, share)| sum[i] -= share);
        }
    }

    /// How far the contacts are from their laws.
    pub fn residual(&self, dt: f64) -> ContactResidual {
        let mut residual = ContactResidual { gap: f64::INFINITY, ..ContactResidual::default() };
        // Friction that is left without a normal force counts as if there were one.
        let scale = |touch: &Touch| f64::max(touch.gamma, touch.force.length());
        let largest = self.touches.iter().map(scale).fold(f64::MIN_POSITIVE, f64::max);
        for touch in &self.touches {
            residual.gap = residual.gap.min(touch.gap);
            residual.penetration = residual.penetration.max(-touch.slack);
            if touch.gamma > 0.0 {
                residual.active += 1;
                residual.separation = residual.separation.max(touch.slack);
            }
            let weight = touch.weight(touch.bound(), dt);
            let off = friction::residual(weight, touch.slip, touch.force, touch.bound());
            residual.friction = residual.friction.max(off / largest);
        }
        residual
    }

    /// Adds the rows of friction and of contact to a program that has only the cloth's, and says on which side they start.
    ///
    /// Of the change of a friction bound `μγ` since the last program only the part `relaxation` is made.
    pub fn add_rows(&mut self, relaxation: f64, dt: f64, program: &mut Program, sides: &mut Vec<Side>) {
        let rows = &mut program.rows;
        rows.truncate(program.cloth_rows);
        sides.clear();
        sides.resize(program.cloth_rows, Side::Within);
        for touch in &mut self.touches {
            let rigid = CONTACT_COMPLIANCE / touch.mass;
            let bound = touch.law.map_or(touch.bound(), |law| law.bound + relaxation * (touch.bound() - law.bound));
            let weight = touch.weight(bound, dt);
            touch.law = (bound > 0.0).then(|| Law::new(touch.normal, weight, touch.slip, touch.force, bound));
            if let Some(law) = touch.law {
                let soft = touch.softness(bound);
                let friction = Bounds::Friction(bound);
                let along = touch.slip.dot(law.along) - soft * touch.force.dot(law.along);
                rows.push(friction, along, soft, touch.stencil.row(law.along));
                sides.push(touch.side.unwrap_or(if law.slips() { Side::High } else { Side::Within }));
                let across = touch.slip.dot(law.across) - soft * touch.force.dot(law.across);
                rows.push(friction, across, law.compliance + soft, touch.stencil.row(law.across));
                sides.push(Side::Within);
            }
            rows.push(Bounds::Contact, touch.slack, rigid, touch.stencil.row(touch.normal));
            sides.push(if touch.gamma > 0.0 || touch.slack < 0.0 { Side::Within } else { Side::High });
        }
    }

    /// Whether the rows of the last program are still those of the points near bodies.
    pub fn unchanged(&self) -> bool {
        self.before.len() == self.touches.len()
            && self.before.iter().zip(&self.touches).all(|(old, new)| {
                // A bound that comes or goes takes rows of friction with it.
                old.key == new.key && old.law.is_some() == (new.bound() > 0.0)
            })
    }

    /// Writes the values of the rows of the last program anew, as they are at the new iterate; their directions stay.
    pub fn renew_rows(&mut self, program: &mut Program) {
        let mut row = program.cloth_rows;
        let rows = &mut program.rows;
        for touch in &mut self.touches {
            let bound = touch.bound();
            if let Some(law) = &mut touch.law {
                // As stiff as when the matrix was made.
                let soft = f64::min(FRICTION_COMPLIANCE / touch.mass, GIVE / law.bound);
                law.bound = bound;
                for direction in [law.along, law.across] {
                    rows.value[row] = touch.slip.dot(direction) - soft * touch.force.dot(direction);
                    rows.set_bounds(row, Bounds::Friction(bound));
                    row += 1;
                }
            }
            rows.value[row] = touch.slack;
            row += 1;
        }
    }

    /// Takes the forces from the multipliers of a solved program.
    pub fn take_forces(&mut self, program: &Program, multipliers: &[f64]) {
        let mut multipliers = multipliers[program.cloth_rows..].iter();
        let mut next = || multipliers.next().copied().unwrap_or(0.0);
        for touch in &mut self.touches {
            touch.force = DVec3::ZERO;
            touch.side = None;
            if let Some(law) = touch.law {
                let (along, across) = (next(), next());
                touch.force = -(law.along * along + law.across * across);
                // A point that went against the expected direction will be expected the other way: it slips again.
                let slipped = along.abs() >= law.bound;
                touch.side = Some(if slipped { Side::High } else { Side::Within });
            }
            touch.gamma = f64::max(-next(), 0.0);
        }
    }

    /// What the state keeps of the contacts.
    pub fn keep(&self, h: f64, contacts: &mut Vec<Contact>) {
        let per_h2 = 1.0 / (h * h);
        contacts.clear();
        contacts.extend(self.touches.iter().filter(|touch| touch.gamma > 0.0).map(|touch| Contact {
            obstacle: touch.key.0,
            point: touch.key.1,
            normal: touch.normal,
            normal_force: touch.gamma * per_h2,
            friction: touch.force * per_h2,
            slipping: touch.side == Some(Side::High),
        }));
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
