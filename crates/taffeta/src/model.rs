//! The model: everything about a cloth that is computed once and shared by any number of runs.

use std::sync::{Arc, OnceLock};

use glam::{DMat3, DVec3};

use crate::cloth::{Cloth, Published, PublishedCloth, Rows};
use crate::linalg::BlockPattern;
use crate::qp::{Assembly, Bounds, Program, RowSet};

/// An immutable cloth with the symbolic factorisation of its programs. `Send + Sync`: share it between threads.
#[derive(Debug)]
pub struct Model {
    cloth: Cloth,
    /// Without coupled_pairs, for every reach of bending.
    layouts: [OnceLock<Arc<Layout>>; 3],
    published: [OnceLock<Option<PublishedCloth>>; 2],
    /// Tells models apart.
    identity: Arc<()>,
}

impl Model {
    /// A model of a cloth.
    pub fn new(cloth: Cloth) -> Self {
        Self { cloth, layouts: Default::default(), published: Default::default(), identity: Arc::new(()) }
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

    /// The layout of the step's matrix when bending reaches so far in it.
    pub(crate) fn layout(&self, bending: Reach) -> &Arc<Layout> {
        self.layouts[bending as usize].get_or_init(|| Arc::new(Layout::new(&self.cloth, bending, &[])))
    }

    /// The same with room for rows that couple these pairs of nodes.
    pub(crate) fn layout_with(&self, bending: Reach, coupled_pairs: &[[usize; 2]]) -> Arc<Layout> {
        if coupled_pairs.is_empty() {
            self.layout(bending).clone()
        } else {
            Arc::new(Layout::new(&self.cloth, bending, coupled_pairs))
        }
    }

    /// How far bending must reach in the matrix of steps with this coefficient of `K₁`, kg m², and this inertia, kg/m².
    pub(crate) fn reach(&self, stiffness: f64, inertia: f64) -> Reach {
        let beyond = || {
            let cut = self.layout(Reach::Near).beyond.iter().zip(self.cloth.node_areas());
            cut.map(|(beyond, area)| beyond / area).fold(0.0, f64::max)
        };
        if stiffness == 0.0 {
            Reach::None
        } else if stiffness * beyond() <= FEEBLE * inertia {
            Reach::Near
        } else {
            Reach::Far
        }
    }

    /// The conditions of one of the authors' codes; `None` unless the mesh is a grid of quads.
    pub(crate) fn published(&self, code: Published) -> Option<&PublishedCloth> {
        self.published[code as usize].get_or_init(|| self.cloth.published(code)).as_ref()
    }
}

/// How far bending reaches in the matrix of a step. It is two rings of neighbours, and room for them makes the factor up to five
/// times as expensive: so only those pay for it who bend, and only if it is strong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Nothing bends.
    None,
    /// As far as there is room anyhow: what is beyond is put on the diagonal, and left to the next iterate.
    Near,
    /// As far as it does.
    Far,
}

/// Of the inertia of a node: bending beyond its room that is left to the next iterate. An iterate is then off by a fifth of what the
/// last one was, or less, in the shortest waves, and by nothing in long ones.
const FEEBLE: f64 = 0.1;

/// The pattern of a step's matrix and where each contribution goes.
#[derive(Debug)]
pub(crate) struct Layout {
    pub assembly: Assembly,
    /// The cloth's rows, nodes in elimination order.
    pub rows: Rows,
    /// Entries of the bending stiffness `K₁` below the diagonal that the matrix has room for.
    pub bending: Vec<([usize; 2], f64)>,
    /// Sum of the absolute values of each node's other entries: on the diagonal in their stead they make no mode softer.
    pub beyond: Vec<f64>,
    /// Entries of the curvature `S` of the cloth's rows below the diagonal: row, nodes, entry.
    pub curvature: Vec<(usize, [usize; 2], f64)>,
    /// Entries on its diagonal: row, node, entry.
    pub curvature_diagonal: Vec<(usize, usize, f64)>,
    /// `Σ_a ½ Σ_b |S_ab| / m_a` of each row: the scale of `∇C m⁻¹ ∇Cᵀ`, 1/m⁴.
    pub scale: Vec<f64>,
}

impl Layout {
    fn new(cloth: &Cloth, reach: Reach, coupled_pairs: &[[usize; 2]]) -> Self {
        let n = cloth.mesh().node_count();
        let mut rows = cloth.rows.clone();
        let entries =
            (0..n).flat_map(|i| cloth.bending.row(i).filter(move |&(j, _)| j < i).map(move |(j, k)| ([i, j], k)));
        let mut bending: Vec<([usize; 2], f64)> = if reach == Reach::None { Vec::new() } else { entries.collect() };
        // The points of contact: nodes, and centres of elements.
        let elements = cloth.mesh().elements().iter().map(|element| element.nodes());
        let cliques = (0..rows.len()).map(|r| rows.nodes(r)).chain(elements);
        let bent = bending.iter().filter(|_| reach == Reach::Far).map(|(pair, _)| pair.as_slice());
        let coupled_pairs = coupled_pairs.iter().map(|pair| pair.as_slice());
        let pattern = BlockPattern::new(cloth.mesh().positions(), cliques.chain(bent).chain(coupled_pairs));
        rows.sort_nodes_by_rank(pattern.rank());
        let mut beyond = vec![0.0; n];
        bending.retain(|&([i, j], k)| {
            let fits = pattern.has(i, j);
            if !fits {
                beyond[i] += k.abs();
                beyond[j] += k.abs();
            }
            fits
        });

        let (mut curvature, mut curvature_diagonal) = (Vec::new(), Vec::new());
        for &r in rows.curved() {
            let nodes = rows.nodes(r);
            for (a, (&i, s)) in nodes.iter().zip(rows.weights(r).chunks_exact(nodes.len())).enumerate() {
                curvature.extend(nodes[..a].iter().zip(s).filter(|(_, s)| **s != 0.0).map(|(&j, &s)| (r, [i, j], s)));
                curvature_diagonal.push((r, i, s[a]));
            }
        }
        let pairs = bending.iter().map(|&(pair, _)| pair).chain(curvature.iter().map(|&(_, pair, _)| pair));
        let assembly = Assembly::new(pattern, pairs, (0..rows.len()).map(|r| rows.nodes(r)));
        let scale = (0..rows.len()).map(|r| scale(&rows, r, cloth.node_areas())).collect();
        Self { assembly, rows, bending, beyond, curvature, curvature_diagonal, scale }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::{RestShape, Scheme};
    use crate::mesh::Mesh;

    /// `xᵀ B x` with what a layout holds of the bending stiffness.
    fn energy(layout: &Layout, cloth: &Cloth, x: &[f64]) -> f64 {
        let diagonal = |i: usize| (cloth.bending.diagonal(i) + layout.beyond[i]) * x[i] * x[i];
        let couplings = layout.bending.iter().map(|&([i, j], k)| 2.0 * k * x[i] * x[j]);
        (0..x.len()).map(diagonal).sum::<f64>() + couplings.sum::<f64>()
    }

    #[test]
    fn bending_cut_short_is_stiffer_in_every_mode_and_little_so_in_long_waves() {
        let mesh = Mesh::grid(12, 9, |s, t| DVec3::new(1.1 * s, 0.8 * t, 0.0)).expect("a sheet");
        let model = Model::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()));
        let (near, far) = (model.layout(Reach::Near), model.layout(Reach::Far));
        assert!(near.bending.len() < far.bending.len() && far.beyond.iter().all(|&beyond| beyond == 0.0));
        let places = model.cloth().mesh().positions();
        let scale = (0..108).map(|i| model.cloth().bending.diagonal(i)).fold(0.0, f64::max);
        for (p, q) in (0..40).flat_map(|p| (0..30).map(move |q| (f64::from(p), f64::from(q)))) {
            let x: Vec<f64> = places.iter().map(|x| (p * x.x + 0.3).sin() * (q * x.y - 0.7).cos()).collect();
            let [cut, whole] = [near, far].map(|layout| energy(layout, model.cloth(), &x));
            assert!(cut >= whole - 1e-9 * scale, "wave {p}, {q}: {cut} against {whole}");
        }
        // It costs what second differences over two cells cost instead of fourth ones.
        let wave: Vec<f64> = places.iter().map(|x| (std::f64::consts::TAU * x.x / 1.1).sin()).collect();
        let ratio = energy(near, model.cloth(), &wave) / scale;
        assert!(ratio < 0.1 * wave.iter().map(|x| x * x).sum::<f64>(), "{ratio}");
    }

    #[test]
    fn how_far_bending_reaches_depends_on_its_strength() {
        let mesh = Mesh::grid(6, 6, |s, t| DVec3::new(0.5 * s, 0.5 * t, 0.0)).expect("a sheet");
        let model = Model::new(Cloth::new(mesh, RestShape::Mesh, Scheme::default()));
        // Steps of 10 ms of a sheet of 0.2 kg/m²: limp, as cotton, as felt.
        let reaches = [0.0, 1e-5, 1e-2].map(|bending| model.reach(1e-4 * bending, 0.2));
        assert_eq!(reaches, [Reach::None, Reach::Near, Reach::Far]);
    }
}
