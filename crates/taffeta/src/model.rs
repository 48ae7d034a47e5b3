//! The model: everything about a cloth that is computed once and shared by any number of runs.

use std::sync::{Arc, OnceLock};

use glam::{DMat3, DVec3};

use crate::cloth::{Cloth, PublishedCloth, Rows, Stress};
use crate::linalg::BlockPattern;
use crate::params::Published;
use crate::qp::{Assembly, Bounds, Program, RowSet};

/// An immutable cloth with the symbolic factorisation of its programs. `Send + Sync`: share it between threads.
#[derive(Debug)]
pub struct Model {
    cloth: Cloth,
    limp: OnceLock<Arc<Layout>>,
    bending: OnceLock<Arc<Layout>>,
    published: [OnceLock<Option<PublishedCloth>>; 2],
    /// Tells models apart.
    identity: Arc<()>,
}

impl Model {
    /// A model of a cloth.
    pub fn new(cloth: Cloth) -> Self {
        Self {
            cloth,
            limp: OnceLock::new(),
            bending: OnceLock::new(),
            published: Default::default(),
            identity: Arc::new(()),
        }
    }

    /// What no other model has.
    pub(crate) fn identity(&self) -> &Arc<()> {
        &self.identity
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
    pub(crate) fn layout(&self, bending: bool) -> &Arc<Layout> {
        let cell = if bending { &self.bending } else { &self.limp };
        cell.get_or_init(|| Arc::new(Layout::new(&self.cloth, bending, &[])))
    }

    /// The same with room for rows that couple these pairs of nodes.
    pub(crate) fn layout_with(&self, bending: bool, bonds: &[[usize; 2]]) -> Arc<Layout> {
        if bonds.is_empty() { self.layout(bending).clone() } else { Arc::new(Layout::new(&self.cloth, bending, bonds)) }
    }

    /// The conditions of one of the authors' codes; `None` unless the mesh is a grid of quads.
    pub(crate) fn published(&self, code: Published) -> Option<&PublishedCloth> {
        self.published[code as usize].get_or_init(|| self.cloth.published(code)).as_ref()
    }
}

/// The pattern of a step's matrix and where each contribution goes.
#[derive(Debug)]
pub(crate) struct Layout {
    pub assembly: Assembly,
    /// The cloth's rows, nodes in elimination order.
    pub rows: Rows,
    /// Entries of the bending stiffness `K₁` below the diagonal.
    pub bending: Vec<([usize; 2], f64)>,
    /// Entries of the curvature `S` of the cloth's rows below the diagonal: row, nodes, entry.
    pub curvature: Vec<(usize, [usize; 2], f64)>,
    /// Entries on its diagonal: row, node, entry.
    pub curvature_diagonal: Vec<(usize, usize, f64)>,
    /// `Σ_a ½ Σ_b |S_ab| / m_a` of each row: the scale of `∇C m⁻¹ ∇Cᵀ`, 1/m⁴.
    pub scale: Vec<f64>,
}

impl Layout {
    fn new(cloth: &Cloth, with_bending: bool, bonds: &[[usize; 2]]) -> Self {
        let n = cloth.mesh().node_count();
        let mut rows = cloth.rows.clone();
        let mut bending = Vec::new();
        if with_bending {
            for i in 0..n {
                bending.extend(cloth.bending.row(i).filter(|&(j, _)| j < i).map(|(j, k)| ([i, j], k)));
            }
        }
        // The points of contact: nodes, and centres of elements.
        let elements = cloth.mesh().elements().iter().map(|element| element.nodes());
        let cliques = (0..rows.len()).map(|r| rows.nodes(r)).chain(bending.iter().map(|(pair, _)| pair.as_slice()));
        let bonds = bonds.iter().map(|pair| pair.as_slice());
        let pattern = BlockPattern::new(cloth.mesh().positions(), cliques.chain(elements).chain(bonds));
        rows.sort_nodes_by_rank(pattern.rank());

        let (mut curvature, mut curvature_diagonal) = (Vec::new(), Vec::new());
        for r in rows.stresses().iter().flat_map(Stress::rows) {
            let nodes = rows.nodes(r);
            for (a, (&i, s)) in nodes.iter().zip(rows.weights(r).chunks_exact(nodes.len())).enumerate() {
                curvature.extend(nodes[..a].iter().zip(s).filter(|(_, s)| **s != 0.0).map(|(&j, &s)| (r, [i, j], s)));
                curvature_diagonal.push((r, i, s[a]));
            }
        }
        let pairs = bending.iter().map(|&(pair, _)| pair).chain(curvature.iter().map(|&(_, pair, _)| pair));
        let assembly = Assembly::new(pattern, pairs, (0..rows.len()).map(|r| rows.nodes(r)));
        let scale = (0..rows.len()).map(|r| scale(&rows, r, cloth.node_areas())).collect();
        Self { assembly, rows, bending, curvature, curvature_diagonal, scale }
    }

    /// A program with the cloth's rows and couplings in place, numbers to be filled in.
    pub fn program(&self, nodes: usize) -> Program {
        let mut rows = RowSet::new();
        for r in 0..self.rows.len() {
            rows.push(Bounds::Equality, 0.0, 1.0, self.rows.nodes(r).iter().map(|&i| (i, DVec3::ZERO)));
        }
        let pairs = self.bending.iter().map(|&(pair, _)| pair);
        let pairs = pairs.chain(self.curvature.iter().map(|&(_, pair, _)| pair));
        Program {
            free: vec![true; nodes],
            diagonal: vec![DMat3::ZERO; nodes],
            couplings: pairs.map(|pair| (pair, 0.0)).collect(),
            gradient: vec![DVec3::ZERO; nodes],
            cloth_rows: rows.len(),
            rows,
        }
    }
}

fn scale(rows: &Rows, r: usize, areas: &[f64]) -> f64 {
    let nodes = rows.nodes(r);
    let sums = rows.weights(r).chunks_exact(nodes.len()).map(|s| s.iter().map(|s| s.abs()).sum::<f64>());
    nodes.iter().zip(sums).map(|(&i, sum)| 0.5 * sum / areas[i]).sum()
}
