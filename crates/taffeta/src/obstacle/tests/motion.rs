//! Poses and motions.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::*;
use crate::motion::{Interpolation, Keyframes, Turn};

fn pose() -> impl Strategy<Value = Pose> {
    (point(PI), point(2.0)).prop_map(|(turn, place)| Pose::new(DQuat::from_scaled_axis(turn), place))
}

fn same(a: Pose, b: Pose) -> bool {
    DVec3::AXES.into_iter().chain([DVec3::ZERO]).all(|point| a.to_world(point).distance(b.to_world(point)) < 1e-12)
}

fn moving(travel: Travel) -> Motion {
    Motion { start: Pose::from_translation(DVec3::X), travel }
}

proptest! {
    #[test]
    fn a_pose_and_back_is_no_pose(pose in pose(), point in point(3.0)) {
        prop_assert!(pose.to_local(pose.to_world(point)).distance(point) < 1e-13);
        prop_assert!(pose.to_world(pose.to_local(point)).distance(point) < 1e-13);
        prop_assert!((pose.to_world(point) - pose.to_world(DVec3::ZERO)).distance(pose.rotate(point)) < 1e-13);
    }

    #[test]
    fn one_pose_then_another(inner in pose(), outer in pose(), point in point(3.0)) {
        prop_assert!(inner.then(&outer).to_world(point).distance(outer.to_world(inner.to_world(point))) < 1e-12);
    }

    #[test]
    fn between_poses_the_turn_is_the_shorter_and_steady(from in pose(), to in pose(), s in 0.0..1.0_f64) {
        prop_assert_eq!(from.between(&to, 0.0), from);
        prop_assert_eq!(from.between(&to, 1.0), to);
        let angle = |a: Pose, b: Pose| 2.0 * a.rotation.dot(b.rotation).abs().min(1.0).acos();
        let middle = from.between(&to, s);
        prop_assert!((angle(from, middle) - s * angle(from, to)).abs() < 1e-6);
        prop_assert!((angle(middle, to) - (1.0 - s) * angle(from, to)).abs() < 1e-6);
        prop_assert!(middle.translation.distance(from.translation.lerp(to.translation, s)) < 1e-14);
    }
}

#[cfg(feature = "serde")]
#[test]
fn a_pose_survives_being_written() {
    let pose = Pose::new(DQuat::from_scaled_axis(DVec3::new(0.1, 0.2, 0.3)), DVec3::new(1.0 / 3.0, -2.0, 1e-9));
    let written = serde_json::to_string(&pose).expect("a pose");
    // Decimals are read to the last bit or the one before.
    assert!(same(serde_json::from_str(&written).expect("a pose"), pose), "{written}");
}

#[test]
fn still_is_still() {
    let pose = Pose::new(DQuat::from_rotation_y(0.3), DVec3::ONE);
    assert_eq!(Motion::still(pose).at(-1.0), pose);
    assert_eq!(Motion::still(pose).at(1e9), pose);
    assert_eq!(Obstacle::new("a", Plane).at(pose).motion, Motion::still(pose));
}

#[test]
fn uniform_motion_begins_and_ends() {
    let motion =
        moving(Travel::Uniform { velocity: DVec3::Y * 2.0, angular_velocity: DVec3::Z * PI, from: 1.0, until: 1.5 });
    assert_eq!(motion.at(0.0), motion.start);
    assert_eq!(motion.at(1.0), motion.start);
    let after = Pose::new(DQuat::from_rotation_z(FRAC_PI_2), DVec3::new(1.0, 1.0, 0.0));
    let half = Pose::new(DQuat::from_rotation_z(0.5 * FRAC_PI_2), DVec3::new(1.0, 0.5, 0.0));
    assert!(same(motion.at(1.25), half) && same(motion.at(1.5), after) && same(motion.at(7.0), after));
}

#[test]
fn a_turn_may_be_of_many_revolutions() {
    let turn = |interpolation| {
        let angle = Keyframes { times: vec![1.0, 3.0], values: vec![0.0, 3.0 * TAU], interpolation };
        moving(Travel::Turn(Turn { axis: DVec3::Z * 5.0, through: DVec3::Y, angle }))
    };
    let linear = turn(Interpolation::Linear);
    assert!(
        same(linear.at(0.5), linear.start) && same(linear.at(3.0), linear.start) && same(linear.at(9.0), linear.start)
    );
    // Three revolutions in 2 s: a quarter takes a sixth of a second, and is about (0, 1, 0), which stays.
    let quarter = linear.at(1.0 + 1.0 / 6.0);
    assert!(same(quarter, Pose::new(DQuat::from_rotation_z(FRAC_PI_2), DVec3::new(1.0, 2.0, 0.0))), "{quarter:?}");
    let smooth = turn(Interpolation::Smooth);
    assert!(same(smooth.at(2.0), linear.at(2.0)) && !same(smooth.at(1.5), linear.at(1.5)));
    // 3s² − 2s³ is 5/32 at a quarter.
    assert!(same(smooth.at(1.5), linear.at(1.0 + 2.0 * 5.0 / 32.0)));
}

#[test]
fn keyframes_replace_the_start() {
    let poses = vec![Pose::from_translation(DVec3::Z), Pose::new(DQuat::from_rotation_x(1.0), DVec3::Z * 3.0)];
    let keys = |interpolation| {
        moving(Travel::Keyframes(Keyframes { times: vec![1.0, 2.0], values: poses.clone(), interpolation }))
    };
    let linear = keys(Interpolation::Linear);
    assert_eq!(linear.at(0.0), poses[0]);
    assert_eq!(linear.at(2.0), poses[1]);
    assert_eq!(linear.at(5.0), poses[1]);
    assert!(same(linear.at(1.25), Pose::new(DQuat::from_rotation_x(0.25), DVec3::Z * 1.5)));
    let s = 5.0 / 32.0;
    let smooth = keys(Interpolation::Smooth).at(1.25);
    assert!(same(smooth, Pose::new(DQuat::from_rotation_x(s), DVec3::Z * (1.0 + 2.0 * s))));
}

#[test]
fn bad_motions_are_named_and_do_no_harm() {
    let turn = |axis, times: &[f64], angles: &[f64]| {
        Travel::Turn(Turn { axis, through: DVec3::ZERO, angle: Keyframes::linear(times, angles) })
    };
    let skewed = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0), translation: DVec3::ZERO };
    let uniform = |velocity, from, until| Travel::Uniform { velocity, angular_velocity: DVec3::ZERO, from, until };
    let bad = [
        (uniform(DVec3::NAN, 0.0, 1.0), "velocity"),
        (uniform(DVec3::X, 1.0, 0.0), "from 1 to 0"),
        (uniform(DVec3::X, f64::NEG_INFINITY, 0.0), "from -inf"),
        (turn(DVec3::ZERO, &[0.0], &[1.0]), "axis"),
        (turn(DVec3::X, &[0.0], &[]), "1 times and 0 angles"),
        (turn(DVec3::X, &[], &[]), "0 times"),
        (turn(DVec3::X, &[0.0, 0.0], &[1.0, 2.0]), "time 1"),
        (turn(DVec3::X, &[f64::NAN], &[1.0]), "time"),
        (turn(DVec3::X, &[0.0], &[f64::INFINITY]), "angle"),
        (Travel::Keyframes(Keyframes::linear([0.0], [skewed])), "length 2"),
    ];
    for (travel, word) in bad {
        let obstacle = Obstacle::new("a", Plane).with_motion(moving(travel));
        let fault = obstacle.fault().unwrap_or_default();
        assert!(fault.contains(word), "{obstacle:?}: {fault}");
        for t in [-1.0, 0.0, 0.5, 2.0, f64::NAN] {
            obstacle.motion.at(t);
        }
    }
    assert!(Obstacle::new("a", Plane).at(Pose::from_translation(DVec3::INFINITY)).fault().is_some());
    assert!(Obstacle::new("a", Plane).at(Pose::new(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DVec3::X)).fault().is_some());
    let endless = moving(uniform(DVec3::X, 0.0, f64::INFINITY));
    assert_eq!(Obstacle::new("a", Plane).with_motion(endless).fault(), None);
}
