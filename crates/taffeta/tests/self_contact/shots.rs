//! A patch that is shot at a sheet.

use taffeta::collide::self_intersections;
use taffeta::{DQuat, DVec3, Params, State};

use crate::common::layers::{Watched, passage, thick, two_sheets};

/// A patch of 3 × 3 nodes and 4 cm flies at a sheet of 0.4 m.
fn shoot(speed: f64, turn: DQuat, held: bool, dt: f64) {
    let sheet = |s: f64, t: f64| DVec3::new(0.4 * (s - 0.5), 0.4 * (t - 0.5), 0.0);
    let patch =
        |s: f64, t: f64| DVec3::new(0.021, -0.013, 0.083) + turn * DVec3::new(0.04 * (s - 0.5), 0.04 * (t - 0.5), 0.0);
    let params = Params { gravity: DVec3::ZERO, ..thick() };
    let mut world = Watched::new(two_sheets((8, 8), sheet, (3, 3), patch), params);
    world.state.velocities[64..].fill(DVec3::NEG_Z * speed);
    if held {
        world.pinned = vec![0, 7, 56, 63];
    }
    let (mut touched, steps) = (false, (0.2 / dt) as usize);
    for _ in 0..steps {
        world.step(dt, &mut |before: &State, after: &State, model| {
            let surface = model.cloth().surface();
            let met = passage(surface, &before.positions, &after.positions);
            assert!(met.is_none(), "{speed} m/s, {turn}, at {} s: {met:?}", after.time);
            assert!(self_intersections(&after.positions, surface).is_empty(), "{speed} m/s, {turn}");
            touched |= after.contacts.iter().any(|contact| contact.site.obstacle().is_none());
        });
    }
    println!("{speed} m/s, {turn}, held {held}, dt {dt}: {} parts of {steps} steps", world.parts);
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
