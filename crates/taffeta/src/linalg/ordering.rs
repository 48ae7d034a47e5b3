//! Fill-reducing elimination orders of a graph whose vertices have places in space.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use glam::DVec3;

use super::graph::Graph;

/// An order in which the vertices of a graph are eliminated, and what that makes of them.
pub(crate) struct Elimination {
    /// The vertices in elimination order.
    pub order: Vec<usize>,
    /// By rank in that order, the parent in the elimination tree; `None` at a root.
    pub parent: Vec<Option<usize>>,
    /// By rank, the entries of the factor's column, the diagonal included.
    pub counts: Vec<usize>,
}

/// The better of minimum degree and nested dissection, judged by the multiplications each would cost.
pub(crate) fn fill_reducing(graph: &Graph, places: &[DVec3]) -> Elimination {
    let mut dissected = Vec::with_capacity(graph.len());
    dissect(graph, places, (0..graph.len()).collect(), &mut vec![0; graph.len()], &mut 0, &mut dissected);
    let dissected = Elimination::of(graph, dissected);
    let minimum_degree = minimum_degree(graph).map(|order| Elimination::of(graph, order));
    minimum_degree.filter(|other| other.cost() < dissected.cost()).unwrap_or(dissected)
}

impl Elimination {
    /// The elimination of all vertices in this order.
    pub fn of(graph: &Graph, order: Vec<usize>) -> Self {
        let n = order.len();
        let mut rank = vec![0; n];
        order.iter().enumerate().for_each(|(k, &v)| rank[v] = k);
        let (mut parent, mut counts, mut seen) = (vec![None; n], vec![1; n], vec![usize::MAX; n]);
        for (row, &v) in order.iter().enumerate() {
            seen[row] = row;
            // A row of the factor is what lies on the ways from its neighbours up the tree to itself.
            for mut column in graph.neighbours(v).iter().map(|&w| rank[w]).filter(|&column| column < row) {
                while seen[column] != row {
                    seen[column] = row;
                    counts[column] += 1;
                    column = *parent[column].get_or_insert(row);
                }
            }
        }
        Self { order, parent, counts }
    }

    /// Multiplications of a Cholesky factorisation.
    fn cost(&self) -> f64 {
        self.counts.iter().map(|&c| (c as f64).powi(2)).sum()
    }
}

/// Below this many vertices a part is eliminated as it stands.
const LEAF: usize = 6;

/// Halves `part` at the median of its longest extent; the vertices of the lower half that touch the upper half separate
/// the two and are eliminated last.
fn dissect(
    graph: &Graph,
    places: &[DVec3],
    mut part: Vec<usize>,
    side: &mut Vec<usize>,
    stamp: &mut usize,
    order: &mut Vec<usize>,
) {
    if part.len() <= LEAF {
        order.extend(part);
        return;
    }
    let (low, high) = part
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &v| (low.min(places[v]), high.max(places[v])));
    let axis = (high - low).max_position();
    part.sort_by(|&a, &b| places[a][axis].total_cmp(&places[b][axis]).then(a.cmp(&b)));
    let upper = part.split_off(part.len() / 2);
    *stamp += 1;
    upper.iter().for_each(|&v| side[v] = *stamp);
    let mark = *stamp;
    let (separator, lower): (Vec<usize>, Vec<usize>) =
        part.into_iter().partition(|&v| graph.neighbours(v).iter().any(|&w| side[w] == mark));
    dissect(graph, places, lower, side, stamp, order);
    dissect(graph, places, upper, side, stamp, order);
    order.extend(separator);
}

fn minimum_degree(graph: &Graph) -> Option<Vec<usize>> {
    let n = graph.len();
    let pattern = SymbolicSparseColMatRef::<usize>::new_checked(n, n, graph.starts(), None, graph.all_neighbours());
    let (mut order, mut rank) = (vec![0; n], vec![0; n]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, graph.all_neighbours().len()));
    amd::order(&mut order, &mut rank, pattern, amd::Control::default(), MemStack::new(&mut memory)).ok()?;
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: usize) -> (Graph, Vec<DVec3>) {
        let near = |i: usize, j: usize| i != j && (i / n).abs_diff(j / n) <= 1 && (i % n).abs_diff(j % n) <= 1;
        let pairs: Vec<[usize; 2]> =
            (0..n * n).flat_map(|i| (0..i).filter(move |&j| near(i, j)).map(move |j| [i, j])).collect();
        let graph = Graph::of_cliques(n * n, pairs.iter().map(|pair| pair.as_slice()));
        (graph, (0..n * n).map(|i| DVec3::new((i % n) as f64, (i / n) as f64, 0.0)).collect())
    }

    #[test]
    fn every_vertex_is_eliminated_once() {
        for n in [1, 2, 5, 12] {
            let (graph, places) = grid(n);
            let mut order = fill_reducing(&graph, &places).order;
            order.sort_unstable();
            assert_eq!(order, (0..n * n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_grid_costs_much_less_than_in_its_natural_order() {
        let (graph, places) = grid(30);
        let natural = Elimination::of(&graph, (0..900).collect());
        assert!(fill_reducing(&graph, &places).cost() < 0.5 * natural.cost());
    }

    #[test]
    fn coincident_places_do_not_matter() {
        let (graph, places) = grid(6);
        let mut order = fill_reducing(&graph, &vec![DVec3::ZERO; places.len()]).order;
        order.sort_unstable();
        assert_eq!(order, (0..36).collect::<Vec<_>>());
    }

    #[test]
    fn columns_of_the_factor_are_those_of_eliminating_vertex_by_vertex() {
        let (graph, places) = grid(7);
        let elimination = fill_reducing(&graph, &places);
        let order = &elimination.order;
        let n = order.len();
        let mut touch: Vec<Vec<bool>> =
            order.iter().map(|&v| order.iter().map(|w| graph.neighbours(v).contains(w)).collect()).collect();
        for k in 0..n {
            let later: Vec<usize> = (k + 1..n).filter(|&i| touch[k][i]).collect();
            assert_eq!(elimination.parent[k], later.first().copied());
            assert_eq!(elimination.counts[k], later.len() + 1);
            for &i in &later {
                later.iter().filter(|&&j| j != i).for_each(|&j| touch[i][j] = true);
            }
        }
    }
}
