//! What hands and bodies do to cloth that has nowhere to go: it gives, or they do, and no step is refused.

mod common;

use common::layers::{THICKNESS, assert_clear};
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Capsule, Cuboid, Motion, Obstacle, Plane, Pose, Sphere, Travel};
use taffeta::{DQuat, DVec3, Grasp, Interpolation, Keyframes, Params, Path, SelfContact, Simulation};

/// The lengths of steps in which everything is tried, s.
const STEPS: [f64; 3] = [0.01, 0.005, 0.0025];

/// Nodes along a side of a towel.
const N: usize = 9;

/// A towel with nodes at `place(s, t)`, a little stiff.
fn towel(friction: f64, dt: f64, place: impl Fn(f64, f64) -> DVec3) -> Simulation {
    let cloth = Cloth::new(Mesh::grid(N, N, place).expect("a towel"), RestShape::Mesh, Scheme::default());
    let material = Material { thickness: THICKNESS, bending: 1e-5, damping: 0.2, ..Material::with_density(0.2) };
    let self_contact = Some(SelfContact { friction, ..SelfContact::default() });
    Simulation::new(cloth, Params { material, self_contact, ..Params::default() }, dt)
}

/// A towel that lies on the floor.
fn on_the_floor(friction: f64, dt: f64) -> Simulation {
    let place = |s: f64, t: f64| DVec3::new(0.3 * (s - 0.5), 0.3 * (t - 0.5), 0.5 * THICKNESS);
    let mut simulation = towel(friction, dt, place);
    simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(friction));
    simulation
}

/// A body that is at these places at these times, and rests there.
fn moved(body: Obstacle, places: &[(f64, DVec3)]) -> Obstacle {
    let poses: Vec<Pose> = places.iter().map(|&(_, place)| Pose::new(DQuat::IDENTITY, place)).collect();
    let times: Vec<f64> = places.iter().map(|&(time, _)| time).collect();
    let start = poses[0];
    let keyframes = Keyframes { interpolation: Interpolation::Smooth, ..Keyframes::linear(times, poses) };
    body.with_motion(Motion { start, travel: Travel::Keyframes(keyframes) })
}

/// What the cloth weighs, N.
fn weight(simulation: &Simulation) -> f64 {
    common::layers::weight(simulation, 0..N * N)
}

/// Takes the steps of so many seconds, and returns how hard the hands pulled on average, N. In all steps the certificate holds, everything
/// is finite, nothing crosses, no node is in a body by more than pressure makes of the cloth, and the forces are those that move it.
fn run(what: &str, simulation: &mut Simulation, seconds: f64) -> f64 {
    let (solver, dt) = (simulation.params.solver, simulation.dt());
    let material = simulation.params.material;
    let masses: Vec<f64> = simulation.model().cloth().node_areas().iter().map(|a| a * material.density).collect();
    let (count, mut pulled) = ((seconds / dt).round() as usize, 0.0);
    for step in 0..count {
        let momentum = |simulation: &Simulation| -> DVec3 {
            simulation.velocities().iter().zip(&masses).map(|(v, m)| *v * *m).sum()
        };
        let before = momentum(simulation);
        let report = simulation.step().unwrap_or_else(|error| panic!("{what}, step {step} of {dt} s: {error}"));
        assert!(report.residual <= solver.strain_tolerance, "{what}, step {step}: strain {}", report.residual);
        assert!(report.separation <= solver.gap_tolerance, "{what}, step {step}: {} m apart", report.separation);
        assert!(report.friction_residual <= solver.friction_tolerance, "{what}, step {step}");
        assert!(report.min_gap >= -1.01 * solver.gap_tolerance, "{what}, step {step}: {} m inside", -report.min_gap);
        assert_clear(simulation);
        let state = simulation.state();
        assert!(state.positions.iter().chain(&state.velocities).all(|x| x.is_finite()), "{what}, step {step}");
        let hands: DVec3 = state.held_forces.iter().sum();
        let bodies: DVec3 = (0..simulation.obstacles.len()).map(|b| -simulation.obstacle_force(b)).sum();
        pulled += hands.length() / count as f64;
        if report.substeps == 1 {
            let (now, mass) = (momentum(simulation), masses.iter().sum::<f64>());
            let drag = now * (material.damping / material.density);
            let unbalanced = (now - before) / dt - (hands + bodies - drag - DVec3::Z * weight(simulation));
            assert!(unbalanced.length() <= mass * solver.acceleration_tolerance, "{what}, step {step}: {unbalanced} N");
        }
    }
    pulled
}

/// The last two of forces at shorter and shorter steps are alike.
fn assert_converged(what: &str, forces: &[f64], within: f64) {
    let [.., before, last] = forces else { panic!("{what}: {forces:?}") };
    println!("{what}: {forces:.3?} N");
    assert!((last - before).abs() <= within * before.abs(), "{what}: {forces:?} N do not converge to {within}");
}

#[test]
fn a_ball_pushes_cloth_along_a_table() {
    // What the tolerance for gaps leaves open grows as there is less pressure.
    for (left, within) in [(0.25, 0.01), (0.5, 0.02), (0.75, 0.06), (1.0, 0.0)] {
        let what = format!("a ball at {left} of the thickness");
        let forces = STEPS.map(|dt| {
            let mut simulation = on_the_floor(0.4, dt);
            let at = |x: f64, gap: f64| DVec3::new(x, 0.004, 0.02 + gap);
            let down = left * THICKNESS;
            let path = [(0.0, at(-0.05, THICKNESS + 2e-3)), (0.2, at(-0.05, down)), (0.6, at(0.05, down))];
            simulation.add_obstacle(moved(Obstacle::new("ball", Sphere::new(0.02)).with_friction(0.4), &path));
            run(&what, &mut simulation, 0.8);
            simulation.obstacle_force(1).z
        });
        assert_converged(&what, &forces, within);
    }
}

#[test]
fn a_pad_wipes_over_cloth() {
    for (left, friction) in [(0.3, 0.3), (0.6, 1.0), (0.9, 0.3)] {
        let what = format!("a pad at {left} of the thickness with friction {friction}");
        let forces = STEPS.map(|dt| {
            let mut simulation = on_the_floor(friction, dt);
            let pad = Obstacle::new("pad", Cuboid::new(DVec3::new(0.04, 0.03, 0.01))).with_friction(friction);
            let at = |x: f64, gap: f64| DVec3::new(x, 0.004, 0.01 + gap);
            let down = left * THICKNESS;
            let path = [
                (0.0, at(-0.05, THICKNESS + 1e-3)),
                (0.1, at(-0.05, down)),
                (0.4, at(0.05, down)),
                (0.7, at(-0.05, down)),
            ];
            simulation.add_obstacle(moved(pad, &path));
            run(&what, &mut simulation, 0.75);
            simulation.obstacle_force(1).z
        });
        assert_converged(&what, &forces, 0.1);
    }
}

#[test]
fn a_hand_presses_the_corner_down_at_the_end_of_a_fold() {
    // In thicknesses, where there is room for one and a half between the floor and the middle of the upper layer. Below, the hand pushes
    // with as much as its stiffness makes of it.
    for height in [1.5, 0.75, 0.0, -2.0] {
        let what = format!("a corner at {height} thicknesses");
        let forces = STEPS.map(|dt| {
            let mut simulation = on_the_floor(0.4, dt);
            let (mut times, mut places) = (vec![0.0], vec![DVec3::ZERO]);
            for k in 1..=20 {
                let s = f64::from(k) / 20.0;
                let angle = std::f64::consts::PI * s;
                let across = DVec3::new(-1.0, -1.0, 0.0) * (0.15 * 0.99 * (1.0 - angle.cos()));
                times.push(s);
                places.push(across + DVec3::Z * (0.21 * angle.sin() + (height - 0.5) * THICKNESS * s));
            }
            simulation.grasp(Grasp::moving([N * N - 1], Path::Keyframes(Keyframes::linear(times, places))));
            run(&what, &mut simulation, 1.2);
            -simulation.held_forces()[0].z
        });
        if height > 0.5 {
            // It carries a part of the corner.
            assert!(forces.iter().all(|force| force.abs() < 0.02), "{what}: {forces:?} N");
        } else {
            assert!(forces.iter().all(|force| (1.0..100.0).contains(force)), "{what}: {forces:?} N");
            assert_converged(&what, &forces, 0.01);
        }
    }
}

#[test]
fn a_towel_is_pulled_off_a_hook() {
    // Along the hook, down on one side, and up and over: slowly and fast, with little and with much friction.
    let pulls = [
        (DVec3::Y, 0.3, 0.3),
        (DVec3::Y, 1.0, 1.0),
        (-DVec3::Z, 0.3, 1.0),
        (-DVec3::Z, 1.5, 0.4),
        // Higher than the towel is long along its diagonal, so that it does not hang beside the hook.
        (DVec3::new(-0.75, 0.0, 1.2), 1.0 / 3.0, 0.6),
        (DVec3::new(1.0, 0.3, -0.3), 1.0, 2.0),
    ];
    for (to, speed, friction) in pulls {
        let what = format!("a pull to {to} at {speed} m/s with friction {friction}");
        let forces = STEPS.map(|dt| {
            let place = |s: f64, t: f64| DVec3::new(0.3 * (s - 0.45), 0.3 * (t - 0.5), 0.008 + 0.5 * THICKNESS);
            let mut simulation = towel(0.4, dt, place);
            let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
            let hook = Obstacle::new("hook", Capsule::new(0.008, 0.06)).with_friction(friction);
            simulation.add_obstacle(hook.at(Pose::new(lying, DVec3::ZERO)));
            let until = 0.5 + 0.4 / speed;
            let path = Path::Keyframes(Keyframes::linear([0.5, until], [DVec3::ZERO, to * 0.4]));
            simulation.grasp(Grasp { from: 0.5, ..Grasp::moving([N * N - 1], path) });
            let pulled = run(&what, &mut simulation, until);
            let touching = simulation.state().contacts.iter().any(|contact| contact.site.obstacle().is_some());
            assert!(!touching, "{what}: it is still on the hook after {until} s with steps of {dt} s");
            pulled
        });
        // Which fold of the towel is caught for how long is chance.
        println!("{what}: {forces:.3?} N on average");
        assert!(forces.iter().all(|force| (0.05..20.0).contains(force)), "{what}: {forces:?} N");
    }
}

#[test]
fn a_towel_is_dragged_over_the_edge_of_a_table() {
    for friction in [0.4, 1.0, 2.0] {
        // Where the towel is bent over the whole edge and goes on hanging it is the same whatever the step; where it slides by fits and
        // starts, or falls into folds, it is not.
        let smooth = if friction < 2.0 { 0.03 } else { f64::INFINITY };
        let ways = [
            (DVec3::new(0.3, 0.0, -0.2), smooth),
            (DVec3::new(0.3, 0.02, 0.1), 0.01),
            (DVec3::new(0.02, 0.0, -0.3), f64::INFINITY),
        ];
        for (to, within) in ways {
            let what = format!("over an edge with friction {friction} to {to}");
            let forces = STEPS.map(|dt| {
                let place = |s: f64, t: f64| DVec3::new(0.3 * s - 0.28, 0.3 * (t - 0.5), 0.5 * THICKNESS);
                let mut simulation = towel(0.4, dt, place);
                let table = Obstacle::new("table", Cuboid::table(0.6, 0.6, 0.03)).with_friction(friction);
                simulation.add_obstacle(table.at(Pose::from_translation(DVec3::X * -0.3)));
                let hem: Vec<usize> = (1..=N).map(|row| row * N - 1).collect();
                let path = Path::Keyframes(Keyframes::smooth([0.0, 0.8], [DVec3::ZERO, to]));
                simulation.grasp(Grasp::moving(hem, path));
                run(&what, &mut simulation, 1.0)
            });
            assert_converged(&what, &forces, within);
        }
    }
}
