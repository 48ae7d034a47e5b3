//! Cloth that is pressed: between plates, between fingers, and in layers.

mod common;

use common::grip::{THICKNESS as LAYER, gripper, run as run_for, shifted_sheets};
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Cuboid, Motion, Obstacle, Pose, Sphere, Travel};
use taffeta::{DQuat, DVec3, Grasp, Gripper, Keyframes, Pad, Params, Simulation, StepReport};

const THICKNESS: f64 = 2e-3;
const STIFFNESS: f64 = 2e4;
const SOLID: f64 = 0.15;

/// Pa: the pressure that leaves this much of the thickness, by the law that Bogaty and others measured:
/// `(p + c)(τ − τ_s) = c (τ₀ − τ_s)` with `c = E (1 − s)`.
fn pressure_at(left: f64) -> f64 {
    let c = STIFFNESS * (1.0 - SOLID);
    c * (1.0 - SOLID) / (left - SOLID) - c
}

/// A level sheet of `n × n` nodes.
fn sheet(n: usize, size: f64, dt: f64) -> Simulation {
    let place = |s: f64, t: f64| DVec3::new(size * (s - 0.5), size * (t - 0.5), 0.5 * THICKNESS);
    let cloth = Cloth::new(Mesh::grid(n, n, place).expect("a sheet"), RestShape::Mesh, Scheme::default());
    let fabric = Material::with_density(0.2);
    let material = Material { thickness: THICKNESS, compression: STIFFNESS, solid_fraction: SOLID, ..fabric };
    Simulation::new(cloth, Params { material, ..Params::default() }, dt)
}

/// A body that comes down, so that its lowest point is `end` above the table after a quarter of a second.
fn lowered(name: &str, shape: impl taffeta::obstacle::Implicit + 'static, above: f64, end: f64) -> Obstacle {
    let places = [THICKNESS + 1e-3, end].map(|z| Pose::new(DQuat::IDENTITY, DVec3::Z * (z + above)));
    let travel = Travel::Keyframes(Keyframes::linear([0.0, 0.25], places));
    Obstacle::new(name, shape).with_friction(0.5).with_motion(Motion { start: places[0], travel })
}

fn run(simulation: &mut Simulation, seconds: f64) -> StepReport {
    let mut last = StepReport::default();
    for step in 0..(seconds / simulation.dt()).round() as usize {
        last = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
    }
    last
}

#[test]
fn plates_feel_the_pressure_of_the_law_whatever_the_mesh_and_the_step() {
    let size = 0.1;
    for left in [0.9, 0.6, 0.3] {
        for (n, dt) in [(4, 0.01), (9, 0.01), (9, 0.0025)] {
            let mut simulation = sheet(n, size, dt);
            simulation.add_obstacle(Obstacle::new("table", Cuboid::table(1.0, 1.0, 0.05)).with_friction(0.5));
            simulation.add_obstacle(lowered("plate", Cuboid::new(DVec3::splat(0.1)), 0.1, left * THICKNESS));
            let last = run(&mut simulation, 0.4);
            let pressure = simulation.obstacle_force(1).z / (size * size);
            let expected = pressure_at(left);
            println!("{left} of the thickness, {n} nodes, {dt} s: {pressure:.1} Pa, the law says {expected:.1}");
            // The gap may be off by its tolerance.
            let slack = simulation.params.solver.gap_tolerance / THICKNESS;
            let [least, most] = [left + slack, left - slack].map(pressure_at);
            assert!(least <= pressure && pressure <= most, "{pressure} Pa, not {least} to {most}");
            assert!((last.max_compression - (1.0 - left)).abs() < 0.02, "{}", last.max_compression);
        }
    }
}

/// The force of two finger tips that close on a sheet until this much of its thickness is left between them, N, and the largest pressure, Pa.
fn pinched(left: f64, friction: f64, dt: f64, gap_tolerance: f64) -> [f64; 2] {
    let mut simulation = sheet(9, 0.1, dt);
    simulation.params.solver.gap_tolerance = gap_tolerance;
    // Smaller than a cell, and not at a node.
    let tip = |name: &str| Obstacle::new(name, Sphere::new(8e-3)).with_friction(friction);
    let place = |z: f64| Pose::from_translation(DVec3::new(4e-3, 3e-3, z));
    simulation.add_obstacle(tip("below").at(place(-8e-3)));
    let places = [THICKNESS + 1e-3, left * THICKNESS].map(|gap| place(gap + 8e-3));
    let travel = Travel::Keyframes(Keyframes::linear([0.0, 0.25], places));
    simulation.add_obstacle(tip("above").with_motion(Motion { start: places[0], travel }));
    let last = run(&mut simulation, 0.4);
    [simulation.obstacle_force(1).z, last.max_pressure]
}

#[test]
fn fingers_closer_than_the_cloth_is_thick_press_it_and_nothing_is_refused() {
    for left in [0.2, 0.4, 0.6, 0.8, 1.0] {
        for dt in [0.01, 0.005, 0.0025] {
            let [force, _] = pinched(left, 0.8, dt, 2e-5);
            assert!(force.is_finite() && force >= 0.0, "{left} of the thickness, {dt} s: {force} N");
        }
    }
}

#[test]
fn fingers_press_as_the_law_says_where_they_are_closest_and_their_force_does_not_depend_on_the_step() {
    for (left, friction) in [(0.2, 0.05), (0.2, 0.8), (0.5, 0.05), (0.5, 0.8)] {
        let found = [0.005, 0.0025].map(|dt| pinched(left, friction, dt, 2e-7));
        println!("{left} of the thickness, friction {friction}: {found:.3?} N and Pa");
        for [_, pressure] in found {
            assert!((pressure / pressure_at(left) - 1.0).abs() < 0.03, "{pressure} Pa, not {}", pressure_at(left));
        }
        // With much friction the cloth between them is stretched by how they closed, which is chance.
        let [[before, _], [last, _]] = found;
        assert!(friction > 0.1 || (last / before - 1.0).abs() < 0.03, "{before} N and {last} N");
    }
}

#[test]
fn layers_are_pressed_together_as_the_law_says_however_their_nodes_lie_on_each_other() {
    let (size, force) = (0.1, 150.0);
    for count in [1, 2, 3usize] {
        // Node on node, nearly so, on edges, and anywhere.
        for shift in [DVec3::ZERO, DVec3::new(1e-6, 0.0, 2e-6), DVec3::X * 4e-3, DVec3::new(3e-3, 0.0, 4e-3)] {
            let n = 9;
            let mut simulation = shifted_sheets(count, n, size, shift, 0.005);
            simulation.params.solver.gap_tolerance = 2e-6;
            let pad = Pad::Rectangle([1.3 * size; 2]);
            simulation.add_gripper(Gripper { pad, force, ..gripper(DVec3::ZERO) }).expect("a gripper");
            simulation.grasp(Grasp::pin((0..count).map(|k| k * n * n + n * (n - 1)).collect::<Vec<_>>()));
            run_for(&mut simulation, 0.3);
            let reading = simulation.grip_readings()[0];
            // The law of the default fabric: what plates press is all of the area, between layers it is where they cover each other.
            let left = |area: f64| SOLID + (1.0 - SOLID) / (1.0 + force / (area * STIFFNESS * (1.0 - SOLID)));
            let covered = (size - shift.x) * (size - shift.z);
            let expected = LAYER * (left(size * size) + (count - 1) as f64 * left(covered));
            let opening = reading.opening;
            println!(
                "{count} layers, {shift}: {:.4} mm between the pads, expected {:.4}",
                1e3 * opening,
                1e3 * expected
            );
            let tolerance = if shift.length() < 1e-3 { 0.01 } else { 0.02 };
            assert!((opening / expected - 1.0).abs() < tolerance, "{opening} m, not {expected} m");
        }
    }
}
