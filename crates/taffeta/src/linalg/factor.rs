//! The numbers of a block matrix and of its Cholesky factor, computed front by front.
//!
//! Multifrontal: each supernode gathers its columns of the matrix and the updates of its children into one dense front,
//! eliminates its columns there, keeps them, and leaves the rest on a stack for its parent.

use glam::{DMat3, DVec3};
use pulp::Arch;

use super::dense::{self, LANES};
use super::{BlockPattern, Slot};

/// The matrix had a pivot that is not positive: it is not positive definite, or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPositive;

/// A symmetric block matrix over a [`BlockPattern`] and room for its factor. Allocates nothing after `new`.
pub(crate) struct Factor {
    pub(super) arch: Arch,
    values: Vec<f64>,
    pub(super) factor: Vec<f64>,
    front: Vec<f64>,
    stack: Vec<f64>,
    vector: Vec<f64>,
    pub(super) local: Vec<f64>,
    /// All zeros between modifications.
    pub(super) sparse: Vec<f64>,
}

impl Factor {
    pub fn new(pattern: &BlockPattern) -> Self {
        let (mut deepest, mut depth, mut largest, mut longest) = (0, 0, 0, 0);
        for node in pattern.supernodes() {
            largest = largest.max(node.stride() * 3 * node.front());
            longest = longest.max(node.stride());
            depth -= node.children.iter().map(|&c| update_len(pattern, c)).sum::<usize>();
            depth += 9 * node.rows.len() * node.rows.len();
            deepest = deepest.max(depth);
        }
        Self {
            arch: Arch::new(),
            values: vec![0.0; pattern.len()],
            factor: vec![0.0; pattern.len()],
            front: vec![0.0; largest + LANES],
            stack: vec![0.0; deepest],
            vector: vec![0.0; 3 * pattern.order().len()],
            local: vec![0.0; longest],
            sparse: vec![0.0; 3 * pattern.order().len()],
        }
    }

    /// Sets the matrix to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds `d·I` to a block.
    #[inline]
    pub fn add_scaled_identity(&mut self, slot: Slot, d: f64) {
        let (base, stride) = (slot.base as usize, slot.stride as usize);
        for c in 0..3 {
            self.values[base + c * stride + c] += d;
        }
    }

    /// Adds a symmetric matrix to a block.
    #[inline]
    pub fn add_block(&mut self, slot: Slot, block: &DMat3) {
        let (base, stride) = (slot.base as usize, slot.stride as usize);
        for c in 0..3 {
            let column = &mut self.values[base + c * stride..base + c * stride + 3];
            column.iter_mut().zip(block.col(c).to_array()).for_each(|(value, entry)| *value += entry);
        }
    }

    /// Adds `u vᵀ` to a block.
    #[inline]
    pub fn add_outer(&mut self, slot: Slot, u: DVec3, v: DVec3) {
        let (base, stride) = (slot.base as usize, slot.stride as usize);
        let columns = &mut self.values[base..base + 2 * stride + 3];
        let (first, rest) = columns.split_at_mut(stride);
        let (second, third) = rest.split_at_mut(stride);
        // Patterns instead of indices: one check for each column.
        if let ([xx, yx, zx, ..], [xy, yy, zy, ..], [xz, yz, zz, ..]) = (first, second, third) {
            *xx += u.x * v.x;
            *yx += u.y * v.x;
            *zx += u.z * v.x;
            *xy += u.x * v.y;
            *yy += u.y * v.y;
            *zy += u.z * v.y;
            *xz += u.x * v.z;
            *yz += u.y * v.z;
            *zz += u.z * v.z;
        }
    }

    /// Computes the Cholesky factor of the matrix.
    pub fn factorise(&mut self, pattern: &BlockPattern) -> Result<(), NotPositive> {
        let mut top = 0;
        for (s, node) in pattern.supernodes().iter().enumerate() {
            let (n, k, stride) = (3 * node.front(), 3 * node.columns, node.stride());
            // Vectors that straddle cache lines cost twice: begin at the boundary of one.
            let boundary = self.front.as_ptr().align_offset(LANES * size_of::<f64>()).min(LANES);
            let front = &mut self.front[boundary..boundary + stride * n];
            front[..stride * k].copy_from_slice(&self.values[pattern.values(s)]);
            for (j, column) in front[stride * k..].chunks_exact_mut(stride).enumerate() {
                column[(k + j) / LANES * LANES..].fill(0.0);
            }
            for &child in node.children.iter().rev() {
                top -= update_len(pattern, child);
                add_update(front, stride, &self.stack[top..], &pattern.supernodes()[child].into_parent);
            }
            if !dense::eliminate(self.arch, front, stride, n, k) {
                return Err(NotPositive);
            }
            self.factor[pattern.values(s)].copy_from_slice(&front[..stride * k]);
            for (j, column) in self.stack[top..top + (n - k) * (n - k)].chunks_exact_mut((n - k).max(1)).enumerate() {
                let start = (k + j) * stride;
                column[j..].copy_from_slice(&front[start + k + j..start + n]);
            }
            top += (n - k) * (n - k);
        }
        Ok(())
    }

    /// Solves with the last factor: `x` holds the right-hand side on entry and the solution on return.
    pub fn solve(&mut self, pattern: &BlockPattern, x: &mut [DVec3]) {
        for (target, &node) in self.vector.chunks_exact_mut(3).zip(pattern.order()) {
            target.copy_from_slice(&x[node].to_array());
        }
        for (s, node) in pattern.supernodes().iter().enumerate() {
            let (k, first) = (3 * node.columns, 3 * node.first);
            let local = &mut self.local[..node.stride()];
            local[..k].copy_from_slice(&self.vector[first..first + k]);
            local[k..].fill(0.0);
            dense::solve_lower(self.arch, &self.factor[pattern.values(s)], local, k);
            self.vector[first..first + k].copy_from_slice(&local[..k]);
            for (update, &row) in local[k..].chunks_exact(3).zip(&node.rows) {
                (0..3).for_each(|c| self.vector[3 * row + c] += update[c]);
            }
        }
        for (s, node) in pattern.supernodes().iter().enumerate().rev() {
            let (k, first) = (3 * node.columns, 3 * node.first);
            let local = &mut self.local[..node.stride()];
            local[..k].copy_from_slice(&self.vector[first..first + k]);
            local[3 * node.front()..].fill(0.0);
            for (target, &row) in local[k..].chunks_exact_mut(3).zip(&node.rows) {
                target.copy_from_slice(&self.vector[3 * row..3 * row + 3]);
            }
            dense::solve_upper(self.arch, &self.factor[pattern.values(s)], local, k);
            self.vector[first..first + k].copy_from_slice(&local[..k]);
        }
        for (source, &node) in self.vector.chunks_exact(3).zip(pattern.order()) {
            x[node] = DVec3::from_slice(source);
        }
    }
}

/// Values of the update that supernode `s` leaves for its parent.
fn update_len(pattern: &BlockPattern, s: usize) -> usize {
    9 * pattern.supernodes()[s].rows.len().pow(2)
}

/// Adds a child's update to the front of its parent; `positions` tell where each of its block rows goes.
fn add_update(front: &mut [f64], stride: usize, update: &[f64], positions: &[u32]) {
    let m = 3 * positions.len();
    for (b, &column) in positions.iter().enumerate() {
        for c in 0..3 {
            let source = &update[(3 * b + c) * m + 3 * b..(3 * b + c + 1) * m];
            let start = (3 * column as usize + c) * stride;
            let target = &mut front[start..start + stride];
            // Above the diagonal of the first block there is nothing to add.
            let diagonal = 3 * column as usize;
            (c..3).for_each(|r| target[diagonal + r] += source[r]);
            for (values, &row) in source[3..].chunks_exact(3).zip(&positions[b + 1..]) {
                let target = &mut target[3 * row as usize..3 * row as usize + 3];
                target[0] += values[0];
                target[1] += values[1];
                target[2] += values[2];
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A ring of vertices with chords: `A = I + Σ (u vᵀ + …)`, assembled in blocks and densely.
    pub fn problem(n: usize) -> (BlockPattern, Factor, Vec<Vec<DMat3>>) {
        let places: Vec<DVec3> =
            (0..n).map(|i| DVec3::new((i as f64 * 0.7).cos(), (i as f64 * 0.7).sin(), 0.1 * i as f64)).collect();
        let cliques: Vec<[usize; 3]> = (0..n).map(|i| [i, (i + 1) % n, (i + 5) % n]).collect();
        let pattern = BlockPattern::new(&places, cliques.iter().map(|c| c.as_slice()));
        let mut factor = Factor::new(&pattern);
        factor.clear();
        let mut dense = vec![vec![DMat3::ZERO; n]; n];
        for (i, row) in dense.iter_mut().enumerate() {
            factor.add_scaled_identity(pattern.slot(i, i), 1.0);
            row[i] += DMat3::IDENTITY;
        }
        for clique in &cliques {
            let g = clique.map(|i| places[i] - places[(i + 2) % n] + DVec3::new(0.1, -0.2, 0.3));
            for a in 0..3 {
                for b in 0..3 {
                    let outer = DMat3::from_cols(g[a] * g[b].x, g[a] * g[b].y, g[a] * g[b].z) * 50.0;
                    dense[clique[a]][clique[b]] += outer;
                    if clique[a] == clique[b] {
                        factor.add_outer(pattern.slot(clique[a], clique[a]), g[a] * 50.0, g[a]);
                    } else if pattern.rank()[clique[a]] > pattern.rank()[clique[b]] {
                        factor.add_outer(pattern.slot(clique[a], clique[b]), g[a] * 50.0, g[b]);
                    }
                }
            }
        }
        (pattern, factor, dense)
    }

    #[test]
    fn solutions_satisfy_the_dense_system() {
        for n in [6, 17, 60] {
            let (pattern, mut factor, dense) = problem(n);
            factor.factorise(&pattern).expect("positive definite");
            let rhs: Vec<DVec3> = (0..n).map(|i| DVec3::new(i as f64, 1.0 - i as f64, (i as f64).sin())).collect();
            let mut x = rhs.clone();
            factor.solve(&pattern, &mut x);
            for i in 0..n {
                let product: DVec3 = (0..n).map(|j| dense[i][j] * x[j]).sum();
                assert!((product - rhs[i]).length() < 1e-9 * n as f64, "row {i}: {product} against {}", rhs[i]);
            }
        }
    }

    #[test]
    fn an_indefinite_matrix_is_refused() {
        let (pattern, mut factor, _) = problem(17);
        factor.add_scaled_identity(pattern.slot(3, 3), -1e6);
        assert_eq!(factor.factorise(&pattern), Err(NotPositive));
    }
}
