//! In mid-fold as anywhere: a step depends on model, parameters, state and inputs alone.

use taffeta::{DVec3, Held, Inputs, Model, Params, Progress, Simulation, State, Workspace, step};

use crate::common::Kind;
use crate::common::layers::{fold, fold_of, self_contacts, thick, two_sheets};

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
fn a_workspace_that_has_taken_a_shorter_step_from_the_same_state_gives_the_same_bits() {
    // Two ridges across each other, closer than their thickness: how fast they come apart depends on the length of the step. The upper one
    // is held and lifted, in a short step farther than the ridges need come apart, in a long one not.
    let (apart, slope) = (1.2e-3, 0.5);
    let lower = |s: f64, t: f64| DVec3::new(0.1 * (s - 0.5), 0.1 * (t - 0.5), -0.1 * slope * (t - 0.5).abs());
    let upper = |s: f64, t: f64| DVec3::new(0.1 * (t - 0.5), 0.1 * (s - 0.5), apart + 0.1 * slope * (t - 0.5).abs());
    let model = Model::new(two_sheets((2, 3), lower, (2, 3), upper));
    let params = Params { gravity: DVec3::ZERO, ..thick() };
    let start = State::at_rest(&model);
    let lifted = |dt: f64, height: f64, workspace: &mut Workspace| {
        let place = |node: usize| start.positions[node] + DVec3::Z * height;
        let held: Vec<Held> = (6..12).map(|node| Held::exact(node, place(node))).collect();
        let inputs = Inputs { dt, held: &held, forces: &[], bodies: &[], seams: &[], jaws: &[] };
        let mut state = start.clone();
        step(&model, &params, &mut state, &inputs, workspace).map(|_| state).expect("a step")
    };
    let fresh = lifted(0.01, 3e-4, &mut Workspace::new(&model));
    assert!(!fresh.contacts.is_empty(), "the ridges should push each other apart");
    let mut used = Workspace::new(&model);
    assert!(lifted(1e-3, 7e-4, &mut used).contacts.is_empty());
    assert!(lifted(0.01, 3e-4, &mut used) == fresh);
}
