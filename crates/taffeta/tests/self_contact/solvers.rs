//! The solvers agree on layers as they do on obstacles.

use taffeta::obstacle::{Obstacle, Plane};
use taffeta::qp::{Bounds, Program, Solution, solve};
use taffeta::{Body, DQuat, DVec3, Inputs, Method, Params, Simulation, Solver, Workspace, step};

use crate::common::Kind;
use crate::common::layers::{fold, self_contacts, thick, two_sheets};

/// Of the step's length, and of the largest contact force.
const BAR: f64 = 1e-7;

/// m. A sheet that sticks does not move but for rounding: a shorter increment has no digits to compare.
const STILL: f64 = 1e-9;

fn methods() -> impl Iterator<Item = Method> {
    [Method::ActiveSet, Method::Paper, Method::InteriorPoint].into_iter().filter(|method| method.is_available())
}

/// Positions from the first contact of layers on, for 0.05 s.
fn from_first_contact(mut simulation: Simulation, method: Method) -> Vec<Vec<DVec3>> {
    while self_contacts(&simulation).count() == 0 {
        simulation.step().expect("a certified step");
        assert!(simulation.time() < 2.0, "it never touches itself");
    }
    simulation.params.solver.method = method;
    let steps = 0..5;
    steps
        .map(|_| {
            simulation.step().expect("a certified step");
            simulation.positions().to_vec()
        })
        .collect()
}

/// A tilted sheet that falls on another, which lies on a floor.
fn fallen() -> Simulation {
    let lower = |s: f64, t: f64| DVec3::new(0.5 * (s - 0.5), 0.5 * (t - 0.5), 1e-3);
    let turn = DQuat::from_rotation_z(0.5) * DQuat::from_rotation_x(0.3);
    let upper = move |s: f64, t: f64| DVec3::Z * 0.1 + turn * DVec3::new(0.3 * (s - 0.5), 0.3 * (t - 0.5), 0.0);
    let mut simulation = Simulation::new(two_sheets((7, 7), lower, (5, 5), upper), thick(), 0.01);
    simulation.add_obstacle(Obstacle::new("floor", Plane));
    simulation
}

#[test]
fn layers_move_alike_in_their_first_contact_whoever_solves_their_programs() {
    for name in ["fallen", "folded"] {
        let scene = || if name == "fallen" { fallen() } else { fold(Kind::Quads, 7, thick(), 0.01) };
        let reference = from_first_contact(scene(), Method::ActiveSet);
        for method in methods() {
            let other = from_first_contact(scene(), method);
            let apart = reference.iter().flatten().zip(other.iter().flatten()).map(|(a, b)| a.distance(*b));
            let apart = apart.fold(0.0, f64::max);
            println!("{name}, {method:?}: {apart:.1e} m apart");
            assert!(apart < 1e-6, "{name}, {method:?}: {apart:e} m apart");
        }
    }
}

/// Programs of a fold whose layers touch: the first of a step, whose increments are as long as those of the step, and the last.
fn programs(mut simulation: Simulation, until: f64) -> Vec<Program> {
    let rough = Solver { max_iterations: 1, max_halvings: 0, ..Solver::default() };
    let model = simulation.model().clone();
    let mut programs = Vec::new();
    while simulation.time() < until {
        let (before, time) = (simulation.state().clone(), simulation.time());
        simulation.step().expect("a certified step");
        if self_contacts(&simulation).count() == 0 || !simulation.steps().is_multiple_of(2) {
            continue;
        }
        let (dt, now) = (simulation.dt(), simulation.time());
        let bodies: Vec<Body> = simulation.obstacles.iter().map(|body| body.during(time, now)).collect();
        let inputs = Inputs { dt, held: simulation.held(), forces: &[], bodies: &bodies, seams: &[], jaws: &[] };
        for solver in [simulation.params.solver, rough] {
            let (mut state, mut workspace) = (before.clone(), Workspace::new(&model));
            let params = Params { solver, ..simulation.params };
            // What rests needs no program. A step that is given up after the first has one.
            match step(&model, &params, &mut state, &inputs, &mut workspace) {
                Ok(report) if report.iterations == 0 => {}
                outcome => {
                    assert!(outcome.is_ok() || solver == rough, "{outcome:?}");
                    programs.push(workspace.program().clone());
                }
            }
        }
    }
    programs
}

/// Longest increment, m, and largest contact force.
fn scales(program: &Program, solution: &Solution) -> (f64, f64) {
    let length = solution.delta.iter().map(|d| d.length()).fold(STILL, f64::max);
    let contacts = (0..program.rows.len()).filter(|&r| program.rows.bounds(r) == Bounds::Contact);
    let push = contacts.map(|r| solution.multipliers[r].abs()).fold(0.0, f64::max);
    let pull = program.gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
    (length, if push > 0.0 { push } else { pull })
}

#[test]
fn the_solvers_agree_on_the_programs_of_a_fold() {
    let mut frictionless = thick();
    frictionless.self_contact =
        frictionless.self_contact.map(|itself| taffeta::SelfContact { friction: 0.0, ..itself });
    let mut limp = thick();
    limp.material.bending = 0.0;
    let mut checked = 0;
    for (params, n) in [(thick(), 8), (frictionless, 7), (limp, 6)] {
        for program in programs(fold(Kind::Quads, n, params, 0.01), 2.2) {
            let solved = methods().map(|method| {
                let mut program = program.clone();
                (method, solve(&mut program, method).unwrap_or_else(|error| panic!("{method:?}: {error}")), program)
            });
            let solved: Vec<(Method, Solution, Program)> = solved.collect();
            let reference = &solved[0].1;
            let (length, force) = scales(&program, reference);
            for (method, solution, program) in &solved {
                let apart = reference.delta.iter().zip(&solution.delta).map(|(a, b)| a.distance(*b));
                let apart = apart.fold(0.0, f64::max);
                assert!(apart <= BAR * length, "{method:?}: {apart:e} of {length:e} m apart");
                let kkt = program.kkt(solution);
                assert!(kkt.stationarity <= BAR * force, "{method:?}: {kkt:?}, force {force}");
                assert!(kkt.bounds <= BAR * force, "{method:?}: {kkt:?}, force {force}");
                assert!(kkt.feasibility <= BAR * length, "{method:?}: {kkt:?}, length {length}");
                assert!(kkt.complementarity <= BAR * force * length, "{method:?}: {kkt:?}");
            }
            checked += 1;
        }
    }
    println!("{checked} programs");
    assert!(checked >= 40, "only {checked} programs");
}
