//! `taffeta check`.

use taffeta::DVec3;
use taffeta_io::recording::{GRIP_FIELDS, report};
use taffeta_io::scene::Scene;

use crate::failure::Failure;
use crate::options::CheckOptions;
use crate::output::{note, say, table};
use crate::squeeze::warnings;
use crate::stepping::check_start;

pub fn check(options: &CheckOptions) -> Result<(), Failure> {
    let scene = Scene::load(&options.scene, &options.overrides)?;
    let mut simulation = scene.build()?;
    check_start(&mut simulation)?;
    warnings(&simulation, scene.steps()).iter().for_each(|warning| note(warning));
    let cloth = simulation.model().cloth();
    let nodes = cloth.mesh().node_count();
    let (obstacles, grippers) = (simulation.obstacles.len(), simulation.grippers().len());
    let moved = simulation.obstacles.iter().filter(|obstacle| obstacle.dynamics.is_some()).count() - 2 * grippers;
    let frames = 1 + scene.steps().div_ceil(scene.steps_per_frame());
    let rows = [
        ("scene", scene.name().to_owned()),
        ("title", scene.settings().title.clone()),
        ("nodes", nodes.to_string()),
        ("elements", cloth.mesh().elements().len().to_string()),
        ("conditions", cloth.condition_count().to_string()),
        ("size", size(cloth.mesh().positions())),
        ("obstacles", (obstacles - 2 * grippers).to_string()),
        ("free or driven", moved.to_string()),
        ("grippers", grippers.to_string()),
        ("edges", edges(cloth.rest_lengths())),
        ("mass", format!("{:.4} kg", simulation.params.material.density * cloth.rest_area())),
        ("steps", format!("{} of {} s", scene.steps(), scene.dt())),
        ("frames", frames.to_string()),
        ("memory", format!("about {}", megabytes(memory(nodes, simulation.params.material.bending > 0.0)))),
        ("recording", megabytes(recording(nodes, obstacles, grippers, frames, scene.steps()))),
    ];
    say(&table(&rows))
}

/// Extents of the cloth as it starts.
fn size(positions: &[DVec3]) -> String {
    let (low, high) =
        positions.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    let size = high - low;
    format!("{:.3} × {:.3} × {:.3} m", size.x, size.y, size.z)
}

/// The range of edge lengths.
fn edges(lengths: &[f64]) -> String {
    let (low, high) =
        lengths.iter().fold((f64::INFINITY, 0.0), |(low, high), &l| (f64::min(low, l), f64::max(high, l)));
    format!("{:.4} to {:.4} m at rest", low, high)
}

/// Memory of a run, roughly: the factor of a planar mesh's matrix in a good order has some n log₂ n blocks, and bending couples
/// each node to twice as many others. Measured from 40×40 to 160×160 nodes.
fn memory(nodes: usize, bends: bool) -> f64 {
    const PER_NODE_AND_LEVEL: f64 = 1000.0;
    const PROGRAM: f64 = 6e6;
    let n = nodes as f64;
    let limp = PER_NODE_AND_LEVEL * n * n.log2().max(1.0);
    PROGRAM + limp * if bends { 2.1 } else { 1.0 }
}

/// Size of a recording.
fn recording(nodes: usize, obstacles: usize, grippers: usize, frames: u64, steps: u64) -> f64 {
    let (n, b, g) = (nodes as f64, obstacles as f64, grippers as f64);
    let contact = if obstacles > 0 { 8.0 * (6.0 * n + 7.0 * b + GRIP_FIELDS.len() as f64 * g) } else { 0.0 };
    let per_frame = 8.0 + n * (11.0 * 8.0 + 1.0) + contact;
    frames as f64 * per_frame + steps as f64 * 8.0 * (1 + report::FIELDS.len()) as f64
}

fn megabytes(bytes: f64) -> String {
    format!("{:.1} MB", bytes / 1e6)
}
