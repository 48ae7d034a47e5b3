//! Writing an array that grows row by row.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::header::Header;
use super::reader::whole_rows;
use super::{Dtype, NpyError, NpyNumber};
use crate::FileError;

/// An `.npy` file that grows.
///
/// Rows are gathered in memory until [`NpyWriter::spill`] or [`NpyWriter::flush`]. Both can be
/// called again after they failed: nothing is lost, and nothing is written twice.
#[derive(Debug)]
pub struct NpyWriter {
    path: PathBuf,
    file: File,
    /// As it stands in the file: its rows are those that a reader sees.
    header: Header,
    /// The rows whose data is in the file, counted by the header or not.
    written: usize,
    /// The data of the rows after those.
    pending: Vec<u8>,
    row_numbers: usize,
    row_bytes: usize,
}

impl NpyWriter {
    /// Makes a new file, in place of any that is there, holding an array of shape
    /// (0, *`trailing_shape`).
    ///
    /// # Errors
    ///
    /// If there is a zero in the shape, if field names are not plain, differing words, or if the
    /// file cannot be written.
    pub fn create(path: &Path, dtype: Dtype, trailing_shape: &[usize]) -> Result<NpyWriter, NpyError> {
        let header = Header::for_growth(path, dtype, trailing_shape)?;
        let file = File::create(path).map_err(FileError::when("create", path))?;
        let mut writer = NpyWriter::over(path, file, header);
        writer.write_at(0, &writer.header.encode())?;
        Ok(writer)
    }

    /// Whether [`NpyWriter::create`] would accept this type and shape, without touching the file.
    pub(crate) fn check_layout(path: &Path, dtype: Dtype, trailing_shape: &[usize]) -> Result<(), NpyError> {
        Header::for_growth(path, dtype, trailing_shape).map(|_| ())
    }

    /// Opens a file to go on after its first `rows` rows; those after them are dropped.
    ///
    /// # Errors
    ///
    /// If the file cannot be read and written, is not a growing `.npy` file, or has fewer rows.
    pub fn reopen(path: &Path, rows: usize) -> Result<NpyWriter, NpyError> {
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(FileError::when("open", path))?;
        let found = Header::read(path, &mut file)?;
        let present = whole_rows(path, &file, &found)?.min(found.rows);
        if rows > present {
            return Err(NpyError::CutShort { path: path.to_path_buf(), counted: rows, present });
        }
        if !found.can_grow() || !matches!(found.row_bytes(), Some(1..)) {
            return Err(NpyError::Layout {
                path: path.to_path_buf(),
                why: "its header has no room to count more rows; create it again".to_owned(),
            });
        }
        let header = Header { rows, ..found };
        let mut writer = NpyWriter::over(path, file, header);
        // The header first: at no moment does it count rows that are gone.
        writer.write_at(0, &writer.header.encode())?;
        let end = writer.offset_of(rows);
        writer.file.set_len(end).map_err(FileError::when("shorten", path))?;
        Ok(writer)
    }

    /// A writer of a file whose rows are those that its header counts.
    fn over(path: &Path, file: File, header: Header) -> NpyWriter {
        NpyWriter {
            path: path.to_path_buf(),
            file,
            written: header.rows,
            pending: Vec::new(),
            // Both creators have seen to it that these can be counted.
            row_numbers: header.row_numbers().unwrap_or(usize::MAX),
            row_bytes: header.row_bytes().unwrap_or(usize::MAX),
            header,
        }
    }

    /// Appends rows, given as their numbers one after the other, in memory.
    ///
    /// # Errors
    ///
    /// If the numbers are not of the array's type or do not make up whole rows; nothing is
    /// appended then.
    pub fn append<T: NpyNumber>(&mut self, numbers: &[T]) -> Result<(), NpyError> {
        if !T::makes(&self.header.dtype) {
            return Err(NpyError::OtherType {
                path: self.path.clone(),
                holds: self.header.dtype.describe(),
                asked: T::NAME,
            });
        }
        if !numbers.len().is_multiple_of(self.row_numbers) {
            return Err(NpyError::PartialRow {
                path: self.path.clone(),
                numbers: numbers.len(),
                per_row: self.row_numbers,
            });
        }
        self.pending.reserve(numbers.len() * T::BYTES);
        for &number in numbers {
            number.put(&mut self.pending);
        }
        Ok(())
    }

    /// Appends rows as the bytes that they are in the file.
    pub(crate) fn append_bytes(&mut self, rows: &[u8]) {
        self.pending.extend_from_slice(rows);
    }

    /// Writes the rows in memory to the file, to free the memory. The header does not count them
    /// yet.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn spill(&mut self) -> Result<(), NpyError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        let outcome = self.write_at(self.offset_of(self.written), &pending);
        self.pending = pending;
        outcome?;
        self.written = self.rows();
        self.pending.clear();
        Ok(())
    }

    /// Writes all rows, then the header that counts them: from here on a reader sees them, even
    /// if this process is killed.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn flush(&mut self) -> Result<(), NpyError> {
        self.spill()?;
        if self.header.rows != self.written {
            let header = Header { rows: self.written, ..self.header.clone() };
            self.write_at(0, &header.encode())?;
            self.header = header;
        }
        Ok(())
    }

    /// Makes what was flushed outlast a power cut.
    ///
    /// # Errors
    ///
    /// If the operating system cannot do it.
    pub fn sync(&self) -> Result<(), NpyError> {
        self.file.sync_data().map_err(FileError::when("sync", &self.path))?;
        Ok(())
    }

    /// The rows so far, those in memory included.
    pub fn rows(&self) -> usize {
        self.written + self.pending.len() / self.row_bytes
    }

    /// The bytes in memory that are not in the file yet.
    pub fn pending_bytes(&self) -> usize {
        self.pending.len()
    }

    fn offset_of(&self, row: usize) -> u64 {
        (self.header.data_offset + row * self.row_bytes) as u64
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FileError> {
        self.file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| self.file.write_all(bytes))
            .map_err(FileError::when("write", &self.path))
    }
}
