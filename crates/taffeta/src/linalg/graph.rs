//! Graphs: which vertices touch which.

/// Neighbours of every vertex, ascending, itself excluded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Graph {
    /// First neighbour of every vertex, and the number of all.
    starts: Vec<usize>,
    neighbours: Vec<usize>,
}

impl Graph {
    /// The graph in which all vertices of each clique touch each other.
    pub fn of_cliques<'a>(vertices: usize, cliques: impl Iterator<Item = &'a [usize]>) -> Self {
        let mut lists = vec![Vec::new(); vertices];
        for clique in cliques {
            for &i in clique {
                lists[i].extend(clique.iter().copied().filter(|&j| j != i));
            }
        }
        let mut graph = Self { starts: vec![0], neighbours: Vec::new() };
        for list in &mut lists {
            list.sort_unstable();
            list.dedup();
            graph.neighbours.append(list);
            graph.starts.push(graph.neighbours.len());
        }
        graph
    }

    /// The same with so many vertices more, that touch none.
    pub fn with_vertices(&self, more: usize) -> Self {
        let mut graph = self.clone();
        graph.starts.extend(std::iter::repeat_n(graph.neighbours.len(), more));
        graph
    }

    /// The same with further pairs, each `[a, b]` with `a < b`, ascending.
    pub fn with_pairs(&self, pairs: &[[usize; 2]]) -> Self {
        let n = self.len();
        let mut starts = vec![0; n + 1];
        pairs.iter().flatten().for_each(|&v| starts[v + 1] += 1);
        (0..n).for_each(|v| starts[v + 1] += starts[v]);
        let (mut ends, mut added) = (starts.clone(), vec![0; 2 * pairs.len()]);
        for &[a, b] in pairs {
            // Ascending, since what comes before a vertex is paired with it before it is paired with what comes after.
            for (v, w) in [(a, b), (b, a)] {
                added[ends[v]] = w;
                ends[v] += 1;
            }
        }
        let mut graph = Self {
            starts: Vec::with_capacity(n + 1),
            neighbours: Vec::with_capacity(self.neighbours.len() + added.len()),
        };
        graph.starts.push(0);
        for v in 0..n {
            let mut known = self.neighbours(v);
            for &w in &added[starts[v]..starts[v + 1]] {
                let before = known.iter().take_while(|&&k| k < w).count();
                graph.neighbours.extend_from_slice(&known[..before]);
                known = &known[before..];
                if known.first() != Some(&w) {
                    graph.neighbours.push(w);
                }
            }
            graph.neighbours.extend_from_slice(known);
            graph.starts.push(graph.neighbours.len());
        }
        graph
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The neighbours of a vertex, ascending.
    #[inline]
    pub fn neighbours(&self, v: usize) -> &[usize] {
        &self.neighbours[self.starts[v]..self.starts[v + 1]]
    }

    /// First neighbour of every vertex among [all](Self::all_neighbours), and their number.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The neighbours of all vertices, one after the other.
    pub fn all_neighbours(&self) -> &[usize] {
        &self.neighbours
    }
}

/// Pairs of vertices, numbered.
#[derive(Debug)]
pub(crate) struct Pairs {
    graph: Graph,
    /// By neighbour of every vertex, the number of the pair.
    numbers: Vec<usize>,
}

impl Pairs {
    /// The pairs of all neighbours.
    pub fn new(graph: Graph) -> Self {
        let mut pairs = Self { numbers: vec![0; graph.neighbours.len()], graph };
        let mut count = 0;
        for v in 0..pairs.graph.len() {
            for k in pairs.graph.starts[v]..pairs.graph.starts[v + 1] {
                let w = pairs.graph.neighbours[k];
                // The smaller of the two has been numbered already.
                pairs.numbers[k] = if w < v { pairs.number(w, v) } else { count };
                count += usize::from(w > v);
            }
        }
        pairs
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.numbers.len() / 2
    }

    /// The number of a pair.
    ///
    /// # Panics
    /// If it is not one of them.
    pub fn number(&self, i: usize, j: usize) -> usize {
        let k = self.graph.neighbours(i).binary_search(&j).expect("a pair of neighbours");
        self.numbers[self.graph.starts[i] + k]
    }

    /// The others in the pairs of a vertex, and the numbers of these pairs; none for one that came later.
    pub fn of(&self, v: usize) -> impl Iterator<Item = (usize, usize)> {
        let span = if v < self.graph.len() { self.graph.starts[v]..self.graph.starts[v + 1] } else { 0..0 };
        self.graph.neighbours[span.clone()].iter().copied().zip(self.numbers[span].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_added_later_are_cliques_of_two() {
        let cliques: [&[usize]; 4] = [&[0, 3, 5], &[1, 2], &[2, 5, 6, 7], &[4]];
        let pairs = [[0, 1], [0, 3], [1, 7], [2, 5], [3, 4], [3, 8], [5, 8], [7, 8]];
        let base = Graph::of_cliques(9, cliques.into_iter());
        let whole = Graph::of_cliques(9, cliques.into_iter().chain(pairs.iter().map(|pair| pair.as_slice())));
        assert_eq!(base.with_pairs(&pairs), whole);
        assert_eq!(base.with_pairs(&[]), base);
        assert_eq!(whole.neighbours(3), [0, 4, 5, 8]);
    }
}
