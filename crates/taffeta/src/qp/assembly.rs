//! The condensed matrix of a program: `K = H + Σ aᵀσ⁻¹a` over the rows of a working set.

use super::active_set::Side;
use super::{Program, RowSet};
use crate::linalg::{BlockPattern, Factor, Slot};

/// Where each contribution of the programs of one cloth goes. It depends on which nodes meet in a row, not on any number.
#[derive(Debug)]
pub(crate) struct Assembly {
    pub pattern: BlockPattern,
    /// Diagonal block of each node.
    diagonal: Vec<Slot>,
    /// Block of each coupling.
    couplings: Vec<Slot>,
    /// Block of each pair `b ≤ a` of each cloth row's nodes, row by row.
    cloth: Vec<Slot>,
}

impl Assembly {
    /// For programs whose couplings go to these blocks, and their cloth rows, whose nodes must be listed in elimination order, to
    /// these, by pairs `b ≤ a` of the nodes of each.
    pub fn new(pattern: BlockPattern, diagonal: Vec<Slot>, couplings: Vec<Slot>, cloth: Vec<Slot>) -> Self {
        Self { pattern, diagonal, couplings, cloth }
    }

    /// For a program that came from somewhere else; puts the nodes of its rows in elimination order.
    pub fn of(program: &mut Program) -> Self {
        let n = program.nodes();
        let pairs: Vec<[usize; 2]> = program.couplings.iter().map(|&(pair, _)| pair).collect();
        let rows = (0..program.rows.len()).map(|r| program.rows.nodes(r));
        // Where the nodes are is not part of a program: a fill-reducing order by degree does without.
        let places = vec![glam::DVec3::ZERO; n];
        let pattern = BlockPattern::new(&places, pairs.iter().map(|p| p.as_slice()).chain(rows));
        program.rows.sort_nodes_by_rank(pattern.rank());
        let couplings = pairs.into_iter().map(|[i, j]| pattern.slot_of(i, j).0).collect();
        let mut cloth = Vec::new();
        for nodes in (0..program.cloth_rows).map(|r| program.rows.nodes(r)) {
            for (a, &i) in nodes.iter().enumerate() {
                cloth.extend(nodes[..=a].iter().map(|&j| pattern.slot(i, j)));
            }
        }
        let diagonal = pattern.diagonal();
        Self::new(pattern, diagonal, couplings, cloth)
    }

    /// Writes `K` with the rows of the working set: those whose multipliers are not at a bound.
    pub fn assemble(&self, program: &Program, sides: &[Side], factor: &mut Factor) {
        let free = &program.free;
        factor.clear();
        for (i, (&slot, block)) in self.diagonal.iter().zip(&program.diagonal).enumerate() {
            if free[i] {
                factor.add_block(slot, block);
            } else {
                factor.add_scaled_identity(slot, 1.0);
            }
        }
        for (&slot, &([i, j], k)) in self.couplings.iter().zip(&program.couplings) {
            // Many are zero: those of rows that are not under tension.
            if k != 0.0 && free[i] && free[j] {
                factor.add_scaled_identity(slot, k);
            }
        }
        let rows = &program.rows;
        let mut rest = &self.cloth[..];
        for r in 0..program.cloth_rows {
            let (nodes, gradient, stiffness) = (rows.nodes(r), rows.gradient(r), 1.0 / rows.compliance(r));
            let (slots, others) = rest.split_at(nodes.len() * (nodes.len() + 1) / 2);
            rest = others;
            // Edges are most of the rows, and most nodes are free.
            if let ([i, j], [first, second], [ii, ji, jj]) = (nodes, gradient, slots)
                && free[*i]
                && free[*j]
            {
                factor.add_outer(*ii, *first * stiffness, *first);
                factor.add_outer(*ji, *second * stiffness, *first);
                factor.add_outer(*jj, *second * stiffness, *second);
                continue;
            }
            let mut slots = slots.iter();
            for (a, &i) in nodes.iter().enumerate() {
                let weighted = gradient[a] * stiffness;
                for ((&j, &gradient), &slot) in nodes[..=a].iter().zip(gradient).zip(&mut slots) {
                    if free[i] && free[j] {
                        factor.add_outer(slot, weighted, gradient);
                    }
                }
            }
        }
        let mut stencil = Stencil::default();
        for r in (program.cloth_rows..rows.len()).filter(|&r| sides[r] == Side::Within) {
            stencil.set(rows.nodes(r), &self.pattern);
            self.add_row(rows, r, &stencil, free, factor);
        }
    }

    /// Adds `aᵀσ⁻¹a` of a row whose nodes all meet in one element.
    fn add_row(&self, rows: &RowSet, r: usize, stencil: &Stencil, free: &[bool], factor: &mut Factor) {
        let (nodes, gradient, stiffness) = (rows.nodes(r), rows.gradient(r), 1.0 / rows.compliance(r));
        for (a, &i) in nodes.iter().enumerate().filter(|&(_, &i)| free[i]) {
            factor.add_outer(self.diagonal[i], gradient[a] * stiffness, gradient[a]);
            for (b, &j) in nodes[..a].iter().enumerate().filter(|&(_, &j)| free[j]) {
                let (slot, swapped) = stencil.slot(a, b).unwrap_or_else(|| self.pattern.slot_of(i, j));
                let (row, column) = if swapped { (b, a) } else { (a, b) };
                factor.add_outer(slot, gradient[row] * stiffness, gradient[column]);
            }
        }
    }
}

/// The nodes of the row that was added last, and the blocks of their pairs: the rows of one contact, up to three, come one after
/// the other and have the same.
#[derive(Default)]
struct Stencil {
    nodes: [usize; 4],
    /// Number of nodes; 0 if there were more than four.
    count: usize,
    slots: [(Slot, bool); 6],
}

impl Stencil {
    fn set(&mut self, nodes: &[usize], pattern: &BlockPattern) {
        if self.nodes[..self.count] == *nodes {
            return;
        }
        self.count = if nodes.len() <= self.nodes.len() { nodes.len() } else { 0 };
        for (a, &i) in nodes[..self.count].iter().enumerate() {
            self.nodes[a] = i;
            let slots = &mut self.slots[a * a.saturating_sub(1) / 2..];
            slots.iter_mut().zip(&nodes[..a]).for_each(|(slot, &j)| *slot = pattern.slot_of(i, j));
        }
    }

    /// The block of the nodes `b < a` of the row, and whether it is stored with the second as its row.
    fn slot(&self, a: usize, b: usize) -> Option<(Slot, bool)> {
        (a < self.count).then(|| self.slots[a * (a - 1) / 2 + b])
    }
}
