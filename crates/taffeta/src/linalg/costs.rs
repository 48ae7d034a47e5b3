//! What factorisations, and changes of a factor, cost: estimates that tell which of them is cheaper.
//!
//! The constants were fitted to times on a Zen 5 core for sheets of 20×20 to 80×80 nodes, flat, folded once and twice, and
//! for a stack of five, with some twenty changes at once; they are within an eighth of all of those. A change that goes alone takes
//! up to half as long again.

use super::supernodes::Supernode;

/// ns per multiplication and addition of a factorisation, as measured with vectors of eight numbers.
const PER_PRODUCT: f64 = 0.019;

/// ns per value of the factor: to clear it, to write the matrix there, to add the updates of children.
const PER_VALUE: f64 = 0.85;

/// ns per value of the columns on the way to the root that a change touches, when others go with it.
const PER_CHANGED_VALUE: f64 = 0.06;

/// ns per vertex on that way.
const PER_CHANGED_VERTEX: f64 = 7.0;

/// Estimated times of one pattern, ns.
#[derive(Debug)]
pub(super) struct Costs {
    /// Of a factorisation, front by front.
    pub fronts: Vec<f64>,
    /// Of a change that begins at each supernode.
    pub path: Vec<f64>,
}

impl Costs {
    /// `owner` tells the supernode of each vertex.
    pub fn new(nodes: &[Supernode], owner: &[usize]) -> Self {
        let mut fronts = vec![0.0; nodes.len()];
        let mut path = vec![0.0; nodes.len()];
        for (s, node) in nodes.iter().enumerate().rev() {
            let (n, k) = (3.0 * node.front() as f64, 3.0 * node.columns as f64);
            let values = k * (n - 0.5 * k);
            // Σ (n − j)²/2 over the columns.
            let products = 0.5 * k * (n * (n - k) + k * k / 3.0);
            fronts[s] = PER_PRODUCT * products + PER_VALUE * values;
            let beyond = node.rows.first().map_or(0.0, |&row| path[owner[row]]);
            path[s] = beyond + PER_CHANGED_VALUE * values + PER_CHANGED_VERTEX * node.columns as f64;
        }
        Self { fronts, path }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::super::BlockPattern;

    #[test]
    fn costs_are_those_of_a_dense_matrix_and_grow_with_the_way_to_the_root() {
        // One supernode of two vertices: a matrix of six rows.
        let pair = BlockPattern::new(&[DVec3::ZERO, DVec3::X], [[0, 1].as_slice()].into_iter());
        let squares: f64 = (1..=6).map(|n: i32| f64::from(n * n)).sum();
        let cost = pair.factorisation_cost() - super::PER_VALUE * 18.0;
        assert!((cost / (0.5 * super::PER_PRODUCT * squares) - 1.0).abs() < 0.3);

        let places: Vec<DVec3> = (0..100).map(|i| DVec3::X * f64::from(i)).collect();
        let links: Vec<[usize; 2]> = (1..100).map(|i| [i - 1, i]).collect();
        let chain = BlockPattern::new(&places, links.iter().map(|link| link.as_slice()));
        let costs: Vec<f64> = chain.order().iter().map(|&v| chain.change_cost([v].into_iter())).collect();
        assert!(costs.iter().all(|&cost| cost >= costs[99] && cost < chain.factorisation_cost()));
        assert_eq!(chain.change_cost(std::iter::empty()), 0.0);
    }
}
