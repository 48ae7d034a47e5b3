//! What becomes of steps that cannot be solved where they are not refused, and of steps that cost too much.
//!
//! Hands that pull farther than the cloth is long, bodies that close on it where nothing can give, a start inside a body: planners and
//! learners try them all.

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::collide::self_intersections;
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Cuboid, Motion, Obstacle, Plane, Pose, Sphere, Travel};
use taffeta::{DVec3, Grasp, Keyframes, OnFailure, Params, Path, Simulation, Solver, StepError};

const NODES: usize = 9;

fn degrading() -> Solver {
    Solver { on_failure: OnFailure::Degrade, ..Solver::default() }
}

/// A sheet of 0.5 m, flat in this height.
fn sheet(height: f64, solver: Solver) -> Simulation {
    let place = |s: f64, t: f64| DVec3::new(0.5 * s - 0.25, 0.5 * t - 0.25, height);
    let mesh = Mesh::grid(NODES, NODES, place).expect("a sheet");
    let material = Material { thickness: 1e-3, ..Material::with_density(0.18) };
    let params = Params { material, solver, ..Params::default() };
    Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), params, 0.01)
}

/// A sheet whose hems are pulled apart, until they are 0.2 m farther from each other than the cloth is long.
fn pulled_apart(solver: Solver) -> Simulation {
    let mut simulation = sheet(0.5, solver);
    for (column, way) in [(0, -0.1), (NODES - 1, 0.1)] {
        let path = Path::Keyframes(Keyframes::smooth(vec![0.0, 0.2], vec![DVec3::ZERO, DVec3::X * way]));
        let hem: Vec<usize> = (0..NODES).map(|row| row * NODES + column).collect();
        simulation.grasp(Grasp::moving(hem, path).exact());
    }
    simulation
}

/// A sheet on a floor, and a box that is pressed into it until nothing is left between them.
fn crushed(solver: Solver) -> Simulation {
    let mut simulation = sheet(5e-4, solver);
    simulation.add_obstacle(Obstacle::new("floor", Plane));
    let start = Pose::from_translation(DVec3::new(0.02, 0.01, 0.12));
    let velocity = DVec3::Z * -1.0;
    let travel = Travel::Uniform { velocity, angular_velocity: DVec3::ZERO, from: 0.0, until: 0.08 };
    let body = Obstacle::new("press", Cuboid::new(DVec3::new(0.08, 0.07, 0.05)));
    simulation.add_obstacle(body.with_motion(Motion { start, travel }));
    simulation
}

/// A sheet through the middle of a ball.
fn impaled(solver: Solver) -> Simulation {
    let mut simulation = sheet(0.2, solver);
    simulation.add_obstacle(Obstacle::new("floor", Plane));
    simulation.add_obstacle(Obstacle::new("ball", Sphere::new(0.1)).at(Pose::from_translation(DVec3::Z * 0.2)));
    simulation
}

/// Takes so many steps, and returns how many of them were degraded. Nothing passes through itself, and nothing is thrown.
fn run(simulation: &mut Simulation, steps: usize) -> usize {
    let mut degraded = 0;
    for step in 0..steps {
        let report = simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        degraded += usize::from(report.degraded > 0);
        let state = simulation.state();
        assert!(state.positions.iter().chain(&state.velocities).all(|x| x.is_finite()), "step {step}");
        let met = self_intersections(&state.positions, simulation.model().cloth().surface());
        assert!(met.is_empty(), "step {step}: {met:?}");
        let fastest = state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
        assert!(fastest < 10.0, "step {step}: {fastest} m/s");
        assert!(report.max_edge_strain < 0.05, "step {step}: strain {}", report.max_edge_strain);
        assert_eq!(simulation.held().len(), simulation.held_forces().len());
    }
    degraded
}

#[test]
fn hands_that_pull_too_far_leave_the_cloth_taut_between_them() {
    let mut refused = pulled_apart(Solver::default());
    let refusal = (0..30).find_map(|_| refused.step().err());
    assert!(matches!(refusal, Some(StepError::OutOfReach { .. } | StepError::EdgeHeld { .. })), "{refusal:?}");
    let mut simulation = pulled_apart(degrading());
    assert!(run(&mut simulation, 30) > 10);
    let x = simulation.positions();
    let length = x[0].distance(x[NODES - 1]);
    assert!((0.499..0.51).contains(&length), "{length} m of cloth 0.5 m long");
    let report = simulation.step().expect("a degraded step");
    assert!(report.max_lag > 0.08, "the hands are said to be {} m behind", report.max_lag);
}

#[test]
fn a_press_that_leaves_no_room_is_refused_or_goes_on() {
    let mut refused = crushed(Solver::default());
    let refusal = (0..12).find_map(|_| refused.step().err());
    assert!(refusal.is_some(), "nothing gives without end");
    let mut simulation = crushed(degrading());
    assert!(run(&mut simulation, 12) > 0);
}

#[test]
fn cloth_that_starts_inside_a_body_goes_on() {
    run(&mut impaled(degrading()), 40);
}

#[test]
fn a_step_that_needs_more_factorisations_than_it_may_take_is_refused_or_degraded() {
    let world = |solver: Solver| {
        let mut simulation = sheet(0.4, Solver { max_factorisations: 3, ..solver });
        simulation.add_obstacle(Obstacle::new("ball", Sphere::new(0.1)).at(Pose::from_translation(DVec3::Z * 0.2)));
        simulation
    };
    let mut simulation = world(Solver::default());
    let before = loop {
        let before = simulation.state().clone();
        match simulation.step() {
            Ok(report) => assert!(report.factorisations <= 3),
            Err(StepError::TooExpensive { factorisations: 3, .. }) => break before,
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(*simulation.state(), before);
    assert!(run(&mut world(degrading()), 40) > 0);
}

#[test]
fn where_every_step_can_be_solved_degrading_changes_nothing() {
    let world = |solver: Solver| {
        let mut simulation = sheet(0.32, solver);
        simulation.add_obstacle(Obstacle::new("ball", Sphere::new(0.1)).at(Pose::from_translation(DVec3::Z * 0.2)));
        simulation
    };
    let [mut one, mut other] = [Solver::default(), degrading()].map(world);
    for _ in 0..30 {
        assert_eq!(one.step(), other.step());
    }
    assert_eq!(one.state(), other.state());
}
