//! Layouts: the pattern of a step's matrix, and where everything goes in it.

use glam::{DMat3, DVec3};

use super::Reach;
use crate::cloth::{Cloth, Rows};
use crate::linalg::{BlockPattern, Graph, Pairs, Slot};
use crate::qp::{Assembly, Bounds, Program, RowSet};

/// What all layouts of a cloth with the same reach of bending have in common. Layouts are made in the middle of steps, whenever
/// parts of the cloth meet: what need not be found out again is kept here.
#[derive(Debug)]
pub(super) struct Template {
    /// Which nodes meet in the matrix, coupled pairs aside.
    graph: Graph,
    /// Entries of the bending stiffness `K₁` below the diagonal, and the numbers of their pairs.
    bending: Vec<([usize; 2], f64, usize)>,
    /// Pairs of nodes whose blocks are written by the cloth.
    pairs: Pairs,
    /// Numbers of the pairs `b < a` of each row's nodes, row by row.
    row_pairs: Vec<usize>,
}

impl Template {
    pub fn new(cloth: &Cloth, reach: Reach) -> Self {
        let (n, rows) = (cloth.mesh().node_count(), &cloth.rows);
        let entries =
            (0..n).flat_map(|i| cloth.bending.row(i).filter(move |&(j, _)| j < i).map(move |(j, k)| ([i, j], k)));
        let bending: Vec<([usize; 2], f64)> = if reach == Reach::None { Vec::new() } else { entries.collect() };
        let bent = || bending.iter().map(|(pair, _)| pair.as_slice());
        let row_nodes = || (0..rows.len()).map(|r| rows.nodes(r));
        // The points of contact: nodes, and centres of elements.
        let elements = cloth.mesh().elements().iter().map(|element| element.nodes());
        let graph = Graph::of_cliques(n, row_nodes().chain(elements).chain(bent().filter(|_| reach == Reach::Far)));
        let pairs = Pairs::new(Graph::of_cliques(n, row_nodes().chain(bent())));
        let number = |nodes: &[usize], a: usize, b: usize| pairs.number(nodes[a], nodes[b]);
        let below = |nodes: &[usize]| (0..nodes.len()).flat_map(|a| (0..a).map(move |b| (a, b))).collect::<Vec<_>>();
        let row_pairs =
            row_nodes().flat_map(|nodes| below(nodes).into_iter().map(move |(a, b)| number(nodes, a, b))).collect();
        let bending = bending.iter().map(|&([i, j], k)| ([i, j], k, pairs.number(i, j))).collect();
        Self { graph, bending, pairs, row_pairs }
    }
}

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
    /// With two nodes after those of the cloth for each of so many bodies, and room for rows that couple these pairs of nodes, each
    /// `[a, b]` with `a < b`, ascending.
    pub(super) fn new(cloth: &Cloth, template: &Template, bodies: usize, coupled_pairs: &[[usize; 2]]) -> Self {
        let pattern = if bodies == 0 {
            BlockPattern::of_graph(&template.graph.with_pairs(coupled_pairs), cloth.mesh().positions())
        } else {
            pattern_with_bodies(cloth, template, bodies, coupled_pairs)
        };
        let (slots, diagonal) = (pattern.slots(&template.pairs), pattern.diagonal());
        let (rows, origins) = cloth.rows.sorted_by_rank(pattern.rank());

        let mut couplings = Vec::with_capacity(template.bending.len());
        let mut bending = Vec::with_capacity(template.bending.len());
        let mut beyond = vec![0.0; diagonal.len()];
        for &([i, j], k, number) in &template.bending {
            if let Some(slot) = slots[number] {
                bending.push(([i, j], k));
                couplings.push(slot);
            } else {
                beyond[i] += k.abs();
                beyond[j] += k.abs();
            }
        }

        let mut cloth_slots = Vec::with_capacity(template.row_pairs.len() + rows.incidences());
        let (mut curvature, mut curvature_diagonal) = (Vec::new(), Vec::new());
        let (mut curved, mut rest) = (rows.curved(), &template.row_pairs[..]);
        for r in 0..rows.len() {
            let (nodes, origins) = (rows.nodes(r), &origins[rows.span(r)]);
            let (pairs, others) = rest.split_at(nodes.len() * nodes.len().saturating_sub(1) / 2);
            rest = others;
            let slot = |a: usize, b: usize| -> Slot {
                let (high, low) = (origins[a].max(origins[b]), origins[a].min(origins[b]));
                slots[pairs[high * (high - 1) / 2 + low]].expect("the nodes of a row meet in the matrix")
            };
            let is_curved = curved.first() == Some(&r);
            curved = &curved[usize::from(is_curved)..];
            for (a, &i) in nodes.iter().enumerate() {
                cloth_slots.extend((0..a).map(|b| slot(a, b)));
                cloth_slots.push(diagonal[i]);
                if is_curved {
                    let weights = &rows.weights(r)[a * nodes.len()..];
                    for b in (0..a).filter(|&b| weights[b] != 0.0) {
                        curvature.push((r, [i, nodes[b]], weights[b]));
                        couplings.push(slot(a, b));
                    }
                    curvature_diagonal.push((r, i, weights[a]));
                }
            }
        }
        let assembly = Assembly::new(pattern, diagonal, couplings, cloth_slots);
        let scale = (0..rows.len()).map(|r| scale(&rows, r, cloth.node_areas())).collect();
        Self { assembly, rows, bending, beyond, curvature, curvature_diagonal, scale }
    }

    /// A program with the cloth's rows and couplings in place, numbers to be filled in.
    pub fn program(&self, nodes: usize) -> Program {
        let mut rows = RowSet::new();
        for r in 0..self.rows.len() {
            rows.push(Bounds::Equality, 0.0, 1.0, self.rows.nodes(r).iter().map(|&i| (i, DVec3::ZERO)));
        }
        Program {
            free: vec![true; nodes],
            diagonal: vec![DMat3::ZERO; nodes],
            couplings: self.couplings().collect(),
            gradient: vec![DVec3::ZERO; nodes],
            cloth_rows: rows.len(),
            rows,
        }
    }

    /// Makes a program of another layout of the same cloth one of this layout. Which nodes are free, and the compliances of the
    /// cloth's rows, stay; other numbers are to be filled in.
    pub fn rearrange(&self, program: &mut Program) {
        program.rows.truncate(program.cloth_rows);
        program.rows.set_nodes(self.rows.all_nodes());
        program.couplings.clear();
        program.couplings.extend(self.couplings());
    }

    fn couplings(&self) -> impl Iterator<Item = ([usize; 2], f64)> {
        let pairs = self.bending.iter().map(|&(pair, _)| pair);
        pairs.chain(self.curvature.iter().map(|&(_, pair, _)| pair)).map(|pair| (pair, 0.0))
    }
}

/// The pattern with the nodes of bodies, all of which meet each other: bodies may touch, and close on each other.
fn pattern_with_bodies(
    cloth: &Cloth,
    template: &Template,
    bodies: usize,
    coupled_pairs: &[[usize; 2]],
) -> BlockPattern {
    let (n, more) = (template.graph.len(), 2 * bodies);
    let of_bodies = (n..n + more).flat_map(|i| (i + 1..n + more).map(move |j| [i, j]));
    // Both are ascending, and pairs of a node of the cloth come before those of bodies only.
    let pairs: Vec<[usize; 2]> = coupled_pairs.iter().copied().filter(|pair| pair[0] < n).chain(of_bodies).collect();
    // Bodies are apart from the cloth, and as near to one node of it as to another.
    let places: Vec<DVec3> =
        cloth.mesh().positions().iter().copied().chain(std::iter::repeat_n(DVec3::ZERO, more)).collect();
    BlockPattern::of_graph(&template.graph.with_vertices(more).with_pairs(&pairs), &places)
}

fn scale(rows: &Rows, r: usize, areas: &[f64]) -> f64 {
    let nodes = rows.nodes(r);
    let sums = rows.weights(r).chunks_exact(nodes.len()).map(|s| s.iter().map(|s| s.abs()).sum::<f64>());
    nodes.iter().zip(sums).map(|(&i, sum)| 0.5 * sum / areas[i]).sum()
}
