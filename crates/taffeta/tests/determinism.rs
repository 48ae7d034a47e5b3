//! Results depend on model, parameters, state and inputs alone: to the bit.

mod common;

use std::sync::Arc;

use common::{Kind, undamped};
use taffeta::mesh::GridSide;
use taffeta::{DVec3, Grasp, Integrator, Model, Params, Path, Progress, Simulation, Stage, StepReport, Timings};

/// Step length, s.
const DT: f64 = 0.01;

/// A sheet of 0.3 m × 0.4 m.
fn model(kind: Kind) -> Arc<Model> {
    Arc::new(Model::new(kind.cloth(6, 7, |s, t| DVec3::new(0.3 * s, 0.0, 0.4 * t))))
}

/// Limp and bending cloth, first and second order, with wind.
fn settings() -> Vec<Params> {
    let mut list = Vec::new();
    for integrator in [Integrator::ImplicitEuler, Integrator::Bdf2] {
        for bending in [0.0, 1e-4] {
            let mut params = Params { wind: Some(DVec3::new(0.0, 2.0, 0.5)), ..undamped() };
            params.material.bending = bending;
            params.solver.integrator = integrator;
            list.push(params);
        }
    }
    list
}

/// A sheet whose top is shaken; one corner is let go after 0.3 s, another grasped at 0.2 s.
fn shaken(model: &Arc<Model>, params: Params) -> Simulation {
    let shape = model.cloth().mesh().grid_shape().expect("a grid");
    let top = shape.side(GridSide::Top);
    let path = Path::Sinusoid { amplitude: DVec3::new(0.0, 0.05, 0.02), frequency: 2.0, phase: 0.3, ramp: 0.0 };
    let mut simulation = Simulation::of_model(model.clone(), params, DT);
    simulation.grasp(Grasp::moving(vec![top[0]], path.clone()));
    simulation.grasp(Grasp { until: 0.3, ..Grasp::moving(vec![top[5]], path) });
    simulation.grasp(Grasp { from: 0.2, ..Grasp::pin(vec![0]) });
    simulation
}

/// The bits of everything a run is made of.
fn bits(progress: &Progress) -> Vec<u64> {
    let state = &progress.state;
    let vectors = state.positions.iter().chain(&state.velocities).chain(progress.anchors.iter().flatten());
    let numbers = vectors.flat_map(|v| v.to_array()).chain([state.time]);
    numbers.map(f64::to_bits).chain([progress.steps]).collect()
}

/// The bits after every one of `steps` steps.
fn run(mut simulation: Simulation, steps: usize) -> Vec<Vec<u64>> {
    let bits = (0..steps).map(|_| {
        simulation.step().expect("a shaken sheet");
        bits(simulation.progress())
    });
    bits.collect()
}

#[test]
fn two_runs_have_the_same_bits() {
    for kind in Kind::ALL {
        for params in settings() {
            let first = run(shaken(&model(kind), params), 50);
            let second = run(shaken(&model(kind), params), 50);
            assert_eq!(first, second, "{kind:?}");
            assert_ne!(first[48], first[49], "{kind:?} does not move");
        }
    }
}

/// A clock that is a microsecond later each time it is asked.
fn ticking() -> f64 {
    thread_local! {
        static TICKS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
    }
    TICKS.set(TICKS.get() + 1);
    1e-6 * f64::from(TICKS.get())
}

#[test]
fn a_clock_changes_nothing_but_the_timings() {
    let model = model(Kind::Quads);
    let (mut plain, mut timed) = (shaken(&model, Params::default()), shaken(&model, Params::default()));
    timed.set_clock(Some(ticking));
    for _ in 0..20 {
        let (plain_report, timed_report) = (plain.step().expect("a step"), timed.step().expect("a step"));
        assert_eq!(plain_report.timings, Timings::default());
        let timings = timed_report.timings;
        for stage in [Stage::Predict, Stage::Linearise, Stage::Factorise, Stage::Solve, Stage::Accept] {
            assert!(timings.seconds(stage) > 0.0, "no time for {}", stage.name());
        }
        assert_eq!(StepReport { timings: Timings::default(), ..timed_report }, plain_report);
        assert!(plain_report.passes >= plain_report.iterations);
    }
    assert_eq!(plain.state(), timed.state());
}

#[test]
fn threads_that_share_a_model_do_not_see_each_other() {
    for params in settings() {
        let alone = run(shaken(&model(Kind::Quads), params), 50);
        let shared = model(Kind::Quads);
        // The second is ten steps ahead in its own time, so the two are never at the same point of the same step.
        let runs = std::thread::scope(|scope| {
            let threads = [0, 10].map(|head_start| {
                let shared = &shared;
                scope.spawn(move || {
                    run(shaken(shared, params), head_start);
                    run(shaken(shared, params), 50)
                })
            });
            threads.map(|thread| thread.join().expect("no panic"))
        });
        for run in runs {
            assert_eq!(run, alone);
        }
    }
}

#[test]
fn a_saved_run_continues_to_the_same_bits() {
    for kind in Kind::ALL {
        for params in settings() {
            let model = model(kind);
            let mut original = shaken(&model, params);
            // 0.25 s: one grasp from the start, one with its end ahead, one begun in between.
            for _ in 0..25 {
                original.step().expect("a shaken sheet");
            }
            let mut resumed = shaken(&model, params);
            resumed.restore(original.progress().clone()).expect("built alike");
            assert_eq!(run(original, 25), run(resumed, 25), "{kind:?}");
        }
    }
}

#[test]
fn a_used_workspace_leaves_no_trace() {
    // One simulation runs on, another is sent back to its start after a detour with other parameters.
    for params in settings() {
        let model = model(Kind::Quads);
        let straight = run(shaken(&model, params), 30);
        let mut detour = shaken(&model, params);
        let start = detour.progress().clone();
        detour.params = Params { wind: None, ..params };
        detour.params.material.bending = 1e-3;
        for _ in 0..10 {
            detour.step().expect("a shaken sheet");
        }
        detour.params = params;
        detour.restore(start).expect("the same simulation");
        assert_eq!(run(detour, 30), straight);
    }
}

#[test]
fn restoring_what_was_built_otherwise_is_refused() {
    let small = Arc::new(Model::new(Kind::Quads.cloth(3, 3, |s, t| DVec3::new(s, 0.0, t))));
    let mut simulation = shaken(&model(Kind::Quads), undamped());
    let before = bits(simulation.progress());
    let other = Simulation::of_model(small, undamped(), DT);
    assert!(simulation.restore(other.progress().clone()).is_err());
    let fewer_grasps = Simulation::of_model(model(Kind::Quads), undamped(), DT);
    assert!(simulation.restore(fewer_grasps.progress().clone()).is_err());
    assert_eq!(bits(simulation.progress()), before);
}
