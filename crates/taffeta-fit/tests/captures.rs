//! Captures: made up and then recognised, broken, and real.

use std::fs;
use std::path::Path;

use glam::DVec3;
use taffeta_fit::{
    Capture, CaptureError, CaptureFrame, Discretisation, Errors, HeldMarker, Parameters, Spline, Start, depth_camera,
    replay,
};

const GRID: [usize; 2] = [4, 5];
const SIZE: [f64; 2] = [0.42, 0.594];

/// The markers are the nodes.
const COARSE: Discretisation = Discretisation { refinement: 1, dt: 0.01, start: Start::Rest, self_contact: false };

/// A sheet that two hands swing for three seconds, seen at 100 Hz, with its markers nowhere yet.
fn swung() -> Capture {
    let times: Vec<f64> = (0..=150).map(|k| 0.02 * f64::from(k)).collect();
    let hand = |x: f64| {
        let place = |t: f64| DVec3::new(x, 0.08 * (1.0 - (std::f64::consts::TAU * 0.9 * t).cos()), 0.0);
        Spline::new(times.clone(), times.iter().map(|&t| place(t)).collect()).unwrap()
    };
    let markers = GRID[0] * GRID[1];
    // Hanging, so that the check for a cloth on its head has something to see.
    let hanging = |k: usize| {
        let (column, row) = (k % GRID[0], k / GRID[0]);
        let part = |k: usize, n: usize| k as f64 / (n - 1) as f64;
        Some(DVec3::new((part(column, GRID[0]) - 0.5) * SIZE[0], 0.0, (part(row, GRID[1]) - 1.0) * SIZE[1]))
    };
    let frame =
        |k: i32| CaptureFrame { time: 0.01 * f64::from(k), markers: (0..markers).map(hanging).collect(), bad: false };
    Capture {
        id: "twin".to_owned(),
        grid: GRID,
        size: SIZE,
        held: [(16, -0.5), (19, 0.5)]
            .map(|(marker, side)| HeldMarker { marker, path: hand(side * SIZE[0]), noise: 0.0, cutoff: f64::INFINITY })
            .to_vec(),
        frames: (0..=300).map(frame).collect(),
        counted: (0..markers).map(|marker| marker != 16 && marker != 19).collect(),
        density: None,
        obstacles: Vec::new(),
        truth: None,
        discretisation: COARSE,
    }
}

/// The same, with markers where a simulation with these parameters has them.
fn twin(truth: &Parameters, discretisation: &Discretisation) -> Capture {
    let mut capture = swung();
    let truth = replay(&capture, truth, discretisation).unwrap();
    for (frame, simulated) in capture.frames.iter_mut().zip(&truth.markers) {
        frame.markers = simulated.iter().copied().map(Some).collect();
    }
    capture
}

#[test]
fn a_twin_is_recognised_and_gaps_are_left_out() {
    let truth = Parameters { alpha: 3.0, delta: 0.8, ..Parameters::default() };
    let mut capture = twin(&truth, &COARSE);
    let errors = |capture: &Capture, parameters: &Parameters| {
        Errors::new(capture, &replay(capture, parameters, &COARSE).unwrap())
    };
    let same = errors(&capture, &truth);
    assert!(same.mean_m == 0.0 && same.rms_m == 0.0 && same.hem.correlation > 0.999_999, "{same:?}");
    // What is off tells, the more the farther.
    let off = |alpha: f64| errors(&capture, &Parameters { alpha, ..truth }).rms_m;
    let offs = [2.0, 2.8, 3.2, 4.0].map(off);
    assert!(offs[0] > offs[1] && offs[3] > offs[2] && offs.iter().all(|&off| off > 1e-4), "{offs:?}");

    // A fifth of the markers gone, a marker thrown far away in a bad frame: what is left is as before.
    for (k, frame) in capture.frames.iter_mut().enumerate() {
        for (marker, place) in frame.markers.iter_mut().enumerate() {
            if (7 * k + 3 * marker) % 5 == 0 {
                *place = None;
            }
        }
        frame.bad = k % 40 == 39;
        if frame.bad {
            frame.markers[5] = Some(DVec3::splat(100.0));
        }
    }
    let gaps = errors(&capture, &truth);
    assert!(gaps.mean_m == 0.0 && gaps.frames_m[39].is_none() && gaps.frames_m[40] == Some(0.0));
    assert_eq!(gaps.markers_m[16], None, "held markers do not count");
}

#[test]
fn errors_are_what_they_are_called() {
    let mut capture = swung();
    capture.frames.truncate(2);
    // One marker is off by 3 mm, all others by 1 mm.
    let markers: Vec<Vec<DVec3>> = capture
        .frames
        .iter()
        .map(|frame| {
            let off = |k: usize| DVec3::Y * if k == 6 { 0.003 } else { 0.001 };
            frame.markers.iter().enumerate().map(|(k, place)| place.unwrap() + off(k)).collect()
        })
        .collect();
    let errors = Errors::new(&capture, &taffeta_fit::Replay { markers, contacts: Vec::new() });
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} and not {expected}");
    close(errors.mean_m, (17.0 * 0.001 + 0.003) / 18.0);
    close(errors.rms_m, ((17.0 * 1e-6 + 9e-6) / 18.0f64).sqrt());
    let mean = (17.0 * 0.001 + 0.003) / 18.0;
    close(errors.spatial_sd_m, ((17.0 * (0.001f64 - mean).powi(2) + (0.003 - mean).powi(2)) / 18.0).sqrt());
    // The areas of all markers that count: all of the cloth but two corners.
    let cell: f64 = 0.14 * 0.1485;
    let area = 0.42 * 0.594 - 2.0 * cell / 4.0;
    close(errors.area_weighted_m2, ((area - cell) * 1e-6 + cell * 9e-6).sqrt());
    close(errors.markers_m[6].unwrap(), 0.003);
}

#[test]
fn broken_captures_are_told_what_is_wrong() {
    let whole = || twin(&Parameters::default(), &COARSE);
    let told = |breakage: &dyn Fn(&mut Capture)| {
        let mut capture = whole();
        breakage(&mut capture);
        capture.check().unwrap_err()
    };
    for (breakage, fragment) in [
        (
            &(|c: &mut Capture| c.frames.iter_mut().for_each(|f| f.markers.fill(None))) as &dyn Fn(&mut Capture),
            "no markers",
        ),
        (&|c: &mut Capture| c.held.clear(), "no held markers"),
        (&|c: &mut Capture| c.grid = [1, 20], "a grid of 1×20 markers"),
        (&|c: &mut Capture| c.frames[7].time = 0.01, "frame 7 is at 0.01 s, after 0.06 s"),
        (&|c: &mut Capture| c.frames[3].time = f64::NAN, "the time of frame 3"),
        (&|c: &mut Capture| c.frames[2].markers[4] = Some(DVec3::NAN), "marker 4 of frame 2"),
        (&|c: &mut Capture| c.size = [0.3, 0.594], "check the size of the cloth"),
        (&|c: &mut Capture| c.size = [-1.0, 0.594], "give positive numbers"),
        (&|c: &mut Capture| c.frames[5].markers.truncate(9), "frame 5 has 9 markers"),
    ] {
        let error = told(breakage).to_string();
        assert!(error.starts_with("twin") && error.contains(fragment), "{error}");
    }
    let millimetres = |c: &mut Capture| {
        let markers = c.frames.iter_mut().flat_map(|frame| &mut frame.markers).flatten();
        markers.for_each(|place| *place *= 1000.0);
    };
    assert!(told(&millimetres).to_string().contains("may be in millimetres"));
    let upside_down = |c: &mut Capture| {
        let markers = c.frames.iter_mut().flat_map(|frame| &mut frame.markers).flatten();
        markers.for_each(|place| place.z = -place.z);
    };
    assert!(matches!(told(&upside_down), CaptureError::NotHanging { .. }));
}

#[test]
fn a_folder_is_read_as_it_was_written_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| fs::write(at(name), text).unwrap();
    let about = r#"{"id": "x", "cloth": {"width_m": 0.2, "height_m": 0.1}, "grid": {"rows": 2, "cols": 3},
        "held": {"nodes": [3, 5]}, "bad_frame_rows": [1], "more": 7}"#;
    write("x.json", about);
    write("x_held.csv", "t,xL,yL,zL,xR,yR,zR\n0,0,0,1,0.2,0,1\n1,0,0.1,1,0.2,0.1,1\n");
    let header = "t,x0,y0,z0,x1,y1,z1,x2,y2,z2,x3,y3,z3,x4,y4,z4,x5,y5,z5\n";
    let row = "0,0,0.9,0.1,0,0.9,nan,nan,nan,0,0,1,0.1,0,1,0.2,0,1\n";
    write("x_mesh.csv", &format!("{header}0.0,{row}0.1,{row}"));
    let read = depth_camera::read_folder(folder.path()).unwrap();
    let [capture] = &read[..] else { panic!("{} captures", read.len()) };
    assert_eq!((capture.columns(), capture.rows(), capture.frames.len()), (3, 2, 2));
    assert_eq!(
        capture.frames[0].markers[..3],
        [Some(DVec3::new(0.0, 0.0, 0.9)), Some(DVec3::new(0.1, 0.0, 0.9)), None]
    );
    assert_eq!(capture.frames.iter().map(|frame| frame.bad).collect::<Vec<_>>(), [false, true]);
    assert_eq!(capture.counted, [false, true, false, false, false, false]);
    assert_eq!(capture.held[1].path.at(0.5), DVec3::new(0.2, 0.05, 1.0));

    let refused = |name: &str, text: &str, fragment: &str| {
        let before = fs::read_to_string(at(name)).unwrap();
        write(name, text);
        let error = depth_camera::read_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(fragment), "{error}");
        write(name, &before);
    };
    refused("x_mesh.csv", &format!("{header}0.0,1,2\n"), "line 2: it has 3 cells where 19 are needed");
    refused("x_mesh.csv", &format!("{header}nan,{row}"), "column 1: \"nan\" is not a number");
    refused("x_held.csv", "t\n0,0,0,1,nan,0,1\n", "column 5: \"nan\" is not a number");
    refused("x_held.csv", "t\n1,0,0,1,0,0,1\n0,0,0,1,0,0,1\n", "its times must ascend");
    refused("x_held.csv", "t\n", "it has no rows");
    refused(
        "x_held.csv",
        "t\n5,0,0,1,0,0,1\n6,0,0,1,0,0,1\n",
        "tells of the hands from 5 to 6 s, and there is a frame at 0 s",
    );
    refused("x.json", &about.replace("\"rows\": 2", "\"rows\": 4000000000"), "at most 1000 of each");
    refused("x.json", "{}", "missing field `id`");
    refused("x.json", &about.replace("[3, 5]", "[3, 6]"), "held.nodes names 6, and the grid has 6 markers");
    fs::remove_file(at("x_mesh.csv")).unwrap();
    assert!(depth_camera::read_folder(folder.path()).unwrap_err().to_string().contains("x_mesh.csv"));
    let nothing = tempfile::tempdir().unwrap();
    assert!(depth_camera::read_folder(nothing.path()).unwrap_err().to_string().contains("there is no capture in it"));
}

#[test]
fn real_cloth_is_nearer_to_this_model_than_to_the_authors_own() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/real");
    if !folder.is_dir() {
        eprintln!("skipped: the captures of real cloth are not in {}", folder.display());
        return;
    }
    for capture in depth_camera::read_folder(&folder).unwrap() {
        let about = fs::read_to_string(folder.join(format!("{}.json", capture.id))).unwrap();
        let about: serde_json::Value = serde_json::from_str(&about).unwrap();
        let theirs = &about["baseline_authors_model"];
        let figure = |name: &str| theirs[name].as_f64().unwrap();
        let replayed = replay(&capture, &Parameters::default(), &capture.discretisation).unwrap();
        let errors = Errors::new(&capture, &replayed);
        let (mean, correlation) = (1e3 * errors.mean_m, errors.hem.correlation);
        println!("{}: {mean:.1} mm, correlation {correlation:.3}", capture.id);
        assert!(mean < figure("mean_error_mm"), "{}: {mean:.1} mm", capture.id);
        assert!(correlation > figure("bottom_edge_swing_correlation"), "{}: {correlation:.3}", capture.id);
    }
}
