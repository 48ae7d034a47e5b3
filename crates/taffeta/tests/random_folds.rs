//! Random crumpling: whatever is done to a cloth, it does not pass through itself, and what cannot be solved is refused.
//!
//! A world is a number: the one in a message is made again by [`World::of`]. `TAFFETA_FOLDS` says how many there are, and
//! `TAFFETA_FIRST_FOLD` with which they begin. With `TAFFETA_DEGRADE` steps that cannot be solved are taken as well as they can be.

mod common;

use common::dice::Dice;
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::collide::{Parts, self_gaps, self_intersections};
use taffeta::mesh::{Diagonal, Mesh};
use taffeta::obstacle::{Cuboid, Motion, Obstacle, Plane, Pose, Sphere, Stick, Travel};
use taffeta::{Contact, DQuat, DVec3, Grasp, Keyframes, OnFailure, Params, Path, SelfContact, Simulation, Solver};

/// Steps of a world.
const STEPS: usize = 50;

/// Worlds of a short run.
const SHORT: usize = 150;

/// A sheet at its start, what it is made of and what is done to it.
struct World {
    simulation: Simulation,
    /// What it is, for messages.
    story: String,
}

impl World {
    /// The world of a number.
    fn of(seed: u64) -> Self {
        let dice = &mut Dice::new(seed);
        let (nx, ny) = (4 + dice.index(7), 4 + dice.index(7));
        let cell = dice.between(0.02, 0.08);
        let turn = DQuat::from_scaled_axis(dice.vector() * 1.5);
        let size = DVec3::new(cell * (nx - 1) as f64, cell * (ny - 1) as f64, 0.0);
        // Above the floor, whichever way it is turned.
        let middle = DVec3::Z * (0.5 * size.length() + 0.05);
        let place = |s: f64, t: f64| middle + turn * (size * DVec3::new(s - 0.5, t - 0.5, 0.0));
        let triangles = dice.chance(0.25);
        let mesh = match triangles {
            true => Mesh::triangle_grid(nx, ny, Diagonal::Alternating, place),
            false => Mesh::grid(nx, ny, place),
        };
        let cloth = Cloth::new(mesh.expect("a sheet"), RestShape::Mesh, Scheme::default());
        let params = params(dice);
        let dt = dice.between_powers(2e-3, 20e-3);
        let mut story = format!(
            "{nx}×{ny} of {cell:.3} m{}, dt {dt:.4}, τ {:.4}, μ {:.2}, κ {:.0e}",
            if triangles { " in triangles" } else { "" },
            params.material.thickness,
            params.self_contact.map_or(0.0, |itself| itself.friction),
            params.material.bending,
        );
        let mut simulation = Simulation::new(cloth, params, dt);
        let thrown = throw(dice, &mut simulation);
        let (held, count) = hold(dice, &mut simulation, [nx, ny]);
        let met = meet(dice, &mut simulation, count);
        story += &format!(", {thrown}, {held}, {met}");
        Self { simulation, story }
    }
}

fn params(dice: &mut Dice) -> Params {
    let mut material = Material { damping: dice.between(0.0, 0.5), ..Material::with_density(dice.between(0.1, 0.3)) };
    material.thickness = dice.between_powers(0.5e-3, 5e-3);
    material.bending = if dice.chance(0.5) { 0.0 } else { dice.between_powers(1e-5, 1e-4) };
    let friction = if dice.chance(0.2) { 0.0 } else { dice.between(0.0, 1.0) };
    Params { material, self_contact: Some(SelfContact { friction, ..SelfContact::default() }), ..Params::default() }
}

/// Gives the sheet velocities of up to 5 m/s: all of it one, and a field of waves that crumples it.
fn throw(dice: &mut Dice, simulation: &mut Simulation) -> String {
    let (all, crumple) = (dice.vector() * dice.between(0.0, 2.0), dice.between(0.0, 3.0));
    let waves: [(DVec3, DVec3, f64); 3] = [(); 3].map(|()| (dice.vector(), dice.vector() * 30.0, 3.0 * dice.number()));
    let state = simulation.state_mut();
    for (v, x) in state.velocities.iter_mut().zip(&state.positions) {
        let field: DVec3 = waves.iter().map(|(a, k, phase)| *a * (k.dot(*x) + phase).sin()).sum();
        *v = (all + field * crumple).clamp_length_max(5.0);
    }
    format!("crumpled at {crumple:.1} m/s")
}

/// Takes some corners to random places about the middle, never farther apart than they were; and says how many.
fn hold(dice: &mut Dice, simulation: &mut Simulation, [nx, ny]: [usize; 2]) -> (String, usize) {
    let corners = [0, nx - 1, nx * (ny - 1), nx * ny - 1];
    let count = if dice.chance(0.4) { 0 } else { 1 + dice.index(4) };
    let speed = dice.between(0.2, 3.0);
    let x = simulation.positions().to_vec();
    let middle = x.iter().sum::<DVec3>() / x.len() as f64;
    let reach = 0.35 * f64::min(x[0].distance(x[nx - 1]), x[0].distance(x[nx * (ny - 1)]));
    let until = x[0].distance(middle) / speed;
    for &node in &corners[..count] {
        let goal = middle + (dice.vector() * reach).clamp_length_max(reach);
        let (times, places) = (vec![0.0, until], vec![DVec3::ZERO, goal - x[node]]);
        let path = Path::Keyframes(Keyframes::smooth(times, places));
        let release = if dice.chance(0.5) { f64::INFINITY } else { until };
        simulation.grasp(Grasp { until: release, ..Grasp::moving(vec![node], path) });
    }
    (format!("{count} corners moved at {speed:.1} m/s"), count)
}

/// Puts something under the sheet, and lets something hit it, unless it is held so that it could not give way.
fn meet(dice: &mut Dice, simulation: &mut Simulation, held: usize) -> String {
    let x = simulation.positions();
    let middle = x.iter().sum::<DVec3>() / x.len() as f64;
    let radius = x.iter().map(|x| x.distance(middle)).fold(0.0, f64::max);
    let friction = dice.between(0.0, 1.0);
    let below = middle - DVec3::Z * (radius + 0.02);
    let mut story = Vec::new();
    if dice.chance(0.7) {
        simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(friction));
        story.push("on a floor".to_owned());
    }
    let size = dice.between(0.05, 0.15);
    let under = match dice.index(3) {
        0 => Some(Obstacle::new("ball below", Sphere::new(size))),
        1 => Some(Obstacle::new("box below", Cuboid::new(DVec3::splat(size)))),
        _ => None,
    };
    if let Some(body) = under {
        story.push(format!("on a {} of {size:.2} m", body.name));
        let place = below - DVec3::Z * size + dice.vector() * DVec3::new(0.05, 0.05, 0.0);
        simulation.add_obstacle(body.with_friction(friction).at(Pose::from_translation(place)));
    }
    let (speed, aside) =
        (dice.between(1.0, 10.0), DVec3::new(dice.number(), dice.number(), 0.3 * dice.number()).normalize());
    let hits = match dice.index(4) {
        _ if held > 1 => None,
        0 => Some(Obstacle::new("stick", Stick::straight(0.75, 0.0075))),
        1 => Some(Obstacle::new("ball", Sphere::new(dice.between(0.02, 0.08)))),
        _ => None,
    };
    if let Some(body) = hits {
        story.push(format!("hit by a {} at {speed:.1} m/s", body.name));
        // From beside the sheet, where even the end of a stick is clear of it, through its middle and on.
        let turn = DQuat::from_rotation_arc(DVec3::X, aside.any_orthonormal_vector());
        let way = radius + 0.12;
        let start = Pose::new(turn, middle + dice.vector() * 0.02 - aside * way);
        let travel = Travel::Uniform {
            velocity: aside * speed,
            angular_velocity: DVec3::ZERO,
            from: 0.0,
            until: 1.5 * way / speed,
        };
        simulation.add_obstacle(body.with_friction(friction).with_motion(Motion { start, travel }));
    }
    if story.is_empty() { "in the air".to_owned() } else { story.join(", ") }
}

/// What became of a world.
#[derive(Default)]
struct Life {
    /// Steps taken, and those of them with layers in contact.
    steps: usize,
    touching: usize,
    /// Parts of them that were degraded.
    degraded: usize,
    /// Why the next step was refused, if one was.
    refused: Option<String>,
    /// Parts that came closer than they may, and when.
    too_close: Option<String>,
}

/// A number that the environment gives.
fn asked(name: &str) -> Option<usize> {
    std::env::var(name).ok().and_then(|number| number.parse::<usize>().ok())
}

/// Takes the steps of a world, and looks at each of them.
fn live(seed: u64) -> (World, Life) {
    let mut world = World::of(seed);
    let surface = world.simulation.model().cloth().surface().clone();
    let rest = world.simulation.model().cloth().mesh().positions().to_vec();
    let Material { thickness, solid_fraction: solid, .. } = world.simulation.params.material;
    let on_failure = if asked("TAFFETA_DEGRADE").is_some() { OnFailure::Degrade } else { OnFailure::Refuse };
    let solver = Solver { on_failure, ..Solver::default() };
    world.simulation.params.solver = solver;
    let mut life = Life::default();
    for step in 0..STEPS {
        let simulation = &mut world.simulation;
        let before = simulation.state().clone();
        let report = match simulation.step() {
            Ok(report) => report,
            Err(error) => {
                let why = error.to_string();
                assert!(why.len() > 20, "world {seed}: {error:?} says nothing");
                assert_eq!(simulation.state(), &before, "world {seed}: a refused step changed the state");
                life.refused = Some(why);
                break;
            }
        };
        let story = &world.story;
        let (strain, is_solved) = (report.residual, report.degraded == 0);
        assert!(strain <= solver.strain_tolerance || !is_solved, "world {seed} ({story}): strain {strain}");
        life.degraded += report.degraded;
        let state = simulation.state();
        let finite = state.positions.iter().chain(&state.velocities).all(|x| x.is_finite());
        assert!(finite, "world {seed} ({story}): not finite");
        let met = self_intersections(&state.positions, &surface);
        assert!(met.is_empty(), "world {seed} ({story}), step {step}: {met:?}");
        life.steps += 1;
        life.touching += usize::from(report.self_contacts > 0);
        // What a step has left too close parts in the next ones.
        if life.degraded > 0 {
            continue;
        }
        for gap in self_gaps(&state.positions, &surface, 0.9 * thickness) {
            // Neighbours are kept apart by half of what they are at rest; what is pressed is thinner.
            let usual = thickness.min(0.5 * gap.parts.distance(&rest));
            let pressed = pressed_at(&nodes(&gap.parts), None, &state.contacts);
            let least = f64::max(0.9 * (usual - pressed), solid * usual) - solver.gap_tolerance;
            if gap.distance < least {
                life.too_close.get_or_insert(format!("step {step}: {gap:?}, τ {thickness}, {pressed} thinner"));
            }
        }
        for (b, obstacle) in simulation.obstacles.iter().enumerate() {
            let pose = obstacle.motion.at(simulation.time());
            for (i, x) in state.positions.iter().enumerate() {
                let gap = obstacle.shape.near(pose.to_local(*x)).gap;
                let pressed = pressed_at(&[i], Some(b), &state.contacts);
                let (name, outside) = (&obstacle.name, gap > 0.5 * thickness - pressed - 1e-4);
                assert!(outside, "world {seed} ({story}), step {step}: node {i} in {name}: {gap} m");
            }
        }
    }
    (world, life)
}

/// How much thinner pressure between layers or on an obstacle makes the cloth at any of some nodes, m.
fn pressed_at(nodes: &[usize], obstacle: Option<usize>, contacts: &[Contact]) -> f64 {
    let here = |contact: &&Contact| contact.stencil.nodes().iter().any(|i| nodes.contains(i));
    contacts
        .iter()
        .filter(|contact| contact.site.obstacle() == obstacle)
        .filter(here)
        .map(|contact| contact.compressed)
        .fold(0.0, f64::max)
}

fn nodes(parts: &Parts) -> [usize; 4] {
    match *parts {
        Parts::NodeFace(i, [a, b, c]) => [i, a, b, c],
        Parts::EdgeEdge([a, b], [c, d]) => [a, b, c, d],
    }
}

#[test]
fn cloth_never_passes_through_itself() {
    let (first, count) = (asked("TAFFETA_FIRST_FOLD").unwrap_or(0), asked("TAFFETA_FOLDS").unwrap_or(SHORT));
    let (mut touching, mut steps, mut refused, mut too_close, mut degraded) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let (world, life) = live(seed as u64);
        steps += life.steps;
        touching += life.touching;
        degraded += life.degraded;
        if let Some(why) = life.refused {
            println!("world {seed} ({}) ends in step {}: {why}", world.story, life.steps);
            refused += 1;
        }
        if let Some(parts) = life.too_close {
            println!("world {seed} ({}) comes too close to itself in {parts}", world.story);
            too_close += 1;
        }
    }
    println!(
        "{steps} steps, {touching} with layers in contact, {refused} worlds of {count} refused, {too_close} too close, {degraded} parts of steps degraded"
    );
    assert_eq!(too_close, 0, "worlds of {count} in which parts come closer than they may");
    assert!(5 * touching > steps || count < SHORT, "too little contact to say anything: {touching} of {steps} steps");
    assert!(refused * 100 <= 5 * count, "{refused} worlds of {count} ended early");
}
