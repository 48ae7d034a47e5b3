//! Scenes that run in a page: the same simulation, to be pulled at; and two recordings over each other.

use std::fs;
use std::path::Path;

use serde_json::Value;
use taffeta_io::recording::Recording;

use crate::export::{PASSED, browser, validate, validator};
use crate::taffeta::Desk;

/// What `node` needs to drive a browser.
const PLAYWRIGHT: [&str; 2] = ["-e", "require('playwright-core')"];

/// Where screenshots are kept, to be looked at.
fn shots(name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder.display().to_string()
}

/// A place that a page tells.
fn place(seen: &Value) -> [f64; 3] {
    let numbers: Vec<f64> = seen.as_array().expect("a place").iter().filter_map(Value::as_f64).collect();
    numbers.try_into().expect("three numbers")
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn the_simulator_of_the_page_is_the_native_one() {
    let desk = Desk::new();
    desk.expect(&[
        "run",
        "swing",
        "--out",
        "run",
        "--quiet",
        "--set",
        "duration_s=1",
        "--set",
        "frame_interval_s=0.01",
    ]);
    let recording = Recording::open(&desk.path("run")).expect("a recording");
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist").display().to_string();
    let arguments = [&validator("wasm.cjs"), &dist, "run/scene.toml", "20", "100"];
    let Some(said) = validate(&desk, "node", &["-e", "WebAssembly"], &arguments) else { return };
    let seen: Value = serde_json::from_str(&said).expect("a report");
    assert_eq!(seen["failed"], Value::Null);
    let off = |mark: usize, frame: usize, nodes: usize| {
        let told: Vec<f64> =
            seen["places"][mark].as_array().expect("places").iter().filter_map(Value::as_f64).collect();
        let native = recording.positions(frame).expect("a frame");
        let places = told.chunks_exact(3).zip(&native).take(nodes);
        let offs = places.map(|(told, native)| distance([told[0], told[1], told[2]], native.to_array()));
        offs.fold(0.0, f64::max)
    };
    let (early, hem) = (off(0, 20, recording.nodes()), off(1, 100, 7));
    println!("apart by {early:.1e} m after 0.2 s; the hem by {hem:.1e} m after 1 s");
    // Told in single precision: 6e-8 of less than a metre.
    assert!(early < 1e-6, "{early:e} m after 0.2 s");
    assert!(hem < 5e-3, "{hem:e} m at the hem after 1 s");
}

#[test]
fn scenes_with_contact_run_in_the_page_as_they_do_natively() {
    let desk = Desk::new();
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist").display().to_string();
    // How long, in steps, and how far apart by then: later on the last bits decide what touches first.
    for (scene, steps, most) in
        [("tablecloth", 120, 1e-4), ("fold", 60, 1e-4), ("sphere", 60, 1e-3), ("hit", 150, 1e-3), ("twist", 60, 1e-3)]
    {
        let interval = format!("frame_interval_s={}", if scene == "twist" { 0.005 } else { 0.01 });
        desk.expect(&["run", scene, "--out", scene, "--quiet", "--set", &interval]);
        let recording = Recording::open(&desk.path(scene)).expect("a recording");
        let arguments = [validator("wasm.cjs"), dist.clone(), format!("{scene}/scene.toml"), steps.to_string()];
        let arguments = arguments.each_ref().map(String::as_str);
        let Some(said) = validate(&desk, "node", &["-e", "WebAssembly"], &arguments) else { return };
        let seen: Value = serde_json::from_str(&said).expect("a report");
        assert_eq!(seen["failed"], Value::Null, "{scene}");
        let told: Vec<f64> = seen["places"][0].as_array().expect("places").iter().filter_map(Value::as_f64).collect();
        let native = recording.positions(steps).expect("a frame");
        let offs = told.chunks_exact(3).zip(&native).map(|(a, b)| distance([a[0], a[1], a[2]], b.to_array()));
        let off = offs.fold(0.0, f64::max);
        println!("{scene}: {off:.1e} m apart after {steps} steps");
        assert!(told.len() == 3 * native.len() && off < most, "{scene}: {off:e} m apart");
    }
}

#[test]
fn cloth_is_pulled_at_in_a_real_browser() {
    let desk = Desk::new();
    desk.expect(&["export", "swing", "--html", "live.html", "--live"]);
    let Some(browser) = browser() else { return };
    let folder = shots("live");
    let arguments = [&validator("live.cjs"), &browser, "live.html", &folder];
    let Some(said) = validate(&desk, "node", &PLAYWRIGHT, &arguments) else { return };
    let seen: Value = serde_json::from_str(&said).expect("a report");
    assert_eq!((&seen["complaints"], &seen["error"]), (&serde_json::json!([]), &false.into()), "{seen}");
    // The node follows the pointer, and falls when it is let go.
    let [before, dragged, released] = ["before", "dragged", "released"].map(|moment| place(&seen[moment]));
    assert!(distance(before, dragged) > 0.05 && seen["off"].as_f64().is_some_and(|off| off < 2.0), "{seen}");
    assert!(released[2] < dragged[2] - 0.03, "{seen}");
    // A corner that was held falls once it is freed.
    assert!(place(&seen["freed"])[2] < place(&seen["held"])[2] - 0.05, "{seen}");
    let time = |moment: &str| seen[moment].as_f64().expect("a time");
    assert!(time("stood") > 2.0 && time("still") == time("stood"), "{seen}");
    assert!((time("stepped") - time("stood") - 0.01).abs() < 1e-9, "{seen}");
    assert_eq!(seen["scrubbed"], 3);
    assert!(time("reset") < time("stepped") - 1.0, "{seen}");
    assert_eq!(seen["picked"], "A sheet falls on a ball and slides off");
    for name in ["dragged.png", "paused.png", "picked.png"] {
        assert!(fs::metadata(Path::new(&folder).join(name)).is_ok_and(|file| file.len() > 10_000), "{name}");
    }

    // What was done is a recording like any other.
    let saved = Path::new(&folder).join("saved.zip").display().to_string();
    let unzip = ["-m", "zipfile", "-e", &saved, "."];
    if validate(&desk, "python3", &["-c", "import zipfile"], &unzip).is_none() {
        return;
    }
    let recording = Recording::open(&desk.path("swing")).expect("a recording");
    let last = *recording.times().last().expect("frames");
    assert!((last - time("stepped")).abs() < 0.02 + 1e-9, "{last} s were saved of {}", time("stepped"));
    assert_eq!(recording.reports(), (100.0 * time("stepped")).round() as usize);
    desk.expect(&["check-recording", "swing", "--quiet"]);
    desk.expect(&["export", "swing", "--html", "replay.html", "--quiet"]);
}

#[test]
fn a_recording_is_laid_over_another() {
    let desk = Desk::new();
    desk.write("passed.toml", PASSED);
    desk.expect(&["run", "passed.toml", "--out", "run", "--quiet", "--html", "alone.html"]);
    // The same cloth, twice as fine and lighter.
    let finer = ["--set", "cloth.grid.nodes=[9,7]", "--set", "gravity_m_s2=[0,0,-5]", "--set", "frame_interval_s=0.02"];
    desk.expect(&[&["run", "passed.toml", "--out", "other", "--quiet"], &finer[..]].concat());
    desk.expect(&["export", "other", "--with", "run", "--html", "both.html", "--quiet"]);
    let away = ["--set", "cloth.grid.corner_m=[3,0,0]"];
    desk.expect(&[&["run", "passed.toml", "--out", "away", "--quiet"], &finer[..], &away].concat());
    let apart = desk.run(&["export", "run", "--with", "away", "--html", "no.html", "--quiet"]);
    assert!(apart.code == Some(2) && apart.stderr.contains("do not begin in the same place"), "{}", apart.stderr);
    let Some(browser) = browser() else { return };
    let arguments = [&validator("compare.cjs"), &browser, "both.html", &shots("compare")];
    let Some(said) = validate(&desk, "node", &PLAYWRIGHT, &arguments) else { return };
    let seen: Value = serde_json::from_str(&said).expect("a report");
    assert_eq!(seen["complaints"], serde_json::json!([]));
    // The page shows both, and its plot says how far they are apart.
    let [fine, coarse] = ["other", "run"].map(|name| Recording::open(&desk.path(name)).expect("a recording"));
    let (frame, time) = (10, fine.time(10).expect("a frame"));
    let same = (0..coarse.frames()).find(|&k| coarse.time(k).is_ok_and(|t| (t - time).abs() < 1e-9)).expect("a frame");
    let [here, there] = [fine.positions(frame).expect("a frame"), coarse.positions(same).expect("a frame")];
    assert!(distance(place(&seen["place"]), here[0].to_array()) < 3e-5, "{seen}");
    assert!(distance(place(&seen["other"]), there[19].to_array()) < 3e-5, "{seen}");
    // Every second node of every second row is the same point.
    let squares = (0..20).map(|node| here[2 * (node / 5) * 9 + 2 * (node % 5)].distance_squared(there[node]));
    let rms = 1e3 * (squares.sum::<f64>() / 20.0).sqrt();
    let told: f64 = seen["rms"].as_str().and_then(|text| text.split(' ').next()?.parse().ok()).expect("a number");
    assert!(rms > 1.0 && (told - rms).abs() < 0.02 * rms, "{told} mm, and it is {rms}");
}
