//! `taffeta fit`: the parameters with which simulations come closest to captures, and how well they are known.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, anyhow};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use taffeta_fit::fit::{self, Effort, Estimate, FEWEST_REPLICATES, Fit, FitError, Journal, Problem, ProblemError};
use taffeta_fit::{Capture, Parameter, Parameters};

use crate::captures::{ReplayOptions, failure, file_name};
use crate::evaluate;
use crate::failure::Failure;
use crate::fit_report;
use crate::output::{note, say};
use crate::plot::digits;

#[derive(Debug, Args)]
pub struct FitOptions {
    /// Captures of the same cloth: TOML files, a depth camera's JSON files, or folders of either
    #[arg(required = true, value_name = "CAPTURE")]
    pub captures: Vec<PathBuf>,
    /// What to find: some of alpha, delta, mu, kappa, beta [default: alpha,delta, and mu if a friction is not known]
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub params: Vec<Parameter>,
    /// The folder for the report, the summary and the journal [default: fits/<capture>]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub replay: ReplayOptions,
    /// Generations of the search; 0 begins at the given values and only goes down from there
    #[arg(long, default_value_t = Effort::default().generations, value_name = "N")]
    pub generations: usize,
    /// How often noise is drawn again, for the intervals: 10 or more
    #[arg(long, default_value_t = Effort::default().replicates, value_name = "N")]
    pub replicates: usize,
    /// What chance is drawn with
    #[arg(long, default_value_t = Effort::default().seed)]
    pub seed: u64,
    /// Begin again, whatever an earlier fit has left in the folder
    #[arg(long)]
    pub overwrite: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

/// The files of a fit.
const JOURNAL: &str = "journal.csv";
const SUMMARY: &str = "fit.json";
const REPORT: &str = "report.html";

pub fn fit(options: &FitOptions) -> Result<(), Failure> {
    if options.replicates < FEWEST_REPLICATES {
        let why = "too few for an interval: give 10 or more";
        return Err(Failure::input(anyhow!("--replicates is {}, {why}", options.replicates)));
    }
    let captures = options.replay.read(&options.captures)?;
    let parameters = if options.params.is_empty() { fit::usual_parameters(&captures) } else { options.params.clone() };
    let others = options.replay.parameters();
    let problem = Problem::new(&captures, &parameters, &others).map_err(problem_failure)?;
    let effort = Effort {
        generations: options.generations,
        replicates: options.replicates,
        seed: options.seed,
        ..Effort::default()
    };
    let folder = options.out.clone().unwrap_or_else(|| Path::new("fits").join(file_name(&captures[0])));
    let making = || format!("cannot make {}", folder.display());
    fs::create_dir_all(&folder).with_context(making).map_err(Failure::run)?;
    let journal = open_journal(&folder.join(JOURNAL), &problem, &effort, options.overwrite)?;
    if !options.quiet && !journal.is_empty() {
        note(&format!("going on with {} evaluations of {}", journal.len(), folder.join(JOURNAL).display()));
    }

    let clock = Instant::now();
    let bar = bar(!options.quiet);
    let tell = |progress: fit::Progress| {
        bar.set_length(progress.expected as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(format!("{:.2} mm", 1e3 * progress.best_m));
    };
    let fit = fit::fit(&problem, &effort, &journal, &tell).map_err(fit_failure)?;
    bar.finish_and_clear();
    let seconds = clock.elapsed().as_secs_f64();

    let summary = summary(&problem, &fit, &others, &effort, seconds);
    let text = serde_json::to_string_pretty(&summary).map_err(Failure::run)?;
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display())).map_err(Failure::run)
    };
    write(SUMMARY, &format!("{text}\n"))?;
    write(REPORT, &fit_report::page(&problem, &fit, &others, &folder)?)?;
    if options.json {
        return say(&format!("{text}\n"));
    }
    say(&format!("{}\nlook at it: {}\n", table(&problem, &fit, seconds), folder.join(REPORT).display()))
}

fn open_journal(path: &Path, problem: &Problem, effort: &Effort, overwrite: bool) -> Result<Journal, Failure> {
    if overwrite && path.exists() {
        fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display())).map_err(Failure::run)?;
    }
    Journal::open(path, problem, effort).map_err(|error| match error {
        fit::JournalError::Other { .. } => Failure::input(anyhow!("{error}, or give --overwrite")),
        other => Failure::run(other),
    })
}

fn bar(show: bool) -> ProgressBar {
    if !show {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("[{bar:40}] simulation {pos}/{len}, {eta} left, least error {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// What is written of a fit.
pub fn summary(problem: &Problem, fit: &Fit, others: &Parameters, effort: &Effort, seconds: f64) -> Value {
    let estimate = |estimate: &Estimate| {
        let truth =
            problem.captures().next().and_then(|capture| capture.truth).map(|truth| truth.get(estimate.parameter));
        json!({
            "name": estimate.parameter.name(),
            "symbol": estimate.parameter.symbol(),
            "value": estimate.value,
            "low": estimate.interval[0],
            "high": estimate.interval[1],
            "identified": estimate.identified,
            "truth": truth,
        })
    };
    let captures: Vec<Value> =
        problem.captures().zip(&fit.errors).map(|(capture, errors)| evaluate::as_json(capture, errors)).collect();
    let first = problem.captures().next().map(|capture| capture.discretisation);
    let all = Parameters {
        density: problem.captures().next().and_then(|capture| capture.density).unwrap_or(others.density),
        ..fit.parameters(*others)
    };
    json!({
        "parameters": fit.estimates.iter().map(estimate).collect::<Vec<Value>>(),
        "all_parameters": all,
        "absolute": { "alpha_kg_m2_s": all.alpha * all.density, "delta_kg_m2": all.delta * all.density },
        "rms_error_m": fit.rms_m,
        "warnings": fit.warnings,
        "captures": captures,
        "evaluations": fit.evaluations,
        "seconds": seconds,
        "effort": effort,
        "discretisation": first,
    })
}

fn table(problem: &Problem, fit: &Fit, seconds: f64) -> String {
    let mut text = String::new();
    for estimate in &fit.estimates {
        let [low, high] = estimate.interval;
        let [value, low, high] = [estimate.value, low, high].map(digits);
        text += &format!("{:<14}{value:>9}   95 %: {low} to {high}\n", estimate.parameter.symbol());
    }
    text += &format!("{:<14}{:9.3} mm\n", "rms error", 1e3 * fit.rms_m);
    text += &format!("{:<14}{:9} in {seconds:.1} s\n", "simulations", fit.evaluations);
    for warning in &fit.warnings {
        text += &format!("beware: {warning}\n");
    }
    let rows: Vec<(&Capture, taffeta_fit::Errors)> = problem.captures().zip(fit.errors.iter().cloned()).collect();
    format!("{text}\n{}", evaluate::as_table(&rows))
}

/// A fit without a folder, for commands that make many.
pub fn quietly(
    captures: &[Capture],
    parameters: &[Parameter],
    others: &Parameters,
    effort: &Effort,
) -> Result<Fit, Failure> {
    let problem = Problem::new(captures, parameters, others).map_err(problem_failure)?;
    fit::fit(&problem, effort, &Journal::in_memory(), &|_| {}).map_err(fit_failure)
}

fn problem_failure(error: ProblemError) -> Failure {
    match error {
        ProblemError::Replay(error) => failure(error),
        other => Failure::input(other),
    }
}

fn fit_failure(error: FitError) -> Failure {
    match error {
        FitError::Replay(error) => failure(error),
        other => Failure::run(other),
    }
}
