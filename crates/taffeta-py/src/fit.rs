//! `taffeta.fit`: a fit in a thread of its own, watched by the one that asked for it.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::thread;

use pyo3::prelude::*;
use serde_json::{Value, json};
use taffeta_fit::fit::{self, Effort, FEWEST_REPLICATES, Fit, Journal, Problem, Progress};
use taffeta_fit::{Capture, Parameter, Parameters, Start, read_captures};

use crate::errors::{Error, invalid};
use crate::interruptible::LOOK_INTERVAL;

/// What a fit is given up with: nothing has gone wrong that anybody should hear of.
struct GivenUp;

/// How captures are simulated that do not say it.
#[derive(Clone, Copy)]
struct Replaying {
    refinement: Option<usize>,
    dt: Option<f64>,
    rest: bool,
}

/// The parameters with which simulations come closest to captures, as JSON; `taffeta.fitting` makes an object of it.
#[pyfunction]
#[pyo3(signature = (captures, parameters, others, *, generations, replicates, seed, refinement, dt, rest, journal, progress))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn fit_captures(
    py: Python<'_>,
    captures: Vec<PathBuf>,
    parameters: Option<Vec<String>>,
    others: BTreeMap<String, f64>,
    generations: usize,
    replicates: usize,
    seed: u64,
    refinement: Option<usize>,
    dt: Option<f64>,
    rest: bool,
    journal: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    if replicates < FEWEST_REPLICATES {
        return Err(invalid(format!(
            "replicates is {replicates}, too few for an interval: give {FEWEST_REPLICATES} or more"
        )));
    }
    let captures = py.detach(|| read(&captures, Replaying { refinement, dt, rest }))?;
    let named = parameters.map(|names| names.iter().map(|name| parameter(name)).collect::<PyResult<Vec<_>>>());
    let wanted = named.transpose()?.unwrap_or_else(|| fit::usual_parameters(&captures));
    let others = known(others)?;
    let effort = Effort { generations, replicates, seed, ..Effort::default() };
    let problem = Problem::new(&captures, &wanted, &others).map_err(|error| invalid(error.to_string()))?;
    let journal = match journal {
        Some(path) => Journal::open(&path, &problem, &effort).map_err(|error| Error::new_err(error.to_string()))?,
        None => Journal::in_memory(),
    };
    let found = watched(py, &problem, &effort, &journal, progress.as_ref())?;
    Ok(summary(&captures, &found, others).to_string())
}

fn read(paths: &[PathBuf], how: Replaying) -> PyResult<Vec<Capture>> {
    let mut captures = read_captures(paths).map_err(|error| invalid(error.to_string()))?;
    for capture in &mut captures {
        let own = &mut capture.discretisation;
        own.refinement = how.refinement.unwrap_or(own.refinement);
        own.dt = how.dt.unwrap_or(own.dt);
        if how.rest {
            own.start = Start::Rest;
        }
    }
    Ok(captures)
}

fn parameter(name: &str) -> PyResult<Parameter> {
    name.parse().map_err(|why: String| invalid(why))
}

/// The usual parameters with those that are given in their places.
fn known(given: BTreeMap<String, f64>) -> PyResult<Parameters> {
    let mut known = Parameters::default();
    for (name, value) in given {
        if name == "density" {
            known.density = value;
        } else {
            known = known.with(parameter(&name)?, value);
        }
    }
    Ok(known)
}

/// Fits in another thread, and meanwhile tells of it and looks for Ctrl-C; either can end it early.
fn watched(
    py: Python<'_>,
    problem: &Problem,
    effort: &Effort,
    journal: &Journal,
    progress: Option<&Py<PyAny>>,
) -> PyResult<Fit> {
    let given_up = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel::<Progress>();
    let flag = &given_up;
    let tell = move |progress: Progress| {
        // The search knows no other way out.
        if flag.load(Ordering::Relaxed) {
            resume_unwind(Box::new(GivenUp));
        }
        // Nobody listens any more if the fit is being given up.
        let _ = sender.send(progress);
    };
    // Read by this thread alone; the lock is what says so to the compiler.
    let receiver = Mutex::new(receiver);
    let receive = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK_INTERVAL);
    let outcome = thread::scope(|scope| {
        let worker = scope.spawn(move || catch_unwind(AssertUnwindSafe(|| fit::fit(problem, effort, journal, &tell))));
        let mut trouble = None;
        loop {
            let news = py.detach(receive);
            let heard = match (news, progress) {
                (Err(RecvTimeoutError::Disconnected), _) => break,
                (Ok(now), Some(progress)) if trouble.is_none() => {
                    progress.call1(py, (now.done, now.expected, now.best_m)).map(|_| ())
                }
                _ => Ok(()),
            };
            if let Err(error) = heard.and_then(|()| py.check_signals()) {
                given_up.store(true, Ordering::Relaxed);
                trouble = Some(error);
            }
        }
        let outcome = py.detach(|| worker.join());
        trouble.map_or(Ok(outcome), Err)
    })?;
    match outcome {
        Ok(Ok(found)) => found.map_err(|error| Error::new_err(error.to_string())),
        Ok(Err(_)) | Err(_) => {
            Err(Error::new_err("the fit failed where it should not: please report it, with the capture"))
        }
    }
}

/// What is handed over of a fit.
fn summary(captures: &[Capture], found: &Fit, others: Parameters) -> Value {
    let estimates: Vec<Value> = found
        .estimates
        .iter()
        .map(|estimate| {
            json!({
                "name": estimate.parameter.name(),
                "value": estimate.value,
                "interval": estimate.interval,
                "identified": estimate.identified,
            })
        })
        .collect();
    let errors: Vec<Value> = captures
        .iter()
        .zip(&found.errors)
        .map(|(capture, errors)| json!({ "id": capture.id, "rms": errors.rms_m, "mean": errors.mean_m }))
        .collect();
    let density = captures.first().and_then(|capture| capture.density).unwrap_or(others.density);
    json!({
        "estimates": estimates,
        "parameters": Parameters { density, ..found.parameters(others) },
        "rms": found.rms_m,
        "captures": errors,
        "warnings": found.warnings,
        "evaluations": found.evaluations,
    })
}
