//! One file a frame: OBJ and PLY.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::{ExportError, Film, Progress, write_whole, writing};
use crate::FileError;
use crate::obj::{ObjError, write_obj};

/// The file of a frame in a folder: `frame_00042.obj` for the frame that is number 42 in the recording.
fn file_name(frame: usize, extension: &str) -> String {
    format!("frame_{frame:05}.{extension}")
}

/// Writes an OBJ file for every frame into a folder, which is made if it is not there.
///
/// # Errors
///
/// If the recording cannot be read or a file cannot be written.
pub fn write_obj_frames(film: &Film, folder: &Path, progress: Progress) -> Result<(), ExportError> {
    fs::create_dir_all(folder).map_err(FileError::when("create", folder))?;
    for &frame in film.frames() {
        let path = folder.join(file_name(frame, "obj"));
        write_obj(&path, &film.positions(frame)?, film.elements()).map_err(|error| match error {
            ObjError::File(error) => ExportError::from(error),
            // A recording holds finite positions, and corners that are nodes.
            other => ExportError::File(FileError::when("write", &path)(std::io::Error::other(other.to_string()))),
        })?;
        progress();
    }
    Ok(())
}

/// Writes a binary PLY file for every frame into a folder, which is made if it is not there: vertices with their velocities, m/s,
/// and faces.
///
/// # Errors
///
/// If the recording cannot be read or a file cannot be written.
pub fn write_ply_frames(film: &Film, folder: &Path, progress: Progress) -> Result<(), ExportError> {
    fs::create_dir_all(folder).map_err(FileError::when("create", folder))?;
    let mut faces = Vec::new();
    for element in film.elements() {
        let corners = element.nodes();
        faces.push(corners.len() as u8);
        corners.iter().for_each(|&node| faces.extend_from_slice(&(node as i32).to_le_bytes()));
    }
    for (&frame, &time) in film.frames().iter().zip(film.times()) {
        let path = folder.join(file_name(frame, "ply"));
        let (positions, velocities) = (film.positions(frame)?, film.recording().velocities(frame)?);
        let header = format!(
            "ply\nformat binary_little_endian 1.0\ncomment time_s {time}\nelement vertex {}\nproperty double x\nproperty double y\n\
             property double z\nproperty double vx\nproperty double vy\nproperty double vz\nelement face {}\n\
             property list uchar int vertex_indices\nend_header\n",
            positions.len(),
            film.elements().len()
        );
        write_whole(&path, |file| {
            file.write_all(header.as_bytes()).map_err(writing(&path))?;
            for (x, v) in positions.iter().zip(&velocities) {
                for number in x.to_array().into_iter().chain(v.to_array()) {
                    file.write_all(&number.to_le_bytes()).map_err(writing(&path))?;
                }
            }
            file.write_all(&faces).map_err(writing(&path))
        })?;
        progress();
    }
    Ok(())
}
