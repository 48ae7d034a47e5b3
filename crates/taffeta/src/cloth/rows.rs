//! Conditions on the cloth, one row each: every one is a quadratic form in a few nodes.
//!
//! `C_r(φ) = ½ Σ_ab S_ab ⟨φ_a, φ_b⟩ − t_r` with a constant symmetric `S`. Lengths, metric components averaged at a node
//! and shear of an element all have this shape, so value, gradient and curvature come from one place. What a row is, and what law
//! its multiplier follows, is said by the [group](super::RowGroup) it belongs to.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::DVec3;

/// A set of rows in compressed storage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    start: Vec<usize>,
    nodes: Vec<usize>,
    weight_start: Vec<usize>,
    weights: Vec<f64>,
    target: Vec<f64>,
    curved: Vec<usize>,
}

/// A row under construction: weights of node pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowBuilder {
    pairs: BTreeMap<(usize, usize), f64>,
}

impl RowBuilder {
    /// Adds `w ⟨Σ d_a φ_a, Σ e_b φ_b⟩` to the condition, `d` and `e` differences over the same `nodes`.
    pub fn add(&mut self, nodes: &[usize], d: &[f64; 4], e: &[f64; 4], w: f64) {
        for (a, &i) in nodes.iter().enumerate() {
            for (b, &j) in nodes.iter().enumerate() {
                *self.pairs.entry((i, j)).or_default() += w * (d[a] * e[b] + e[a] * d[b]);
            }
        }
    }

    /// The value of the condition at `positions`, before any target is subtracted.
    pub fn value(&self, positions: &[DVec3]) -> f64 {
        0.5 * self.pairs.iter().map(|(&(i, j), s)| s * positions[i].dot(positions[j])).sum::<f64>()
    }

    /// Multiplies the condition by a number.
    pub fn scale(&mut self, factor: f64) {
        self.pairs.values_mut().for_each(|s| *s *= factor);
    }
}

impl Rows {
    pub fn len(&self) -> usize {
        self.target.len()
    }

    /// Appends a row.
    pub fn push(&mut self, row: &RowBuilder, target: f64) {
        let mut nodes: Vec<usize> = row.pairs.keys().map(|&(i, _)| i).collect();
        nodes.dedup();
        if self.start.is_empty() {
            self.start.push(0);
            self.weight_start.push(0);
        }
        for &i in &nodes {
            self.weights.extend(nodes.iter().map(|&j| row.pairs.get(&(i, j)).copied().unwrap_or(0.0)));
        }
        self.nodes.extend(nodes);
        self.start.push(self.nodes.len());
        self.weight_start.push(self.weights.len());
        self.target.push(target);
    }

    /// Appends a row whose curvature counts where its multiplier is tension.
    pub fn push_curved(&mut self, row: &RowBuilder, target: f64) {
        self.curved.push(self.len());
        self.push(row, target);
    }

    /// The rows whose curvature counts, ascending.
    pub fn curved(&self) -> &[usize] {
        &self.curved
    }

    pub fn nodes(&self, r: usize) -> &[usize] {
        &self.nodes[self.span(r)]
    }

    pub fn weights(&self, r: usize) -> &[f64] {
        &self.weights[self.weight_start[r]..self.weight_start[r + 1]]
    }

    /// Where the gradient entries of row `r` lie among those of all rows.
    pub fn span(&self, r: usize) -> Range<usize> {
        self.start[r]..self.start[r + 1]
    }

    /// The same of consecutive rows.
    pub fn span_of(&self, rows: &Range<usize>) -> Range<usize> {
        match self.start.get(rows.start..=rows.end) {
            Some([first, .., last]) => *first..*last,
            _ => 0..0,
        }
    }

    /// Number of (row, node) incidences: the length of a gradient buffer.
    pub fn incidences(&self) -> usize {
        self.nodes.len()
    }

    /// The same rows with the nodes of each in the order of `rank`, so that a matrix assembled over pairs meets its columns in
    /// elimination order; and for each of these nodes, which of its row it is here.
    pub fn sorted_by_rank(&self, rank: &[usize]) -> (Self, Vec<usize>) {
        let mut sorted = self.clone();
        let mut origins = Vec::with_capacity(self.nodes.len());
        for r in 0..self.len() {
            let (nodes, span) = (self.nodes(r), self.span(r));
            origins.extend(0..nodes.len());
            let order = &mut origins[span.clone()];
            if nodes.is_sorted_by_key(|&i| rank[i]) {
                continue;
            }
            order.sort_unstable_by_key(|&a| rank[nodes[a]]);
            sorted.nodes[span].iter_mut().zip(&*order).for_each(|(node, &a)| *node = nodes[a]);
            let k = nodes.len();
            let target = sorted.weights[self.weight_start[r]..].chunks_exact_mut(k);
            for (&a, target) in order.iter().zip(target) {
                let source = &self.weights(r)[a * k..(a + 1) * k];
                target.iter_mut().zip(&*order).for_each(|(weight, &b)| *weight = source[b]);
            }
        }
        (sorted, origins)
    }

    /// The nodes of all rows, one row after the other.
    pub fn all_nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// Gradients of consecutive rows at `phi` into `gradient` (one vector per incidence) and values into `value`.
    pub fn evaluate(&self, rows: Range<usize>, phi: &[DVec3], gradient: &mut [DVec3], value: &mut [f64]) {
        let mut rest = gradient;
        for (r, value) in rows.zip(value) {
            let nodes = self.nodes(r);
            let (gradient, others) = rest.split_at_mut(nodes.len());
            rest = others;
            if let ([a, b], [at_a, at_b]) = (nodes, &mut *gradient) {
                // Two nodes: S is a multiple of [[1, −1], [−1, 1]], because it annihilates translations.
                let (difference, s) = (phi[*b] - phi[*a], self.weights[self.weight_start[r]]);
                (*at_a, *at_b) = (difference * -s, difference * s);
                *value = 0.5 * s * difference.length_squared() - self.target[r];
                continue;
            }
            let mut twice = 0.0;
            for ((&i, g), s) in nodes.iter().zip(gradient).zip(self.weights(r).chunks_exact(nodes.len())) {
                // Differences to the row's first node: S annihilates translations, and small numbers keep their digits.
                let origin = phi[nodes[0]];
                *g = nodes.iter().zip(s).map(|(&j, &s)| (phi[j] - origin) * s).sum();
                twice += g.dot(phi[i] - origin);
            }
            *value = 0.5 * twice - self.target[r];
        }
    }

    /// Gradients and values of all rows.
    pub fn evaluate_all(&self, phi: &[DVec3], gradient: &mut [DVec3], value: &mut [f64]) {
        self.evaluate(0..self.len(), phi, gradient, value);
    }
}
