//! Reading and replacing whole files, with errors that name the file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The operating system refused something: what, on which path, and why.
#[derive(Debug, Error)]
#[error("cannot {action} {}: {cause}", .path.display())]
pub struct FileError {
    /// The file or folder in question.
    pub path: PathBuf,
    /// What was tried, as a verb: "open", "write", …
    pub action: &'static str,
    /// What the operating system said.
    pub cause: io::Error,
}

impl FileError {
    /// Turns an [`io::Error`] into one that knows its path, for use in `map_err`.
    pub(crate) fn when(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        move |cause| FileError { path: path.to_path_buf(), action, cause }
    }
}

/// The text of a file. Bytes that are not UTF-8 become the replacement character, so that a stray
/// accent in a comment does not make a file unreadable; a byte order mark is dropped.
pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    let bytes = fs::read(path).map_err(FileError::when("read", path))?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// Gives a file new contents at one stroke: whoever opens it, at whatever moment this process is
/// killed, finds either the old contents or the new, never a part.
pub(crate) fn replace(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    let draft = draft_of(path);
    let mut file = File::create(&draft).map_err(FileError::when("create", &draft))?;
    file.write_all(contents).and_then(|()| file.sync_all()).map_err(FileError::when("write", &draft))?;
    drop(file);
    publish_draft(path)
}

/// Where the new contents of `path` are gathered before [`publish_draft`].
pub(crate) fn draft_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".new");
    PathBuf::from(name)
}

/// Puts the draft of `path` in its place.
pub(crate) fn publish_draft(path: &Path) -> Result<(), FileError> {
    fs::rename(draft_of(path), path).map_err(FileError::when("replace", path))?;
    match path.parent() {
        Some(folder) => sync_folder(folder),
        None => Ok(()),
    }
}

/// Makes a rename in the folder outlast a power cut. Only Unix lets a folder be opened for this.
fn sync_folder(folder: &Path) -> Result<(), FileError> {
    if cfg!(unix) && !folder.as_os_str().is_empty() {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(FileError::when("sync", folder))?;
    }
    Ok(())
}
