//! Nodes that a caller holds, and what can be measured at the nodes.

use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Obstacle, Plane, Pose};
use taffeta::{DVec3, Grasp, Params, Path, Simulation, StepError};

const DT: f64 = 0.01;
const G: f64 = 9.81;

/// A sheet of 5×6 nodes that hangs in the plane of x and z; its upper row is the last.
fn hanging() -> Simulation {
    let mesh = Mesh::grid(5, 6, |s, t| DVec3::new(0.4 * s, 0.0, 0.5 * t)).unwrap();
    Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), Params::default(), DT)
}

fn weight(simulation: &Simulation) -> f64 {
    let areas: f64 = simulation.model().cloth().node_areas().iter().sum();
    areas * simulation.params.material.density * G
}

#[test]
fn a_hand_moves_a_node_carries_the_cloth_and_lets_it_fall() {
    let mut simulation = hanging();
    let top = 25..30;
    let start = simulation.positions().to_vec();
    for step in 1..=400 {
        // Up by 0.1 m, evenly, in the first 0.2 s.
        let lift = DVec3::Z * 0.1 * (f64::from(step) / 20.0).min(1.0);
        top.clone().for_each(|node| simulation.hold_exactly(node, start[node] + lift));
        simulation.step().unwrap();
        assert!(top.clone().all(|node| simulation.positions()[node] == start[node] + lift));
    }
    let forces = simulation.held_forces_on_nodes();
    let carried: DVec3 = forces.iter().sum();
    let weight = weight(&simulation);
    assert!((carried - DVec3::Z * weight).length() < 1e-3 * weight, "{carried} of {weight} N");
    assert!(forces[..25].iter().all(|&force| force == DVec3::ZERO));

    top.for_each(|node| simulation.let_go(node));
    let before = simulation.positions()[27].z;
    for _ in 0..10 {
        simulation.step().unwrap();
    }
    assert!(simulation.held().is_empty());
    // Freely but for the damping: ½ g t² at most.
    let fallen = before - simulation.positions()[27].z;
    assert!((0.03..0.5 * G * 0.1 * 0.1 * 1.2).contains(&fallen), "{fallen}");
}

#[test]
fn a_hand_wins_over_a_grasp_which_then_is_gone() {
    let mut simulation = hanging();
    simulation.grasp(Grasp::pin([25, 29]));
    simulation.step().unwrap();
    assert!(simulation.is_grasped(25) && !simulation.is_grasped(26));
    let there = simulation.positions()[25] + DVec3::new(0.005, 0.0, 0.0);
    simulation.hold_exactly(25, there);
    simulation.step().unwrap();
    assert_eq!(simulation.positions()[25], there);
    assert_eq!(simulation.held().len(), 2, "the grasp still has the other node");
    simulation.let_go(25);
    assert!(!simulation.is_grasped(25) && simulation.is_grasped(29));
    simulation.step().unwrap();
    assert_eq!(simulation.held().iter().map(|held| held.node).collect::<Vec<_>>(), [29]);
}

#[test]
fn a_hand_on_nothing_or_nowhere_is_refused() {
    let mut simulation = hanging();
    simulation.hold(99, DVec3::ZERO);
    assert_eq!(simulation.step(), Err(StepError::NoSuchNode { node: 99, nodes: 30 }));
    simulation.let_go(99);
    simulation.hold(3, DVec3::new(f64::NAN, 0.0, 0.0));
    assert!(matches!(simulation.step(), Err(StepError::NotFinite { node: 3, .. })));
    simulation.let_go(3);
    simulation.step().unwrap();
}

#[test]
fn tension_at_a_node_is_the_weight_below_it() {
    let mut simulation = hanging();
    simulation.grasp(Grasp::moving((25..30).collect::<Vec<_>>(), Path::Still));
    simulation.params.material.damping *= 4.0;
    for _ in 0..600 {
        simulation.step().unwrap();
    }
    let tensions = simulation.node_tensions();
    let areas = simulation.model().cloth().node_areas();
    // The middle column: all that hangs from the thread above its second node from the top.
    let below: f64 = (0..5).map(|row| areas[5 * row + 2]).sum::<f64>() * simulation.params.material.density * G;
    assert!((tensions[22] - below).abs() < 0.02 * below, "{} of {below} N", tensions[22]);
    // At the hem hangs a tenth of that, and no thread is pushed.
    assert!(tensions[2] < 0.3 * below && tensions.iter().all(|&tension| tension >= 0.0));
}

#[test]
fn clearance_is_the_way_that_is_left_to_a_floor() {
    let mesh = Mesh::grid(4, 4, |s, t| DVec3::new(0.3 * s, 0.3 * t, 0.2)).unwrap();
    let mut params = Params::default();
    params.material.thickness = 0.002;
    let mut simulation = Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), params, DT);
    simulation.add_obstacle(Obstacle::new("floor", Plane).at(Pose::IDENTITY));
    simulation.step().unwrap();
    assert!(simulation.clearances().iter().all(|gap| *gap == f64::INFINITY || *gap > 0.1));
    let mut seen = 0;
    for _ in 0..100 {
        simulation.step().unwrap();
        for (gap, place) in simulation.clearances().iter().zip(simulation.positions()) {
            if gap.is_finite() {
                // The middle surface stays half the thickness above the floor; a node may be told of by its nearest neighbour.
                let own = place.z - 0.001;
                assert!(*gap <= own.max(0.0) + 1e-9, "{gap} of {own}");
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert!(simulation.clearances().iter().all(|&gap| gap < 2e-5), "at rest all nodes touch");
}
