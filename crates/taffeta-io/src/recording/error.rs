//! What can go wrong with a recording.

use std::path::PathBuf;

use thiserror::Error;

use crate::FileError;
use crate::npy::NpyError;

/// What can go wrong with a recording.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// The operating system refused something.
    #[error(transparent)]
    File(#[from] FileError),

    /// One of the arrays cannot be read or written.
    #[error(transparent)]
    Array(#[from] NpyError),

    /// The folder to record into holds something else.
    #[error(
        "{} is not empty and not a recording (it holds {entry:?}): record into a new or empty folder",
        .dir.display()
    )]
    Occupied {
        /// The folder.
        dir: PathBuf,
        /// Something in it.
        entry: String,
    },

    /// The folder to record into holds an earlier recording.
    #[error(
        "{} already holds a recording: choose another folder, or allow this one to be overwritten",
        .dir.display()
    )]
    Exists {
        /// The folder.
        dir: PathBuf,
    },

    /// Nothing can be recorded of such a mesh.
    #[error("cannot record into {}: {why}", .dir.display())]
    Mesh {
        /// The folder.
        dir: PathBuf,
        /// What is wrong with the mesh.
        why: String,
    },

    /// A frame or report does not have the size that the recording was created with.
    #[error(
        "cannot add to the recording {}: {got} {what} were given where it has {expected}; give it as many as it was created with",
        .dir.display()
    )]
    WrongLength {
        /// The recording.
        dir: PathBuf,
        /// What the numbers are.
        what: &'static str,
        /// How many were given.
        got: usize,
        /// How many belong there.
        expected: usize,
    },

    /// The state of a node is not a number.
    #[error(
        "the {quantity} of node {node} in frame {frame} is {value}: the run has diverged, and this frame was not added to {}; try a smaller time step",
        .dir.display()
    )]
    NodeNotFinite {
        /// The recording.
        dir: PathBuf,
        /// The frame, counted from 0.
        frame: usize,
        /// The first node concerned, counted from 0.
        node: usize,
        /// Whether it is the position, the velocity or a force.
        quantity: &'static str,
        /// The value.
        value: String,
    },

    /// The time of a frame is not a number.
    #[error(
        "the time of frame {frame} is {time_s} s: this frame was not added to {}; give frames finite times",
        .dir.display()
    )]
    TimeNotFinite {
        /// The recording.
        dir: PathBuf,
        /// The frame, counted from 0.
        frame: usize,
        /// The time.
        time_s: f64,
    },

    /// The pose of an obstacle is not made of numbers.
    #[error(
        "the pose of obstacle {obstacle} in frame {frame} is not finite: this frame was not added to {}; give poses finite numbers",
        .dir.display()
    )]
    PoseNotFinite {
        /// The recording.
        dir: PathBuf,
        /// The frame, counted from 0.
        frame: usize,
        /// The obstacle, counted from 0.
        obstacle: usize,
    },

    /// What a gripper feels is not made of numbers.
    #[error(
        "what gripper {gripper} feels in frame {frame} is not finite: this frame was not added to {}; give readings finite numbers",
        .dir.display()
    )]
    GripNotFinite {
        /// The recording.
        dir: PathBuf,
        /// The frame, counted from 0.
        frame: usize,
        /// The gripper, counted from 0.
        gripper: usize,
    },

    /// A value in a step's report is not a number.
    #[error(
        "the field {field:?} of the report of step {step} is {value}: this report was not added to {}; give reports finite values",
        .dir.display()
    )]
    ReportNotFinite {
        /// The recording.
        dir: PathBuf,
        /// The step, counted from 0.
        step: usize,
        /// The name of the field.
        field: String,
        /// The value.
        value: f64,
    },

    /// The folder is no recording, or one whose run was killed before it had begun.
    #[error(
        "{} is not a recording (it has no {missing}): check the path; if a run was killed there as it began, start it again",
        .dir.display()
    )]
    NotARecording {
        /// The folder.
        dir: PathBuf,
        /// A file that every recording has.
        missing: &'static str,
    },

    /// One of the files is sound in itself but does not belong with the others.
    #[error("{} does not fit the recording it lies in: {why}; copy the recording again", .path.display())]
    Misfit {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },

    /// The run was killed before its first flush.
    #[error(
        "{} cannot be resumed: its run was killed before the first checkpoint; start it again",
        .dir.display()
    )]
    NoCheckpoint {
        /// The recording.
        dir: PathBuf,
    },

    /// The checkpoint is damaged or of another version.
    #[error("cannot resume from {}: {why}; or start the run again", .path.display())]
    BadCheckpoint {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },

    /// The run to be resumed has ended.
    #[error("{} is finished: there is nothing to resume", .dir.display())]
    Finished {
        /// The recording.
        dir: PathBuf,
    },

    /// More than an archive can hold.
    #[error("the recording of {folder} is too large for one file: begin again, or record natively with taffeta run")]
    TooLarge {
        /// What the folder was to be called.
        folder: String,
    },

    /// A frame was asked for that is not there.
    #[error("{} has {frames} frames: there is no frame {frame}, counted from 0", .dir.display())]
    NoSuchFrame {
        /// The recording.
        dir: PathBuf,
        /// The frame asked for.
        frame: usize,
        /// How many there are.
        frames: usize,
    },

    /// A field was asked for that the reports do not have.
    #[error("the reports of {} have no field {field:?}, only {}", .dir.display(), .fields.join(", "))]
    NoSuchField {
        /// The recording.
        dir: PathBuf,
        /// The field asked for.
        field: String,
        /// The fields there are.
        fields: Vec<String>,
    },
}
