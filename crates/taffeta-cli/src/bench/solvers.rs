//! `taffeta bench solvers`: the same steps in contact, solved in three ways.
//!
//! The fast solver runs a scene; at some of its steps in contact all three take the same step from the same state, so that
//! neither chance nor chaos decides.

use std::time::Instant;

use anyhow::Context;
use serde::Serialize;
use taffeta::{Method, Simulation, StepReport};
use taffeta_io::scene::Scene;

use super::one_factorisation;
use crate::failure::Failure;
use crate::options::BenchOptions;
use crate::output::{note, say};

/// Scene, nodes and the number of steps compared; interior points take seconds on fine meshes.
const SCENES: [(&str, usize, usize, usize); 10] = [
    ("tablecloth", 7, 9, 40),
    ("hit", 7, 9, 40),
    ("cylinder", 10, 10, 40),
    ("cylinder", 20, 20, 20),
    ("drop-sphere", 10, 10, 40),
    ("drop-sphere", 20, 20, 20),
    ("drop-sphere", 40, 40, 6),
    ("drop-floor", 20, 20, 20),
    ("sphere", 20, 20, 20),
    ("fold", 20, 20, 6),
];

const METHODS: [Method; 3] = [Method::ActiveSet, Method::Paper, Method::InteriorPoint];

/// What one solver needed for the steps that were compared.
#[derive(Debug, Default, Serialize)]
struct Cost {
    q: f64,
    iterations_per_step: f64,
    exchanges_per_step: f64,
    factorisations_per_step: f64,
}

/// One line of the table.
#[derive(Debug, Serialize)]
struct Comparison {
    scene: String,
    nodes: [usize; 2],
    /// Steps that were taken in three ways.
    compared: usize,
    contacts_mean: f64,
    active_set: Cost,
    paper: Cost,
    interior_point: Cost,
    paper_over_active_set: f64,
    interior_point_over_active_set: f64,
    /// Of the fast solver, over the steps compared; null where the next steps factorise nothing.
    step_over_factorisation: Option<f64>,
    /// The whole run by the fast solver.
    q_whole_run: f64,
}

/// Runs the comparison, telling of each scene as it is done.
pub fn bench(options: &BenchOptions) -> Result<(), Failure> {
    let largest = options.largest.unwrap_or(usize::MAX);
    let mut table = Vec::new();
    for (scene, nx, ny, steps) in SCENES.into_iter().filter(|&(_, nx, ny, _)| nx.max(ny) <= largest) {
        note(&format!("{scene}, {nx}×{ny} nodes …"));
        table.push(compare(scene, nx, ny, steps)?);
    }
    if options.json {
        return say(&(serde_json::to_string_pretty(&table).map_err(Failure::run)? + "\n"));
    }
    let mut text = format!(
        "{:>12} {:>9} {:>8} {:>9} | {:>9} {:>9} {:>14} | {:>6} {:>6} | {:>10} {:>9} {:>9} {:>12}\n",
        "scene",
        "nodes",
        "contacts",
        "q, all",
        "q",
        "q, paper",
        "q, int. point",
        "paper",
        "int.p.",
        "iterations",
        "exchanges",
        "factors",
        "step/factor."
    );
    for c in &table {
        text.push_str(&format!(
            "{:>12} {:>4}×{:<4} {:>8.0} {:>9.4} | {:>9.4} {:>9.4} {:>14.4} | {:>5.1}× {:>5.1}× | {:>10.2} {:>9.1} {:>9.2} {:>12}\n",
            c.scene,
            c.nodes[0],
            c.nodes[1],
            c.contacts_mean,
            c.q_whole_run,
            c.active_set.q,
            c.paper.q,
            c.interior_point.q,
            c.paper_over_active_set,
            c.interior_point_over_active_set,
            c.active_set.iterations_per_step,
            c.active_set.exchanges_per_step,
            c.active_set.factorisations_per_step,
            c.step_over_factorisation.map_or("–".to_owned(), |ratio| format!("{ratio:.1}"))
        ));
    }
    say(&text)
}

fn compare(name: &str, nx: usize, ny: usize, count: usize) -> Result<Comparison, Failure> {
    let nodes = ("cloth.grid.nodes".to_owned(), format!("[{nx}, {ny}]"));
    let scene = Scene::load(name, &[nodes])?;
    let build = |method: Method| -> Result<Simulation, Failure> {
        let mut simulation = scene.build()?;
        simulation.params.solver.method = method;
        Ok(simulation)
    };
    // One run to see where there is contact, one to compare.
    let mut scout = build(Method::ActiveSet)?;
    let (mut touching, mut seconds) = (Vec::new(), 0.0);
    for k in 0..scene.steps() {
        let (report, took) = timed(&mut scout).with_context(|| format!("{name}, step {k}")).map_err(Failure::run)?;
        seconds += took;
        if report.active_contacts > 0 && report.iterations > 0 {
            touching.push(k);
        }
    }
    let count = count.min(touching.len());
    let chosen: Vec<u64> = (0..count).map(|i| touching[i * touching.len() / count]).collect();

    let mut runs = METHODS.iter().map(|&method| build(method)).collect::<Result<Vec<_>, _>>()?;
    let mut costs = METHODS.map(|_| Cost::default());
    // A cloth that comes to rest factorises nothing in the next step.
    let (mut contacts, mut factorisations) = (0, Vec::new());
    for k in 0..scene.steps() {
        let before = runs[0].progress().clone();
        let compared = chosen.contains(&k);
        for (run, cost) in runs.iter_mut().zip(&mut costs).take(if compared { METHODS.len() } else { 1 }) {
            run.restore(before.clone()).map_err(Failure::run)?;
            let (report, took) = timed(run).with_context(|| format!("{name}, step {k}")).map_err(Failure::run)?;
            if compared {
                cost.q += took / scene.dt();
                cost.iterations_per_step += report.iterations as f64;
                cost.exchanges_per_step += report.exchanges as f64;
                cost.factorisations_per_step += report.factorisations as f64;
            }
        }
        if compared {
            contacts += runs[0].state().contacts.len();
            factorisations.push(one_factorisation(&runs[0]).map_err(Failure::run)?);
        }
    }
    factorisations.retain(|seconds| seconds.is_finite());
    let factorisation = factorisations.iter().sum::<f64>() / factorisations.len() as f64;
    let compared = chosen.len().max(1) as f64;
    for cost in &mut costs {
        for sum in [
            &mut cost.q,
            &mut cost.iterations_per_step,
            &mut cost.exchanges_per_step,
            &mut cost.factorisations_per_step,
        ] {
            *sum /= compared;
        }
    }
    let [active_set, paper, interior_point] = costs;
    Ok(Comparison {
        scene: name.to_owned(),
        nodes: [nx, ny],
        compared: chosen.len(),
        contacts_mean: contacts as f64 / compared,
        paper_over_active_set: paper.q / active_set.q,
        interior_point_over_active_set: interior_point.q / active_set.q,
        step_over_factorisation: (!factorisations.is_empty()).then(|| active_set.q * scene.dt() / factorisation),
        q_whole_run: seconds / (scene.steps() as f64 * scene.dt()),
        active_set,
        paper,
        interior_point,
    })
}

/// Takes a step and tells how long it took, s.
fn timed(simulation: &mut Simulation) -> Result<(StepReport, f64), taffeta::StepError> {
    let start = Instant::now();
    let report = simulation.step()?;
    Ok((report, start.elapsed().as_secs_f64()))
}
