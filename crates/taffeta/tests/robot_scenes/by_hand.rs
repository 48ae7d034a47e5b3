//! What hands do.

use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::garment::{Cut, Garment};
use taffeta::obstacle::{Cuboid, Obstacle, Pose};
use taffeta::{DQuat, DVec3, Grasp, Keyframes, Path, Simulation};

use crate::common::dice::Dice;
use crate::sheet::{Made, Sheet, arc, smooth, table};

pub fn fold(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.lying();
    simulation.add_obstacle(table(friction));
    let corners = sheet.corners();
    let diagonal = dice.chance(0.3);
    let (way, nodes) = if diagonal {
        (DVec3::new(sheet.size[0], sheet.size[1], 0.0), vec![corners[0]])
    } else {
        (DVec3::Y * sheet.size[1], vec![corners[0], corners[1]])
    };
    let (seconds, end) = (dice.between(0.7, 2.0), dice.between(0.0, 0.05) + 2.0 * sheet.half());
    let (times, places) = arc(0.1, seconds, way * dice.between(0.85, 1.0), 0.48 * way.length(), end);
    let until = if dice.chance(0.7) { seconds + 0.15 } else { f64::INFINITY };
    let path = Path::Keyframes(Keyframes::linear(times, places));
    simulation.grasp(sheet.grasp(Grasp { until, ..Grasp::moving(nodes, path) }));
    (simulation, seconds + 1.0, format!("by {} corners in {seconds:.2} s", if diagonal { 1 } else { 2 }))
}

pub fn drag(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.lying();
    simulation.add_obstacle(table(friction));
    let corners = sheet.corners();
    let nodes = if dice.chance(0.5) { vec![corners[0], corners[1]] } else { vec![corners[dice.index(4)]] };
    let way = DVec3::new(dice.number(), dice.number(), 0.0) * 0.4;
    let (lift, seconds) = (dice.between(0.0, 0.05), dice.between(0.5, 1.5));
    let turned = DQuat::from_rotation_z(dice.number()) * way;
    let places = vec![DVec3::ZERO, DVec3::Z * lift, way + DVec3::Z * lift, way + turned + DVec3::Z * lift];
    let times = vec![0.0, 0.2, 0.2 + seconds, 0.2 + 2.0 * seconds];
    simulation.grasp(sheet.grasp(Grasp::moving(nodes.clone(), smooth(times, places))));
    (simulation, 0.5 + 2.0 * seconds, format!("{} nodes along {way:.2}", nodes.len()))
}

pub fn fling(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.hanging(0.55 * sheet.size[1] + 0.1);
    simulation.add_obstacle(table(friction));
    let [.., left, right] = sheet.corners();
    let speed = dice.between(1.0, 3.0);
    let reach = dice.between(0.2, 0.5);
    let swing = 1.5 * reach / speed;
    let down = -(sheet.size[1] * 1.0 + 0.05);
    let places = vec![
        DVec3::ZERO,
        DVec3::new(0.0, -0.5 * reach, 0.0),
        DVec3::new(0.0, reach, 0.05),
        DVec3::new(0.0, 0.3 * reach, 0.6 * down),
        DVec3::new(0.0, -0.2 * reach, down + 0.06),
    ];
    let times = vec![0.0, 0.3, 0.3 + swing, 0.6 + 2.0 * swing, 1.2 + 2.0 * swing];
    let until = if dice.chance(0.7) { times[4] + 0.1 } else { f64::INFINITY };
    let end = times[4] + 0.8;
    simulation.grasp(sheet.grasp(Grasp { until, ..Grasp::moving(vec![left, right], smooth(times, places)) }));
    (simulation, end, format!("at {speed:.1} m/s, {reach:.2} m far"))
}

pub fn garment(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let cell = dice.between(0.035, 0.05);
    let shirt = dice.chance(0.5);
    let garment = Garment::named(if shirt { "shirt" } else { "shorts" }).expect("a garment");
    let mesh = garment.sew(Cut::with_cell(cell)).expect("a garment").mesh;
    let lowest = mesh.positions().iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    let lift = mesh.positions().iter().map(|&x| x + DVec3::Z * (0.05 - lowest)).collect();
    let mesh = mesh.with_positions(lift).expect("a garment");
    let x = mesh.positions().to_vec();
    let cloth = Cloth::new(mesh, RestShape::Uv { scale: 1.0 }, Scheme::default());
    let mut simulation = Simulation::new(cloth, sheet.params, sheet.dt);
    simulation.add_obstacle(table(friction));
    let top = x.iter().map(|x| x.z).fold(f64::NEG_INFINITY, f64::max);
    let highest = |side: f64| {
        let score = |i: &usize| x[*i].x * side + 3.0 * (x[*i].z - top);
        (0..x.len()).max_by(|a, b| score(a).total_cmp(&score(b))).expect("a node")
    };
    let nodes = vec![highest(-1.0), highest(1.0)];
    let down = DVec3::new(0.0, dice.between(0.1, 0.4), -(top - 0.06));
    let seconds = dice.between(0.8, 1.6);
    let path = smooth(vec![0.2, 0.2 + seconds], vec![DVec3::ZERO, down]);
    let until = 0.3 + seconds;
    simulation.grasp(sheet.grasp(Grasp { until, ..Grasp::moving(nodes, path) }));
    let what = if shirt { "a shirt" } else { "shorts" };
    (simulation, seconds + 0.8, format!("{what} with cells of {cell:.3} m, laid down in {seconds:.2} s"))
}

pub fn pick(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.lying();
    simulation.add_obstacle(table(friction));
    let corners = sheet.corners();
    let node = match dice.index(3) {
        0 => corners[dice.index(4)],
        1 => sheet.node(sheet.columns / 2, 0),
        _ => sheet.node(dice.index(sheet.columns), dice.index(sheet.rows)),
    };
    let up = dice.between(0.2, 0.6);
    let aside = DVec3::new(dice.number(), dice.number(), 0.0) * 0.3;
    let speed = dice.between(0.3, 1.5);
    let lift = up / speed;
    let times = vec![0.1, 0.1 + lift, 0.1 + 2.0 * lift, 0.1 + 3.0 * lift];
    let path = smooth(times, vec![DVec3::ZERO, DVec3::Z * up, DVec3::Z * up + aside, DVec3::Z * (0.02) + aside * 1.5]);
    let until = if dice.chance(0.5) { 0.1 + 3.0 * lift } else { f64::INFINITY };
    simulation.grasp(sheet.grasp(Grasp { until, ..Grasp::moving(vec![node], path) }));
    (simulation, 0.5 + 3.0 * lift, format!("node {node} up by {up:.2} m at {speed:.1} m/s"))
}

pub fn edge(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.lying();
    // It overhangs a little, or ends at the edge.
    let past = dice.between(-0.02, 0.5 * sheet.size[0]);
    let top = Cuboid::table(2.0, 2.0, dice.between(0.02, 0.05));
    let place = DVec3::X * (0.5 * sheet.size[0] - past - 1.0);
    simulation.add_obstacle(Obstacle::new("table", top).with_friction(friction).at(Pose::from_translation(place)));
    let column = sheet.columns - 1;
    let hem: Vec<usize> = (0..sheet.rows).map(|row| sheet.node(column, row)).collect();
    let nodes = if dice.chance(0.5) { hem } else { vec![hem[0], hem[sheet.rows - 1]] };
    let way = DVec3::new(dice.between(0.05, 0.4), 0.05 * dice.number(), dice.between(-0.3, 0.1));
    let seconds = dice.between(0.5, 1.2);
    let path = smooth(vec![0.0, seconds], vec![DVec3::ZERO, way]);
    simulation.grasp(sheet.grasp(Grasp::moving(nodes.clone(), path)));
    (simulation, seconds + 0.5, format!("{} nodes over the edge along {way:.2}", nodes.len()))
}

pub fn lay_down(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let lowest = 0.03 + dice.between(0.0, 0.1);
    let mut simulation = sheet.hanging(0.5 * sheet.size[1] + lowest);
    simulation.add_obstacle(table(friction));
    let [.., left, right] = sheet.corners();
    let seconds = dice.between(0.7, 1.8);
    let (along, down) = (sheet.size[1] * dice.between(0.5, 1.0), sheet.size[1] + lowest - dice.between(0.0, 0.04));
    let (mut times, mut places) = (Vec::new(), Vec::new());
    for k in 0..=20 {
        let angle = std::f64::consts::FRAC_PI_2 * f64::from(k) / 20.0;
        times.push(0.1 + seconds * f64::from(k) / 20.0);
        places.push(DVec3::new(0.0, along * angle.sin(), -down * (1.0 - angle.cos())));
    }
    let until = if dice.chance(0.5) { seconds + 0.2 } else { f64::INFINITY };
    simulation.grasp(
        sheet.grasp(Grasp {
            until,
            ..Grasp::moving(vec![left, right], Path::Keyframes(Keyframes::linear(times, places)))
        }),
    );
    (simulation, seconds + 0.6, format!("in {seconds:.2} s"))
}
