//! Seams that close during a run: pairs of nodes that are drawn together.
//!
//! While they approach each other their distance is prescribed, `C = ½ (|x_b − x_a|²/d² − 1) d/ℓ`: one row, which leaves them free to
//! turn about each other. (Prescribing all three coordinates would be at odds with the lengths of the edges along both sides.)
//! Where they meet a distance has no gradient: from then on they are three rows `C = (x_b − x_a)/ℓ`, one for each axis.

use std::collections::HashSet;

use thiserror::Error;

use super::rows::RowBuilder;
use super::{Cloth, RowGroup, RowKind};

/// A pair of nodes that cannot be sewn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SeamError {
    /// There is no such node.
    #[error("pair {pair} of the seams has node {node}, and the cloth has {nodes} nodes (0 to {})", .nodes - 1)]
    NoSuchNode {
        /// The pair.
        pair: usize,
        /// The node asked for.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// A node cannot be sewn to itself.
    #[error("pair {pair} of the seams sews node {node} to itself: leave it out")]
    Itself {
        /// The pair.
        pair: usize,
        /// The node.
        node: usize,
    },
    /// Neighbours cannot meet: the thread between them has a length.
    #[error("pair {pair} of the seams sews nodes {} and {} together, which an element keeps apart: leave it out", .nodes[0], .nodes[1])]
    Neighbours {
        /// The pair.
        pair: usize,
        /// The nodes.
        nodes: [usize; 2],
    },
    /// A pair is there twice.
    #[error("pair {pair} of the seams, nodes {} and {}, is there twice: leave one of them out", .nodes[0], .nodes[1])]
    Twice {
        /// The second of the two.
        pair: usize,
        /// The nodes.
        nodes: [usize; 2],
    },
}

impl Cloth {
    /// The same cloth with pairs of nodes that a run can sew together; until it does, they are free.
    ///
    /// # Errors
    ///
    /// If a pair names a node that is not there, a node twice or two nodes of one element, or if it is there twice.
    pub fn with_seams(mut self, pairs: impl IntoIterator<Item = [usize; 2]>) -> Result<Self, SeamError> {
        let nodes = self.mesh.node_count();
        let mut known: HashSet<[usize; 2]> = self.seams.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
        for [a, b] in pairs {
            let pair = self.seams.len();
            if let Some(node) = [a, b].into_iter().find(|&node| node >= nodes) {
                return Err(SeamError::NoSuchNode { pair, node, nodes });
            }
            if a == b {
                return Err(SeamError::Itself { pair, node: a });
            }
            if self.mesh.node_elements(a).iter().any(|e| self.mesh.node_elements(b).contains(e)) {
                return Err(SeamError::Neighbours { pair, nodes: [a, b] });
            }
            if !known.insert([a.min(b), a.max(b)]) {
                return Err(SeamError::Twice { pair, nodes: [a, b] });
            }
            // ℓ, m: about the size of a cell, so that the rows are relative to it as strains are.
            let length = (0.5 * (self.area[a] + self.area[b])).sqrt();
            self.push_sewn([a, b], length);
            self.seams.push([a, b]);
        }
        self.surface.sew(&self.seams);
        // By way of others a pair can sew nodes of one element together, too.
        let names = |&pair: &[usize; 2]| self.surface.name(pair[0] as u32);
        for element in self.mesh.elements() {
            let corners = element.nodes();
            let twice = corners.iter().enumerate().find_map(|(k, &i)| {
                let name = self.surface.name(i as u32);
                let j = corners[..k].iter().find(|&&j| self.surface.name(j as u32) == name)?;
                Some(([i, *j], name))
            });
            if let Some((nodes, name)) = twice {
                let pair = self.seams.iter().rposition(|pair| names(pair) == name).unwrap_or(0);
                return Err(SeamError::Neighbours { pair, nodes });
            }
        }
        Ok(self)
    }

    /// Appends the three rows of a seam, `(x_b − x_a)/length` along each axis.
    fn push_sewn(&mut self, pair: [usize; 2], length: f64) {
        // S of the squared distance: for the scale of the rows, and for the curvature of the first one while it is a distance.
        let mut row = RowBuilder::default();
        let difference = [-1.0, 1.0, 0.0, 0.0];
        row.add(&pair, &difference, &difference, 0.5 / (length * length));
        let first = self.rows.len();
        self.rows.push_curved(&row, 0.0);
        self.rows.push(&row, 0.0);
        self.rows.push(&row, 0.0);
        match self.groups.last_mut() {
            Some(RowGroup { rows, kind: RowKind::Seams }) => rows.end = self.rows.len(),
            _ => self.groups.push(RowGroup { rows: first..self.rows.len(), kind: RowKind::Seams }),
        }
    }

    /// The pairs of nodes that a run can sew together.
    pub fn seams(&self) -> &[[usize; 2]] {
        &self.seams
    }
}
