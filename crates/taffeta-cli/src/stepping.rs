//! A run: stepping, recording, and stopping at any moment without loss.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::{Deserialize, Serialize};
use taffeta::collide::self_intersections;
use taffeta::obstacle::Obstacle;
use taffeta::{Cores, Progress, Simulation, StepError, Timings};
use taffeta_io::recording::{Recorder, RecordingHeader, Snapshot, report};
use taffeta_io::scene::Scene;

use crate::analytic::{Law, Sighting};
use crate::failure::Failure;
use crate::strict::Limits;
use crate::summary::{Summary, Tally, Verdict};
use crate::timings::{by_name, clock};

/// Wall time between flushes: to make a recording safe takes longer than a step.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

/// The number of the format of checkpoints: another one whenever [`Checkpoint`] changes, or what it is made of.
const FORMAT: u32 = 2;

/// All that a run is resumed from, besides its scene.
#[derive(Serialize, Deserialize)]
struct Checkpoint {
    scene_name: String,
    progress: Progress,
    tally: Tally,
    sighting: Sighting,
}

impl Checkpoint {
    /// The checkpoint, its format in front.
    fn to_payload(&self) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_extend(self, FORMAT.to_le_bytes().to_vec())
    }

    /// Reads what [`to_payload`](Self::to_payload) made, or says what is wrong with it and what to do.
    fn from_payload(payload: &[u8]) -> Result<Self, String> {
        let damaged = || "is damaged: start the run again".to_owned();
        let (format, rest) = payload.split_first_chunk().ok_or_else(damaged)?;
        let format = u32::from_le_bytes(*format);
        if format != FORMAT {
            return Err(format!(
                "is of format {format}, and this version of taffeta reads format {FORMAT}: resume the run with the version \
                 that began it, or start it again"
            ));
        }
        let checkpoint: Self = postcard::from_bytes(rest).map_err(|_| damaged())?;
        // What is counted with must have room to count on.
        if checkpoint.tally.is_of(checkpoint.progress.steps) { Ok(checkpoint) } else { Err(damaged()) }
    }
}

/// A run that is being recorded.
pub struct Run {
    scene: Scene,
    simulation: Simulation,
    recorder: Recorder,
    tally: Tally,
    law: Option<Law>,
    sighting: Sighting,
    /// What every step must keep to, if the run is strict.
    limits: Option<Limits>,
    /// Where the time of the steps went, if that is measured: of a resumed run, since it was resumed.
    timings: Option<Timings>,
    folder: PathBuf,
}

/// Refuses a scene with an invalid initial state.
pub fn check_start(simulation: &mut Simulation) -> Result<(), Failure> {
    simulation.check_start().map_err(|error| {
        let named = with_names(&error, &simulation.obstacles);
        Failure::input(anyhow::anyhow!("{named}"))
    })
}

/// What an error says, with the names of the obstacles that it knows by their numbers.
fn with_names(error: &StepError, obstacles: &[Obstacle]) -> String {
    let name = |&k: &usize| Some(format!("obstacle {k} is {:?}", obstacles.get(k)?.name));
    let names: Vec<String> = error.obstacles().iter().filter_map(name).collect();
    if names.is_empty() { error.to_string() } else { format!("{error} ({})", names.join(", ")) }
}

impl Run {
    /// Begins a run and its recording. Nothing is written if the scene is at fault.
    pub fn begin(scene: Scene, folder: &Path, overwrite: bool) -> Result<Self, Failure> {
        let mut simulation = scene.build()?;
        simulation.set_cores(Cores::All);
        check_start(&mut simulation)?;
        let held = scene.held_at_start(&simulation)?;
        let mesh = simulation.model().cloth().mesh();
        let header = RecordingHeader {
            nodes: mesh.node_count(),
            elements: mesh.elements(),
            obstacles: simulation.obstacles.len(),
            grippers: simulation.grippers().len(),
            report_fields: &report::FIELDS,
            scene_toml: &scene.to_toml()?,
            overwrite,
        };
        let recorder = Recorder::create(folder, &header).map_err(Failure::recording)?;
        let law = Law::of(&scene, &simulation);
        let mut run = Self {
            scene,
            simulation,
            recorder,
            tally: Tally::default(),
            law,
            sighting: Sighting::default(),
            limits: None,
            timings: None,
            folder: folder.to_path_buf(),
        };
        run.record_frame(held.into_iter())?;
        // From now on the run can be resumed.
        run.flush()?;
        Ok(run)
    }

    /// Goes on with a run from the last checkpoint of its recording.
    pub fn resume(folder: &Path) -> Result<Self, Failure> {
        let (recorder, payload, scene_toml) = Recorder::resume(folder).map_err(Failure::recording)?;
        let checkpoint = Checkpoint::from_payload(&payload)
            .map_err(|why| Failure::input(anyhow::anyhow!("the checkpoint of {} {why}", folder.display())))?;
        let file = folder.join("scene.toml");
        let scene = Scene::from_text(&checkpoint.scene_name, &scene_toml, Some(&file))?;
        let mut simulation = scene.build()?;
        simulation.set_cores(Cores::All);
        simulation.restore(checkpoint.progress).map_err(|error| {
            Failure::input(anyhow::anyhow!(
                "{} does not continue the scene in {}: {error}",
                folder.display(),
                file.display()
            ))
        })?;
        Ok(Self {
            law: Law::of(&scene, &simulation),
            scene,
            simulation,
            recorder,
            tally: checkpoint.tally,
            sighting: checkpoint.sighting,
            limits: None,
            timings: None,
            folder: folder.to_path_buf(),
        })
    }

    /// From now on stops before a step that leaves its tolerances.
    pub fn be_strict(&mut self) {
        self.limits = Some(Limits::new(&self.simulation.params.solver, self.simulation.model().cloth().mesh()));
    }

    /// From now on measures where the time of the steps goes.
    pub fn measure_timings(&mut self) {
        self.simulation.set_clock(Some(clock));
        self.timings = Some(Timings::default());
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
        let verdict = self.law.as_ref().map(|law| Verdict::new(law.analytic, self.sighting.measured()));
        let mut summary = Summary::new(&self.scene, &self.simulation, &self.tally, verdict, &recording);
        summary.timings_s = self.timings.as_ref().map(by_name);
        let object = serde_json::to_value(&summary).map_err(Failure::run)?;
        self.recorder.finish(&object).map_err(Failure::run)?;
        Ok(summary)
    }

    fn step(&mut self) -> Result<(), Failure> {
        let before = self.limits.map(|_| self.simulation.progress().clone());
        let start = Instant::now();
        let outcome = self.simulation.step();
        let seconds = start.elapsed().as_secs_f64();
        self.tally.wall_s += seconds;
        let report = match outcome {
            Ok(report) => report,
            Err(error) => {
                let said = with_names(&error, &self.simulation.obstacles);
                return Err(self.failed(self.simulation.steps() + 1, &format!("failed: {said}")));
            }
        };
        if let (Some(limits), Some(before)) = (self.limits, before)
            && let Some(breach) = limits.breach(&report)
        {
            let step = self.simulation.steps();
            self.simulation.restore(before).map_err(Failure::run)?;
            return Err(self.failed(step, &format!("left its tolerances: {breach}")));
        }
        self.tally.add(&report, &self.simulation.grip_readings());
        if let Some(timings) = &mut self.timings {
            *timings += report.timings;
        }
        if let Some(law) = &self.law {
            law.look(&self.simulation, &mut self.sighting);
        }
        let row = report::row(self.simulation.time(), &report);
        self.recorder.report(&row, seconds).map_err(Failure::run)?;
        let steps = self.simulation.steps();
        if steps.is_multiple_of(self.scene.steps_per_frame()) || steps == self.scene.steps() {
            let held: Vec<usize> = self.simulation.held().iter().map(|held| held.node).collect();
            self.record_frame(held.into_iter())?;
        }
        Ok(())
    }

    /// Saves what led to a step that went wrong, and says so.
    fn failed(&mut self, step: u64, what: &str) -> Failure {
        if let Err(failure) = self.flush() {
            return failure;
        }
        let (steps, folder) = (self.scene.steps(), self.folder.display());
        let what = format!("step {step} of {steps} {what}");
        if let Err(error) = self.recorder.fail(&what) {
            return Failure::recording(error);
        }
        Failure::run(anyhow::anyhow!(
            "{what}\nwhat led there is recorded in {folder}; look at it with: taffeta render {folder} --png last.png"
        ))
    }

    fn record_frame(&mut self, held: impl Iterator<Item = usize>) -> Result<(), Failure> {
        let simulation = &self.simulation;
        let surface = simulation.model().cloth().surface();
        let met = self_intersections(simulation.positions(), surface).len() as u64;
        self.tally.self_intersections += met;
        self.recorder.frame(&Snapshot::new(simulation, held).frame()).map_err(Failure::run)?;
        if self.limits.is_some() && met > 0 {
            let step = self.simulation.steps();
            return Err(self.failed(step, &format!("passes through itself: {met} edges meet a triangle")));
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let checkpoint = Checkpoint {
            scene_name: self.scene.name().to_owned(),
            progress: self.simulation.progress().clone(),
            tally: self.tally.clone(),
            sighting: self.sighting,
        };
        let payload = checkpoint.to_payload().map_err(Failure::run)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let grid =
            "duration_s = 1\ndt_s = 0.01\n[cloth.grid]\nnodes = [2, 2]\nsize_m = [1, 1]\n[held.corner]\nnodes = [0]";
        let scene = Scene::from_text("sheet", grid, None).expect("a scene");
        let progress = scene.build().expect("a simulation").progress().clone();
        let (tally, sighting) = (Tally::default(), Sighting::default());
        Checkpoint { scene_name: "sheet".into(), progress, tally, sighting }
    }

    #[test]
    fn a_checkpoint_is_read_as_it_was_written() {
        let payload = checkpoint().to_payload().expect("a payload");
        let read = Checkpoint::from_payload(&payload).expect("a checkpoint");
        assert_eq!(read.to_payload().expect("a payload"), payload);
    }

    #[test]
    fn another_format_is_refused_by_its_number() {
        let mut payload = checkpoint().to_payload().expect("a payload");
        payload[0] = 9;
        let said = Checkpoint::from_payload(&payload).err().expect("format 9");
        assert!(said.contains("format 9") && said.contains("reads format 2"), "{said}");
    }

    #[test]
    fn counts_that_are_not_of_the_run_are_refused() {
        let mut checkpoint = checkpoint();
        checkpoint.progress.steps = 3;
        let said = Checkpoint::from_payload(&checkpoint.to_payload().expect("a payload")).err().expect("no step");
        assert!(said.contains("damaged"), "{said}");
    }

    #[test]
    fn no_damage_makes_it_panic() {
        let sound = checkpoint().to_payload().expect("a payload");
        for (place, bits) in (0..sound.len()).flat_map(|place| [0x01, 0x80, 0xff].map(|bits| (place, bits))) {
            let mut damaged = sound.clone();
            damaged[place] ^= bits;
            if let Ok(mut read) = Checkpoint::from_payload(&damaged) {
                read.tally.add(&taffeta::StepReport::default(), &[]);
            }
            assert!(Checkpoint::from_payload(&sound[..place]).is_err(), "{place} bytes of {}", sound.len());
        }
    }
}
