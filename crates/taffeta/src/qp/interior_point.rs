//! The same program by an interior point method, Clarabel's.
//!
//! An interior point method ends a little inside: products of forces and gaps are small, not zero, and a row that is just
//! touched is off by the root of that. So the sides that it shows are taken from it, and the equality problem of those is
//! solved to all digits. Where that shows a side to be wrong it is changed, a few times at most; the solution that is closest to
//! optimal is taken, and its [`Solution::exchanges`] say how many sides were not Clarabel's own.

use glam::DVec3;

use super::active_set::Side;
use super::assembly::Assembly;
use super::conic::Conic;
use super::working_set::{WorkingSet, start};
use super::{Program, Solution, SolveError};

/// Of numbers of order one: what is less is not held against a side.
const ROUNDING: f64 = 1e-13;

/// Of numbers of order one: a solution with no larger an error is as good as any.
const GOOD: f64 = 1e-12;

/// Solves of the equality problem of a working set: one, and two of refinement.
const POLISH: usize = 3;

/// Equality problems after Clarabel: of its own working set, and of those in which rows that it left in doubt have moved.
const ROUNDS: usize = 20;

/// Solves the program and leaves the sides of the solution. The method cannot use a start.
pub(super) fn solve(
    program: &Program,
    assembly: &Assembly,
    sides: &mut [Side],
    solution: &mut Solution,
) -> Result<(), SolveError> {
    let conic = Conic::new(program);
    let inside = conic.solve(program, sides)?;
    let mut best = conic.error(program, &inside);
    let (mut exchanges, mut latest, mut latest_sides) = (0, inside.clone(), sides.to_vec());
    *solution = inside;
    for _ in 0..ROUNDS {
        let mut polished = start(program, &latest_sides);
        polished.delta.clone_from(&latest.delta);
        for (r, _) in latest_sides.iter().enumerate().filter(|(_, side)| **side == Side::Within) {
            polished.multipliers[r] = latest.multipliers[r];
        }
        let mut set = WorkingSet::condense(program, assembly, &latest_sides)?;
        (0..POLISH).for_each(|_| set.correct(&mut polished));
        polished.factorisations += latest.factorisations;
        polished.exchanges = exchanges;
        let error = conic.error(program, &polished);
        if error <= best.max(GOOD) {
            best = error;
            solution.clone_from(&polished);
            sides.copy_from_slice(&latest_sides);
        }
        let wrong = conic.overrule(program, &polished, &mut latest_sides);
        if wrong == 0 {
            break;
        }
        exchanges += wrong;
        latest = polished;
    }
    Ok(())
}

impl Conic {
    /// What the law of row `r` makes of its multiplier: the same, if it is kept. In a measure in which gaps and forces weigh alike
    /// it is `λ + (v + a·Δ − σλ)`, clamped.
    fn lawful(&self, program: &Program, solution: &Solution, r: usize) -> f64 {
        let (rows, multiplier) = (&program.rows, solution.multipliers[r]);
        let (low, high) = rows.bounds(r).range();
        let slack = rows.at(r, &solution.delta) - rows.compliance(r) * multiplier;
        (multiplier + slack * self.mass / self.scale[r].powi(2)).clamp(low, high)
    }

    /// How far a solution is from optimal, all conditions in units of order one.
    fn error(&self, program: &Program, solution: &Solution) -> f64 {
        let mut residual = vec![DVec3::ZERO; program.nodes()];
        program.stationarity(&solution.delta, &solution.multipliers, &mut residual);
        let forces = residual.iter().map(|r| r.length() / (self.mass * self.length));
        let present = (0..self.scale.len()).filter(|&r| self.scale[r] > 0.0);
        let laws = present.map(|r| (self.lawful(program, solution, r) - solution.multipliers[r]).abs() / self.force(r));
        // A maximum would pass over what is not a number.
        forces.chain(laws).fold(0.0, |worst, off| if off <= worst { worst } else { off })
    }

    /// Changes the sides that a solution shows to be wrong, beyond rounding, and counts them.
    fn overrule(&self, program: &Program, solution: &Solution, sides: &mut [Side]) -> usize {
        let mut wrong = 0;
        for r in (program.cloth_rows..sides.len()).filter(|&r| self.scale[r] > 0.0) {
            let (low, high) = program.rows.bounds(r).range();
            let lawful = self.lawful(program, solution, r);
            let off = (lawful - solution.multipliers[r]).abs() > ROUNDING * self.force(r);
            let side = match sides[r] {
                Side::Within if off && solution.multipliers[r] > high => Side::High,
                Side::Within if off && solution.multipliers[r] < low => Side::Low,
                Side::High | Side::Low if off => Side::Within,
                side => side,
            };
            wrong += usize::from(side != sides[r]);
            sides[r] = side;
        }
        wrong
    }
}
