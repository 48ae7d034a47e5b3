//! What a page is told of a recording.

use std::io::Read;

use flate2::read::DeflateDecoder;
use serde_json::Value;
use taffeta_io::export::{Caption, Effort, Film, pack};
use taffeta_io::recording::Recording;

use crate::fixture::{self, STEPS_PER_FRAME};

/// The header of a reel, and the numbers behind it, added up.
fn unpacked(packed: &[u8], width: usize) -> (Value, Vec<u16>) {
    let mut bytes = Vec::new();
    DeflateDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
    let header = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
    let rows = bytes[(4 + length).next_multiple_of(4)..].chunks_exact(2);
    let mut counts: Vec<u16> = rows.map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
    for k in width.min(counts.len())..counts.len() {
        counts[k] = counts[k].wrapping_add(counts[k - width]);
    }
    (header, counts)
}

fn reel(recording: &Recording, frames: std::ops::Range<usize>) -> Vec<u8> {
    let film = Film::of_frames(recording, frames, Vec::new()).unwrap();
    pack(&film, &Caption::default(), Effort::Fast, &mut || ()).unwrap()
}

#[test]
fn steps_of_a_growing_recording_are_told_once() {
    let scratch = tempfile::tempdir().unwrap();
    let mut recorder = fixture::record(scratch.path(), &[3]);
    // Two steps towards the next frame are there already.
    for step in recorder.reports()..3 * STEPS_PER_FRAME + 2 {
        recorder.report(&fixture::report(step), fixture::seconds(step)).unwrap();
    }
    recorder.flush(b"").unwrap();
    let told = |range| {
        let (header, _) = unpacked(&reel(&Recording::open(scratch.path()).unwrap(), range), 1);
        header["report"]["time_s"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap()).collect::<Vec<_>>()
    };
    let mut times = told(0..3);
    fixture::record_up_to(&mut recorder, 5);
    recorder.flush(b"").unwrap();
    times.extend(told(3..5));
    assert!(times.windows(2).all(|two| two[1] > two[0]), "{times:?}");
    // All whose frame has been told of by now.
    let last = fixture::time(4);
    let ended = (0..5 * STEPS_PER_FRAME).filter(|&step| fixture::report(step)[0] <= last + 1e-9);
    assert_eq!(times.len(), ended.count());
}

#[test]
fn what_is_far_away_is_told_apart_from_every_distance() {
    let scratch = tempfile::tempdir().unwrap();
    drop(fixture::record(scratch.path(), &[2]));
    let recording = Recording::open(scratch.path()).unwrap();
    let nodes = recording.nodes();
    let (header, _) = unpacked(&reel(&recording, 0..1), 1);
    let channels = header["channels"].as_array().unwrap();
    let names: Vec<&str> = channels.iter().map(|channel| channel["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["contact", "hand", "tension", "clearance", "held"]);
    // One frame: its numbers are as they are. Three coordinates, two forces and the tension come before.
    let packed = reel(&recording, 0..1);
    let (_, counts) = unpacked(&packed, usize::MAX);
    let clearances = &counts[10 * nodes..11 * nodes];
    let high = channels[3]["high"].as_f64().unwrap();
    for (count, gap) in clearances.iter().zip(fixture::clearances(0)) {
        if gap.is_finite() {
            assert!((f64::from(*count) / 1023.0 * high - gap).abs() <= high / 1023.0, "{count} for {gap}");
        } else {
            assert_eq!(*count, u16::MAX);
        }
    }
}
