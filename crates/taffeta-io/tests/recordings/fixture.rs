//! A small run whose every number can be told from its frame and node.

use std::fs;
use std::path::Path;

use glam::{DVec3, dvec3};
use taffeta::GripReading;
use taffeta::mesh::Element;
use taffeta::obstacle::{DQuat, Pose};
use taffeta_io::recording::{Frame, NOTHING_NEAR, NodeForces, Recorder, Recording, RecordingHeader, World};

pub const NODES: usize = 5;
pub const OBSTACLES: usize = 2;
pub const GRIPPERS: usize = 1;
pub const ELEMENTS: [Element; 2] = [Element::Quad([0, 1, 2, 3]), Element::Triangle([1, 4, 2])];
pub const FIELDS: [&str; 3] = ["time_s", "iterations", "worst_stretch"];
pub const SCENE: &str = "name = \"fixture\"\n";
pub const STEPS_PER_FRAME: usize = 3;

/// The arrays that grow, those of the world last.
pub const ARRAYS: [&str; 13] = [
    "positions.npy",
    "velocities.npy",
    "times.npy",
    "held.npy",
    "report.npy",
    "contact_normal.npy",
    "contact_friction.npy",
    "obstacle_pose.npy",
    "held_force.npy",
    "step_seconds.npy",
    "tension.npy",
    "clearance.npy",
    "grippers.npy",
];

pub fn header() -> RecordingHeader<'static> {
    RecordingHeader {
        nodes: NODES,
        elements: &ELEMENTS,
        obstacles: OBSTACLES,
        grippers: GRIPPERS,
        report_fields: &FIELDS,
        scene_toml: SCENE,
        overwrite: false,
    }
}

pub fn time(frame: usize) -> f64 {
    frame as f64 * 0.1
}

pub fn positions(frame: usize) -> Vec<DVec3> {
    (0..NODES).map(|node| dvec3(frame as f64, node as f64, time(frame).sin())).collect()
}

pub fn velocities(frame: usize) -> Vec<DVec3> {
    positions(frame).iter().map(|position| -0.5 * position).collect()
}

pub fn held(frame: usize) -> Vec<bool> {
    (0..NODES).map(|node| (frame + node).is_multiple_of(3)).collect()
}

pub fn forces(frame: usize) -> [Vec<DVec3>; 2] {
    [2.0, 3.0].map(|scale| positions(frame).iter().map(|position| scale * position).collect())
}

pub fn poses(frame: usize) -> Vec<Pose> {
    let pose = |k: usize| Pose {
        rotation: DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8),
        translation: dvec3(k as f64, frame as f64, -time(frame)),
    };
    (0..OBSTACLES).map(pose).collect()
}

pub fn grips(frame: usize) -> Vec<GripReading> {
    let number = |k: usize| 0.25 * (frame + k) as f64;
    let vector = |k: usize| dvec3(number(k), number(k + 1), -number(k + 2));
    let grip = |k: usize| GripReading {
        opening: number(k),
        normal_force: [number(k + 1), number(k + 2)],
        tangential_force: vector(k + 3),
        torque: vector(k + 6),
        slip: number(k + 9),
        layers: frame + k,
        lag: number(k + 10),
    };
    (0..GRIPPERS).map(grip).collect()
}

pub fn report(step: usize) -> [f64; 3] {
    [step as f64 / 30.0, (step % 7) as f64, 1e-9 * step as f64]
}

pub fn seconds(step: usize) -> f64 {
    1e-3 * step as f64
}

pub fn tensions(frame: usize) -> Vec<f64> {
    positions(frame).iter().map(|position| position.x).collect()
}

/// Some of them with nothing near.
pub fn clearances(frame: usize) -> Vec<f64> {
    positions(frame).iter().enumerate().map(|(k, place)| if k == 1 { f64::INFINITY } else { place.y.abs() }).collect()
}

/// What a simulator would save after so many frames.
pub fn checkpoint(frames: usize) -> Vec<u8> {
    format!("state after {frames} frames").into_bytes()
}

/// Adds frames, and the steps that lead to each, until there are so many.
pub fn record_up_to(recorder: &mut Recorder, frames: usize) {
    for frame in recorder.frames()..frames {
        for step in recorder.reports()..STEPS_PER_FRAME * (frame + 1) {
            recorder.report(&report(step), seconds(step)).unwrap();
        }
        let ([normal, friction], poses, grips) = (forces(frame), poses(frame), grips(frame));
        let world = World { normal_forces: &normal, friction_forces: &friction, poses: &poses, grips: &grips };
        let (positions, velocities, held) = (positions(frame), velocities(frame), held(frame));
        let frame = Frame {
            time_s: time(frame),
            positions: &positions,
            velocities: &velocities,
            held: &held,
            node_forces: NodeForces {
                held_forces: &velocities,
                tensions: &tensions(frame),
                clearances: &clearances(frame),
            },
            world: Some(world),
        };
        recorder.frame(&frame).unwrap();
    }
}

/// A recording with one flush for each of these numbers of frames.
pub fn record(dir: &Path, flushes: &[usize]) -> Recorder {
    let mut recorder = Recorder::create(dir, &header()).unwrap();
    for &frames in flushes {
        record_up_to(&mut recorder, frames);
        recorder.flush(&checkpoint(frames)).unwrap();
    }
    recorder
}

/// Asserts that a recording has so many frames and reports, and that all it says is right.
pub fn assert_sound(recording: &Recording, frames: usize, reports: usize) {
    assert_eq!(recording.frames(), frames);
    assert_eq!(recording.reports(), reports);
    assert_eq!(recording.nodes(), NODES);
    assert_eq!(recording.elements(), ELEMENTS);
    assert_eq!(recording.report_fields(), FIELDS);
    assert_eq!(recording.scene_toml(), SCENE);
    assert_eq!(recording.times().len(), frames);
    for frame in 0..frames {
        assert_eq!(recording.time(frame).unwrap(), time(frame));
        assert_eq!(recording.positions(frame).unwrap(), positions(frame));
        assert_eq!(recording.velocities(frame).unwrap(), velocities(frame));
        assert_eq!(recording.held(frame).unwrap(), held(frame));
        assert_eq!(recording.contact_forces(frame).unwrap(), Some(forces(frame)));
        assert_eq!(recording.obstacle_poses(frame).unwrap(), poses(frame));
        assert_eq!(recording.grips(frame).unwrap(), grips(frame));
        assert_eq!(recording.held_forces(frame).unwrap(), Some(velocities(frame)));
        assert_eq!(recording.tensions(frame).unwrap(), Some(tensions(frame)));
        let finite = clearances(frame).iter().map(|gap| gap.min(NOTHING_NEAR)).collect();
        assert_eq!(recording.clearances(frame).unwrap(), Some(finite));
    }
    assert_eq!(recording.step_seconds().unwrap(), (0..reports).map(seconds).collect::<Vec<_>>());
    // Steps after the third and by the seventh, and all.
    let some = recording.reports_between(report(2)[0], report(6)[0]).unwrap();
    assert_eq!(some, 3.min(reports)..7.min(reports));
    assert_eq!(recording.reports_between(f64::NEG_INFINITY, f64::INFINITY).unwrap(), 0..reports);
    let (columns, took) = recording.reports_of(some.clone()).unwrap();
    assert_eq!(took, some.clone().map(seconds).collect::<Vec<_>>());
    for (k, column) in columns.iter().enumerate() {
        assert_eq!(*column, some.clone().map(|step| report(step)[k]).collect::<Vec<_>>());
    }
    for (column, field) in FIELDS.iter().enumerate() {
        let expected: Vec<f64> = (0..reports).map(|step| report(step)[column]).collect();
        assert_eq!(recording.report_field(field).unwrap(), expected);
    }
}

/// The names of the files in a folder, sorted.
pub fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
