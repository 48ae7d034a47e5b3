//! How much of an iteration is made again. A program that is written anew costs a factorisation, and to find everything that touches
//! costs as much. Close to the solution neither is needed: the matrices of the last program serve for further iterations (chord
//! iterations of Newton's method), and what touches is followed as the nodes move. Values and forces are those of the iterate, so the
//! solution is the same; only the rate of convergence is not. Before a step is accepted everything is looked at.

use super::contacts::Closeness;
use super::linearise::Residual;
use super::predict::Dynamics;
use crate::params::Solver;

/// In tolerances: how far from solved an iterate may be, but for its friction, whose program uses the matrices of the last one. Friction
/// may be off by any amount: its rows are brought up to date one by one.
const NEAR: f64 = 10.0;

/// By how much what is left must fall from one such iterate to the next: with new matrices it often falls no faster (where cloth
/// buckles, by 0.7).
const FALLING: f64 = 0.7;

/// In cells: contacts that were written for an iterate that far from the solution yield too much to the change of their forces, and
/// forces would settle slowly.
const YIELDING: f64 = 4e-3;

/// Friction that has not fallen to this fraction in so many iterations with the same matrices is stalled.
const STALL_ITERATIONS: usize = 4;
const STALLED: f64 = 0.3;

/// What the next iteration makes again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Whether the matrices of the last program serve once more.
    pub reuse: bool,
    /// Whether what touches is followed from this iterate to the next, instead of being looked for.
    pub follow: bool,
    /// How far the iterate is from the solution.
    pub closeness: Closeness,
}

/// The iterations of a part of a step since the last factorisation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chord {
    /// Whether matrices may be used more than once: where a step was hard everything is made again, and nothing is saved.
    allowed: bool,
    /// How far the iterate was that the matrices were made for, in cells; infinite if there are none.
    origin: f64,
    /// What was left at the last iterate, but for friction, in tolerances.
    left: f64,
    /// Iterations with the same matrices, and the residual of friction some of them ago.
    iterations: usize,
    friction: f64,
}

impl Chord {
    /// Before the first program of a part of a step.
    pub fn new(allowed: bool) -> Self {
        Self { allowed, origin: f64::INFINITY, left: f64::INFINITY, iterations: 0, friction: f64::INFINITY }
    }

    /// The matrices have another pattern now.
    pub fn restart(&mut self) {
        self.origin = f64::INFINITY;
    }

    /// What is made again after an iterate with this residual; `looked` if it seemed solved until everything was looked at.
    pub fn plan(&mut self, residual: &Residual, dynamics: &Dynamics, solver: &Solver, looked: bool) -> Plan {
        let left = residual.apart_from_friction(solver);
        let friction = residual.contact.friction;
        let falls = looked || left <= f64::max(1.0, FALLING * self.left);
        let stalled = self.iterations >= STALL_ITERATIONS && friction > STALLED * self.friction;
        if self.iterations.is_multiple_of(STALL_ITERATIONS) {
            self.friction = friction;
        }
        let follow = self.allowed && left <= NEAR && falls;
        let reuse = follow && !stalled && self.origin <= YIELDING;
        let closeness = Closeness {
            residual: residual.off(dynamics.cell),
            cell: dynamics.cell,
            gap_tolerance: dynamics.gap_tolerance,
        };
        self.left = left;
        if reuse {
            self.iterations += 1;
        } else {
            *self = Self { origin: closeness.residual, left, ..Self::new(self.allowed) };
        }
        Plan { reuse, follow, closeness }
    }
}
