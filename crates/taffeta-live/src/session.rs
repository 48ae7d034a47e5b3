//! A scene being run by hand.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use taffeta::{DVec3, Simulation, StepError, StepReport};
use taffeta_io::recording::{MemoryRecording, RecordingError, RecordingHeader, Snapshot, report};
use taffeta_io::scene::{Scene, SceneError};
use thiserror::Error;

use crate::description::Description;
use crate::hand::Hand;
use crate::knob::Knob;

/// Bytes of a recording after which no more is recorded.
const MOST_RECORDED: usize = 400 << 20;

/// What can go wrong with a live simulation.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The scene is at fault.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A step could not be taken.
    #[error(transparent)]
    Step(#[from] StepError),
    /// What was done cannot be saved.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A knob that there is not, or that does not go so far.
    #[error("{name} cannot be {value}")]
    Knob {
        /// Its name.
        name: String,
        /// Where it was to be turned.
        value: f64,
    },
}

/// A simulation, the hand that pulls at it, and a recording of what came of that.
pub struct Session {
    scene: Scene,
    simulation: Simulation,
    hand: Option<Hand>,
    pins: BTreeSet<usize>,
    /// The knobs that were turned, and where.
    turned: BTreeMap<&'static str, (Knob, f64)>,
    recording: MemoryRecording,
    /// Steps that are recorded, and the time by then, s.
    recorded: (u64, f64),
    last: Option<StepReport>,
    /// The time now, s: there is no clock that all machines have.
    clock: fn() -> f64,
    /// How long the last step took, s.
    seconds: f64,
}

impl Session {
    /// Runs a scene, given as its text and those of the files that it refers to.
    ///
    /// # Errors
    ///
    /// If the scene cannot be built, or its initial state is invalid.
    pub fn new(name: &str, toml: &str, files: BTreeMap<String, String>, clock: fn() -> f64) -> Result<Self, LiveError> {
        let scene = Scene::with_files(name, toml, files)?;
        let mut simulation = scene.build()?;
        simulation.check_start()?;
        let recording = new_recording(&scene, &simulation)?;
        let (hand, pins, turned) = (None, BTreeSet::new(), BTreeMap::new());
        let mut session = Self {
            scene,
            simulation,
            hand,
            pins,
            turned,
            recording,
            recorded: (0, 0.0),
            last: None,
            clock,
            seconds: 0.0,
        };
        session.record_start()?;
        Ok(session)
    }

    /// What a page is told once.
    pub fn description(&self) -> Description {
        Description::new(&self.scene, &self.simulation)
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// How the last step went; `None` before the first.
    pub fn last_report(&self) -> Option<&StepReport> {
        self.last.as_ref()
    }

    /// How long the last step took, s.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Takes a step. A hand lets go where it is in the way of one.
    ///
    /// # Errors
    ///
    /// If the step cannot be taken.
    pub fn step(&mut self) -> Result<(), LiveError> {
        let begun = (self.clock)();
        let report = match self.hand {
            None => self.simulation.step()?,
            Some(hand) => self.step_in_hand(hand)?,
        };
        self.seconds = ((self.clock)() - begun).max(0.0);
        self.last = Some(report);
        if !self.is_full() {
            self.recorded = (self.simulation.steps(), self.simulation.time());
            self.recording.report(&report::row(self.simulation.time(), &report), self.seconds);
            if self.simulation.steps().is_multiple_of(self.scene.steps_per_frame()) {
                self.recording.frame(&Snapshot::after_step(&self.simulation).frame());
            }
        }
        Ok(())
    }

    fn step_in_hand(&mut self, mut hand: Hand) -> Result<StepReport, LiveError> {
        hand.follow(self.simulation.dt());
        self.simulation.hold_with(Hand::grip(self.mass()), hand.node, hand.at);
        self.hand = Some(hand);
        let outcome = self.simulation.step();
        if outcome.is_err() {
            self.release();
            return Ok(self.simulation.step()?);
        }
        Ok(outcome?)
    }

    /// Mass of the cloth, kg.
    fn mass(&self) -> f64 {
        let areas = self.simulation.model().cloth().node_areas();
        areas.iter().sum::<f64>() * self.simulation.params.material.density
    }

    /// Whether the recording is as large as it may be: what follows is not saved.
    pub fn is_full(&self) -> bool {
        self.recording.size() >= MOST_RECORDED
    }

    /// Grabs a node; false if there is none of this number.
    pub fn grab(&mut self, node: usize) -> bool {
        let Some(&at) = self.simulation.positions().get(node) else { return false };
        self.release();
        self.hand = Some(Hand { node, at, pointer: at });
        true
    }

    /// Moves the pointer that the hand follows, m; not to where there is no number for.
    pub fn point(&mut self, pointer: DVec3) {
        if let Some(hand) = self.hand.as_mut().filter(|_| pointer.is_finite()) {
            hand.pointer = pointer;
        }
    }

    /// Opens the hand. A node that is pinned, or that the scene holds, stays where it was put.
    pub fn release(&mut self) {
        let Some(Hand { node, .. }) = self.hand.take() else { return };
        if self.pins.contains(&node) || self.simulation.is_grasped(node) {
            self.pins.insert(node);
            self.simulation.hold_exactly(node, self.simulation.positions()[node]);
        } else {
            self.simulation.open_hand(node);
        }
    }

    /// The node in the hand.
    pub fn grabbed(&self) -> Option<usize> {
        self.hand.map(|hand| hand.node)
    }

    /// Pins a node where it is, or frees it, whoever holds it; whether it is pinned then.
    pub fn toggle_pin(&mut self, node: usize) -> bool {
        let Some(&at) = self.simulation.positions().get(node) else { return false };
        if self.pins.remove(&node) || self.simulation.is_grasped(node) {
            self.simulation.let_go(node);
            return false;
        }
        self.pins.insert(node);
        self.simulation.hold_exactly(node, at);
        true
    }

    /// Turns a knob.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or it cannot be turned so far.
    pub fn turn(&mut self, name: &str, value: f64) -> Result<(), LiveError> {
        let refused = || LiveError::Knob { name: name.to_owned(), value };
        let &(knob, name) = crate::KNOBS.iter().find(|(_, known)| *known == name).ok_or_else(refused)?;
        if !knob.turn(&mut self.simulation, value) {
            return Err(refused());
        }
        self.turned.insert(name, (knob, value));
        Ok(())
    }

    /// Begins again, knobs where they are; what was recorded is forgotten.
    ///
    /// # Errors
    ///
    /// If the scene cannot be built any more.
    pub fn reset(&mut self) -> Result<(), LiveError> {
        self.simulation = self.scene.build()?;
        for (knob, value) in self.turned.values() {
            knob.turn(&mut self.simulation, *value);
        }
        (self.hand, self.last, self.recorded) = (None, None, (0, 0.0));
        self.pins.clear();
        self.recording = new_recording(&self.scene, &self.simulation)?;
        self.record_start()
    }

    fn record_start(&mut self) -> Result<(), LiveError> {
        let held = self.scene.held_at_start(&self.simulation)?;
        self.recording.frame(&Snapshot::new(&self.simulation, held).frame());
        Ok(())
    }

    /// What was done, as a recording: its folder in a ZIP archive.
    ///
    /// # Errors
    ///
    /// If it is too large.
    pub fn save(&self) -> Result<Vec<u8>, LiveError> {
        let knobs: BTreeMap<&str, f64> = self.turned.iter().map(|(name, (_, value))| (*name, *value)).collect();
        let summary = json!({
            "scene": self.scene.name(),
            "steps": self.recorded.0,
            "simulated_s": self.recorded.1,
            "by_hand": true,
            "knobs": knobs,
        });
        Ok(self.recording.to_zip(self.scene.name(), &summary)?)
    }
}

fn new_recording(scene: &Scene, simulation: &Simulation) -> Result<MemoryRecording, LiveError> {
    let mesh = simulation.model().cloth().mesh();
    Ok(MemoryRecording::new(&RecordingHeader {
        nodes: mesh.node_count(),
        elements: mesh.elements(),
        obstacles: simulation.obstacles.len(),
        grippers: simulation.grippers().len(),
        report_fields: &report::FIELDS,
        scene_toml: &scene.to_toml()?,
        overwrite: false,
    })?)
}
