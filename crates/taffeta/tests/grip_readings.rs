//! What grippers feel: forces, slip, layers.

mod common;

use common::G;
use common::grip::{THICKNESS, gripper, mean, run, sheets, weight};
use taffeta::obstacle::{Cuboid, Dynamics, Inertia, Obstacle, Pose};
use taffeta::{DVec3, Gripper, Pad, Simulation};

#[test]
fn closed_pads_press_with_the_grip_force_and_open_ones_feel_nothing() {
    for (force, pad) in [(2.0, Pad::Rectangle([0.02, 0.02])), (8.0, Pad::Disc(0.012))] {
        let mut simulation = sheets(1, 11, 0.1, 0.005);
        let closed = vec![[0.1, 0.5]];
        simulation
            .add_gripper(Gripper { force, pad, closed, opening: 0.01, ..gripper(DVec3::Z * 0.03) })
            .expect("a gripper");
        simulation.grasp(taffeta::Grasp::pin((110..121).collect::<Vec<_>>()));
        run(&mut simulation, 0.1);
        let open = simulation.grip_readings()[0];
        assert_eq!((open.normal_force, open.tangential_force, open.slip), ([0.0; 2], DVec3::ZERO, 0.0));
        assert!((open.opening - 0.01).abs() < 1e-5 && open.layers == 1, "{open:?}");
        run(&mut simulation, 0.3);
        let closed = simulation.grip_readings()[0];
        println!("{force} N: {closed:?}");
        assert!(closed.normal_force.iter().all(|normal| (normal / force - 1.0).abs() < 2e-3), "{closed:?}");
        assert!(closed.opening < THICKNESS && closed.opening > 0.1 * THICKNESS, "{closed:?}");
        // The arm gives to the weight of the fingers.
        assert!((closed.lag / (2.0 * 0.1 * G / 1e4) - 1.0).abs() < 1e-2, "{closed:?}");
        run(&mut simulation, 0.3);
        let open = simulation.grip_readings()[0];
        assert_eq!((open.normal_force, open.tangential_force, open.slip), ([0.0; 2], DVec3::ZERO, 0.0));
    }
}

#[test]
fn layers_are_counted_whatever_the_mesh_and_where_the_pads_are() {
    for count in 0..=3 {
        // Lines through nodes and along edges as well as others.
        for at in [DVec3::ZERO, DVec3::new(0.01, 0.0, 0.02), DVec3::new(0.0123, 0.0, -0.0171)] {
            for pad in [Pad::Rectangle([0.02, 0.02]), Pad::Disc(3e-3)] {
                let beside = if count == 0 { DVec3::X * 0.2 } else { DVec3::ZERO };
                let mut simulation = sheets(usize::max(count, 1), 11, 0.1, 0.005);
                simulation.add_gripper(Gripper { pad, ..gripper(at + beside) }).expect("a gripper");
                assert_eq!(simulation.grip_readings()[0].layers, count, "{at}, {pad:?}");
            }
        }
    }
    // Over the edge of a sheet, and beside it.
    for (x, layers) in [(0.055, 2), (0.0605, 0)] {
        let mut simulation = sheets(2, 11, 0.1, 0.005);
        simulation.add_gripper(gripper(DVec3::X * x)).expect("a gripper");
        assert_eq!(simulation.grip_readings()[0].layers, layers, "{x}");
    }
}

#[test]
fn a_fold_between_the_pads_is_two_layers_that_stay_so_when_they_are_pinched() {
    let mut simulation = sheets(1, 11, 0.1, 0.005);
    // Folded about z: the right half lies beside the left one.
    let folded = |x: &DVec3| if x.x > 0.0 { DVec3::new(-x.x, 1.2e-3, x.z) } else { *x };
    let places: Vec<DVec3> = simulation.positions().iter().map(folded).collect();
    simulation.state_mut().positions = places;
    simulation.state_mut().forget_history();
    simulation.add_gripper(gripper(DVec3::new(-0.025, 6e-4, 0.02))).expect("a gripper");
    assert_eq!(simulation.grip_readings()[0].layers, 2);
    run(&mut simulation, 0.2);
    let reading = simulation.grip_readings()[0];
    assert_eq!(reading.layers, 2, "{reading:?}");
    assert!((reading.normal_force[0] / 5.0 - 1.0).abs() < 5e-3, "{reading:?}");
}

#[test]
fn friction_and_torque_of_the_pads_balance_what_they_hold() {
    // Beside the middle of the sheet, so that its weight turns it.
    let at = DVec3::new(0.02, 0.0, 0.03);
    let mut simulation = sheets(1, 11, 0.1, 0.005);
    simulation.params.material.damping = 2.0;
    // A fifth of what is asked for below.
    simulation.params.solver.acceleration_tolerance = 2e-4;
    simulation.add_gripper(gripper(at)).expect("a gripper");
    // At 1.5 s it still swings by some micrometres.
    run(&mut simulation, 3.0);
    let reading = simulation.grip_readings()[0];
    let nodes = 0..simulation.positions().len();
    let arm = mean(&simulation, nodes, simulation.positions()) - middle_of_pads(&simulation);
    let down = DVec3::NEG_Z * weight(&simulation);
    let torque = arm.cross(down);
    println!("{reading:?}; weight {down}, its torque {torque}");
    assert!((reading.tangential_force + down).length() < 1e-4 * down.length(), "{} N", reading.tangential_force);
    assert!((reading.torque + torque).length() < 1e-3 * torque.length(), "{} Nm, not {torque} Nm", reading.torque);
    assert!(reading.slip < 1e-4, "{reading:?}");
}

fn middle_of_pads(simulation: &Simulation) -> DVec3 {
    let poses = simulation.poses();
    0.5 * (poses[0].translation + poses[1].translation)
}

#[test]
fn a_body_between_the_pads_is_felt_like_cloth() {
    // A bar of 0.1 kg; the sheet hangs far away.
    let mut simulation = sheets(1, 3, 0.1, 0.005);
    simulation.grasp(taffeta::Grasp::pin([6, 8]));
    let far = DVec3::new(0.5, 0.0, 0.0);
    simulation.add_gripper(gripper(far)).expect("a gripper");
    let shape = Cuboid::new(DVec3::new(0.05, 2e-3, 0.01));
    let inertia = Inertia::of(&shape, 0.1).expect("a bar");
    let bar = Obstacle::new("bar", shape).with_friction(0.5).at(Pose::from_translation(far + DVec3::X * 0.01));
    simulation.add_obstacle(bar.with_dynamics(Dynamics::free(inertia)));
    run(&mut simulation, 1.0);
    let reading = simulation.grip_readings()[0];
    let load = DVec3::NEG_Z * (0.1 * G);
    let arm = simulation.poses()[2].translation - middle_of_pads(&simulation);
    println!("{reading:?}; bar {:?}", simulation.state().bodies[2]);
    assert!((reading.tangential_force + load).length() < 1e-3 * load.length(), "{reading:?}");
    assert!((reading.torque + arm.cross(load)).length() < 1e-2 * arm.cross(load).length(), "{reading:?}");
    assert!((simulation.obstacle_force(2) + load).length() < 1e-3 * load.length());
    assert!(reading.layers == 0 && (reading.opening - 4e-3).abs() < 1e-4, "{reading:?}");
}
