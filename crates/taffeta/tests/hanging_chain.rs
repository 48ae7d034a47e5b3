//! A strip hung from its top swings at the frequencies of the hanging chain, `ω_n = (j_n/2)·√(δg/(ρL))`.

mod common;

use common::{G, Kind, undamped, within};
use taffeta::mesh::GridSide;
use taffeta::{DVec3, Grasp, Integrator, Params, Simulation};

/// Length of the strip, m.
const LENGTH: f64 = 1.0;

/// Zeros of the Bessel function J₀.
const ZEROS: [f64; 2] = [2.404_825_557_695_773, 5.520_078_110_286_311];

/// J₀ by its series, `Σ (−x²/4)^k / k!²`. For x ≤ 6 the largest term is 9³/(3!)² = 20, so 14 digits remain.
fn bessel_j0(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..40 {
        term *= -(x / 2.0).powi(2) / f64::from(k * k);
        sum += term;
    }
    sum
}

/// How a strip is released and followed.
#[derive(Clone, Copy, Debug)]
struct Swing {
    kind: Kind,
    /// Nodes along the strip.
    nodes: usize,
    /// Step length, s.
    dt: f64,
    /// Displacement of the free end over the length. The steepest slope is j²/4 times it, and a pendulum's period grows
    /// by 1/16 of the angle squared.
    amplitude: f64,
}

/// Places (y, z) of the rows of a strip in its `mode`, free end first: links of one length, displaced along y.
fn displaced(nodes: usize, amplitude: f64, mode: usize) -> Vec<(f64, f64)> {
    let link = LENGTH / (nodes - 1) as f64;
    let y: Vec<f64> = (0..nodes)
        .map(|k| amplitude * LENGTH * bessel_j0(ZEROS[mode] * (k as f64 / (nodes - 1) as f64).sqrt()))
        .collect();
    // From the held end (last) down to the free one.
    let mut places = vec![(y[nodes - 1], 0.0); nodes];
    for k in (0..nodes - 1).rev() {
        let drop = (link * link - (y[k + 1] - y[k]).powi(2)).sqrt();
        places[k] = (y[k], places[k + 1].1 - drop);
    }
    places
}

/// Period of the strip released in its `mode`, from the first and the third passage of its tip through zero, s.
fn period(swing: Swing, params: Params, mode: usize) -> f64 {
    let Swing { kind, nodes, dt, amplitude } = swing;
    let link = LENGTH / (nodes - 1) as f64;
    let cloth = kind.cloth(3, nodes, |s, t| DVec3::new(2.0 * link * s, 0.0, LENGTH * (t - 1.0)));
    let shape = cloth.mesh().grid_shape().expect("a grid");
    let mut simulation = Simulation::new(cloth, params, dt);
    let places = displaced(nodes, amplitude, mode);
    let state = simulation.state_mut();
    for (i, position) in state.positions.iter_mut().enumerate() {
        (position.y, position.z) = places[i / shape.nx];
    }
    state.forget_history();
    simulation.grasp(Grasp::pin(shape.side(GridSide::Top)).exact());

    let tip = shape.node(1, 0);
    let (mut passages, mut before) = (Vec::new(), simulation.positions()[tip].y);
    while passages.len() < 3 {
        simulation.step().unwrap_or_else(|error| panic!("{swing:?}, mode {mode}: {error}"));
        assert!(simulation.time() < 5.0, "{swing:?}, mode {mode}: the tip does not swing");
        let now = simulation.positions()[tip].y;
        if before * now < 0.0 {
            passages.push(simulation.time() - dt * now / (now - before));
        }
        before = now;
    }
    passages[2] - passages[0]
}

/// Second order in time, balanced to 1e-5 of gravity.
fn precise() -> Params {
    let mut params = Params { solver: within(1e-8, 1e-4), ..undamped() };
    params.solver.integrator = Integrator::Bdf2;
    params
}

/// Relative error of the period of a `mode`.
fn error(swing: Swing, params: Params, mode: usize) -> f64 {
    let weight = params.material.virtual_density / params.material.density;
    let frequency = ZEROS[mode] / 2.0 * (weight * G / LENGTH).sqrt();
    let error = period(swing, params, mode) * frequency / std::f64::consts::TAU - 1.0;
    println!("{swing:?}, mode {}: period off by {error:+.2e}", mode + 1);
    error
}

/// Quads in a swing so small (slopes below 7.6e-3) that its size adds less than 4e-6 to the period.
const SMALL: Swing = Swing { kind: Kind::Quads, nodes: 81, dt: 0.002, amplitude: 1e-3 };

#[test]
fn a_strip_of_quads_swings_like_a_hanging_chain() {
    for mode in [0, 1] {
        let found = error(SMALL, precise(), mode);
        assert!(found.abs() < 0.01, "mode {}: period off by {found}", mode + 1);
    }
}

#[test]
fn strips_of_triangles_swing_alike() {
    // Triangles are compliant in what their nodes do not see, here by a strain of 6e-5: neighbouring columns may differ
    // by √(2·6e-5) of a link, 0.3 mm. A swing of 30 mm is a hundred times that; its slopes of up to 0.04 and 0.23 add
    // 0.01 % and 0.33 % to the periods.
    for kind in Kind::ALL.into_iter().skip(1) {
        for mode in [0, 1] {
            let found = error(Swing { kind, nodes: 41, amplitude: 0.03, ..SMALL }, precise(), mode);
            assert!(found.abs() < 0.01, "{kind:?}, mode {}: period off by {found}", mode + 1);
        }
    }
}

#[test]
fn a_strip_that_weighs_less_than_its_inertia_swings_slower() {
    let mut params = precise();
    params.material.virtual_density = 0.5 * params.material.density;
    let found = error(Swing { nodes: 41, ..SMALL }, params, 0);
    assert!(found.abs() < 0.01, "period off by {found}");
}

#[test]
fn implicit_euler_swings_slower_by_the_square_of_its_step() {
    // It turns an oscillation by atan(ω·dt) per step instead of ω·dt: the period grows by (ω·dt)²/3.
    let mut params = Params { solver: within(1e-7, 1e-6), ..undamped() };
    params.solver.integrator = Integrator::ImplicitEuler;
    let [coarse, fine] = [0.008, 0.004].map(|dt| error(Swing { nodes: 41, dt, ..SMALL }, params, 0));
    let omega = ZEROS[0] / 2.0 * (G / LENGTH).sqrt();
    let expected = omega.powi(2) * (0.008f64.powi(2) - 0.004f64.powi(2)) / 3.0;
    // The next term of atan is (ω·dt)² = 1e-3 times this one; a passage found by a straight line between two steps is
    // off by less than (ω·dt)³/16 of a radian, 3e-7 of a period and 1e-3 of this. Five times both together:
    assert!(((coarse - fine) / expected - 1.0).abs() < 0.01, "{} instead of {expected}", coarse - fine);
}
