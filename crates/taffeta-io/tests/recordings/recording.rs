//! Recordings: what is recorded is what is read, and what is wrong is refused.

use std::fs;

use glam::DVec3;
use serde_json::json;
use taffeta_io::npy::NpyReader;
use taffeta_io::recording::{Frame, NodeForces, Recorder, Recording, RecordingError, RecordingHeader, World};

use crate::fixture::{self, ELEMENTS, FIELDS, SCENE, STEPS_PER_FRAME, assert_sound, header, names_in, record};

#[test]
fn a_finished_run_is_read_as_it_was_recorded() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("runs/first");
    let mut recorder = record(&dir, &[0, 1, 4]);
    // More reports than are read at once.
    for step in recorder.reports()..10_000 {
        recorder.report(&fixture::report(step), fixture::seconds(step)).unwrap();
    }
    let summary = json!({"frames": 4, "wall_s": 0.5});
    recorder.finish(&summary).unwrap();

    let recording = Recording::open(&dir).unwrap();
    assert_sound(&recording, 4, 10_000);
    assert_eq!(recording.summary(), Some(&summary));
    assert_eq!(
        names_in(&dir),
        [
            "checkpoint.bin",
            "clearance.npy",
            "contact_friction.npy",
            "contact_normal.npy",
            "elements.npy",
            "grippers.npy",
            "held.npy",
            "held_force.npy",
            "obstacle_pose.npy",
            "positions.npy",
            "report.npy",
            "scene.toml",
            "step_seconds.npy",
            "summary.json",
            "tension.npy",
            "times.npy",
            "velocities.npy",
        ]
    );
    assert_eq!(fs::read_to_string(dir.join("scene.toml")).unwrap(), SCENE);
}

#[test]
fn a_run_is_seen_up_to_its_last_flush() {
    let scratch = tempfile::tempdir().unwrap();
    let mut recorder = record(scratch.path(), &[]);
    let seen = || Recording::open(scratch.path()).unwrap();
    assert_sound(&seen(), 0, 0);
    fixture::record_up_to(&mut recorder, 2);
    assert_eq!((recorder.frames(), recorder.reports()), (2, 6));
    assert_sound(&seen(), 0, 0);
    recorder.flush(b"").unwrap();
    assert_sound(&seen(), 2, 6);
    fixture::record_up_to(&mut recorder, 5);
    assert_sound(&seen(), 2, 6);
    assert_eq!(seen().summary(), None);
    recorder.finish(&json!({})).unwrap();
    assert_sound(&seen(), 5, 15);
}

#[test]
fn large_frames_do_not_wait_in_memory_for_the_flush() {
    let scratch = tempfile::tempdir().unwrap();
    let nodes = 200_000;
    let large = RecordingHeader { nodes, obstacles: 0, grippers: 0, ..header() };
    let mut recorder = Recorder::create(scratch.path(), &large).unwrap();
    let still = vec![DVec3::ZERO; nodes];
    let frame_of = |value: f64| vec![DVec3::splat(value); nodes];
    for frame in 0..4 {
        let moving = frame_of(frame as f64);
        let held = vec![false; nodes];
        let node_forces =
            NodeForces { held_forces: &still, tensions: &vec![0.0; nodes], clearances: &vec![0.0; nodes] };
        let time_s = frame as f64;
        let frame = Frame { time_s, positions: &moving, velocities: &still, held: &held, node_forces, world: None };
        recorder.frame(&frame).unwrap();
    }
    let length = fs::metadata(scratch.path().join("positions.npy")).unwrap().len();
    assert!(length > 3 * 24 * nodes as u64, "{length}");
    assert_eq!(Recording::open(scratch.path()).unwrap().frames(), 0);
    recorder.flush(b"").unwrap();
    let recording = Recording::open(scratch.path()).unwrap();
    assert_eq!(recording.frames(), 4);
    for frame in 0..4 {
        assert_eq!(recording.positions(frame).unwrap(), frame_of(frame as f64));
        assert_eq!(recording.velocities(frame).unwrap(), still);
    }
}

#[test]
fn no_number_that_is_none_reaches_a_file() {
    let scratch = tempfile::tempdir().unwrap();
    let mut recorder = record(scratch.path(), &[]);
    fixture::record_up_to(&mut recorder, 2);
    let (sound, held, poses, grips) = (fixture::positions(2), fixture::held(2), fixture::poses(2), fixture::grips(2));
    let tensions = fixture::tensions(2);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (mut broken, mut lost) = (sound.clone(), poses.clone());
        broken[3].y = bad;
        lost[1].translation.x = bad;
        let s = &sound;
        for (time_s, [positions, velocities, normal_forces, friction_forces, held_forces], poses, complaint) in [
            (0.2, [&broken, s, s, s, s], &poses, "the position of node 3 in frame 2"),
            (0.2, [s, &broken, s, s, s], &poses, "the velocity of node 3 in frame 2"),
            (0.2, [s, s, &broken, s, s], &poses, "the normal force of node 3 in frame 2"),
            (0.2, [s, s, s, &broken, s], &poses, "the friction force of node 3 in frame 2"),
            (0.2, [s, s, s, s, &broken], &poses, "the force of a hand of node 3 in frame 2"),
            (0.2, [s; 5], &lost, "the pose of obstacle 1 in frame 2"),
            (bad, [s; 5], &poses, "the time of frame 2"),
        ] {
            let world = Some(World { normal_forces, friction_forces, poses, grips: &grips });
            let node_forces = NodeForces { held_forces, tensions: &tensions, clearances: &tensions };
            let error = recorder.frame(&Frame { time_s, positions, velocities, held: &held, node_forces, world });
            let error = error.unwrap_err().to_string();
            assert!(error.contains(complaint), "{error}");
            assert!(error.contains(scratch.path().to_str().unwrap()), "{error}");
        }
        let mut slack = tensions.clone();
        slack[2] = bad;
        for (tensions, clearances, complaint) in [
            (&slack, &tensions, "the tension of node 2 in frame 2"),
            (&tensions, &slack, "the clearance of node 2 in frame 2"),
        ] {
            // Nothing near is no gap, but not a flaw.
            if clearances == &slack && bad == f64::INFINITY {
                continue;
            }
            let node_forces = NodeForces { held_forces: s, tensions, clearances };
            let world = Some(World { normal_forces: s, friction_forces: s, poses: &poses, grips: &grips });
            let frame = Frame { time_s: 0.2, positions: s, velocities: s, held: &held, node_forces, world };
            let error = recorder.frame(&frame).unwrap_err().to_string();
            assert!(error.contains(complaint), "{error}");
        }
        let mut strange = grips.clone();
        strange[0].torque.y = bad;
        let node_forces = NodeForces { held_forces: s, tensions: &tensions, clearances: &tensions };
        let world = Some(World { normal_forces: s, friction_forces: s, poses: &poses, grips: &strange });
        let frame = Frame { time_s: 0.2, positions: s, velocities: s, held: &held, node_forces, world };
        let error = recorder.frame(&frame).unwrap_err().to_string();
        assert!(error.contains("what gripper 0 feels in frame 2"), "{error}");
        let error = recorder.report(&[0.0, bad, 0.0], 0.0).unwrap_err().to_string();
        assert!(error.contains("\"iterations\" of the report of step 6"), "{error}");
    }
    // What was refused left no trace.
    fixture::record_up_to(&mut recorder, 4);
    recorder.flush(b"").unwrap();
    assert_sound(&Recording::open(scratch.path()).unwrap(), 4, 12);
}

#[test]
fn frames_and_reports_of_another_size_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let mut recorder = record(scratch.path(), &[]);
    let (vectors, held, poses, grips) = (fixture::positions(0), fixture::held(0), fixture::poses(0), fixture::grips(0));
    let world = World { normal_forces: &vectors, friction_forces: &vectors, poses: &poses, grips: &grips };
    let numbers = fixture::tensions(0);
    let node_forces = NodeForces { held_forces: &vectors, tensions: &numbers, clearances: &numbers };
    let world_of = Some(world);
    let sound =
        Frame { time_s: 0.0, positions: &vectors, velocities: &vectors, held: &held, node_forces, world: world_of };
    let in_world = |world| Frame { world: Some(world), ..sound };
    for (frame, complaint) in [
        (Frame { positions: &vectors[1..], ..sound }, "4 positions were given where it has 5"),
        (Frame { velocities: &vectors[..2], ..sound }, "2 velocities were given where it has 5"),
        (Frame { held: &held[..0], ..sound }, "0 held marks were given where it has 5"),
        (Frame { world: None, ..sound }, "0 obstacle poses were given where it has 2"),
        (
            Frame { node_forces: NodeForces { held_forces: &[], ..node_forces }, ..sound },
            "0 forces of hands were given where it has 5",
        ),
        (
            Frame { node_forces: NodeForces { tensions: &[], ..node_forces }, ..sound },
            "0 tensions were given where it has 5",
        ),
        (
            Frame { node_forces: NodeForces { clearances: &[], ..node_forces }, ..sound },
            "0 clearances were given where it has 5",
        ),
        (in_world(World { poses: &poses[1..], ..world }), "1 obstacle poses were given where it has 2"),
        (in_world(World { normal_forces: &[], ..world }), "0 normal forces were given where it has 5"),
        (in_world(World { friction_forces: &[], ..world }), "0 friction forces were given where it has 5"),
        (in_world(World { grips: &[], ..world }), "0 grippers were given where it has 1"),
    ] {
        let error = recorder.frame(&frame).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
    }
    let error = recorder.report(&[0.0; 4], 0.0).unwrap_err().to_string();
    assert!(error.contains("4 report values") && error.contains("has 3"), "{error}");
    assert_eq!((recorder.frames(), recorder.reports()), (0, 0));
}

#[test]
fn what_is_not_there_is_not_read() {
    let scratch = tempfile::tempdir().unwrap();
    let error = Recording::open(&scratch.path().join("absent")).unwrap_err();
    assert!(error.to_string().contains("is not a recording"), "{error}");

    record(scratch.path(), &[2]);
    let recording = Recording::open(scratch.path()).unwrap();
    for error in [
        recording.time(2).map(drop).unwrap_err(),
        recording.positions(2).map(drop).unwrap_err(),
        recording.velocities(usize::MAX).map(drop).unwrap_err(),
        recording.held(2).map(drop).unwrap_err(),
    ] {
        assert!(error.to_string().contains("has 2 frames"), "{error}");
    }
    let error = recording.report_field("energy").unwrap_err().to_string();
    assert!(error.contains("\"energy\"") && error.contains(&FIELDS.join(", ")), "{error}");
}

#[test]
fn a_resumed_run_goes_on_from_its_checkpoint() {
    let scratch = tempfile::tempdir().unwrap();
    let mut recorder = record(scratch.path(), &[2, 3]);
    fixture::record_up_to(&mut recorder, 6);
    drop(recorder);

    let (mut recorder, payload, scene) = Recorder::resume(scratch.path()).unwrap();
    assert_eq!(payload, fixture::checkpoint(3));
    assert_eq!(scene, SCENE);
    assert_eq!((recorder.frames(), recorder.reports()), (3, 9));
    fixture::record_up_to(&mut recorder, 5);
    recorder.flush(&fixture::checkpoint(5)).unwrap();
    recorder.finish(&json!({})).unwrap();
    assert_sound(&Recording::open(scratch.path()).unwrap(), 5, 5 * STEPS_PER_FRAME);

    let error = Recorder::resume(scratch.path()).unwrap_err();
    assert!(matches!(error, RecordingError::Finished { .. }), "{error}");
}

#[test]
fn a_run_is_not_resumed_from_a_bad_checkpoint() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path();
    record(dir, &[]);
    let error = Recorder::resume(dir).unwrap_err().to_string();
    assert!(error.contains("killed before the first checkpoint"), "{error}");

    fs::remove_dir_all(dir).unwrap();
    record(dir, &[2, 4]);
    let sound = fs::read(dir.join("checkpoint.bin")).unwrap();
    for (contents, complaint) in [(&sound[..sound.len() - 1], "cut short"), (b"something else", "not a checkpoint")] {
        fs::write(dir.join("checkpoint.bin"), contents).unwrap();
        let error = Recorder::resume(dir).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
        assert!(error.contains("checkpoint.bin"), "{error}");
    }
    // A checkpoint that counts more than is there is another recording's.
    fs::write(dir.join("checkpoint.bin"), &sound).unwrap();
    let whole = fs::read(dir.join("report.npy")).unwrap();
    fs::write(dir.join("report.npy"), &whole[..whole.len() - 1]).unwrap();
    let error = Recorder::resume(dir).unwrap_err().to_string();
    assert!(error.contains("report.npy") && error.contains("cut short"), "{error}");
    // Nothing was touched.
    fs::write(dir.join("report.npy"), whole).unwrap();
    assert_sound(&Recording::open(dir).unwrap(), 4, 12);
}

#[test]
fn the_elements_are_stored_with_minus_one_for_the_missing_corner() {
    let scratch = tempfile::tempdir().unwrap();
    record(scratch.path(), &[]);
    let array = NpyReader::open(&scratch.path().join("elements.npy")).unwrap();
    assert_eq!(array.rows(), ELEMENTS.len());
    assert_eq!(array.read::<i64>(0..2).unwrap(), [0, 1, 2, 3, 1, 4, 2, -1]);
}
