//! Which supernodes can be worked on at the same time: those of trees that are not in each other.

use std::ops::Range;

use super::supernodes::Supernode;

/// ns. Trees that are factorised faster than this are not shared between threads: handing one over costs a tenth of it.
const LEAST: f64 = 40_000.0;

/// Into how many parts a matrix is shared, about: enough for four threads, and few enough that their memory, of which none is used
/// twice, is not felt.
const MOST: f64 = 8.0;

/// The trees of supernodes. Where they are cut depends on the pattern alone, and results do not depend on it.
#[derive(Debug, Default)]
pub(super) struct Forest {
    /// The first supernode of the tree that ends in each.
    first: Vec<usize>,
    /// Estimated time of a factorisation up to each supernode, ns.
    before: Vec<f64>,
}

/// How the work on a run of whole trees is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Not at all: there is too little of it.
    Nowhere,
    /// The last tree, from this supernode on, and those before it know nothing of each other.
    BeforeLastTree(usize),
    /// There is one tree: its root needs all that is below it.
    BelowRoot,
}

impl Forest {
    /// `costs` are the estimated times of the fronts, ns.
    pub fn new(nodes: &[Supernode], costs: impl Iterator<Item = f64>) -> Self {
        let mut first: Vec<usize> = Vec::with_capacity(nodes.len());
        for (s, node) in nodes.iter().enumerate() {
            first.push(node.children.first().map_or(s, |&child| first[child]));
        }
        let mut before = vec![0.0];
        before.extend(costs.scan(0.0, |sum, cost| {
            *sum += cost;
            Some(*sum)
        }));
        Self { first, before }
    }

    /// Estimated time of a factorisation, ns.
    pub fn cost(&self) -> f64 {
        self.before.last().copied().unwrap_or(0.0)
    }

    /// Divides the work on a run of whole trees, or on all trees below one supernode.
    pub fn cut(&self, trees: &Range<usize>) -> Cut {
        if self.before[trees.end] - self.before[trees.start] < f64::max(LEAST, self.cost() / MOST) {
            return Cut::Nowhere;
        }
        match self.first[trees.end - 1] {
            first if first == trees.start => Cut::BelowRoot,
            first => Cut::BeforeLastTree(first),
        }
    }

    /// Gives every update a place. Within what is not cut a place is used again once the parent has received the update; all
    /// else has memory of its own, in the order of the supernodes. Returns where the memory of each supernode's share begins, and
    /// where all of it ends.
    pub fn place_updates(&self, nodes: &mut [Supernode]) -> Vec<usize> {
        let mut begins = vec![0; nodes.len() + 1];
        let end = self.place(nodes, 0..nodes.len(), 0, &mut begins);
        begins[nodes.len()] = end;
        begins
    }

    /// Places those of some trees from `begin` on, and returns the end of their memory.
    fn place(&self, nodes: &mut [Supernode], trees: Range<usize>, begin: usize, begins: &mut [usize]) -> usize {
        begins[trees.clone()].fill(begin);
        match self.cut(&trees) {
            Cut::Nowhere => super::supernodes::place_updates(nodes, trees, begin),
            Cut::BeforeLastTree(last) => {
                let middle = self.place(nodes, trees.start..last, begin, begins);
                self.place(nodes, last..trees.end, middle, begins)
            }
            Cut::BelowRoot => {
                let root = trees.end - 1;
                let below = self.place(nodes, trees.start..root, begin, begins);
                super::supernodes::place_updates(nodes, root..trees.end, below)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::{BlockPattern, Factor};
    use super::*;
    use crate::cores::Cores;

    /// Two grids of n × n vertices that have nothing to do with each other.
    fn grids(n: usize) -> BlockPattern {
        let place = |i: usize| DVec3::new((i % n) as f64, (i / n % n) as f64, (i / (n * n)) as f64);
        let places: Vec<DVec3> = (0..2 * n * n).map(place).collect();
        let corners = (0..2 * n * n).filter(|i| i % n + 1 < n && i / n % n + 1 < n);
        let quads: Vec<[usize; 4]> = corners.map(|i| [i, i + 1, i + n, i + n + 1]).collect();
        BlockPattern::new(&places, quads.iter().map(|quad| quad.as_slice()))
    }

    /// Follows the cuts, and says how many shares there are.
    fn follow(pattern: &BlockPattern, trees: Range<usize>, memory: Range<usize>) -> usize {
        let nodes = &pattern.supernodes()[trees.clone()];
        assert_eq!(pattern.update_start(trees.start), memory.start);
        for node in nodes {
            assert!(node.update.is_empty() || memory.start <= node.update.start && node.update.end <= memory.end);
            assert!(node.children.iter().all(|child| trees.contains(child)), "a tree is torn");
        }
        match pattern.forest().cut(&trees) {
            Cut::Nowhere => 1,
            Cut::BeforeLastTree(last) => {
                let middle = pattern.update_start(last);
                follow(pattern, trees.start..last, memory.start..middle)
                    + follow(pattern, last..trees.end, middle..memory.end)
            }
            Cut::BelowRoot => {
                let root = trees.end - 1;
                follow(
                    pattern,
                    trees.start..root,
                    memory.start..pattern.supernodes()[root].update.start.max(memory.start),
                )
            }
        }
    }

    #[test]
    fn shares_are_whole_trees_with_memory_of_their_own() {
        for (n, least) in [(4, 1), (30, 6), (60, 6)] {
            let pattern = grids(n);
            let nodes = pattern.supernodes();
            let shares = follow(&pattern, 0..nodes.len(), 0..pattern.update_len());
            assert!(shares >= least && shares < 40, "{n}: {shares} shares");
            // An update stays until the parent has it.
            for (s, node) in nodes.iter().enumerate() {
                let waiting = (0..s).filter(|&t| nodes[t].rows.first().is_some_and(|&row| pattern.owner(row) >= s));
                for other in waiting.map(|t| &nodes[t].update) {
                    assert!(node.update.end <= other.start || other.end <= node.update.start || node.update.is_empty());
                }
            }
        }
    }

    #[test]
    fn shares_add_up_to_the_same_bits_and_to_the_solution() {
        let n = 40;
        let pattern = grids(n);
        let edges: Vec<[usize; 2]> = (0..2 * n * n - 1).filter(|i| i % n + 1 < n).map(|i| [i, i + 1]).collect();
        let crossing = (0..2 * n * n - n).filter(|i| i / n % n + 1 < n).map(|i| [i, i + n]);
        let edges: Vec<[usize; 2]> = edges.into_iter().chain(crossing).collect();
        let along = |[i, j]: [usize; 2]| DVec3::new((i as f64).sin(), (j as f64).cos(), 0.5) * 3.0;
        let rhs: Vec<DVec3> =
            (0..2 * n * n).map(|i| DVec3::new(1.0, (i as f64 * 0.1).sin(), i as f64 / 500.0)).collect();
        let solve = |cores: Cores| {
            let mut factor = Factor::new(&pattern);
            factor.cores = cores;
            (0..2 * n * n).for_each(|i| factor.add_scaled_identity(pattern.slot(i, i), 1.0));
            for &[i, j] in &edges {
                let a = along([i, j]);
                factor.add_outer(pattern.slot(i, i), a, a);
                factor.add_outer(pattern.slot(j, j), a, a);
                factor.add_outer(pattern.slot_of(i, j).0, -a, a);
            }
            factor.factorise(&pattern).expect("positive definite");
            let mut x = rhs.clone();
            factor.solve(&pattern, &mut x);
            x
        };
        let (alone, shared) = (solve(Cores::One), solve(Cores::All));
        assert!(
            alone.iter().zip(&shared).all(|(a, b)| a.to_array().map(f64::to_bits) == b.to_array().map(f64::to_bits))
        );
        let mut left: Vec<DVec3> = rhs.iter().zip(&shared).map(|(rhs, x)| *rhs - *x).collect();
        for &[i, j] in &edges {
            let a = along([i, j]);
            let pull = a * a.dot(shared[i] - shared[j]);
            left[i] -= pull;
            left[j] += pull;
        }
        let worst = left.iter().map(|left| left.length()).fold(0.0, f64::max);
        assert!(worst < 1e-10, "off by {worst}");
    }
}
