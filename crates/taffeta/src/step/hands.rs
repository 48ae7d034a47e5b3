//! Hands that give: springs from nodes to their targets, with dampers, and at most so strong.
//!
//! A spring pulls its node with `f = k (t − φ) + c (ṫ − φ̇)`, `t` its target, and with no more than `F`. By the difference formula of
//! the step, `φ̇ = (φ − ψ)/h`, that is
//!
//! ```text
//! h² f = K (t* − φ),     K = h²k + hc,     t* = (h²(k t + c ṫ) + hcψ)/K,     |f| ≤ F
//! ```
//!
//! In a program it is three rows with compliances. The first is along the pull and its multiplier is bounded by `h²F`. The others are
//! across: where the pull is as large as it can be, it turns with the place, and `K` becomes `h²F/|t* − φ|` there. So programs are
//! Newton's, and as the bound is theirs they find out by themselves which springs are too weak.

use glam::DVec3;

use super::predict::Dynamics;
use super::sources::{ChangingSource, RowContext};
use super::{Inputs, Part};
use crate::motion::Spring;
use crate::qp::{ActiveSet, Bounds, Program, Side};

/// Room for the springs of a part of a step.
#[derive(Default)]
pub(super) struct Hands {
    pulls: Vec<Pull>,
}

/// A spring in a part of a step.
#[derive(Clone, Copy, Debug)]
struct Pull {
    node: usize,
    spring: Spring,
    /// `t`, m.
    target: DVec3,
    /// `t*`, m.
    goal: DVec3,
    /// `K`, kg.
    stiffness: f64,
    /// `h²F`.
    bound: f64,
    /// The first of its rows in the program at hand.
    row: usize,
}

impl Pull {
    /// What is left of its stiffness across the pull, kg.
    fn stiffness_across(&self, away: f64) -> f64 {
        self.stiffness.min(self.bound / away)
    }

    /// The force on its node, scaled with h².
    fn force(&self, phi: &[DVec3]) -> DVec3 {
        let across = self.goal - phi[self.node];
        across * self.stiffness_across(across.length())
    }

    /// The directions of its rows: the first is along the pull.
    fn directions(&self, phi: &[DVec3]) -> [DVec3; 3] {
        let along = (phi[self.node] - self.goal).try_normalize().unwrap_or(DVec3::Z);
        let (first, second) = along.any_orthonormal_pair();
        [along, first, second]
    }

    fn add_rows(&mut self, phi: &[DVec3], program: &mut Program, sides: &mut Vec<Side>) {
        self.row = program.rows.len();
        let away = phi[self.node] - self.goal;
        let distance = away.length();
        let is_weak = self.stiffness * distance > self.bound;
        let across = self.stiffness_across(distance);
        for (k, direction) in self.directions(phi).into_iter().enumerate() {
            let (bounds, stiffness) = if k == 0 { (self.bounds(), self.stiffness) } else { (Bounds::Equality, across) };
            program.rows.push(bounds, away.dot(direction), 1.0 / stiffness, [(self.node, direction)]);
            sides.push(if k == 0 && is_weak { Side::High } else { Side::Within });
        }
    }

    /// What is stored in it, J: where it is as strong as it can be, what it took to draw it out.
    fn energy(&self, lag: f64) -> f64 {
        let Spring { stiffness, max_force, .. } = self.spring;
        let elastic = lag.min(max_force / stiffness);
        stiffness * elastic * (lag - 0.5 * elastic)
    }

    fn bounds(&self) -> Bounds {
        if self.bound.is_finite() { Bounds::Friction(self.bound) } else { Bounds::Equality }
    }
}

impl Hands {
    /// Takes what a part of a step prescribes, and moves the first guess of `phi` with the hands: nodes stay behind as far as they were.
    pub fn begin(
        &mut self,
        inputs: &Inputs,
        part: Part,
        dynamics: &Dynamics,
        start: &[DVec3],
        psi: &[DVec3],
        phi: &mut [DVec3],
    ) {
        let h = dynamics.h;
        self.pulls.clear();
        for held in inputs.held {
            let Some(spring) = held.spring else { continue };
            let at = |done: f64| spring.from.lerp(held.target, done);
            let (target, velocity) = (at(part.goal), (held.target - spring.from) / inputs.dt);
            let (k, c) = (h * h * spring.stiffness, h * spring.damping);
            let damped = (psi[held.node] + velocity * h - target) * (c / (k + c));
            self.pulls.push(Pull {
                node: held.node,
                spring,
                target,
                goal: target + damped,
                stiffness: k + c,
                bound: h * h * spring.max_force,
                row: 0,
            });
            phi[held.node] = start[held.node] + (target - at(part.goal - part.fraction));
        }
    }

    /// The forces, in the order of the held nodes that have a spring, scaled with h².
    pub fn forces(&self, phi: &[DVec3]) -> impl Iterator<Item = DVec3> {
        self.pulls.iter().map(|pull| pull.force(phi))
    }

    /// How far the node is from its target that is farthest, m, and what is stored in all springs, J.
    pub fn lag_and_energy(&self, phi: &[DVec3]) -> (f64, f64) {
        let lags = self.pulls.iter().map(|pull| (pull, phi[pull.node].distance(pull.target)));
        lags.fold((0.0, 0.0), |(most, sum), (pull, lag)| (f64::max(most, lag), sum + pull.energy(lag)))
    }
}

impl ChangingSource for Hands {
    fn subtract_forces(&self, phi: &[DVec3], residual: &mut [DVec3]) {
        for pull in &self.pulls {
            residual[pull.node] -= pull.force(phi);
        }
    }

    fn add_rows(&mut self, context: &RowContext, program: &mut Program, sides: &mut Vec<Side>) {
        self.pulls.iter_mut().for_each(|pull| pull.add_rows(context.phi, program, sides));
    }

    fn amend_rows(&mut self, context: &RowContext, program: &mut Program, _active_set: &mut ActiveSet) {
        for pull in &self.pulls {
            let away = context.phi[pull.node] - pull.goal;
            for row in pull.row..pull.row + 3 {
                program.rows.value[row] = away.dot(program.rows.gradient(row)[0]);
            }
        }
    }

    fn write_multipliers(&self, phi: &[DVec3], program: &Program, multipliers: &mut [f64]) {
        for pull in &self.pulls {
            let force = pull.force(phi);
            for (row, multiplier) in multipliers.iter_mut().enumerate().skip(pull.row).take(3) {
                *multiplier = -force.dot(program.rows.gradient(row)[0]);
            }
        }
    }
}
