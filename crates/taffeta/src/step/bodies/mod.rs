//! Bodies that move by the forces on them: six unknowns each, in the program of the cloth.
//!
//! The centre `x` and the rotation `R` of a body follow implicit Euler, with `θ` the rotation vector of the part of the step:
//!
//! ```text
//! m (x − xⁿ − h vⁿ) = h² (m g + Σ f),        I(R) θ − h I(Rⁿ) ωⁿ = h² Σ r × f,        I(R) = R I Rᵀ
//! ```
//!
//! so that momentum and angular momentum are what they were but for the forces. In a program a body is two nodes after those of the cloth:
//! one for the increment of its centre, and one for that of its rotation vector times the radius of gyration `L`, so that all unknowns are
//! lengths. A row that touches a body at `r` from its centre has the gradients `a` and `(r × a)/L` there. The matrix has `m` and `I/L²`
//! for them; what turns the inertia while it is being found is left to the next iterate.

mod drives;

use glam::{DMat3, DQuat, DVec3};

use super::contacts::Carrier;
use super::sources::{ChangingSource, RowContext};
use super::{Inputs, Part};
use crate::obstacle::{Inertia, Pose};
use crate::params::Params;
use crate::qp::{ActiveSet, Program, Side};
use crate::state::{BodyState, State};
use drives::Drives;

/// m/s, and rad/s times the radius of gyration: a body that is slower rests.
const REST: f64 = 1e-6;

/// The bodies that move by the forces on them, in a part of a step.
#[derive(Default)]
pub(super) struct Bodies {
    list: Vec<Rigid>,
    /// By obstacle, which of them it is.
    index: Vec<Option<usize>>,
    drives: Drives,
    /// Nodes of the cloth: theirs come after.
    nodes: usize,
    /// `h`, s.
    h: f64,
}

/// A body in a part of a step.
#[derive(Clone, Copy, Debug)]
struct Rigid {
    obstacle: usize,
    inertia: Inertia,
    /// `L`, m.
    length: f64,
    /// Where it is at the start of the part, and its centre, m.
    from: Pose,
    centre_from: DVec3,
    /// `h` times its velocity and its angular momentum at the start, m and kg m².
    onwards: DVec3,
    spin: DVec3,
    /// `h² g`, m.
    fall: DVec3,
    /// Where it is at the iterate, and its centre, m.
    pose: Pose,
    centre: DVec3,
    /// Whether it moves at the start.
    moves: bool,
}

impl Rigid {
    /// `I(R)`, kg m².
    fn moments(&self, pose: &Pose) -> DMat3 {
        let turn = DMat3::from_quat(pose.rotation);
        turn * self.inertia.moments * turn.transpose()
    }

    /// `θ`: how it has turned in the part, rad.
    fn turned(&self) -> DVec3 {
        (self.pose.rotation * self.from.rotation.conjugate()).to_scaled_axis()
    }

    /// Moves and turns it.
    fn advance(&mut self, centre: DVec3, turn: DVec3) {
        self.centre = centre;
        let rotation = (DQuat::from_scaled_axis(turn) * self.pose.rotation).normalize();
        self.pose = Pose { rotation, translation: centre - rotation * self.inertia.centre };
    }

    /// What its motion leaves of the forces, scaled with h²: on its centre, and about it.
    fn drive(&self) -> [DVec3; 2] {
        let along = (self.centre - self.centre_from - self.onwards - self.fall) * self.inertia.mass;
        [along, self.moments(&self.pose) * self.turned() - self.spin]
    }
}

impl Bodies {
    /// How many bodies of a step move by the forces on them.
    pub fn count(inputs: &Inputs) -> usize {
        inputs.bodies.iter().filter(|body| body.dynamics.is_some()).count()
    }

    /// Notes where they are at the start of a part of a step, and moves them on by what they are moved already.
    pub fn begin(&mut self, nodes: usize, params: &Params, inputs: &Inputs, part: Part, state: &State) {
        let h = inputs.dt * part.fraction;
        (self.nodes, self.h) = (nodes, h);
        self.list.clear();
        self.index.clear();
        for (obstacle, body) in inputs.bodies.iter().enumerate() {
            self.index.push(body.dynamics.map(|_| self.list.len()));
            let Some(dynamics) = body.dynamics else { continue };
            let now = state.bodies.get(obstacle).copied().flatten().unwrap_or(BodyState {
                pose: body.from,
                velocity: dynamics.velocity,
                angular_velocity: dynamics.angular_velocity,
                drive: [DVec3::ZERO; 2],
            });
            let length = dynamics.inertia.gyration();
            let centre = now.pose.to_world(dynamics.inertia.centre);
            let mut rigid = Rigid {
                obstacle,
                inertia: dynamics.inertia,
                length,
                from: now.pose,
                centre_from: centre,
                onwards: now.velocity * h,
                spin: DVec3::ZERO,
                fall: params.gravity * (h * h),
                pose: now.pose,
                centre,
                moves: now.velocity.length().max(now.angular_velocity.length() * length) >= REST,
            };
            rigid.spin = rigid.moments(&now.pose) * now.angular_velocity * h;
            if rigid.moves {
                rigid.advance(centre + rigid.onwards, now.angular_velocity * h);
            }
            self.list.push(rigid);
        }
        self.drives.begin(&self.list, &self.index, inputs, part, h);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether any of them moves at the start.
    pub fn any_moves(&self) -> bool {
        self.list.iter().any(|rigid| rigid.moves)
    }

    /// Where an obstacle is at the start of the part and at the iterate, if it is one of them.
    pub fn sweep(&self, obstacle: usize) -> Option<[Pose; 2]> {
        let rigid = &self.list[(*self.index.get(obstacle)?)?];
        Some([rigid.from, rigid.pose])
    }

    /// Which unknowns an obstacle has, if it is one of them.
    pub fn carrier(&self, obstacle: usize) -> Option<Carrier> {
        let k = (*self.index.get(obstacle)?)?;
        let Rigid { centre, length, inertia, .. } = &self.list[k];
        Some(Carrier { node: self.nodes + 2 * k, centre: *centre, length: *length, mass: inertia.mass })
    }

    /// How many obstacles there are.
    pub fn obstacles(&self) -> usize {
        self.index.len()
    }

    /// Writes what their motion leaves of the forces, scaled with h², but for rows, at their nodes.
    pub fn write_drive(&self, drive: &mut [DVec3]) {
        for (nodes, rigid) in drive[self.nodes..].chunks_exact_mut(2).zip(&self.list) {
            let [along, about] = rigid.drive();
            (nodes[0], nodes[1]) = (along, about / rigid.length);
        }
    }

    /// The largest acceleration that is left unbalanced of any of them, m/s²: of a point at the radius of gyration, if it turns.
    pub fn unbalanced(&self, residual: &[DVec3]) -> f64 {
        let nodes = residual[self.nodes..].chunks_exact(2).zip(&self.list);
        let worst = nodes.map(|(r, rigid)| r[0].length().max(r[1].length()) / rigid.inertia.mass).fold(0.0, f64::max);
        worst / (self.h * self.h)
    }

    /// Writes their blocks of `H`.
    pub fn write_inertia(&self, program: &mut Program) {
        for (blocks, rigid) in program.diagonal[self.nodes..].chunks_exact_mut(2).zip(&self.list) {
            blocks[0] = DMat3::from_diagonal(DVec3::splat(rigid.inertia.mass));
            blocks[1] = rigid.moments(&rigid.pose) * (1.0 / (rigid.length * rigid.length));
        }
    }

    /// Moves them by a fraction of an increment.
    pub fn advance(&mut self, delta: &[DVec3], fraction: f64) {
        let nodes = delta[self.nodes..].chunks_exact(2);
        for (delta, rigid) in nodes.zip(&mut self.list) {
            rigid.advance(rigid.centre + delta[0] * fraction, delta[1] * (fraction / rigid.length));
        }
    }

    /// Where they are at the iterate.
    pub fn poses(&self) -> impl Iterator<Item = Pose> {
        self.list.iter().map(|rigid| rigid.pose)
    }

    /// How far one of them has gone in the part, a point at its radius of gyration included, m.
    pub fn farthest(&self) -> f64 {
        let way = |rigid: &Rigid| rigid.centre.distance(rigid.centre_from) + rigid.turned().length() * rigid.length;
        self.list.iter().map(way).fold(0.0, f64::max)
    }

    /// Puts them on the way from where they start to these poses.
    pub fn place_towards(&mut self, poses: &[Pose], fraction: f64) {
        for (rigid, pose) in self.list.iter_mut().zip(poses) {
            rigid.pose = rigid.from.between(pose, fraction);
            rigid.centre = rigid.pose.to_world(rigid.inertia.centre);
        }
    }

    /// What the state keeps of them.
    pub fn keep(&self, state: &mut State) {
        state.bodies.clear();
        state.bodies.resize(self.index.len(), None);
        for (k, rigid) in self.list.iter().enumerate() {
            state.bodies[rigid.obstacle] = Some(BodyState {
                pose: rigid.pose,
                velocity: (rigid.centre - rigid.centre_from) / self.h,
                angular_velocity: rigid.turned() / self.h,
                drive: self.drives.wrench(&self.list, k).map(|force| force / (self.h * self.h)),
            });
        }
    }

    /// What is stored in servos and jaws, and by how much their motion and height make up for it, J.
    pub fn energy(&self, gravity: DVec3) -> f64 {
        let moving = |rigid: &Rigid| {
            let (v, w) = ((rigid.centre - rigid.centre_from) / self.h, rigid.turned() / self.h);
            0.5 * rigid.inertia.mass * v.length_squared() + 0.5 * w.dot(rigid.moments(&rigid.pose) * w)
                - rigid.inertia.mass * gravity.dot(rigid.centre)
        };
        self.list.iter().map(moving).sum::<f64>() + self.drives.energy(&self.list)
    }

    /// How far one of them stays behind where it is to be, m.
    pub fn lag(&self) -> f64 {
        self.drives.lag(&self.list)
    }
}

/// The rows of servos and jaws.
impl ChangingSource for Bodies {
    fn subtract_forces(&self, _phi: &[DVec3], residual: &mut [DVec3]) {
        self.drives.subtract_forces(&self.list, self.nodes, residual);
    }

    fn add_rows(&mut self, _context: &RowContext, program: &mut Program, sides: &mut Vec<Side>) {
        self.drives.add_rows(&self.list, self.nodes, program, sides);
    }

    fn amend_rows(&mut self, _context: &RowContext, program: &mut Program, _active_set: &mut ActiveSet) {
        self.drives.amend_rows(&self.list, program);
    }

    fn write_multipliers(&self, _phi: &[DVec3], _program: &Program, multipliers: &mut [f64]) {
        self.drives.write_multipliers(&self.list, multipliers);
    }
}
