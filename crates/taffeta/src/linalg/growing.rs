//! The Cholesky factor of a dense symmetric matrix that gains and loses one row and column at a time.

/// A lower triangular `L` with `L Lᵀ` the matrix. Both changes cost the square of its size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Growing {
    /// Row `i` has `i + 1` entries.
    rows: Vec<Vec<f64>>,
}

/// A row and column that would leave the matrix singular.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dependent {
    /// The row as a combination of those in the matrix.
    pub coefficients: Vec<f64>,
}

impl Growing {
    /// Adds a last row and column: its entries with those before it, and the one on the diagonal. Refuses one whose pivot is
    /// not above `tolerance` of the diagonal.
    pub fn append(&mut self, column: &[f64], diagonal: f64, tolerance: f64) -> Result<(), Dependent> {
        let mut row = column.to_vec();
        self.forward(&mut row);
        let pivot = diagonal - row.iter().map(|l| l * l).sum::<f64>();
        if pivot > tolerance * diagonal {
            row.push(pivot.sqrt());
            self.rows.push(row);
            Ok(())
        } else {
            self.backward(&mut row);
            Err(Dependent { coefficients: row })
        }
    }

    /// Takes out row and column `k`: those after it move up. Rotations restore the triangle.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn delete(&mut self, k: usize) {
        self.rows.remove(k);
        for j in k..self.rows.len() {
            let (x, y) = (self.rows[j][j], self.rows[j][j + 1]);
            let radius = x.hypot(y);
            let (cosine, sine) = (x / radius, y / radius);
            for row in &mut self.rows[j..] {
                let (x, y) = (row[j], row[j + 1]);
                (row[j], row[j + 1]) = (cosine * x + sine * y, cosine * y - sine * x);
            }
            self.rows[j].truncate(j + 1);
        }
    }

    /// Solves with the matrix: `x` holds the right-hand side on entry and the solution on return.
    pub fn solve(&self, x: &mut [f64]) {
        self.forward(x);
        self.backward(x);
    }

    fn forward(&self, x: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate() {
            let known: f64 = row[..i].iter().zip(&*x).map(|(l, x)| l * x).sum();
            x[i] = (x[i] - known) / row[i];
        }
    }

    fn backward(&self, x: &mut [f64]) {
        for (i, row) in self.rows.iter().enumerate().rev() {
            x[i] /= row[i];
            let (before, this) = x.split_at_mut(i);
            before.iter_mut().zip(row).for_each(|(x, l)| *x -= l * this[0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entry `(i, j)` of a positive definite matrix without end.
    fn entry(i: usize, j: usize) -> f64 {
        let bumps: f64 = (0..9).map(|k| ((i * k) as f64 * 0.37).sin() * ((j * k) as f64 * 0.37).sin()).sum();
        bumps + if i == j { 0.5 } else { 0.0 }
    }

    fn append(factor: &mut Growing, members: &mut Vec<usize>, i: usize) {
        let column: Vec<f64> = members.iter().map(|&j| entry(i, j)).collect();
        factor.append(&column, entry(i, i), 1e-12).expect("independent");
        members.push(i);
    }

    fn fresh(members: &[usize]) -> Growing {
        let (mut factor, mut done) = (Growing::default(), Vec::new());
        members.iter().for_each(|&i| append(&mut factor, &mut done, i));
        factor
    }

    fn distance(a: &Growing, b: &Growing) -> f64 {
        assert_eq!(a.rows.len(), b.rows.len());
        let entries = |f: &Growing| f.rows.concat();
        entries(a).iter().zip(entries(b)).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn a_factor_that_was_updated_is_the_one_made_afresh() {
        let (mut factor, mut members) = (Growing::default(), Vec::new());
        let mut next = 0;
        for turn in 0..400usize {
            if members.len() < 3 || turn * turn % 7 < 4 {
                append(&mut factor, &mut members, next);
                next += 1;
            } else {
                let k = turn * 31 % members.len();
                factor.delete(k);
                members.remove(k);
            }
            assert!(distance(&factor, &fresh(&members)) < 1e-11, "after turn {turn}, of size {}", members.len());
        }
        assert!(members.len() > 20, "only {} at the end", members.len());
    }

    #[test]
    fn its_solutions_satisfy_the_matrix() {
        let members: Vec<usize> = (3..40).collect();
        let mut factor = fresh(&(0..40).collect::<Vec<_>>());
        (0..3).for_each(|_| factor.delete(0));
        let rhs: Vec<f64> = members.iter().map(|&i| (i as f64).cos()).collect();
        let mut x = rhs.clone();
        factor.solve(&mut x);
        for (&i, rhs) in members.iter().zip(rhs) {
            let product: f64 = members.iter().zip(&x).map(|(&j, x)| entry(i, j) * x).sum();
            assert!((product - rhs).abs() < 1e-11);
        }
    }

    #[test]
    fn a_dependent_row_is_refused_and_its_combination_told() {
        // Gram matrix of (1, 0), (1, 1) and 2·(1, 0) − 3·(1, 1).
        let mut factor = Growing::default();
        assert_eq!(factor.append(&[], 1.0, 1e-12), Ok(()));
        assert_eq!(factor.append(&[1.0], 2.0, 1e-12), Ok(()));
        let dependent = factor.append(&[-1.0, -4.0], 10.0, 1e-12).expect_err("dependent");
        assert!((dependent.coefficients[0] - 2.0).abs() < 1e-12);
        assert!((dependent.coefficients[1] + 3.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_a_number_is_refused() {
        assert!(Growing::default().append(&[], f64::NAN, 1e-12).is_err());
    }
}
