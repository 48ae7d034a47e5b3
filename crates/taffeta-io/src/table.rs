//! Tables of numbers, such as the trajectories of grippers, as comma-separated files.
//!
//! The first line names the columns; each line after it has a finite number for every one.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::FileError;
use crate::file::read_text;

/// The names that a column of times may have.
const TIME_NAMES: [&str; 2] = ["t", "t_s"];

/// Line 1 is the header and blank lines are only at the end, so row 0 is on line 2.
const FIRST_ROW_LINE: usize = 2;

/// What can go wrong with a table.
#[derive(Debug, Error)]
pub enum TableError {
    /// The operating system refused something.
    #[error(transparent)]
    File(#[from] FileError),

    /// A line makes no sense.
    #[error("{}, line {line}: {why}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it, and how to fix it.
        why: String,
    },

    /// A cell holds something other than a finite number.
    #[error(
        "{}, line {line}, column {column:?}: {text:?} is not a finite number; write one such as 0.25 or 1e-3",
        .path.display()
    )]
    Cell {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The name of the column.
        column: String,
        /// What the cell holds.
        text: String,
    },

    /// The table has no column of times, or two.
    #[error(
        "{} has {found} of the columns \"t\" and \"t_s\": name exactly one column so, with times in seconds (its columns are {})",
        .path.display(),
        .columns.join(", ")
    )]
    TimeColumn {
        /// The file.
        path: PathBuf,
        /// How many of the two it has.
        found: usize,
        /// The columns it has.
        columns: Vec<String>,
    },
}

/// A table of numbers with named columns and at least one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    path: PathBuf,
    names: Vec<String>,
    /// The values of each column.
    columns: Vec<Vec<f64>>,
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, if column names are missing or not unique, if there are no
    /// rows, or if a row does not have a finite number for each column.
    pub fn read(path: &Path) -> Result<Table, TableError> {
        Self::parse(path, &read_text(path)?)
    }

    /// The table of a text that is, or stands for, the file at a path.
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Table, TableError> {
        let bad_line = |line, why| TableError::Line { path: path.to_path_buf(), line, why };
        let mut lines = text.trim_end().lines();
        let header = lines.next().unwrap_or_default();
        let names: Vec<String> = cells(header).map(str::to_owned).collect();
        check_names(&names).map_err(|why| bad_line(1, why))?;

        let mut columns = vec![Vec::new(); names.len()];
        for (line, row) in (FIRST_ROW_LINE..).zip(lines) {
            let count = cells(row).count();
            if row.trim().is_empty() {
                let why = "the line is blank; remove it, as rows must follow each other";
                return Err(bad_line(line, why.to_owned()));
            }
            if count != names.len() {
                let why =
                    format!("the row has {count} cells and the header has {}; give every column a number", names.len());
                return Err(bad_line(line, why));
            }
            for ((column, name), cell) in columns.iter_mut().zip(&names).zip(cells(row)) {
                match cell.parse() {
                    Ok(number) if f64::is_finite(number) => column.push(number),
                    _ => {
                        return Err(TableError::Cell {
                            path: path.to_path_buf(),
                            line,
                            column: name.clone(),
                            text: cell.to_owned(),
                        });
                    }
                }
            }
        }
        if columns.iter().all(Vec::is_empty) {
            let why = "no rows follow the header; add some".to_owned();
            return Err(bad_line(1, why));
        }
        Ok(Table { path: path.to_path_buf(), names, columns })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// The names of the columns, in the file's order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of a column, if there is one of this name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.names.iter().position(|column| column == name)?;
        self.columns.get(index).map(Vec::as_slice)
    }

    /// The column of times, named `t` or `t_s`, in seconds, each later than the one before.
    ///
    /// # Errors
    ///
    /// If there is no such column, or both, or if a time is not later than the one before.
    pub fn time_column(&self) -> Result<&[f64], TableError> {
        let found: Vec<&[f64]> = TIME_NAMES.iter().filter_map(|name| self.column(name)).collect();
        let &[times] = found.as_slice() else {
            return Err(TableError::TimeColumn {
                path: self.path.clone(),
                found: found.len(),
                columns: self.names.clone(),
            });
        };
        match times.windows(2).position(|pair| pair[0] >= pair[1]) {
            None => Ok(times),
            Some(row) => Err(TableError::Line {
                path: self.path.clone(),
                line: row + 1 + FIRST_ROW_LINE,
                why: format!(
                    "the time {} s does not come after the {} s of the row before; sort the rows and remove duplicates",
                    times[row + 1],
                    times[row]
                ),
            }),
        }
    }
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(str::trim)
}

fn check_names(names: &[String]) -> Result<(), String> {
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(format!("column {} has no name; the first line must name every column", index + 1));
        }
        if names[..index].contains(name) {
            return Err(format!("two columns are named {name:?}; rename one"));
        }
    }
    Ok(())
}
