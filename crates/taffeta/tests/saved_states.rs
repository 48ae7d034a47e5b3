//! Whatever a saved state has become on its way, it is refused with a message or stepped: nothing panics.

#![cfg(feature = "serde")]

mod common;

use std::sync::Arc;

use common::Kind;
use proptest::prelude::*;
use taffeta::obstacle::{Obstacle, Plane, Pose, Sphere};
use taffeta::{DVec3, Grasp, Model, Params, Progress, Simulation, StepError};

/// A sheet that falls on a ball and a floor, one corner held: with contacts, and with layers that are near each other.
fn simulation(model: &Arc<Model>) -> Simulation {
    let mut simulation = Simulation::of_model(model.clone(), Params::default(), 0.01);
    simulation.grasp(Grasp::pin(vec![0]));
    simulation.grasp(Grasp { until: 0.05, ..Grasp::pin(vec![4, 5]) });
    simulation.add_obstacle(Obstacle::new("ball", Sphere::new(0.08)).at(Pose::from_translation(DVec3::Z * -0.1)));
    simulation.add_obstacle(Obstacle::new("floor", Plane).at(Pose::from_translation(DVec3::Z * -0.2)));
    simulation
}

/// Two layers, 1.2 mm apart, that hang together.
fn model() -> Arc<Model> {
    let place = |s: f64, t: f64| {
        let (around, half) = (0.4 * t, 0.2);
        let x = if around < half { around } else { 2.0 * half - around };
        DVec3::new(x - 0.1, 0.2 * s - 0.1, if around <= half { 0.0 } else { 0.0012 + 0.1 * (around - half).min(0.001) })
    };
    Arc::new(Model::new(Kind::Quads.cloth(5, 9, place)))
}

/// The model and what is saved after so many steps.
fn saved(model: &Arc<Model>, steps: usize) -> Vec<u8> {
    let mut simulation = simulation(model);
    for k in 0..steps {
        simulation.step().unwrap_or_else(|error| panic!("step {k}: {error}"));
    }
    postcard::to_stdvec(simulation.progress()).expect("progress is saved")
}

/// Restores and steps on, if it can be.
fn go_on(model: &Arc<Model>, progress: Progress) -> Result<(), StepError> {
    let mut simulation = simulation(model);
    simulation.restore(progress)?;
    let (_, _, _) = (simulation.node_tensions(), simulation.contact_forces(), simulation.obstacle_force(0));
    simulation.step()?;
    simulation.step()?;
    Ok(())
}

/// What may happen to a file.
#[derive(Clone, Debug)]
enum Damage {
    Byte(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Insert(prop::sample::Index, Vec<u8>),
    /// A number of eight bytes.
    Number(prop::sample::Index, f64),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        6 => (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Byte(at, byte)),
        1 => place().prop_map(Damage::Cut),
        1 => (place(), prop::collection::vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        3 => (place(), prop::num::f64::ANY).prop_map(|(at, number)| Damage::Number(at, number)),
    ]
}

impl Damage {
    fn done_to(&self, bytes: &mut Vec<u8>) {
        match self {
            Damage::Byte(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Damage::Cut(at) => bytes.truncate(at.index(bytes.len()).max(1)),
            Damage::Insert(at, new) => {
                let at = at.index(bytes.len());
                bytes.splice(at..at, new.iter().copied());
            }
            Damage::Number(at, number) => {
                let at = at.index(bytes.len());
                let end = bytes.len().min(at + 8);
                bytes[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(progress) = postcard::from_bytes::<Progress>(&bytes) {
            prop_assert!(go_on(&model(), progress).is_err());
        }
    }
}

#[test]
fn a_damaged_save_is_refused_or_continued() {
    let model = model();
    let sound = saved(&model, 25);
    let progress: Progress = postcard::from_bytes(&sound).expect("what was saved");
    assert!(!progress.state.contacts.is_empty(), "nothing touches");
    go_on(&model, progress).expect("what was saved goes on");
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    config.cases = config.cases.max(400);
    let mut outcomes = [0; 3];
    let mut runner = proptest::test_runner::TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let counts = std::cell::RefCell::new(&mut outcomes);
    let ran = runner.run(&prop::collection::vec(damage(), 1..4), |list| {
        let mut bytes = sound.clone();
        list.iter().for_each(|damage| damage.done_to(&mut bytes));
        let outcome = postcard::from_bytes::<Progress>(&bytes).map(|progress| go_on(&model, progress));
        counts.borrow_mut()[match outcome {
            Err(_) => 0,
            Ok(Err(_)) => 1,
            Ok(Ok(())) => 2,
        }] += 1;
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
    // The damage is of every kind: some is found by the reader, some by the check, some leaves a state that can be.
    assert!(outcomes.iter().all(|&count| count > 10), "{outcomes:?}");
}

/// A save as JSON, in which everything has a name.
fn json(model: &Arc<Model>) -> serde_json::Value {
    let progress: Progress = postcard::from_bytes(&saved(model, 25)).expect("what was saved");
    serde_json::to_value(&progress).expect("progress is saved")
}

#[test]
fn what_is_wrong_with_a_save_is_named() {
    let model = model();
    let nodes = model.node_count();
    let sound = json(&model);
    let contact = |key: &str| format!("/state/contacts/0/{key}");
    let cases: [(String, serde_json::Value, &str); 17] = [
        ("/steps".into(), u64::MAX.into(), "after 18446744073709551615 steps"),
        ("/anchors/0".into(), serde_json::json!([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), "a saved grasp has 2 entries"),
        ("/anchors".into(), serde_json::json!([]), "the saved list of grasps has 0 entries"),
        ("/state/positions".into(), serde_json::json!([]), "the position array has 0 entries"),
        ("/state/previous_velocities".into(), serde_json::json!([]), "the array of previous velocities has 0 entries"),
        ("/state/multipliers".into(), serde_json::json!([1.0]), "the multiplier array has 1 entries"),
        ("/state/previous_dt".into(), (-0.01).into(), "its last step took -0.01 s"),
        ("/state/coupled_pairs".into(), serde_json::json!([[3, 3]]), "it couples nodes 3 and 3"),
        ("/state/coupled_pairs".into(), serde_json::json!([[0, 500]]), "it couples nodes 0 and 500"),
        ("/state/coupled_pairs".into(), serde_json::json!([[1, 2], [0, 2]]), "pair 1 of the nodes it couples"),
        (contact("normal"), serde_json::json!([0.0, 0.0, 0.0]), "contact 0 of it has a normal of length 0"),
        (contact("normal_force"), (-1.0).into(), "contact 0 of it pushes with -1 N"),
        (contact("stencil/nodes"), serde_json::json!([nodes, 0, 0, 0]), "contact 0 of it pushes node"),
        (contact("stencil/count"), 0.into(), "contact 0 of it pushes no node"),
        (contact("pressure"), (-1.0).into(), "contact 0 of it is under -1 Pa"),
        (contact("compressed"), (-1.0).into(), "and gives -1 m, not 0 or more"),
        (contact("site"), serde_json::json!({ "NodeEdge": [0, [1, nodes]] }), "contact 0 of it is at point"),
    ];
    for (place, value, message) in cases {
        let mut damaged = sound.clone();
        *damaged.pointer_mut(&place).unwrap_or_else(|| panic!("{place} is not there")) = value;
        let progress: Progress = serde_json::from_value(damaged).unwrap_or_else(|error| panic!("{place}: {error}"));
        let state = progress.state.clone();
        let error = go_on(&model, progress).expect_err(message).to_string();
        assert!(error.contains(message), "{place}: {message:?} is not in {error:?}");
        // And a state that is put in by hand is refused by the step, if the state is what is wrong.
        if place.starts_with("/state") {
            let mut simulation = simulation(&model);
            *simulation.state_mut() = state;
            let error = simulation.step().expect_err(message).to_string();
            assert!(error.contains(message), "{place}: {message:?} is not in {error:?}");
        }
    }
    for count in [5, usize::MAX] {
        let mut damaged = sound.clone();
        damaged["state"]["contacts"][0]["stencil"]["count"] = count.into();
        let error = serde_json::from_value::<Progress>(damaged).expect_err("a point of so many nodes").to_string();
        assert!(error.contains(&format!("made of {count} nodes")), "{error}");
    }
}

#[test]
fn what_the_last_step_exerted_goes_back_with_the_state_and_is_not_saved() {
    let model = model();
    let mut simulation = simulation(&model);
    for _ in 0..12 {
        simulation.step().expect("a step");
    }
    let (forces, gaps) = (simulation.held_forces().to_vec(), simulation.clearances());
    let before = simulation.progress().clone();
    assert!(forces[0].length() > 1e-3 && gaps.iter().any(|gap| gap.is_finite()), "{forces:?}, {gaps:?}");
    for _ in 0..5 {
        simulation.step().expect("a step");
    }
    assert_ne!(simulation.held_forces(), forces);
    simulation.restore(before.clone()).expect("its own state");
    assert_eq!((simulation.held_forces(), simulation.clearances()), (&forces[..], gaps));

    let bytes = postcard::to_stdvec(&before).expect("progress is saved");
    let read: Progress = postcard::from_bytes(&bytes).expect("what was saved");
    assert_eq!(read, before, "no step depends on what is not saved");
    simulation.restore(read).expect("its own state");
    assert!(simulation.held_forces().is_empty() && simulation.clearances().iter().all(|gap| *gap == f64::INFINITY));
}
