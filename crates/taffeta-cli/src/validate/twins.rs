//! Fits of captures with known truth.

use std::time::Instant;

use indicatif::ProgressBar;
use taffeta::Method;
use taffeta_fit::fit::{Effort, Estimate, Fit, usual_parameters};
use taffeta_fit::twin::{self, FABRICS, Recipe, Scenario};
use taffeta_fit::{Capture, Parameter, Parameters, Stage, description};

use crate::captures::failure;
use crate::failure::Failure;
use crate::fit::quietly;
use crate::sensitivity::{Span, error_map};

/// How many twins there are of each kind.
pub const ALL: usize = FABRICS.len() * Scenario::ALL.len();

/// How a twin was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// With the discretisation that the fit uses.
    Same,
    /// With half the edges and a quarter of the step.
    Finer,
}

/// A twin, and what a fit found of it.
pub struct FittedTwin {
    pub recipe: Recipe,
    pub capture: Capture,
    pub fit: Fit,
    /// Wall time of the fit, s.
    pub seconds: f64,
}

impl FittedTwin {
    pub fn estimate(&self, parameter: Parameter) -> Option<&Estimate> {
        self.fit.estimates.iter().find(|estimate| estimate.parameter == parameter)
    }

    /// By what part a parameter is off its truth; by how much, if that is 0.
    pub fn off(&self, estimate: &Estimate) -> f64 {
        let truth = self.recipe.truth().get(estimate.parameter);
        if truth == 0.0 { estimate.value } else { estimate.value / truth - 1.0 }
    }

    /// Whether the truth is in all intervals.
    pub fn covered(&self) -> bool {
        self.fit.estimates.iter().all(|estimate| {
            let truth = self.recipe.truth().get(estimate.parameter);
            (estimate.interval[0]..=estimate.interval[1]).contains(&truth)
        })
    }
}

/// Makes and fits all twins of a kind, with a part of their sights lost.
pub fn fit_all(kind: Kind, missing: f64, bar: &ProgressBar) -> Result<Vec<FittedTwin>, Failure> {
    let folder = tempfile::tempdir().map_err(Failure::run)?;
    let mut fitted = Vec::with_capacity(ALL);
    for scenario in Scenario::ALL {
        for fabric in 0..FABRICS.len() {
            let recipe = match kind {
                Kind::Same => Recipe::same(fabric, scenario),
                Kind::Finer => Recipe::finer(fabric, scenario),
            };
            let recipe = Recipe { missing, ..recipe };
            // By way of the files, as a user's capture would come.
            let twin = twin::make(&recipe).map_err(failure)?;
            let path = twin::write(&twin, folder.path()).map_err(Failure::run)?;
            let capture = description::read(&path).map_err(Failure::run)?;
            let (captures, clock) = ([capture], Instant::now());
            let fit = quietly(&captures, &usual_parameters(&captures), &Parameters::default(), &Effort::default())?;
            let [capture] = captures;
            fitted.push(FittedTwin { recipe, capture, fit, seconds: clock.elapsed().as_secs_f64() });
            bar.inc(1);
        }
    }
    Ok(fitted)
}

/// The rms error over friction, m, of the tablecloths with high friction, all else as it was fitted.
pub struct Sensitivity {
    pub values: Vec<f64>,
    /// A fabric each.
    pub rows: Vec<(&'static str, Vec<Option<f64>>)>,
}

pub fn sensitivity(fitted: &[FittedTwin]) -> Result<Sensitivity, Failure> {
    let span = Span::new(Parameter::Mu, 0.25, 3.0, 12);
    let high = fitted.iter().filter(|twin| twin.recipe.scenario == Scenario::TableclothHigh);
    let rows = high.map(|twin| {
        let found = twin.fit.parameters(Parameters::default());
        let map = error_map(&twin.capture, &found, &span, None, &|| ())?;
        Ok((FABRICS[twin.recipe.fabric].0, map.concat()))
    });
    Ok(Sensitivity { rows: rows.collect::<Result<Vec<_>, Failure>>()?, values: span.values })
}

/// `q` of the hits of a fabric: wall time over captured time, with the active set and with the interior point method.
pub fn speeds(fitted: &[FittedTwin]) -> Result<Vec<[f64; 2]>, Failure> {
    let hits = fitted.iter().filter(|twin| twin.recipe.scenario == Scenario::Hits);
    hits.map(|twin| {
        let q = |method: Method| {
            let mut stage = Stage::new(&twin.capture, &twin.capture.discretisation).map_err(failure)?;
            stage.method = method;
            let found =
                twin.fit.parameters(Parameters { density: twin.recipe.truth().density, ..Parameters::default() });
            let clock = Instant::now();
            stage.replay(&found).map_err(failure)?;
            Ok::<f64, Failure>(clock.elapsed().as_secs_f64() / twin.capture.duration())
        };
        Ok([q(Method::ActiveSet)?, q(Method::InteriorPoint)?])
    })
    .collect()
}
