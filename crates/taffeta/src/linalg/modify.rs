//! Rank-one changes of a matrix carried over to its factor, along one path of the elimination tree.

use glam::DVec3;

use super::{BlockPattern, Factor, NotPositive, dense};

/// Whether a term is added to a matrix or taken away from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Add,
    Remove,
}

impl Factor {
    /// Turns the factor of `A` into that of `A ± a aᵀ`, `a` given at a few vertices that all touch each other. When this
    /// fails, because what is left is not positive definite, the factor is spoilt and must be made anew.
    pub fn modify(
        &mut self,
        pattern: &BlockPattern,
        change: Change,
        entries: impl Iterator<Item = (usize, DVec3)>,
    ) -> Result<(), NotPositive> {
        let mut first = usize::MAX;
        for (vertex, a) in entries {
            let rank = pattern.rank()[vertex];
            self.sparse[3 * rank..3 * rank + 3].copy_from_slice(&a.to_array());
            first = first.min(rank);
        }
        // Touching vertices lie on one path from the first of them to the root.
        let mut next = (first < usize::MAX).then(|| pattern.owner(first));
        let mut positive = true;
        while let Some(s) = next {
            let node = &pattern.supernodes()[s];
            let (k, start) = (3 * node.columns, 3 * node.first);
            let local = &mut self.local[..node.stride()];
            local[..k].copy_from_slice(&self.sparse[start..start + k]);
            self.sparse[start..start + k].fill(0.0);
            local[3 * node.front()..].fill(0.0);
            for (target, &row) in local[k..].chunks_exact_mut(3).zip(&node.rows) {
                target.copy_from_slice(&self.sparse[3 * row..3 * row + 3]);
            }
            if positive {
                let columns = &mut self.factor[pattern.values(s)];
                positive = dense::modify(self.arch, columns, local, k, change == Change::Add);
            }
            for (source, &row) in local[k..].chunks_exact(3).zip(&node.rows) {
                // After a failure the rest of the path is only cleared.
                let entries = if positive { source } else { &[0.0; 3] };
                self.sparse[3 * row..3 * row + 3].copy_from_slice(entries);
            }
            next = node.rows.first().map(|&row| pattern.owner(row));
        }
        if positive { Ok(()) } else { Err(NotPositive) }
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
            for k in 0..n {
                let a = [(k, DVec3::new(1.0, -2.0, 0.5)), ((k + 1) % n, DVec3::new(0.3, 4.0, -1.0))];
                factor.modify(&pattern, Change::Add, a.into_iter()).expect("adding is safe");
                more.push(a);
            }
            // Every second one is taken away again.
            for k in (0..n).rev().step_by(2) {
                factor.modify(&pattern, Change::Remove, more.remove(k).into_iter()).expect("still positive definite");
            }
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
        assert_eq!(factor.modify(&pattern, Change::Remove, far.into_iter()), Err(NotPositive));
        // The scratch is clean: a fresh factor is modified as ever.
        factor.factorise(&pattern).expect("positive definite");
        let none = [(3, DVec3::ZERO)];
        let mut before = vec![DVec3::ONE; 17];
        factor.solve(&pattern, &mut before);
        factor.modify(&pattern, Change::Remove, none.into_iter()).expect("nothing to remove");
        let mut after = vec![DVec3::ONE; 17];
        factor.solve(&pattern, &mut after);
        assert_eq!(before, after);
    }
}
