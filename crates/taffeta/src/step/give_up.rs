//! When a part of a step is given up, and what is tried next. All such rules are here.
//!
//! A part that has failed is attempted once more with everything made again in every iteration: what was saved may have led it astray.
//! Then it is taken in halves, quarters and so on, from a first guess that is not flat: shorter parts change less, so their first
//! guess is closer. Where there is no shorter part it is attempted with half of every increment. When that fails the step is refused.

use super::linearise::Residual;
use crate::params::Solver;
use crate::qp::SolveError;

/// Iterations after which a part of a step is given up that is still far off, and how far, in tolerances of strain: such iterates
/// seldom come back.
const ASTRAY_ITERATIONS: usize = 8;
const ASTRAY_STRAIN: f64 = 20.0;

/// Iterations in which everything is made again are expensive, and where they help they help soon: of the iterations that are allowed, so
/// many fewer are made.
const THOROUGH_SHARE: usize = 2;

/// As many times more iterations are allowed, before a part is far off and in all, where increments are halved: each does less, and
/// nothing else is left to be tried. Forces of cloth that is crushed settle by a few hundredths with each.
const PATIENT_ASTRAY: usize = 3;
const PATIENT_SHARE: usize = 4;

/// Why the iterations of a step were given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GiveUp {
    /// The shape of a body answers with something that is not a finite distance and a unit normal.
    #[error("the shape of an obstacle is invalid")]
    InvalidShape,
    /// Numbers have become infinite, or none.
    #[error("its numbers are not finite")]
    NotFinite,
    /// After some iterations it was still far off.
    #[error("it went astray")]
    Astray,
    /// The iterations that are allowed were not enough.
    #[error("its iterations did not end")]
    TooManyIterations,
    /// It was solved, and parts of the cloth had gone through each other, or through a body.
    #[error("the cloth would have passed through something")]
    Crossed,
    /// The step has taken all factorisations that it may.
    #[error("it took all factorisations that a step may (max_factorisations)")]
    Exhausted,
    /// The program of an iteration was not solved.
    #[error("a program was not solved: {0}")]
    Program(#[source] SolveError),
}

impl From<SolveError> for GiveUp {
    fn from(error: SolveError) -> Self {
        if error == SolveError::Exhausted { Self::Exhausted } else { Self::Program(error) }
    }
}

impl GiveUp {
    /// Why iterations are to be given up after so many of them, if they are.
    pub(super) fn after(iteration: usize, manner: Manner, residual: &Residual, solver: &Solver) -> Option<Self> {
        let most = match manner {
            Manner::Thorough => solver.max_iterations.div_ceil(THOROUGH_SHARE),
            Manner::Thrifty | Manner::Perturbed => solver.max_iterations,
            Manner::Patient => PATIENT_SHARE * solver.max_iterations,
        };
        let astray = ASTRAY_ITERATIONS * if manner == Manner::Patient { PATIENT_ASTRAY } else { 1 };
        if iteration >= astray && residual.strain > ASTRAY_STRAIN * solver.strain_tolerance {
            Some(Self::Astray)
        } else if iteration == most {
            Some(Self::TooManyIterations)
        } else {
            None
        }
    }

    /// How a part that was given up is attempted next, and how often the step is halved then; `None` if it is refused.
    pub(super) fn next_attempt(self, manner: Manner, halvings: u32, solver: &Solver) -> Option<(Manner, u32)> {
        match manner {
            // No attempt makes a shape valid, and none is left.
            _ if matches!(self, Self::InvalidShape | Self::Exhausted) => None,
            Manner::Thrifty => Some((Manner::Thorough, halvings)),
            Manner::Thorough | Manner::Perturbed if halvings < solver.max_halvings => {
                Some((Manner::Perturbed, halvings + 1))
            }
            Manner::Thorough | Manner::Perturbed => Some((Manner::Patient, halvings)),
            Manner::Patient => None,
        }
    }
}

/// How a part of a step is attempted: the next one where the one before has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Matrices, and what was found to touch, are used more than once.
    Thrifty,
    /// Everything is made again in every iteration.
    Thorough,
    /// So it is, from a first guess that is not flat, in smaller parts.
    Perturbed,
    /// So are the smallest parts, and but for the first few increments half of each is taken.
    Patient,
}

impl Manner {
    /// How the next part of a step is attempted after one was solved in this manner: what is patient is the last resort of each part.
    pub fn after_success(self) -> Self {
        if self == Self::Patient { Self::Perturbed } else { self }
    }

    /// Whether the first guess is moved off what may be flat.
    pub fn is_perturbed(self) -> bool {
        matches!(self, Self::Perturbed | Self::Patient)
    }
}

/// Of the factorisations of a step: what is left of it after a part that was degraded is attempted once, with this part of them. To attempt
/// all parts of a hard step in all manners takes a thousand times as long as an easy one.
const REST_SHARE: usize = 8;

/// The factorisations of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    most: usize,
    /// Whether a part was degraded, and what is left of the step is attempted once.
    pub is_last: bool,
}

impl Budget {
    pub fn new(solver: &Solver) -> Self {
        Self { most: solver.max_factorisations, is_last: false }
    }

    /// How many are left of them after so many.
    pub fn left(&self, taken: usize) -> usize {
        self.most.saturating_sub(taken)
    }

    /// What is left of a step that has taken so many is attempted once.
    pub fn of_the_rest(solver: &Solver, taken: usize) -> Self {
        Self { most: taken.saturating_add(solver.max_factorisations / REST_SHARE), is_last: true }
    }
}

/// How often a step is halved from its start. After a hard step the next is likely to be hard as well: it begins with parts twice as
/// long as the last one's.
pub(super) fn first_halvings(last: u32, solver: &Solver) -> u32 {
    last.saturating_sub(1).min(solver.max_halvings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_made_thorough_then_halved_then_patient_then_refused() {
        let solver = Solver { max_halvings: 2, ..Solver::default() };
        let (mut attempt, mut seen) = ((Manner::Thrifty, 0), Vec::new());
        while let Some(next) = GiveUp::Astray.next_attempt(attempt.0, attempt.1, &solver) {
            seen.push(next);
            attempt = next;
        }
        assert_eq!(seen, [(Manner::Thorough, 0), (Manner::Perturbed, 1), (Manner::Perturbed, 2), (Manner::Patient, 2)]);
        for last in [GiveUp::InvalidShape, SolveError::Exhausted.into()] {
            assert_eq!(last.next_attempt(Manner::Thrifty, 0, &solver), None);
        }
        // The next part has all attempts of the smallest parts again.
        let next = GiveUp::Astray.next_attempt(Manner::Patient.after_success(), 2, &solver);
        assert_eq!(next, Some((Manner::Patient, 2)));
        assert_eq!(Manner::Thorough.after_success(), Manner::Thorough);
        assert_eq!([0, 1, 2, 9].map(|last| first_halvings(last, &solver)), [0, 0, 1, 2]);
    }
}
