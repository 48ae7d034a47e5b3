//! Reading rows of an array without the rest.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::header::Header;
use super::{Dtype, NpyError, NpyNumber};
use crate::FileError;

/// An `.npy` file open for reading, with the rows it had when it was opened.
#[derive(Debug)]
pub struct NpyReader {
    path: PathBuf,
    /// Locked from seek to read, so that rows can be read from several threads.
    file: Mutex<File>,
    header: Header,
}

impl NpyReader {
    /// Opens a file. Bytes beyond the rows that its header counts are ignored.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is not an `.npy` file of a supported kind, or ends before the
    /// last row that its header counts.
    pub fn open(path: &Path) -> Result<NpyReader, NpyError> {
        let (reader, present) = NpyReader::open_any(path)?;
        if present < reader.header.rows {
            return Err(NpyError::CutShort { path: path.to_path_buf(), counted: reader.header.rows, present });
        }
        Ok(reader)
    }

    /// Opens a file that may end before the last row that its header counts, as a power cut can
    /// leave it: the rows are those that are counted and wholly there.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not an `.npy` file of a supported kind.
    pub fn open_cut_short(path: &Path) -> Result<NpyReader, NpyError> {
        let (mut reader, present) = NpyReader::open_any(path)?;
        reader.header.rows = reader.header.rows.min(present);
        Ok(reader)
    }

    /// The file, and how many whole rows it holds.
    fn open_any(path: &Path) -> Result<(NpyReader, usize), NpyError> {
        let mut file = File::open(path).map_err(FileError::when("open", path))?;
        let header = Header::read(path, &mut file)?;
        let present = whole_rows(path, &file, &header)?;
        let reader = NpyReader { path: path.to_path_buf(), file: Mutex::new(file), header };
        Ok((reader, present))
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the items of the array are.
    pub fn dtype(&self) -> &Dtype {
        &self.header.dtype
    }

    /// The first dimension.
    pub fn rows(&self) -> usize {
        self.header.rows
    }

    /// The dimensions after the first.
    pub fn trailing_shape(&self) -> &[usize] {
        &self.header.trailing
    }

    /// The numbers of some rows, one after the other; those of a record lie next to each other.
    ///
    /// # Errors
    ///
    /// If the array is of another type, if the rows are not all there, or if the file cannot be
    /// read.
    pub fn read<T: NpyNumber>(&self, rows: Range<usize>) -> Result<Vec<T>, NpyError> {
        if !T::makes(&self.header.dtype) {
            return Err(NpyError::OtherType {
                path: self.path.clone(),
                holds: self.header.dtype.describe(),
                asked: T::NAME,
            });
        }
        if rows.start > rows.end || rows.end > self.header.rows {
            return Err(NpyError::NoSuchRows {
                path: self.path.clone(),
                start: rows.start,
                end: rows.end,
                rows: self.header.rows,
            });
        }
        // No product overflows: the header was refused if the whole array's size does.
        let row_bytes = self.header.row_bytes().unwrap_or(0);
        let mut bytes = vec![0; rows.len() * row_bytes];
        let offset = self.header.data_offset + rows.start * row_bytes;
        {
            // A thread that panicked left nothing half done: each read seeks first.
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(offset as u64))
                .and_then(|_| file.read_exact(&mut bytes))
                .map_err(FileError::when("read", &self.path))?;
        }
        Ok(bytes.chunks_exact(T::BYTES).map(T::get).collect())
    }
}

/// How many whole rows the file has room for, counted by its header or not.
pub(super) fn whole_rows(path: &Path, file: &File, header: &Header) -> Result<usize, FileError> {
    let length = file.metadata().map_err(FileError::when("examine", path))?.len();
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let data = length.saturating_sub(header.data_offset);
    Ok(match header.row_bytes() {
        // Rows without bytes are all there.
        Some(0) | None => header.rows,
        Some(row_bytes) => data / row_bytes,
    })
}
