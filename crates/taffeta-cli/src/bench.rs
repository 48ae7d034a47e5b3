//! `taffeta bench`: what a step costs, in milliseconds and in factorisations of its own matrix.

mod collisions;
mod scenes;
mod solvers;

use std::time::Instant;

use anyhow::{Context, anyhow};
use serde::Serialize;
use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::{GridCorner, Mesh};
use taffeta::{DVec3, Grasp, Inputs, Model, Params, Path, Simulation, StepError, Workspace, step};

use crate::failure::Failure;
use crate::options::{BenchOptions, BenchSubject};
use crate::output::{note, say};

/// A swinging A2 sheet: nodes, step length and simulated time. Finer meshes take smaller steps, as they need to.
const SHEETS: [(usize, usize, f64, f64); 5] =
    [(7, 9, 0.01, 3.0), (20, 28, 0.01, 3.0), (40, 40, 0.005, 1.0), (80, 80, 0.0025, 0.3), (160, 160, 0.001, 0.06)];

/// Factorisations timed for the ratio; the fastest counts, because the machine is shared.
const FACTORISATIONS: usize = 20;

/// One line of the table.
#[derive(Debug, Serialize)]
struct Measurement {
    nodes: [usize; 2],
    dt: f64,
    simulated_s: f64,
    ms_per_step: f64,
    q: f64,
    iterations_mean: f64,
    factorisations_mean: f64,
    ms_per_factorisation: f64,
    step_over_factorisation: f64,
    max_edge_strain: f64,
    retries: usize,
}

/// The whole table.
#[derive(Debug, Serialize)]
struct Table {
    sheets: Vec<Measurement>,
    /// Exponent of the time per step in the number of nodes, least squares over all sheets.
    growth_exponent: Option<f64>,
    /// Peak resident memory of the process, MiB, where the system tells.
    peak_memory_mib: Option<f64>,
}

/// Runs the benchmark that is asked for.
pub fn bench(options: &BenchOptions) -> Result<(), Failure> {
    let of_scenes = !options.only.is_empty() || options.skip_slow || options.starts > 1 || options.timings;
    if of_scenes && options.subject != BenchSubject::Scenes {
        return Err(Failure::input(anyhow!(
            "--only, --skip-slow, --starts and --timings are options of taffeta bench scenes"
        )));
    }
    match options.subject {
        BenchSubject::Sheets => sheets(options),
        BenchSubject::Solvers => solvers::bench(options),
        BenchSubject::Collisions => collisions::bench(options),
        BenchSubject::Scenes => scenes::bench(options),
    }
}

/// Swinging sheets of growing size, telling of each as it is done.
fn sheets(options: &BenchOptions) -> Result<(), Failure> {
    let largest = options.largest.unwrap_or(usize::MAX);
    if largest < SHEETS[0].1 {
        return Err(Failure::input(anyhow!("the smallest sheet is 7×9: give --largest 9 or more")));
    }
    let mut sheets = Vec::new();
    for (nx, ny, dt, duration) in SHEETS.into_iter().filter(|&(nx, ny, ..)| nx.max(ny) <= largest) {
        note(&format!("{nx}×{ny} nodes …"));
        sheets
            .push(measure(nx, ny, dt, duration).with_context(|| format!("the {nx}×{ny} sheet")).map_err(Failure::run)?);
    }
    let size = |m: &Measurement| (m.nodes[0] * m.nodes[1]) as f64;
    let growth_exponent = growth_exponent(sheets.iter().map(|m| (size(m), m.ms_per_step)));
    let table = Table { sheets, growth_exponent, peak_memory_mib: peak_memory_mib() };
    if options.json {
        say(&(serde_json::to_string_pretty(&table).map_err(Failure::run)? + "\n"))
    } else {
        say(&text(&table))
    }
}

/// The table as a person reads it.
fn text(table: &Table) -> String {
    let mut text = format!(
        "{:>9} {:>8} {:>12} {:>8} {:>9} {:>13} {:>16} {:>11} {:>13}\n",
        "nodes",
        "dt",
        "step",
        "q",
        "iterations",
        "factorisations",
        "one factorisation",
        "step/factor.",
        "largest strain"
    );
    table.sheets.iter().for_each(|m| text.push_str(&(line(m) + "\n")));
    if let Some(exponent) = table.growth_exponent {
        text.push_str(&format!("time per step grows as N^{exponent:.2}\n"));
    }
    if let Some(memory) = table.peak_memory_mib {
        text.push_str(&format!("peak memory {memory:.0} MiB\n"));
    }
    text
}

fn line(m: &Measurement) -> String {
    format!(
        "{:>4}×{:<4} {:>5.1} ms {:>9.3} ms {:>8.4} {:>9.2} {:>13.2} {:>13.3} ms {:>11.2} {:>13.1e}",
        m.nodes[0],
        m.nodes[1],
        m.dt * 1e3,
        m.ms_per_step,
        m.q,
        m.iterations_mean,
        m.factorisations_mean,
        m.ms_per_factorisation,
        m.step_over_factorisation,
        m.max_edge_strain
    )
}

fn measure(nx: usize, ny: usize, dt: f64, duration: f64) -> anyhow::Result<Measurement> {
    let mesh = Mesh::grid(nx, ny, |s, t| DVec3::new(0.42 * (s - 0.5), 0.0, 0.594 * (t - 1.0)))?;
    let shape = mesh.grid_shape().context("a grid has a shape")?;
    let corners = [GridCorner::TopLeft, GridCorner::TopRight].map(|corner| shape.corner(corner));
    let amplitude = DVec3::new(0.0, 0.1, 0.0);
    let swing = Path::Sinusoid { amplitude, frequency: 1.0, phase: 0.0, ramp: 0.5 };
    let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::default());
    let mut simulation = Simulation::new(cloth, Params::default(), dt);
    simulation.grasp(Grasp::moving(corners, swing));

    let steps = (duration / dt).round() as usize;
    let (mut seconds, mut iterations, mut factorisations, mut retries, mut strain) = (0.0, 0, 0, 0, 0.0f64);
    for _ in 0..steps {
        let start = Instant::now();
        let report = simulation.step()?;
        seconds += start.elapsed().as_secs_f64();
        iterations += report.iterations;
        factorisations += report.factorisations;
        retries += report.retries;
        strain = strain.max(report.max_edge_strain);
    }
    let factorisation = one_factorisation(&simulation)?;
    let per_step = seconds / steps as f64;
    Ok(Measurement {
        nodes: [nx, ny],
        dt,
        simulated_s: duration,
        ms_per_step: per_step * 1e3,
        q: seconds / duration,
        iterations_mean: iterations as f64 / steps as f64,
        factorisations_mean: factorisations as f64 / steps as f64,
        ms_per_factorisation: factorisation * 1e3,
        step_over_factorisation: per_step / factorisation,
        max_edge_strain: strain,
        retries,
    })
}

/// Seconds of one numeric factorisation of the matrix the simulation's next step would factorise.
fn one_factorisation(simulation: &Simulation) -> Result<f64, StepError> {
    let model: &Model = simulation.model();
    let mut workspace = Workspace::new(model);
    let mut state = simulation.state().clone();
    let (now, next) = (simulation.time(), simulation.time() + simulation.dt());
    let bodies: Vec<_> = simulation.obstacles.iter().map(|obstacle| obstacle.during(now, next)).collect();
    let inputs =
        Inputs { dt: simulation.dt(), held: simulation.held(), forces: &[], bodies: &bodies, seams: &[], jaws: &[] };
    step(model, &simulation.params, &mut state, &inputs, &mut workspace)?;
    let mut best = f64::INFINITY;
    for _ in 0..FACTORISATIONS {
        let start = Instant::now();
        let done = workspace.refactorise();
        if done {
            best = best.min(start.elapsed().as_secs_f64());
        }
    }
    Ok(best)
}

/// The exponent p of `time ∝ sizeᵖ`, least squares over pairs of size and time; none of fewer than two.
fn growth_exponent(pairs: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let points: Vec<(f64, f64)> = pairs.map(|(size, time)| (size.ln(), time.ln())).collect();
    if points.len() < 2 {
        return None;
    }
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    Some(covariance / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>())
}

fn peak_memory_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}
