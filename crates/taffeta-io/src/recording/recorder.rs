//! Writing a recording.

use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::Value;
use taffeta::mesh::Element;

use super::arrays::{Array, Counts, grip_numbers};
use super::checkpoint::Checkpoint;
use super::folder::{ELEMENTS, FAILURE, POSITIONS, REPORT, SCENE, STEP_SECONDS, SUMMARY, make_room, remove};
use super::node_forces::NodeForces;
use super::world::World;
use super::{Recording, RecordingError};
use crate::file::{draft_of, publish_draft, replace};
use crate::npy::{Dtype, NpyError, NpyWriter};

/// Frames are kept in memory up to about this many bytes an array between flushes.
const MOST_PENDING: usize = 4 << 20;

/// What a recording is told of its run beforehand.
#[derive(Debug, Clone, Copy)]
pub struct RecordingHeader<'a> {
    /// The number of nodes of the mesh.
    pub nodes: usize,
    /// The elements of the mesh.
    pub elements: &'a [Element],
    /// The number of obstacles; without any there are no arrays of contact.
    pub obstacles: usize,
    /// The number of grippers, whose fingers are obstacles.
    pub grippers: usize,
    /// The names of the values in each step's report, of ASCII letters, digits and underscores.
    pub report_fields: &'a [&'a str],
    /// The scene as it is run.
    pub scene_toml: &'a str,
    /// Whether to replace an earlier recording in the same folder.
    pub overwrite: bool,
}

impl RecordingHeader<'_> {
    pub(super) fn counts(&self) -> Counts {
        Counts { nodes: self.nodes, obstacles: self.obstacles, grippers: self.grippers }
    }
}

/// The state of the cloth, and of the world, at a time.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The time, s.
    pub time_s: f64,
    /// Where the nodes are, m.
    pub positions: &'a [DVec3],
    /// Their velocities, m/s.
    pub velocities: &'a [DVec3],
    /// Which of them are controlled.
    pub held: &'a [bool],
    /// What acts on them besides contact.
    pub node_forces: NodeForces<'a>,
    /// The obstacles, if the recording has some.
    pub world: Option<World<'a>>,
}

/// A recording being written.
///
/// Nothing is seen by readers, nor survives a kill, until the next [`Recorder::flush`].
#[derive(Debug)]
pub struct Recorder {
    dir: PathBuf,
    counts: Counts,
    report_fields: Vec<String>,
    /// With a row for every frame: times, places, forces.
    frames: Vec<(Array, NpyWriter)>,
    /// Wall time of every step.
    seconds: NpyWriter,
    report: NpyWriter,
}

impl Recorder {
    /// Begins a recording in a folder, which is made if it is not there.
    ///
    /// An earlier recording is replaced if the header says so; files in its folder that are not
    /// part of a recording are left as they are.
    ///
    /// # Errors
    ///
    /// If the folder holds something else, or a recording that is not to be overwritten; if the
    /// mesh has no nodes or its elements have corners beyond them; if the names of the report's
    /// fields are not plain, differing words; if the files cannot be written.
    pub fn create(dir: &Path, header: &RecordingHeader) -> Result<Recorder, RecordingError> {
        let counts = header.counts();
        // All that can be wrong with the header is found before an earlier recording is removed.
        let corners = element_rows(dir, header)?;
        let report = Dtype::record(header.report_fields);
        NpyWriter::check_layout(&dir.join(REPORT), report.clone(), &[])?;
        make_room(dir, header.overwrite)?;
        // The positions come first and the elements last: see `folder` for why.
        let array = |name, dtype, trailing: &[usize]| NpyWriter::create(&dir.join(name), dtype, trailing);
        let frames =
            Array::of(counts).iter().map(|&kind| Ok((kind, array(kind.file(), kind.dtype(), &kind.shape(counts))?)));
        let recorder = Recorder {
            dir: dir.to_path_buf(),
            counts,
            report_fields: header.report_fields.iter().map(|&f| f.to_owned()).collect(),
            frames: frames.collect::<Result<_, NpyError>>()?,
            seconds: array(STEP_SECONDS, Dtype::F64, &[])?,
            report: array(REPORT, report, &[])?,
        };
        replace(&dir.join(SCENE), header.scene_toml.as_bytes())?;
        let elements = dir.join(ELEMENTS);
        let mut draft = NpyWriter::create(&draft_of(&elements), Dtype::I64, &[4])?;
        draft.append(&corners)?;
        draft.flush()?;
        draft.sync()?;
        publish_draft(&elements)?;
        Ok(recorder)
    }

    /// Goes on with an unfinished recording from its last checkpoint; whatever was recorded after
    /// it is dropped. Returns the checkpoint's payload and the text of the scene, too.
    ///
    /// # Errors
    ///
    /// If the recording cannot be read, is finished, or has no sound checkpoint.
    pub fn resume(dir: &Path) -> Result<(Recorder, Vec<u8>, String), RecordingError> {
        let recording = Recording::open(dir)?;
        if recording.summary().is_some() {
            return Err(RecordingError::Finished { dir: dir.to_path_buf() });
        }
        let (checkpoint, payload) = Checkpoint::read(dir)?;
        if let Some(array) = Array::of(recording.counts()).iter().find(|array| !dir.join(array.file()).is_file()) {
            let why = format!("the recording was begun by an earlier version, which wrote no {}", array.file());
            return Err(RecordingError::BadCheckpoint { path: dir.to_path_buf(), why });
        }
        // All arrays are checked before the first is touched.
        for (file, counted, present) in
            [(POSITIONS, checkpoint.frames, recording.frames()), (REPORT, checkpoint.reports, recording.reports())]
        {
            if counted > present {
                return Err(NpyError::CutShort { path: dir.join(file), counted, present }.into());
            }
        }
        // Whatever stopped the run, it goes on now.
        remove(&dir.join(FAILURE))?;
        let array = |name, rows| NpyWriter::reopen(&dir.join(name), rows);
        let frames =
            Array::of(recording.counts()).iter().map(|&kind| Ok((kind, array(kind.file(), checkpoint.frames)?)));
        let recorder = Recorder {
            dir: dir.to_path_buf(),
            counts: recording.counts(),
            report_fields: recording.report_fields().to_vec(),
            frames: frames.collect::<Result<_, NpyError>>()?,
            seconds: array(STEP_SECONDS, checkpoint.reports)?,
            report: array(REPORT, checkpoint.reports)?,
        };
        Ok((recorder, payload, recording.scene_toml().to_owned()))
    }

    /// The frames so far, flushed or not.
    pub fn frames(&self) -> usize {
        self.frames.first().map_or(0, |(_, array)| array.rows())
    }

    /// The reports so far, flushed or not.
    pub fn reports(&self) -> usize {
        self.report.rows()
    }

    /// Adds a frame.
    ///
    /// # Errors
    ///
    /// If a number is not finite, if there are more or fewer values than nodes or obstacles, or if the
    /// files cannot be written; the frame is not added then.
    pub fn frame(&mut self, frame: &Frame) -> Result<(), RecordingError> {
        let &Frame { time_s, positions, velocities, held, node_forces, world } = frame;
        let nodes = self.counts.nodes;
        if !time_s.is_finite() {
            return Err(RecordingError::TimeNotFinite { dir: self.dir.clone(), frame: self.frames(), time_s });
        }
        self.check_length("positions", positions.len(), nodes)?;
        self.check_length("velocities", velocities.len(), nodes)?;
        self.check_length("held marks", held.len(), nodes)?;
        self.check_length("forces of hands", node_forces.held_forces.len(), nodes)?;
        self.check_length("tensions", node_forces.tensions.len(), nodes)?;
        self.check_length("clearances", node_forces.clearances.len(), nodes)?;
        self.check_finite("position", positions)?;
        self.check_finite("velocity", velocities)?;
        self.check_finite("force of a hand", node_forces.held_forces)?;
        self.check_numbers("tension", node_forces.tensions, f64::is_finite)?;
        self.check_numbers("clearance", node_forces.clearances, |x| !x.is_nan() && x > f64::NEG_INFINITY)?;
        self.check_world(world.as_ref())?;
        // Beforehand, so that a frame is added to all arrays or to none.
        for array in self.arrays() {
            if array.pending_bytes() >= MOST_PENDING {
                array.spill()?;
            }
        }
        let mut row = Vec::new();
        for (kind, array) in &mut self.frames {
            row.clear();
            kind.put(frame, &mut row);
            array.append_bytes(&row);
        }
        Ok(())
    }

    fn check_world(&self, world: Option<&World>) -> Result<(), RecordingError> {
        self.check_length("obstacle poses", world.map_or(0, |world| world.poses.len()), self.counts.obstacles)?;
        self.check_length("grippers", world.map_or(0, |world| world.grips.len()), self.counts.grippers)?;
        let Some(world) = world else { return Ok(()) };
        self.check_length("normal forces", world.normal_forces.len(), self.counts.nodes)?;
        self.check_length("friction forces", world.friction_forces.len(), self.counts.nodes)?;
        self.check_finite("normal force", world.normal_forces)?;
        self.check_finite("friction force", world.friction_forces)?;
        if let Some(gripper) = world.grips.iter().position(|grip| grip_numbers(grip).iter().any(|x| !x.is_finite())) {
            return Err(RecordingError::GripNotFinite { dir: self.dir.clone(), frame: self.frames(), gripper });
        }
        match world.poses.iter().position(|pose| !pose.is_finite()) {
            None => Ok(()),
            Some(obstacle) => {
                Err(RecordingError::PoseNotFinite { dir: self.dir.clone(), frame: self.frames(), obstacle })
            }
        }
    }

    /// Adds the report of a step: a value for each of the fields, and how long it took, s.
    ///
    /// # Errors
    ///
    /// If a value is not finite, or if there are more or fewer than fields; the report is not
    /// added then.
    pub fn report(&mut self, row: &[f64], seconds: f64) -> Result<(), RecordingError> {
        self.check_length("report values", row.len(), self.report_fields.len())?;
        for (field, &value) in self.report_fields.iter().zip(row) {
            if !value.is_finite() {
                return Err(RecordingError::ReportNotFinite {
                    dir: self.dir.clone(),
                    step: self.reports(),
                    field: field.clone(),
                    value,
                });
            }
        }
        self.report.append(row)?;
        self.seconds.append(&[if seconds.is_finite() { seconds } else { 0.0 }])?;
        Ok(())
    }

    /// Makes all frames and reports so far visible and safe, with the state to resume from.
    ///
    /// # Errors
    ///
    /// If the files cannot be written. It may be tried again.
    pub fn flush(&mut self, checkpoint: &[u8]) -> Result<(), RecordingError> {
        self.flush_arrays()?;
        let counts = Checkpoint { frames: self.frames(), reports: self.reports() };
        counts.write(&self.dir, checkpoint)?;
        Ok(())
    }

    /// Ends the recording of a run that is finished, with what came of it.
    ///
    /// # Errors
    ///
    /// If the files cannot be written. The recording remains an unfinished one then.
    pub fn finish(mut self, summary: &Value) -> Result<(), RecordingError> {
        self.flush_arrays()?;
        replace(&self.dir.join(SUMMARY), format!("{summary:#}\n").as_bytes())?;
        Ok(())
    }

    /// Notes what stopped a run before its end.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn fail(&self, why: &str) -> Result<(), RecordingError> {
        replace(&self.dir.join(FAILURE), format!("{why}\n").as_bytes())?;
        Ok(())
    }

    fn flush_arrays(&mut self) -> Result<(), RecordingError> {
        for array in self.arrays() {
            array.flush()?;
        }
        for array in self.arrays() {
            array.sync()?;
        }
        Ok(())
    }

    /// The arrays in the order in which they are flushed: the reports first, so that whoever sees
    /// a frame sees the reports of the steps that led to it.
    fn arrays(&mut self) -> impl Iterator<Item = &mut NpyWriter> {
        [&mut self.report, &mut self.seconds].into_iter().chain(self.frames.iter_mut().map(|(_, array)| array))
    }

    fn check_length(&self, what: &'static str, got: usize, expected: usize) -> Result<(), RecordingError> {
        if got == expected {
            return Ok(());
        }
        Err(RecordingError::WrongLength { dir: self.dir.clone(), what, got, expected })
    }

    fn check_numbers(
        &self,
        quantity: &'static str,
        numbers: &[f64],
        sound: impl Fn(f64) -> bool,
    ) -> Result<(), RecordingError> {
        match numbers.iter().position(|&number| !sound(number)) {
            None => Ok(()),
            Some(node) => Err(self.not_finite(quantity, node, numbers[node].to_string())),
        }
    }

    fn check_finite(&self, quantity: &'static str, vectors: &[DVec3]) -> Result<(), RecordingError> {
        match vectors.iter().position(|vector| !vector.is_finite()) {
            None => Ok(()),
            Some(node) => Err(self.not_finite(quantity, node, vectors[node].to_string())),
        }
    }

    fn not_finite(&self, quantity: &'static str, node: usize, value: String) -> RecordingError {
        RecordingError::NodeNotFinite { dir: self.dir.clone(), frame: self.frames(), node, quantity, value }
    }
}

/// The elements as they are stored, if there are nodes and all corners are among them.
pub(super) fn element_rows(dir: &Path, header: &RecordingHeader) -> Result<Vec<i64>, RecordingError> {
    let refuse = |why| RecordingError::Mesh { dir: dir.to_path_buf(), why };
    if header.nodes == 0 {
        return Err(refuse("the mesh has no nodes; give it some".to_owned()));
    }
    let mut rows = Vec::with_capacity(4 * header.elements.len());
    for (index, element) in header.elements.iter().enumerate() {
        let corners = element.nodes();
        for &corner in corners {
            match i64::try_from(corner) {
                Ok(stored) if corner < header.nodes => rows.push(stored),
                _ => {
                    return Err(refuse(format!(
                        "element {index} has the corner {corner}, and the mesh has {} nodes; corners count from 0",
                        header.nodes
                    )));
                }
            }
        }
        if corners.len() == 3 {
            rows.push(-1);
        }
    }
    Ok(rows)
}
