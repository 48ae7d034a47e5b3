//! `taffeta fit`.

use std::path::PathBuf;

use clap::Args;
use taffeta_fit::fit::{self, Effort, Journal, Problem};
use taffeta_fit::{Capture, Parameter, Parameters, description};

use crate::failure::Failure;
use crate::output::say;

#[derive(Debug, Args)]
pub struct FitOptions {
    /// Captures
    pub captures: Vec<PathBuf>,
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub params: Vec<Parameter>,
}

pub fn fit(options: &FitOptions) -> Result<(), Failure> {
    let captures: Vec<Capture> = options
        .captures
        .iter()
        .map(|path| description::read(path))
        .collect::<Result<_, _>>()
        .map_err(Failure::input)?;
    for capture in &captures {
        let clock = std::time::Instant::now();
        let mut parameters = vec![Parameter::Alpha, Parameter::Delta];
        if capture.rubs() {
            parameters.push(Parameter::Mu);
        }
        let captures = [capture.clone()];
        let problem = Problem::new(&captures, &parameters, &Parameters::default()).map_err(Failure::input)?;
        let fit = fit::fit(&problem, &Effort::default(), &Journal::in_memory(), &|_| {}).map_err(Failure::run)?;
        let truth = capture.truth.map(|truth| parameters.iter().map(|p| truth.get(*p)).collect::<Vec<_>>());
        let at_truth = truth.as_ref().map(|t| problem.rms(t));
        say(&format!(
            "{}: rms {:.3} mm (truth {:?}) {} evaluations {:.1} s\n",
            capture.id,
            1e3 * fit.rms_m,
            at_truth.map(|x| 1e3 * x),
            fit.evaluations,
            clock.elapsed().as_secs_f64()
        ))?;
        for (k, e) in fit.estimates.iter().enumerate() {
            say(&format!(
                "   {} {:.4} [{:.4}, {:.4}] truth {:?}\n",
                e.parameter.name(),
                e.value,
                e.interval[0],
                e.interval[1],
                truth.as_ref().map(|t| t[k])
            ))?;
        }
        for w in &fit.warnings {
            say(&format!("   ! {w}\n"))?;
        }
        for c in &fit.errors[0].contacts {
            say(&format!("   contact {:?}\n", c))?;
        }
    }
    Ok(())
}
