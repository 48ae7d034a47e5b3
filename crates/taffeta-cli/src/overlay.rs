//! What was captured laid over what was simulated: two recordings, and a page that plays both.

use std::path::Path;

use anyhow::anyhow;
use glam::DVec3;
use taffeta::mesh::{Element, Mesh};
use taffeta_fit::{Capture, Parameters, Stage};
use taffeta_io::export::{Caption, Effort, Film, Prop, box_about, pack};
use taffeta_io::recording::{Frame, NOTHING_NEAR, NodeForces, Recorder, Recording, RecordingHeader, Snapshot, report};
use taffeta_page::film::bounds;
use taffeta_page::with_films;

use crate::captures::failure;
use crate::failure::Failure;

/// Frames a second, about.
const RATE: f64 = 25.0;

/// Records a simulation of a capture, and the capture itself, into `simulated` and `captured` of a folder, and returns a page that
/// plays one over the other.
pub fn page(stage: &Stage, parameters: &Parameters, folder: &Path) -> Result<String, Failure> {
    let (capture, how) = (stage.capture(), stage.discretisation());
    let every = (1.0 / (RATE * how.dt)).round().max(1.0) as u64;
    let (mut frames, mut fault, mut recorder) = (Vec::new(), None, None);
    let simulated = folder.join("simulated");
    stage
        .replay_watched(parameters, |simulation| {
            if !simulation.steps().is_multiple_of(every) || fault.is_some() {
                return;
            }
            let mesh = simulation.model().cloth().mesh();
            let header = header(mesh.node_count(), mesh.elements(), simulation.obstacles.len());
            let recorded = match &mut recorder {
                Some(recorder) => Ok(recorder),
                none => Recorder::create(&simulated, &header).map(|created| none.insert(created)),
            };
            let frame = Snapshot::after_step(simulation);
            fault = recorded.and_then(|recorder| recorder.frame(&frame.frame())).err();
            frames.push(capture.frames[0].time + simulation.time());
        })
        .map_err(failure)?;
    if let Some(error) = fault {
        return Err(Failure::recording(error));
    }
    finish(recorder)?;
    let captured = folder.join("captured");
    record_capture(capture, &frames, &captured)?;

    let simulated = Recording::open(&simulated).map_err(Failure::recording)?;
    let captured = Recording::open(&captured).map_err(Failure::recording)?;
    let (low, high) = bounds(&simulated).map_err(|why| Failure::run(anyhow!(why)))?;
    let obstacles = stage.obstacles().iter().enumerate();
    let props: Vec<Prop> = obstacles.map(|(k, obstacle)| Prop::new(k, obstacle, low, high)).collect();
    let poses: Vec<_> = stage.obstacles().iter().map(|obstacle| obstacle.motion.at(0.0)).collect();
    let caption = Caption {
        title: format!("{}, simulated", capture.id),
        stage: Some(box_about(&props, &poses, low, high)),
        ..Caption::default()
    };
    let other = Caption {
        title: format!("{}, captured", capture.id),
        matches: (0..capture.counted.len()).map(|marker| Some(stage.node_of(marker))).collect(),
        ..Caption::default()
    };
    let packed = |recording: &Recording, props, caption: &Caption| {
        let film = Film::new(recording, 1, props).map_err(Failure::run)?;
        pack(&film, caption, Effort::Small, &mut || ()).map_err(Failure::run)
    };
    Ok(with_films(&packed(&simulated, props, &caption)?, Some(&packed(&captured, Vec::new(), &other)?)))
}

fn header<'a>(nodes: usize, elements: &'a [Element], obstacles: usize) -> RecordingHeader<'a> {
    let scene_toml = "# A simulation of a capture, or a capture: there is no scene that makes it.\n";
    RecordingHeader {
        nodes,
        elements,
        obstacles,
        grippers: 0,
        report_fields: &report::FIELDS,
        scene_toml,
        overwrite: true,
    }
}

fn finish(recorder: Option<Recorder>) -> Result<(), Failure> {
    let recorder = recorder.ok_or_else(|| Failure::run(anyhow!("nothing was simulated")))?;
    recorder.finish(&serde_json::json!({})).map_err(Failure::recording)
}

/// Records where the markers were seen at some times. What was not seen is drawn on the way to where it is seen next.
fn record_capture(capture: &Capture, times: &[f64], folder: &Path) -> Result<(), Failure> {
    let [columns, rows] = capture.grid;
    let mesh = Mesh::grid(columns, rows, |s, t| DVec3::new(s, t, 0.0)).map_err(Failure::run)?;
    let count = columns * rows;
    let paths: Vec<Vec<DVec3>> = (0..count).map(|marker| capture.bridged(marker)).collect();
    let mut recorder = Recorder::create(folder, &header(count, mesh.elements(), 0)).map_err(Failure::recording)?;
    let held: Vec<bool> = (0..count).map(|marker| capture.held.iter().any(|held| held.marker == marker)).collect();
    let (nothing, none, far) = (vec![DVec3::ZERO; count], vec![0.0; count], vec![NOTHING_NEAR; count]);
    for &time in times {
        let after = capture.frames.partition_point(|frame| frame.time < time - 1e-9).min(capture.frames.len() - 1);
        let positions: Vec<DVec3> = paths.iter().map(|path| path[after]).collect();
        let frame = Frame {
            time_s: time - capture.frames[0].time,
            positions: &positions,
            velocities: &nothing,
            held: &held,
            node_forces: NodeForces { held_forces: &nothing, tensions: &none, clearances: &far },
            world: None,
        };
        recorder.frame(&frame).map_err(Failure::recording)?;
    }
    finish(Some(recorder))
}
