//! Processes that record until they are killed or the disk is full.

use std::env;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;
use taffeta_io::npy::NpyReader;
use taffeta_io::recording::{Recorder, Recording, RecordingError, RecordingHeader};

use crate::fixture::{self, STEPS_PER_FRAME, assert_sound, header, record_up_to};

/// Tells a test that it is the process which a run of the same test has started, and where to
/// record.
const DIR: &str = "TAFFETA_TEST_RECORDING";

/// Asserts that no array of a recording counts more than it holds, and that all it says is right;
/// returns the number of frames.
fn assert_sound_in_every_file(dir: &Path) -> usize {
    for name in fixture::ARRAYS {
        NpyReader::open(&dir.join(name)).unwrap();
    }
    let recording = Recording::open(dir).unwrap();
    let frames = recording.frames();
    assert!(recording.reports() >= frames * STEPS_PER_FRAME);
    assert_sound(&recording, frames, recording.reports());
    frames
}

fn record_until_killed(dir: &Path) -> ! {
    let mut recorder = match Recorder::resume(dir) {
        Ok((recorder, payload, _)) => {
            assert_eq!(payload, fixture::checkpoint(recorder.frames()));
            recorder
        }
        // Killed before the first checkpoint, or never run.
        Err(RecordingError::NoCheckpoint { .. } | RecordingError::NotARecording { .. }) => {
            let anew = RecordingHeader { overwrite: true, ..header() };
            Recorder::create(dir, &anew).unwrap()
        }
        Err(other) => panic!("{other}"),
    };
    loop {
        let frames = recorder.frames() + 2;
        record_up_to(&mut recorder, frames);
        recorder.flush(&fixture::checkpoint(frames)).unwrap();
    }
}

/// Kills the run whatever becomes of the test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // Neither fails unless the run has ended by itself, which the test looks out for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_killed_again_and_again_loses_nothing_it_flushed() {
    if let Some(dir) = env::var_os(DIR) {
        record_until_killed(Path::new(&dir));
    }
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("run");
    let mut frames = 0;
    for attempt in 0..20_u64 {
        let child = Command::new(env::current_exe().unwrap())
            .arg("--exact")
            .arg("killed_process::a_process_killed_again_and_again_loses_nothing_it_flushed")
            .env(DIR, &dir)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut child = Killed(child);
        let deadline = Instant::now() + Duration::from_secs(60);
        // It is read while it is written.
        while Recording::open(&dir).map_or(0, |recording| recording.frames()) <= frames {
            assert_eq!(child.0.try_wait().unwrap(), None, "the run has failed");
            assert!(Instant::now() < deadline, "no new frames in attempt {attempt}");
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_micros(1300 * attempt % 7000));
        drop(child);

        let frames_before = frames;
        frames = assert_sound_in_every_file(&dir);
        assert!(frames > frames_before);
    }
}

#[cfg(unix)]
fn record_until_refused(dir: &Path) {
    let mut recorder = Recorder::create(dir, &header()).unwrap();
    let refusal = loop {
        let frames = recorder.frames() + 2;
        assert!(frames < 100_000, "there is no limit");
        record_up_to(&mut recorder, frames);
        match recorder.flush(&fixture::checkpoint(frames)) {
            Ok(()) => {}
            Err(refusal) => break refusal.to_string(),
        }
    };
    assert!(refusal.starts_with("cannot write"), "{refusal}");
    assert!(refusal.contains("positions.npy"), "{refusal}");
    // To try again is no better, and no worse.
    let again = recorder.flush(b"").unwrap_err().to_string();
    assert_eq!(again, refusal);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_and_loses_nothing_flushed() {
    if let Some(dir) = env::var_os(DIR) {
        return record_until_refused(Path::new(&dir));
    }
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path().join("run");
    // Files may grow to some dozens of kilobytes; with the signal ignored, writing more fails as
    // it does on a full disk, after a part was written.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$@\"", "sh"])
        .arg(env::current_exe().unwrap())
        .arg("--exact")
        .arg("killed_process::a_full_disk_is_reported_and_loses_nothing_flushed")
        .env(DIR, &dir)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");

    let frames = assert_sound_in_every_file(&dir);
    assert!(frames > 0);
    let (mut recorder, payload, _) = Recorder::resume(&dir).unwrap();
    assert_eq!(recorder.frames(), frames);
    assert_eq!(payload, fixture::checkpoint(frames));
    record_up_to(&mut recorder, frames + 2);
    recorder.finish(&json!({})).unwrap();
    let steps = STEPS_PER_FRAME * (frames + 2);
    assert_sound(&Recording::open(&dir).unwrap(), frames + 2, steps);
}
