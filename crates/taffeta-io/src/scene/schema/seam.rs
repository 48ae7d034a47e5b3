//! `[cloth.seam.<name>]`.

use serde::{Deserialize, Serialize};

/// `[cloth.seam.<name>]`: two chains of nodes that are sewn together during the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeamSettings {
    /// The first chain.
    pub first: Chain,
    /// The second chain; its nodes are sewn to those of the first in their order.
    pub second: Chain,
    /// When the nodes begin to approach each other, s; 0 by default.
    pub from_s: Option<f64>,
    /// When they have met, s.
    pub until_s: f64,
}

/// A chain of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Chain {
    /// A set of `[cloth.sets]`, or a side of a grid.
    Name(String),
    /// The nodes.
    Nodes(Vec<usize>),
}
