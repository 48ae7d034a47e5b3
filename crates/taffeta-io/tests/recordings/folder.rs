//! The folder of a recording: what it may replace, and what does not belong in it.

use std::fs;

use serde_json::json;
use taffeta::mesh::Element;
use taffeta_io::npy::{Dtype, NpyWriter};
use taffeta_io::recording::{Recorder, Recording, RecordingError, RecordingHeader};

use crate::fixture::{NODES, assert_sound, header, names_in, record};

#[test]
fn an_unsound_header_is_refused_and_spares_the_earlier_recording() {
    let scratch = tempfile::tempdir().unwrap();
    record(scratch.path(), &[3]);
    let quad = [Element::Quad([0, 1, 2, NODES])];
    for (header, complaint) in [
        (RecordingHeader { nodes: 0, elements: &[], ..header() }, "no nodes"),
        (RecordingHeader { elements: &quad, ..header() }, "element 0 has the corner 5"),
        (RecordingHeader { report_fields: &[], ..header() }, "at least one field"),
        (RecordingHeader { report_fields: &["a b"], ..header() }, "\"a b\""),
        (RecordingHeader { report_fields: &["a", "a"], ..header() }, "two fields"),
    ] {
        let header = RecordingHeader { overwrite: true, ..header };
        let error = Recorder::create(scratch.path(), &header).unwrap_err();
        assert!(error.to_string().contains(complaint), "{error}");
    }
    assert_sound(&Recording::open(scratch.path()).unwrap(), 3, 9);
}

#[test]
fn an_earlier_recording_is_replaced_only_on_demand() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path();
    record(dir, &[3]).finish(&json!({"old": true})).unwrap();
    fs::write(dir.join("film.mp4"), "a film of it").unwrap();

    let error = Recorder::create(dir, &header()).unwrap_err();
    assert!(matches!(error, RecordingError::Exists { .. }), "{error}");
    assert!(error.to_string().contains("overwritten"), "{error}");
    assert_sound(&Recording::open(dir).unwrap(), 3, 9);

    let replacing = RecordingHeader {
        nodes: 3,
        elements: &[Element::Triangle([2, 1, 0])],
        obstacles: 0,
        grippers: 0,
        report_fields: &["a"],
        scene_toml: "new = true\n",
        overwrite: true,
    };
    drop(Recorder::create(dir, &replacing).unwrap());
    let recording = Recording::open(dir).unwrap();
    assert_eq!((recording.frames(), recording.reports(), recording.nodes()), (0, 0, 3));
    assert_eq!(recording.elements(), [Element::Triangle([2, 1, 0])]);
    assert_eq!(recording.report_fields(), ["a"]);
    assert_eq!(recording.scene_toml(), "new = true\n");
    assert_eq!(recording.summary(), None);
    assert_eq!(recording.obstacles(), 0, "the arrays of the world were left behind");
    assert!(matches!(Recorder::resume(dir), Err(RecordingError::NoCheckpoint { .. })));
    assert_eq!(fs::read_to_string(dir.join("film.mp4")).unwrap(), "a film of it");
}

#[test]
fn a_folder_of_something_else_is_never_touched() {
    let scratch = tempfile::tempdir().unwrap();
    let greedy = RecordingHeader { overwrite: true, ..header() };
    for (case, files) in [
        &["letters.txt"][..],
        &["scene.toml"],
        &["scene.toml", "elements.npy"],
        &["positions.npy", "letters.txt"],
        &["summary.json", "checkpoint.bin"],
    ]
    .into_iter()
    .enumerate()
    {
        let dir = scratch.path().join(case.to_string());
        fs::create_dir(&dir).unwrap();
        for file in files {
            fs::write(dir.join(file), "mine").unwrap();
        }
        let error = Recorder::create(&dir, &greedy).unwrap_err();
        assert!(matches!(error, RecordingError::Occupied { .. }), "{files:?}: {error}");
        assert_eq!(names_in(&dir).len(), files.len());
        for file in files {
            assert_eq!(fs::read_to_string(dir.join(file)).unwrap(), "mine");
        }
    }

    let file = scratch.path().join("file");
    fs::write(&file, "mine").unwrap();
    let error = Recorder::create(&file, &greedy).unwrap_err().to_string();
    assert!(error.starts_with("cannot list"), "{error}");
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let array = |name: &str, dtype: Dtype, trailing: &[usize]| {
        let path = scratch.path().join("donor.npy");
        drop(NpyWriter::create(&path, dtype, trailing).unwrap());
        (name.to_owned(), fs::read(path).unwrap())
    };
    let text = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    let mut elements = NpyWriter::create(&scratch.path().join("e.npy"), Dtype::I64, &[4]).unwrap();
    elements.append(&[0, 1, 2, 3, 0, 1, -1, 2]).unwrap();
    elements.flush().unwrap();
    let elements = fs::read(scratch.path().join("e.npy")).unwrap();
    for (case, ((name, contents), complaint)) in [
        (array("positions.npy", Dtype::F64, &[NODES]), "(frames, nodes, 3)"),
        (array("positions.npy", Dtype::F64, &[NODES, 2]), "(frames, nodes, 3)"),
        (array("positions.npy", Dtype::I64, &[NODES, 3]), "wrong type"),
        (array("velocities.npy", Dtype::F64, &[NODES + 1, 3]), "shape [6, 3] where [5, 3]"),
        (array("times.npy", Dtype::F64, &[1]), "shape [1] where []"),
        (array("held.npy", Dtype::F64, &[NODES]), "wrong type"),
        (array("held.npy", Dtype::Bool, &[3]), "shape [3] where [5]"),
        (array("obstacle_pose.npy", Dtype::F64, &[2, 6]), "(frames, obstacles, 7)"),
        (array("contact_normal.npy", Dtype::F64, &[3, 3]), "shape [3, 3] where [5, 3]"),
        (array("contact_friction.npy", Dtype::I64, &[5, 3]), "wrong type"),
        (array("report.npy", Dtype::F64, &[]), "not made of records"),
        (array("elements.npy", Dtype::I64, &[3]), "shape [3] where [4]"),
        (("elements.npy".to_owned(), elements), "element 1 are [0, 1, -1, 2]"),
        (text("positions.npy", "oops"), "not a readable .npy file"),
        (text("summary.json", "{\"frames\": "), "not JSON"),
    ]
    .into_iter()
    .enumerate()
    {
        let dir = scratch.path().join(case.to_string());
        record(&dir, &[2]);
        fs::write(dir.join(&name), contents).unwrap();
        let error = Recording::open(&dir).unwrap_err().to_string();
        assert!(error.contains(complaint), "{complaint}: {error}");
        assert!(error.contains(&name), "{name}: {error}");
        assert!(Recorder::resume(&dir).is_err());
    }
}
