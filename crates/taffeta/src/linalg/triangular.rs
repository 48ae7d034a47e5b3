//! Solves with the columns of one supernode, which are zero up to their diagonals.

use pulp::Simd;

use super::aligned::floor;
use super::dense::PANEL;

/// Solves with the unit lower triangle of the first `k` columns, each as long as `x`: the first `k` entries of `x` become
/// the solution, the rest is reduced by what that contributes there.
#[inline(always)]
pub(super) fn solve_lower<S: Simd>(simd: S, columns: &[f64], x: &mut [f64], k: usize) {
    let mut first = 0;
    while first < k {
        if k - first >= PANEL {
            lower_panel::<S, PANEL>(simd, &columns[first * x.len()..], x, first);
        } else {
            lower_panel::<S, 3>(simd, &columns[first * x.len()..], x, first);
        }
        first += PANEL;
    }
}

#[inline(always)]
fn lower_panel<S: Simd, const C: usize>(simd: S, columns: &[f64], x: &mut [f64], first: usize) {
    let stride = x.len();
    let mut solution: [f64; C] = std::array::from_fn(|c| x[first + c]);
    for c in 0..C {
        let column = &columns[c * stride + first..c * stride + first + C];
        for i in c + 1..C {
            solution[i] -= column[i] * solution[c];
        }
    }
    let factors = solution.map(|s| simd.splat_f64s(-s));
    let sources: [&[S::f64s]; C] =
        std::array::from_fn(|c| S::as_simd_f64s(&columns[c * stride + floor(first)..(c + 1) * stride]).0);
    for (i, x) in S::as_mut_simd_f64s(&mut x[floor(first)..]).0.iter_mut().enumerate() {
        // Two chains of sums: one would wait for itself.
        let mut sums = [*x, simd.splat_f64s(0.0)];
        for c in 0..C {
            sums[c % 2] = simd.mul_add_e_f64s(factors[c], sources[c][i], sums[c % 2]);
        }
        *x = simd.add_f64s(sums[0], sums[1]);
    }
    x[first..first + C].copy_from_slice(&solution);
}

/// Solves with the transpose: the first `k` entries of `x` become the solution, given the rest.
#[inline(always)]
pub(super) fn solve_upper<S: Simd>(simd: S, columns: &[f64], x: &mut [f64], k: usize) {
    let mut first = k;
    if !k.is_multiple_of(PANEL) {
        first -= 3;
        upper_panel::<S, 3>(simd, &columns[first * x.len()..], x, first);
    }
    while first > 0 {
        first -= PANEL;
        upper_panel::<S, PANEL>(simd, &columns[first * x.len()..], x, first);
    }
}

#[inline(always)]
fn upper_panel<S: Simd, const C: usize>(simd: S, columns: &[f64], x: &mut [f64], first: usize) {
    let stride = x.len();
    let mut solution: [f64; C] = std::array::from_fn(|c| x[first + c]);
    // What the rows of the panel itself contribute follows below.
    x[first..first + C].fill(0.0);
    let sources: [&[S::f64s]; C] =
        std::array::from_fn(|c| S::as_simd_f64s(&columns[c * stride + floor(first)..(c + 1) * stride]).0);
    let mut sums = [simd.splat_f64s(0.0); C];
    for (i, &x) in S::as_simd_f64s(&x[floor(first)..]).0.iter().enumerate() {
        for c in 0..C {
            sums[c] = simd.mul_add_e_f64s(x, sources[c][i], sums[c]);
        }
    }
    for c in (0..C).rev() {
        let column = &columns[c * stride + first..c * stride + first + C];
        let within: f64 = (c + 1..C).map(|i| column[i] * solution[i]).sum();
        solution[c] -= simd.reduce_sum_f64s(sums[c]) + within;
    }
    x[first..first + C].copy_from_slice(&solution);
}

#[cfg(test)]
mod tests {
    use pulp::{Arch, WithSimd};

    use super::super::aligned::LANES;
    use super::*;

    struct Solve<'a> {
        columns: &'a [f64],
        x: &'a mut [f64],
        k: usize,
        lower: bool,
    }

    impl WithSimd for Solve<'_> {
        type Output = ();

        fn with_simd<S: Simd>(self, simd: S) {
            if self.lower {
                solve_lower(simd, self.columns, self.x, self.k);
            } else {
                solve_upper(simd, self.columns, self.x, self.k);
            }
        }
    }

    #[test]
    fn solutions_times_the_triangle_are_the_right_hand_side() {
        for (n, k) in [(3, 3), (9, 6), (21, 9), (50, 15), (64, 63), (90, 24)] {
            let stride = usize::next_multiple_of(n, LANES);
            let entry = |i: usize, j: usize| if i > j && i < n { ((3 * i + 5 * j) % 11) as f64 / 40.0 } else { 0.0 };
            let columns: Vec<f64> = (0..stride * k).map(|x| entry(x % stride, x / stride)).collect();
            let given: Vec<f64> = (0..stride).map(|i| if i < n { (i as f64 * 0.9).sin() } else { 0.0 }).collect();
            for vectors in [true, false] {
                let solve = |lower| {
                    let mut x = given.clone();
                    let op = Solve { columns: &columns, x: &mut x, k, lower };
                    if vectors {
                        Arch::new().dispatch(op)
                    } else {
                        op.with_simd(pulp::Scalar)
                    }
                    x
                };
                let x = solve(true);
                for i in 0..n {
                    let product: f64 = (0..k.min(i)).map(|j| entry(i, j) * x[j]).sum::<f64>() + x[i];
                    assert!((product - given[i]).abs() < 1e-12, "{n} {k}: row {i}");
                }
                let x = solve(false);
                for j in 0..n {
                    let product: f64 =
                        if j < k { (j + 1..n).map(|i| entry(i, j) * x[i]).sum::<f64>() + x[j] } else { x[j] };
                    assert!((product - given[j]).abs() < 1e-12 * n as f64, "{n} {k}: column {j}");
                }
            }
        }
    }
}
