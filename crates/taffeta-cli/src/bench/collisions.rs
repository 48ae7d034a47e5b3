//! `taffeta bench collisions`: what finding the parts of a cloth that may meet costs, and how it grows.
//!
//! The cloth is a sheet folded like a fan: triangles of one size, four layers a few millimetres apart, so that the pairs per
//! triangle hardly change with the size of the sheet, and time tells of the search and not of how much there is to find. Its
//! boxes are refitted to a motion, the pairs whose boxes overlap are found, and each pair is asked whether it meets.

use std::time::Instant;

use anyhow::{Context, anyhow};
use serde::Serialize;
use taffeta::ccd;
use taffeta::cloth::RestShape;
use taffeta::collide::{BroadPhase, Candidates, Surface};
use taffeta::mesh::Mesh;
use taffeta::{DQuat, DVec3};

use super::growth_exponent;
use crate::failure::Failure;
use crate::options::BenchOptions;
use crate::output::{note, say};

/// Nodes a side: about 1 000, 3 000, 10 000, 30 000 and 100 000 triangles.
const SIDES: [usize; 5] = [23, 40, 72, 123, 225];

/// m. Legs of the triangles.
const LEG: f64 = 0.01;

/// m. Distance of the layers, in the mean: they meet in the folds.
const PITCH: f64 = 0.003;

/// Layers of the fan.
const LAYERS: f64 = 4.0;

/// m. How far nodes move: 0.1 m/s for 10 ms.
const TRAVEL: f64 = 0.001;

/// m. By how much the boxes are inflated: half of a cloth's thickness.
const MARGIN: f64 = 0.0005;

/// Motions timed, each with the cloth turned another way, lest the processor learn one by heart; the median counts.
const MOTIONS: usize = 11;

/// How often all motions are gone through; of each the fastest counts, because the machine is shared.
const ROUNDS: usize = 4;

/// One line of the table.
#[derive(Debug, Serialize)]
struct Measurement {
    triangles: usize,
    /// Pairs of a node and a triangle, and of two edges; the mean over all motions.
    candidates: usize,
    refit_ms: f64,
    pairs_ms: f64,
    /// Continuous detection for each pair.
    ccd_ms: f64,
    total_ms: f64,
    /// Pairs that come within a thickness of each other, in the mean.
    meeting: usize,
}

/// The whole table.
#[derive(Debug, Serialize)]
struct Table {
    fans: Vec<Measurement>,
    /// Exponent of the total time in the number of triangles, least squares over all fans.
    growth_exponent: Option<f64>,
}

/// Measures fans of growing size, telling of each as it is done.
pub fn bench(options: &BenchOptions) -> Result<(), Failure> {
    let largest = options.largest.unwrap_or(usize::MAX);
    if largest < SIDES[0] {
        return Err(Failure::input(anyhow!("the smallest fan is {0}×{0}: give --largest {0} or more", SIDES[0])));
    }
    let mut fans = Vec::new();
    for side in SIDES.into_iter().filter(|&side| side <= largest) {
        note(&format!("{side}×{side} nodes …"));
        fans.push(measure(side).with_context(|| format!("the fan of {side}×{side} nodes")).map_err(Failure::run)?);
    }
    let growth_exponent = growth_exponent(fans.iter().map(|m| (m.triangles as f64, m.total_ms)));
    let table = Table { fans, growth_exponent };
    if options.json {
        say(&(serde_json::to_string_pretty(&table).map_err(Failure::run)? + "\n"))
    } else {
        say(&text(&table))
    }
}

/// The table as a person reads it.
fn text(table: &Table) -> String {
    let mut text = format!(
        "{:>9} {:>10} {:>9} {:>10} {:>10} {:>11} {:>11} {:>12}\n",
        "triangles", "candidates", "meeting", "refit", "pairs", "detection", "total", "per triangle"
    );
    for m in &table.fans {
        text.push_str(&format!(
            "{:>9} {:>10} {:>9} {:>7.3} ms {:>7.3} ms {:>8.3} ms {:>8.3} ms {:>9.0} ns\n",
            m.triangles,
            m.candidates,
            m.meeting,
            m.refit_ms,
            m.pairs_ms,
            m.ccd_ms,
            m.total_ms,
            m.total_ms * 1e6 / m.triangles as f64
        ));
    }
    if let Some(exponent) = table.growth_exponent {
        text.push_str(&format!("time grows as N^{exponent:.2}\n"));
    }
    text
}

fn measure(side: usize) -> anyhow::Result<Measurement> {
    let length = LEG * (side - 1) as f64;
    let mesh = Mesh::grid(side, side, |s, t| DVec3::new(s * length, t * length, 0.0))?;
    let surface = Surface::new(&mesh, RestShape::Mesh);
    let mut broad = BroadPhase::new(&surface, mesh.positions());
    let mut candidates = Candidates::default();
    let mut times = [[f64::INFINITY; MOTIONS]; 3];
    let (mut found, mut meeting) = (0, 0);
    for motion in (0..MOTIONS).cycle().take(ROUNDS * MOTIONS) {
        let from: Vec<DVec3> = mesh.positions().iter().map(|&x| folded(x, length, motion as f64)).collect();
        let to: Vec<DVec3> = from.iter().map(|&x| x + TRAVEL * waver(x)).collect();
        let start = Instant::now();
        broad.refit(&from, &to, MARGIN);
        let fitted = Instant::now();
        broad.self_pairs(&mut candidates);
        let paired = Instant::now();
        meeting += count_meeting(&surface, &candidates, &from, &to);
        let ends = [fitted - start, paired - fitted, paired.elapsed()];
        for (times, took) in times.iter_mut().zip(ends) {
            times[motion] = times[motion].min(took.as_secs_f64() * 1e3);
        }
        found += candidates.node_face.len() + candidates.edge_edge.len();
    }
    let [refit_ms, pairs_ms, ccd_ms] = times.map(median);
    Ok(Measurement {
        triangles: surface.triangles().len(),
        candidates: found / (ROUNDS * MOTIONS),
        refit_ms,
        pairs_ms,
        ccd_ms,
        total_ms: refit_ms + pairs_ms + ccd_ms,
        meeting: meeting / (ROUNDS * MOTIONS),
    })
}

fn median(mut times: [f64; MOTIONS]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[MOTIONS / 2]
}

/// A direction that changes from node to node, at most 1 along each axis.
fn waver(place: DVec3) -> DVec3 {
    // 1/m: neighbours, a centimetre apart, are half a wave from each other.
    const WAVES: f64 = 300.0;
    DVec3::new((WAVES * place.y).sin(), (WAVES * place.z).sin(), (WAVES * place.x).sin())
}

/// A place of the flat sheet on the fan, turned by an angle so that no layer is along an axis.
fn folded(place: DVec3, length: f64, angle: f64) -> DVec3 {
    let layer = LAYERS * place.x / length;
    let (whole, part) = (layer.floor(), layer.fract());
    let along = if whole % 2.0 == 0.0 { part } else { 1.0 - part };
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), angle + 0.7);
    turn * DVec3::new(along * length / LAYERS, place.y, PITCH * layer)
}

/// Pairs that come within a thickness of each other.
fn count_meeting(surface: &Surface, candidates: &Candidates, from: &[DVec3], to: &[DVec3]) -> usize {
    let places = |nodes: [u32; 4]| [from, to].map(|x| nodes.map(|node| x[node as usize]));
    let node_face = candidates.node_face.iter().filter(|&&[node, t]| {
        let [a, b, c] = surface.triangles()[t as usize];
        let [start, end] = places([node, a, b, c]);
        ccd::node_face(&start, &end, 2.0 * MARGIN).is_some()
    });
    let edge_edge = candidates.edge_edge.iter().filter(|&&[e, f]| {
        let ([a, b], [c, d]) = (surface.edges()[e as usize], surface.edges()[f as usize]);
        let [start, end] = places([a, b, c, d]);
        ccd::edge_edge(&start, &end, 2.0 * MARGIN).is_some()
    });
    node_face.count() + edge_edge.count()
}
