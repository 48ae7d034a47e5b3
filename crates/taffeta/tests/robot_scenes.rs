//! What robots do to cloth, at random: nearly every such scene is simulated to its end, and in none of them anything passes through anything.
//!
//! A scene is a task and a number: the ones in a message are made again by [`Scene::of`]. `TAFFETA_SCENES` says how many there are of every
//! task, `TAFFETA_FIRST_SCENE` with which number they begin, and `TAFFETA_TASK` which task alone is tried. With `TAFFETA_DEGRADE` steps
//! that cannot be solved are taken as well as they can be.

mod common;

use common::dice::Dice;
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::collide::self_intersections;
use taffeta::mesh::garment::{Cut, Garment};
use taffeta::mesh::{Diagonal, Mesh};
use taffeta::obstacle::{Capsule, Cuboid, Cylinder, Motion, Obstacle, Pose, Sphere, Stick, Travel};
use taffeta::{DQuat, DVec3, Grasp, Interpolation, Keyframes, OnFailure, Params, Path, SelfContact, Simulation};

/// Scenes of every task in a short run.
const SHORT: usize = 2;

/// What is done.
const TASKS: [&str; 12] =
    ["fold", "drag", "fling", "drop", "hit", "stack", "garment", "pick", "push", "edge", "pinch", "lay down"];

/// A scene at its start.
struct Scene {
    simulation: Simulation,
    seconds: f64,
    /// What it is, for messages.
    story: String,
}

/// A sheet and what it is made of.
struct Sheet {
    columns: usize,
    rows: usize,
    size: [f64; 2],
    diagonal: Option<Diagonal>,
    params: Params,
    dt: f64,
}

impl Sheet {
    fn of(dice: &mut Dice) -> Self {
        let (columns, rows) = (7 + dice.index(10), 7 + dice.index(10));
        let width = dice.between(0.25, 0.9);
        let size = [width, width * (rows - 1) as f64 / (columns - 1) as f64];
        let cuts = [Diagonal::Forward, Diagonal::Backward, Diagonal::Alternating];
        let diagonal = dice.chance(0.3).then(|| cuts[dice.index(3)]);
        let fabric = ["polyester", "wool", "denim", "stiff-cotton"][dice.index(4)];
        let mut material = Material::named(fabric).expect("a fabric of the table");
        material.thickness = if dice.chance(0.2) { 0.0 } else { dice.between_powers(0.4e-3, 3e-3) };
        material.bending = if dice.chance(0.3) { 0.0 } else { dice.between_powers(1e-6, 2e-4) };
        let friction = dice.between(0.0, 1.0);
        let self_contact = Some(SelfContact { friction, ..SelfContact::default() });
        let params = Params { material, self_contact, ..Params::default() };
        Self { columns, rows, size, diagonal, params, dt: [0.01, 0.005, 0.0025][dice.index(3)] }
    }

    fn story(&self) -> String {
        let Self { columns, rows, size: [width, _], diagonal, params, dt } = self;
        let (material, itself) = (&params.material, params.self_contact.map_or(0.0, |itself| itself.friction));
        format!(
            "{columns}×{rows} nodes, {width:.2} m wide, {diagonal:?}, dt {dt}, ρ {:.2}, τ {:.1e}, κ {:.0e}, μ itself {itself:.2}",
            material.density, material.thickness, material.bending
        )
    }

    /// Half its thickness.
    fn half(&self) -> f64 {
        0.5 * self.params.material.thickness
    }

    fn at(&self, place: impl Fn(f64, f64) -> DVec3) -> Simulation {
        let [width, height] = self.size;
        let place = |s: f64, t: f64| place(width * (s - 0.5), height * (t - 0.5));
        let mesh = match self.diagonal {
            None => Mesh::grid(self.columns, self.rows, place),
            Some(diagonal) => Mesh::triangle_grid(self.columns, self.rows, diagonal, place),
        };
        let cloth = Cloth::new(mesh.expect("a sheet"), RestShape::Mesh, Scheme::default());
        Simulation::new(cloth, self.params, self.dt)
    }

    /// On a table whose top is at z = 0.
    fn lying(&self) -> Simulation {
        let height = self.half();
        self.at(|x, y| DVec3::new(x, y, height))
    }

    /// In the plane of x and z, its middle in this height.
    fn hanging(&self, height: f64) -> Simulation {
        self.at(|x, z| DVec3::new(x, 0.0, z + height))
    }

    fn node(&self, column: usize, row: usize) -> usize {
        row * self.columns + column
    }

    /// The corners: at the left and at the right below, and above.
    fn corners(&self) -> [usize; 4] {
        let (right, top) = (self.columns - 1, self.rows - 1);
        [self.node(0, 0), self.node(right, 0), self.node(0, top), self.node(right, top)]
    }
}

fn table(friction: f64) -> Obstacle {
    Obstacle::new("table", Cuboid::table(3.0, 3.0, 0.05)).with_friction(friction)
}

fn smooth(times: Vec<f64>, places: Vec<DVec3>) -> Path {
    Path::Keyframes(Keyframes::smooth(times, places))
}

/// A body that is at these places at these times, and rests there.
fn moved(body: Obstacle, turn: DQuat, places: &[(f64, DVec3)]) -> Obstacle {
    let poses: Vec<Pose> = places.iter().map(|&(_, place)| Pose::new(turn, place)).collect();
    let times: Vec<f64> = places.iter().map(|&(time, _)| time).collect();
    let start = poses[0];
    let keyframes = Keyframes { interpolation: Interpolation::Smooth, ..Keyframes::linear(times, poses) };
    body.with_motion(Motion { start, travel: Travel::Keyframes(keyframes) })
}

/// Half a circle from one place to another, with this much above it, in so many seconds after a time.
fn arc(from: f64, seconds: f64, way: DVec3, above: f64, end: f64) -> (Vec<f64>, Vec<DVec3>) {
    let (mut times, mut places) = (Vec::new(), Vec::new());
    for k in 0..=24 {
        let s = f64::from(k) / 24.0;
        let eased = s * s * (3.0 - 2.0 * s);
        let angle = std::f64::consts::PI * eased;
        times.push(from + seconds * s);
        places.push(way * (0.5 - 0.5 * angle.cos()) + DVec3::Z * (above * angle.sin() + end * eased));
    }
    (times, places)
}

impl Scene {
    /// The scene of a task and a number.
    fn of(task: usize, seed: u64) -> Self {
        let dice = &mut Dice::new(seed * 64 + task as u64);
        let sheet = Sheet::of(dice);
        let friction = dice.between(0.1, 1.2);
        let make = [fold, drag, fling, drop, hit, stack, garment, pick, push, edge, pinch, lay_down][task];
        let (simulation, seconds, what) = make(dice, &sheet, friction);
        let story = format!("{} with {}, μ {friction:.2}: {what}", TASKS[task], sheet.story());
        Self { simulation, seconds, story }
    }
}

type Made = (Simulation, f64, String);

fn fold(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
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
    simulation.grasp(Grasp { until, ..Grasp::moving(nodes, path) });
    (simulation, seconds + 1.0, format!("by {} corners in {seconds:.2} s", if diagonal { 1 } else { 2 }))
}

fn drag(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.lying();
    simulation.add_obstacle(table(friction));
    let corners = sheet.corners();
    let nodes = if dice.chance(0.5) { vec![corners[0], corners[1]] } else { vec![corners[dice.index(4)]] };
    let way = DVec3::new(dice.number(), dice.number(), 0.0) * 0.4;
    let (lift, seconds) = (dice.between(0.0, 0.05), dice.between(0.5, 1.5));
    let turned = DQuat::from_rotation_z(dice.number()) * way;
    let places = vec![DVec3::ZERO, DVec3::Z * lift, way + DVec3::Z * lift, way + turned + DVec3::Z * lift];
    let times = vec![0.0, 0.2, 0.2 + seconds, 0.2 + 2.0 * seconds];
    simulation.grasp(Grasp::moving(nodes.clone(), smooth(times, places)));
    (simulation, 0.5 + 2.0 * seconds, format!("{} nodes along {way:.2}", nodes.len()))
}

fn fling(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
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
    simulation.grasp(Grasp { until, ..Grasp::moving(vec![left, right], smooth(times, places)) });
    (simulation, end, format!("at {speed:.1} m/s, {reach:.2} m far"))
}

fn drop(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
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

fn hit(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.hanging(0.8);
    let [.., left, right] = sheet.corners();
    simulation.grasp(Grasp::pin(vec![left, right]));
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

fn stack(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
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
            taffeta::mesh::Element::Triangle(nodes) => taffeta::mesh::Element::Triangle(nodes.map(|i| i + first)),
            taffeta::mesh::Element::Quad(nodes) => taffeta::mesh::Element::Quad(nodes.map(|i| i + first)),
        }));
        positions.extend_from_slice(one.positions());
    }
    let mesh = Mesh::new(positions, elements, None).expect("sheets");
    let mut simulation = Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), sheet.params, sheet.dt);
    simulation.add_obstacle(table(friction));
    (simulation, 1.0, format!("{count} sheets of {n}×{n}, {size:.2} m wide, {distance:.3} m apart"))
}

fn garment(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
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
    simulation.grasp(Grasp { until, ..Grasp::moving(nodes, path) });
    let what = if shirt { "a shirt" } else { "shorts" };
    (simulation, seconds + 0.8, format!("{what} with cells of {cell:.3} m, laid down in {seconds:.2} s"))
}

fn pick(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
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
    simulation.grasp(Grasp { until, ..Grasp::moving(vec![node], path) });
    (simulation, 0.5 + 3.0 * lift, format!("node {node} up by {up:.2} m at {speed:.1} m/s"))
}

fn push(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
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

fn edge(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
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
    simulation.grasp(Grasp::moving(nodes.clone(), path));
    (simulation, seconds + 0.5, format!("{} nodes over the edge along {way:.2}", nodes.len()))
}

fn pinch(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
    let mut simulation = sheet.hanging(0.6);
    let thickness = sheet.params.material.thickness;
    let gap = if thickness > 0.0 { dice.between(0.2, 1.0) * thickness } else { dice.between(0.0, 2e-4) };
    let held_until = dice.between(0.3, 0.5);
    let [.., left, right] = sheet.corners();
    simulation.grasp(Grasp { until: held_until, ..Grasp::pin(vec![left, right]) });
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

fn lay_down(dice: &mut Dice, sheet: &Sheet, friction: f64) -> Made {
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
    simulation
        .grasp(Grasp { until, ..Grasp::moving(vec![left, right], Path::Keyframes(Keyframes::linear(times, places))) });
    (simulation, seconds + 0.6, format!("in {seconds:.2} s"))
}

/// How a scene went.
#[derive(Default)]
struct Outcome {
    steps: usize,
    refused: Option<String>,
    slowest: usize,
    retries: usize,
    degraded: usize,
}

/// Takes the steps of a scene. Nothing passes through anything, and everything is finite.
fn live(scene: &mut Scene) -> Outcome {
    let Scene { simulation, seconds, story } = scene;
    let (thickness, solver) = (simulation.params.material.thickness, simulation.params.solver);
    let mut outcome = Outcome::default();
    if let Err(error) = simulation.check_start() {
        panic!("{story}: {error}");
    }
    for step in 0..(*seconds / simulation.dt()).round() as usize {
        let report = match simulation.step() {
            Ok(report) => report,
            Err(error) => {
                outcome.refused = Some(error.to_string());
                break;
            }
        };
        outcome.steps += 1;
        outcome.retries += report.retries;
        outcome.degraded += report.degraded;
        outcome.slowest = outcome.slowest.max(report.factorisations);
        let is_solved = report.degraded == 0;
        let strain = report.residual;
        assert!(strain <= solver.strain_tolerance || !is_solved, "{story}, step {step}: strain {strain}");
        let state = simulation.state();
        let finite = state.positions.iter().chain(&state.velocities).all(|x| x.is_finite());
        assert!(finite, "{story}, step {step}: not finite");
        let met = self_intersections(&state.positions, simulation.model().cloth().surface());
        assert!(met.is_empty(), "{story}, step {step}: {met:?}");
        // What a step has left inside comes out in the next ones.
        if outcome.degraded > 0 {
            continue;
        }
        for (obstacle, pose) in simulation.obstacles.iter().zip(simulation.poses()) {
            let gap = |x: &DVec3| obstacle.shape.near(pose.to_local(*x)).gap;
            let deepest = state.positions.iter().map(gap).fold(f64::INFINITY, f64::min);
            let least = 0.5 * thickness * (1.0 - report.max_compression) - 2.0 * solver.gap_tolerance;
            assert!(deepest >= least - 1e-9, "{story}, step {step}: {deepest} m from {}, not {least}", obstacle.name);
        }
    }
    outcome
}

#[test]
fn nearly_everything_that_robots_do_is_simulated_to_its_end() {
    let asked = |name: &str| std::env::var(name).ok();
    let number = |name: &str| asked(name).and_then(|number| number.parse::<usize>().ok());
    let (first, count) = (number("TAFFETA_FIRST_SCENE").unwrap_or(0), number("TAFFETA_SCENES").unwrap_or(SHORT));
    let (mut refused, mut all) = (0, 0);
    for (task, name) in
        TASKS.iter().enumerate().filter(|(_, name)| asked("TAFFETA_TASK").is_none_or(|one| one == **name))
    {
        let (mut steps, mut slowest, mut retries, mut failed, mut degraded) = (0, 0, 0, 0, 0);
        let began = std::time::Instant::now();
        for seed in first..first + count {
            let mut scene = Scene::of(task, seed as u64);
            if asked("TAFFETA_DEGRADE").is_some() {
                scene.simulation.params.solver.on_failure = OnFailure::Degrade;
            }
            let outcome = live(&mut scene);
            steps += outcome.steps;
            slowest = slowest.max(outcome.slowest);
            retries += outcome.retries;
            degraded += outcome.degraded;
            if outcome.degraded > 0 {
                println!("scene {seed}, {}: {} parts of steps degraded", scene.story, outcome.degraded);
            }
            if let Some(why) = outcome.refused {
                println!("scene {seed}, {}, ends in step {}: {why}", scene.story, outcome.steps);
                failed += 1;
            }
        }
        println!(
            "{name}: {failed} of {count} refused; {steps} steps, {retries} attempts again, {degraded} degraded, at most {slowest} factorisations in a step, {:.1} s",
            began.elapsed().as_secs_f64()
        );
        refused += failed;
        all += count;
    }
    assert!(refused * 50 <= all, "{refused} scenes of {all} ended early");
}
