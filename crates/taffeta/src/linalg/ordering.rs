//! Fill-reducing elimination orders of a graph whose vertices have places in space.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::simplicial::{
    prefactorize_symbolic_cholesky, prefactorize_symbolic_cholesky_scratch,
};
use glam::DVec3;

/// Neighbours of every vertex, ascending, itself excluded.
pub(crate) type Graph = Vec<Vec<usize>>;

/// The better of minimum degree and nested dissection, judged by the multiplications each would cost. Returns the
/// vertices in elimination order.
pub(crate) fn fill_reducing(graph: &Graph, places: &[DVec3]) -> Vec<usize> {
    let mut dissected = Vec::with_capacity(graph.len());
    dissect(graph, places, (0..graph.len()).collect(), &mut vec![0; graph.len()], &mut 0, &mut dissected);
    let minimum_degree = minimum_degree(graph).filter(|order| cost(graph, order) < cost(graph, &dissected));
    minimum_degree.unwrap_or(dissected)
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
        part.into_iter().partition(|&v| graph[v].iter().any(|&w| side[w] == mark));
    dissect(graph, places, lower, side, stamp, order);
    dissect(graph, places, upper, side, stamp, order);
    order.extend(separator);
}

fn minimum_degree(graph: &Graph) -> Option<Vec<usize>> {
    let n = graph.len();
    let (start, rows) = compressed(graph.iter().map(|v| v.iter().copied()));
    let pattern = SymbolicSparseColMatRef::<usize>::new_checked(n, n, &start, None, &rows);
    let (mut order, mut rank) = (vec![0; n], vec![0; n]);
    let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, rows.len()));
    amd::order(&mut order, &mut rank, pattern, amd::Control::default(), MemStack::new(&mut memory)).ok()?;
    Some(order)
}

/// Multiplications of a Cholesky factorisation in this order.
fn cost(graph: &Graph, order: &[usize]) -> f64 {
    let n = graph.len();
    let mut rank = vec![0; n];
    order.iter().enumerate().for_each(|(k, &v)| rank[v] = k);
    let (start, rows) = compressed(order.iter().enumerate().map(|(k, &v)| {
        let mut above: Vec<usize> = graph[v].iter().map(|&w| rank[w]).filter(|&r| r < k).collect();
        above.sort_unstable();
        above.push(k);
        above.into_iter()
    }));
    let upper = SymbolicSparseColMatRef::<usize>::new_checked(n, n, &start, None, &rows);
    let (mut tree, mut counts) = (vec![0isize; n], vec![0usize; n]);
    let request: StackReq = prefactorize_symbolic_cholesky_scratch::<usize>(n, rows.len());
    prefactorize_symbolic_cholesky(&mut tree, &mut counts, upper, MemStack::new(&mut MemBuffer::new(request)));
    counts.iter().map(|&c| (c as f64).powi(2)).sum()
}

fn compressed<I: Iterator<Item = usize>>(columns: impl Iterator<Item = I>) -> (Vec<usize>, Vec<usize>) {
    let (mut start, mut rows) = (vec![0], Vec::new());
    for column in columns {
        rows.extend(column);
        start.push(rows.len());
    }
    (start, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(n: usize) -> (Graph, Vec<DVec3>) {
        let near = |i: usize, j: usize| i != j && (i / n).abs_diff(j / n) <= 1 && (i % n).abs_diff(j % n) <= 1;
        let graph = (0..n * n).map(|i| (0..n * n).filter(|&j| near(i, j)).collect()).collect();
        (graph, (0..n * n).map(|i| DVec3::new((i % n) as f64, (i / n) as f64, 0.0)).collect())
    }

    #[test]
    fn every_vertex_is_eliminated_once() {
        for n in [1, 2, 5, 12] {
            let (graph, places) = grid(n);
            let mut order = fill_reducing(&graph, &places);
            order.sort_unstable();
            assert_eq!(order, (0..n * n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_grid_costs_much_less_than_in_its_natural_order() {
        let (graph, places) = grid(30);
        let natural: Vec<usize> = (0..900).collect();
        assert!(cost(&graph, &fill_reducing(&graph, &places)) < 0.5 * cost(&graph, &natural));
    }

    #[test]
    fn coincident_places_do_not_matter() {
        let (graph, places) = grid(6);
        let mut order = fill_reducing(&graph, &vec![DVec3::ZERO; places.len()]);
        order.sort_unstable();
        assert_eq!(order, (0..36).collect::<Vec<_>>());
    }
}
