//! Dense Cholesky of the leading columns of a symmetric matrix, vectorised for the machine it runs on.

use std::ops::Range;

use pulp::{Arch, Scalar, Simd, WithSimd};

/// Columns eliminated before the rest of the matrix is updated, by a kernel that is twice as fast as theirs.
const BLOCK: usize = 24;

/// Rows are stored in multiples of this many, so that every column begins at the boundary of a vector.
pub(super) const LANES: usize = 8;

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
        if !LANES.is_multiple_of(S::F64_LANES) {
            // Vectors longer than the padding would miss rows.
            return self.with_simd(Scalar);
        }
        let Self { matrix, stride, n, k } = self;
        let mut block = 0;
        while block < k {
            let end = (block + BLOCK).min(k);
            let mut panel = block;
            while panel < end {
                let next = (panel + 4).min(end);
                let positive = if next - panel == 4 {
                    factor_panel(simd, matrix, stride, panel)
                } else {
                    factor_columns(simd, matrix, stride, panel..next)
                };
                if !positive {
                    return false;
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

/// Four columns at once, their first row at the boundary of a vector: the block on the diagonal one by one, everything
/// below it in a single pass.
#[inline(always)]
fn factor_panel<S: Simd>(simd: S, matrix: &mut [f64], stride: usize, panel: usize) -> bool {
    let columns = &mut matrix[panel * stride..(panel + 4) * stride];
    let (c0, rest) = columns.split_at_mut(stride);
    let (c1, rest) = rest.split_at_mut(stride);
    let (c2, c3) = rest.split_at_mut(stride);
    let mut block = [c0, c1, c2, c3].map(|column| &mut column[panel..]);
    let mut inverse = [0.0; 4];
    for j in 0..4 {
        let (done, later) = block.split_at_mut(j + 1);
        let column = &mut done[j][..4];
        let pivot = column[j];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let root = pivot.sqrt();
        inverse[j] = 1.0 / root;
        column[j] = root;
        column[j + 1..].iter_mut().for_each(|x| *x *= inverse[j]);
        for (target, row) in later.iter_mut().zip(j + 1..) {
            let factor = column[row];
            target[row..4].iter_mut().zip(&column[row..]).for_each(|(x, l)| *x -= l * factor);
        }
    }
    let lower = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(j, i): (usize, usize)| block[j][i]);
    let [l10, l20, l30, l21, l31, l32] = lower.map(|l| simd.splat_f64s(-l));
    let pivots = inverse;
    let inverse = inverse.map(|x| simd.splat_f64s(x));
    // Behind a panel that ends within a vector there is less than one, of four rows.
    let [(b0, t0), (b1, t1), (b2, t2), (b3, t3)] = block.map(|column| S::as_mut_simd_f64s(&mut column[4..]));
    for ((x0, x1), (x2, x3)) in t0.iter_mut().zip(t1).zip(t2.iter_mut().zip(t3)) {
        let y0 = *x0 * pivots[0];
        let y1 = (*x1 - lower[0] * y0) * pivots[1];
        let y2 = (*x2 - lower[1] * y0 - lower[3] * y1) * pivots[2];
        let y3 = (*x3 - lower[2] * y0 - lower[4] * y1 - lower[5] * y2) * pivots[3];
        (*x0, *x1, *x2, *x3) = (y0, y1, y2, y3);
    }
    for ((x0, x1), (x2, x3)) in b0.iter_mut().zip(b1).zip(b2.iter_mut().zip(b3)) {
        let y0 = simd.mul_f64s(*x0, inverse[0]);
        let y1 = simd.mul_f64s(simd.mul_add_e_f64s(l10, y0, *x1), inverse[1]);
        let y2 = simd.mul_add_e_f64s(l21, y1, simd.mul_add_e_f64s(l20, y0, *x2));
        let y2 = simd.mul_f64s(y2, inverse[2]);
        let y3 = simd.mul_add_e_f64s(l31, y1, simd.mul_add_e_f64s(l30, y0, *x3));
        let y3 = simd.mul_f64s(simd.mul_add_e_f64s(l32, y2, y3), inverse[3]);
        (*x0, *x1, *x2, *x3) = (y0, y1, y2, y3);
    }
    true
}

/// Fewer than four columns, one after the other.
#[inline(always)]
fn factor_columns<S: Simd>(simd: S, matrix: &mut [f64], stride: usize, columns: Range<usize>) -> bool {
    for column in columns.clone() {
        if !scale(matrix, stride, column) {
            return false;
        }
        for later in column + 1..columns.end {
            subtract::<S, 1>(simd, matrix, stride, column, later);
        }
    }
    true
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

/// The same for a whole block and all columns after it, up to six at a time: the columns of two nodes.
#[inline(always)]
fn subtract_block<S: Simd>(simd: S, matrix: &mut [f64], stride: usize, block: Range<usize>, n: usize) {
    let mut target = block.end;
    while target < n {
        target += match n - target {
            1 => subtract_columns::<S, 1>(simd, matrix, stride, block.clone(), target),
            2 => subtract_columns::<S, 2>(simd, matrix, stride, block.clone(), target),
            3..6 => subtract_columns::<S, 3>(simd, matrix, stride, block.clone(), target),
            _ => subtract_columns::<S, 6>(simd, matrix, stride, block.clone(), target),
        };
    }
}

/// The same for `C` columns from `target` on, in tiles that stay in registers: twelve sums, two vectors and a factor. Returns `C`.
#[inline(always)]
fn subtract_columns<S: Simd, const C: usize>(
    simd: S,
    matrix: &mut [f64],
    stride: usize,
    block: Range<usize>,
    target: usize,
) -> usize {
    let (left, right) = matrix.split_at_mut(target * stride);
    let mut row = target - target % LANES;
    while row + 2 * S::F64_LANES <= stride {
        subtract_tile::<S, C, 2>(simd, left, right, stride, block.clone(), target, row);
        row += 2 * S::F64_LANES;
    }
    if row < stride {
        subtract_tile::<S, C, 1>(simd, left, right, stride, block, target, row);
    }
    C
}

/// Subtracts what the columns `block` contribute to `V` vectors of rows, from `row` on, of `C` columns from `target` on,
/// which are the first of `right`.
#[inline(always)]
fn subtract_tile<S: Simd, const C: usize, const V: usize>(
    simd: S,
    left: &[f64],
    right: &mut [f64],
    stride: usize,
    block: Range<usize>,
    target: usize,
    row: usize,
) {
    let rows = row..row + V * S::F64_LANES;
    let mut sums = [[simd.splat_f64s(0.0); V]; C];
    for column in left[block.start * stride..block.end * stride].chunks_exact(stride) {
        let vectors = S::as_simd_f64s(&column[rows.clone()]).0;
        let factors = &column[target..target + C];
        for c in 0..C {
            let factor = simd.splat_f64s(factors[c]);
            for v in 0..V {
                sums[c][v] = simd.mul_add_e_f64s(factor, vectors[v], sums[c][v]);
            }
        }
    }
    for (c, sums) in sums.iter().enumerate() {
        let targets = S::as_mut_simd_f64s(&mut right[c * stride..(c + 1) * stride][rows.clone()]).0;
        for v in 0..V {
            targets[v] = simd.sub_f64s(targets[v], sums[v]);
        }
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

/// Turns the first `k` columns of the factor of `A` (as long as `x`) into those of `A ± x xᵀ`: the first `k` entries of
/// `x` are used up, the rest becomes what is left for the columns after them. False if the change leaves no positive pivot.
pub(super) fn modify(arch: Arch, columns: &mut [f64], x: &mut [f64], k: usize, add: bool) -> bool {
    arch.dispatch(Modify { columns, x, k, sign: if add { 1.0 } else { -1.0 } })
}

struct Modify<'a> {
    columns: &'a mut [f64],
    x: &'a mut [f64],
    k: usize,
    sign: f64,
}

impl WithSimd for Modify<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { columns, x, k, sign } = self;
        for (j, column) in columns.chunks_exact_mut(x.len()).enumerate().take(k) {
            if x[j] == 0.0 {
                continue;
            }
            let square = column[j] * column[j] + sign * x[j] * x[j];
            if !(square > 0.0 && square.is_finite()) {
                return false;
            }
            let root = square.sqrt();
            // A rotation, hyperbolic if something is removed, that takes x[j] into the diagonal.
            let (c, s) = (root / column[j], x[j] / column[j]);
            let (signed, inverse) = (sign * s, 1.0 / c);
            column[j] = root;
            let (head, tail) = S::as_mut_simd_f64s(&mut x[j + 1..]);
            let (targets, target_tail) = S::as_mut_simd_f64s(&mut column[j + 1..]);
            let [vc, vs, vsigned, vinverse] = [c, -s, signed, inverse].map(|factor| simd.splat_f64s(factor));
            for (x, l) in head.iter_mut().zip(targets) {
                let new = simd.mul_f64s(simd.mul_add_e_f64s(vsigned, *x, *l), vinverse);
                *x = simd.mul_add_e_f64s(vs, new, simd.mul_f64s(vc, *x));
                *l = new;
            }
            for (x, l) in tail.iter_mut().zip(target_tail) {
                let new = (*l + signed * *x) * inverse;
                *x = c * *x - s * new;
                *l = new;
            }
        }
        true
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
