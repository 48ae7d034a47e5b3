//! Which 3×3 blocks of a symmetric matrix may be non-zero, in an order that keeps the factor sparse.

use glam::DVec3;

use super::costs::Costs;
use super::ordering;
use super::supernodes::{Supernode, elimination_tree, place_updates, postorder, supernodes};

/// Where a 3×3 block of the lower triangle is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    /// First value of the block's first column.
    pub base: u32,
    /// Distance between the block's columns.
    pub stride: u32,
}

/// The pattern of a symmetric matrix with one block row per vertex, and the symbolic factorisation of it.
#[derive(Debug)]
pub(crate) struct BlockPattern {
    order: Vec<usize>,
    rank: Vec<usize>,
    supernodes: Vec<Supernode>,
    owner: Vec<usize>,
    /// First value of every supernode's columns, and the number of values.
    start: Vec<usize>,
    update_len: usize,
    costs: Costs,
}

impl BlockPattern {
    /// The pattern in which all vertices of each clique touch each other.
    pub fn new<'a>(places: &[DVec3], cliques: impl Iterator<Item = &'a [usize]>) -> Self {
        let mut graph = vec![Vec::new(); places.len()];
        for clique in cliques {
            for &i in clique {
                graph[i].extend(clique.iter().copied().filter(|&j| j != i));
            }
        }
        graph.iter_mut().for_each(|v| {
            v.sort_unstable();
            v.dedup();
        });
        let order = ordering::fill_reducing(&graph, places);
        let tree = elimination_tree(&later_neighbours(&graph, &order));
        let order: Vec<usize> = postorder(&tree).into_iter().map(|k| order[k]).collect();
        let mut supernodes = supernodes(&later_neighbours(&graph, &order));

        let (mut owner, mut start) = (Vec::with_capacity(order.len()), vec![0]);
        for (s, node) in supernodes.iter().enumerate() {
            owner.extend(std::iter::repeat_n(s, node.columns));
            start.push(start[s] + node.stride() * 3 * node.columns);
        }
        let update_len = place_updates(&mut supernodes);
        let costs = Costs::new(&supernodes, &owner);
        Self { rank: ranks(&order), order, supernodes, owner, start, update_len, costs }
    }

    /// Position of each vertex in the elimination order.
    pub fn rank(&self) -> &[usize] {
        &self.rank
    }

    /// The vertices in elimination order.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Where the block of `row` and `column` is stored; `row` must not come before `column` in the elimination order.
    ///
    /// # Panics
    /// If the two do not touch, or the matrix has more than 2³² values: a mesh of millions of nodes.
    pub fn slot(&self, row: usize, column: usize) -> Slot {
        let (row, column) = (self.rank[row], self.rank[column]);
        let s = self.owner[column];
        let node = &self.supernodes[s];
        let stride = node.stride();
        let position = node.position(row).expect("a block of the pattern");
        let base = self.start[s] + 3 * (column - node.first) * stride + 3 * position;
        let narrow = |x: usize| u32::try_from(x).expect("at most 2³² values");
        Slot { base: narrow(base), stride: narrow(stride) }
    }

    /// Where the block of two vertices is stored, and whether it is stored with the second as its row.
    pub fn slot_of(&self, i: usize, j: usize) -> (Slot, bool) {
        let swapped = self.rank[i] < self.rank[j];
        (if swapped { self.slot(j, i) } else { self.slot(i, j) }, swapped)
    }

    /// Whether the matrix has room for a block of two vertices.
    pub fn has(&self, i: usize, j: usize) -> bool {
        let (i, j) = (self.rank[i], self.rank[j]);
        let node = &self.supernodes[self.owner[i.min(j)]];
        node.position(i.max(j)).is_some()
    }

    /// What it takes to write a matrix and to factorise it, in some unit of time.
    pub fn factorisation_cost(&self) -> f64 {
        self.costs.factorisation
    }

    /// What it takes to add a row that touches these vertices to a factor, or to take it away, in the same unit.
    pub fn change_cost(&self, vertices: impl Iterator<Item = usize>) -> f64 {
        vertices.map(|v| self.rank[v]).min().map_or(0.0, |first| self.costs.path[self.owner[first]])
    }

    /// The supernode of a rank.
    pub(super) fn owner(&self, rank: usize) -> usize {
        self.owner[rank]
    }

    pub(super) fn supernodes(&self) -> &[Supernode] {
        &self.supernodes
    }

    /// Where the columns of supernode `s` are stored.
    pub(super) fn values(&self, s: usize) -> std::ops::Range<usize> {
        self.start[s]..self.start[s + 1]
    }

    /// Number of values of all updates that are needed at the same time, at the worst time.
    pub(super) fn update_len(&self) -> usize {
        self.update_len
    }

    /// Number of values of the matrix, and of its factor.
    pub(super) fn len(&self) -> usize {
        self.start[self.supernodes.len()]
    }
}

fn ranks(order: &[usize]) -> Vec<usize> {
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &v)| rank[v] = k);
    rank
}

/// Per vertex in elimination order, the ranks after it that it touches, ascending.
fn later_neighbours(graph: &ordering::Graph, order: &[usize]) -> Vec<Vec<usize>> {
    let rank = ranks(order);
    let later = order.iter().enumerate().map(|(k, &v)| {
        let mut later: Vec<usize> = graph[v].iter().map(|&w| rank[w]).filter(|&r| r > k).collect();
        later.sort_unstable();
        later
    });
    later.collect()
}
