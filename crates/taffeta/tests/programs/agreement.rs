//! Programs that came from cloth, and steps taken with either solver.

use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::mesh::Mesh;
use taffeta::obstacle::{Cuboid, Cylinder, Obstacle, Pose, Sphere};
use taffeta::qp::{Program, Solution, SolveError, solve};
use taffeta::{DQuat, DVec3, Method, Params, Simulation, Solver};

use crate::cloth::{STILL, Scene, World, apart, largest_force, longest};
use crate::methods;

/// Of the step's length, and of the largest contact force.
const BAR: f64 = 1e-7;

/// Checks the solvers against each other, and each against the conditions of optimality.
fn check(scene: &Scene, program: &Program) {
    let solved: Vec<(Method, Program, Solution)> = methods()
        .map(|method| {
            let mut program = program.clone();
            let solution = solve(&mut program, method).unwrap_or_else(|e| panic!("{method:?} of {scene:?}: {e}"));
            (method, program, solution)
        })
        .collect();
    let reference = &solved[0].2;
    let (length, force) = (longest(reference).max(STILL), largest_force(program, reference));
    for (method, program, solution) in &solved {
        let apart = apart(program, reference, solution);
        assert!(apart.iter().all(|off| *off <= BAR), "{method:?} of {scene:?} is apart by {apart:?}, {length:.1e} m");
        let kkt = program.kkt(solution);
        assert!(kkt.stationarity <= BAR * force, "{method:?} of {scene:?}: {kkt:?}, force {force}");
        assert!(kkt.bounds <= BAR * force, "{method:?} of {scene:?}: {kkt:?}, force {force}");
        assert!(kkt.feasibility <= BAR * length, "{method:?} of {scene:?}: {kkt:?}, length {length}");
        assert!(kkt.complementarity <= BAR * force * length, "{method:?} of {scene:?}: {kkt:?}");
    }
}

/// Checks `count` programs of every world at this size, with and without friction, at the start and at the end of steps.
fn check_worlds(nodes: (usize, usize), count: usize, stride: usize, frictions: &[f64]) -> usize {
    let mut checked = 0;
    for world in World::ALL {
        for (k, &friction) in frictions.iter().enumerate() {
            let scene =
                Scene { world, nodes, friction, first: k % 2 == 0, bending: if k % 3 == 2 { 1e-5 } else { 0.0 } };
            let programs = scene.programs(count, stride);
            programs.iter().for_each(|program| check(&scene, program));
            checked += programs.len();
        }
    }
    checked
}

#[test]
fn the_solvers_agree_on_the_programs_of_small_sheets() {
    let checked = check_worlds((7, 9), 10, 4, &[0.0, 0.1, 0.4, 0.7, 1.0, 0.0]);
    assert!(checked >= 250, "only {checked} programs");
}

#[test]
fn the_solvers_agree_on_the_programs_of_larger_sheets() {
    let checked = check_worlds((13, 13), 5, 8, &[0.4, 0.0, 0.8]);
    assert!(checked >= 60, "only {checked} programs");
}

#[test]
fn the_solvers_agree_on_the_programs_of_the_largest_sheets() {
    let checked = check_worlds((25, 25), 2, 10, &[0.5]);
    assert!(checked >= 8, "only {checked} programs");
}

/// Positions of a sheet from its first contact on, for 0.1 s, in each of a few worlds.
fn from_first_contact(method: Method, world: usize) -> Vec<Vec<DVec3>> {
    let turn = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let obstacle = match world {
        0 => Obstacle::new("ball", Sphere::new(0.25)).at(Pose::from_translation(DVec3::NEG_Z * 0.3)),
        1 => Obstacle::new("bar", Cylinder::new(0.1, f64::INFINITY)).at(Pose::new(turn, DVec3::NEG_Z * 0.15)),
        _ => Obstacle::new("table", Cuboid::table(0.5, 1.0, 0.03))
            .at(Pose::from_translation(DVec3::new(-0.3, 0.0, -0.04))),
    };
    let mesh = Mesh::grid(11, 11, |s, t| DVec3::new(0.8 * (s - 0.45), 0.8 * (t - 0.5), 0.0)).expect("a sheet");
    let params = Params { solver: Solver { method, ..Solver::default() }, ..Params::default() };
    let mut simulation = Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), params, 0.01);
    simulation.add_obstacle(obstacle.with_friction(0.4));
    while simulation.step().expect("a certified step").active_contacts == 0 {
        assert!(simulation.time() < 1.0, "it never touches anything");
    }
    let steps = 0..10;
    steps
        .map(|_| {
            simulation.step().expect("a certified step");
            simulation.positions().to_vec()
        })
        .collect()
}

#[test]
fn a_sheet_moves_alike_in_its_first_contact_whoever_solves_its_programs() {
    for world in 0..3 {
        let reference = from_first_contact(Method::ActiveSet, world);
        for method in methods() {
            let other = from_first_contact(method, world);
            let apart = reference.iter().flatten().zip(other.iter().flatten()).map(|(a, b)| a.distance(*b));
            let apart = apart.fold(0.0, f64::max);
            println!("world {world}, {method:?}: {apart:.1e} m apart");
            assert!(apart < 1e-6, "world {world}, {method:?}: {apart:e} m apart");
        }
    }
}

#[test]
fn a_solver_that_is_not_in_the_build_is_refused() {
    let mut params = Params::default();
    params.solver.method = Method::InteriorPoint;
    let mesh = Mesh::grid(3, 3, |s, t| DVec3::new(s, t, 0.0)).expect("a grid");
    let mut simulation = Simulation::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()), params, 0.01);
    let (stepped, solved) = (simulation.step(), solve(&mut Program::default(), Method::InteriorPoint));
    if Method::InteriorPoint.is_available() {
        assert!(stepped.is_ok());
        assert!(solved.is_ok());
    } else {
        let refused = stepped.expect_err("not in this build").to_string();
        assert!(refused.contains("feature `interior-point`"), "{refused}");
        assert_eq!(solved, Err(SolveError::NotAvailable));
    }
}

#[test]
fn what_cannot_be_solved_is_refused_by_every_solver() {
    let scene = Scene { world: World::Sphere, nodes: (4, 4), friction: 0.3, first: true, bending: 0.0 };
    let program = scene.programs(1, 1).pop().expect("a program");
    for method in methods() {
        let mut unsound = program.clone();
        unsound.free.pop();
        assert_eq!(solve(&mut unsound, method), Err(SolveError::NotSound));
        let mut indefinite = program.clone();
        indefinite.diagonal.iter_mut().for_each(|block| *block *= -1.0);
        let refused = solve(&mut indefinite, method);
        // An interior point method sees no factor of it.
        let why = if method == Method::InteriorPoint { SolveError::NotConverged } else { SolveError::NotPositive };
        assert_eq!(refused, Err(why), "{method:?}");
        let mut held = program.clone();
        held.free.fill(false);
        let solution = solve(&mut held, method).expect("nothing moves");
        assert!(solution.delta.iter().all(|d| *d == DVec3::ZERO), "{method:?}");
    }
}
