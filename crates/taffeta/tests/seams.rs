//! Seams that close during a run.

use std::f64::consts::PI;

use taffeta::cloth::{Cloth, Material, RestShape, Scheme, SeamError};
use taffeta::collide::{self_intersections, smallest_gap};
use taffeta::mesh::{Element, Mesh};
use taffeta::{DVec3, Grasp, Method, Params, Seam, Simulation, Solver};

/// Rows of nodes in each panel.
const ROWS: usize = 7;
/// Columns of nodes in each panel.
const COLUMNS: usize = 5;
/// Side of a cell, m.
const CELL: f64 = 0.04;

/// Two panels upright in the xz-plane, the second one `apart` metres to the right of the first.
fn panels(apart: f64) -> Mesh {
    let count = COLUMNS * ROWS;
    let width = (COLUMNS - 1) as f64 * CELL;
    let place = |node: usize| {
        let (panel, node) = (node / count, node % count);
        let aside = panel as f64 * (width + apart);
        DVec3::new((node % COLUMNS) as f64 * CELL + aside, 0.0, (node / COLUMNS) as f64 * CELL)
    };
    let mut elements = Vec::new();
    for panel in 0..2 {
        for (row, column) in (0..ROWS - 1).flat_map(|row| (0..COLUMNS - 1).map(move |column| (row, column))) {
            let low = panel * count + row * COLUMNS + column;
            elements.push(Element::Quad([low, low + 1, low + COLUMNS + 1, low + COLUMNS]));
        }
    }
    Mesh::new((0..2 * count).map(place).collect(), elements, None).expect("two panels")
}

/// The right side of the first panel with the left side of the second.
fn pairs() -> Vec<[usize; 2]> {
    (0..ROWS).map(|row| [row * COLUMNS + COLUMNS - 1, (ROWS + row) * COLUMNS]).collect()
}

fn sewable(apart: f64, params: Params) -> Simulation {
    let cloth = Cloth::new(panels(apart), RestShape::Mesh, Scheme::default()).with_seams(pairs()).expect("seams");
    Simulation::new(cloth, params, 0.01)
}

fn weightless() -> Params {
    Params { gravity: DVec3::ZERO, ..Params::default() }
}

fn distances(simulation: &Simulation) -> Vec<f64> {
    let positions = simulation.positions();
    pairs().iter().map(|&[a, b]| positions[a].distance(positions[b])).collect()
}

#[test]
fn a_seam_closes_evenly_and_stays_closed() {
    // Panels that are farther apart swing so far that one may be folded into its own seam, which then cannot close.
    let mut simulation = sewable(0.05, Params::default());
    // One panel hangs, the other falls until it is caught.
    simulation.grasp(Grasp::pin([(ROWS - 1) * COLUMNS, ROWS * COLUMNS - 1]));
    simulation.sew(Seam { pairs: 0..ROWS, from: 0.1, until: 0.5 });
    let (mut open, mut before): (Vec<f64>, Vec<f64>) = Default::default();
    for step in 1..=100 {
        let report = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        assert!(report.max_edge_strain < 1e-3, "{}", report.max_edge_strain);
        let time = simulation.time();
        if step == 10 {
            open = distances(&simulation);
            assert!(open.iter().all(|d| *d > 0.05), "{open:?}");
        }
        let left = |time: f64| ((0.5 - time) / 0.4).clamp(0.0, 1.0);
        for ((distance, open), before) in distances(&simulation).iter().zip(&open).zip(&before) {
            // A step begins with the distance that the last one left, and closes its share of it; its tolerance is 5e-4 of a cell.
            let share = if left(time) > 0.0 { left(time) / left(time - 0.01) } else { 0.0 };
            let (expected, evenly) = (before * share, open * left(time));
            assert!((distance - expected).abs() < 5e-4 * CELL, "{distance}, not {expected}, at {time}");
            assert!((distance - evenly).abs() < 1e-3 * CELL, "{distance}, not {evenly}, at {time}");
        }
        before = if open.is_empty() { Vec::new() } else { distances(&simulation) };
    }
}

#[test]
fn nodes_of_an_element_are_not_sewn_by_way_of_others() {
    // 0 to 35 to 1: in the end 0 to its neighbour 1.
    let cloth = Cloth::new(panels(0.1), RestShape::Mesh, Scheme::default());
    let error = cloth.with_seams([[0, ROWS * COLUMNS], [ROWS * COLUMNS, 1]]).expect_err("neighbours");
    assert!(matches!(error, SeamError::Neighbours { pair: 1, nodes: [1, 0] }), "{error:?}");
}

#[test]
fn a_sheet_that_is_sewn_to_a_tube_does_not_meet_itself() {
    let (columns, rows) = (11, 11);
    let sheet = Mesh::grid(columns, rows, |s, t| DVec3::new(0.3 * s, 0.3 * t, 0.3)).expect("a sheet");
    let pairs: Vec<[usize; 2]> = (0..rows).map(|row| [row * columns, row * columns + columns - 1]).collect();
    let cloth = Cloth::new(sheet, RestShape::Mesh, Scheme::default()).with_seams(pairs).expect("seams");
    let mut params = Params::default();
    params.material.bending = 1e-4;
    let mut simulation = Simulation::new(cloth, params, 0.01);
    simulation.grasp(Grasp::pin([5, 115]));
    simulation.sew(Seam { pairs: 0..rows, from: 0.0, until: 0.8 });
    for step in 1..=100 {
        simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        let (x, surface) = (simulation.positions(), simulation.model().cloth().surface());
        let met = self_intersections(x, surface);
        assert!(met.is_empty(), "step {step}: {met:?}");
        let (least, thickness) =
            (smallest_gap(x, surface, 0.01), simulation.model().cloth().thickness(&params.material));
        // Beside an open seam nothing keeps the panels apart.
        let closed = step > 80;
        assert!(!closed || least.is_none_or(|gap| gap.distance > 0.95 * thickness), "step {step}: {least:?}");
    }
}

#[test]
fn panels_that_are_sewn_from_the_start_move_as_one_sheet() {
    // The panels touch; the same sheet without a seam is the reference. Tight tolerances, so that only the model counts.
    let solver = Solver { strain_tolerance: 1e-5, acceleration_tolerance: 1e-3, ..Solver::default() };
    let params = Params { solver, ..Params::default() };
    let mut sewn = sewable(0.0, params);
    sewn.sew(Seam { pairs: 0..ROWS, from: 0.0, until: 0.0 });
    let whole = 2 * COLUMNS - 1;
    let place = |s: f64, t: f64| DVec3::new(s * (whole - 1) as f64 * CELL, 0.0, t * (ROWS - 1) as f64 * CELL);
    let sheet = Mesh::grid(whole, ROWS, place).expect("a sheet");
    let mut uncut = Simulation::new(Cloth::new(sheet, RestShape::Mesh, Scheme::default()), params, 0.01);
    // Held by one corner, both swing to the side.
    sewn.grasp(Grasp::pin([(ROWS - 1) * COLUMNS]));
    uncut.grasp(Grasp::pin([(ROWS - 1) * whole]));
    for _ in 0..60 {
        sewn.step().expect("a step");
        uncut.step().expect("a step");
    }
    let mut worst = 0.0f64;
    for (row, column) in (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (row, column))) {
        let (left, right) = (row * COLUMNS + column, (ROWS + row) * COLUMNS + column);
        let at = row * whole + column;
        worst = worst.max(sewn.positions()[left].distance(uncut.positions()[at]));
        worst = worst.max(sewn.positions()[right].distance(uncut.positions()[at + COLUMNS - 1]));
    }
    let fallen = uncut.positions()[whole - 1].distance(place(1.0, 0.0));
    assert!(fallen > 0.1, "it moves: {fallen}");
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn open_seams_are_not_felt() {
    let mut open = sewable(0.05, Params::default());
    open.sew(Seam { pairs: 0..ROWS, from: 10.0, until: 11.0 });
    let cloth = Cloth::new(panels(0.05), RestShape::Mesh, Scheme::default());
    let mut without = Simulation::new(cloth, Params::default(), 0.01);
    for simulation in [&mut open, &mut without] {
        simulation.grasp(Grasp::pin([(ROWS - 1) * COLUMNS, 2 * COLUMNS * ROWS - 1]));
        (0..30).for_each(|_| _ = simulation.step().expect("a step"));
    }
    for (a, b) in open.positions().iter().zip(without.positions()) {
        assert!(a.distance(*b) < 1e-6, "{a} {b}");
    }
}

#[test]
fn closing_a_seam_in_free_space_pushes_nobody() {
    // What the seam does to one panel it does to the other: the centre of mass stays where it is.
    let mut simulation = sewable(0.1, weightless());
    simulation.sew(Seam { pairs: 0..ROWS, from: 0.0, until: 0.3 });
    let centre = |simulation: &Simulation| {
        let areas = simulation.model().cloth().node_areas();
        let sum: DVec3 = simulation.positions().iter().zip(areas).map(|(p, a)| *p * *a).sum();
        sum / areas.iter().sum::<f64>()
    };
    let before = centre(&simulation);
    for _ in 0..50 {
        simulation.step().expect("a step");
    }
    assert!(distances(&simulation).iter().all(|d| *d < 1e-5));
    assert!(centre(&simulation).distance(before) < 1e-6);
}

#[test]
fn the_papers_solver_closes_a_seam_in_the_same_way() {
    let end = |method: Method| {
        let solver = Solver { method, ..Solver::default() };
        let mut simulation = sewable(0.1, Params { solver, ..Params::default() });
        simulation.grasp(Grasp::pin([(ROWS - 1) * COLUMNS]));
        simulation.sew(Seam { pairs: 0..ROWS, from: 0.05, until: 0.25 });
        (0..35).for_each(|_| _ = simulation.step().expect("a step"));
        simulation.positions().to_vec()
    };
    for (a, b) in end(Method::ActiveSet).iter().zip(&end(Method::Paper)) {
        assert!(a.distance(*b) < 1e-6, "{a} {b}");
    }
}

#[test]
fn a_sheet_is_sewn_to_a_tube() {
    // Bent round three quarters of a circle; its sides are then drawn together.
    let (around, rows) = (16, 6);
    let place = |s: f64, t: f64| {
        let angle = 1.5 * PI * (s - 0.5);
        DVec3::new(0.1 * angle.sin(), -0.1 * angle.cos(), 0.2 * t)
    };
    let sheet = Mesh::grid(around, rows, place).expect("a sheet");
    let pairs = (0..rows).map(|row| [row * around, row * around + around - 1]);
    let cloth = Cloth::new(sheet, RestShape::Mesh, Scheme::default()).with_seams(pairs).expect("seams");
    let material = Material { bending: 1e-5, ..Material::with_density(0.18) };
    let mut simulation = Simulation::new(cloth, Params { material, ..weightless() }, 0.01);
    simulation.sew(Seam { pairs: 0..rows, from: 0.0, until: 0.5 });
    for _ in 0..150 {
        let report = simulation.step().expect("a step");
        assert!(report.max_edge_strain < 1e-3, "{}", report.max_edge_strain);
    }
    for row in 0..rows {
        let at = |column: usize| simulation.positions()[row * around + column];
        assert!(at(0).distance(at(around - 1)) < 1e-5);
        // It is wide open: the seam is as far from its opposite as in a circle, or nearly.
        let across = at(0).distance(0.5 * (at(7) + at(8)));
        assert!((0.1..0.2).contains(&across), "{across}");
    }
}

#[test]
fn a_run_goes_on_to_the_same_bits_from_the_middle_of_a_seam() {
    let build = || {
        let mut simulation = sewable(0.1, Params::default());
        simulation.grasp(Grasp::pin([(ROWS - 1) * COLUMNS]));
        simulation.sew(Seam { pairs: 0..ROWS, from: 0.05, until: 0.35 });
        simulation
    };
    let mut whole = build();
    (0..20).for_each(|_| _ = whole.step().expect("a step"));
    let mut second = build();
    second.restore(whole.progress().clone()).expect("the same simulation");
    for _ in 0..30 {
        whole.step().expect("a step");
        second.step().expect("a step");
    }
    assert_eq!(whole.positions(), second.positions());
}

#[test]
fn pairs_that_cannot_be_sewn_are_refused() {
    let sew = |pairs: &[[usize; 2]]| {
        let cloth = Cloth::new(panels(0.1), RestShape::Mesh, Scheme::default());
        cloth.with_seams(pairs.iter().copied()).map(|cloth| cloth.seams().len())
    };
    assert_eq!(sew(&pairs()), Ok(ROWS));
    assert_eq!(sew(&[[0, 40], [1, 70]]), Err(SeamError::NoSuchNode { pair: 1, node: 70, nodes: 70 }));
    assert_eq!(sew(&[[3, 3]]), Err(SeamError::Itself { pair: 0, node: 3 }));
    assert_eq!(sew(&[[0, 6]]), Err(SeamError::Neighbours { pair: 0, nodes: [0, 6] }));
    assert_eq!(sew(&[[0, 40], [40, 0]]), Err(SeamError::Twice { pair: 1, nodes: [40, 0] }));
}
