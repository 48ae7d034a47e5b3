//! `taffeta bench scenes`: what whole runs of shipped scenes cost.
//!
//! Cloth in contact is chaotic: starts that differ by a micrometre soon differ by centimetres, and cost up to twice as much as
//! each other. Two programs are compared by the medians over several starts.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Context, anyhow};
use cpu_time::ProcessTime;
use serde::Serialize;
use taffeta::{Cores, DVec3, Simulation, Stage, Timings};
use taffeta_io::scene::Scene;

use crate::failure::Failure;
use crate::options::BenchOptions;
use crate::output::{note, say};
use crate::stepping::check_start;
use crate::timings::{by_name, clock};

/// m. By how much the nodes of a start are moved, at most, along each axis.
const MOVED: f64 = 1e-6;

/// A row of the table.
struct Row {
    /// What it is called.
    name: &'static str,
    scene: &'static str,
    /// What differs from the scene: keys and values.
    overrides: &'static [(&'static str, &'static str)],
    /// Whether it takes minutes.
    slow: bool,
}

const fn row(name: &'static str, scene: &'static str) -> Row {
    Row { name, scene, overrides: &[], slow: false }
}

impl Row {
    const fn with(self, overrides: &'static [(&'static str, &'static str)]) -> Self {
        Self { overrides, ..self }
    }

    const fn slow(self) -> Self {
        Self { slow: true, ..self }
    }
}

const ROWS: [Row; 17] = [
    row("fold", "fold"),
    row("fold-fine", "fold-fine").slow(),
    row("shorts", "shorts").slow(),
    row("shirt", "shirt").slow(),
    row("needles", "needles"),
    row("drop-sphere-20", "drop-sphere"),
    row("drop-sphere-40", "drop-sphere").with(&[("cloth.grid.nodes", "[40, 40]")]),
    row("cylinder", "cylinder"),
    row("tablecloth", "tablecloth"),
    row("pile", "pile"),
    row("twist", "twist"),
    row("stack-12", "stack"),
    row("stack-40", "stack").with(&[("cloth.grid.nodes", "[40, 40]")]).slow(),
    row("hit", "hit"),
    row("swing-7x9", "swing"),
    row("swing-20x28", "swing").with(&[("cloth.grid.nodes", "[20, 28]")]),
    row("swing-40x40", "swing").with(&[("cloth.grid.nodes", "[40, 40]"), ("dt_s", "0.005")]),
];

/// What one run cost.
struct Cost {
    q: f64,
    wall: f64,
    iterations: f64,
    factorisations: f64,
    passes: f64,
    exchanges: f64,
    strain: f64,
    retries: f64,
    /// Whether a step was refused, which ended the run.
    refused: bool,
    timings: Timings,
}

/// One line of the table: medians over the starts.
#[derive(Debug, Serialize)]
struct Measurement {
    name: String,
    nodes: usize,
    dt: f64,
    starts: u64,
    /// CPU seconds per simulated second, and the least and the largest of all starts.
    q: f64,
    q_least: f64,
    q_largest: f64,
    /// Seconds on the clock per simulated second: less than `q` where several cores share the steps.
    wall: f64,
    iterations_per_step: f64,
    factorisations_per_step: f64,
    passes_per_step: f64,
    exchanges_per_step: f64,
    max_edge_strain: f64,
    /// Parts of steps that were tried again in halves, in the whole run.
    retries: f64,
    /// Runs that ended early because a step was refused.
    refused: usize,
    /// Seconds of each stage of the steps of all starts, if they were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    timings_s: Option<BTreeMap<String, f64>>,
}

/// Runs the scenes, telling of each run as it begins.
pub fn bench(options: &BenchOptions) -> Result<(), Failure> {
    if options.largest.is_some() {
        return Err(Failure::input(anyhow!("bench scenes has no --largest: use --only or --skip-slow")));
    }
    let mut table = Vec::new();
    for row in chosen(options)? {
        table.push(measure(row, options)?);
    }
    if options.json {
        return say(&(serde_json::to_string_pretty(&table).map_err(Failure::run)? + "\n"));
    }
    say(&(text(&table) + &shares(&table)))
}

/// The rows that were asked for.
fn chosen(options: &BenchOptions) -> Result<Vec<&'static Row>, Failure> {
    static TABLE: [Row; ROWS.len()] = ROWS;
    if let Some(unknown) = options.only.iter().find(|name| TABLE.iter().all(|row| row.name != name.as_str())) {
        let names: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
        return Err(Failure::input(anyhow!("bench scenes has no {unknown:?}: use some of {}", names.join(", "))));
    }
    let is_chosen = |row: &&Row| {
        (options.only.is_empty() || options.only.iter().any(|name| name == row.name))
            && !(options.skip_slow && row.slow)
    };
    let rows: Vec<&Row> = TABLE.iter().filter(is_chosen).collect();
    if rows.is_empty() {
        return Err(Failure::input(anyhow!("no scene is left: all of those in --only are slow, see --skip-slow")));
    }
    Ok(rows)
}

fn measure(row: &Row, options: &BenchOptions) -> Result<Measurement, Failure> {
    let starts = options.starts;
    let overrides: Vec<_> = row.overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let scene = Scene::load(row.scene, &overrides)?;
    let mut nodes = 0;
    let mut costs = Vec::new();
    for start in 0..starts {
        note(&match starts {
            1 => format!("{} …", row.name),
            _ => format!("{}, start {} of {starts} …", row.name, start + 1),
        });
        let mut simulation = scene.build()?;
        nodes = simulation.model().node_count();
        if start > 0 {
            let held = scene.held_at_start(&simulation)?;
            perturb(&mut simulation, &held, start);
        }
        check_start(&mut simulation)?;
        simulation.set_cores(Cores::All);
        simulation.set_clock(options.timings.then_some(clock));
        costs.push(run(&mut simulation, scene.steps(), row.name)?);
    }
    let of = |figure: fn(&Cost) -> f64| median(costs.iter().map(figure).collect());
    let mut timings = Timings::default();
    costs.iter().for_each(|cost| timings += cost.timings);
    let q = || costs.iter().map(|cost| cost.q);
    Ok(Measurement {
        name: row.name.to_owned(),
        nodes,
        dt: scene.dt(),
        starts,
        q: of(|cost| cost.q),
        q_least: q().fold(f64::INFINITY, f64::min),
        q_largest: q().fold(0.0, f64::max),
        wall: of(|cost| cost.wall),
        iterations_per_step: of(|cost| cost.iterations),
        factorisations_per_step: of(|cost| cost.factorisations),
        passes_per_step: of(|cost| cost.passes),
        exchanges_per_step: of(|cost| cost.exchanges),
        max_edge_strain: of(|cost| cost.strain),
        retries: of(|cost| cost.retries),
        refused: costs.iter().filter(|cost| cost.refused).count(),
        timings_s: options.timings.then(|| by_name(&timings)),
    })
}

/// Moves the nodes that nobody holds by chance; the same start is always moved in the same way.
fn perturb(simulation: &mut Simulation, held: &[usize], start: u64) {
    let mut chance = fastrand::Rng::with_seed(start);
    let state = simulation.state_mut();
    for (node, place) in state.positions.iter_mut().enumerate() {
        let mut along = || MOVED * (2.0 * chance.f64() - 1.0);
        let moved = DVec3::new(along(), along(), along());
        if !held.contains(&node) {
            *place += moved;
        }
    }
    state.forget_history();
}

/// Runs to the end, or to a step that is refused.
fn run(simulation: &mut Simulation, steps: u64, name: &str) -> Result<Cost, Failure> {
    let cpu_time = || ProcessTime::try_now().context("the system does not tell CPU time").map_err(Failure::run);
    let (mut iterations, mut factorisations, mut exchanges, mut retries, mut strain) = (0, 0, 0, 0, 0.0);
    let (mut passes, mut done, mut refused, mut timings) = (0, 0, false, Timings::default());
    let (begin, wall) = (cpu_time()?, Instant::now());
    while done < steps {
        match simulation.step() {
            Ok(report) => {
                iterations += report.iterations;
                factorisations += report.factorisations;
                passes += report.passes;
                exchanges += report.exchanges;
                retries += report.retries;
                strain = f64::max(strain, report.max_edge_strain);
                timings += report.timings;
                done += 1;
            }
            Err(error) => {
                note(&format!("{name}: refused at {:.3} s: {error}", simulation.time()));
                refused = true;
                break;
            }
        }
    }
    let (seconds, wall) = (cpu_time()?.duration_since(begin).as_secs_f64(), wall.elapsed().as_secs_f64());
    // A run that is refused at once has cost something, too.
    let steps = done.max(1) as f64;
    let simulated = steps * simulation.dt();
    Ok(Cost {
        q: seconds / simulated,
        wall: wall / simulated,
        iterations: iterations as f64 / steps,
        factorisations: factorisations as f64 / steps,
        passes: passes as f64 / steps,
        exchanges: exchanges as f64 / steps,
        strain,
        retries: retries as f64,
        refused,
        timings,
    })
}

/// The middle one of some numbers, or the mean of the two in the middle.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    if numbers.len() % 2 == 1 { numbers[middle] } else { 0.5 * (numbers[middle - 1] + numbers[middle]) }
}

/// The table as a person reads it.
fn text(table: &[Measurement]) -> String {
    let several = table.iter().any(|m| m.starts > 1);
    let mut text = format!(
        "{:>14} {:>6} {:>8} {:>9}{} {:>9} {:>10} {:>14} {:>7} {:>9} {:>14} {:>7} {:>7}\n",
        "scene",
        "nodes",
        "dt",
        "q",
        if several { format!(" {:>19}", "least – largest") } else { String::new() },
        "wall",
        "iterations",
        "factorisations",
        "passes",
        "exchanges",
        "largest strain",
        "retries",
        "refused"
    );
    for m in table {
        let range = format!(" {:>8.4} – {:<8.4}", m.q_least, m.q_largest);
        text.push_str(&format!(
            "{:>14} {:>6} {:>5.1} ms {:>9.4}{} {:>9.4} {:>10.2} {:>14.2} {:>7.2} {:>9.1} {:>14.1e} {:>7.0} {:>7}\n",
            m.name,
            m.nodes,
            m.dt * 1e3,
            m.q,
            if several { range } else { String::new() },
            m.wall,
            m.iterations_per_step,
            m.factorisations_per_step,
            m.passes_per_step,
            m.exchanges_per_step,
            m.max_edge_strain,
            m.retries,
            m.refused
        ));
    }
    text + "q is CPU seconds per simulated second, wall seconds on the clock; iterations, factorisations, passes and exchanges are those of a step\n"
}

/// The shares of the stages in the time of the steps, a line for each scene; nothing if they were not measured.
fn shares(table: &[Measurement]) -> String {
    let measured: Vec<_> = table.iter().filter_map(|m| Some((&m.name, m.timings_s.as_ref()?))).collect();
    if measured.is_empty() {
        return String::new();
    }
    let heads = Stage::ALL.map(|stage| format!(" {:>9}", stage.name())).concat();
    let mut text = format!("\n{:>14}{heads}\n", "scene");
    for (name, seconds) in measured {
        let total = f64::max(seconds.values().sum(), f64::MIN_POSITIVE);
        let share = |stage: Stage| 100.0 * seconds.get(stage.name()).copied().unwrap_or(0.0) / total;
        let shares = Stage::ALL.map(|stage| format!(" {:>7.1} %", share(stage))).concat();
        text.push_str(&format!("{name:>14}{shares}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_scene_of_a_name_of_its_own() {
        for (k, row) in ROWS.iter().enumerate() {
            assert!(ROWS[..k].iter().all(|other| other.name != row.name), "{} is there twice", row.name);
            let overrides: Vec<_> =
                row.overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
            Scene::load(row.scene, &overrides).unwrap_or_else(|error| panic!("{}: {error}", row.name));
        }
    }

    #[test]
    fn a_start_is_moved_by_a_micrometre_but_for_what_is_held() {
        let scene = Scene::load("swing", &[]).unwrap();
        let moved = |start: u64| {
            let mut simulation = scene.build().unwrap();
            let held = scene.held_at_start(&simulation).unwrap();
            perturb(&mut simulation, &held, start);
            (simulation.positions().to_vec(), held)
        };
        let still = scene.build().unwrap().positions().to_vec();
        let (first, held) = moved(1);
        assert_eq!(first, moved(1).0, "a start is always the same");
        assert_ne!(first, moved(2).0, "starts differ");
        for (node, (was, is)) in still.iter().zip(&first).enumerate() {
            let distance = was.distance(*is);
            assert_eq!(distance == 0.0, held.contains(&node), "node {node}");
            assert!(distance < 2.0 * MOVED, "node {node} is moved by {distance} m");
        }
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
