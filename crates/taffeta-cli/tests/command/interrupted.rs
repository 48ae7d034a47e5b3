//! Runs that are killed and resumed give the recordings of runs that are not.

use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use taffeta_io::recording::Recording;

use crate::taffeta::Desk;

/// Kills the run whatever becomes of the test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // Neither fails unless the run has ended by itself, which the test looks out for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// With these settings, the scene takes several seconds: many flushes.
const LONG: [&str; 6] =
    ["--set", "cloth.grid.nodes=[25,33]", "--set", "duration_s=20", "--set", "frame_interval_s=0.1"];

/// And with these a second or so.
const SHORT: [&str; 4] = ["--set", "cloth.grid.nodes=[13,17]", "--set", "duration_s=20"];

fn start(desk: &Desk, arguments: &[&str]) -> Killed {
    let child = desk.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    Killed(child)
}

#[test]
fn a_killed_run_is_resumed_to_the_same_bits() {
    assert_resumed_alike(&Desk::new(), "swing", &LONG);
}

#[test]
fn grippers_and_bodies_of_a_killed_run_are_resumed_to_the_same_bits() {
    let desk = Desk::new();
    // With a ball that rolls about, and in steps so short that there are many flushes.
    let ball = [
        "--set",
        "dt_s=0.0005",
        "--set",
        "obstacle.ball={shape='sphere',radius_m=0.02,place_m=[-0.4,0,0.021],body='free',mass_kg=0.1,velocity_m_s=[0,0.1,0]}",
    ];
    assert_resumed_alike(&desk, "pinch", &ball);
    for array in ["grippers.npy", "obstacle_pose.npy", "contact_friction.npy"] {
        let bytes = |folder: &str| std::fs::read(desk.path(folder).join(array)).unwrap();
        assert!(bytes("whole") == bytes("cut"), "{array}");
    }
    // What is recorded is where the bodies are: the ball has rolled away.
    let recording = Recording::open(&desk.path("cut")).unwrap();
    let last = recording.frames() - 1;
    let way =
        recording.obstacle_poses(last).unwrap()[0].translation - recording.obstacle_poses(0).unwrap()[0].translation;
    assert!(way.y > 0.1, "{way}");
    assert_eq!(recording.grips(last).unwrap().len(), 1);
}

/// Runs a scene as a whole, and again with two kills.
fn assert_resumed_alike(desk: &Desk, scene: &str, settings: &[&str]) {
    let whole = [&["run", scene, "--quiet", "--out", "whole"][..], settings].concat();
    desk.expect(&whole);
    let cut = [&["run", scene, "--quiet", "--out", "cut"][..], settings].concat();
    let resumed = ["run", "--quiet", "--resume", "cut"];

    let frames = || Recording::open(&desk.path("cut")).map_or(0, |r| r.frames());
    let mut flushed = 1;
    for arguments in [&cut[..], &resumed] {
        let mut child = start(desk, arguments);
        let deadline = Instant::now() + Duration::from_secs(30);
        while frames() <= flushed {
            let ended = child.0.try_wait().unwrap();
            assert!(ended.is_none(), "the run has ended: make the scene longer");
            assert!(Instant::now() < deadline, "nothing is flushed");
            sleep(Duration::from_millis(5));
        }
        // Some steps are taken that are not flushed.
        sleep(Duration::from_millis(150));
        drop(child);
        flushed = frames();
        let info = desk.expect(&["info", "cut"]);
        assert!(info.contains("taffeta run --resume cut"), "{info}");
    }

    desk.expect(&resumed);
    desk.assert_same_arrays("whole", "cut");
    assert_eq!(desk.summary("whole"), desk.summary("cut"));
}

#[test]
fn a_run_killed_at_once_leaves_a_recording_that_can_be_resumed() {
    let desk = Desk::new();
    let mut child = start(&desk, &[&["run", "swing", "--out", "cut"][..], &SHORT].concat());
    let deadline = Instant::now() + Duration::from_secs(30);
    while !desk.path("cut").join("checkpoint.bin").is_file() {
        assert!(Instant::now() < deadline, "there is no checkpoint");
        assert!(child.0.try_wait().unwrap().is_none(), "the run has ended");
        sleep(Duration::from_millis(1));
    }
    drop(child);
    let info = desk.expect(&["info", "cut"]);
    assert!(info.contains("0.000 s to"), "{info}");
    desk.expect(&["run", "--resume", "cut", "--quiet"]);
    let info = desk.expect(&["info", "cut"]);
    assert!(info.contains("0.000 s to 20.000 s"), "{info}");
}
