//! What the commands do when all is well, and when a run fails.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::taffeta::{Desk, SHEET};

const SUMMARY_KEYS: [&str; 40] = [
    "scene",
    "nodes",
    "elements",
    "dt",
    "steps",
    "simulated_s",
    "wall_s",
    "q",
    "max_edge_strain",
    "rms_edge_strain",
    "max_residual",
    "max_unbalanced_m_s2",
    "iterations_mean",
    "iterations_max",
    "refactorisations",
    "substeps",
    "retries",
    "degraded_steps",
    "max_area_strain",
    "min_obstacle_gap_m",
    "min_self_gap_m",
    "self_intersections",
    "self_contacts_max",
    "max_pressure_pa",
    "max_compression",
    "max_lag_m",
    "max_body_lag_m",
    "grippers",
    "bodies",
    "covered_area_m2",
    "active_contacts_max",
    "complementarity_m",
    "friction_residual",
    "held_forces",
    "exchanges",
    "obstacle_forces",
    "kinetic_energy",
    "total_energy",
    "centroid",
    "recording",
];

#[test]
fn without_arguments_the_scene_swing_is_run_into_a_fresh_folder() {
    let desk = Desk::new();
    for folder in ["recordings/swing", "recordings/swing-2", "recordings/swing-3"] {
        let table = desk.expect(&[]);
        assert!(table.contains(&format!("taffeta render {folder} --sheet 6")), "{table}");
        assert!(table.contains("300 steps"), "{table}");
        assert!(desk.path(folder).join("summary.json").is_file());
    }
    desk.assert_same_arrays("recordings/swing", "recordings/swing-2");
    assert_eq!(desk.summary("recordings/swing"), desk.summary("recordings/swing-2"));
}

#[test]
fn json_is_one_object_and_the_summary_of_the_recording() {
    let desk = Desk::new();
    let printed = desk.expect(&["run", "sheet.toml", "--json", "--out", "out"]);
    let object: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let stored = fs::read_to_string(desk.path("out").join("summary.json")).unwrap();
    assert_eq!(object, serde_json::from_str::<serde_json::Value>(&stored).unwrap());

    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = SUMMARY_KEYS.to_vec();
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected);
    for key in SUMMARY_KEYS {
        let value = &object[key];
        let fine = match key {
            "scene" | "recording" => value.is_string(),
            "min_obstacle_gap_m" | "min_self_gap_m" => value.is_null(),
            "self_intersections" | "self_contacts_max" => *value == 0,
            "held_forces" => value.as_object().is_some_and(|forces| forces.len() == 2),
            "obstacle_forces" | "grippers" | "bodies" => value.as_object().is_some_and(|forces| forces.is_empty()),
            "centroid" => value.as_array().is_some_and(|c| c.len() == 3),
            _ => value.as_f64().is_some_and(f64::is_finite),
        };
        assert!(fine, "{key} is {value}");
    }
    assert_eq!(object["scene"], "sheet");
    assert_eq!(object["nodes"], 30);
    assert_eq!(object["elements"], 20);
    assert_eq!(object["steps"], 50);
    assert_eq!(object["recording"], "out");
    let height = object["centroid"][2].as_f64().unwrap();
    assert!((0.2..0.4).contains(&height), "the centroid is at {height} m");
}

#[test]
fn a_recording_is_its_own_scene() {
    let desk = Desk::new();
    desk.expect(&["run", "sheet.toml", "--set", "cloth.fabric=denim", "--out", "a", "--quiet"]);
    desk.expect(&["run", "a/scene.toml", "--out", "b", "--quiet"]);
    desk.assert_same_arrays("a", "b");
    desk.expect(&["run", "sheet.toml", "--out", "a", "--overwrite", "--quiet"]);
    let arrays = ["a", "b"].map(|folder| fs::read(desk.path(folder).join("positions.npy")).unwrap());
    assert!(arrays[0] != arrays[1], "denim and wool moved alike");
}

#[test]
fn a_failed_step_leaves_a_recording_and_says_where() {
    let desk = Desk::new();
    // The corners are pulled apart along x once the run is under way.
    let pulled = SHEET.replacen("[0.0, 0.1, 0.0]", "[-0.1, 0.0, 0.0]", 1);
    let pulled = pulled.replacen("frequency_hz = 1.0", "frequency_hz = 0.5\nramp_s = 1.0", 1);
    let pulled = pulled.replace("motion = ", "hold = \"exact\"\nmotion = ");
    desk.write("pulled.toml", &pulled);
    let outcome = desk.run(&["run", "pulled.toml", "--out", "out", "--json"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "");
    for fragment in ["nodes 25 and 29 are held", "recorded in out", "taffeta render out"] {
        assert!(outcome.stderr.contains(fragment), "{}", outcome.stderr);
    }
    let info = desk.expect(&["info", "out"]);
    assert!(info.contains("no: step 2 of 50 failed: nodes 25 and 29"), "{info}");
    desk.expect(&["render", "out", "--png", "last.png", "--width", "64"]);
}

#[test]
fn scenes_are_listed_and_checked() {
    let desk = Desk::new();
    let list = desk.expect(&["scenes"]);
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for expected in ["swing", "flag", "pegs"] {
        assert!(names.contains(&expected), "{list}");
    }
    assert!(list.lines().all(|line| line.split_whitespace().count() > 3), "{list}");
    let before = desk.entries();
    for name in names {
        let said = desk.expect(&["check", name]);
        for fragment in ["nodes", "elements", "conditions", "steps", "memory"] {
            assert!(said.contains(fragment), "{said}");
        }
    }
    let fine = desk.expect(&["check", "swing", "--set", "cloth.grid.nodes=[70, 90]"]);
    assert!(fine.contains("6300"), "{fine}");
    assert_eq!(desk.entries(), before);
}

#[test]
fn recordings_are_described_and_drawn() {
    let desk = Desk::new();
    desk.expect(&["run", "sheet.toml", "--out", "out", "--quiet"]);
    let info = desk.expect(&["info", "out"]);
    for fragment in ["frames    26", "0.000 s to 0.500 s", "finished  yes", "largest edge strain"] {
        assert!(info.contains(fragment), "{info}");
    }
    for arguments in [
        &["--sheet", "6"][..],
        &["--sheet", "100"],
        &["--frame", "0"],
        &["--frame", "-1", "--azimuth", "-60", "--elevation", "40", "--no-lines"],
        &[],
    ] {
        let mut all = vec!["render", "out", "--png", "x.png", "--width", "60", "--height", "48"];
        all.extend(arguments);
        desk.expect(&all);
        let png = fs::read(desk.path("x.png")).unwrap();
        assert!(png.starts_with(b"\x89PNG"), "{arguments:?}");
        fs::remove_file(desk.path("x.png")).unwrap();
    }
    let outcome = desk.run(&["render", "out", "--png", "no/such/folder.png"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("no/such/folder.png"), "{}", outcome.stderr);
}

#[test]
fn a_reader_who_leaves_is_no_error() {
    let desk = Desk::new();
    desk.expect(&["run", "sheet.toml", "--out", "out", "--quiet"]);
    for arguments in [&["scenes"][..], &["info", "out"], &["check", "swing"], &["run", "sheet.toml"]] {
        let mut child = desk.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{arguments:?}: {said}");
        assert!(!said.contains("error") && !said.contains("panicked"), "{arguments:?}: {said}");
    }
}
