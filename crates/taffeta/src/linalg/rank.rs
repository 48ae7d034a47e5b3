//! Changes of low rank carried over to the columns of one supernode, which are zero up to their diagonals.

use pulp::Simd;

use super::aligned::floor;

/// The columns of a supernode as `L D Lᵀ`.
pub(super) struct Columns<'a> {
    /// Below the diagonal: `stride` values a column, a multiple of three columns.
    pub lower: &'a mut [f64],
    pub stride: usize,
    pub diagonal: &'a mut [f64],
    /// Inverse of the diagonal.
    pub inverse: &'a mut [f64],
}

/// Turns `A = L D Lᵀ` into `A + Σ w_r z_r z_rᵀ`, as far as these columns go: the entries of the `z` that belong to them
/// become zero, the others, and the weights `w`, what is left for the columns after them. Every `z` is as long as a
/// column. False if the change leaves no positive pivot; the columns are then spoilt.
///
/// This is method C1 of Gill, Golub, Murray and Saunders (Methods for modifying matrix factorizations, 1974): two
/// multiplications an entry, where rotations would take four. All changes are applied while three columns are at hand.
#[inline(always)]
pub(super) fn modify<S: Simd, const N: usize>(
    simd: S,
    columns: Columns,
    weights: &mut [f64; N],
    mut z: [&mut [f64]; N],
) -> bool {
    let Columns { lower, stride, diagonal, inverse } = columns;
    for (vertex, block) in lower.chunks_exact_mut(3 * stride).enumerate() {
        let first = 3 * vertex;
        let mut own: [[f64; 3]; N] = std::array::from_fn(|r| std::array::from_fn(|i| z[r][first + i]));
        if own.iter().flatten().all(|&z| z == 0.0) {
            continue;
        }
        let (c0, rest) = block.split_at_mut(stride);
        let (c1, c2) = rest.split_at_mut(stride);
        let mut l = [[0.0, c0[first + 1], c0[first + 2]], [0.0, 0.0, c1[first + 2]], [0.0; 3]];
        // Of each column and change: `z −= p l`, then `l += β z`.
        let (mut p, mut beta) = ([[0.0; N]; 3], [[0.0; N]; 3]);
        for c in 0..3 {
            let mut d = diagonal[first + c];
            for r in 0..N {
                p[c][r] = own[r][c];
                let weighted = weights[r] * own[r][c];
                let changed = d + weighted * own[r][c];
                if !(changed > 0.0 && changed.is_finite()) {
                    return false;
                }
                let reciprocal = 1.0 / changed;
                beta[c][r] = weighted * reciprocal;
                weights[r] *= d * reciprocal;
                d = changed;
                inverse[first + c] = reciprocal;
                for i in c + 1..3 {
                    own[r][i] -= p[c][r] * l[c][i];
                    l[c][i] += beta[c][r] * own[r][i];
                }
            }
            diagonal[first + c] = d;
        }
        let start = floor(first);
        {
            let p = p.map(|p| p.map(|p| simd.splat_f64s(-p)));
            let beta = beta.map(|beta| beta.map(|beta| simd.splat_f64s(beta)));
            let [l0, l1, l2] = [&mut *c0, &mut *c1, &mut *c2].map(|c| S::as_mut_simd_f64s(&mut c[start..]).0);
            let z = z.each_mut().map(|z| S::as_mut_simd_f64s(&mut z[start..stride]).0);
            let z = z.map(|z| &mut z[..l0.len()]);
            for (i, ((l0, l1), l2)) in l0.iter_mut().zip(l1).zip(l2).enumerate() {
                let mut l = [*l0, *l1, *l2];
                for r in 0..N {
                    let mut x = z[r][i];
                    for c in 0..3 {
                        x = simd.mul_add_e_f64s(p[c][r], l[c], x);
                        l[c] = simd.mul_add_e_f64s(beta[c][r], x, l[c]);
                    }
                    z[r][i] = x;
                }
                [*l0, *l1, *l2] = l;
            }
        }
        // The rows of these three columns had their turn before.
        c0[first..first + 3].copy_from_slice(&l[0]);
        c1[first..first + 3].copy_from_slice(&l[1]);
        c2[first..first + 3].fill(0.0);
        z.iter_mut().for_each(|z| z[first..first + 3].fill(0.0));
    }
    true
}
