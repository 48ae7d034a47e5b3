//! `[load.<name>]`: forces on the cloth.

use serde::{Deserialize, Serialize};
use taffeta::Interpolation;

use super::Vector;

/// `[load.<name>]`: a force that some nodes share equally.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadSettings {
    /// A corner of a grid. Exactly one of `corner`, `side`, `set` and `nodes` is needed.
    pub corner: Option<String>,
    /// A side of a grid.
    pub side: Option<String>,
    /// A set of `[cloth.sets]`.
    pub set: Option<String>,
    /// Nodes, counted from 0.
    pub nodes: Option<Vec<usize>>,
    /// The force on all of the nodes together, N. Exactly one of this and `forces_N` is needed.
    #[serde(rename = "force_N")]
    pub force: Option<Vector>,
    /// Times in the run, s, each later than the one before.
    pub times_s: Option<Vec<f64>>,
    /// The force at these times, N.
    #[serde(rename = "forces_N")]
    pub forces: Option<Vec<Vector>>,
    /// How the force changes in between; `linear` by default.
    pub interpolation: Option<Interpolation>,
}
