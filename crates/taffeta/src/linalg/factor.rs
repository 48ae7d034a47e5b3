//! The numbers of a block matrix and of its factor `L D Lᵀ`, computed front by front.
//!
//! Multifrontal: each supernode gathers its columns of the matrix and the updates of its children into one dense front,
//! eliminates its columns, and leaves the rest for its parent. The columns of the matrix become those of the factor where
//! they are stored.

use std::ops::Range;

use glam::{DMat3, DVec3};
use pulp::{Arch, Scalar, Simd, WithSimd};

use super::aligned::{Aligned, LANES, floor};
use super::forest::Cut;
use super::modify::BATCH;
use super::supernodes::Supernode;
use super::{BlockPattern, Slot, dense};
use crate::cores::Cores;

/// The matrix had a pivot that is not positive: it is not positive definite, or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotPositive;

/// A symmetric block matrix over a [`BlockPattern`], which becomes its factor. Allocates nothing after `new`.
pub(crate) struct Factor {
    pub(super) arch: Arch,
    /// Who factorises and solves.
    pub cores: Cores,
    /// Columns of the matrix; after a factorisation those of `L` below its diagonal, which is one.
    pub(super) lower: Aligned,
    pub(super) diagonal: Vec<f64>,
    /// Inverse of the diagonal.
    pub(super) inverse: Vec<f64>,
    updates: Aligned,
    /// Fronts of a solve.
    pub(super) fronts: Aligned,
    /// A few vectors as long as the longest column.
    pub(super) local: Aligned,
    /// Vectors over all vertices: all zeros between modifications.
    pub(super) sparse: Vec<f64>,
}

impl Factor {
    pub fn new(pattern: &BlockPattern) -> Self {
        let n = 3 * pattern.order().len();
        let longest = pattern.supernodes().iter().map(Supernode::stride).max().unwrap_or(0);
        Self {
            arch: Arch::new(),
            cores: Cores::One,
            lower: Aligned::zeros(pattern.len()),
            diagonal: vec![0.0; n],
            inverse: vec![0.0; n],
            updates: Aligned::zeros(pattern.update_len()),
            fronts: Aligned::zeros(pattern.solve_len()),
            local: Aligned::zeros(BATCH * longest),
            sparse: vec![0.0; BATCH * n],
        }
    }

    /// Makes it one over another pattern of as many vertices.
    pub fn reset(&mut self, pattern: &BlockPattern) {
        let longest = pattern.supernodes().iter().map(Supernode::stride).max().unwrap_or(0);
        self.lower.reset(pattern.len());
        self.updates.reset(pattern.update_len());
        self.fronts.reset(pattern.solve_len());
        self.local.reset(BATCH * longest);
    }

    /// Sets the matrix to zero.
    pub fn clear(&mut self) {
        self.lower.fill(0.0);
    }

    /// Adds `d·I` to a block.
    #[inline]
    pub fn add_scaled_identity(&mut self, slot: Slot, d: f64) {
        let (base, stride) = (slot.base as usize, slot.stride as usize);
        let columns = &mut self.lower[base..base + 2 * stride + 3];
        for c in 0..3 {
            columns[c * stride + c] += d;
        }
    }

    /// Adds a symmetric matrix to a block.
    #[inline]
    pub fn add_block(&mut self, slot: Slot, block: &DMat3) {
        let (base, stride) = (slot.base as usize, slot.stride as usize);
        for c in 0..3 {
            let column = &mut self.lower[base + c * stride..base + c * stride + 3];
            column.iter_mut().zip(block.col(c).to_array()).for_each(|(value, entry)| *value += entry);
        }
    }

    /// Adds `u vᵀ` to a block.
    #[inline]
    pub fn add_outer(&mut self, slot: Slot, u: DVec3, v: DVec3) {
        let (base, stride) = (slot.base as usize, slot.stride as usize);
        let columns = &mut self.lower[base..base + 2 * stride + 3];
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

    /// Turns the matrix into its factor. If this fails, and before another matrix is factorised, it must be written again.
    pub fn factorise(&mut self, pattern: &BlockPattern) -> Result<(), NotPositive> {
        if pattern.supernodes().is_empty() {
            return Ok(());
        }
        let whole = Part {
            pattern,
            begin: 0,
            supernodes: 0..pattern.supernodes().len(),
            lower: &mut self.lower,
            diagonal: &mut self.diagonal,
            inverse: &mut self.inverse,
            updates: &mut self.updates,
        };
        if whole.factorise(self.arch, self.cores) { Ok(()) } else { Err(NotPositive) }
    }
}

/// The numbers of a run of supernodes.
struct Part<'a> {
    pattern: &'a BlockPattern,
    /// The first supernode whose numbers are here.
    begin: usize,
    /// Those that are to be factorised.
    supernodes: Range<usize>,
    lower: &'a mut [f64],
    diagonal: &'a mut [f64],
    inverse: &'a mut [f64],
    updates: &'a mut [f64],
}

impl Part<'_> {
    /// Factorises whole trees of supernodes; false if a pivot is not positive. What a front receives, and in which order, does not
    /// depend on who computed it.
    fn factorise(mut self, arch: Arch, cores: Cores) -> bool {
        if cores == Cores::One {
            return arch.dispatch(self);
        }
        match self.pattern.forest().cut(&self.supernodes) {
            Cut::Nowhere => arch.dispatch(self),
            Cut::BeforeLastTree(last) => {
                let (before, last) = self.split_at(last);
                let positive = cores.join(|| before.factorise(arch, cores), || last.factorise(arch, cores));
                positive == (true, true)
            }
            Cut::BelowRoot => {
                let Range { start, end } = self.supernodes;
                self.only(start..end - 1).factorise(arch, cores) && arch.dispatch(self.only(end - 1..end))
            }
        }
    }

    /// Some of the supernodes, with all the numbers.
    fn only(&mut self, supernodes: Range<usize>) -> Part<'_> {
        let Self { pattern, begin, lower, diagonal, inverse, updates, .. } = self;
        Part { pattern, begin: *begin, supernodes, lower, diagonal, inverse, updates }
    }

    /// Those before supernode `s`, where a tree begins, and those from there on.
    fn split_at(self, s: usize) -> (Self, Self) {
        let Self { pattern, begin, supernodes, .. } = self;
        let vertex = |s: usize| 3 * pattern.supernodes()[s].first;
        let (lower, other_lower) = self.lower.split_at_mut(pattern.values(s).start - pattern.values(begin).start);
        let (diagonal, other_diagonal) = self.diagonal.split_at_mut(vertex(s) - vertex(begin));
        let (inverse, other_inverse) = self.inverse.split_at_mut(vertex(s) - vertex(begin));
        let (updates, other_updates) = self.updates.split_at_mut(pattern.update_start(s) - pattern.update_start(begin));
        let before = Self { pattern, begin, supernodes: supernodes.start..s, lower, diagonal, inverse, updates };
        let after = Self {
            pattern,
            begin: s,
            supernodes: s..supernodes.end,
            lower: other_lower,
            diagonal: other_diagonal,
            inverse: other_inverse,
            updates: other_updates,
        };
        (before, after)
    }
}

impl WithSimd for Part<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        if !LANES.is_multiple_of(S::F64_LANES) {
            // Vectors longer than the padding would miss rows.
            return self.with_simd(Scalar);
        }
        let Self { pattern, begin, supernodes, lower, diagonal, inverse, updates } = self;
        let nodes = pattern.supernodes();
        let (values_before, updates_before) = (pattern.values(begin).start, pattern.update_start(begin));
        let here = |range: &Range<usize>, before: usize| range.start - before..range.end - before;
        for (s, node) in supernodes.clone().zip(&nodes[supernodes]) {
            let (n, k, stride) = (3 * node.front(), 3 * node.columns, node.stride());
            let panel = &mut lower[here(&pattern.values(s), values_before)];
            let own_update = here(&node.update, updates_before);
            for child in node.children.iter().map(|&child| &nodes[child]) {
                let receiver = Receiver { values: panel, stride, vertices: 0..node.columns, missing: 0 };
                add_update(simd, receiver, child, &updates[here(&child.update, updates_before)]);
            }
            if !dense::eliminate(simd, panel, stride, k) {
                return false;
            }
            if k < n {
                dense::update(simd, panel, stride, k, n, &mut updates[own_update.clone()]);
            }
            for child in node.children.iter().map(|&child| &nodes[child]) {
                let Ok([values, update]) =
                    updates.get_disjoint_mut([own_update.clone(), here(&child.update, updates_before)])
                else {
                    unreachable!("updates that are needed at the same time have places of their own");
                };
                let (missing, vertices) = (floor(k), node.columns..node.front());
                add_update(simd, Receiver { values, stride: stride - missing, vertices, missing }, child, update);
            }
            let first = 3 * (node.first - nodes[begin].first);
            dense::scale(simd, panel, stride, &mut diagonal[first..first + k], &mut inverse[first..first + k]);
        }
        true
    }
}

/// Columns of a front that receive updates.
struct Receiver<'a> {
    values: &'a mut [f64],
    stride: usize,
    /// Its vertices, by their positions in the front.
    vertices: Range<usize>,
    /// Rows of the front that its columns lack.
    missing: usize,
}

/// Adds the part of a child's update that belongs to some columns of its parent's front. Rows that are neighbours in both are
/// added together.
#[inline(always)]
fn add_update<S: Simd>(simd: S, receiver: Receiver, child: &Supernode, update: &[f64]) {
    let k = 3 * child.columns;
    let (stride, above) = (child.stride() - floor(k), k - floor(k));
    let Receiver { values, stride: target_stride, vertices, missing } = receiver;
    let mut runs = &child.runs[..];
    let begin = child.into_parent.partition_point(|&position| (position as usize) < vertices.start);
    for (b, &position) in child.into_parent.iter().enumerate().skip(begin) {
        let column = position as usize;
        if column >= vertices.end {
            break;
        }
        while runs[0].end as usize <= b {
            runs = &runs[1..];
        }
        let sources = thirds(&update[3 * b * stride..3 * (b + 1) * stride]);
        let start = 3 * (column - vertices.start) * target_stride;
        let mut targets = thirds_mut(&mut values[start..start + 3 * target_stride]);
        let mut from = 3 * b;
        for run in runs {
            let (end, place) = (3 * run.end as usize, 3 * run.shift as usize + from - missing);
            let sources = sources.map(|source| &source[above + from..above + end]);
            add(simd, sources, targets.each_mut().map(|target| &mut target[place..place + end - from]));
            from = end;
        }
    }
}

/// The three columns of a vertex.
#[inline(always)]
fn thirds(columns: &[f64]) -> [&[f64]; 3] {
    let stride = columns.len() / 3;
    std::array::from_fn(|c| &columns[c * stride..(c + 1) * stride])
}

/// The same to be written.
#[inline(always)]
fn thirds_mut(columns: &mut [f64]) -> [&mut [f64]; 3] {
    let stride = columns.len() / 3;
    let (first, rest) = columns.split_at_mut(stride);
    let (second, third) = rest.split_at_mut(stride);
    [first, second, third]
}

/// Adds columns to columns as long, a multiple of three.
#[inline(always)]
fn add<S: Simd>(simd: S, sources: [&[f64]; 3], targets: [&mut [f64]; 3]) {
    let Some(last) = sources[0].len().checked_sub(S::F64_LANES) else {
        for (source, target) in sources.into_iter().zip(targets) {
            for (target, source) in target.as_chunks_mut::<3>().0.iter_mut().zip(source.as_chunks::<3>().0) {
                (0..3).for_each(|c| target[c] += source[c]);
            }
        }
        return;
    };
    let before = last.div_ceil(S::F64_LANES);
    for (source, target) in sources.into_iter().zip(targets) {
        // The last vector overlaps the one before: its sums are made before that one is changed.
        let sum = simd.add_f64s(S::as_simd_f64s(&target[last..]).0[0], S::as_simd_f64s(&source[last..]).0[0]);
        let vectors = &mut S::as_mut_simd_f64s(target).0[..before];
        for (target, &source) in vectors.iter_mut().zip(S::as_simd_f64s(source).0) {
            *target = simd.add_f64s(*target, source);
        }
        S::as_mut_simd_f64s(&mut target[last..]).0[0] = sum;
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
