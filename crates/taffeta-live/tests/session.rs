//! Pulling at cloth: the hand, pins, knobs, and beginning anew.

use std::collections::BTreeMap;

use taffeta::DVec3;
use taffeta_io::scene::{Scene, shipped};
use taffeta_live::{LiveError, Session};

/// Corners of the sheet of `swing`, 7×9 nodes: the two that are held, and the two that hang.
const HELD: [usize; 2] = [56, 62];
const HANGING: usize = 0;

fn session(name: &str) -> Session {
    let (_, toml) = shipped().iter().find(|(known, _)| *known == name).expect("a shipped scene");
    Session::new(name, toml, BTreeMap::new(), || 0.0).expect("a session")
}

fn run(session: &mut Session, steps: usize) {
    for _ in 0..steps {
        session.step().expect("a step");
        let strain = session.last_report().expect("a report").max_edge_strain;
        assert!(strain < 1e-3, "{strain}");
    }
}

#[test]
fn left_alone_it_is_the_run_of_the_scene() {
    let mut live = session("swing");
    let mut native = Scene::load("swing", &[]).unwrap().build().unwrap();
    for _ in 0..30 {
        live.step().unwrap();
        native.step().unwrap();
    }
    assert_eq!(live.simulation().positions(), native.positions());
}

#[test]
fn a_node_goes_where_it_is_pulled_and_falls_when_it_is_released() {
    let mut live = session("swing");
    run(&mut live, 5);
    let start = live.simulation().positions()[HANGING];
    assert!(live.grab(HANGING));
    let goal = start + DVec3::new(0.1, -0.15, 0.2);
    live.point(goal);
    run(&mut live, 60);
    assert_eq!(live.grabbed(), Some(HANGING));
    let there = live.simulation().positions()[HANGING];
    assert!(there.distance(goal) < 1e-4, "{there} of {goal}");
    live.release();
    assert_eq!(live.grabbed(), None);
    run(&mut live, 40);
    assert!(live.simulation().positions()[HANGING].z < goal.z - 0.1);
}

#[test]
fn a_hand_that_pulls_farther_than_the_cloth_reaches_yields() {
    let mut live = session("swing");
    assert!(live.grab(HANGING));
    live.point(live.simulation().positions()[HANGING] + DVec3::new(0.0, -5.0, -5.0));
    run(&mut live, 150);
    // The sheet is tight between the hand and those who hold it.
    let positions = live.simulation().positions();
    let reach = HELD.map(|node| positions[node].distance(positions[HANGING])).into_iter().fold(0.0, f64::max);
    assert!(reach > 0.5, "{reach}");
    assert_eq!(live.grabbed(), Some(HANGING));
}

#[test]
fn a_pin_holds_what_nobody_holds_and_frees_what_somebody_does() {
    let mut live = session("swing");
    run(&mut live, 1);
    for node in HELD {
        assert!(!live.toggle_pin(node), "freed");
    }
    assert!(live.toggle_pin(HANGING), "pinned");
    let pinned = live.simulation().positions()[HANGING];
    let before = live.simulation().positions()[HELD[0]];
    run(&mut live, 40);
    assert_eq!(live.simulation().positions()[HANGING], pinned);
    assert!(live.simulation().positions()[HELD[0]].z < before.z - 0.2);
    assert!(!live.toggle_pin(HANGING), "freed again");
    assert!(!live.toggle_pin(9999), "not there");
    run(&mut live, 20);
    assert!(live.simulation().positions()[HANGING].z < pinned.z - 0.1);
}

#[test]
fn a_node_that_the_scene_holds_stays_where_the_hand_puts_it() {
    let mut live = session("swing");
    run(&mut live, 1);
    let [node, other] = HELD;
    assert!(live.grab(node));
    // Towards the other, so that the cloth does not hold it back.
    let goal = live.simulation().positions()[node].lerp(live.simulation().positions()[other], 0.4);
    live.point(goal);
    run(&mut live, 60);
    live.release();
    run(&mut live, 30);
    let there = live.simulation().positions()[node];
    assert!(there.distance(goal) < 1e-4, "{there} of {goal}");
}

#[test]
fn a_hand_does_not_keep_the_scene_from_grasping_later() {
    // A corner is let go at 1 s and caught again at 1.5 s.
    let mut live = session("drop-and-catch");
    run(&mut live, 120);
    let caught = 220;
    assert!(!live.simulation().is_grasped(caught));
    assert!(live.grab(caught));
    run(&mut live, 5);
    live.release();
    run(&mut live, 40);
    assert!(live.simulation().held().iter().any(|held| held.node == caught), "caught at 1.5 s");
}

#[test]
fn knobs_change_the_world_and_stay_when_it_begins_anew() {
    let mut live = session("swing");
    run(&mut live, 10);
    live.turn("gravity", 0.0).unwrap();
    live.turn("alpha", 0.0).unwrap();
    live.reset().unwrap();
    let start = live.simulation().positions().to_vec();
    assert_eq!(live.simulation().steps(), 0);
    assert_eq!(live.simulation().params.gravity, DVec3::ZERO);
    assert_eq!(live.simulation().params.material.damping, 0.0);
    for node in HELD {
        live.toggle_pin(node);
    }
    let mut floating = session("swing");
    assert_eq!(floating.simulation().positions(), start);
    floating.turn("wind_y", 3.0).unwrap();
    assert_eq!(floating.simulation().params.wind, Some(DVec3::Y * 3.0));
    for (name, value) in [("gravity", f64::NAN), ("mu", -1.0), ("delta", 0.0), ("delta", 9.0), ("colour", 1.0)] {
        let before = floating.simulation().params;
        assert!(matches!(floating.turn(name, value), Err(LiveError::Knob { .. })), "{name} {value}");
        assert_eq!(floating.simulation().params, before);
    }
}

#[test]
fn an_unsound_scene_or_a_missing_file_is_told() {
    let refused = |toml: &str| match Session::new("mine", toml, BTreeMap::new(), || 0.0) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("accepted"),
    };
    assert!(refused("duration_s = ").contains("line 1"));
    let text = "duration_s = 1\ndt_s = 0.01\n[cloth.obj]\npath = \"/nowhere/shirt.obj\"";
    assert!(refused(text).contains("/nowhere/shirt.obj"));
    // The same with the file in the bag.
    let sheet = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    let files = BTreeMap::from([("/nowhere/shirt.obj".to_owned(), sheet.to_owned())]);
    let mut live = Session::new("mine", text, files, || 0.0).expect("a session");
    run(&mut live, 3);
    assert_eq!(live.simulation().positions().len(), 4);
}
