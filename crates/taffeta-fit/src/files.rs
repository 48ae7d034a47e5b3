//! Captures by their paths.

use std::fs;
use std::path::{Path, PathBuf};

use crate::capture::Capture;
use crate::read_error::ReadError;
use crate::{depth_camera, description};

/// Reads captures: TOML files that describe them, JSON files of a depth camera's, and folders of either.
///
/// # Errors
///
/// If a file cannot be read, does not say what it should, or two captures have the same id.
pub fn read_captures(paths: &[PathBuf]) -> Result<Vec<Capture>, ReadError> {
    let mut captures: Vec<Capture> = Vec::new();
    for path in paths {
        for capture in read(path)? {
            if captures.iter().any(|other| other.id == capture.id) {
                let why = format!("two captures are called {:?}: give one another id", capture.id);
                return Err(ReadError::content(path, why));
            }
            captures.push(capture);
        }
    }
    Ok(captures)
}

fn read(path: &Path) -> Result<Vec<Capture>, ReadError> {
    let is = |path: &Path, ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    if path.is_dir() {
        let files = fs::read_dir(path).map_err(|cause| ReadError::file(path, cause))?;
        // Other files of the same kinds may lie beside them: scenes, summaries.
        let describes = |file: &PathBuf| fs::read_to_string(file).is_ok_and(|text| text.contains("[markers]"));
        let mut described: Vec<PathBuf> = files
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|file| is(file, "toml") && describes(file))
            .collect();
        described.sort();
        if described.is_empty() {
            return depth_camera::read_folder(path);
        }
        return described.iter().map(|file| description::read(file)).collect();
    }
    Ok(vec![if is(path, "json") { depth_camera::read(path)? } else { description::read(path)? }])
}
