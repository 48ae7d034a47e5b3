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
