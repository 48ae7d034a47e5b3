//! Hands that give: how far, how fast, and no stronger than they are.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Cuboid, Obstacle};
use taffeta::{DVec3, Grasp, Hand, Keyframes, Params, Path, Simulation, StepError};

const G: f64 = 9.81;

/// A sheet of `n × n` nodes, 0.3 m wide, that hangs in the plane of x and z. Nothing damps it.
fn hanging(n: usize, dt: f64) -> Simulation {
    let mesh = Mesh::grid(n, n, |s, t| DVec3::new(0.3 * (s - 0.5), 0.0, 0.3 * t + 0.1)).expect("a sheet");
    let material = Material { damping: 0.0, ..Material::with_density(0.2) };
    let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::default());
    Simulation::new(cloth, Params { material, ..Params::default() }, dt)
}

fn mass(simulation: &Simulation) -> f64 {
    simulation.params.material.density * simulation.model().cloth().node_areas().iter().sum::<f64>()
}

fn all(simulation: &Simulation) -> Vec<usize> {
    (0..simulation.positions().len()).collect()
}

/// Where the middle of the sheet is, weighted with its mass.
fn middle(simulation: &Simulation) -> DVec3 {
    let areas = simulation.model().cloth().node_areas();
    let sum: DVec3 = simulation.positions().iter().zip(areas).map(|(x, a)| *x * *a).sum();
    sum / areas.iter().sum::<f64>()
}

#[test]
fn a_hand_sags_by_the_weight_over_its_stiffness_whatever_the_mesh() {
    for n in [5, 11] {
        let mut simulation = hanging(n, 0.01);
        simulation.params.material.damping = 2.0;
        let side: Vec<usize> = (n * (n - 1)..n * n).collect();
        let (start, areas) = (simulation.positions().to_vec(), simulation.model().cloth().node_areas().to_vec());
        simulation.grasp(Grasp::pin(side.clone()));
        let mut lag = 0.0;
        for _ in 0..300 {
            lag = simulation.step().expect("a step").max_lag;
        }
        let whole: f64 = side.iter().map(|&i| areas[i]).sum();
        let sag: f64 = side.iter().map(|&i| (start[i].z - simulation.positions()[i].z) * areas[i] / whole).sum();
        let (weight, carried) = (mass(&simulation) * G, simulation.held_forces().iter().map(|f| f.z).sum::<f64>());
        println!("{n} nodes wide: sags by {:.3} µm, {carried} of {weight} N", 1e6 * sag);
        assert!((sag / (weight / Hand::default().stiffness) - 1.0).abs() < 1e-3, "{sag} m");
        assert!((carried / weight - 1.0).abs() < 1e-3, "{carried} N");
        assert!(lag >= sag && lag < 3.0 * sag, "{lag} m, {sag} m on average");
    }
}

#[test]
fn a_hand_moves_its_load_as_a_damped_spring_does() {
    let (dt, speed) = (0.005, 0.2);
    for damping in [None, Some(0.0), Some(3.0)] {
        let hand = Hand { stiffness: 200.0, damping, max_force: f64::INFINITY };
        let mut simulation = hanging(4, dt);
        simulation.params.gravity = DVec3::ZERO;
        let path = Path::Keyframes(Keyframes::linear([0.0, 1.0], [DVec3::ZERO, DVec3::Y * speed]));
        let nodes = all(&simulation);
        simulation.grasp(Grasp { hand: Some(hand), ..Grasp::moving(nodes, path) });
        let m = mass(&simulation);
        let c = damping.unwrap_or(2.0 * (hand.stiffness * m).sqrt());
        // m a = k (target − x) + c (speed − v), a = (v − v_before)/dt, x = x_before + v dt.
        let (mut x, mut v) = (0.0, 0.0);
        for step in 1..=100 {
            let target = speed * dt * f64::from(step);
            v = (m * v + dt * (hand.stiffness * (target - x) + c * speed)) / (m + dt * c + dt * dt * hand.stiffness);
            x += v * dt;
            let report = simulation.step().expect("a step");
            let moved = middle(&simulation).y;
            assert!((moved - x).abs() < 1e-7, "step {step}, {damping:?}: {moved} m, not {x} m");
            let energy = 0.5 * hand.stiffness * (target - x).powi(2);
            assert!((report.hand_energy - energy).abs() < 1e-9, "{} J, not {energy} J", report.hand_energy);
        }
    }
}

#[test]
fn a_hand_that_is_too_weak_lets_its_load_fall_as_fast_as_its_force_allows() {
    let mut simulation = hanging(6, 0.005);
    let weight = mass(&simulation) * G;
    for part in [0.9, 0.5] {
        let mut simulation = hanging(6, 0.005);
        let hand = Hand { max_force: part * weight, ..Hand::default() };
        let nodes = all(&simulation);
        simulation.grasp(Grasp { hand: Some(hand), ..Grasp::pin(nodes) });
        let start = middle(&simulation).z;
        let mut lag = 0.0;
        for _ in 0..100 {
            lag = simulation.step().expect("a step").max_lag;
        }
        // Implicit Euler falls by a dt² (1 + … + 100).
        let fallen = start - middle(&simulation).z;
        let expected = (1.0 - part) * G * 0.005 * 0.005 * 100.0 * 101.0 / 2.0;
        println!("{part} of the weight: fell {fallen} m, expected {expected} m");
        // Until it is drawn out by its force it is a spring.
        assert!((fallen / expected - 1.0).abs() < 0.01, "{fallen} m, not {expected} m");
        assert!((lag - fallen).abs() < 1e-3, "it says {lag} m, and is {fallen} m behind");
        let force: DVec3 = simulation.held_forces().iter().sum();
        assert!((force.length() / (part * weight) - 1.0).abs() < 1e-6, "{force} N");
    }
    simulation.step().expect("what nobody holds falls");
}

#[test]
fn hands_that_pull_cloth_apart_pull_as_hard_as_they_can() {
    let mut simulation = hanging(7, 0.01);
    simulation.params.material.damping = 1.0;
    for (node, aside) in [(42, -0.2), (48, 0.2)] {
        let path = Path::Keyframes(Keyframes::smooth([0.0, 0.3], [DVec3::ZERO, DVec3::X * aside]));
        simulation
            .grasp(Grasp { hand: Some(Hand { max_force: 20.0, ..Hand::default() }), ..Grasp::moving([node], path) });
    }
    for step in 0..100 {
        let report = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        assert!(report.residual < 1e-3, "step {step}: {}", report.residual);
    }
    let forces: Vec<f64> = simulation.held_forces().iter().map(|force| force.length()).collect();
    assert!(forces.iter().all(|force| (force - 20.0).abs() < 1e-6), "{forces:?} N");
    assert!(simulation.positions()[42].distance(simulation.positions()[48]) < 0.31);
}

#[test]
fn a_hand_does_not_push_cloth_into_a_table() {
    let mut simulation = hanging(6, 0.01);
    simulation.add_obstacle(Obstacle::new("table", Cuboid::table(1.0, 1.0, 0.05)).with_friction(0.3));
    let path = Path::Keyframes(Keyframes::smooth([0.0, 0.5], [DVec3::ZERO, DVec3::new(0.05, 0.1, -0.45)]));
    simulation.grasp(Grasp::moving([30, 35], path));
    for step in 0..120 {
        let report = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        assert!(report.min_gap > -2e-5, "step {step}: {} m", report.min_gap);
    }
    // The hands want to be 5 cm under the table, and push with all their strength.
    let down: f64 = simulation.held_forces().iter().map(|force| force.z).sum();
    assert!(down < -50.0, "{down} N");
    assert!((simulation.obstacle_force(0).z - down + mass(&simulation) * G).abs() < 0.05 * down.abs());
}

#[test]
fn hands_that_cannot_be_are_refused() {
    for (hand, what) in [
        (Hand { stiffness: 0.0, ..Hand::default() }, "stiffness"),
        (Hand { stiffness: f64::NAN, ..Hand::default() }, "stiffness"),
        (Hand { damping: Some(-1.0), ..Hand::default() }, "damping"),
        (Hand { max_force: 0.0, ..Hand::default() }, "force"),
    ] {
        let mut simulation = hanging(3, 0.01);
        simulation.grasp(Grasp { hand: Some(hand), ..Grasp::pin([6, 8]) });
        let error = simulation.step().expect_err("no such hand");
        assert!(matches!(error, StepError::BadHand { node: 6, .. }) && error.to_string().contains(what), "{error}");
    }
}

#[test]
fn hands_that_swing_a_sheet_of_paper_size_need_little_force_however_stiff_they_are() {
    // DIN A2, 7 × 9 nodes, swung by both upper corners by 10 cm, once a second.
    let mut largest = Vec::new();
    for stiffness in [1e3, 1e4, 1e5] {
        let mesh = Mesh::grid(7, 9, |s, t| DVec3::new(0.42 * (s - 0.5), 0.0, 0.594 * (t - 1.0))).expect("a sheet");
        let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::default());
        let params = Params { material: Material::named("wool").expect("a fabric"), ..Params::default() };
        let mut simulation = Simulation::new(cloth, params, 0.01);
        for corner in [56, 62] {
            let amplitude = DVec3::Y * 0.1;
            let path = Path::Sinusoid { amplitude, frequency: 1.0, phase: 0.0, ramp: 0.5 };
            let hand = Some(Hand { stiffness, ..Hand::default() });
            simulation.grasp(Grasp { hand, ..Grasp::moving([corner], path) });
        }
        let mut most = 0.0;
        for step in 0..300 {
            simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
            most = simulation.held_forces().iter().map(|force| force.length()).fold(most, f64::max);
        }
        println!("{stiffness} N/m: at most {most:.3} N at a corner, the sheet weighs {:.3} N", mass(&simulation) * G);
        largest.push(most);
    }
    assert!(largest[1] <= 5.0, "{} N", largest[1]);
}
