//! Servos and jaws: springs and dampers along single directions, and no stronger than they are.
//!
//! With `e` the way that is left along its direction, or the angle about it, and `u` how far the body has come in the part of the step,
//! such a drive exerts `f = −k e − c (u̇ − ṫ)`. That is `h² f = −K v` with
//!
//! ```text
//! v = (h²k e + hc (u − t))/K,     K = h²k + hc,     |f| ≤ F
//! ```
//!
//! and a row with the value `v`, the compliance `1/K` and a multiplier bounded by `h²F`. A stop only pushes: it is such a row whose multiplier
//! is bounded by 0.

use glam::{DQuat, DVec3};

use super::{BodyView, Rigid};
use crate::obstacle::{Drive, Pose};
use crate::qp::{Bounds, Program, Side};
use crate::step::{Inputs, Part};

/// N/m. How hard bodies are that touch each other at a stop: at 10 N they are 1 µm too close.
const STOP_STIFFNESS: f64 = 1e7;

/// The drives of a part of a step.
#[derive(Default)]
pub(in crate::step) struct Drives {
    list: Vec<Axis>,
}

/// A spring and a damper along or about a direction.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// The body, and the share that its way has in that of the drive; a second one of jaws.
    ends: [(usize, f64); 2],
    way: Way,
    /// Unit direction in the world.
    direction: DVec3,
    /// `t`: how far the target goes in the part, m or rad.
    target_moves: f64,
    /// `k`, N/m or N m/rad, and `F`, N or N m.
    stiffness: f64,
    limit: f64,
    /// `h²k`, `K`, and how strong it is, scaled with h².
    spring: f64,
    whole: f64,
    bounds: Bounds,
    /// Its row in the program at hand.
    row: usize,
}

/// What a drive measures.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// How far the centres, each times its share, are along the direction, beyond this, m.
    Along { beyond: f64 },
    /// How far the body is turned about the direction from this rotation, rad.
    About { from: DQuat },
}

impl Axis {
    /// `e` and `u`.
    fn ways(&self, list: &[Rigid]) -> (f64, f64) {
        let sum = |of: fn(&Rigid) -> DVec3| {
            self.ends.iter().map(|&(k, share)| share * of(&list[k]).dot(self.direction)).sum::<f64>()
        };
        match self.way {
            Way::Along { beyond } => {
                (sum(|rigid| rigid.centre) - beyond, sum(|rigid| rigid.centre - rigid.centre_from))
            }
            Way::About { from } => {
                let rigid = &list[self.ends[0].0];
                let left = (rigid.pose.rotation * from.conjugate()).to_scaled_axis();
                (left.dot(self.direction), rigid.turned().dot(self.direction))
            }
        }
    }

    /// `v`.
    fn value(&self, list: &[Rigid]) -> f64 {
        let (left, come) = self.ways(list);
        (self.spring * left + (self.whole - self.spring) * (come - self.target_moves)) / self.whole
    }

    /// `−h² f`: its multiplier.
    fn multiplier(&self, list: &[Rigid]) -> f64 {
        let (least, most) = self.bounds.range();
        (self.whole * self.value(list)).clamp(least, most)
    }

    /// The node and the gradient at each of its ends.
    fn entries(&self, list: &[Rigid], nodes: usize) -> impl Iterator<Item = (usize, DVec3)> {
        let Self { way, direction, ends, .. } = *self;
        let used = if ends[1].1 == 0.0 { 1 } else { 2 };
        let lengths = ends.map(|(k, _)| list[k].length);
        (0..used).map(move |end| {
            let (k, share) = ends[end];
            match way {
                Way::Along { .. } => (nodes + 2 * k, direction * share),
                Way::About { .. } => (nodes + 2 * k + 1, direction * (share / lengths[end])),
            }
        })
    }

    /// What is stored in it, J.
    fn energy(&self, list: &[Rigid]) -> f64 {
        if self.stiffness == 0.0 {
            return 0.0;
        }
        let way = self.ways(list).0;
        let lag = if self.bounds == Bounds::Contact { f64::max(-way, 0.0) } else { way.abs() };
        let elastic = lag.min(self.limit / self.stiffness);
        self.stiffness * elastic * (lag - 0.5 * elastic)
    }
}

impl Drives {
    /// Takes what a part of a step prescribes.
    pub(super) fn begin(&mut self, list: &[Rigid], index: &[Option<usize>], inputs: &Inputs, part: Part, h: f64) {
        self.list.clear();
        for (k, rigid) in list.iter().enumerate() {
            let body = &inputs.bodies[rigid.obstacle];
            let Some(servo) = body.dynamics.and_then(|dynamics| dynamics.servo) else { continue };
            let [before, after] = targets(body.from, body.to, part);
            let frame = DVec3::AXES.map(|axis| after.rotate(axis));
            let goes = (after.rotation * before.rotation.conjugate()).to_scaled_axis();
            let [from, to] = [before, after].map(|pose| pose.to_world(rigid.inertia.centre));
            for (axis, direction) in frame.into_iter().enumerate() {
                let ends = [(k, 1.0), (k, 0.0)];
                let along = Way::Along { beyond: to.dot(direction) };
                self.add(ends, along, direction, (to - from).dot(direction), constants(&servo.linear, axis), h);
                let about = Way::About { from: after.rotation };
                self.add(ends, about, direction, goes.dot(direction), constants(&servo.angular, axis), h);
            }
        }
        for jaws in inputs.jaws {
            let [Some(a), Some(b)] = jaws.bodies.map(|obstacle| index[obstacle]) else { continue };
            let targets = [a, b].map(|k| {
                let body = &inputs.bodies[list[k].obstacle];
                targets(body.from, body.to, part).map(|pose| pose.to_world(list[k].inertia.centre).dot(jaws.axis))
            });
            for (shares, constants) in [([1.0, -1.0], jaws.grip), ([0.5, 0.5], jaws.carriage)] {
                let at = |time: usize| shares[0] * targets[0][time] + shares[1] * targets[1][time];
                let ends = [(a, shares[0]), (b, shares[1])];
                self.add(ends, Way::Along { beyond: at(1) }, jaws.axis, at(1) - at(0), constants, h);
            }
            if jaws.closest.is_finite() {
                let (ends, way) = ([(a, 1.0), (b, -1.0)], Way::Along { beyond: jaws.closest });
                self.add(ends, way, jaws.axis, 0.0, [STOP_STIFFNESS, 0.0, f64::INFINITY], h);
                self.list.last_mut().expect("the stop").bounds = Bounds::Contact;
            }
        }
    }

    /// Adds a drive, unless it does nothing.
    fn add(
        &mut self,
        ends: [(usize, f64); 2],
        way: Way,
        direction: DVec3,
        target_moves: f64,
        [stiffness, damping, limit]: [f64; 3],
        h: f64,
    ) {
        let (spring, damper) = (h * h * stiffness, h * damping);
        if spring + damper > 0.0 && limit > 0.0 {
            let bounds = if limit.is_finite() { Bounds::Friction(h * h * limit) } else { Bounds::Equality };
            let whole = spring + damper;
            self.list.push(Axis {
                ends,
                way,
                direction,
                target_moves,
                stiffness,
                limit,
                spring,
                whole,
                bounds,
                row: 0,
            });
        }
    }

    /// Adds the rows to a program.
    pub fn add_rows(&mut self, bodies: BodyView, program: &mut Program, sides: &mut Vec<Side>) {
        for axis in &mut self.list {
            axis.row = program.rows.len();
            let value = axis.value(bodies.list);
            program.rows.push(axis.bounds, value, 1.0 / axis.whole, axis.entries(bodies.list, bodies.nodes));
            let (force, (least, most)) = (axis.whole * value, axis.bounds.range());
            sides.push(match () {
                _ if force > most => Side::High,
                _ if force < least => Side::Low,
                _ => Side::Within,
            });
        }
    }

    /// Brings the values of the rows to a new iterate, and writes the multipliers with which they have its forces.
    pub fn amend_rows(&self, bodies: BodyView, program: &mut Program, multipliers: &mut [f64]) {
        for axis in &self.list {
            program.rows.value[axis.row] = axis.value(bodies.list);
            multipliers[axis.row] = axis.multiplier(bodies.list);
        }
    }

    /// Subtracts the forces, scaled with h², from what is left unbalanced.
    pub(super) fn subtract_forces(&self, list: &[Rigid], nodes: usize, residual: &mut [DVec3]) {
        for axis in &self.list {
            let multiplier = axis.multiplier(list);
            axis.entries(list, nodes).for_each(|(node, gradient)| residual[node] += gradient * multiplier);
        }
    }

    /// Force and torque on a body, scaled with h².
    pub(super) fn wrench(&self, list: &[Rigid], body: usize) -> [DVec3; 2] {
        let mut sum = [DVec3::ZERO; 2];
        for axis in &self.list {
            let multiplier = axis.multiplier(list);
            for &(_, share) in axis.ends.iter().filter(|&&(k, share)| k == body && share != 0.0) {
                let kind = usize::from(matches!(axis.way, Way::About { .. }));
                sum[kind] -= axis.direction * (share * multiplier);
            }
        }
        sum
    }

    /// What is stored in all of them, J.
    pub(super) fn energy(&self, list: &[Rigid]) -> f64 {
        self.list.iter().map(|axis| axis.energy(list)).sum()
    }

    /// How far a centre stays behind where it is to be along a stiff direction, m.
    pub(super) fn lag(&self, list: &[Rigid]) -> f64 {
        let drives = self.list.iter().filter(|axis| axis.bounds != Bounds::Contact);
        let stiff = drives.filter(|axis| axis.stiffness > 0.0 && matches!(axis.way, Way::Along { .. }));
        stiff.map(|axis| axis.ways(list).0.abs()).fold(0.0, f64::max)
    }
}

/// Where a body is to be at the start and at the end of a part of a step.
fn targets(from: Pose, to: Pose, part: Part) -> [Pose; 2] {
    [part.goal - part.fraction, part.goal].map(|s| from.between(&to, s))
}

/// Stiffness, damping and limit along an axis.
fn constants(drive: &Drive, axis: usize) -> [f64; 3] {
    [drive.stiffness[axis], drive.damping[axis], drive.limit[axis]]
}
