//! In mid-fold as anywhere: a step depends on model, parameters, state and inputs alone.

use taffeta::obstacle::{Obstacle, Plane};
use taffeta::{DVec3, Inputs, Params, Progress, Simulation, Solver, Workspace, step};

use crate::common::Kind;
use crate::common::layers::{fold, fold_of, self_contacts, thick};

/// A fold that is as far as its layers touch.
fn half_folded() -> (Simulation, Progress) {
    let mut simulation = fold(Kind::Quads, 8, thick(), 0.01);
    for _ in 0..170 {
        simulation.step().expect("a fold");
    }
    assert!(self_contacts(&simulation).count() > 3, "the layers should touch");
    let progress = simulation.progress().clone();
    (simulation, progress)
}

/// The bits of the next steps, those of the contacts included.
fn onwards(simulation: &mut Simulation) -> Vec<u64> {
    let mut bits = Vec::new();
    let mut add = |v: DVec3| bits.extend(v.to_array().map(f64::to_bits));
    for _ in 0..40 {
        simulation.step().expect("a fold");
        let state = simulation.state();
        state.positions.iter().chain(&state.velocities).for_each(|v| add(*v));
        state.contacts.iter().for_each(|contact| add(contact.force()));
    }
    bits
}

/// A simulation built alike, sent to a point of the run.
fn resumed(progress: Progress) -> Simulation {
    let mut fresh = fold(Kind::Quads, 8, thick(), 0.01);
    fresh.restore(progress).expect("built alike");
    fresh
}

#[test]
fn a_fold_goes_on_to_the_same_bits_in_a_fresh_workspace() {
    let (mut simulation, progress) = half_folded();
    let straight = onwards(&mut simulation);
    assert!(onwards(&mut resumed(progress.clone())) == straight, "a fresh workspace");
    // The same workspace, sent back after it has seen what comes.
    simulation.restore(progress).expect("its own");
    assert!(onwards(&mut simulation) == straight, "a used workspace");
}

#[cfg(feature = "serde")]
#[test]
fn a_saved_fold_goes_on_to_the_same_bits() {
    let (mut simulation, progress) = half_folded();
    let saved = serde_json::to_value(&progress).expect("numbers");
    let read: Progress = serde_json::from_value(saved).expect("what was written");
    assert_eq!(read, progress);
    assert!(onwards(&mut resumed(read)) == onwards(&mut simulation));
}

#[test]
fn two_threads_fold_to_the_same_bits() {
    let (mut simulation, progress) = half_folded();
    let alone = onwards(&mut simulation);
    let model = simulation.model();
    std::thread::scope(|scope| {
        let threads = [0, 7].map(|head_start| {
            let progress = progress.clone();
            scope.spawn(move || {
                let mut other = fold_of(model, 8, thick(), 0.01);
                // They are never at the same point of the same step.
                for _ in 0..head_start {
                    other.step().expect("a fold");
                }
                other.restore(progress).expect("built alike");
                onwards(&mut other)
            })
        });
        for thread in threads {
            assert!(thread.join().expect("no panic") == alone);
        }
    });
}

#[test]
fn a_workspace_that_has_seen_other_parameters_gives_the_same_bits() {
    let (mut simulation, progress) = half_folded();
    let through = Params { self_contact: None, ..thick() };
    let step_with = |simulation: &mut Simulation, params: Params| {
        simulation.restore(progress.clone()).expect("built alike");
        simulation.params = params;
        simulation.step().expect("a step");
        simulation.state().clone()
    };
    let [on, off] = [thick(), through].map(|params| step_with(&mut resumed(progress.clone()), params));
    assert!(on != off, "the layers are felt");
    // On and off and on again, each from the same state.
    for (params, expected) in [(thick(), &on), (through, &off), (thick(), &on), (through, &off)] {
        assert!(&step_with(&mut simulation, params) == expected, "{:?}", params.self_contact);
    }
}

#[test]
fn a_workspace_that_has_taken_other_steps_from_the_same_state_gives_the_same_bits() {
    let (mut simulation, _) = half_folded();
    let floor = Obstacle::new("floor", Plane).with_friction(0.5);
    let loose = |params: Params| Params { solver: Solver { gap_tolerance: 2e-4, ..params.solver }, ..params };
    for _ in 0..6 {
        for _ in 0..5 {
            simulation.step().expect("a fold");
        }
        let (model, mut start) = (simulation.model().clone(), simulation.state().clone());
        // Closer than their thickness: how fast they come apart depends on the length of the step.
        start.positions.iter_mut().for_each(|x| x.z = 1e-3 + 0.93 * (x.z - 1e-3));
        let one_step = |dt: f64, params: &Params, workspace: &mut Workspace| {
            let bodies = [floor.during(start.time, start.time + dt)];
            let inputs = Inputs { dt, held: &[], forces: &[], bodies: &bodies, seams: &[] };
            let mut state = start.clone();
            step(&model, params, &mut state, &inputs, workspace).map(|_| state)
        };
        let fresh = one_step(0.01, &thick(), &mut Workspace::new(&model)).expect("a step");
        for (dt, params) in [(1e-3, thick()), (1e-4, thick()), (0.01, loose(thick()))] {
            let mut used = Workspace::new(&model);
            one_step(dt, &params, &mut used).expect("a detour");
            assert!(one_step(0.01, &thick(), &mut used).expect("a step") == fresh, "after a step of {dt} s");
        }
    }
}
