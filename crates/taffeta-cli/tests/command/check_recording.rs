//! Recordings of cloth that passes through itself, and of cloth that does not.

use std::fs;

use crate::taffeta::Desk;

/// Nodes of the scene `sheet.toml`: 5 columns, 6 rows.
const NODES: usize = 30;

/// Changes places in the last frame of a recording.
fn tamper(desk: &Desk, folder: &str, change: impl Fn(&mut [[f64; 3]])) {
    let path = desk.path(folder).join("positions.npy");
    let mut bytes = fs::read(&path).unwrap();
    let start = bytes.len() - NODES * 24;
    let number = |chunk: &[u8]| f64::from_le_bytes(chunk.try_into().unwrap());
    let mut places: Vec<[f64; 3]> =
        bytes[start..].chunks_exact(24).map(|p| [number(&p[..8]), number(&p[8..16]), number(&p[16..])]).collect();
    change(&mut places);
    let changed = places.iter().flatten().flat_map(|x| x.to_le_bytes());
    bytes.splice(start.., changed);
    fs::write(&path, bytes).unwrap();
}

/// The nodes of the first edge put on both sides of the middle of an element far away.
fn pierce(places: &mut [[f64; 3]]) {
    let [a, b, c] = [22, 23, 28].map(|node| places[node]);
    let middle: [f64; 3] = std::array::from_fn(|k| (a[k] + b[k] + c[k]) / 3.0);
    places[0] = [middle[0], middle[1] - 0.05, middle[2]];
    places[1] = [middle[0], middle[1] + 0.05, middle[2]];
}

#[test]
fn a_swinging_sheet_does_not_pass_through_itself() {
    let desk = Desk::new();
    desk.expect(&["run", "sheet.toml", "--out", "out"]);
    let table = desk.expect(&["check-recording", "out"]);
    assert!(table.contains("self-intersections   none"), "{table}");
    assert!(table.contains("frames               26"), "{table}");

    let found: serde_json::Value =
        serde_json::from_str(&desk.expect(&["check-recording", "out", "--json", "--quiet"])).unwrap();
    assert_eq!(found["intersecting_frames"], 0);
    assert_eq!(found["first_intersecting_frame"], serde_json::Value::Null);
    assert_eq!(found["frames"].as_array().unwrap().len(), 26);
    // The check measures for itself what the run said of its own steps.
    let strain = found["max_edge_strain"].as_f64().unwrap();
    assert!(strain <= desk.summary("out")["max_edge_strain"].as_f64().unwrap() * (1.0 + 1e-9), "{strain}");
    assert!(strain > 0.0);
}

#[test]
fn the_first_frame_with_an_intersection_is_named_and_the_exit_code_is_its_own() {
    let desk = Desk::new();
    desk.expect(&["run", "sheet.toml", "--out", "out"]);
    tamper(&desk, "out", pierce);
    let outcome = desk.run(&["check-recording", "out", "--json"]);
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("passes through itself in frame 25 (0.500 s)"), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("the edge of nodes 0 and 1 meets the triangle of nodes 22, 23 and 28"),
        "{}",
        outcome.stderr
    );
    let found: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(found["intersecting_frames"], 1);
    assert_eq!(found["first_intersecting_frame"], 25);
    assert!(found["frames"][25]["min_layer_gap_m"].as_f64().unwrap() < 0.05);
    assert_eq!(found["frames"][24]["self_intersections"], 0);
}

#[test]
fn what_is_no_recording_of_its_scene_is_refused() {
    let desk = Desk::new();
    desk.expect(&["run", "sheet.toml", "--out", "out"]);
    let outcome = desk.run(&["check-recording", "nowhere"]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);

    tamper(&desk, "out", |places| places[7][1] = f64::NAN);
    let outcome = desk.run(&["check-recording", "out"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("frame 25: node 7 is at"), "{}", outcome.stderr);

    let scene = desk.path("out").join("scene.toml");
    let text = fs::read_to_string(&scene).unwrap();
    assert!(text.contains("nodes = [5, 6]"), "{text}");
    fs::write(&scene, text.replace("nodes = [5, 6]", "nodes = [6, 5]")).unwrap();
    let outcome = desk.run(&["check-recording", "out"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("is of another mesh than"), "{}", outcome.stderr);
}
