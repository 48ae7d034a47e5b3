//! NumPy's `.npy` files, written as they grow and read a few rows at a time.
//!
//! A growing file must be readable at any moment, so its header is given a fixed size with room
//! for any number of rows, and is rewritten in place once the rows it counts are in the file:
//! rows first, header second. Whatever lies beyond the counted rows is not yet part of the array.
//!
//! Supported are little-endian, C-ordered arrays of at least one dimension, whose items are
//! [`f64`], [`i64`], [`bool`] or records of named [`f64`] fields.

mod header;
mod literal;
mod reader;
mod writer;

use std::path::{Path, PathBuf};

use thiserror::Error;

pub use reader::NpyReader;
pub use writer::NpyWriter;

use crate::FileError;

/// The first bytes of an array that is written as a whole, up to its rows.
pub(crate) fn header_bytes(path: &Path, dtype: Dtype, rows: usize, trailing: &[usize]) -> Result<Vec<u8>, NpyError> {
    header::Header::of_whole(path, dtype, rows, trailing)
}

/// What the items of an array are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dtype {
    /// Eight-byte floating-point numbers, `<f8`.
    F64,
    /// Eight-byte signed integers, `<i8`.
    I64,
    /// One-byte truth values, `|b1`.
    Bool,
    /// Records of eight-byte floating-point numbers with these names, `[('a', '<f8'), …]`.
    Record(Vec<String>),
}

impl Dtype {
    /// A record type with these field names.
    pub fn record(fields: &[&str]) -> Dtype {
        Dtype::Record(fields.iter().map(|&field| field.to_owned()).collect())
    }

    /// How many numbers make up one item: the number of fields of a record, else one.
    pub fn numbers(&self) -> usize {
        match self {
            Dtype::Record(fields) => fields.len(),
            Dtype::F64 | Dtype::I64 | Dtype::Bool => 1,
        }
    }

    /// The bytes of one number of an item.
    fn number_bytes(&self) -> usize {
        match self {
            Dtype::Bool => bool::BYTES,
            Dtype::F64 | Dtype::Record(_) => f64::BYTES,
            Dtype::I64 => i64::BYTES,
        }
    }

    fn describe(&self) -> &'static str {
        match self {
            Dtype::F64 => "f64",
            Dtype::I64 => "i64",
            Dtype::Bool => "bool",
            Dtype::Record(_) => "records of f64",
        }
    }
}

mod sealed {
    /// The byte form of a number in an `.npy` file.
    pub trait Bytes: Copy {
        const BYTES: usize;
        fn put(self, bytes: &mut Vec<u8>);
        /// Reads from exactly `BYTES` bytes.
        fn get(bytes: &[u8]) -> Self;
    }
}

use sealed::Bytes;

/// The numbers an array can be written from and read into: [`f64`] (also for the fields of
/// records), [`i64`] and [`bool`].
pub trait NpyNumber: sealed::Bytes {
    /// What errors call this type.
    const NAME: &'static str;

    /// Whether items of this type are made of such numbers.
    fn makes(dtype: &Dtype) -> bool;
}

impl Bytes for f64 {
    const BYTES: usize = 8;

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> f64 {
        f64::from_bits(little_endian(bytes))
    }
}

impl NpyNumber for f64 {
    const NAME: &'static str = "f64";

    fn makes(dtype: &Dtype) -> bool {
        matches!(dtype, Dtype::F64 | Dtype::Record(_))
    }
}

impl Bytes for i64 {
    const BYTES: usize = 8;

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn get(bytes: &[u8]) -> i64 {
        little_endian(bytes).cast_signed()
    }
}

impl NpyNumber for i64 {
    const NAME: &'static str = "i64";

    fn makes(dtype: &Dtype) -> bool {
        *dtype == Dtype::I64
    }
}

impl Bytes for bool {
    const BYTES: usize = 1;

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }

    fn get(bytes: &[u8]) -> bool {
        bytes.iter().any(|&byte| byte != 0)
    }
}

impl NpyNumber for bool {
    const NAME: &'static str = "bool";

    fn makes(dtype: &Dtype) -> bool {
        *dtype == Dtype::Bool
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// What can go wrong with an `.npy` file.
#[derive(Debug, Error)]
pub enum NpyError {
    /// The operating system refused something.
    #[error(transparent)]
    File(#[from] FileError),

    /// The file does not begin with a header that makes sense.
    #[error(
        "{} is not a readable .npy file: {why}; it was damaged or is something else, so make or copy it again",
        .path.display()
    )]
    Garbled {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },

    /// The file is sound, but of a kind that is not supported here.
    #[error("{} holds {what}, which is not supported: {fix}", .path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it holds.
        what: String,
        /// How to turn it into something supported.
        fix: &'static str,
    },

    /// The file ends before the last row that its header counts.
    #[error(
        "{} is cut short: its header counts {counted} rows and {present} are there; copy it again",
        .path.display()
    )]
    CutShort {
        /// The file.
        path: PathBuf,
        /// The rows its header counts.
        counted: usize,
        /// The whole rows it holds.
        present: usize,
    },

    /// An array of this type or shape cannot be written.
    #[error("cannot write {}: {why}", .path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// What is wrong with the type or shape.
        why: String,
    },

    /// Numbers of another type than the array's were appended or asked for.
    #[error("{} holds {holds}, not {asked}: use the array's own type", .path.display())]
    OtherType {
        /// The file.
        path: PathBuf,
        /// The type of its items.
        holds: &'static str,
        /// The type that was given or asked for.
        asked: &'static str,
    },

    /// The numbers appended do not make up whole rows.
    #[error(
        "{numbers} numbers were appended to {}, whose rows take {per_row} each: append whole rows",
        .path.display()
    )]
    PartialRow {
        /// The file.
        path: PathBuf,
        /// How many numbers were appended.
        numbers: usize,
        /// How many make up a row.
        per_row: usize,
    },

    /// Rows were asked for that are not there.
    #[error("{} has {rows} rows: rows {start} to {end} are not all there", .path.display())]
    NoSuchRows {
        /// The file.
        path: PathBuf,
        /// The first row asked for.
        start: usize,
        /// The row after the last one asked for.
        end: usize,
        /// How many there are.
        rows: usize,
    },
}
