//! Why a garment cannot be made.

use thiserror::Error;

use crate::mesh::MeshError;

/// Why a garment cannot be made, and what to change.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum GarmentError {
    /// The garment has no such measure.
    #[error("{garment} has no measure {measure:?}: use {}", .known.join(", "))]
    NoSuchMeasure {
        /// The garment.
        garment: &'static str,
        /// The measure asked for.
        measure: String,
        /// The measures it has.
        known: Vec<&'static str>,
    },
    /// A measure is out of range.
    #[error("{garment}: {measure} is {value}: it must be {rule}")]
    BadMeasure {
        /// The garment.
        garment: &'static str,
        /// The measure.
        measure: &'static str,
        /// Its value, m.
        value: f64,
        /// What it must be.
        rule: String,
    },
    /// A part of the garment has no room for the cells it needs.
    #[error("{garment}: cells of {cell} m are too large for {part}: make the cell at most {most:.4} m")]
    CellTooLarge {
        /// The garment.
        garment: &'static str,
        /// The part.
        part: &'static str,
        /// The cell asked for, m.
        cell: f64,
        /// The largest that fits, m.
        most: f64,
    },
    /// There would be too many cells.
    #[error("{garment}: cells of {cell} m make more than {most} cells: make the cell larger")]
    CellTooSmall {
        /// The garment.
        garment: &'static str,
        /// The cell asked for, m.
        cell: f64,
        /// The largest number of cells.
        most: usize,
    },
    /// The measures differ so much that cells would be far from square.
    #[error(
        "{garment}: its measures make cells {distortion}: bring measures that follow one another along the garment \
         closer together"
    )]
    Distorted {
        /// The garment.
        garment: &'static str,
        /// What is wrong with the worst cell.
        distortion: String,
    },
    /// The panels do not make a mesh.
    #[error("{garment}: {cause}")]
    Mesh {
        /// The garment.
        garment: &'static str,
        /// What is wrong with it.
        cause: MeshError,
    },
}

impl GarmentError {
    pub(super) fn bad(garment: &'static str, measure: &'static str, value: f64, rule: impl Into<String>) -> Self {
        Self::BadMeasure { garment, measure, value, rule: rule.into() }
    }
}
