//! What bodies, hands, grippers and cloth do to each other adds up: forces at rest, momentum and energy in motion.

mod common;

use common::G;
use common::grip::{gripper, run, sheets, weight};
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Cuboid, Dynamics, Inertia, Obstacle, Plane, Pose};
use taffeta::{BodyState, DQuat, DVec3, Grasp, Params, Simulation};

const DENSITY: f64 = 0.2;

/// A level sheet of `n × n` nodes. Nothing damps it.
fn sheet(n: usize, size: f64, dt: f64) -> Simulation {
    let place = |s: f64, t: f64| DVec3::new(size * (s - 0.5), size * (t - 0.5), 0.0);
    let cloth = Cloth::new(Mesh::grid(n, n, place).expect("a sheet"), RestShape::Mesh, Scheme::default());
    let material = Material { damping: 0.0, ..Material::with_density(DENSITY) };
    Simulation::new(cloth, Params { material, ..Params::default() }, dt)
}

fn body(simulation: &Simulation, obstacle: usize) -> BodyState {
    simulation.state().bodies[obstacle].expect("a body that moves by the forces on it")
}

#[test]
fn forces_of_grippers_bodies_and_hands_balance_weights_at_rest() {
    for tolerance in [0.5, 1e-5] {
        // A gripper that holds a sheet.
        let mut held = sheets(1, 9, 0.1, 0.01);
        held.params.material.damping = 20.0 * DENSITY;
        held.params.solver.acceleration_tolerance = tolerance;
        held.add_gripper(gripper(DVec3::Z * 0.0375)).expect("a gripper");
        held.grasp(Grasp { until: 0.2, ..Grasp::pin((72..81).collect::<Vec<_>>()) });
        run(&mut held, 6.0);
        let pads = held.grip_readings()[0].tangential_force - DVec3::Z * weight(&held);
        // A box that lies on a sheet, which is held at its corners.
        let mut loaded = sheet(7, 0.4, 0.01);
        loaded.params.material.damping = 20.0 * DENSITY;
        loaded.params.solver.acceleration_tolerance = tolerance;
        loaded.grasp(Grasp::pin([0, 6, 42, 48]));
        let place = Pose::from_translation(DVec3::Z * 0.031);
        loaded
            .add_obstacle(Obstacle::new("box", Cuboid::new(DVec3::splat(0.03))).with_friction(0.5).at(place).free(0.2));
        run(&mut loaded, 10.0);
        let lies = loaded.obstacle_force(0) - DVec3::Z * (0.2 * G);
        let hands: DVec3 = loaded.held_forces().iter().sum();
        let hands = hands - DVec3::Z * (0.2 * G + DENSITY * 0.16 * G);
        println!(
            "within {tolerance} m/s²: pads {:.1e} of {:.4} N, box {:.1e}, hands {:.1e} of 1.96 N",
            pads.length(),
            weight(&held),
            lies.length(),
            hands.length()
        );
        if tolerance < 1e-3 {
            assert!(pads.length() < 1e-6 * weight(&held), "{pads} N");
            assert!(lies.length() < 1e-6 * 0.2 * G && hands.length() < 1e-6 * 0.2 * G, "{lies} N, {hands} N");
        }
    }
}

/// A box that hits a sheet beside its middle, turning, without gravity. Momentum and angular momentum of both at the start and at the end, and the
/// largest change of momentum in a step.
fn hit(dt: f64) -> ([DVec3; 2], [DVec3; 2], f64) {
    let mut simulation = sheet(9, 0.3, dt);
    simulation.params.gravity = DVec3::ZERO;
    simulation.params.solver.acceleration_tolerance = 1e-7;
    let shape = Cuboid::new(DVec3::new(0.03, 0.05, 0.02));
    let inertia = Inertia::of(&shape, 0.1).expect("a box");
    let (velocity, angular_velocity) = (DVec3::new(0.2, 0.1, -1.5), DVec3::new(1.0, -2.0, 3.0));
    let moving = Dynamics { velocity, angular_velocity, ..Dynamics::free(inertia) };
    let start = Pose::new(DQuat::from_rotation_x(0.3), DVec3::new(0.06, -0.04, 0.06));
    simulation.add_obstacle(Obstacle::new("box", shape).with_friction(0.4).at(start).with_dynamics(moving));
    let areas = simulation.model().cloth().node_areas().to_vec();
    let momenta = |simulation: &Simulation| {
        let now = body(simulation, 0);
        let turn = glam::DMat3::from_quat(now.pose.rotation);
        let spin = turn * inertia.moments * turn.transpose() * now.angular_velocity;
        let centre = now.pose.translation;
        let mut sum = [now.velocity * 0.1, spin + centre.cross(now.velocity * 0.1)];
        for ((x, v), area) in simulation.positions().iter().zip(simulation.velocities()).zip(&areas) {
            sum[0] += *v * (DENSITY * area);
            sum[1] += x.cross(*v * (DENSITY * area));
        }
        sum
    };
    simulation.step().expect("a step");
    let first = momenta(&simulation);
    let (mut before, mut worst) = (first, 0.0);
    for _ in 1..(0.2 / dt).round() as usize {
        simulation.step().unwrap_or_else(|error| panic!("at {} s: {error}", simulation.time()));
        let now = momenta(&simulation);
        worst = f64::max(worst, (now[0] - before[0]).length());
        before = now;
    }
    assert!(body(&simulation, 0).velocity.z > -1.45, "it hit nothing");
    (first, before, worst)
}

#[test]
fn a_turning_box_that_hits_a_sheet_off_centre_keeps_momentum_and_loses_angular_momentum_in_proportion_to_the_step() {
    let mut drifts = Vec::new();
    for dt in [0.004, 0.002, 0.001] {
        let (first, last, worst) = hit(dt);
        let drift = (last[1] - first[1]).length();
        println!(
            "{dt} s: momentum changes by at most {worst:.1e} N s in a step, angular momentum by {:.3} %",
            1e2 * drift / first[1].length()
        );
        assert!(worst < 1e-9, "{worst} N s");
        drifts.push(drift);
    }
    for pair in drifts.windows(2) {
        let ratio = pair[1] / pair[0];
        assert!((0.3..0.7).contains(&ratio), "{drifts:?}");
    }
}

#[test]
fn the_energy_of_a_box_on_a_sheet_that_is_held_at_its_corners_does_not_grow() {
    for thickness in [0.0, 2e-3] {
        let mut simulation = sheet(9, 0.4, 0.005);
        simulation.params.material.thickness = thickness;
        simulation.params.solver.acceleration_tolerance = 1e-4;
        simulation.params.solver.friction_tolerance = 1e-3;
        simulation.grasp(Grasp::pin([0, 8, 72, 80]));
        let place = Pose::from_translation(DVec3::new(0.03, 0.02, 0.06));
        simulation
            .add_obstacle(Obstacle::new("box", Cuboid::new(DVec3::splat(0.03))).with_friction(0.4).at(place).free(0.2));
        let (mut before, mut most, mut growth) = (f64::INFINITY, 0.0, f64::NEG_INFINITY);
        let mut lowest = f64::INFINITY;
        for _ in 0..300 {
            let report = simulation.step().unwrap_or_else(|error| panic!("at {} s: {error}", simulation.time()));
            let energy = report.energy();
            growth = f64::max(growth, energy - before);
            (before, lowest) = (energy, f64::min(lowest, energy));
            most = f64::max(most, energy.abs());
        }
        println!(
            "thickness {thickness} m: grows by at most {growth:.1e} J in a step; from {most:.4} J to {lowest:.4} J"
        );
        assert!(growth < 1e-6 * most, "{growth} J of {most} J");
    }
}

#[test]
fn a_box_on_a_slope_with_cloth_between_sticks_and_slides_as_coulomb_says() {
    // The cloth on the slope has the friction of the slope, the box on the cloth its own: what is less decides what moves.
    for (degrees, slope, own) in [(20.0f64, 0.5, 0.5), (20.0, 0.6, 0.25), (20.0, 0.25, 0.6)] {
        let angle = degrees.to_radians();
        let turn = DQuat::from_rotation_y(angle);
        let n = 13;
        let place = |s: f64, t: f64| turn * DVec3::new(0.36 * (s - 0.5), 0.36 * (t - 0.5), 1e-3);
        let cloth = Cloth::new(Mesh::grid(n, n, place).expect("a sheet"), RestShape::Mesh, Scheme::default());
        let material = Material { damping: 0.0, thickness: 2e-3, ..Material::with_density(DENSITY) };
        let mut simulation = Simulation::new(cloth, Params { material, ..Params::default() }, 0.005);
        simulation.params.solver.friction_tolerance = 1e-3;
        simulation.add_obstacle(Obstacle::new("slope", Plane).with_friction(slope).at(Pose::new(turn, DVec3::ZERO)));
        let start = Pose::new(turn, turn * (DVec3::Z * 0.032));
        let shape = Cuboid::new(DVec3::new(0.05, 0.05, 0.03));
        simulation.add_obstacle(Obstacle::new("box", shape).with_friction(own).at(start).free(1.0));
        run(&mut simulation, 0.1);
        let down = turn * DVec3::X;
        let before = body(&simulation, 1).velocity.dot(down);
        run(&mut simulation, 0.2);
        let found = (body(&simulation, 1).velocity.dot(down) - before) / 0.2;
        let expected = f64::max(0.0, G * (angle.sin() - f64::min(slope, own) * angle.cos()));
        println!("{degrees}°, μ {slope} and {own}: {found} m/s², expected {expected}");
        if expected == 0.0 {
            assert!(found.abs() < 1e-2, "{found} m/s²");
        } else {
            assert!((found / expected - 1.0).abs() < 0.02, "{found} m/s², not {expected}");
        }
    }
}
