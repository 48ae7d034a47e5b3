//! Which 3×3 blocks of a symmetric matrix may be non-zero, in an order that keeps the factor sparse.

use glam::DVec3;

use super::costs::Costs;
use super::forest::Forest;
use super::graph::{Graph, Pairs};
use super::ordering::{self, Elimination};
use super::supernodes::{Supernode, postorder, supernodes};

/// Where a 3×3 block of the lower triangle is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    /// First value of every supernode's front in a solve, and the number of values.
    solve_start: Vec<usize>,
    /// Where the memory begins that every supernode and those before it leave their updates in, and where it ends.
    update_start: Vec<usize>,
    forest: Forest,
    /// Estimated time of a change that begins at each supernode, ns.
    path_costs: Vec<f64>,
}

impl BlockPattern {
    /// The pattern in which all vertices of each clique touch each other.
    pub fn new<'a>(places: &[DVec3], cliques: impl Iterator<Item = &'a [usize]>) -> Self {
        Self::of_graph(&Graph::of_cliques(places.len(), cliques), places)
    }

    /// The pattern in which neighbours touch each other.
    pub fn of_graph(graph: &Graph, places: &[DVec3]) -> Self {
        let Elimination { order, parent, counts } = ordering::fill_reducing(graph, places);
        let postorder = postorder(&parent);
        let moved = ranks(&postorder);
        let counts: Vec<usize> = postorder.iter().map(|&k| counts[k]).collect();
        let parent: Vec<Option<usize>> = postorder.iter().map(|&k| parent[k].map(|p| moved[p])).collect();
        let order: Vec<usize> = postorder.iter().map(|&k| order[k]).collect();
        let rank = ranks(&order);
        let later = |k: usize| graph.neighbours(order[k]).iter().map(|&w| rank[w]).filter(move |&r| r > k);
        let mut supernodes = supernodes(&parent, &counts, later);

        let mut owner = Vec::with_capacity(order.len());
        let (mut start, mut solve_start) = (vec![0], vec![0]);
        for (s, node) in supernodes.iter().enumerate() {
            owner.extend(std::iter::repeat_n(s, node.columns));
            start.push(start[s] + node.stride() * 3 * node.columns);
            solve_start.push(solve_start[s] + node.stride());
        }
        let Costs { fronts, path } = Costs::new(&supernodes, &owner);
        let forest = Forest::new(&supernodes, fronts.into_iter());
        let update_start = forest.place_updates(&mut supernodes);
        Self { rank, order, supernodes, owner, start, solve_start, update_start, forest, path_costs: path }
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
        let position = self.supernodes[s].position(row).expect("a block of the pattern");
        self.slot_at(s, position, column)
    }

    /// Where the block of two vertices is stored, and whether it is stored with the second as its row.
    pub fn slot_of(&self, i: usize, j: usize) -> (Slot, bool) {
        let swapped = self.rank[i] < self.rank[j];
        (if swapped { self.slot(j, i) } else { self.slot(i, j) }, swapped)
    }

    /// Where the diagonal block of each vertex is stored.
    pub fn diagonal(&self) -> Vec<Slot> {
        let slot = |&rank: &usize| {
            let s = self.owner[rank];
            self.slot_at(s, rank - self.supernodes[s].first, rank)
        };
        self.rank.iter().map(slot).collect()
    }

    /// Where the blocks of these pairs are stored, by their numbers; `None` of those that the matrix has no room for. All at once
    /// they need not be searched for.
    pub fn slots(&self, pairs: &Pairs) -> Vec<Option<Slot>> {
        let mut slots = vec![None; pairs.len()];
        // The last supernode that each rank is a row of, and where it stands there.
        let mut standing = vec![(usize::MAX, 0); self.order.len()];
        for (s, node) in self.supernodes.iter().enumerate() {
            let front = (node.first..node.first + node.columns).chain(node.rows.iter().copied());
            front.enumerate().for_each(|(position, rank)| standing[rank] = (s, position));
            for column in node.first..node.first + node.columns {
                for (other, number) in pairs.of(self.order[column]) {
                    let row = self.rank[other];
                    if row > column && standing[row].0 == s {
                        slots[number] = Some(self.slot_at(s, standing[row].1, column));
                    }
                }
            }
        }
        slots
    }

    /// Where the block is stored that stands in a row of the front of supernode `s`, in the column of a rank.
    fn slot_at(&self, s: usize, position: usize, column: usize) -> Slot {
        let node = &self.supernodes[s];
        let stride = node.stride();
        let base = self.start[s] + 3 * (column - node.first) * stride + 3 * position;
        let narrow = |x: usize| u32::try_from(x).expect("at most 2³² values");
        Slot { base: narrow(base), stride: narrow(stride) }
    }

    /// Whether the matrix has room for the blocks of all pairs of these vertices. It has if the first of them in the elimination
    /// order touches all others: eliminating it makes these touch each other.
    pub fn has(&self, vertices: &[usize]) -> bool {
        let ranks = || vertices.iter().map(|&v| self.rank[v]);
        let Some(first) = ranks().min() else { return true };
        let node = &self.supernodes[self.owner[first]];
        ranks().all(|rank| node.position(rank).is_some())
    }

    /// What it takes to write a matrix and to factorise it, ns, by an estimate.
    pub fn factorisation_cost(&self) -> f64 {
        self.forest.cost()
    }

    /// What it takes to add a row that touches these vertices to a factor, or to take it away, ns, by an estimate.
    pub fn change_cost(&self, vertices: impl Iterator<Item = usize>) -> f64 {
        vertices.map(|v| self.rank[v]).min().map_or(0.0, |first| self.path_costs[self.owner[first]])
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

    /// Where the front of supernode `s` stands in a solve.
    pub(super) fn solve_values(&self, s: usize) -> std::ops::Range<usize> {
        self.solve_start[s]..self.solve_start[s + 1]
    }

    /// Where the memory of the updates begins for a run of trees that begins with supernode `s`.
    pub(super) fn update_start(&self, s: usize) -> usize {
        self.update_start[s]
    }

    /// Number of values of all updates that have memory at the same time.
    pub(super) fn update_len(&self) -> usize {
        self.update_start[self.supernodes.len()]
    }

    /// Number of values of all fronts in a solve.
    pub(super) fn solve_len(&self) -> usize {
        self.solve_start[self.supernodes.len()]
    }

    pub(super) fn forest(&self) -> &Forest {
        &self.forest
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_many_pairs_are_those_of_each() {
        let n = 9;
        let quads: Vec<[usize; 4]> = (0..n * n - n - 1).map(|i| [i, i + 1, i + n, i + n + 1]).collect();
        let places: Vec<DVec3> = (0..n * n).map(|i| DVec3::new((i % n) as f64, (i / n) as f64, 0.0)).collect();
        let pattern = BlockPattern::new(&places, quads.iter().map(|quad| quad.as_slice()));
        // Two cells away there is room for some only.
        let wanted: Vec<[usize; 2]> =
            (0..n * n - 2 * n).flat_map(|i| [[i, i + 1], [i, i + 2], [i, i + 2 * n]]).collect();
        let pairs = Pairs::new(Graph::of_cliques(n * n, wanted.iter().map(|pair| pair.as_slice())));
        let slots = pattern.slots(&pairs);
        assert_eq!(slots.len(), wanted.len());
        for [i, j] in wanted {
            let slot = pattern.has(&[i, j]).then(|| pattern.slot_of(i, j).0);
            assert_eq!(slots[pairs.number(i, j)], slot);
            assert_eq!(slots[pairs.number(j, i)], slot);
        }
        assert!(slots.iter().any(Option::is_none) && slots.iter().any(Option::is_some));
    }
    #[test]
    fn there_is_room_for_vertices_if_there_is_for_all_pairs_of_them() {
        let n = 8;
        let quads: Vec<[usize; 4]> = (0..n * n - n - 1).map(|i| [i, i + 1, i + n, i + n + 1]).collect();
        let pattern = BlockPattern::new(&vec![DVec3::ZERO; n * n], quads.iter().map(|quad| quad.as_slice()));
        let mut counts = [0; 2];
        for k in 0..4000 {
            // Four vertices near each other.
            let around = |m: usize| (k * 7919 / 13 + [0, 1, 2, n, n + 1, 2 * n, 3, n + 2][(k / m) % 8]) % (n * n);
            let four = [1, 8, 64, 512].map(around);
            let pairs = (0..16).map(|p| [four[p / 4], four[p % 4]]);
            let all = pairs.into_iter().all(|pair| pattern.has(&pair));
            assert_eq!(pattern.has(&four), all, "{four:?}");
            counts[usize::from(all)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
        assert!(pattern.has(&[]) && pattern.has(&[5]));
    }
}
