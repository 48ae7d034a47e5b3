//! Solves with a factor, front by front: up the trees of supernodes with `L`, and down again with `Lᵀ`.
//!
//! Each supernode has a vector over its front. On the way up it gathers the right-hand side of its own vertices and what its
//! children have left for all of them; on the way down it takes the solution of its rows from its parent. So trees that are not in
//! each other have nothing in common, and sums are made in one order, whoever makes them.

use std::ops::Range;

use glam::DVec3;
use pulp::{Arch, Scalar, Simd, WithSimd};

use super::aligned::LANES;
use super::factor::Factor;
use super::forest::Cut;
use super::{BlockPattern, triangular};
use crate::cores::Cores;

impl Factor {
    /// Solves with the last factor: `x` holds the right-hand side on entry and the solution on return.
    pub fn solve(&mut self, pattern: &BlockPattern, x: &mut [DVec3]) {
        if pattern.supernodes().is_empty() {
            return;
        }
        let (given, nodes) =
            (Given { pattern, lower: &self.lower, inverse: &self.inverse, rhs: x }, pattern.supernodes());
        for direction in [Direction::Up, Direction::Down] {
            let fronts = &mut self.fronts[..];
            let whole = Sweep { given, direction, begin: 0, supernodes: 0..nodes.len(), fronts, above: &[] };
            whole.run(self.arch, self.cores);
        }
        for (s, node) in nodes.iter().enumerate() {
            let solution = self.fronts[pattern.solve_values(s)].as_chunks::<3>().0;
            for (&vertex, &solution) in pattern.order()[node.first..].iter().zip(&solution[..node.columns]) {
                x[vertex] = DVec3::from_array(solution);
            }
        }
    }
}

/// What all parts of a solve share.
#[derive(Clone, Copy)]
struct Given<'a> {
    pattern: &'a BlockPattern,
    lower: &'a [f64],
    inverse: &'a [f64],
    rhs: &'a [DVec3],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// From the leaves to the roots.
    Up,
    /// From the roots to the leaves.
    Down,
}

/// A way through a run of whole trees.
struct Sweep<'a> {
    given: Given<'a>,
    direction: Direction,
    /// The first supernode whose vector is among the `fronts`.
    begin: usize,
    /// Those to be visited.
    supernodes: Range<usize>,
    fronts: &'a mut [f64],
    /// The front that all of the trees hang from, if it is not among the `fronts`.
    above: &'a [f64],
}

impl Sweep<'_> {
    fn run(mut self, arch: Arch, cores: Cores) {
        if cores == Cores::One {
            return arch.dispatch(self);
        }
        match self.given.pattern.forest().cut(&self.supernodes) {
            Cut::Nowhere => arch.dispatch(self),
            Cut::BeforeLastTree(last) => {
                let (before, last) = self.split_at(last);
                cores.join(|| before.run(arch, cores), || last.run(arch, cores));
            }
            Cut::BelowRoot => {
                let Self { direction, supernodes: Range { end, .. }, .. } = self;
                if direction == Direction::Down {
                    arch.dispatch(self.only(end - 1..end));
                }
                self.below_root().run(arch, cores);
                if direction == Direction::Up {
                    arch.dispatch(self.only(end - 1..end));
                }
            }
        }
    }

    /// Where the vector of supernode `s` begins in the fronts.
    fn start(&self, s: usize) -> usize {
        self.given.pattern.solve_values(s).start - self.given.pattern.solve_values(self.begin).start
    }

    /// Those before supernode `s`, where a tree begins, and those from there on.
    fn split_at(&mut self, s: usize) -> (Sweep<'_>, Sweep<'_>) {
        let start = self.start(s);
        let Self { given, direction, begin, ref supernodes, ref mut fronts, above } = *self;
        let (fronts, other) = fronts.split_at_mut(start);
        let (before, after) = (supernodes.start..s, s..supernodes.end);
        (
            Sweep { given, direction, begin, supernodes: before, fronts, above },
            Sweep { given, direction, begin: s, supernodes: after, fronts: other, above },
        )
    }

    /// Some of the supernodes.
    fn only(&mut self, supernodes: Range<usize>) -> Sweep<'_> {
        let Self { given, direction, begin, ref mut fronts, above, .. } = *self;
        Sweep { given, direction, begin, supernodes, fronts, above }
    }

    /// All but the root of the last tree, from which they hang.
    fn below_root(&mut self) -> Sweep<'_> {
        let root = self.supernodes.end - 1;
        let start = self.start(root);
        let Self { given, direction, begin, ref supernodes, ref mut fronts, .. } = *self;
        let (fronts, above) = fronts.split_at_mut(start);
        Sweep { given, direction, begin, supernodes: supernodes.start..root, fronts, above }
    }
}

impl WithSimd for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if !LANES.is_multiple_of(S::F64_LANES) {
            // Vectors longer than the padding would miss rows.
            return self.with_simd(Scalar);
        }
        match self.direction {
            Direction::Up => self.up(simd),
            Direction::Down => self.down(simd),
        }
    }
}

impl Sweep<'_> {
    /// Solves with `L`.
    #[inline(always)]
    fn up<S: Simd>(self, simd: S) {
        let Self { given: Given { pattern, lower, rhs, .. }, begin, supernodes, fronts, .. } = self;
        let (nodes, missing) = (pattern.supernodes(), pattern.solve_values(begin).start);
        for (s, node) in supernodes.clone().zip(&nodes[supernodes]) {
            let (before, rest) = fronts.split_at_mut(pattern.solve_values(s).start - missing);
            let front = &mut rest[..node.stride()];
            let (own, rows) = front.split_at_mut(3 * node.columns);
            for (own, &vertex) in own.as_chunks_mut::<3>().0.iter_mut().zip(&pattern.order()[node.first..]) {
                *own = rhs[vertex].to_array();
            }
            rows.fill(0.0);
            let vertices = front.as_chunks_mut::<3>().0;
            for &child in &node.children {
                let Range { start, end } = pattern.solve_values(child);
                let (child, left) = (&nodes[child], &before[start - missing..end - missing]);
                for (left, &position) in left[3 * child.columns..].as_chunks::<3>().0.iter().zip(&child.into_parent) {
                    let target = &mut vertices[position as usize];
                    (0..3).for_each(|c| target[c] += left[c]);
                }
            }
            triangular::solve_lower(simd, &lower[pattern.values(s)], front, 3 * node.columns);
        }
    }

    /// Solves with `D` and with `Lᵀ`.
    #[inline(always)]
    fn down<S: Simd>(self, simd: S) {
        let Self { given: Given { pattern, lower, inverse, .. }, begin, supernodes, fronts, above, .. } = self;
        let (nodes, missing) = (pattern.supernodes(), pattern.solve_values(begin).start);
        for (s, node) in supernodes.clone().zip(&nodes[supernodes.clone()]).rev() {
            let (rest, after) = fronts.split_at_mut(pattern.solve_values(s).end - missing);
            let front = &mut rest[pattern.solve_values(s).start - missing..];
            let (own, rows) = front.split_at_mut(3 * node.columns);
            own.iter_mut().zip(&inverse[3 * node.first..]).for_each(|(x, inverse)| *x *= inverse);
            let parent = match node.rows.first().map(|&row| pattern.owner(row)) {
                Some(parent) if parent < supernodes.end => {
                    let Range { start, end } = pattern.solve_values(parent);
                    let skipped = pattern.solve_values(s).end;
                    &after[start - skipped..end - skipped]
                }
                _ => above,
            }
            .as_chunks::<3>()
            .0;
            for (row, &position) in rows.as_chunks_mut::<3>().0.iter_mut().zip(&node.into_parent) {
                *row = parent[position as usize];
            }
            rows[3 * node.rows.len()..].fill(0.0);
            triangular::solve_upper(simd, &lower[pattern.values(s)], front, 3 * node.columns);
        }
    }
}
