//! Grippers: what they hold by friction alone, and when they let it slip.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Motion, Pose};
use taffeta::{DQuat, DVec3, Gripper, Load, Pad, Params, Path, Simulation, StepReport};

const G: f64 = 9.81;
const DENSITY: f64 = 0.2;
const THICKNESS: f64 = 1e-3;

/// A sheet of `n × n` nodes, 0.1 m wide, that hangs in the plane of x and z between the pads of a gripper, which point down and are this
/// far from the middle of the sheet.
fn pinched(n: usize, at: DVec3, gripper: impl FnOnce(&mut Gripper), dt: f64) -> Simulation {
    let size = 0.1;
    let mesh = Mesh::grid(n, n, |s, t| DVec3::new(size * (s - 0.5), 0.0, size * (t - 0.5))).expect("a sheet");
    let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::default());
    let material = Material { damping: 0.0, thickness: THICKNESS, ..Material::with_density(DENSITY) };
    let mut simulation = Simulation::new(cloth, Params { material, ..Params::default() }, dt);
    simulation.params.solver.friction_tolerance = 1e-3;
    let frame = Pose::new(DQuat::from_rotation_x(std::f64::consts::PI), at);
    let mut hand = Gripper::new("hand", Motion::still(frame));
    (hand.opening, hand.force, hand.friction) = (4e-3, 5.0, 0.5);
    hand.closed = vec![[0.0, f64::INFINITY]];
    gripper(&mut hand);
    simulation.add_gripper(hand).expect("a gripper");
    simulation
}

fn run(simulation: &mut Simulation, seconds: f64) -> StepReport {
    let mut last = StepReport::default();
    for step in 0..(seconds / simulation.dt()).round() as usize {
        last = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
    }
    last
}

fn middle(simulation: &Simulation) -> DVec3 {
    let areas = simulation.model().cloth().node_areas();
    let sum: DVec3 = simulation.positions().iter().zip(areas).map(|(x, a)| *x * *a).sum();
    sum / areas.iter().sum::<f64>()
}

fn pull(simulation: &mut Simulation, force: f64) {
    let nodes: Vec<usize> = (0..simulation.positions().len()).collect();
    simulation.add_load(Load {
        nodes,
        force: Path::Keyframes(taffeta::Keyframes::linear([0.3, 0.5], [DVec3::ZERO, DVec3::Z * -force])),
    });
}

#[test]
fn what_is_pinched_stays_below_the_limit_of_friction_and_leaves_above_it() {
    let weight = DENSITY * 0.01 * G;
    for (n, at, pad) in [
        (11, DVec3::new(0.0, 0.0, 0.03), Pad::Rectangle([0.02, 0.02])),
        // Smaller than a cell, and between nodes.
        (6, DVec3::new(0.011, 0.0, 0.027), Pad::Rectangle([8e-3, 8e-3])),
        (11, DVec3::new(0.003, 0.0, 0.02), Pad::Disc(0.012)),
    ] {
        let limit = 2.0 * 0.5 * 5.0;
        for part in [0.97, 1.5] {
            let mut simulation = pinched(n, at, |gripper| gripper.pad = pad, 0.005);
            pull(&mut simulation, part * limit - weight);
            let last = run(&mut simulation, 0.2);
            println!("{n} nodes, {pad:?}: after closing {:?}, {:.0} Pa", middle(&simulation), last.max_pressure);
            if part < 1.0 {
                run(&mut simulation, 0.8);
                let (cloth, hand) = (middle(&simulation), simulation.poses()[0].translation);
                run(&mut simulation, 10.0);
                let slip = (middle(&simulation) - cloth) - (simulation.poses()[0].translation - hand);
                println!("   {part} of the limit: slips {} µm in 10 s", 1e6 * slip.z);
                assert!(slip.length() < 1e-6, "{slip} m");
            } else {
                run(&mut simulation, 0.35);
                let before = (0..2)
                    .map(|_| {
                        simulation.step().expect("a step");
                        simulation.velocities().iter().map(|v| v.z).sum::<f64>() / simulation.positions().len() as f64
                    })
                    .last()
                    .expect("a speed");
                run(&mut simulation, 0.02);
                let after =
                    simulation.velocities().iter().map(|v| v.z).sum::<f64>() / simulation.positions().len() as f64;
                println!(
                    "   {part} of the limit: leaves with {} m/s², expected {}",
                    (after - before) / 0.02,
                    -(part - 1.0) * limit / (DENSITY * 0.01)
                );
            }
        }
    }
}
