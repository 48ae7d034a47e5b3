//! A recording in memory, for where there is no disk; saved as a ZIP archive of the folder it would be.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::arrays::{Array, Counts};
use super::folder::{ELEMENTS, REPORT, SCENE, STEP_SECONDS, SUMMARY};
use super::recorder::element_rows;
use super::{Frame, RecordingError, RecordingHeader};
use crate::npy::{Dtype, header_bytes};
use crate::zip::Archive;

/// A recording being made in memory.
#[derive(Debug)]
pub struct MemoryRecording {
    counts: Counts,
    fields: Vec<String>,
    scene_toml: String,
    /// Corner nodes, four for each element.
    elements: Vec<i64>,
    /// The rows of every array, as they are in its file.
    arrays: Vec<(Array, Vec<u8>)>,
    frames: usize,
    report: Vec<u8>,
    seconds: Vec<u8>,
}

impl MemoryRecording {
    /// Begins a recording.
    ///
    /// # Errors
    ///
    /// If the mesh has no nodes or its elements have corners beyond them.
    pub fn new(header: &RecordingHeader) -> Result<Self, RecordingError> {
        Ok(Self {
            counts: header.counts(),
            fields: header.report_fields.iter().map(|&field| field.to_owned()).collect(),
            scene_toml: header.scene_toml.to_owned(),
            elements: element_rows(Path::new(""), header)?,
            arrays: Array::of(header.counts()).iter().map(|&array| (array, Vec::new())).collect(),
            frames: 0,
            report: Vec::new(),
            seconds: Vec::new(),
        })
    }

    /// Bytes that it takes.
    pub fn size(&self) -> usize {
        self.arrays.iter().map(|(_, rows)| rows.len()).sum::<usize>() + self.report.len() + self.seconds.len()
    }

    /// Adds a frame.
    pub fn frame(&mut self, frame: &Frame) {
        self.arrays.iter_mut().for_each(|(array, rows)| array.put(frame, rows));
        self.frames += 1;
    }

    /// Adds the report of a step: a value for each of the fields, and how long it took, s.
    pub fn report(&mut self, row: &[f64], seconds: f64) {
        row.iter().for_each(|number| self.report.extend_from_slice(&number.to_le_bytes()));
        self.seconds.extend_from_slice(&seconds.to_le_bytes());
    }

    /// The folder of the recording, by its name, as a ZIP archive.
    ///
    /// # Errors
    ///
    /// If it is larger than such an archive can be, 4 GiB.
    pub fn to_zip(&self, folder: &str, summary: &Value) -> Result<Vec<u8>, RecordingError> {
        let too_large = || RecordingError::TooLarge { folder: folder.to_owned() };
        if self.size() as u64 > Archive::<Vec<u8>>::MOST / 2 {
            return Err(too_large());
        }
        let header = |name: &str, dtype, rows, shape: &[usize]| header_bytes(Path::new(name), dtype, rows, shape);
        let mut files = Vec::new();
        for (array, rows) in &self.arrays {
            let shape = array.shape(self.counts);
            files
                .push((array.file(), [&header(array.file(), array.dtype(), self.frames, &shape)?, &rows[..]].concat()));
        }
        let steps = self.seconds.len() / size_of::<f64>();
        let record = Dtype::Record(self.fields.clone());
        files.push((REPORT, [&header(REPORT, record, steps, &[])?, &self.report[..]].concat()));
        files.push((STEP_SECONDS, [&header(STEP_SECONDS, Dtype::F64, steps, &[])?, &self.seconds[..]].concat()));
        let corners: Vec<u8> = self.elements.iter().flat_map(|corner| corner.to_le_bytes()).collect();
        let count = self.elements.len() / 4;
        files.push((ELEMENTS, [header(ELEMENTS, Dtype::I64, count, &[4])?, corners].concat()));
        files.push((SCENE, self.scene_toml.clone().into_bytes()));
        files.push((SUMMARY, format!("{summary:#}\n").into_bytes()));
        let mut archive = Archive::new(Vec::new());
        let written: io::Result<()> =
            files.iter().try_for_each(|(name, contents)| archive.add(&format!("{folder}/{name}"), contents));
        // Writing to memory does not fail.
        written.and_then(|()| archive.finish()).map_err(|_| too_large())
    }
}
