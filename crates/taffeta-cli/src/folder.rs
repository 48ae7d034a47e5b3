//! Where a run is recorded unless it is told.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder of all recordings.
const RECORDINGS: &str = "recordings";

/// The folder for a scene's recording: the first one that is free, or simply the first one if
/// whatever is in there is to be overwritten.
pub fn default_folder(scene: &str, overwrite: bool) -> PathBuf {
    let first = Path::new(RECORDINGS).join(scene);
    if overwrite || is_free(&first) {
        return first;
    }
    (2..u64::MAX)
        .map(|number| Path::new(RECORDINGS).join(format!("{scene}-{number}")))
        .find(|folder| is_free(folder))
        .unwrap_or(first)
}

/// Whether nothing is there, or an empty folder.
fn is_free(folder: &Path) -> bool {
    match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => !folder.exists(),
    }
}
