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
    /// For programs with these couplings and these cloth rows, whose nodes must be listed in elimination order.
    pub fn new<'r>(
        pattern: BlockPattern,
        couplings: impl Iterator<Item = [usize; 2]>,
        rows: impl Iterator<Item = &'r [usize]>,
    ) -> Self {
        let diagonal = (0..pattern.order().len()).map(|i| pattern.slot(i, i)).collect();
        let couplings = couplings.map(|[i, j]| pattern.slot_of(i, j).0).collect();
        let mut cloth = Vec::new();
        for nodes in rows {
            for (a, &i) in nodes.iter().enumerate() {
                cloth.extend(nodes[..=a].iter().map(|&j| pattern.slot(i, j)));
            }
        }
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
        Self::new(pattern, pairs.into_iter(), (0..program.cloth_rows).map(|r| program.rows.nodes(r)))
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
            if free[i] && free[j] {
                factor.add_scaled_identity(slot, k);
            }
        }
        let rows = &program.rows;
        let mut slots = self.cloth.iter();
        for r in 0..program.cloth_rows {
            let (nodes, gradient, stiffness) = (rows.nodes(r), rows.gradient(r), 1.0 / rows.compliance(r));
            for (a, &i) in nodes.iter().enumerate() {
                let weighted = gradient[a] * stiffness;
                for ((b, &j), &slot) in nodes[..=a].iter().enumerate().zip(&mut slots) {
                    if free[i] && free[j] {
                        factor.add_outer(slot, weighted, gradient[b]);
                    }
                }
            }
        }
        for r in (program.cloth_rows..rows.len()).filter(|&r| sides[r] == Side::Within) {
            self.add_row(rows, r, free, factor);
        }
    }

    /// Adds `aᵀσ⁻¹a` of a row whose nodes all meet in one element.
    fn add_row(&self, rows: &RowSet, r: usize, free: &[bool], factor: &mut Factor) {
        let (nodes, gradient, stiffness) = (rows.nodes(r), rows.gradient(r), 1.0 / rows.compliance(r));
        for (a, &i) in nodes.iter().enumerate().filter(|&(_, &i)| free[i]) {
            factor.add_outer(self.diagonal[i], gradient[a] * stiffness, gradient[a]);
            for (b, &j) in nodes[..a].iter().enumerate().filter(|&(_, &j)| free[j]) {
                let (slot, swapped) = self.pattern.slot_of(i, j);
                let (row, column) = if swapped { (b, a) } else { (a, b) };
                factor.add_outer(slot, gradient[row] * stiffness, gradient[column]);
            }
        }
    }
}
