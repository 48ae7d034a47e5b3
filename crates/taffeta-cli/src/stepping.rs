//! A run: stepping, recording, and stopping at any moment without loss.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize};
use taffeta::{Progress, Simulation};
use taffeta_io::recording::{Recorder, RecordingHeader};
use taffeta_io::scene::Scene;

use crate::failure::Failure;
use crate::report;
use crate::summary::{Summary, Tally};

/// Wall time between flushes: to make a recording safe takes longer than a step.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

/// All that a run is resumed from, besides its scene.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    scene_name: String,
    progress: Progress,
    tally: Tally,
}

/// A run that is being recorded.
pub struct Run {
    scene: Scene,
    simulation: Simulation,
    recorder: Recorder,
    tally: Tally,
    folder: PathBuf,
}

impl Run {
    /// Begins a run and its recording. Nothing is written if the scene is at fault.
    pub fn begin(scene: Scene, folder: &Path, overwrite: bool) -> Result<Self, Failure> {
        let simulation = scene.build()?;
        let held = scene.held_at_start(&simulation)?;
        let mesh = simulation.model().cloth().mesh();
        let header = RecordingHeader {
            nodes: mesh.node_count(),
            elements: mesh.elements(),
            report_fields: &report::FIELDS,
            scene_toml: &scene.to_toml()?,
            overwrite,
        };
        let recorder = Recorder::create(folder, &header).map_err(Failure::recording)?;
        let mut run = Self { scene, simulation, recorder, tally: Tally::default(), folder: folder.to_path_buf() };
        run.record_frame(held.into_iter())?;
        // From now on the run can be resumed.
        run.flush()?;
        Ok(run)
    }

    /// Goes on with a run from the last checkpoint of its recording.
    pub fn resume(folder: &Path) -> Result<Self, Failure> {
        let (recorder, payload, scene_toml) = Recorder::resume(folder).map_err(Failure::recording)?;
        let checkpoint: Checkpoint = postcard::from_bytes(&payload).map_err(|_| {
            Failure::input(anyhow::anyhow!(
                "the checkpoint of {} is not one of this version of taffeta: start the run anew",
                folder.display()
            ))
        })?;
        let file = folder.join("scene.toml");
        let scene = Scene::from_text(&checkpoint.scene_name, &scene_toml, Some(&file))?;
        let mut simulation = scene.build()?;
        simulation.restore(checkpoint.progress).map_err(|error| {
            Failure::input(anyhow::anyhow!(
                "{} does not continue the scene in {}: {error}",
                folder.display(),
                file.display()
            ))
        })?;
        Ok(Self { scene, simulation, recorder, tally: checkpoint.tally, folder: folder.to_path_buf() })
    }

    /// Where the run is recorded.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs to the end.
    pub fn finish(mut self, show_progress: bool) -> Result<Summary, Failure> {
        let bar = self.progress_bar(show_progress);
        let mut flushed = Instant::now();
        while self.simulation.steps() < self.scene.steps() {
            self.step()?;
            if flushed.elapsed() >= FLUSH_INTERVAL {
                self.flush()?;
                flushed = Instant::now();
            }
            bar.set_position(self.simulation.steps());
        }
        bar.finish_and_clear();
        let recording = self.folder.display().to_string();
        let summary = Summary::new(self.scene.name(), &self.simulation, &self.tally, &recording);
        let object = serde_json::to_value(&summary).map_err(Failure::run)?;
        self.recorder.finish(&object).map_err(Failure::run)?;
        Ok(summary)
    }

    fn step(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        let outcome = self.simulation.step();
        self.tally.wall_s += start.elapsed().as_secs_f64();
        let report = match outcome {
            Ok(report) => report,
            Err(error) => {
                self.flush()?;
                let folder = self.folder.display();
                return Err(Failure::run(anyhow::anyhow!(
                    "step {} of {} failed: {error}\nwhat led there is recorded in {folder}; look at it with: taffeta render {folder} --png last.png",
                    self.simulation.steps() + 1,
                    self.scene.steps(),
                )));
            }
        };
        self.tally.add(&report);
        let row = report::row(self.simulation.time(), &report);
        self.recorder.report(&row).map_err(Failure::run)?;
        let steps = self.simulation.steps();
        if steps.is_multiple_of(self.scene.steps_per_frame()) || steps == self.scene.steps() {
            let held: Vec<usize> = self.simulation.held().iter().map(|held| held.node).collect();
            self.record_frame(held.into_iter())?;
        }
        Ok(())
    }

    fn record_frame(&mut self, held: impl Iterator<Item = usize>) -> Result<(), Failure> {
        let mut is_held = vec![false; self.simulation.positions().len()];
        for node in held {
            is_held[node] = true;
        }
        let (positions, velocities) = (self.simulation.positions(), self.simulation.velocities());
        self.recorder.frame(self.simulation.time(), positions, velocities, &is_held).map_err(Failure::run)
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let checkpoint = Checkpoint {
            scene_name: self.scene.name().to_owned(),
            progress: self.simulation.progress().clone(),
            tally: self.tally.clone(),
        };
        let payload = postcard::to_stdvec(&checkpoint).map_err(Failure::run)?;
        self.recorder.flush(&payload).map_err(Failure::run)
    }

    fn progress_bar(&self, show: bool) -> ProgressBar {
        if !show {
            return ProgressBar::hidden();
        }
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(Some(self.scene.steps()), target);
        let template = "{prefix} [{bar:40}] step {pos}/{len}, {eta} left";
        let style = ProgressStyle::with_template(template);
        bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_prefix(self.scene.name().to_owned())
            .with_position(self.simulation.steps())
    }
}
