//! The arrays of a recording in one file that `numpy.load` opens: a ZIP archive of `.npy` files, uncompressed.

use std::path::Path;

use super::{ExportError, Film, Progress, write_whole, writing};
use crate::npy::{Dtype, header_bytes};
use crate::recording::RecordingError;
use crate::zip::Archive;

/// Writes `positions`, `velocities` (frames × nodes × 3), `times` (frames), `held` (frames × nodes) and `elements` (elements × 4, −1
/// for the fourth of a triangle) into an NPZ file.
///
/// # Errors
///
/// If the recording cannot be read, the file cannot be written, or it would be larger than 4 GiB.
pub fn write_npz(film: &Film, path: &Path, progress: Progress) -> Result<(), ExportError> {
    let (frames, nodes) = (film.frames().len(), film.recording().nodes());
    // Two arrays of doubles, one of bytes, and little else.
    let size = (frames as u64) * (nodes as u64) * 49 + 32 * film.elements().len() as u64;
    if size > Archive::<Vec<u8>>::MOST - (1 << 20) {
        let what = format!("{:.1} GiB", size as f64 / f64::from(1 << 30));
        return Err(ExportError::TooLarge { path: path.to_path_buf(), what, most: "4 GiB".to_owned() });
    }
    let recording = film.recording();
    let header = |dtype, rows, trailing: &[usize]| {
        header_bytes(path, dtype, rows, trailing).map_err(|error| ExportError::from(RecordingError::from(error)))
    };
    let vectors = |of: &dyn Fn(usize) -> Result<Vec<glam::DVec3>, ExportError>| {
        let mut bytes = header(Dtype::F64, frames, &[nodes, 3])?;
        for &frame in film.frames() {
            of(frame)?.iter().flat_map(|v| v.to_array()).for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        }
        Ok::<_, ExportError>(bytes)
    };
    write_whole(path, |file| {
        let mut archive = Archive::new(file);
        let mut add = |name, contents: &[u8]| archive.add(name, contents).map_err(writing(path));
        add("positions.npy", &vectors(&|frame| film.positions(frame))?)?;
        add("velocities.npy", &vectors(&|frame| Ok(recording.velocities(frame)?))?)?;
        let mut times = header(Dtype::F64, frames, &[])?;
        film.times().iter().for_each(|time| times.extend_from_slice(&time.to_le_bytes()));
        add("times.npy", &times)?;
        let mut held = header(Dtype::Bool, frames, &[nodes])?;
        for &frame in film.frames() {
            held.extend(recording.held(frame)?.into_iter().map(u8::from));
            progress();
        }
        add("held.npy", &held)?;
        let count = film.elements().len();
        let mut elements = header(Dtype::I64, count, &[4])?;
        for element in film.elements() {
            let corners = element.nodes().iter().map(|&node| node as i64).chain([-1]);
            corners.take(4).for_each(|corner| elements.extend_from_slice(&corner.to_le_bytes()));
        }
        add("elements.npy", &elements)?;
        archive.finish().map_err(writing(path))?;
        Ok(())
    })
}
