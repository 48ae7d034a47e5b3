//! The quadratic program of one iteration, and its solvers.

mod active_set;
mod assembly;
#[cfg(feature = "interior-point")]
mod conic;
#[cfg(feature = "interior-point")]
mod interior_point;
mod paper;
mod program;
mod rows;
mod working_set;

pub(crate) use active_set::{ActiveSet, Effort, Side};
pub(crate) use assembly::Assembly;
pub use program::{Kkt, Program, Solution};
pub use rows::{Bounds, RowSet};

use crate::linalg;
use crate::params::Method;

/// Why a program could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The arrays of the program do not fit together, or hold something that is not a finite number.
    #[error("the program is not sound: its arrays do not fit together, or a number in it is not finite")]
    NotSound,
    /// `H` is not positive definite.
    #[error("its matrix is not positive definite")]
    NotPositive,
    /// The exchange of rows did not end.
    #[error("the exchange of its rows did not end")]
    Stalled,
    /// It took more factorisations than it was allowed.
    #[error("it took more factorisations than it was allowed")]
    Exhausted,
    /// A solver that is there for comparison did not come to an end, or rows depend on each other to rounding.
    #[error("the solver did not converge, or rounding decides")]
    NotConverged,
    /// This build does not have the method.
    #[error("the interior point method is not in this build: enable the feature `interior-point`")]
    NotAvailable,
}

impl From<linalg::NotPositive> for SolveError {
    fn from(_: linalg::NotPositive) -> Self {
        Self::NotPositive
    }
}

/// Solves a program from scratch, to as many digits as there are. Its rows are put in elimination order.
pub fn solve(program: &mut Program, method: Method) -> Result<Solution, SolveError> {
    if !method.is_available() {
        return Err(SolveError::NotAvailable);
    }
    if !program.is_sound() {
        return Err(SolveError::NotSound);
    }
    let assembly = Assembly::of(program);
    let mut active_set = ActiveSet::new(&assembly);
    active_set.start(program);
    let mut solution = Solution::default();
    if method == Method::ActiveSet {
        let effort = Effort::PRECISE;
        active_set.solve(program, &assembly, effort, &mut solution)?;
    } else {
        solve_from(program, &assembly, method, &mut active_set.sides, &mut solution)?;
    }
    Ok(solution)
}

/// Solves a program with one of the solvers that are there for comparison: the working set to start from is told by `sides`,
/// which become those of the solution.
pub(crate) fn solve_from(
    program: &Program,
    assembly: &Assembly,
    method: Method,
    sides: &mut [Side],
    solution: &mut Solution,
) -> Result<(), SolveError> {
    match method {
        Method::Paper => paper::solve(program, assembly, sides, solution),
        #[cfg(feature = "interior-point")]
        Method::InteriorPoint => interior_point::solve(program, assembly, sides, solution),
        _ => Err(SolveError::NotAvailable),
    }
}
