//! The paper's Algorithm 1, as printed: one row enters or leaves at a time.
//!
//! It may start infeasible. The multipliers of the working set are computed; if one has the wrong sign, the worst leaves.
//! Otherwise, if an observed row is violated, the worst enters. Otherwise that was the solution. Friction fits in with two
//! bounds in place of one: a multiplier beyond a bound leaves and stays at that bound, and is observed there.
//!
//! The paper proves that what leaves becomes feasible and that what enters gets the right sign, and takes from it that the
//! exchange ends. That does not follow where more than one row is exchanged, and it is not so: seven contacts of a sheet that bends
//! over the edge of a table are enough for the worst rows to follow each other in a circle (there is a test). After some
//! exchanges the first wrong row is taken in place of the worst: that is Murty's rule for complementarity problems with a
//! positive definite matrix, and it ends.

use super::active_set::Side;
use super::assembly::Assembly;
use super::working_set::{WorkingSet, bound, start};
use super::{Program, Solution, SolveError};
use crate::linalg::Dependent;

/// Of the longest increment: rows violated by less count as kept.
const GAP_TOLERANCE: f64 = 1e-11;

/// Of the largest multiplier that has bounds: smaller excesses over a bound count as none.
const BOUND_TOLERANCE: f64 = 1e-11;

/// Corrections after which no row may be wrong for the program to count as solved: the last ones are refinement.
const SETTLED: usize = 3;

/// Exchanges per row with bounds after which the first wrong row is taken and not the worst. Programs of cloth that do not go in
/// circles take less than two.
const PATIENCE: usize = 4;

/// Exchanges per row with bounds after which a program is given up.
const EXCHANGES_PER_ROW: usize = 100;

/// What is to be exchanged next.
enum Exchange {
    /// The working row at this position leaves to this side.
    Out(usize, Side),
    /// This observed row enters.
    In(usize),
}

/// Solves the program from the rows that are `Within`, and leaves the sides of the solution.
pub(super) fn solve(
    program: &Program,
    assembly: &Assembly,
    sides: &mut [Side],
    solution: &mut Solution,
) -> Result<(), SolveError> {
    let bounded = program.cloth_rows..program.rows.len();
    let mut only_cloth = sides.to_vec();
    only_cloth[bounded.clone()].fill(Side::High);
    let mut set = WorkingSet::condense(program, assembly, &only_cloth)?;
    *solution = start(program, sides);
    for r in bounded.clone().filter(|&r| sides[r] == Side::Within).collect::<Vec<_>>() {
        enter(&mut set, r, sides, program, solution)?;
    }
    let most = EXCHANGES_PER_ROW * (bounded.len() + 1);
    let mut settled = 0;
    while solution.exchanges <= most {
        set.correct(solution);
        solution.passes += 1;
        match next(program, &set, sides, solution) {
            Some(Exchange::Out(position, side)) => leave(&mut set, position, side, sides, program, solution),
            Some(Exchange::In(r)) => enter(&mut set, r, sides, program, solution)?,
            None if settled + 1 == SETTLED => return Ok(()),
            None => {
                settled += 1;
                continue;
            }
        }
        solution.exchanges += 1;
        settled = 0;
    }
    Err(SolveError::Stalled)
}

/// The row to exchange: the worst multiplier, else the worst observed row; or the first of all.
fn next(program: &Program, set: &WorkingSet, sides: &[Side], solution: &Solution) -> Option<Exchange> {
    let (rows, bounded) = (&program.rows, program.cloth_rows..program.rows.len());
    let patience = PATIENCE * (bounded.len() + 1);
    let largest = bounded.clone().map(|r| solution.multipliers[r].abs()).fold(0.0, f64::max);
    let excess = set.working().iter().enumerate().map(|(position, &r)| {
        let ((low, high), multiplier) = (rows.bounds(r).range(), solution.multipliers[r]);
        if multiplier - high > low - multiplier {
            (multiplier - high, r, Exchange::Out(position, Side::High))
        } else {
            (low - multiplier, r, Exchange::Out(position, Side::Low))
        }
    });
    let longest = solution.delta.iter().map(|d| d.length_squared()).fold(0.0, f64::max).sqrt();
    let violation = bounded.filter_map(|r| {
        let slack = rows.at(r, &solution.delta) - rows.compliance(r) * solution.multipliers[r];
        match sides[r] {
            Side::Within => None,
            Side::High => Some((-slack, r, Exchange::In(r))),
            Side::Low => Some((slack, r, Exchange::In(r))),
        }
    });
    let (over, off) = (BOUND_TOLERANCE * largest, GAP_TOLERANCE * longest);
    if solution.exchanges < patience {
        let size = |(size, _, exchange)| (size, exchange);
        worst(excess.map(size), over).or_else(|| worst(violation.map(size), off))
    } else {
        let wrong = excess.filter(|(size, ..)| *size > over).chain(violation.filter(|(size, ..)| *size > off));
        wrong.min_by_key(|&(_, r, _)| r).map(|(.., exchange)| exchange)
    }
}

/// The first of the largest, if that is above the tolerance.
fn worst<T>(candidates: impl Iterator<Item = (f64, T)>, tolerance: f64) -> Option<T> {
    let mut worst = None;
    let mut most = tolerance;
    for (size, candidate) in candidates {
        if size > most {
            (most, worst) = (size, Some(candidate));
        }
    }
    worst
}

/// Lets a row in. If its gradient depends on those of the working set, the one it depends on most makes room.
fn enter(
    set: &mut WorkingSet,
    r: usize,
    sides: &mut [Side],
    program: &Program,
    solution: &mut Solution,
) -> Result<(), SolveError> {
    if let Err(Dependent { coefficients }) = set.enter(r) {
        let may_leave = |position: usize| program.rows.bounds(set.working()[position]).range().1.is_finite();
        let sizes = coefficients.iter().enumerate().filter(|&(position, _)| may_leave(position));
        let position =
            worst(sizes.map(|(position, alpha)| (alpha.abs(), position)), 0.0).ok_or(SolveError::NotConverged)?;
        let (low, high) = program.rows.bounds(set.working()[position]).range();
        let multiplier = solution.multipliers[set.working()[position]];
        let side = if multiplier - low < high - multiplier { Side::Low } else { Side::High };
        leave(set, position, side, sides, program, solution);
        set.enter(r).map_err(|_| SolveError::NotConverged)?;
    }
    sides[r] = Side::Within;
    Ok(())
}

/// Takes a working row out, to a bound.
fn leave(
    set: &mut WorkingSet,
    position: usize,
    side: Side,
    sides: &mut [Side],
    program: &Program,
    solution: &mut Solution,
) {
    let r = set.working()[position];
    set.leave(position);
    sides[r] = side;
    solution.multipliers[r] = bound(program.rows.bounds(r), side);
}
