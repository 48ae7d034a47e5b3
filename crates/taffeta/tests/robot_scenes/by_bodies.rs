//! What bodies do, and what cloth does that falls on them.

use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::{Element, Mesh};
use taffeta::obstacle::{Capsule, Cuboid, Cylinder, Obstacle, Pose, Sphere, Stick};
use taffeta::{DQuat, DVec3, Grasp, Simulation};

use crate::common::dice::Dice;
use crate::sheet::{Made, Sheet, moved, table};

pub fn drop(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let height = dice.between(0.15, 0.5);
    let turn = DQuat::from_scaled_axis(dice.vector() * if dice.chance(0.5) { 0.0 } else { 1.0 });
    let lift = DVec3::Z * (height + 0.5 * sheet.size[0].hypot(sheet.size[1]) + 0.15);
    let mut simulation = sheet.at(|x, y| lift + turn * DVec3::new(x, y, 0.0));
    simulation.add_obstacle(table(friction));
    let size = dice.between(0.04, 0.12);
    let at = |z: f64| Pose::from_translation(DVec3::new(0.03, 0.02, z));
    let body = match dice.index(5) {
        0 => Some(Obstacle::new("ball", Sphere::new(size)).at(at(size))),
        1 => Some(Obstacle::new("box", Cuboid::new(DVec3::new(size, 0.7 * size, size))).at(at(size))),
        2 => Some(Obstacle::new("post", Cylinder::new(0.5 * size, size)).at(at(size))),
        3 => {
            let lying = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
            Some(Obstacle::new("bar", Capsule::new(0.2 * size, 0.4)).at(Pose::new(lying, DVec3::Z * 0.12)))
        }
        _ => None,
    };
    let what = body.as_ref().map_or("the table".to_owned(), |body| body.name.clone());
    if let Some(body) = body {
        simulation.add_obstacle(body.with_friction(friction));
    }
    (simulation, 1.5, format!("from {height:.2} m on {what}"))
}

pub fn hit(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.hanging(0.8);
    let [.., left, right] = sheet.corners();
    simulation.grasp(sheet.grasp(Grasp::pin(vec![left, right])));
    let speed = dice.between(0.5, 4.0);
    let height = 0.8 + 0.5 * sheet.size[1] * dice.between(-0.9, 0.6);
    let start = DVec3::new(0.1 * dice.number(), -0.3, height);
    let turn = DQuat::from_rotation_y(0.3 * dice.number());
    let body = match dice.index(3) {
        0 => Obstacle::new("stick", Stick::new([DVec3::X * -0.4, DVec3::X * 0.4], dice.between(0.004, 0.015))),
        1 => Obstacle::new("ball", Sphere::new(dice.between(0.03, 0.1))),
        _ => Obstacle::new("box", Cuboid::new(DVec3::new(0.06, 0.04, 0.05))),
    };
    let what = body.name.clone();
    let seconds = 0.7 / speed;
    let back = dice.chance(0.5);
    let way = DVec3::Y * 0.7;
    let mut places = vec![(0.1, start), (0.1 + seconds, start + way)];
    if back {
        places.push((0.1 + 2.0 * seconds, start));
    }
    simulation.add_obstacle(moved(body.with_friction(friction), turn, &places));
    (simulation, 0.8 + 2.0 * seconds, format!("by a {what} at {speed:.1} m/s"))
}

pub fn stack(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let n = 6 + dice.index(4);
    let size = dice.between(0.25, 0.5);
    let count = 2 + dice.index(3);
    let (mut positions, mut elements) = (Vec::new(), Vec::new());
    let distance = dice.between(0.02, 0.06);
    for k in 0..count {
        let turn = DQuat::from_rotation_z(dice.number());
        let lift = DVec3::new(0.05 * dice.number(), 0.05 * dice.number(), 0.02 + distance * k as f64);
        let place = |s: f64, t: f64| lift + turn * DVec3::new(size * (s - 0.5), size * (t - 0.5), 0.0);
        let one = Mesh::grid(n, n, place).expect("a sheet");
        let first = positions.len();
        elements.extend(one.elements().iter().map(|element| match *element {
            Element::Triangle(nodes) => Element::Triangle(nodes.map(|i| i + first)),
            Element::Quad(nodes) => Element::Quad(nodes.map(|i| i + first)),
        }));
        positions.extend_from_slice(one.positions());
    }
    let mesh = Mesh::new(positions, elements, None).expect("sheets");
    let mut simulation = Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), sheet.params, sheet.dt);
    simulation.add_obstacle(table(friction));
    (simulation, 1.0, format!("{count} sheets of {n}×{n}, {size:.2} m wide, {distance:.3} m apart"))
}

pub fn push(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.lying();
    simulation.add_obstacle(table(friction));
    let thickness = sheet.params.material.thickness;
    let gap = if thickness > 0.0 { dice.between(0.25, 1.2) * thickness } else { dice.between(1e-4, 1e-3) };
    let way = DVec3::new(dice.number(), dice.number(), 0.0) * 0.2;
    let radius = dice.between(0.01, 0.05);
    let (body, above) = match dice.index(3) {
        0 => (Obstacle::new("ball", Sphere::new(radius)), radius),
        1 => (Obstacle::new("pad", Cuboid::new(DVec3::new(0.03, 0.04, 0.01))), 0.01),
        _ => (Obstacle::new("finger", Capsule::new(radius, 0.05)), radius + 0.05),
    };
    let what = body.name.clone();
    let from = DVec3::new(0.1 * dice.number(), 0.1 * dice.number(), above);
    let (down, seconds) = (dice.between(0.1, 0.4), dice.between(0.3, 1.2));
    let low = from + DVec3::Z * gap;
    let places = [
        (0.0, from + DVec3::Z * (thickness + 0.02)),
        (down, low),
        (down + seconds, low + way),
        (2.0 * down + seconds, low + way + DVec3::Z * 0.05),
    ];
    simulation.add_obstacle(moved(body.with_friction(dice.between(0.2, 1.2)), DQuat::IDENTITY, &places));
    (simulation, 0.2 + 2.0 * down + seconds, format!("a {what} at {gap:.1e} m above the table along {way:.2}"))
}

pub fn pinch(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.hanging(0.6);
    let thickness = sheet.params.material.thickness;
    let gap = if thickness > 0.0 { dice.between(0.2, 1.0) * thickness } else { dice.between(0.0, 2e-4) };
    let held_until = dice.between(0.3, 0.5);
    let [.., left, right] = sheet.corners();
    simulation.grasp(sheet.grasp(Grasp { until: held_until, ..Grasp::pin(vec![left, right]) }));
    let radius = dice.between(0.008, 0.02);
    let at = DVec3::new(0.2 * sheet.size[0] * dice.number(), 0.0, 0.6 + 0.5 * sheet.size[1] * dice.between(0.5, 0.9));
    let lift = DVec3::new(0.1 * dice.number(), 0.1 * dice.number(), dice.between(0.05, 0.2));
    let tips = dice.chance(0.5);
    for (name, side) in [("front", -1.0), ("back", 1.0)] {
        let (body, half) = if tips {
            (Obstacle::new(name, Sphere::new(radius)), radius)
        } else {
            (Obstacle::new(name, Cuboid::new(DVec3::new(radius, 0.005, radius))), 0.005)
        };
        let away = |gap: f64| at + DVec3::Y * (side * (half + 0.5 * gap));
        let places = [
            (0.0, away(0.03)),
            (0.25, away(gap)),
            (0.5, away(gap)),
            (1.0, away(gap) + lift),
            (1.3, away(gap)),
            (1.5, away(0.03)),
        ];
        simulation.add_obstacle(moved(body.with_friction(friction), DQuat::IDENTITY, &places));
    }
    (simulation, 1.7, format!("by {} of {radius:.3} m with {gap:.1e} m between", if tips { "tips" } else { "pads" }))
}
