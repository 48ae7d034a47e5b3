//! Files that could not be read.

use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file that could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The system refused it.
    #[error("cannot read {}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// It does not say what it should.
    #[error("{}: {why}", .path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and how to fix it.
        why: String,
    },
}

impl ReadError {
    pub(crate) fn content(path: &Path, why: impl Into<String>) -> Self {
        Self::Content { path: path.to_path_buf(), why: why.into() }
    }

    pub(crate) fn file(path: &Path, cause: std::io::Error) -> Self {
        Self::File { path: path.to_path_buf(), cause }
    }
}

/// The text of a file.
pub(crate) fn text(path: &Path) -> Result<String, ReadError> {
    fs::read_to_string(path).map_err(|cause| ReadError::file(path, cause))
}
