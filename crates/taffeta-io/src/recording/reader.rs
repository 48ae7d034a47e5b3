//! Reading a recording.

use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::Value;
use taffeta::GripReading;
use taffeta::mesh::Element;
use taffeta::obstacle::Pose;

use super::RecordingError;
use super::arrays::Counts;
use super::folder::{ELEMENTS, FAILURE, HELD, POSITIONS, REPORT, SCENE, SUMMARY, TIMES, VELOCITIES};
use super::node_forces::NodeForcesReader;
use super::world::WorldReader;
use crate::FileError;
use crate::file::read_text;
use crate::npy::{Dtype, NpyReader};

/// How many reports are read at once to find the values of one field.
const REPORTS_AT_ONCE: usize = 4096;

/// A recording open for reading, with the frames it had when it was opened.
///
/// Frames are read when they are asked for. This can be done from several threads.
#[derive(Debug)]
pub struct Recording {
    dir: PathBuf,
    frames: usize,
    nodes: usize,
    times: Vec<f64>,
    positions: NpyReader,
    velocities: NpyReader,
    held: NpyReader,
    node_forces: Option<NodeForcesReader>,
    world: Option<WorldReader>,
    report: NpyReader,
    report_fields: Vec<String>,
    elements: Vec<Element>,
    scene_toml: String,
    failure: Option<String>,
    summary: Option<Value>,
}

impl Recording {
    /// Opens a recording, be it finished, going on or killed.
    ///
    /// # Errors
    ///
    /// If the folder is no recording, if its files cannot be read, or if they contradict each
    /// other.
    pub fn open(dir: &Path) -> Result<Recording, RecordingError> {
        let missing = |missing| RecordingError::NotARecording { dir: dir.to_path_buf(), missing };
        for name in [ELEMENTS, SCENE, POSITIONS, VELOCITIES, TIMES, HELD, REPORT] {
            if !dir.join(name).is_file() {
                return Err(missing(name));
            }
        }
        let summary = read_summary(&dir.join(SUMMARY))?;
        let scene_toml = read_text(&dir.join(SCENE))?;

        let open = |name| {
            let path = dir.join(name);
            // A finished recording was written to the end: whatever is gone was lost since.
            if summary.is_some() { NpyReader::open(&path) } else { NpyReader::open_cut_short(&path) }
        };
        let positions = open(POSITIONS)?;
        let &[nodes, 3] = positions.trailing_shape() else {
            return Err(misfit(&positions, "it is not of shape (frames, nodes, 3)"));
        };
        demand(&positions, &Dtype::F64, &[nodes, 3])?;
        let velocities = open(VELOCITIES)?;
        demand(&velocities, &Dtype::F64, &[nodes, 3])?;
        let times = open(TIMES)?;
        demand(&times, &Dtype::F64, &[])?;
        let held = open(HELD)?;
        demand(&held, &Dtype::Bool, &[nodes])?;
        let report = open(REPORT)?;
        let Dtype::Record(report_fields) = report.dtype().clone() else {
            return Err(misfit(&report, "it is not made of records"));
        };
        demand(&report, report.dtype(), &[])?;

        let node_forces = NodeForcesReader::open(dir, nodes, open)?;
        let world = WorldReader::open(dir, nodes, open)?;

        let frames = [&positions, &velocities, &times, &held].into_iter().map(NpyReader::rows);
        let frames =
            frames.chain(node_forces.as_ref().map(NodeForcesReader::rows)).chain(world.as_ref().map(WorldReader::rows));
        let frames = frames.fold(usize::MAX, usize::min);
        Ok(Recording {
            dir: dir.to_path_buf(),
            frames,
            nodes,
            times: times.read(0..frames)?,
            positions,
            velocities,
            held,
            node_forces,
            world,
            report,
            report_fields,
            elements: read_elements(&dir.join(ELEMENTS), nodes)?,
            scene_toml,
            failure: read_failure(&dir.join(FAILURE))?,
            summary,
        })
    }

    /// The folder it is in.
    pub fn folder(&self) -> &Path {
        &self.dir
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The number of nodes of the mesh.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The elements of the mesh.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// The times of all frames, in seconds.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The time of a frame, in seconds.
    ///
    /// # Errors
    ///
    /// If there is no such frame.
    pub fn time(&self, frame: usize) -> Result<f64, RecordingError> {
        self.times.get(frame).copied().ok_or_else(|| self.no_such_frame(frame))
    }

    /// The positions of all nodes in a frame, in metres.
    ///
    /// # Errors
    ///
    /// If there is no such frame or it cannot be read.
    pub fn positions(&self, frame: usize) -> Result<Vec<DVec3>, RecordingError> {
        self.vectors(&self.positions, frame)
    }

    /// The velocities of all nodes in a frame, in metres per second.
    ///
    /// # Errors
    ///
    /// If there is no such frame or it cannot be read.
    pub fn velocities(&self, frame: usize) -> Result<Vec<DVec3>, RecordingError> {
        self.vectors(&self.velocities, frame)
    }

    /// Which nodes are controlled in a frame.
    ///
    /// # Errors
    ///
    /// If there is no such frame or it cannot be read.
    pub fn held(&self, frame: usize) -> Result<Vec<bool>, RecordingError> {
        self.check_frame(frame)?;
        Ok(self.held.read(frame..frame + 1)?)
    }

    /// The number of obstacles.
    pub fn obstacles(&self) -> usize {
        self.world.as_ref().map_or(0, |world| world.obstacles)
    }

    /// Where the obstacles are in a frame, in the order of their names.
    ///
    /// # Errors
    ///
    /// If there is no such frame or it cannot be read.
    pub fn obstacle_poses(&self, frame: usize) -> Result<Vec<Pose>, RecordingError> {
        self.check_frame(frame)?;
        Ok(self.world.as_ref().map(|world| world.poses(frame)).transpose()?.unwrap_or_default())
    }

    /// What each gripper feels in a frame, in the order of their names.
    ///
    /// # Errors
    ///
    /// If there is no such frame or it cannot be read.
    pub fn grips(&self, frame: usize) -> Result<Vec<GripReading>, RecordingError> {
        self.check_frame(frame)?;
        Ok(self.world.as_ref().map(|world| world.grips(frame)).transpose()?.unwrap_or_default())
    }

    pub(super) fn counts(&self) -> Counts {
        let grippers = self.world.as_ref().map_or(0, WorldReader::grippers);
        Counts { nodes: self.nodes, obstacles: self.obstacles(), grippers }
    }

    /// The normal force and the force of friction on each node in a frame, in newtons, if there are obstacles.
    ///
    /// # Errors
    ///
    /// If there is no such frame or it cannot be read.
    pub fn contact_forces(&self, frame: usize) -> Result<Option<[Vec<DVec3>; 2]>, RecordingError> {
        let Some(world) = &self.world else { return self.check_frame(frame).map(|()| None) };
        Ok(Some([self.vectors(&world.normal, frame)?, self.vectors(&world.friction, frame)?]))
    }

    /// The force of whoever holds it on each node in a frame, in newtons, if it was recorded.
    ///
    /// # Errors
    ///
    /// If there is no such frame or it cannot be read.
    pub fn held_forces(&self, frame: usize) -> Result<Option<Vec<DVec3>>, RecordingError> {
        self.node_forces.as_ref().map(|node_forces| self.vectors(&node_forces.held_forces, frame)).transpose()
    }

    /// The largest tension of the threads at each node in a frame, in newtons, if it was recorded.
    ///
    /// # Errors
    ///
    /// If there is no such frame or it cannot be read.
    pub fn tensions(&self, frame: usize) -> Result<Option<Vec<f64>>, RecordingError> {
        self.numbers(self.node_forces.as_ref().map(|node_forces| &node_forces.tensions), frame)
    }

    /// How far each node is from touching something in a frame, in metres, if it was recorded: 10⁹ where nothing is near.
    ///
    /// # Errors
    ///
    /// If there is no such frame or it cannot be read.
    pub fn clearances(&self, frame: usize) -> Result<Option<Vec<f64>>, RecordingError> {
        self.numbers(self.node_forces.as_ref().map(|node_forces| &node_forces.clearances), frame)
    }

    /// How long each step took, in seconds, as far as that was recorded.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn step_seconds(&self) -> Result<Vec<f64>, RecordingError> {
        let Some(node_forces) = &self.node_forces else { return Ok(Vec::new()) };
        Ok(node_forces.seconds.read(0..self.reports())?)
    }

    /// The number of reports, one for each step.
    pub fn reports(&self) -> usize {
        self.node_forces.iter().map(|node_forces| node_forces.seconds.rows()).fold(self.report.rows(), usize::min)
    }

    /// The names of the fields of the reports.
    pub fn report_fields(&self) -> &[String] {
        &self.report_fields
    }

    /// The values of one field of the reports, one for each step.
    ///
    /// # Errors
    ///
    /// If there is no such field or it cannot be read.
    pub fn report_field(&self, name: &str) -> Result<Vec<f64>, RecordingError> {
        let fields = self.report_fields.len();
        let column =
            self.report_fields.iter().position(|field| field == name).ok_or_else(|| RecordingError::NoSuchField {
                dir: self.dir.clone(),
                field: name.to_owned(),
                fields: self.report_fields.clone(),
            })?;
        let mut values = Vec::with_capacity(self.reports());
        for start in (0..self.reports()).step_by(REPORTS_AT_ONCE) {
            let end = self.reports().min(start + REPORTS_AT_ONCE);
            let numbers: Vec<f64> = self.report.read(start..end)?;
            values.extend(numbers.iter().skip(column).step_by(fields));
        }
        Ok(values)
    }

    /// Which reports are of steps that ended after one time and by another, in seconds, in a recording that tells when steps end.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn reports_between(&self, after: f64, until: f64) -> Result<Range<usize>, RecordingError> {
        let Some(column) = self.report_fields.iter().position(|field| field == "time_s") else { return Ok(0..0) };
        // The first of all that ended later: times ascend, and a long recording is not read for a short part of it.
        let first_after = |time: f64| {
            let (mut low, mut high) = (0, self.reports());
            while low < high {
                let middle = low.midpoint(high);
                let row: Vec<f64> = self.report.read(middle..middle + 1)?;
                if row[column] <= time { low = middle + 1 } else { high = middle }
            }
            Ok::<usize, RecordingError>(low)
        };
        Ok(first_after(after)?..first_after(until)?)
    }

    /// Some reports: for each field the values of these steps, and how long each of them took, in seconds, if that was recorded.
    ///
    /// # Errors
    ///
    /// If they are not there or cannot be read.
    pub fn reports_of(&self, steps: Range<usize>) -> Result<(Vec<Vec<f64>>, Vec<f64>), RecordingError> {
        let numbers: Vec<f64> = self.report.read(steps.clone())?;
        let fields = self.report_fields.len();
        let column = |k: usize| numbers.iter().skip(k).step_by(fields).copied().collect();
        let seconds = self.node_forces.as_ref().map(|node_forces| node_forces.seconds.read(steps)).transpose()?;
        Ok(((0..fields).map(column).collect(), seconds.unwrap_or_default()))
    }

    /// The scene as it was run.
    pub fn scene_toml(&self) -> &str {
        &self.scene_toml
    }

    /// What stopped the run, if something did.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// What came of the run, if it is finished.
    pub fn summary(&self) -> Option<&Value> {
        self.summary.as_ref()
    }

    fn vectors(&self, array: &NpyReader, frame: usize) -> Result<Vec<DVec3>, RecordingError> {
        self.check_frame(frame)?;
        let numbers: Vec<f64> = array.read(frame..frame + 1)?;
        Ok(numbers.chunks_exact(3).map(DVec3::from_slice).collect())
    }

    fn numbers(&self, array: Option<&NpyReader>, frame: usize) -> Result<Option<Vec<f64>>, RecordingError> {
        self.check_frame(frame)?;
        Ok(array.map(|array| array.read(frame..frame + 1)).transpose()?)
    }

    fn check_frame(&self, frame: usize) -> Result<(), RecordingError> {
        if frame < self.frames { Ok(()) } else { Err(self.no_such_frame(frame)) }
    }

    fn no_such_frame(&self, frame: usize) -> RecordingError {
        RecordingError::NoSuchFrame { dir: self.dir.clone(), frame, frames: self.frames }
    }
}

pub(super) fn misfit(array: &NpyReader, why: &str) -> RecordingError {
    RecordingError::Misfit { path: array.path().to_path_buf(), why: why.to_owned() }
}

/// Refuses an array of another type or shape.
pub(super) fn demand(array: &NpyReader, dtype: &Dtype, trailing: &[usize]) -> Result<(), RecordingError> {
    if array.dtype() != dtype {
        return Err(misfit(array, "its items are of the wrong type"));
    }
    if array.trailing_shape() != trailing {
        let (found, expected) = (array.trailing_shape(), trailing);
        let why = format!("its rows are of shape {found:?} where {expected:?} is expected");
        return Err(misfit(array, &why));
    }
    Ok(())
}

/// What stopped the run; `None` if nothing did.
fn read_failure(path: &Path) -> Result<Option<String>, RecordingError> {
    if !path.is_file() {
        return Ok(None);
    }
    Ok(Some(read_text(path)?.trim_end().to_owned()))
}

fn read_summary(path: &Path) -> Result<Option<Value>, RecordingError> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(FileError::when("read", path))?,
    };
    match serde_json::from_slice(&text) {
        Ok(summary) => Ok(Some(summary)),
        Err(error) => {
            Err(RecordingError::Misfit { path: path.to_path_buf(), why: format!("it is not JSON ({error})") })
        }
    }
}

fn read_elements(path: &Path, nodes: usize) -> Result<Vec<Element>, RecordingError> {
    let array = NpyReader::open(path)?;
    demand(&array, &Dtype::I64, &[4])?;
    let corners: Vec<i64> = array.read(0..array.rows())?;
    let node = |corner: i64| usize::try_from(corner).ok().filter(|&node| node < nodes);
    let element = |corners: &[i64]| match *corners {
        [a, b, c, -1] => Some(Element::Triangle([node(a)?, node(b)?, node(c)?])),
        [a, b, c, d] => Some(Element::Quad([node(a)?, node(b)?, node(c)?, node(d)?])),
        _ => None,
    };
    corners
        .chunks_exact(4)
        .enumerate()
        .map(|(index, corners)| {
            element(corners).ok_or_else(|| {
                let why = format!(
                    "the corners of element {index} are {corners:?}, and the nodes are 0 to {}",
                    nodes.saturating_sub(1)
                );
                misfit(&array, &why)
            })
        })
        .collect()
}
