//! What is fitted: captures, and some parameters that they share.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;
use thiserror::Error;

use super::{Effort, Progress};
use crate::capture::Capture;
use crate::errors::Errors;
use crate::parameter::{Parameter, Parameters};
use crate::replay::{Replay, ReplayError, Stage};

/// m. The error of parameters with which a capture cannot be simulated: more than any that can.
pub const HOPELESS: f64 = 1e3;

/// Captures, and the parameters that are to be found for all of them together.
pub struct Problem<'a> {
    stages: Vec<Stage<'a>>,
    parameters: Vec<Parameter>,
    /// What the others are, for each capture.
    others: Vec<Parameters>,
    /// Numbers of the residual of every frame of every capture, one capture after the other.
    frames: Vec<Vec<usize>>,
}

/// A problem that makes no sense.
#[derive(Debug, Error)]
pub enum ProblemError {
    /// One of the captures makes no sense.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// There is nothing to fit.
    #[error("there is no capture to fit: give one or more")]
    NoCapture,
    /// A parameter begins where it cannot be.
    #[error("{name} is to begin at {value}: give {} to {}", .range[0], .range[1])]
    OutOfRange {
        /// Which.
        name: &'static str,
        /// Where.
        value: f64,
        /// Where it can be.
        range: [f64; 2],
    },
    /// Nothing is to be found.
    #[error("no parameters are to be fitted: name some, as in --params alpha,delta")]
    Nothing,
    /// A parameter is named twice.
    #[error("the parameter {0} is named twice")]
    Twice(&'static str),
    /// No capture has anything to do with friction.
    #[error(
        "mu cannot be fitted: no capture has an obstacle whose friction is not known; leave `friction` out of one, or mu out of the parameters"
    )]
    NoFriction,
}

impl<'a> Problem<'a> {
    /// Sets the stages.
    ///
    /// # Errors
    ///
    /// If a capture or the choice of parameters makes no sense.
    pub fn new(captures: &'a [Capture], parameters: &[Parameter], others: &Parameters) -> Result<Self, ProblemError> {
        if captures.is_empty() {
            return Err(ProblemError::NoCapture);
        }
        if parameters.is_empty() {
            return Err(ProblemError::Nothing);
        }
        for &parameter in parameters {
            let (value, range) = (others.get(parameter), parameter.range());
            if !(range[0]..=range[1]).contains(&value) {
                return Err(ProblemError::OutOfRange { name: parameter.name(), value, range });
            }
        }
        if let Some(k) = (1..parameters.len()).find(|&k| parameters[..k].contains(&parameters[k])) {
            return Err(ProblemError::Twice(parameters[k].name()));
        }
        if parameters.contains(&Parameter::Mu) && !captures.iter().any(Capture::rubs) {
            return Err(ProblemError::NoFriction);
        }
        let stages =
            captures.iter().map(|capture| Stage::new(capture, &capture.discretisation)).collect::<Result<_, _>>()?;
        let density = |capture: &Capture| capture.density.unwrap_or(others.density);
        Ok(Self {
            stages,
            parameters: parameters.to_vec(),
            others: captures.iter().map(|capture| Parameters { density: density(capture), ..*others }).collect(),
            frames: captures.iter().map(|capture| sights(capture).collect()).collect(),
        })
    }

    /// What is to be found.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The captures.
    pub fn captures(&self) -> impl ExactSizeIterator<Item = &'a Capture> + '_ {
        self.stages.iter().map(|stage| stage.capture)
    }

    /// The stages on which they are simulated.
    pub fn stages(&self) -> &[Stage<'a>] {
        &self.stages
    }

    /// All parameters of a capture, with these values in their places.
    pub fn with(&self, capture: usize, values: &[f64]) -> Parameters {
        let all = self.parameters.iter().zip(values);
        all.fold(self.others[capture], |all, (&parameter, &value)| all.with(parameter, value))
    }

    /// Seen minus simulated, along x, y and z, of every marker that counts in every frame of every capture, m.
    pub(super) fn residuals(&self, values: &[f64]) -> Result<Vec<f64>, ReplayError> {
        let each: Result<Vec<Vec<f64>>, ReplayError> = (0..self.stages.len())
            .into_par_iter()
            .map(|k| {
                self.stages[k].replay(&self.with(k, values)).map(|found| residuals(self.stages[k].capture, &found))
            })
            .collect();
        Ok(each?.concat())
    }

    /// Simulates every capture.
    ///
    /// # Errors
    ///
    /// If one of them cannot be simulated.
    pub fn errors(&self, values: &[f64]) -> Result<Vec<Errors>, ReplayError> {
        (0..self.stages.len())
            .into_par_iter()
            .map(|k| {
                let stage = &self.stages[k];
                Ok(Errors::new(stage.capture, &stage.replay(&self.with(k, values))?))
            })
            .collect()
    }

    /// Root of the mean square distance of all captures together, m; a kilometre where they cannot be simulated.
    pub fn rms(&self, values: &[f64]) -> f64 {
        self.residuals(values).map_or(HOPELESS, |found| rms(&found))
    }

    /// How many residuals every frame has, capture by capture.
    pub(super) fn frames(&self) -> &[Vec<usize>] {
        &self.frames
    }
}

/// Root of the mean square distance of markers, three residuals each.
pub fn rms(residuals: &[f64]) -> f64 {
    (3.0 * residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len().max(1) as f64).sqrt()
}

/// How many residuals each frame of a capture has.
fn sights(capture: &Capture) -> impl Iterator<Item = usize> + '_ {
    capture.frames.iter().map(|frame| {
        let counted = frame.markers.iter().zip(&capture.counted).filter(|(seen, counted)| seen.is_some() && **counted);
        if frame.bad { 0 } else { 3 * counted.count() }
    })
}

pub(super) fn residuals(capture: &Capture, replay: &Replay) -> Vec<f64> {
    let frames = capture.frames.iter().zip(&replay.markers).filter(|(frame, _)| !frame.bad);
    let markers = frames.flat_map(|(frame, simulated)| frame.markers.iter().zip(simulated).zip(&capture.counted));
    let counted = markers.filter(|(_, counted)| **counted);
    counted.filter_map(|((seen, simulated), _)| Some((*seen)? - *simulated)).flat_map(|off| off.to_array()).collect()
}

/// Counts simulations, and tells of them.
pub(super) struct Counter<'a> {
    done: AtomicUsize,
    expected: usize,
    /// The bits of the least error: they are in the order of the numbers, which are positive.
    best: AtomicU64,
    captures: usize,
    tell: &'a (dyn Fn(Progress) + Sync),
}

impl<'a> Counter<'a> {
    pub fn new(problem: &Problem, effort: &Effort, tell: &'a (dyn Fn(Progress) + Sync)) -> Self {
        let count = problem.parameters.len();
        let evaluations = effort.generations * super::search::population(count)
            // A few steps are enough, for the most part.
            + effort.polish_steps.min(5) * (2 * count + super::polish::TRIALS)
            + 3 * effort.replicates;
        let captures = problem.stages.len();
        let best = AtomicU64::new(f64::INFINITY.to_bits());
        Self { done: AtomicUsize::new(0), expected: captures * evaluations, best, captures, tell }
    }

    /// Notes that all captures were simulated, with this error.
    pub fn note(&self, rms_m: f64) {
        let done = self.done.fetch_add(self.captures, Ordering::Relaxed) + self.captures;
        let best = self.best.fetch_min(rms_m.to_bits(), Ordering::Relaxed).min(rms_m.to_bits());
        (self.tell)(Progress { done, expected: self.expected.max(done), best_m: f64::from_bits(best) });
    }

    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }
}
