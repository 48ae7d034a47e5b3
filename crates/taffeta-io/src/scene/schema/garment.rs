//! `[cloth.garment]`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Vector;

/// `[cloth.garment]`: a garment by its measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GarmentSettings {
    /// What it is.
    pub kind: GarmentName,
    /// Length of a cell's side, m; 0.03 by default.
    pub cell_m: Option<f64>,
    /// Distance of the front from the back at the start, m; a third of a cell by default.
    pub gap_m: Option<f64>,
    /// Its measures by name, m; those of [`taffeta::mesh::garment`] by default.
    #[serde(default)]
    pub measures_m: BTreeMap<String, f64>,
    /// Where the middle of its lower end is, m; the origin by default.
    pub place_m: Option<Vector>,
    /// Direction across it, from left to right; x by default.
    pub across_axis: Option<Vector>,
    /// Direction from its lower end to its upper one; z by default.
    pub up_axis: Option<Vector>,
}

/// Garments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GarmentName {
    /// A rectangular sheet.
    Towel,
    /// A tube.
    Skirt,
    /// Two legs.
    Shorts,
    /// Two sleeves and a neck.
    Shirt,
}
