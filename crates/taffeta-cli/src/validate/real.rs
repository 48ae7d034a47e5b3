//! Real captures: fitted on some, evaluated on the others.

use std::fs;
use std::path::Path;

use anyhow::anyhow;
use taffeta_fit::fit::{Effort, Fit};
use taffeta_fit::{Capture, Errors, Parameter, Parameters, depth_camera, replay};

use crate::captures::failure;
use crate::failure::Failure;
use crate::fit::quietly;
use crate::output::count_bar;

/// Into so many parts captures are divided; each is evaluated with what was fitted on the others.
const FOLDS: usize = 3;

/// What was found on real captures.
pub struct Real {
    pub captures: Vec<RealCapture>,
    /// What was fitted on all of them.
    pub all: Fit,
    /// What was fitted without each of the parts.
    pub folds: Vec<Fit>,
}

/// A real capture.
pub struct RealCapture {
    pub capture: Capture,
    /// With what was fitted on the others.
    pub held_out: Errors,
    /// With what was fitted on all.
    pub all: Errors,
    /// Of the model of those who captured it: mean distance, m, and correlation of the hem, if they are told.
    pub theirs: Option<[f64; 2]>,
}

pub fn held_out(folder: &Path, show: bool) -> Result<Real, Failure> {
    let captures = depth_camera::read_folder(folder).map_err(Failure::input)?;
    if captures.len() < 2 {
        let why = "has one capture: one cannot be held out, give two or more";
        return Err(Failure::input(anyhow!("{} {why}", folder.display())));
    }
    let bar = count_bar("fit of real cloth", FOLDS as u64 + 1, show);
    let fit = |some: &[Capture]| {
        let effort = Effort { generations: 0, ..Effort::default() };
        let found = quietly(some, &[Parameter::Alpha, Parameter::Delta], &Parameters::default(), &effort);
        bar.inc(1);
        found
    };
    let all = fit(&captures)?;
    let mut folds = Vec::new();
    let parts = FOLDS.min(captures.len());
    for fold in 0..parts {
        let others: Vec<Capture> = captures
            .iter()
            .enumerate()
            .filter(|(k, _)| k % parts != fold)
            .map(|(_, capture)| capture.clone())
            .collect();
        folds.push(fit(&others)?);
    }
    bar.finish_and_clear();
    let mut told = Vec::new();
    for (k, capture) in captures.into_iter().enumerate() {
        let errors = |fit: &Fit| {
            let found = fit.parameters(Parameters::default());
            Ok::<_, Failure>(Errors::new(
                &capture,
                &replay(&capture, &found, &capture.discretisation).map_err(failure)?,
            ))
        };
        let (held_out, all) = (errors(&folds[k % parts])?, errors(&all)?);
        let theirs = theirs(folder, &capture.id);
        told.push(RealCapture { capture, held_out, all, theirs });
    }
    Ok(Real { captures: told, all, folds })
}

/// What the description of a capture says of its authors' own model.
fn theirs(folder: &Path, id: &str) -> Option<[f64; 2]> {
    let text = fs::read_to_string(folder.join(format!("{id}.json"))).ok()?;
    let about: serde_json::Value = serde_json::from_str(&text).ok()?;
    let figure = |name: &str| about["baseline_authors_model"][name].as_f64();
    Some([1e-3 * figure("mean_error_mm")?, figure("bottom_edge_swing_correlation")?])
}
