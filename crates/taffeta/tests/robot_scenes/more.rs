//! More of what bodies and hands do together.

use taffeta::obstacle::{Cuboid, Cylinder, Motion, Obstacle, Pose, Travel};
use taffeta::{DQuat, DVec3, Grasp, Gripper, Interpolation, Keyframes, Path};

use crate::common::dice::Dice;
use crate::sheet::{Made, Sheet, arc, moved, smooth, table};

/// A sheet is folded, and a plate presses the fold.
pub fn press(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.lying();
    simulation.add_obstacle(table(friction));
    let [left, right, ..] = sheet.corners();
    let way = DVec3::Y * (sheet.size[1] * dice.between(0.8, 0.98));
    let seconds = dice.between(0.8, 1.2);
    let end = 2.0 * sheet.half() + 0.01;
    let (times, places) = arc(0.0, seconds, way, 0.46 * way.length(), end);
    let path = Path::Keyframes(Keyframes::linear(times, places));
    simulation.grasp(sheet.grasp(Grasp { until: seconds + 0.1, ..Grasp::moving(vec![left, right], path) }));
    let thickness = if sheet.half() > 0.0 { 2.0 * sheet.half() } else { 1e-3 };
    let gap = dice.between(1.2, 4.0) * thickness;
    let half = DVec3::new(0.6 * sheet.size[0] * dice.between(0.3, 1.0), 0.05, 0.01);
    let at = DVec3::new(0.0, sheet.size[1] * dice.between(0.0, 0.4), 0.01);
    let high = at + DVec3::Z * (0.55 * sheet.size[1] + 0.1);
    let (low, start) = (at + DVec3::Z * gap, seconds + 0.3);
    let plate = Obstacle::new("plate", Cuboid::new(half)).with_friction(friction);
    let places = [(0.0, high), (start, high), (start + 0.5, low), (start + 0.7, low), (start + 1.0, high)];
    simulation.add_obstacle(moved(plate, DQuat::IDENTITY, &places));
    (simulation, start + 1.1, format!("a fold, to {gap:.1e} m"))
}

/// A bar sweeps over the table, low enough to take the sheet along.
pub fn sweep(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.lying();
    simulation.add_obstacle(table(friction));
    let thickness = if sheet.half() > 0.0 { 2.0 * sheet.half() } else { 1e-3 };
    let (radius, gap) = (dice.between(0.008, 0.03), dice.between(0.3, 3.0) * thickness);
    let lying = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let side = -(0.5 * sheet.size[1] + radius + 0.02);
    let place = |y: f64| DVec3::new(0.0, y, radius + gap);
    let seconds = sheet.size[1] / dice.between(0.2, 1.5);
    let reach = sheet.size[1] * dice.between(0.3, 0.8);
    let places =
        [(0.0, place(side)), (0.1 + seconds, place(side + reach)), (0.3 + seconds, place(side + reach - 0.05))];
    let bar = if dice.chance(0.5) {
        Obstacle::new("bar", Cylinder::new(radius, 0.4))
    } else {
        Obstacle::new("bar", Cuboid::new(DVec3::new(radius, radius, 0.4)))
    };
    simulation.add_obstacle(moved(bar.with_friction(dice.between(0.2, 1.0)), lying, &places));
    (simulation, 0.6 + seconds, format!("by a bar {gap:.1e} m above the table in {seconds:.2} s"))
}

/// A sheet that lies over a box is pulled over its corners.
pub fn tug(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let top = dice.between(0.08, 0.25);
    let lift = top + sheet.half() + 0.005;
    let mut simulation = sheet.at(|x, y| DVec3::new(x, y, lift));
    simulation.add_obstacle(table(friction));
    let half = DVec3::new(dice.between(0.05, 0.12), dice.between(0.05, 0.12), 0.5 * top);
    let turn = DQuat::from_rotation_z(dice.number());
    let shift = DVec3::new(0.1 * dice.number(), 0.1 * dice.number(), 0.5 * top);
    let body = Obstacle::new("box", Cuboid::new(half)).with_friction(friction);
    simulation.add_obstacle(body.at(Pose::new(turn, shift)));
    let corners = sheet.corners();
    let nodes = if dice.chance(0.5) { vec![corners[0], corners[1]] } else { vec![corners[dice.index(4)]] };
    let way = DVec3::new(0.3 * dice.number(), 0.3 * dice.number(), dice.between(-0.5 * top, 0.2));
    let (from, seconds) = (dice.between(0.2, 0.6), dice.between(0.4, 1.2));
    let path = smooth(vec![from, from + seconds], vec![DVec3::ZERO, way]);
    let count = nodes.len();
    simulation.grasp(sheet.grasp(Grasp { from, ..Grasp::moving(nodes, path) }));
    (simulation, from + seconds + 0.4, format!("{count} nodes along {way:.2} over a box {top:.2} m high"))
}

/// A gripper takes a hanging sheet near its hem, and carries it about.
pub fn grip(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.hanging(0.6);
    let [.., left, right] = sheet.corners();
    let until = dice.between(0.5, 0.8);
    simulation.grasp(sheet.grasp(Grasp { until, ..Grasp::pin(vec![left, right]) }));
    let at = DVec3::new(0.3 * sheet.size[0] * dice.number(), 0.0, 0.6 + 0.5 * sheet.size[1] - dice.between(0.0, 0.05));
    let turn = DQuat::from_rotation_x(std::f64::consts::PI);
    let way = DVec3::new(0.2 * dice.number(), 0.2 * dice.number(), dice.between(-0.1, 0.3));
    let poses = [DVec3::ZERO, DVec3::ZERO, way, way].map(|way| Pose::new(turn, at + way));
    let keyframes = Keyframes {
        interpolation: Interpolation::Smooth,
        ..Keyframes::linear(vec![0.0, 0.8, 1.4, 2.0], poses.to_vec())
    };
    let mut hand = Gripper::new("hand", Motion { start: poses[0], travel: Travel::Keyframes(keyframes) });
    (hand.force, hand.friction) = (dice.between_powers(1.0, 40.0), friction);
    hand.closed = vec![[0.1, if dice.chance(0.5) { 1.6 } else { f64::INFINITY }]];
    let force = hand.force;
    simulation.add_gripper(hand).expect("a gripper");
    (simulation, 2.0, format!("with {force:.1} N"))
}

/// A sheet lies over a roll that turns.
pub fn wrap(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let radius = dice.between(0.04, 0.1);
    let mut simulation = sheet.at(|x, y| DVec3::new(x, y, 0.3 + radius + sheet.half() + 0.002));
    simulation.add_obstacle(table(friction));
    let lying = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::Z * 0.3);
    let speed = 6.0 * dice.number();
    let travel =
        Travel::Uniform { velocity: DVec3::ZERO, angular_velocity: DVec3::Y * speed, from: 0.5, until: f64::INFINITY };
    let roll = Obstacle::new("roll", Cylinder::new(radius, 0.6)).with_friction(friction);
    simulation.add_obstacle(roll.with_motion(Motion { start: lying, travel }));
    let [left, right, ..] = sheet.corners();
    if dice.chance(0.5) {
        simulation.grasp(sheet.grasp(Grasp { until: dice.between(0.3, 1.0), ..Grasp::pin(vec![left, right]) }));
    }
    (simulation, 1.8, format!("a roll of {radius:.2} m that turns at {speed:.1} rad/s"))
}
