//! Dense Cholesky of the leading columns of a symmetric matrix.
//!
//! A front of `n` rows is stored as two matrices, both column-major: its panel, the `k` columns that are eliminated, all `n`
//! rows long; and its update, what is left for the columns after them. Row `i` of the front is row `i` of the panel and row
//! `i − floor(k)` of the update: the same rows share vectors in both. Only the lower triangle counts; what stands above it
//! is overwritten with nonsense, since vectors do not begin at the diagonal.

use pulp::Simd;

use super::aligned::floor;

/// Columns that are worked on together, from multiples of this many on: those of two vertices, of one if one is left.
pub(super) const PANEL: usize = 6;

/// Eliminates the `k` columns of a panel, `k` a multiple of three: they become columns of the Cholesky factor. False if a
/// pivot is not positive.
#[inline(always)]
pub(super) fn eliminate<S: Simd>(simd: S, panel: &mut [f64], stride: usize, k: usize) -> bool {
    let mut done = 0;
    while done < k {
        let (left, right) = panel.split_at_mut(done * stride);
        let positive = if k - done >= PANEL {
            subtract_products::<S, PANEL>(simd, left, stride, done, right);
            finish::<S, PANEL>(simd, right, stride, done)
        } else {
            subtract_products::<S, 3>(simd, left, stride, done, right);
            finish::<S, 3>(simd, right, stride, done)
        };
        if !positive {
            return false;
        }
        done += PANEL;
    }
    true
}

/// Subtracts what the finished columns on the `left` contribute to the `C` columns from `column` on.
#[inline(always)]
fn subtract_products<S: Simd, const C: usize>(simd: S, left: &[f64], stride: usize, column: usize, right: &mut [f64]) {
    if !left.is_empty() {
        let target = Target { values: right, stride, missing: 0, overwrite: false };
        put_products::<S, C>(simd, left, stride, column, target);
    }
}

/// Writes the update of a panel of `k` finished columns: minus their products.
#[inline(always)]
pub(super) fn update<S: Simd>(simd: S, panel: &[f64], stride: usize, k: usize, n: usize, update: &mut [f64]) {
    let missing = floor(k);
    let mut column = k;
    while column < n {
        let values = &mut update[(column - k) * (stride - missing)..];
        let target = Target { values, stride: stride - missing, missing, overwrite: true };
        if n - column >= PANEL {
            put_products::<S, PANEL>(simd, panel, stride, column, target);
        } else {
            put_products::<S, 3>(simd, panel, stride, column, target);
        }
        column += PANEL;
    }
}

/// Columns that products are subtracted from.
struct Target<'a> {
    values: &'a mut [f64],
    stride: usize,
    /// Rows of the front that they lack.
    missing: usize,
    /// Whether they count as zero before.
    overwrite: bool,
}

/// Subtracts the products of all columns of `left` from `C` columns, from `column` of the front on.
#[inline(always)]
fn put_products<S: Simd, const C: usize>(simd: S, left: &[f64], stride: usize, column: usize, mut target: Target) {
    let mut row = floor(column);
    while row + 2 * S::F64_LANES <= stride {
        put_tile::<S, C, 2>(simd, left, stride, column, row, &mut target);
        row += 2 * S::F64_LANES;
    }
    if row < stride {
        put_tile::<S, C, 1>(simd, left, stride, column, row, &mut target);
    }
}

/// The same for `V` vectors of rows from `row` on.
#[inline(always)]
fn put_tile<S: Simd, const C: usize, const V: usize>(
    simd: S,
    left: &[f64],
    stride: usize,
    column: usize,
    row: usize,
    target: &mut Target,
) {
    let sums = products::<S, C, V>(simd, left, stride, column, row);
    for (c, sums) in sums.iter().enumerate() {
        let start = c * target.stride + row - target.missing;
        let values = S::as_mut_simd_f64s(&mut target.values[start..start + V * S::F64_LANES]).0;
        for v in 0..V {
            let before = if target.overwrite { simd.splat_f64s(0.0) } else { values[v] };
            values[v] = simd.sub_f64s(before, sums[v]);
        }
    }
}

/// `Σ L_p L_p[column + c]` over all columns `p` of `left`, for `V` vectors of rows from `row` on: sums that stay in registers,
/// twelve of them, two vectors and a factor.
#[inline(always)]
fn products<S: Simd, const C: usize, const V: usize>(
    simd: S,
    left: &[f64],
    stride: usize,
    column: usize,
    row: usize,
) -> [[S::f64s; V]; C] {
    let mut sums = [[simd.splat_f64s(0.0); V]; C];
    for source in left.chunks_exact(stride) {
        let vectors = S::as_simd_f64s(&source[row..row + V * S::F64_LANES]).0;
        let factors = &source[column..column + C];
        for c in 0..C {
            let factor = simd.splat_f64s(factors[c]);
            for v in 0..V {
                sums[c][v] = simd.mul_add_e_f64s(factor, vectors[v], sums[c][v]);
            }
        }
    }
    sums
}

/// Turns `C` columns, from which all earlier ones have been subtracted, into columns of the factor. The first is column
/// `first` of the panel.
#[inline(always)]
fn finish<S: Simd, const C: usize>(simd: S, columns: &mut [f64], stride: usize, first: usize) -> bool {
    let mut lower = [[0.0; C]; C];
    for (c, lower) in lower.iter_mut().enumerate() {
        lower.copy_from_slice(&columns[c * stride + first..c * stride + first + C]);
    }
    let mut inverse = [0.0; C];
    for j in 0..C {
        let pivot = lower[j][j];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        inverse[j] = 1.0 / pivot.sqrt();
        lower[j][j + 1..].iter_mut().for_each(|l| *l *= inverse[j]);
        for l in j + 1..C {
            for i in l..C {
                lower[l][i] -= lower[j][i] * lower[j][l];
            }
        }
    }
    // The rows of the block on the diagonal come out right too, its diagonal included.
    let start = floor(first);
    let mut columns = columns.chunks_exact_mut(stride).map(|column| S::as_mut_simd_f64s(&mut column[start..]).0);
    let vectors: [&mut [S::f64s]; C] = std::array::from_fn(|_| columns.next().unwrap_or_default());
    for i in 0..vectors[0].len() {
        let mut done = [simd.splat_f64s(0.0); C];
        for c in 0..C {
            let mut x = vectors[c][i];
            for q in 0..c {
                x = simd.mul_add_e_f64s(simd.splat_f64s(-lower[q][c]), done[q], x);
            }
            done[c] = simd.mul_f64s(x, simd.splat_f64s(inverse[c]));
            vectors[c][i] = done[c];
        }
    }
    true
}

/// Turns finished columns of `A = L Lᵀ` into those of `A = L D Lᵀ`: only what is below the diagonal is left, `D` and its inverse
/// are written apart. Columns are used in panels: the diagonal and all rows above it that are in vectors of the panel become
/// zero.
#[inline(always)]
pub(super) fn scale<S: Simd>(simd: S, panel: &mut [f64], stride: usize, diagonal: &mut [f64], inverse: &mut [f64]) {
    for (j, ((column, d), inverse)) in panel.chunks_exact_mut(stride).zip(diagonal).zip(inverse).enumerate() {
        let root = column[j];
        let reciprocal = 1.0 / root;
        (*d, *inverse) = (root * root, reciprocal * reciprocal);
        let factor = simd.splat_f64s(reciprocal);
        for x in S::as_mut_simd_f64s(&mut column[floor(j)..]).0 {
            *x = simd.mul_f64s(*x, factor);
        }
        column[floor(j - j % PANEL)..=j].fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, WithSimd};

    use super::super::aligned::LANES;
    use super::*;

    struct Factorise<'a> {
        panel: &'a mut [f64],
        n: usize,
        k: usize,
        update: &'a mut [f64],
        diagonal: &'a mut [f64],
        inverse: &'a mut [f64],
    }

    impl WithSimd for Factorise<'_> {
        type Output = bool;

        fn with_simd<S: Simd>(self, simd: S) -> bool {
            let stride = self.n.next_multiple_of(LANES);
            let positive = eliminate(simd, self.panel, stride, self.k);
            update(simd, self.panel, stride, self.k, self.n, self.update);
            scale(simd, self.panel, stride, self.diagonal, self.inverse);
            positive
        }
    }

    /// With vectors as long as the machine has them, or without.
    fn factorise(op: Factorise, vectors: bool) -> bool {
        if vectors { Arch::new().dispatch(op) } else { op.with_simd(pulp::Scalar) }
    }

    #[test]
    fn leading_columns_are_the_factor_and_the_rest_is_the_schur_complement() {
        for (n, k) in [(3, 3), (6, 3), (9, 6), (42, 15), (72, 72), (132, 102), (30, 9), (75, 27)] {
            let base = |i: usize, j: usize| ((i * 7 + j * 13) % 17) as f64 / 17.0 - 0.5;
            let a = |i: usize, j: usize| {
                let dot: f64 = (0..n).map(|l| base(i, l) * base(j, l)).sum();
                dot + if i == j { 2.0 } else { 0.0 }
            };
            let stride = n.next_multiple_of(LANES);
            let entry = |x: usize| if x % stride < n { a(x % stride, x / stride) } else { 0.0 };
            for vectors in [true, false] {
                let mut panel: Vec<f64> = (0..stride * k).map(entry).collect();
                let below = stride - floor(k);
                let (mut diagonal, mut inverse) = (vec![0.0; k], vec![0.0; k]);
                let mut update = vec![f64::NAN; below * (n - k)];
                let op = Factorise {
                    panel: &mut panel,
                    n,
                    k,
                    update: &mut update,
                    diagonal: &mut diagonal,
                    inverse: &mut inverse,
                };
                assert!(factorise(op, vectors));
                let l = |i: usize, j: usize| if i == j { 1.0 } else { panel[j * stride + i] };
                for j in 0..n {
                    assert!(j >= k || (diagonal[j] * inverse[j] - 1.0).abs() < 1e-14);
                    assert!(j >= k || (floor(j - j % PANEL)..=j).all(|i| panel[j * stride + i] == 0.0));
                    for i in j..n {
                        // A = L D Lᵀ + Schur complement; what it would have started from is not in the update.
                        let product: f64 = (0..k.min(j + 1)).map(|p| l(i, p) * diagonal[p] * l(j, p)).sum();
                        let expected = if j < k { a(i, j) } else { -update[(j - k) * below + i - floor(k)] };
                        assert!((product - expected).abs() < 1e-11 * n as f64, "{n} {k}: {i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_pivot_that_is_not_positive_is_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            for at in 0..3 {
                let mut panel: Vec<f64> = (0..24).map(|i| if i % 9 == 0 { 1.0 } else { 0.0 }).collect();
                panel[9 * at] = bad;
                let (mut diagonal, mut inverse) = ([0.0; 3], [0.0; 3]);
                let op = Factorise {
                    panel: &mut panel,
                    n: 3,
                    k: 3,
                    update: &mut [],
                    diagonal: &mut diagonal,
                    inverse: &mut inverse,
                };
                assert!(!factorise(op, true));
            }
        }
    }
}
