//! The arrays of a recording in one file that `numpy.load` opens: a ZIP archive of `.npy` files, uncompressed.

use std::io::Write;
use std::path::Path;

use super::{ExportError, Film, Progress, write_whole, writing};
use crate::npy::{Dtype, header_bytes};
use crate::recording::RecordingError;

/// Sizes and offsets of a plain ZIP archive are four bytes.
const MOST: u64 = u32::MAX as u64;

/// 1 January 1980, where the time of a file begins in a ZIP archive: archives of the same recording are the same.
const NO_DATE: [u8; 4] = [0, 0, 0x21, 0];

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
    if size > MOST - (1 << 20) {
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
        let mut archive = Archive { file, path, entries: Vec::new(), offset: 0 };
        archive.add("positions.npy", &vectors(&|frame| film.positions(frame))?)?;
        archive.add("velocities.npy", &vectors(&|frame| Ok(recording.velocities(frame)?))?)?;
        let mut times = header(Dtype::F64, frames, &[])?;
        film.times().iter().for_each(|time| times.extend_from_slice(&time.to_le_bytes()));
        archive.add("times.npy", &times)?;
        let mut held = header(Dtype::Bool, frames, &[nodes])?;
        for &frame in film.frames() {
            held.extend(recording.held(frame)?.into_iter().map(u8::from));
            progress();
        }
        archive.add("held.npy", &held)?;
        let count = film.elements().len();
        let mut elements = header(Dtype::I64, count, &[4])?;
        for element in film.elements() {
            let corners = element.nodes().iter().map(|&node| node as i64).chain([-1]);
            corners.take(4).for_each(|corner| elements.extend_from_slice(&corner.to_le_bytes()));
        }
        archive.add("elements.npy", &elements)?;
        archive.finish()
    })
}

/// A ZIP archive being written, its files as they are.
struct Archive<'a, W> {
    file: &'a mut W,
    path: &'a Path,
    entries: Vec<Entry>,
    offset: u32,
}

/// A file in the archive.
struct Entry {
    name: &'static str,
    /// What both headers of the file say of it.
    common: Vec<u8>,
    offset: u32,
}

impl<W: Write> Archive<'_, W> {
    fn put(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.file.write_all(bytes).map_err(writing(self.path))?;
        self.offset += bytes.len() as u32;
        Ok(())
    }

    fn add(&mut self, name: &'static str, contents: &[u8]) -> Result<(), ExportError> {
        let mut common = Vec::new();
        // Version 2.0, no flags, stored.
        [20u16, 0, 0].iter().for_each(|number| common.extend_from_slice(&number.to_le_bytes()));
        common.extend_from_slice(&NO_DATE);
        let size = contents.len() as u32;
        [crc32fast::hash(contents), size, size]
            .iter()
            .for_each(|number| common.extend_from_slice(&number.to_le_bytes()));
        common.extend_from_slice(&(name.len() as u16).to_le_bytes());
        // No extra field.
        common.extend_from_slice(&0u16.to_le_bytes());
        let offset = self.offset;
        self.put(b"PK\x03\x04")?;
        self.put(&common)?;
        self.put(name.as_bytes())?;
        self.put(contents)?;
        self.entries.push(Entry { name, common, offset });
        Ok(())
    }

    /// The directory, which ends the archive.
    fn finish(mut self) -> Result<(), ExportError> {
        let (start, entries) = (self.offset, std::mem::take(&mut self.entries));
        for entry in &entries {
            self.put(b"PK\x01\x02\x14\x00")?;
            self.put(&entry.common)?;
            // No comment, first disk, no attributes.
            self.put(&[0; 10])?;
            self.put(&entry.offset.to_le_bytes())?;
            self.put(entry.name.as_bytes())?;
        }
        let (size, count) = (self.offset - start, entries.len() as u16);
        self.put(b"PK\x05\x06\0\0\0\0")?;
        self.put(&count.to_le_bytes())?;
        self.put(&count.to_le_bytes())?;
        self.put(&size.to_le_bytes())?;
        self.put(&start.to_le_bytes())?;
        self.put(&[0; 2])
    }
}
