//! `[goal]`: where the cloth is to be at the end.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Vector;

/// `[goal]`: where the cloth is to be at the end of the run; its summary says how far it is from that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoalSettings {
    /// What it is to cover seen from above: the corners of a polygon, x and y, m.
    pub polygon_m: Option<Vec<[f64; 2]>>,
    /// Where corners of a grid are to be, m, by their names.
    #[serde(default)]
    pub corners_m: BTreeMap<String, Vector>,
}
