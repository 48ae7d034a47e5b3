//! The quadratic program of one iteration, and its solvers.

mod active_set;
mod assembly;
mod program;
mod rows;

pub(crate) use active_set::{ActiveSet, Effort, Side};
pub(crate) use assembly::Assembly;
pub use program::{Kkt, Program, Solution};
pub use rows::{Bounds, RowSet};

/// Why a program could not be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The arrays of the program do not fit together, or hold something that is not a finite number.
    #[error("the program is not sound: its arrays do not fit together, or a number in it is not finite")]
    NotSound,
    /// `H` is not positive definite, or the exchange of rows did not end.
    #[error("the program could not be solved: its matrix is not positive definite, or rounding decides")]
    NotSolved,
}

/// Solves a program from scratch with the fast solver, to as many digits as there are. Its rows are put in elimination order.
pub fn solve(program: &mut Program) -> Result<Solution, SolveError> {
    if !program.is_sound() {
        return Err(SolveError::NotSound);
    }
    let assembly = Assembly::of(program);
    let mut active_set = ActiveSet::new(&assembly);
    active_set.start(program);
    let mut solution = Solution::default();
    let effort = Effort { reuse: false, refinements: 3 };
    active_set.solve(program, &assembly, effort, &mut solution).map_err(|_| SolveError::NotSolved)?;
    Ok(solution)
}
