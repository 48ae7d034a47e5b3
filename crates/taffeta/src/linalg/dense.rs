//! Dense Cholesky of the leading columns of a symmetric matrix, vectorised for the machine it runs on.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

/// Columns eliminated before the rest of the matrix is updated: the panel then fits the second-level cache.
const BLOCK: usize = 48;

/// Rows are stored in multiples of this many, so that every column begins at the boundary of a vector.
pub(super) const LANES: usize = 4;

/// Eliminates the first `k` of `n` columns of the lower triangle of `matrix` (column-major, `stride` a multiple of
/// [`LANES`]): they become columns of the Cholesky factor, the rest becomes the Schur complement. What stands above the
/// diagonal is overwritten with nonsense. False if a pivot is not positive.
pub(super) fn eliminate(arch: Arch, matrix: &mut [f64], stride: usize, n: usize, k: usize) -> bool {
    arch.dispatch(Eliminate { matrix, stride, n, k })
}

struct Eliminate<'a> {
    matrix: &'a mut [f64],
    stride: usize,
    n: usize,
    k: usize,
}

impl WithSimd for Eliminate<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { matrix, stride, n, k } = self;
        let mut block = 0;
        while block < k {
            let end = (block + BLOCK).min(k);
            let mut panel = block;
            while panel < end {
                let next = (panel + 4).min(end);
                for column in panel..next {
                    if !scale(matrix, stride, column) {
                        return false;
                    }
                    for later in column + 1..next {
                        subtract::<S, 1>(simd, matrix, stride, column, later);
                    }
                }
                subtract_panel(simd, matrix, stride, panel..next, next..end);
                panel = next;
            }
            subtract_block(simd, matrix, stride, block..end, n);
            block = end;
        }
        true
    }
}

/// Divides a column by the root of its pivot.
#[inline(always)]
fn scale(matrix: &mut [f64], stride: usize, column: usize) -> bool {
    let column = &mut matrix[column * stride + column..(column + 1) * stride];
    let pivot = column[0];
    if !(pivot > 0.0 && pivot.is_finite()) {
        return false;
    }
    let root = pivot.sqrt();
    let inverse = 1.0 / root;
    column[0] = root;
    column[1..].iter_mut().for_each(|x| *x *= inverse);
    true
}

/// Subtracts what at most four columns of the factor contribute to the columns `targets`.
#[inline(always)]
fn subtract_panel<S: Simd>(simd: S, matrix: &mut [f64], stride: usize, panel: Range<usize>, targets: Range<usize>) {
    for target in targets {
        match panel.len() {
            4 => subtract::<S, 4>(simd, matrix, stride, panel.start, target),
            3 => subtract::<S, 3>(simd, matrix, stride, panel.start, target),
            2 => subtract::<S, 2>(simd, matrix, stride, panel.start, target),
            _ => subtract::<S, 1>(simd, matrix, stride, panel.start, target),
        }
    }
}

/// The same for a whole block and all columns after it, two at a time so that a loaded panel serves both.
#[inline(always)]
fn subtract_block<S: Simd>(simd: S, matrix: &mut [f64], stride: usize, block: Range<usize>, n: usize) {
    let mut target = block.end;
    while target < n {
        let pair = target + 1 < n;
        let mut panel = block.start;
        while panel < block.end {
            let next = (panel + 4).min(block.end);
            if pair && next - panel == 4 {
                subtract_pair(simd, matrix, stride, panel, target);
            } else {
                subtract_panel(simd, matrix, stride, panel..next, target..target + 1 + usize::from(pair));
            }
            panel = next;
        }
        target += 2;
    }
}

/// `target −= Σ_p L_p · L_p[target]` over the `P` columns from `from`, from the vector that holds the diagonal on.
#[inline(always)]
fn subtract<S: Simd, const P: usize>(simd: S, matrix: &mut [f64], stride: usize, from: usize, target: usize) {
    let row = target - target % LANES;
    let (left, right) = matrix.split_at_mut(target * stride);
    let sources: [&[f64]; P] = std::array::from_fn(|p| &left[(from + p) * stride + row..(from + p + 1) * stride]);
    let factors: [S::f64s; P] = std::array::from_fn(|p| simd.splat_f64s(-sources[p][target - row]));
    let (targets, _) = S::as_mut_simd_f64s(&mut right[row..stride]);
    let sources: [&[S::f64s]; P] = sources.map(|s| S::as_simd_f64s(s).0);
    for (i, x) in targets.iter_mut().enumerate() {
        for p in 0..P {
            *x = simd.mul_add_e_f64s(factors[p], sources[p][i], *x);
        }
    }
}

/// The same with four columns on `target` and the one after it.
#[inline(always)]
fn subtract_pair<S: Simd>(simd: S, matrix: &mut [f64], stride: usize, from: usize, target: usize) {
    let row = target - target % LANES;
    let (left, right) = matrix.split_at_mut(target * stride);
    let (first, second) = right.split_at_mut(stride);
    let sources: [&[f64]; 4] = std::array::from_fn(|p| &left[(from + p) * stride + row..(from + p + 1) * stride]);
    let a = sources.map(|s| simd.splat_f64s(-s[target - row]));
    let b = sources.map(|s| simd.splat_f64s(-s[target + 1 - row]));
    let (first, _) = S::as_mut_simd_f64s(&mut first[row..stride]);
    let (second, _) = S::as_mut_simd_f64s(&mut second[row..stride]);
    let [s0, s1, s2, s3] = sources.map(|s| S::as_simd_f64s(s).0);
    let sources = s0.iter().zip(s1).zip(s2.iter().zip(s3));
    for ((x, y), ((&v0, &v1), (&v2, &v3))) in first.iter_mut().zip(second).zip(sources) {
        let (mut u, mut w) = (*x, *y);
        u = simd.mul_add_e_f64s(a[0], v0, u);
        w = simd.mul_add_e_f64s(b[0], v0, w);
        u = simd.mul_add_e_f64s(a[1], v1, u);
        w = simd.mul_add_e_f64s(b[1], v1, w);
        u = simd.mul_add_e_f64s(a[2], v2, u);
        w = simd.mul_add_e_f64s(b[2], v2, w);
        u = simd.mul_add_e_f64s(a[3], v3, u);
        w = simd.mul_add_e_f64s(b[3], v3, w);
        (*x, *y) = (u, w);
    }
}

/// Solves with the lower triangle of the first `k` columns (as long as `x`): the first `k` entries of `x`
/// become the solution, the rest is reduced by what it contributes there.
pub(super) fn solve_lower(arch: Arch, columns: &[f64], x: &mut [f64], k: usize) {
    arch.dispatch(SolveLower { columns, x, k });
}

struct SolveLower<'a> {
    columns: &'a [f64],
    x: &'a mut [f64],
    k: usize,
}

impl WithSimd for SolveLower<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { columns, x, k } = self;
        for (j, column) in columns.chunks_exact(x.len()).enumerate().take(k) {
            x[j] /= column[j];
            let factor = -x[j];
            let splat = simd.splat_f64s(factor);
            let (head, tail) = S::as_mut_simd_f64s(&mut x[j + 1..]);
            let (source, source_tail) = S::as_simd_f64s(&column[j + 1..]);
            for (x, &l) in head.iter_mut().zip(source) {
                *x = simd.mul_add_e_f64s(splat, l, *x);
            }
            tail.iter_mut().zip(source_tail).for_each(|(x, l)| *x += factor * l);
        }
    }
}

/// Solves with the transpose: the first `k` entries of `x` become the solution, given the rest.
pub(super) fn solve_upper(arch: Arch, columns: &[f64], x: &mut [f64], k: usize) {
    arch.dispatch(SolveUpper { columns, x, k });
}

struct SolveUpper<'a> {
    columns: &'a [f64],
    x: &'a mut [f64],
    k: usize,
}

impl WithSimd for SolveUpper<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { columns, x, k } = self;
        for (j, column) in columns.chunks_exact(x.len()).enumerate().take(k).rev() {
            let (head, tail) = S::as_simd_f64s(&x[j + 1..]);
            let (source, source_tail) = S::as_simd_f64s(&column[j + 1..]);
            let mut sum = simd.splat_f64s(0.0);
            for (&x, &l) in head.iter().zip(source) {
                sum = simd.mul_add_e_f64s(x, l, sum);
            }
            let rest: f64 = tail.iter().zip(source_tail).map(|(x, l)| x * l).sum();
            x[j] = (x[j] - simd.reduce_sum_f64s(sum) - rest) / column[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_columns_are_the_factor_and_the_rest_is_the_schur_complement() {
        for (n, k) in [(1, 1), (3, 3), (6, 3), (9, 5), (40, 13), (70, 70), (130, 101), (31, 0)] {
            let base = |i: usize, j: usize| ((i * 7 + j * 13) % 17) as f64 / 17.0 - 0.5;
            let a = |i: usize, j: usize| {
                let dot: f64 = (0..n).map(|l| base(i, l) * base(j, l)).sum();
                dot + if i == j { 2.0 } else { 0.0 }
            };
            let stride = n.next_multiple_of(LANES);
            let entry = |x: usize| if x % stride < n { a(x % stride, x / stride) } else { 0.0 };
            let mut matrix: Vec<f64> = (0..stride * n).map(entry).collect();
            assert!(eliminate(Arch::new(), &mut matrix, stride, n, k));
            for j in 0..n {
                for i in j..n {
                    // A = L Lᵀ + Schur complement.
                    let mut product: f64 =
                        (0..k.min(j + 1)).map(|l| matrix[l * stride + i] * matrix[l * stride + j]).sum();
                    if j >= k {
                        product += matrix[j * stride + i];
                    }
                    assert!((product - a(i, j)).abs() < 1e-11 * n as f64, "{n} {k}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn a_pivot_that_is_not_positive_is_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(!eliminate(Arch::new(), &mut [1.0, 0.0, 0.0, 0.0, 0.0, bad, 0.0, 0.0], 4, 2, 2));
        }
    }
}
