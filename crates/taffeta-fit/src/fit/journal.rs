//! What a search has evaluated, on disk: a fit that was interrupted goes on where it was.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use thiserror::Error;

use super::{Effort, Problem};

/// A journal that cannot be kept.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The system refused the file.
    #[error("cannot {what} {}: {cause}", .path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// It is of another fit.
    #[error(
        "{} is of another fit (other captures, parameters or options): fit into another folder, or remove it",
        .path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
    },
}

/// The values that were evaluated, and their errors.
#[derive(Debug, Default)]
pub struct Journal {
    path: Option<PathBuf>,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    /// By the bits of the values.
    known: BTreeMap<Vec<u64>, f64>,
    /// Lines that are not on disk yet.
    fresh: String,
}

impl Journal {
    /// A journal that is kept in memory alone.
    pub fn in_memory() -> Self {
        Self::default()
    }

    /// Opens the journal of a fit, or begins it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written, or is of another fit.
    pub fn open(path: &Path, problem: &Problem, effort: &Effort) -> Result<Self, JournalError> {
        let file = |what, cause| JournalError::File { what, path: path.to_path_buf(), cause };
        let header = header(problem, effort);
        let mut entries = Entries::default();
        match fs::read_to_string(path) {
            Ok(text) if text.is_empty() => entries.fresh = header,
            Ok(text) => {
                let Some(lines) = text.strip_prefix(&header) else {
                    return Err(JournalError::Other { path: path.to_path_buf() });
                };
                // A line that was cut short by a kill has no end.
                let whole = lines.rfind('\n').map_or("", |end| &lines[..=end]);
                if whole.len() < lines.len() {
                    fs::write(path, format!("{header}{whole}")).map_err(|cause| file("write", cause))?;
                }
                entries.known = whole.lines().filter_map(entry).collect();
            }
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => entries.fresh = header,
            Err(cause) => return Err(file("read", cause)),
        }
        let journal = Self { path: Some(path.to_path_buf()), entries: Mutex::new(entries) };
        journal.save()?;
        Ok(journal)
    }

    /// How many evaluations it knows.
    pub fn len(&self) -> usize {
        self.entries().known.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The error of values that were evaluated before.
    pub(super) fn known(&self, values: &[f64]) -> Option<f64> {
        self.entries().known.get(&bits(values)).copied()
    }

    /// Notes an evaluation.
    pub(super) fn note(&self, values: &[f64], rms_m: f64) {
        let mut entries = self.entries();
        if entries.known.insert(bits(values), rms_m).is_none() {
            let row: Vec<String> = values.iter().chain([&rms_m]).map(f64::to_string).collect();
            let _ = writeln!(entries.fresh, "{}", row.join(","));
        }
    }

    /// Writes what is not on disk yet.
    pub(super) fn save(&self) -> Result<(), JournalError> {
        let (Some(path), fresh) = (&self.path, std::mem::take(&mut self.entries().fresh)) else { return Ok(()) };
        let write = || {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(fresh.as_bytes())?;
            file.sync_data()
        };
        write().map_err(|cause| JournalError::File { what: "write", path: path.clone(), cause })
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // Whoever panicked with it in hand had only numbers to add.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// A line: the values, and the error.
fn entry(line: &str) -> Option<(Vec<u64>, f64)> {
    let numbers = line.split(',').map(|cell| cell.parse().ok()).collect::<Option<Vec<f64>>>()?;
    let (rms, values) = numbers.split_last()?;
    Some((bits(values), *rms))
}

/// The first lines: what is fitted, how, and a number that differs if the captures do.
fn header(problem: &Problem, effort: &Effort) -> String {
    // FNV-1a, over all that a residual depends on.
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut mix = |text: &str| {
        for byte in text.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    mix(env!("CARGO_PKG_VERSION"));
    for (k, capture) in problem.captures().enumerate() {
        mix(&format!("{:?} {capture:?}", problem.with(k, &[])));
    }
    let names: Vec<&str> = problem.parameters().iter().map(|parameter| parameter.name()).collect();
    let ids: Vec<&str> = problem.captures().map(|capture| capture.id.as_str()).collect();
    format!(
        "# taffeta fit of {} ({hash:016x}), seed {}\n{},rms_m\n",
        ids.join(" ").replace('\n', " "),
        effort.seed,
        names.join(",")
    )
}
