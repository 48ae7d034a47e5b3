//! What a run leaves behind when it is killed, at any moment: what was flushed is there, and the run
//! can be resumed from it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;
use taffeta_io::recording::{Recorder, Recording, RecordingError, RecordingHeader};

use crate::fixture::{self, ARRAYS, STEPS_PER_FRAME, assert_sound, header, record};

type Files = BTreeMap<String, Vec<u8>>;

fn snapshot(dir: &Path) -> Files {
    fs::read_dir(dir)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// Makes a folder hold these files and no others.
fn restore(dir: &Path, files: &Files) {
    fs::create_dir_all(dir).unwrap();
    for name in snapshot(dir).keys() {
        fs::remove_file(dir.join(name)).unwrap();
    }
    for (name, contents) in files {
        fs::write(dir.join(name), contents).unwrap();
    }
}

/// How far a flush has come with an array when the run is killed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stage {
    Untouched,
    /// Some of the data is in the file, up to the middle of a number.
    PartOfData,
    /// All of the data is in the file, and the header does not count it yet.
    AllData,
    Done,
}

const STAGES: [Stage; 4] = [Stage::Untouched, Stage::PartOfData, Stage::AllData, Stage::Done];

impl Stage {
    fn contents(self, before: &[u8], after: &[u8]) -> Vec<u8> {
        let length = match self {
            Stage::Untouched => before.len(),
            Stage::PartOfData => before.len() + (after.len() - before.len()) / 2 - 3,
            Stage::AllData | Stage::Done => after.len(),
        };
        let mut contents = after[..length].to_vec();
        if self != Stage::Done {
            contents[..before.len()].copy_from_slice(before);
        }
        contents
    }
}

/// The folder after a flush at 3 frames, and after the next, at 7.
fn two_flushes(dir: &Path) -> (Files, Files) {
    let mut recorder = record(dir, &[3]);
    let before = snapshot(dir);
    fixture::record_up_to(&mut recorder, 7);
    recorder.flush(&fixture::checkpoint(7)).unwrap();
    (before, snapshot(dir))
}

#[test]
fn a_run_killed_during_a_flush_is_readable_and_resumable_whatever_the_order_of_writes() {
    let scratch = tempfile::tempdir().unwrap();
    let (before, after) = two_flushes(&scratch.path().join("whole"));
    let dir = scratch.path().join("killed");
    for case in 0..STAGES.len().pow(5) {
        // All cases of five arrays; the others vary along with them.
        let stage = |array: usize| STAGES[(case / STAGES.len().pow(array as u32 % 5) + array / 5) % STAGES.len()];
        let mut files = before.clone();
        for (array, name) in ARRAYS.iter().enumerate() {
            let contents = stage(array).contents(&before[*name], &after[*name]);
            files.insert((*name).to_owned(), contents);
        }
        // The new checkpoint may be on its way, too.
        let draft = &after["checkpoint.bin"];
        if case % 3 > 0 {
            let length = draft.len() * (case % 3) / 2;
            files.insert("checkpoint.bin.new".to_owned(), draft[..length].to_vec());
        }
        restore(&dir, &files);

        let of_steps = |array: &usize| ["report.npy", "step_seconds.npy"].contains(&ARRAYS[*array]);
        let done = |of_steps: &dyn Fn(&usize) -> bool| {
            (0..ARRAYS.len()).filter(of_steps).all(|array| stage(array) == Stage::Done)
        };
        let frames_done = done(&|array| !of_steps(array));
        let frames = if frames_done { 7 } else { 3 };
        let steps = if done(&of_steps) { 7 } else { 3 } * STEPS_PER_FRAME;
        assert_sound(&Recording::open(&dir).unwrap(), frames, steps);

        let (recorder, payload, _) = Recorder::resume(&dir).unwrap();
        assert_eq!(payload, fixture::checkpoint(3));
        assert_eq!((recorder.frames(), recorder.reports()), (3, 9));
        files.extend(before.clone());
        assert_eq!(snapshot(&dir), files, "case {case}");
    }
}

#[test]
fn a_run_killed_and_resumed_is_to_the_byte_one_that_was_not() {
    let scratch = tempfile::tempdir().unwrap();
    let (before, after) = two_flushes(&scratch.path().join("whole"));
    let dir = scratch.path().join("killed");
    for stage in STAGES {
        for killed_at in ARRAYS {
            let mut files = before.clone();
            let contents = stage.contents(&before[killed_at], &after[killed_at]);
            files.insert(killed_at.to_owned(), contents);
            restore(&dir, &files);
            let (mut recorder, _, _) = Recorder::resume(&dir).unwrap();
            fixture::record_up_to(&mut recorder, 7);
            recorder.flush(&fixture::checkpoint(7)).unwrap();
            assert_eq!(snapshot(&dir), after, "{killed_at} at {stage:?}");
        }
    }
}

#[test]
fn a_run_killed_as_it_began_reads_as_empty_or_not_at_all_and_can_be_started_anew() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("killed");
    drop(record(&dir, &[]));
    let begun = snapshot(&dir);
    let names: Vec<&String> = begun.keys().collect();
    assert_eq!(names.len(), 15);
    // Bit by bit as far as is worth the time; what is written last goes along with others.
    for case in 0_u32..1 << 11 {
        let present = |index: usize| case >> (index % 11) & 1 == 1;
        let mut files = Files::new();
        for (index, name) in names.iter().enumerate() {
            if present(index) {
                files.insert((*name).clone(), begun[*name].clone());
            }
        }
        restore(&dir, &files);
        match Recording::open(&dir) {
            Ok(recording) => {
                // The files of the world may be missing together: then there are no obstacles. So may those of what nodes feel.
                let felt = if files.contains_key("tension.npy") { 4 } else { 0 };
                let grips = usize::from(files.contains_key("grippers.npy"));
                let world = if recording.obstacles() == 0 { 0 } else { 3 + grips };
                assert_eq!(files.len(), 7 + felt + world);
                assert_sound(&recording, 0, 0);
            }
            Err(RecordingError::NotARecording { missing, .. }) => {
                assert!(!files.contains_key(missing));
            }
            Err(other) => panic!("{other}"),
        }
        assert!(Recorder::resume(&dir).is_err());

        let anew = RecordingHeader { overwrite: true, ..header() };
        match Recorder::create(&dir, &anew) {
            Ok(_) => assert_eq!(snapshot(&dir), begun),
            // Positions are written first: without them, it was not a recorder that was killed.
            Err(RecordingError::Occupied { .. }) => assert!(!files.contains_key("positions.npy")),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn an_overwriting_run_killed_as_it_began_leaves_no_mixture_and_can_be_started_anew() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("killed");
    record(&dir, &[3]).finish(&json!({})).unwrap();
    fs::write(dir.join("film.mp4"), "a film of it").unwrap();
    let old = snapshot(&dir);
    let anew = RecordingHeader {
        nodes: 4,
        elements: &fixture::ELEMENTS[..1],
        scene_toml: "new = true\n",
        overwrite: true,
        ..header()
    };
    drop(Recorder::create(&dir, &anew).unwrap());
    let new = snapshot(&dir);

    // Whatever of the old is gone and of the new is there, as long as the elements, which go first
    // and come last, are missing: it does not read as a recording, and it can be overwritten.
    let others = ["velocities.npy", "times.npy", "held.npy", "report.npy"];
    for case in 0..3_usize.pow(others.len() as u32) {
        let mut files = new.clone();
        files.remove("elements.npy");
        for (index, name) in others.iter().enumerate() {
            match case / 3_usize.pow(index as u32) % 3 {
                0 => files.insert((*name).to_owned(), old[*name].clone()),
                1 => files.remove(*name),
                _ => files.insert((*name).to_owned(), new[*name].clone()),
            };
        }
        for leftover in ["checkpoint.bin", "summary.json", "scene.toml", "positions.npy"] {
            files.insert(leftover.to_owned(), old[leftover].clone());
        }
        restore(&dir, &files);
        assert!(matches!(Recording::open(&dir), Err(RecordingError::NotARecording { missing: "elements.npy", .. })));
        drop(Recorder::create(&dir, &anew).unwrap());
        assert_eq!(snapshot(&dir), new, "case {case}");
    }
}

#[test]
fn a_power_cut_that_loses_the_end_of_an_array_is_survived_unless_the_run_was_finished() {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("cut");
    let (before, after) = two_flushes(&scratch.path().join("whole"));
    for name in ARRAYS {
        // The header counts 7 frames, and the data of the last is lost; the checkpoint is older.
        let mut files = after.clone();
        let cut = after[name].len() - 1;
        files.insert(name.to_owned(), after[name][..cut].to_vec());
        files.insert("checkpoint.bin".to_owned(), before["checkpoint.bin"].clone());
        restore(&dir, &files);
        let (frames, steps) = if ["report.npy", "step_seconds.npy"].contains(&name) { (7, 20) } else { (6, 21) };
        assert_sound(&Recording::open(&dir).unwrap(), frames, steps);
        drop(Recorder::resume(&dir).unwrap());
        assert_eq!(snapshot(&dir), before);

        files.insert("summary.json".to_owned(), b"{}".to_vec());
        restore(&dir, &files);
        let error = Recording::open(&dir).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("cut short"), "{error}");
    }
}
