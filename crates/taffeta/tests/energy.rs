//! Without damping and driving nobody adds energy: implicit Euler only loses some.
//!
//! With `d` the displacement of a step and rows of curvature `S`, it changes the energy by
//! `−½ρ|Δv|² − ½ Σ λ dᵀS d`: under tension both terms lose, so what is gained is what was left unsolved.

mod common;

use common::{G, Kind, undamped, within};
use taffeta::cloth::Cloth;
use taffeta::mesh::{GridCorner, GridSide};
use taffeta::{DVec3, Grasp, Params, Simulation, StepReport};

/// Length of the strip and of the sheet, m.
const LENGTH: f64 = 0.6;

/// A strip held at one end, horizontal: it swings down, and its end whips like the second arm of a double pendulum.
fn strip() -> (Cloth, Vec<usize>) {
    let cloth = Kind::Quads.cloth(3, 21, |s, t| DVec3::new(0.06 * s, LENGTH * t, 0.0));
    let held = cloth.mesh().grid_shape().expect("a grid").side(GridSide::Top);
    (cloth, held)
}

/// A sheet held at two corners, horizontal and straight between them.
fn sheet() -> (Cloth, Vec<usize>) {
    let cloth = Kind::Quads.cloth(7, 9, |s, t| DVec3::new(0.45 * s, LENGTH * t, 0.0));
    let shape = cloth.mesh().grid_shape().expect("a grid");
    let held = vec![shape.corner(GridCorner::TopLeft), shape.corner(GridCorner::TopRight)];
    (cloth, held)
}

/// Energy of shear, J: half the angle's sine squared over the compliance, per area of every quad at its centre.
fn shear_energy(simulation: &Simulation) -> f64 {
    let mesh = simulation.model().cloth().mesh();
    // Sides of a quad's middle cross, for any positions of its nodes.
    let cross = |at: &[DVec3], n: &[usize]| {
        let [a, b, c, d] = [at[n[0]], at[n[1]], at[n[2]], at[n[3]]];
        ((b + c - a - d) / 2.0, (c + d - a - b) / 2.0)
    };
    let energy = mesh.elements().iter().map(|element| {
        let (rest_u, rest_v) = cross(mesh.positions(), element.nodes());
        let (u, v) = cross(simulation.positions(), element.nodes());
        let sine = u.dot(v) / (rest_u.length() * rest_v.length());
        0.5 * rest_u.cross(rest_v).length() * sine * sine / simulation.params.material.shear_compliance
    });
    energy.sum()
}

/// What one step may add, J, from what it left unsolved. Unbalanced forces do at most (rms acceleration) · (mass) ·
/// (rms velocity) · dt of work. Strains left before and after release at most their sum times the virial Σ
/// tension·length of the edges; a cloth of this mass that falls by its length and is stopped within it is pulled by
/// less than ten times its weight.
fn allowance(before: &StepReport, after: &StepReport, mass: f64, dt: f64) -> f64 {
    let speed = (2.0 * after.kinetic_energy / mass).sqrt();
    after.unbalanced * mass * speed * dt + (before.residual + after.residual) * 10.0 * mass * G * LENGTH
}

/// Time up to which a strip swings down without whipping, s: it has fallen by 0.11 m.
const SMOOTH: f64 = 0.15;

/// Releases a cloth and follows its energy for 1.5 s, the time of a swing and back. Returns the energy
/// lost up to [`SMOOTH`], J.
fn assert_no_gain(name: &str, (cloth, held): (Cloth, Vec<usize>), params: Params, dt: f64) -> f64 {
    let mass = params.material.density * cloth.rest_area();
    let mut simulation = Simulation::new(cloth, params, dt);
    simulation.grasp(Grasp::pin(held).exact());
    // At rest at z = 0, flat.
    let (mut energy, mut report, mut lost) = (0.0, StepReport::default(), 0.0);
    let (mut gravity, mut retries) = (0.0, 0);
    for _ in 0..(1.5 / dt).round() as usize {
        let now = simulation.step().unwrap_or_else(|error| panic!("{name}: {error}"));
        let (total, shear) = (now.energy(), shear_energy(&simulation));
        // Threads are hard, and store little.
        let rest = simulation.model().cloth().mesh().positions();
        let stretched = |[a, b]: [usize; 2]| {
            simulation.positions()[a].distance(simulation.positions()[b]) - rest[a].distance(rest[b])
        };
        let threads: f64 = simulation.tensions().map(|(ends, tension)| 0.5 * tension * stretched(ends)).sum();
        let (elastic, off) = (now.elastic_energy, 0.02 * shear + 0.3 * threads.abs() + 1e-8);
        assert!((elastic - shear - threads).abs() < off, "{elastic} J, not {shear} J and {threads} J");
        let allowed = allowance(&report, &now, mass, dt);
        let gain = total - energy;
        assert!(gain < allowed, "{name}: {gain:e} J gained at {} s, {allowed:e} J allowed", simulation.time());
        if simulation.time() < SMOOTH + dt / 2.0 {
            lost = -total;
        }
        retries += now.retries;
        gravity = f64::min(gravity, now.gravity_energy);
        (energy, report) = (total, now);
    }
    println!(
        "{name}: {retries} retries, lost {:.1} % of {:.3} J",
        -100.0 * energy / mass / G / LENGTH,
        mass * G * LENGTH
    );
    // It did swing: its middle fell by a third of its length at least.
    assert!(-gravity > 0.33 * mass * G * LENGTH, "{name}: hardly moved");
    lost
}

/// Tolerances so tight that the allowance is below 1e-4 of the energy of the fall.
fn tight(bending: f64) -> Params {
    let mut params = Params { solver: within(1e-5, 1e-4), ..undamped() };
    params.material.bending = bending;
    params
}

/// Step lengths, s: from twice the usual one to a tenth of it.
const STEP_LENGTHS: [f64; 5] = [0.02, 0.01, 0.005, 0.002, 0.001];

#[test]
fn a_falling_strip_gains_no_energy() {
    for dt in STEP_LENGTHS {
        for bending in [0.0, 1e-4] {
            assert_no_gain(&format!("strip, {bending} N·m, {dt} s"), strip(), tight(bending), dt);
        }
    }
}

#[test]
fn a_falling_sheet_gains_no_energy() {
    for dt in STEP_LENGTHS {
        for bending in [0.0, 1e-4] {
            assert_no_gain(&format!("sheet, {bending} N·m, {dt} s"), sheet(), tight(bending), dt);
        }
    }
}

#[test]
fn the_energy_lost_is_of_first_order_in_the_step() {
    // Implicit Euler loses ½ρ|Δv|² per step. The next order is ω·dt of it: 2 % for swings of 10 rad/s, and twice that
    // for the quotient.
    let lost = [0.004, 0.002, 0.001].map(|dt| assert_no_gain("strip", strip(), tight(0.0), dt));
    for pair in lost.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((ratio - 2.0).abs() < 0.1, "half the step, {ratio} of the loss");
    }
}
