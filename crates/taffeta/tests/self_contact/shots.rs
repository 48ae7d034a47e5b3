//! A patch that is shot at a sheet.

use taffeta::{DQuat, DVec3, Grasp, Params, Simulation};

use crate::common::layers::{assert_clear, passage, self_contacts, thick, two_sheets};

/// A patch of 3 × 3 nodes and 4 cm that flies at a sheet of 0.4 m, and how often it needed sub-steps.
fn shoot(speed: f64, turn: DQuat, held: bool, dt: f64) {
    let sheet = |s: f64, t: f64| DVec3::new(0.4 * (s - 0.5), 0.4 * (t - 0.5), 0.0);
    let patch =
        |s: f64, t: f64| DVec3::new(0.021, -0.013, 0.083) + turn * DVec3::new(0.04 * (s - 0.5), 0.04 * (t - 0.5), 0.0);
    let params = Params { gravity: DVec3::ZERO, ..thick() };
    let mut simulation = Simulation::new(two_sheets((8, 8), sheet, (3, 3), patch), params, dt);
    simulation.state_mut().velocities[64..].fill(DVec3::NEG_Z * speed);
    if held {
        simulation.grasp(Grasp::pin(vec![0, 7, 56, 63]));
    }
    let (mut touched, mut straight, mut bent) = (false, 0, 0);
    for _ in 0..(0.2 / dt) as usize {
        let before = simulation.positions().to_vec();
        let report = simulation.step().unwrap_or_else(|error| panic!("{speed} m/s, {turn}: {error}"));
        assert_clear(&simulation);
        touched |= self_contacts(&simulation).count() > 0;
        // A step that was taken in parts went round corners.
        if report.substeps == 1 {
            let met = passage(simulation.model().cloth().surface(), &before, simulation.positions());
            assert!(met.is_none(), "{speed} m/s, {turn}, at {} s: {met:?}", simulation.time());
            straight += 1;
        } else {
            bent += 1;
        }
    }
    println!("{speed} m/s, {turn}, held {held}, dt {dt}: {straight} steps in one, {bent} in parts");
    assert!(touched, "{speed} m/s, {turn}: it missed");
}

#[test]
fn a_patch_does_not_pass_a_sheet_however_fast_it_is() {
    let turns =
        [DQuat::IDENTITY, DQuat::from_rotation_x(0.9), DQuat::from_rotation_y(1.5) * DQuat::from_rotation_z(0.7)];
    for speed in [1.0, 10.0, 30.0] {
        for turn in turns {
            for held in [false, true] {
                shoot(speed, turn, held, 0.01);
            }
        }
    }
}

#[test]
fn a_patch_does_not_pass_a_sheet_in_small_steps() {
    for speed in [10.0, 30.0] {
        shoot(speed, DQuat::from_rotation_x(0.5), true, 0.002);
    }
}
