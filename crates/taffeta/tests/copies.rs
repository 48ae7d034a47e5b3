//! Copies of a simulation go on to the same bits as what they were copied from.

use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Motion, Obstacle, Plane, Pose, Sphere};
use taffeta::{DVec3, Grasp, Gripper, Hand, Params, Path, Simulation};

/// A sheet that a hand drags over a free ball and a floor, while a gripper closes on its edge.
fn busy() -> Simulation {
    let mesh = Mesh::grid(6, 6, |s, t| DVec3::new(0.3 * s, 0.3 * t, 0.06)).expect("a grid");
    let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::default());
    let mut simulation = Simulation::new(cloth, Params::default(), 0.01);
    let amplitude = DVec3::new(0.0, 0.05, 0.02);
    simulation.grasp(Grasp::moving([0, 5], Path::Sinusoid { amplitude, frequency: 1.0, phase: 0.0, ramp: 0.1 }));
    simulation.add_obstacle(Obstacle::new("floor", Plane));
    let ball = Obstacle::new("ball", Sphere::new(0.03)).at(Pose::from_translation(DVec3::new(0.15, 0.15, 0.029)));
    simulation.add_obstacle(ball.free(0.05));
    let mut gripper = Gripper::new("left", Motion::still(Pose::from_translation(DVec3::new(0.15, 0.31, 0.06))));
    gripper.closed = vec![[0.05, 9.0]];
    simulation.add_gripper(gripper).expect("a gripper");
    simulation
}

fn bits(simulation: &Simulation) -> Vec<u64> {
    let vectors = simulation.positions().iter().chain(simulation.velocities()).chain(simulation.held_forces());
    vectors.flat_map(|v| v.to_array()).map(f64::to_bits).collect()
}

/// Takes steps, and what came of each of them.
fn trace(simulation: &mut Simulation, steps: usize) -> Vec<Vec<u64>> {
    let step = |_| {
        simulation.step().expect("a step");
        bits(simulation)
    };
    (0..steps).map(step).collect()
}

#[test]
fn a_copy_goes_on_to_the_same_bits_and_leaves_the_first_alone() {
    let mut first = busy();
    trace(&mut first, 12);
    first.hold_with(Hand::default(), 35, first.positions()[35] + DVec3::Z * 0.001);
    first.let_go(0);
    first.step().expect("a step");
    let (before, mut copy) = (bits(&first), first.clone());
    assert_eq!(bits(&copy), before, "also what the last step exerted");
    let ahead = trace(&mut copy, 10);
    assert_eq!(bits(&first), before);
    assert_eq!(trace(&mut first, 10), ahead);
    assert_eq!(first.grip_readings(), copy.grip_readings());
}

#[test]
fn a_copy_into_a_used_simulation_goes_on_to_the_same_bits() {
    let mut first = busy();
    trace(&mut first, 8);
    let (mut of_the_same, mut of_another) = (first.clone(), busy());
    trace(&mut of_the_same, 15);
    trace(&mut of_another, 3);
    of_the_same.clone_from(&first);
    of_another.clone_from(&first);
    let ahead = trace(&mut first, 8);
    assert_eq!(trace(&mut of_the_same, 8), ahead);
    assert_eq!(trace(&mut of_another, 8), ahead);
}

#[test]
fn a_wrench_is_the_force_at_its_points_of_contact() {
    let mut simulation = busy();
    trace(&mut simulation, 20);
    let floor = simulation.obstacle_wrench(0);
    assert_eq!(floor[0], simulation.obstacle_force(0));
    assert!(floor[0].z < 0.0, "the floor carries something: {}", floor[0]);
    let contacts = simulation.state().contacts.iter().zip(simulation.contact_places());
    let on_floor = contacts.filter(|(contact, _)| contact.site.obstacle() == Some(0));
    let torque: DVec3 = on_floor.map(|(contact, place)| place.expect("a place").cross(-contact.force())).sum();
    assert!(torque.distance(floor[1]) < 1e-9 * (1.0 + torque.length()), "{torque} {}", floor[1]);
    assert_eq!(simulation.obstacle_wrench(99), [DVec3::ZERO; 2]);
}

/// Two layers of a sheet that lie on each other, so that its matrix has room for pairs of nodes.
fn folded() -> Simulation {
    let place = |s: f64, t: f64| {
        let x = 0.3 * s;
        if x < 0.15 {
            DVec3::new(x, 0.2 * t, 0.004)
        } else {
            DVec3::new(0.3 - x, 0.2 * t, 0.004 + 0.01 * (x - 0.15) / 0.15)
        }
    };
    let mesh = Mesh::grid(13, 5, place).expect("a grid");
    let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::default());
    let mut simulation = Simulation::new(cloth, Params::default(), 0.005);
    simulation.add_obstacle(Obstacle::new("floor", Plane));
    simulation
}

#[test]
fn copies_share_the_analysis_of_a_matrix_with_room_for_layers() {
    let mut first = folded();
    let mut used = folded();
    trace(&mut used, 2);
    let report = (0..40).map(|_| first.step().expect("a step")).last().expect("steps");
    assert!(report.self_contacts > 0, "layers touch");
    let mut copy = first.clone();
    used.clone_from(&first);
    let mut again = first.clone();
    again.clone_from(&folded());
    again.clone_from(&first);
    let ahead = trace(&mut first, 20);
    for mut other in [copy.clone(), used, again] {
        assert_eq!(trace(&mut other, 20), ahead);
    }
    // Bending reaches farther in the matrix, and is given in the copy only.
    copy.params.material.bending = 1e-3;
    assert_ne!(trace(&mut copy, 3)[2], ahead[2]);
}
