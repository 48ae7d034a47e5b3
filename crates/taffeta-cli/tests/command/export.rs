//! Exports, read back here and by tools that nobody here wrote.

use std::fs;
use std::path::Path;
use std::process::Command;

use taffeta_io::obj::read_obj;
use taffeta_io::recording::Recording;

use crate::taffeta::Desk;

/// A sheet held by a corner beside a ball that passes it and a table that stays.
pub const PASSED: &str = r#"
duration_s = 0.3
dt_s = 0.01
[cloth.grid]
nodes = [5, 4]
size_m = [0.4, 0.3]
[held.corner]
corner = "top-left"
[obstacle."grey table"]
shape = "table"
size_m = [1.0, 1.0]
place_m = [0.2, 0.0, -0.5]
[obstacle.ball]
shape = "sphere"
radius_m = 0.05
motion = "keyframes"
times_s = [0.0, 0.3]
places_m = [[0.2, -0.3, 0.1], [0.2, 0.2, 0.1]]
rotations_axis_deg = [[0, 0, 1, 0], [0, 0, 1, 90]]
"#;

/// A recording in `run`, and all exports of every third of its frames.
fn exported() -> Desk {
    let desk = Desk::new();
    desk.write("passed.toml", PASSED);
    desk.expect(&["run", "passed.toml", "--out", "run", "--quiet"]);
    let mut arguments = vec!["export", "run", "--every", "3", "--quiet", "--obj", "obj", "--ply", "ply"];
    arguments.extend(["--gltf", "out.glb", "--usd", "out.usda", "--pc2", "out.pc2"]);
    arguments.extend(["--npz", "out.npz", "--csv", "out.csv", "--html", "out.html"]);
    let told = desk.expect(&arguments);
    assert_eq!(told, "out.html\nobj\nply\nout.glb\nout.usda\nout.pc2\nout.npz\nout.csv\n");
    desk
}

#[test]
fn frames_are_exported_to_the_last_bit() {
    let desk = exported();
    let recording = Recording::open(&desk.path("run")).expect("a recording");
    assert_eq!(recording.frames(), 31);
    assert_eq!(fs::read_dir(desk.path("obj")).expect("a folder").count(), 11);
    for frame in (0..31).step_by(3) {
        let mesh = read_obj(&desk.path(&format!("obj/frame_{frame:05}.obj"))).expect("a mesh");
        assert_eq!(mesh.positions(), recording.positions(frame).expect("a frame"));
        assert_eq!(mesh.elements(), recording.elements());
    }
    let table = fs::read_to_string(desk.path("out.csv")).expect("a table");
    let last = table.lines().last().expect("rows");
    let numbers: Vec<f64> = last.split(',').map(|number| number.parse().expect("a number")).collect();
    let (x, v) = (recording.positions(30).expect("a frame")[19], recording.velocities(30).expect("a frame")[19]);
    assert_eq!(numbers, [0.3, 19.0, x.x, x.y, x.z, v.x, v.y, v.z, 0.0]);
    assert_eq!(table.lines().count(), 1 + 11 * 20);
}

#[test]
fn the_same_recording_is_exported_to_the_same_bytes() {
    let [first, second] = [exported(), exported()];
    for name in ["out.glb", "out.usda", "out.pc2", "out.npz", "out.csv", "ply/frame_00012.ply"] {
        let [one, other] = [&first, &second].map(|desk| fs::read(desk.path(name)).expect(name));
        assert!(one == other, "{name} differs");
    }
    // How long the steps took, which a page tells, differs from run to run.
    first.expect(&["export", "run", "--every", "3", "--quiet", "--html", "again.html"]);
    let [one, other] = ["out.html", "again.html"].map(|name| fs::read(first.path(name)).expect(name));
    assert!(one == other, "the pages differ");
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let desk = exported();
    for (arguments, fragment) in [
        (&["export", "run"][..], "say what to export to: --obj DIR"),
        (&["export", "run", "--gltf", "out.gltf"], "out.gltf is to be a .glb file"),
        (&["export", "run", "--csv", "more.csv", "--every", "0"], "--every 0 leaves no frames"),
        (&["export", "nowhere", "--csv", "more.csv"], "nowhere"),
        (&["export", "swing", "--csv", "more.csv"], "swing is a scene and not a recording: add --live"),
        (&["export", "run", "--html", "more.html", "--live"], "run is a recording, and --live runs a scene"),
        (&["export", "swong", "--html", "more.html", "--live"], "did you mean \"swing\"?"),
        (&["export", "swing", "--html", "more.htm", "--live"], "more.htm is to be a .html file"),
        (&["export", "swing", "--live"], "--html"),
        (&["export", "run", "--html", "more.html", "--set", "dt_s=1"], "--live"),
        (&["export", "run", "--html", "more.html", "--with", "elsewhere"], "elsewhere"),
        (&["run", "passed.toml", "--html", "more.txt"], "more.txt is to be a .html file"),
    ] {
        let outcome = desk.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(fragment), "{arguments:?}: {}", outcome.stderr);
    }
    let outcome = desk.run(&["export", "run", "--csv", "no/such/folder.csv"]);
    assert!(outcome.code == Some(1) && outcome.stderr.contains("cannot create"), "{}", outcome.stderr);
    assert!(!desk.path("more.csv").exists());
}

/// A file of this folder.
pub fn validator(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validators").join(name).display().to_string()
}

/// Runs a validator; `None`, with a message, if it is not there.
pub fn validate(desk: &Desk, program: &str, probe: &[&str], arguments: &[&str]) -> Option<String> {
    let run = |arguments: &[&str]| Command::new(program).args(arguments).current_dir(desk.path(".")).output();
    if !run(probe).is_ok_and(|output| output.status.success()) {
        eprintln!(
            "skipped: `{program} {}` fails; `cargo xtask test` sets up what it needs where it can",
            probe.join(" ")
        );
        return None;
    }
    let output = run(arguments).expect("the program is there");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    Some(said)
}

#[test]
fn other_tools_read_what_was_recorded() {
    let desk = exported();
    let python = std::env::var("TAFFETA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let probe = ["-c", "import numpy, trimesh, pxr"];
    if let Some(said) = validate(&desk, &python, &probe, &[&validator("exports.py"), "run", ".", "3"]) {
        assert!(said.contains("alike"), "{said}");
    }
}

#[test]
fn the_validator_of_khronos_finds_no_fault() {
    let desk = exported();
    let probe = ["-e", "require('gltf-validator')"];
    if let Some(said) = validate(&desk, "node", &probe, &[&validator("gltf.cjs"), "out.glb"]) {
        let info: serde_json::Value = serde_json::from_str(&said).expect("a report");
        // The cloth's frames, a weight for each; the place and the turn of the ball.
        assert_eq!((&info["hasMorphTargets"], &info["animationCount"]), (&true.into(), &1.into()), "{info}");
        assert_eq!(info["drawCallCount"], 3, "{info}");
    }
}

#[test]
fn a_recording_is_drawn_in_motion() {
    let desk = exported();
    desk.expect(&["render", "run", "--apng", "moving.png", "--width", "80", "--quiet"]);
    let bytes = fs::read(desk.path("moving.png")).expect("a picture");
    // The chunk acTL holds the number of frames: of 31, 10 ms apart, every fourth is shown.
    let at = bytes.windows(4).position(|chunk| chunk == b"acTL").expect("an animation");
    assert_eq!(bytes[at + 4..at + 8], 8u32.to_be_bytes());
    let outcome = desk.run(&["render", "run", "--apng", "moving.gif"]);
    assert!(outcome.code == Some(2) && outcome.stderr.contains("is to be a .png file"), "{}", outcome.stderr);
}

#[test]
fn pictures_are_coloured_by_what_is_measured() {
    let desk = exported();
    desk.expect(&["render", "run", "--gif", "moving.gif", "--width", "80", "--quiet"]);
    assert!(fs::read(desk.path("moving.gif")).expect("a picture").starts_with(b"GIF89a"));
    let plain = ["render", "run", "--frame", "25", "--width", "160", "--quiet", "--png"];
    let picture = |name: &str, how: &[&str]| {
        desk.expect(&[&plain[..], &[name], how].concat());
        fs::read(desk.path(name)).expect("a picture")
    };
    let mut pictures = vec![picture("sides.png", &[])];
    for by in ["strain", "tension", "force", "speed", "gap"] {
        let coloured = picture(&format!("{by}.png"), &["--colour", by]);
        assert!(!pictures.contains(&coloured), "{by} looks like another");
        pictures.push(coloured);
    }
    // A recording of another maker may lack what is asked for.
    for name in ["tension", "clearance", "held_force", "step_seconds"] {
        fs::remove_file(desk.path(&format!("run/{name}.npy"))).expect("an array");
    }
    let outcome = desk.run(&[&plain[..], &["no.png", "--colour", "tension"]].concat());
    assert!(outcome.code == Some(2) && outcome.stderr.contains("has no tensions recorded"), "{}", outcome.stderr);
    let outcome = desk.run(&["render", "run", "--mp4", "moving.mp4", "--width", "81", "--quiet"]);
    match outcome.code {
        Some(0) => assert!(fs::metadata(desk.path("moving.mp4")).is_ok_and(|file| file.len() > 500)),
        code => assert!(code == Some(2) && outcome.stderr.contains("--mp4 needs ffmpeg"), "{}", outcome.stderr),
    }
}

/// A browser of the kind that the page is tested in; `None`, with a message, if there is none.
pub fn browser() -> Option<String> {
    let known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(str::to_owned);
    let found = std::env::var("TAFFETA_BROWSER").ok().into_iter().chain(known).find(|path| Path::new(path).exists());
    if found.is_none() {
        eprintln!(
            "skipped: there is no Chromium; install Debian's package chromium, or set TAFFETA_BROWSER to a browser"
        );
    }
    found
}

#[test]
fn a_page_plays_its_recording_in_a_real_browser() {
    let desk = Desk::new();
    desk.write("passed.toml", PASSED);
    desk.expect(&["run", "passed.toml", "--out", "run", "--quiet"]);
    desk.expect(&["export", "run", "--html", "page.html", "--quiet"]);
    let Some(browser) = browser() else { return };
    // Screenshots are kept, to be looked at.
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    fs::create_dir_all(&shots).expect("a folder");
    let probe = ["-e", "require('playwright-core')"];
    let script = validator("page.cjs");
    let arguments = [script.as_str(), &browser, "page.html", &shots.display().to_string()];
    let Some(said) = validate(&desk, "node", &probe, &arguments) else { return };
    let seen: serde_json::Value = serde_json::from_str(&said).expect("a report");
    assert_eq!((&seen["frames"], &seen["complaints"]), (&31.into(), &serde_json::json!([])), "{seen}");
    let recording = Recording::open(&desk.path("run")).expect("a recording");
    for (moment, frame) in [("start", 0), ("scrubbed", 20), ("stepped", 21), ("end", 30)] {
        assert_eq!(seen[moment]["frame"], frame, "{moment}");
        let positions = recording.positions(frame).expect("a frame");
        for (node, key) in [(0, "first"), (19, "last")] {
            for (shown, x) in seen[moment][key].as_array().expect("a place").iter().zip(positions[node].to_array()) {
                // Two bytes for each coordinate, in a box of less than a metre.
                let shown = shown.as_f64().expect("a number");
                assert!((shown - x).abs() < 1.0 / 65535.0, "{moment}: node {node} is shown at {shown}, and is at {x}");
            }
        }
    }
    assert_eq!(seen["legend"], "speed, m/s");
    assert!(seen["played"].as_u64().is_some_and(|frame| frame > 3), "{seen}");
    assert!(seen["plots"].as_array().is_some_and(|plots| plots.len() >= 3), "{seen}");
    for name in ["start.png", "speed.png", "played.png"] {
        assert!(fs::metadata(shots.join(name)).is_ok_and(|file| file.len() > 10_000), "{name}");
    }
}
