//! The numbers of a block matrix and of its Cholesky factor.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::supernodal::{
    SupernodalLltRef, factorize_supernodal_numeric_llt, factorize_supernodal_numeric_llt_scratch,
};
use faer::{Conj, MatMut, Par};
use glam::{DMat3, DVec3};

use super::{BlockPattern, Slot};

/// The matrix had a pivot that is not positive: it is not positive definite, or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPositive;

/// A symmetric block matrix over a [`BlockPattern`] and room for its factor. Allocates nothing after `new`.
pub(crate) struct Factor {
    values: Vec<f64>,
    factor: Vec<f64>,
    vector: Vec<f64>,
    memory: MemBuffer,
}

impl Factor {
    pub fn new(pattern: &BlockPattern) -> Self {
        let symbolic = pattern.symbolic();
        let request = factorize_supernodal_numeric_llt_scratch::<u32, f64>(symbolic, Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Self {
            values: vec![0.0; pattern.lower().row_idx().len()],
            factor: vec![0.0; symbolic.len_val()],
            vector: vec![0.0; symbolic.nrows()],
            memory: MemBuffer::new(request),
        }
    }

    /// Sets the matrix to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds `d·I` to a block.
    #[inline]
    pub fn add_scaled_identity(&mut self, slot: Slot, diagonal: bool, d: f64) {
        let columns = slot.columns(diagonal);
        for (c, &start) in columns.iter().enumerate() {
            self.values[start + if diagonal { 0 } else { c }] += d;
        }
    }

    /// Adds `u vᵀ + d·I` to an off-diagonal block.
    #[inline]
    pub fn add_outer(&mut self, slot: Slot, u: DVec3, v: DVec3, d: f64) {
        let block = DMat3::from_cols(u * v.x, u * v.y, u * v.z);
        for (c, &start) in slot.columns(false).iter().enumerate() {
            let column = block.col(c);
            let target = &mut self.values[start..start + 3];
            target[0] += column.x;
            target[1] += column.y;
            target[2] += column.z;
            target[c] += d;
        }
    }

    /// Adds `w u uᵀ + d·I` to a diagonal block.
    #[inline]
    pub fn add_square(&mut self, slot: Slot, u: DVec3, w: f64, d: f64) {
        let [c0, c1, c2] = slot.columns(true);
        let v = u * w;
        let target = &mut self.values[c0..c0 + 3];
        target[0] += u.x * v.x + d;
        target[1] += u.y * v.x;
        target[2] += u.z * v.x;
        let target = &mut self.values[c1..c1 + 2];
        target[0] += u.y * v.y + d;
        target[1] += u.z * v.y;
        self.values[c2] += u.z * v.z + d;
    }

    /// Computes the Cholesky factor of the matrix.
    pub fn factorise(&mut self, pattern: &BlockPattern) -> Result<(), NotPositive> {
        factorize_supernodal_numeric_llt(
            &mut self.factor,
            SparseColMatRef::new(pattern.lower(), &self.values),
            LltRegularization::default(),
            pattern.symbolic(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        )
        .map(|_| ())
        .map_err(|_| NotPositive)
    }

    /// Solves with the last factor: `x` holds the right-hand side on entry and the solution on return.
    pub fn solve(&mut self, pattern: &BlockPattern, x: &mut [DVec3]) {
        for (target, &node) in self.vector.chunks_exact_mut(3).zip(pattern.order()) {
            target.copy_from_slice(&x[node].to_array());
        }
        let n = self.vector.len();
        SupernodalLltRef::new(pattern.symbolic(), &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.vector, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        for (source, &node) in self.vector.chunks_exact(3).zip(pattern.order()) {
            x[node] = DVec3::from_slice(source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring of vertices with chords: `A = I + Σ (u vᵀ + …)`, assembled in blocks and densely.
    fn problem(n: usize) -> (BlockPattern, Factor, Vec<Vec<DMat3>>) {
        let places: Vec<DVec3> =
            (0..n).map(|i| DVec3::new((i as f64 * 0.7).cos(), (i as f64 * 0.7).sin(), 0.1 * i as f64)).collect();
        let cliques: Vec<[usize; 3]> = (0..n).map(|i| [i, (i + 1) % n, (i + 5) % n]).collect();
        let pattern = BlockPattern::new(&places, cliques.iter().map(|c| c.as_slice()));
        let mut factor = Factor::new(&pattern);
        factor.clear();
        let mut dense = vec![vec![DMat3::ZERO; n]; n];
        for i in 0..n {
            factor.add_scaled_identity(pattern.slot(i, i), true, 1.0);
            dense[i][i] += DMat3::IDENTITY;
        }
        for clique in &cliques {
            let g = clique.map(|i| places[i] - places[(i + 2) % n] + DVec3::new(0.1, -0.2, 0.3));
            for a in 0..3 {
                for b in 0..3 {
                    let outer = DMat3::from_cols(g[a] * g[b].x, g[a] * g[b].y, g[a] * g[b].z) * 50.0;
                    dense[clique[a]][clique[b]] += outer;
                    if clique[a] == clique[b] {
                        factor.add_square(pattern.slot(clique[a], clique[a]), g[a], 50.0, 0.0);
                    } else if pattern.rank()[clique[a]] > pattern.rank()[clique[b]] {
                        factor.add_outer(pattern.slot(clique[a], clique[b]), g[a] * 50.0, g[b], 0.0);
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
        factor.add_scaled_identity(pattern.slot(3, 3), true, -1e6);
        assert_eq!(factor.factorise(&pattern), Err(NotPositive));
    }
}
