//! The model: everything about a cloth that is computed once and shared by any number of runs.

use std::sync::OnceLock;

use crate::cloth::{Cloth, PublishedCloth, Rows};
use crate::linalg::{BlockPattern, Slot};
use crate::params::Published;

/// An immutable cloth with the symbolic factorisation of its programs. `Send + Sync`: share it between threads.
#[derive(Debug)]
pub struct Model {
    cloth: Cloth,
    limp: OnceLock<Layout>,
    bending: OnceLock<Layout>,
    published: [OnceLock<Option<PublishedCloth>>; 2],
}

impl Model {
    /// A model of a cloth.
    pub fn new(cloth: Cloth) -> Self {
        Self { cloth, limp: OnceLock::new(), bending: OnceLock::new(), published: Default::default() }
    }

    /// The cloth.
    pub fn cloth(&self) -> &Cloth {
        &self.cloth
    }

    /// Number of nodes, `N`.
    pub fn node_count(&self) -> usize {
        self.cloth.mesh().node_count()
    }

    /// The layout of the step's matrix, with room for bending or without: bending reaches two rings of neighbours and
    /// makes the factor about three times as dear, so only those who bend pay for it.
    pub(crate) fn layout(&self, bending: bool) -> &Layout {
        let cell = if bending { &self.bending } else { &self.limp };
        cell.get_or_init(|| Layout::new(&self.cloth, bending))
    }

    /// The conditions of one of the authors' codes; `None` unless the mesh is a grid of quads.
    pub(crate) fn published(&self, code: Published) -> Option<&PublishedCloth> {
        self.published[code as usize].get_or_init(|| self.cloth.published(code)).as_ref()
    }
}

/// The pattern of a step's matrix and where each contribution goes.
#[derive(Debug)]
pub(crate) struct Layout {
    pub pattern: BlockPattern,
    /// The cloth's rows, nodes in elimination order.
    pub rows: Rows,
    /// Block of each pair `b ≤ a` of each row's nodes, row by row.
    pub pairs: Vec<Slot>,
    /// Diagonal block of each node.
    pub diagonal: Vec<Slot>,
    /// Blocks of the bending stiffness, strictly lower triangle: row node, column node, entry of `K₁`.
    pub bending: Vec<(usize, usize, f64, Slot)>,
    /// `Σ_a ½ Σ_b |S_ab| / m_a` of each row: the scale of `∇C m⁻¹ ∇Cᵀ`, 1/m⁴.
    pub scale: Vec<f64>,
}

impl Layout {
    fn new(cloth: &Cloth, with_bending: bool) -> Self {
        let n = cloth.mesh().node_count();
        let mut rows = cloth.rows.clone();
        let stencils: Vec<Vec<usize>> = if with_bending {
            (0..n).flat_map(|i| cloth.bending.row(i).map(move |(j, _)| vec![i, j])).collect()
        } else {
            Vec::new()
        };
        let cliques = (0..rows.len()).map(|r| rows.nodes(r)).chain(stencils.iter().map(Vec::as_slice));
        let pattern = BlockPattern::new(cloth.mesh().positions(), cliques);
        rows.sort_nodes_by_rank(pattern.rank());

        let mut pairs = Vec::new();
        for r in 0..rows.len() {
            let nodes = rows.nodes(r);
            for (a, &i) in nodes.iter().enumerate() {
                pairs.extend(nodes[..=a].iter().map(|&j| pattern.slot(i, j)));
            }
        }
        let diagonal = (0..n).map(|i| pattern.slot(i, i)).collect();
        let mut bending = Vec::new();
        if with_bending {
            for i in 0..n {
                let lower = cloth.bending.row(i).filter(|&(j, _)| pattern.rank()[j] < pattern.rank()[i]);
                bending.extend(lower.map(|(j, k)| (i, j, k, pattern.slot(i, j))));
            }
        }
        let scale = (0..rows.len()).map(|r| scale(&rows, r, cloth.node_areas())).collect();
        Self { pattern, rows, pairs, diagonal, bending, scale }
    }
}

fn scale(rows: &Rows, r: usize, areas: &[f64]) -> f64 {
    let nodes = rows.nodes(r);
    let sums = rows.weights(r).chunks_exact(nodes.len()).map(|s| s.iter().map(|s| s.abs()).sum::<f64>());
    nodes.iter().zip(sums).map(|(&i, sum)| 0.5 * sum / areas[i]).sum()
}
