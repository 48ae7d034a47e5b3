//! Recordings for other tools: meshes frame by frame, point caches, tables, animated scenes.
//!
//! | format | what is in it | precision |
//! |---|---|---|
//! | [OBJ](write_obj_frames) | the cloth, one file a frame | double, to the last bit |
//! | [PLY](write_ply_frames) | the cloth with velocities, one file a frame | double |
//! | [PC2](write_pc2) | positions of all frames, for a mesh that is there | single |
//! | [CSV](write_csv) | a row for every node and frame | double, to the last bit |
//! | [NPZ](write_npz) | the arrays of the recording in one file | double |
//! | [glTF](write_gltf) | cloth and obstacles, animated | single |
//! | [USD](write_usd) | cloth and obstacles, animated | single |

mod film;
mod frames;
mod gltf;
mod npz;
mod packed;
mod points;
mod usd;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use film::{Film, Prop, box_about};
pub use frames::{write_obj_frames, write_ply_frames};
pub use gltf::write_gltf;
pub use npz::write_npz;
pub use packed::{Caption, Effort, pack};
pub use points::{write_csv, write_pc2};
pub use usd::write_usd;

use crate::FileError;
use crate::file::{draft_of, publish_draft};
use crate::recording::RecordingError;

/// A recording that could not be exported.
#[derive(Debug, Error)]
pub enum ExportError {
    /// A file that could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A recording that could not be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// There is nothing to export.
    #[error("{} has no frames yet: let the run get further", .recording.display())]
    Empty {
        /// The recording.
        recording: PathBuf,
    },
    /// A place that is no number: such a recording is not of taffeta's making.
    #[error("node {node} of frame {frame} of {} is not at a finite place: leave that frame out, or record again", .recording.display())]
    NotFinite {
        /// The recording.
        recording: PathBuf,
        /// The frame, counted from 0.
        frame: usize,
        /// The node, counted from 0.
        node: usize,
    },
    /// Recordings that cannot be compared, and why.
    #[error("{0}")]
    Apart(String),
    /// More than a format can hold.
    #[error("{} would hold {what}, and the format holds {most}: export fewer frames, with --every", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What there is too much of, and how much there is.
        what: String,
        /// How much there may be.
        most: String,
    },
}

/// Told of every frame that is done.
pub type Progress<'a> = &'a mut dyn FnMut();

/// Writes a file at one stroke: it is there when it is whole.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let draft = draft_of(path);
    let mut file = BufWriter::new(File::create(&draft).map_err(FileError::when("create", &draft))?);
    let written = write(&mut file).and_then(|()| Ok(file.flush().map_err(FileError::when("write", &draft))?));
    drop(file);
    match written {
        Ok(()) => Ok(publish_draft(path)?),
        Err(error) => {
            // Nothing half done is left behind; that the draft cannot be removed is not what went wrong.
            let _ = std::fs::remove_file(&draft);
            Err(error)
        }
    }
}

/// Writes a text at one stroke.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_text(path: &Path, text: &str) -> Result<(), ExportError> {
    write_whole(path, |file| file.write_all(text.as_bytes()).map_err(writing(path)))
}

/// Turns an error of writing into one that knows the file.
fn writing(path: &Path) -> impl FnOnce(io::Error) -> ExportError {
    let when = FileError::when("write", path);
    move |error| when(error).into()
}
