//! Bodies that move by the forces on them: freely, on the world, and on cloth.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Cuboid, Dynamics, Inertia, Obstacle, Plane, Pose, Sphere};
use taffeta::{BodyState, DQuat, DVec3, Params, Simulation, StepReport};

const G: f64 = 9.81;

/// A level sheet of `n × n` nodes in this height.
fn sheet(n: usize, size: f64, height: f64, dt: f64) -> Simulation {
    let place = |s: f64, t: f64| DVec3::new(size * (s - 0.5), size * (t - 0.5), height);
    let cloth = Cloth::new(Mesh::grid(n, n, place).expect("a sheet"), RestShape::Mesh, Scheme::default());
    let material = Material { damping: 0.0, ..Material::with_density(0.2) };
    Simulation::new(cloth, Params { material, ..Params::default() }, dt)
}

fn body(simulation: &Simulation, obstacle: usize) -> BodyState {
    simulation.state().bodies[obstacle].expect("a body that moves by the forces on it")
}

fn run(simulation: &mut Simulation, seconds: f64) -> StepReport {
    let mut last = StepReport::default();
    for step in 0..(seconds / simulation.dt()).round() as usize {
        last = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
    }
    last
}

#[test]
fn a_free_body_falls_as_implicit_euler_does() {
    let dt = 0.01;
    let mut simulation = sheet(3, 0.1, 5.0, dt);
    simulation.add_obstacle(Obstacle::new("box", Cuboid::new(DVec3::splat(0.1))).free(2.0));
    run(&mut simulation, 0.5);
    let now = body(&simulation, 0);
    let expected = -G * dt * dt * (50.0 * 51.0) / 2.0;
    assert!((now.pose.translation.z / expected - 1.0).abs() < 1e-9, "{} m, not {expected} m", now.pose.translation.z);
    assert!((now.velocity.z / (-G * 0.5) - 1.0).abs() < 1e-9);
}

#[test]
fn a_body_that_tumbles_freely_keeps_its_angular_momentum() {
    let shape = Cuboid::new(DVec3::new(0.05, 0.1, 0.2));
    let inertia = Inertia::of(&shape, 1.5).expect("a box");
    let mut drifts = Vec::new();
    for dt in [0.01, 0.005] {
        let mut simulation = sheet(3, 0.1, 5.0, dt);
        simulation.params.gravity = DVec3::ZERO;
        simulation.params.solver.acceleration_tolerance = 1e-9;
        let moving = Dynamics {
            velocity: DVec3::new(0.3, 0.0, 0.1),
            angular_velocity: DVec3::new(1.0, 5.0, 2.0),
            ..Dynamics::free(inertia)
        };
        simulation.add_obstacle(Obstacle::new("box", shape).with_dynamics(moving));
        let momentum = |state: &BodyState| {
            let turn = glam::DMat3::from_quat(state.pose.rotation);
            turn * inertia.moments * turn.transpose() * state.angular_velocity
        };
        let before = inertia.moments * moving.angular_velocity;
        run(&mut simulation, 1.0);
        let now = body(&simulation, 0);
        assert!((momentum(&now) - before).length() < 1e-9 * before.length(), "{} {before}", momentum(&now));
        assert!((now.velocity - moving.velocity).length() < 1e-12);
        let energy = 0.5 * now.angular_velocity.dot(momentum(&now));
        drifts.push(energy - 0.5 * moving.angular_velocity.dot(before));
    }
    // Energy is lost as implicit Euler loses it: in proportion to dt.
    println!("{drifts:?} J");
    assert!(drifts.iter().all(|drift| *drift <= 1e-12));
}

#[test]
fn a_box_on_an_incline_sticks_and_slides_as_coulomb_says() {
    let dt = 0.005;
    for (degrees, friction) in [(20.0f64, 0.4), (20.0, 0.3), (30.0, 0.5), (30.0, 0.6)] {
        let angle = degrees.to_radians();
        let turn = DQuat::from_rotation_y(angle);
        let mut simulation = sheet(3, 0.1, 5.0, dt);
        simulation.params.solver.friction_tolerance = 1e-3;
        simulation.add_obstacle(Obstacle::new("slope", Plane).with_friction(friction).at(Pose::new(turn, DVec3::ZERO)));
        let start = Pose::new(turn, turn * (DVec3::Z * 0.05));
        let shape = Cuboid::new(DVec3::new(0.1, 0.1, 0.05));
        simulation.add_obstacle(Obstacle::new("box", shape).with_friction(friction).at(start).free(1.0));
        run(&mut simulation, 0.5);
        let now = body(&simulation, 1);
        let down = turn * DVec3::X;
        let slid = (now.pose.translation - start.translation).dot(down);
        let speed = now.velocity.dot(down);
        let expected = f64::max(0.0, G * (angle.sin() - friction * angle.cos()) * 0.5);
        println!("{degrees}°, μ {friction}: {speed} m/s, expected {expected}; slid {slid} m");
        if expected == 0.0 {
            assert!(speed.abs() < 1e-4 && slid.abs() < 1e-4, "{speed} m/s, {slid} m");
        } else {
            assert!((speed / expected - 1.0).abs() < 0.01, "{speed} m/s, not {expected}");
        }
        let off = (now.pose.translation - start.translation).dot(turn * DVec3::Z);
        assert!(off.abs() < 1e-4, "{off} m off the slope");
    }
}

#[test]
fn a_ball_comes_to_rest_on_a_sheet_that_is_held_at_its_corners_and_its_weight_is_carried() {
    let mut simulation = sheet(9, 0.5, 0.0, 0.01);
    simulation.params.material.damping = 1.0;
    simulation.grasp(taffeta::Grasp::pin([0, 8, 72, 80]));
    simulation.add_obstacle(
        Obstacle::new("ball", Sphere::new(0.05))
            .with_friction(0.5)
            .at(Pose::from_translation(DVec3::Z * 0.06))
            .free(0.2),
    );
    let last = run(&mut simulation, 4.0);
    let now = body(&simulation, 0);
    let force = simulation.obstacle_force(0);
    assert!((force.z / (0.2 * G) - 1.0).abs() < 0.01, "{force} N");
    assert!(last.min_gap > -2e-5, "{} m", last.min_gap);
    let cloth: f64 = simulation.params.material.density * simulation.model().cloth().node_areas().iter().sum::<f64>();
    let held: f64 = simulation.held_forces().iter().map(|f| f.z).sum();
    println!("held {held} N, weight {} N, velocity {}", (cloth + 0.2) * G, now.velocity);
    assert!((held / ((cloth + 0.2) * G) - 1.0).abs() < 0.01);
}

#[test]
fn cloth_and_a_free_body_keep_their_momentum_together() {
    let mut simulation = sheet(9, 0.3, 0.0, 0.005);
    simulation.params.gravity = DVec3::ZERO;
    simulation.params.solver.acceleration_tolerance = 1e-7;
    let inertia = Inertia::of(&Sphere::new(0.05), 0.1).expect("a ball");
    let moving = Dynamics { velocity: DVec3::new(0.2, 0.1, -2.0), ..Dynamics::free(inertia) };
    let start = Pose::from_translation(DVec3::new(0.02, 0.01, 0.07));
    simulation
        .add_obstacle(Obstacle::new("ball", Sphere::new(0.05)).with_friction(0.4).at(start).with_dynamics(moving));
    let areas = simulation.model().cloth().node_areas().to_vec();
    let momentum = |simulation: &Simulation| {
        let cloth: DVec3 = simulation.velocities().iter().zip(&areas).map(|(v, a)| *v * (*a * 0.2)).sum();
        cloth + body(simulation, 0).velocity * 0.1
    };
    simulation.step().expect("a step");
    let mut before = momentum(&simulation);
    for step in 1..100 {
        simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        let now = momentum(&simulation);
        assert!((now - before).length() < 1e-9, "step {step}: {before} became {now}");
        before = now;
    }
    assert!(body(&simulation, 0).velocity.z > -1.9, "{:?}", body(&simulation, 0));
}

/// A box of 0.5 kg on a tablecloth that is pulled along x with this acceleration for half a second, after a smooth start. How far box and
/// cloth have gone then, m, and the acceleration of the box in its second half, m/s².
fn pull_from_under(friction: f64, acceleration: f64, dt: f64) -> [f64; 3] {
    let n = 17;
    let mut simulation = sheet(n, 0.8, 1e-3, dt);
    simulation.params.material.thickness = 2e-3;
    simulation.params.solver.friction_tolerance = 1e-3;
    simulation.add_obstacle(Obstacle::new("table", Cuboid::table(6.0, 2.0, 0.05)).with_friction(0.1));
    let place = Pose::from_translation(DVec3::new(-0.11, 0.013, 0.052));
    let shape = Cuboid::new(DVec3::new(0.06, 0.05, 0.05));
    simulation.add_obstacle(Obstacle::new("box", shape).with_friction(friction).at(place).free(0.5));
    let edge: Vec<usize> = (0..n).map(|row| row * n + n - 1).collect();
    // The acceleration grows in 0.1 s.
    let ramp = 0.1;
    let way = |t: f64| {
        let jerk = acceleration / ramp;
        if t < ramp {
            jerk * t.powi(3) / 6.0
        } else {
            let s = t - ramp;
            jerk * ramp.powi(3) / 6.0 + jerk * ramp * ramp / 2.0 * s + 0.5 * acceleration * s * s
        }
    };
    let times: Vec<f64> = (0..=120).map(|k| 0.005 * f64::from(k)).collect();
    let offsets: Vec<DVec3> = times.iter().map(|t| DVec3::X * way(*t)).collect();
    let path = taffeta::Path::Keyframes(taffeta::Keyframes::linear(times, offsets));
    simulation.grasp(taffeta::Grasp::moving(edge.clone(), path));
    run(&mut simulation, 0.25);
    let before = body(&simulation, 1).velocity.x;
    run(&mut simulation, 0.25);
    let now = body(&simulation, 1);
    let cloth = simulation.positions()[edge[n / 2]].x - 0.4;
    [now.pose.translation.x - place.translation.x, cloth, (now.velocity.x - before) / 0.25]
}

#[test]
fn a_box_on_a_tablecloth_comes_along_when_it_is_pulled_slowly_and_stays_when_it_is_pulled_fast() {
    let friction = 0.3;
    // Just below and above the threshold, and far above.
    for part in [0.98, 1.02, 2.0] {
        let [went, cloth, acceleration] = pull_from_under(friction, part * friction * G, 0.005);
        let slip = cloth - went;
        println!(
            "{part} μg: the box went {went} m, the cloth {cloth} m, the box is accelerated by {acceleration} m/s²"
        );
        if part < 1.0 {
            assert!(slip.abs() < 2e-3, "slipped {slip} m");
        } else {
            assert!(slip > 1e-3, "slipped {slip} m");
            assert!((acceleration / (friction * G) - 1.0).abs() < 0.02, "{acceleration} m/s²");
        }
    }
}
