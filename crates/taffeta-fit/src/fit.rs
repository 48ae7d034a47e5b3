//! The parameters with which simulations come closest to captures, and how well they are known.
//!
//! 1. `search`: CMA-ES looks for the valley of the error, over all of the parameters' ranges,
//! 2. `polish`: Levenberg's and Marquardt's method goes to its bottom,
//! 3. `bootstrap`: how far the bottom moves if the noise is drawn again tells the intervals,
//! 4. `identify`: what the captures do not tell is said.
//!
//! The same captures and options give the same bits for any number of threads.

mod bootstrap;
mod identify;
mod journal;
mod polish;
mod problem;
mod search;

use serde::Serialize;

use crate::capture::Capture;
use crate::errors::Errors;
use crate::parameter::{Parameter, Parameters};
use crate::replay::ReplayError;

pub use journal::{Journal, JournalError};
pub use problem::{Problem, ProblemError};

/// Of how far the cloth moves: a simulation that is off by more does not follow it.
const FAR: f64 = 0.5;

/// Replicates that an interval needs.
pub const FEWEST_REPLICATES: usize = 10;

/// What is usually not known: damping and weight, and friction where the captures do not say it.
pub fn usual_parameters(captures: &[Capture]) -> Vec<Parameter> {
    let friction = captures.iter().any(Capture::rubs).then_some(Parameter::Mu);
    [Parameter::Alpha, Parameter::Delta].into_iter().chain(friction).collect()
}

/// How hard to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// Generations of the search; 0 begins with the polish.
    pub generations: usize,
    /// Steps of the polish.
    pub polish_steps: usize,
    /// How often the noise is drawn again.
    pub replicates: usize,
    /// What chance is drawn with.
    pub seed: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { generations: 14, polish_steps: 10, replicates: 40, seed: 1 }
    }
}

/// What a fit found.
#[derive(Clone, Debug, Serialize)]
pub struct Fit {
    /// The parameters, in the order in which they were asked for.
    pub estimates: Vec<Estimate>,
    /// Root of the mean square distance of all captures together, m.
    pub rms_m: f64,
    /// How far each simulation is from its capture.
    pub errors: Vec<Errors>,
    /// What the captures do not tell.
    pub warnings: Vec<String>,
    /// Simulations that it took.
    pub evaluations: usize,
}

/// What is known of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Which.
    pub parameter: Parameter,
    /// The value with the least error.
    pub value: f64,
    /// Between these it is, 95 times in a hundred.
    pub interval: [f64; 2],
    /// Whether the captures tell it.
    pub identified: bool,
}

/// How far a fit has got.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Simulations that are done.
    pub done: usize,
    /// About how many there will be.
    pub expected: usize,
    /// The least error so far, m.
    pub best_m: f64,
}

impl Fit {
    /// The given parameters with those that were found in their places.
    pub fn parameters(&self, others: Parameters) -> Parameters {
        self.estimates.iter().fold(others, |all, estimate| all.with(estimate.parameter, estimate.value))
    }
}

/// Fits captures. What is evaluated in the search is noted in the journal, and what it knows already is not evaluated again.
///
/// # Errors
///
/// If the captures cannot be simulated with the parameters that were found, or the journal cannot be written.
pub fn fit(
    problem: &Problem,
    effort: &Effort,
    journal: &Journal,
    tell: &(dyn Fn(Progress) + Sync),
) -> Result<Fit, FitError> {
    let counter = problem::Counter::new(problem, effort, tell);
    let begin = search::search(problem, effort, journal, &counter)?;
    let bottom = polish::polish(problem, begin, effort.polish_steps, &counter)?;
    let moved = bootstrap::replicates(problem, &bottom, effort, &counter);
    let (estimates, warnings) = identify::estimates(problem, &bottom, &moved);
    let errors = problem.errors(&bottom.values)?;
    let far = problem.captures().zip(&errors).filter(|(capture, errors)| errors.rms_m > FAR * capture.motion());
    let far = far.map(|(capture, errors)| {
        let [off, motion] = [errors.rms_m, capture.motion()].map(|length| 1e3 * length);
        format!(
            "{}: the simulation is off by {off:.1} mm, and the cloth moves by {motion:.1} mm: it does not follow it",
            capture.id
        )
    });
    let warnings = warnings.into_iter().chain(far).collect();
    Ok(Fit { estimates, rms_m: bottom.rms_m(), errors, warnings, evaluations: counter.done() })
}

/// A fit that could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// A capture cannot be simulated.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
