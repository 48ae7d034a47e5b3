//! The cloth does not depend on its mesh: coarse or fine, quads or triangles, it swings alike, and no edge gives.

mod common;

use std::sync::OnceLock;

use common::delaunay::scattered_sheet;
use common::{Kind, WOOL};
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::{GridCorner, GridSide};
use taffeta::{DVec3, Grasp, Params, Path, Simulation};

/// Step length and length of the run, s: one and a half swings.
const DT: f64 = 0.01;
const TIME: f64 = 1.5;

/// Coarse, middle and fine: nodes across and down a DIN A2 sheet.
const SIZES: [(usize, usize); 3] = [(7, 9), (13, 17), (25, 33)];

/// What a run shows.
struct Swing {
    /// Mean position of the lower edge after every step, m.
    hem: Vec<DVec3>,
    /// Largest strain of an edge, largest root mean square over the edges, largest relative change of area, over the
    /// run.
    max_strain: f64,
    rms_strain: f64,
    area_strain: f64,
}

/// Mean position of the hem, each node weighted with the length of hem it stands for, m.
fn hem(simulation: &Simulation, nodes: &[usize]) -> DVec3 {
    let at = |k: usize| simulation.positions()[nodes[k]];
    let sum: DVec3 = (1..nodes.len()).map(|k| (at(k - 1) + at(k)) / 2.0).sum();
    sum / (nodes.len() - 1) as f64
}

/// A grid as an A2 sheet of wool whose upper corners are swung.
fn swing(kind: Kind, (nx, ny): (usize, usize)) -> Swing {
    let cloth = kind.cloth(nx, ny, |s, t| DVec3::new(0.42 * s, 0.0, 0.594 * t));
    let shape = cloth.mesh().grid_shape().expect("a grid");
    let corners = [shape.corner(GridCorner::TopLeft), shape.corner(GridCorner::TopRight)];
    swing_cloth(&format!("{kind:?}, {nx}×{ny}"), cloth, corners, &shape.side(GridSide::Bottom))
}

/// Scattered nodes as the same sheet.
fn swing_scattered(nodes: usize, seed: u64) -> Swing {
    let flat = scattered_sheet(0.42, 0.594, nodes, seed);
    let mut bottom: Vec<usize> = (0..flat.node_count()).filter(|&i| flat.positions()[i].y < 1e-9).collect();
    bottom.sort_by(|&a, &b| flat.positions()[a].x.total_cmp(&flat.positions()[b].x));
    let upright = flat.positions().iter().map(|x| DVec3::new(x.x, 0.0, x.y)).collect();
    let cloth = Cloth::new(flat.with_positions(upright).expect("the same mesh"), RestShape::Mesh, Scheme::default());
    swing_cloth(&format!("{nodes} scattered nodes"), cloth, [3, 2], &bottom)
}

/// Swings the upper corners of a sheet by 10 cm once a second.
fn swing_cloth(name: &str, cloth: Cloth, corners: [usize; 2], bottom: &[usize]) -> Swing {
    let params = Params { material: Material::with_density(WOOL), ..Params::default() };
    let mut simulation = Simulation::new(cloth, params, DT);
    let amplitude = DVec3::new(0.0, 0.1, 0.0);
    let path = Path::Sinusoid { amplitude, frequency: 1.0, phase: 0.0, ramp: 0.5 };
    simulation.grasp(Grasp::moving(corners, path).exact());

    let mut swing = Swing { hem: Vec::new(), max_strain: 0.0, rms_strain: 0.0, area_strain: 0.0 };
    let (mut iterations, mut retries) = (0, 0);
    for _ in 0..(TIME / DT).round() as usize {
        let report = simulation.step().unwrap_or_else(|error| panic!("{name}: {error}"));
        swing.hem.push(hem(&simulation, bottom));
        swing.max_strain = f64::max(swing.max_strain, report.max_edge_strain);
        swing.rms_strain = f64::max(swing.rms_strain, report.rms_edge_strain);
        swing.area_strain = f64::max(swing.area_strain, report.area_strain.abs());
        iterations += report.iterations;
        retries += report.retries;
    }
    println!("{name}: {iterations} iterations, {retries} retries");
    swing
}

/// The finest mesh of quads.
fn reference() -> &'static Swing {
    static REFERENCE: OnceLock<Swing> = OnceLock::new();
    REFERENCE.get_or_init(|| swing(Kind::Quads, SIZES[2]))
}

/// Largest and root mean square distance of two hem paths at equal times, m.
fn deviation(a: &Swing, b: &Swing) -> (f64, f64) {
    let distances: Vec<f64> = a.hem.iter().zip(&b.hem).map(|(p, q)| p.distance(*q)).collect();
    let squares: f64 = distances.iter().map(|d| d * d).sum();
    (distances.iter().copied().fold(0.0, f64::max), (squares / distances.len() as f64).sqrt())
}

/// How far hem paths may part, m: 2.5 % of the sheet's length.
const PATHS: f64 = 0.015;

/// Compares a run with the finest mesh of quads, step by step.
fn assert_agrees(kind: Kind, size: (usize, usize), run: &Swing) {
    let (largest, average) = deviation(run, reference());
    println!(
        "{kind:?}, {size:?}: hem off by {:.1} mm at most, {:.1} mm rms; edges by {:.1e}, {:.1e} rms; area by {:.1e}",
        1e3 * largest,
        1e3 * average,
        run.max_strain,
        run.rms_strain,
        run.area_strain
    );
    assert!(largest < PATHS, "{kind:?}, {size:?}: the hem is {largest} m off the finest mesh's");
    assert!(run.area_strain < 0.005, "{kind:?}, {size:?}: the area changes by {}", run.area_strain);
}

#[test]
fn the_hem_swings() {
    // Agreement of sheets that hang still would be worth nothing.
    let sideways = reference().hem.iter().map(|p| p.y.abs()).fold(0.0, f64::max);
    assert!(sideways > 0.1, "the hem moves by {sideways} m only");
}

#[test]
fn quads_of_all_sizes_swing_alike_and_do_not_stretch() {
    let mut errors = Vec::new();
    for size in SIZES {
        let run = swing(Kind::Quads, size);
        assert_agrees(Kind::Quads, size, &run);
        // The bar of the model is 1 %; the solver is asked for half of 0.1 %.
        assert!(run.max_strain < 0.001, "{size:?}: an edge is off by {}", run.max_strain);
        errors.push(deviation(&run, reference()).1);
    }
    assert!(errors[1] < errors[0], "refining moves the hem away: {errors:?}");
}

fn triangles_swing_alike(kind: Kind) {
    for size in SIZES {
        let run = swing(kind, size);
        assert_agrees(kind, size, &run);
        // At equal size the cut of the cells matters less than their size: a third of the way at every step.
        let (largest, _) = deviation(&run, &swing(Kind::Quads, size));
        println!("{kind:?}, {size:?}: hem off by {:.1} mm from quads of that size", 1e3 * largest);
        assert!(largest < PATHS / 3.0, "{kind:?}, {size:?}: the hem is {largest} m off that of quads");
        assert!(run.rms_strain < 0.01, "{kind:?}, {size:?}: edges are off by {} on average", run.rms_strain);
        assert!(run.max_strain < 0.03, "{kind:?}, {size:?}: an edge is off by {}", run.max_strain);
    }
}

#[test]
fn triangles_cut_forward_swing_like_quads() {
    triangles_swing_alike(Kind::ALL[1]);
}

#[test]
fn triangles_cut_backward_swing_like_quads() {
    triangles_swing_alike(Kind::ALL[2]);
}

#[test]
fn triangles_cut_in_turns_swing_like_quads() {
    triangles_swing_alike(Kind::ALL[3]);
}

#[test]
fn scattered_nodes_swing_like_quads() {
    for (nodes, seed) in [(221, 1), (221, 2), (825, 3)] {
        let run = swing_scattered(nodes, seed);
        let (largest, _) = deviation(&run, reference());
        println!("{nodes} scattered nodes: hem off by {:.1} mm", 1e3 * largest);
        // As far as grids of 7×9 quads are.
        assert!(largest < 0.011, "{nodes} scattered nodes: the hem is {largest} m off");
    }
}
