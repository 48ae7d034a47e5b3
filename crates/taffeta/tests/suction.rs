//! Suction cups: they take the layer that is nearest, and lose what is too heavy.

mod common;

use common::G;
use common::layers::two_sheets;
use taffeta::cloth::Material;
use taffeta::obstacle::{Motion, Obstacle, Plane, Pose, Travel};
use taffeta::{DQuat, DVec3, Keyframes, Params, Simulation, SuctionCup};

const THICKNESS: f64 = 1e-3;

/// Two sheets on a floor, one on the other, and a cup above their middle that lifts by 10 cm from 0.1 s to 0.6 s.
fn stack(density: f64, change: impl FnOnce(&mut SuctionCup)) -> Simulation {
    let n = 9;
    let place = |height: f64| move |s: f64, t: f64| DVec3::new(0.2 * (s - 0.5), 0.2 * (t - 0.5), height);
    let cloth = two_sheets((n, n), place(0.5 * THICKNESS), (n, n), place(1.5 * THICKNESS));
    let material = Material { thickness: THICKNESS, ..Material::with_density(density) };
    let mut simulation = Simulation::new(cloth, Params { material, ..Params::default() }, 0.005);
    simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(0.5));
    let down = DQuat::from_rotation_x(std::f64::consts::PI);
    let poses = [0.0, 0.1].map(|lift| Pose::new(down, DVec3::Z * (2.0 * THICKNESS + lift)));
    let travel = Travel::Keyframes(Keyframes::linear([0.1, 0.6], poses));
    let mut cup = SuctionCup::new("cup", Motion { start: poses[0], travel });
    (cup.radius, cup.on) = (0.03, vec![[0.05, 1.0]]);
    change(&mut cup);
    simulation.add_suction(cup).expect("a cup");
    simulation
}

fn run(simulation: &mut Simulation, seconds: f64) {
    for _ in 0..(seconds / simulation.dt()).round() as usize {
        simulation.step().unwrap_or_else(|error| panic!("at {} s: {error}", simulation.time()));
    }
}

#[test]
fn a_cup_lifts_the_upper_of_two_sheets_only_and_feels_its_weight() {
    let mut simulation = stack(0.2, |_| ());
    run(&mut simulation, 0.05);
    assert_eq!(simulation.suction_readings()[0].nodes, 0);
    run(&mut simulation, 0.75);
    let reading = simulation.suction_readings()[0];
    let weight = 0.2 * 0.04 * G;
    let heights = [40, 81 + 40].map(|node| simulation.positions()[node].z);
    println!("{reading:?}, one sheet weighs {weight} N, middles at {heights:?} m");
    assert!(reading.nodes > 1 && heights[0] < 2e-3 && heights[1] > 0.09, "{heights:?}");
    // What of it still lies on the other sheet is not felt.
    assert!(reading.normal_force > 0.3 * weight && reading.normal_force < 1.2 * weight, "{reading:?}");
    run(&mut simulation, 0.3);
    assert_eq!(simulation.suction_readings()[0].nodes, 0);
    assert!(simulation.positions()[81 + 40].z < 0.09, "it is let go");
}

#[test]
fn a_cup_loses_what_is_too_heavy_and_a_needle_does_not() {
    for (holding_force, holds) in [(1.0, false), (f64::INFINITY, true)] {
        let mut simulation = stack(10.0, |cup| cup.holding_force = holding_force);
        run(&mut simulation, 0.8);
        let reading = simulation.suction_readings()[0];
        println!("{holding_force} N: {reading:?}");
        assert_eq!(reading.nodes > 0, holds, "{reading:?}");
        assert_eq!(simulation.positions()[81 + 40].z > 0.05, holds);
    }
}
