//! Changes of low rank of a matrix carried over to its factor, along paths of the elimination tree.

use glam::DVec3;
use pulp::{Scalar, Simd, WithSimd};

use super::aligned::LANES;
use super::rank::{self, Columns};
use super::{BlockPattern, Factor, NotPositive};

/// Changes that are carried over at once: as many as there are registers for, with three columns.
pub(super) const BATCH: usize = 4;

/// Whether a term is added to a matrix or taken away from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Add,
    Remove,
}

impl Factor {
    /// Turns the factor of `A` into that of `A ± a aᵀ ± …`, each `a` given at a few vertices that all touch each other. When
    /// this fails, because what is left is not positive definite, the factor is spoilt and must be made again.
    pub fn modify<E: Iterator<Item = (usize, DVec3)>>(
        &mut self,
        pattern: &BlockPattern,
        mut changes: impl Iterator<Item = (Change, E)>,
    ) -> Result<(), NotPositive> {
        let n = 3 * pattern.order().len();
        loop {
            let mut batch = Batch { at: [None; BATCH], weights: [0.0; BATCH] };
            let mut count = 0;
            for (sparse, (change, entries)) in self.sparse.chunks_exact_mut(n).zip(&mut changes) {
                let mut first = usize::MAX;
                for (vertex, a) in entries {
                    let rank = pattern.rank()[vertex];
                    sparse[3 * rank..3 * rank + 3].copy_from_slice(&a.to_array());
                    first = first.min(rank);
                }
                batch.at[count] = (first < usize::MAX).then(|| pattern.owner(first));
                batch.weights[count] = if change == Change::Add { 1.0 } else { -1.0 };
                count += 1;
            }
            if count == 0 {
                return Ok(());
            }
            if !self.arch.dispatch(Walk { pattern, factor: self, batch }) {
                self.sparse.fill(0.0);
                return Err(NotPositive);
            }
        }
    }
}

/// Changes that are carried over at once.
struct Batch {
    /// The supernode at which each has arrived; `None` beyond the root.
    at: [Option<usize>; BATCH],
    weights: [f64; BATCH],
}

/// Carries a batch of changes to the root. Vertices that touch each other lie on one path from the first of them to the
/// root; where the paths of a batch have met, its changes go on together.
struct Walk<'a> {
    pattern: &'a BlockPattern,
    factor: &'a mut Factor,
    batch: Batch,
}

impl WithSimd for Walk<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> bool {
        if !LANES.is_multiple_of(S::F64_LANES) {
            // Vectors longer than the padding would miss rows.
            return self.with_simd(Scalar);
        }
        // Children come before their parents.
        while let Some(s) = self.batch.at.iter().flatten().min().copied() {
            let mut here = [0; BATCH];
            let mut count = 0;
            for r in (0..BATCH).filter(|&r| self.batch.at[r] == Some(s)) {
                here[count] = r;
                count += 1;
            }
            let positive = match count {
                1 => self.visit::<S, 1>(simd, s, [here[0]]),
                2 => self.visit::<S, 2>(simd, s, [here[0], here[1]]),
                3 => self.visit::<S, 3>(simd, s, [here[0], here[1], here[2]]),
                _ => self.visit::<S, BATCH>(simd, s, here),
            };
            if !positive {
                return false;
            }
        }
        true
    }
}

impl Walk<'_> {
    /// Carries the changes `here` over to the columns of supernode `s`, and leads them to its parent.
    #[inline(always)]
    fn visit<S: Simd, const N: usize>(&mut self, simd: S, s: usize, here: [usize; N]) -> bool {
        let Self { pattern, factor, batch } = self;
        let node = &pattern.supernodes()[s];
        let (n, stride) = (3 * pattern.order().len(), node.stride());
        let own = 3 * node.first..3 * node.first + 3 * node.columns;
        let mut rest = &mut factor.local[..N * stride];
        let mut locals: [&mut [f64]; N] = std::array::from_fn(|_| {
            let (local, later) = std::mem::take(&mut rest).split_at_mut(stride);
            rest = later;
            local
        });
        for (&r, local) in here.iter().zip(&mut locals) {
            let sparse = &mut factor.sparse[r * n..(r + 1) * n];
            let (columns, rows) = local.split_at_mut(own.len());
            columns.copy_from_slice(&sparse[own.clone()]);
            sparse[own.clone()].fill(0.0);
            for (target, &row) in rows.chunks_exact_mut(3).zip(&node.rows) {
                target.copy_from_slice(&sparse[3 * row..3 * row + 3]);
            }
            rows[3 * node.rows.len()..].fill(0.0);
        }
        let mut weights = here.map(|r| batch.weights[r]);
        let columns = Columns {
            lower: &mut factor.lower[pattern.values(s)],
            stride,
            diagonal: &mut factor.diagonal[own.clone()],
            inverse: &mut factor.inverse[own.clone()],
        };
        if !rank::modify(simd, columns, &mut weights, locals.each_mut().map(|local| &mut **local)) {
            return false;
        }
        let parent = node.rows.first().map(|&row| pattern.owner(row));
        for ((&r, local), weight) in here.iter().zip(&locals).zip(weights) {
            let sparse = &mut factor.sparse[r * n..(r + 1) * n];
            for (source, &row) in local[own.len()..].chunks_exact(3).zip(&node.rows) {
                sparse[3 * row..3 * row + 3].copy_from_slice(source);
            }
            (batch.at[r], batch.weights[r]) = (parent, weight);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::factor::tests::problem;
    use super::*;

    #[test]
    fn a_modified_factor_solves_the_modified_system() {
        for n in [6, 17, 60] {
            let (pattern, mut factor, dense) = problem(n);
            factor.factorise(&pattern).expect("positive definite");
            let mut more = Vec::new();
            let row = |k: usize| [(k, DVec3::new(1.0, -2.0, 0.5)), ((k + 1) % n, DVec3::new(0.3, 4.0, -1.0))];
            let adding = |k: usize| (Change::Add, row(k).into_iter());
            let removing = |k: usize| (Change::Remove, row(k).into_iter());
            // One, then many at once, of which every second is taken away again while the last of them come.
            factor.modify(&pattern, [adding(0)].into_iter()).expect("adding is safe");
            factor.modify(&pattern, (1..n - 3).map(adding)).expect("adding is safe");
            let (last, gone) = (n - 3..n, (0..n - 3).step_by(2));
            factor.modify(&pattern, last.map(adding).chain(gone.map(removing))).expect("still positive definite");
            more.extend((0..n).filter(|&k| k >= n - 3 || k % 2 == 1).map(row));
            let rhs: Vec<DVec3> = (0..n).map(|i| DVec3::new(i as f64, 1.0 - i as f64, (i as f64).sin())).collect();
            let mut x = rhs.clone();
            factor.solve(&pattern, &mut x);
            for i in 0..n {
                let mut product: DVec3 = (0..n).map(|j| dense[i][j] * x[j]).sum();
                for a in more.iter().filter(|a| a.iter().any(|&(v, _)| v == i)) {
                    let along: f64 = a.iter().map(|&(v, a)| a.dot(x[v])).sum();
                    product += a.iter().filter(|&&(v, _)| v == i).map(|&(_, a)| a * along).sum::<DVec3>();
                }
                assert!((product - rhs[i]).length() < 1e-9 * n as f64, "{n} row {i}: {product} against {}", rhs[i]);
            }
        }
    }

    #[test]
    fn what_was_never_added_cannot_be_taken_away() {
        let (pattern, mut factor, _) = problem(17);
        factor.factorise(&pattern).expect("positive definite");
        let far = [(3, DVec3::splat(1e3))];
        assert_eq!(factor.modify(&pattern, [(Change::Remove, far.into_iter())].into_iter()), Err(NotPositive));
        // The scratch is clean: a fresh factor is modified as ever.
        factor.lower.copy_from_slice(&problem(17).1.lower);
        factor.factorise(&pattern).expect("positive definite");
        let none = [(3, DVec3::ZERO)];
        let mut before = vec![DVec3::ONE; 17];
        factor.solve(&pattern, &mut before);
        factor.modify(&pattern, [(Change::Remove, none.into_iter())].into_iter()).expect("nothing to remove");
        let mut after = vec![DVec3::ONE; 17];
        factor.solve(&pattern, &mut after);
        assert_eq!(before, after);
    }
}
