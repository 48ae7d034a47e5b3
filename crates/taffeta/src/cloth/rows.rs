//! Conditions on the cloth, one row each: every one is a quadratic form in a few nodes.
//!
//! `C_r(φ) = ½ Σ_ab S_ab ⟨φ_a, φ_b⟩ − t_r` with a constant symmetric `S`. Lengths, metric components averaged at a node
//! and shear of an element all have this shape, so value, gradient and curvature come from one place. Only the rows of a seam
//! are linear; they are the last.

use std::collections::BTreeMap;

use glam::DVec3;

/// How a row answers to its multiplier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowLaw {
    /// Inextensible: `C = 0`.
    Rigid,
    /// Shear of this much cloth (m²): rigid or compliant as the material says.
    Shear(f64),
    /// Shear averaged over some triangles (m²): what the fabric's stiffness leaves over that of their own.
    MeanShear(f64),
    /// The remainder of a triangle (m²) that nodal averages cannot see: always compliant.
    Remainder(f64),
    /// The shear of a triangle (m²): as stiff as the fabric, but no stiffer than a remainder.
    TriangleShear(f64),
    /// `E` or `G` of a triangle (m²), none of whose edges is such a thread: stiff against stretching, soft against shortening.
    Thread(f64),
    /// The distance of two nodes of a seam along an axis (0 to 2): rigid if the seam is closed, absent if it is open. While it is
    /// being closed, the first is their distance.
    Sewn(usize),
}

/// Rows whose multipliers form one stress, for the curvature they lend to the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stress {
    /// One direction: the length of an edge, a lone `E` or `G`.
    Tension(usize),
    /// `[[λ_E, λ_F], [λ_F, λ_G]]`.
    Tensor {
        /// Row of `E`.
        e: usize,
        /// Row of `F`.
        f: usize,
        /// Row of `G`.
        g: usize,
    },
    /// A lone `F`: no direction of its own is under tension.
    Shear,
    /// The distance of two nodes of a seam, while it is being closed.
    Seam(usize),
}

impl Stress {
    /// The rows whose curvature counts.
    pub fn rows(&self) -> impl Iterator<Item = usize> + use<> {
        let rows = match *self {
            Stress::Tension(r) | Stress::Seam(r) => [Some(r), None, None],
            Stress::Tensor { e, f, g } => [Some(e), Some(f), Some(g)],
            Stress::Shear => [None; 3],
        };
        rows.into_iter().flatten()
    }
}

/// A set of rows in compressed storage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    start: Vec<usize>,
    nodes: Vec<usize>,
    weight_start: Vec<usize>,
    weights: Vec<f64>,
    target: Vec<f64>,
    answer: Vec<RowLaw>,
    stress: Vec<Stress>,
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

    /// Appends a row; returns its index.
    pub fn push(&mut self, row: &RowBuilder, target: f64, answer: RowLaw) -> usize {
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
        self.answer.push(answer);
        self.len() - 1
    }

    /// Appends the three rows of a seam, `(x_b − x_a)/length` along each axis.
    pub fn push_sewn(&mut self, [a, b]: [usize; 2], length: f64) {
        // S of the squared distance: for the scale of the rows, and for the curvature of the first one while it is a distance.
        let mut row = RowBuilder::default();
        let difference = [-1.0, 1.0, 0.0, 0.0];
        row.add(&[a, b], &difference, &difference, 0.5 / (length * length));
        for axis in 0..3 {
            let r = self.push(&row, 0.0, RowLaw::Sewn(axis));
            if axis == 0 {
                self.push_stress(Stress::Seam(r));
            }
        }
    }

    /// `1/ℓ` of the rows of a seam, 1/m.
    pub fn sewn_scale(&self, r: usize) -> f64 {
        self.weights[self.weight_start[r]].sqrt()
    }

    /// Gradient and value of the first row of a seam whose nodes are to be a positive distance apart, in place of the linear ones.
    pub fn evaluate_drawn(&self, r: usize, distance: f64, phi: &[DVec3], gradient: &mut [DVec3], value: &mut [f64]) {
        let (nodes, scale) = (self.nodes(r), self.sewn_scale(r));
        let across = phi[nodes[1]] - phi[nodes[0]];
        let at_b = across * (scale / distance);
        let span = self.span(r);
        (gradient[span.start], gradient[span.start + 1]) = (-at_b, at_b);
        value[r] = 0.5 * (across.dot(at_b) - distance * scale);
    }

    /// Declares how multipliers combine into a stress.
    pub fn push_stress(&mut self, stress: Stress) {
        self.stress.push(stress);
    }

    pub fn stresses(&self) -> &[Stress] {
        &self.stress
    }

    pub fn nodes(&self, r: usize) -> &[usize] {
        &self.nodes[self.span(r)]
    }

    pub fn weights(&self, r: usize) -> &[f64] {
        &self.weights[self.weight_start[r]..self.weight_start[r + 1]]
    }

    pub fn law(&self, r: usize) -> RowLaw {
        self.answer[r]
    }

    /// Where the gradient entries of row `r` lie among those of all rows.
    pub fn span(&self, r: usize) -> std::ops::Range<usize> {
        self.start[r]..self.start[r + 1]
    }

    /// Number of (row, node) incidences: the length of a gradient buffer.
    pub fn incidences(&self) -> usize {
        self.nodes.len()
    }

    /// Puts the nodes of every row in the order of `rank`, so that a matrix assembled over pairs meets its columns in
    /// elimination order.
    pub fn sort_nodes_by_rank(&mut self, rank: &[usize]) {
        for r in 0..self.len() {
            let (span, k) = (self.span(r), self.span(r).len());
            let mut order: Vec<usize> = (0..k).collect();
            order.sort_by_key(|&a| rank[self.nodes[span.start + a]]);
            let nodes: Vec<usize> = order.iter().map(|&a| self.nodes[span.start + a]).collect();
            let base = self.weight_start[r];
            let weights: Vec<f64> = order
                .iter()
                .flat_map(|&a| order.iter().map(move |&b| (a, b)))
                .map(|(a, b)| self.weights[base + a * k + b])
                .collect();
            self.nodes[span].copy_from_slice(&nodes);
            self.weights[base..base + k * k].copy_from_slice(&weights);
        }
    }

    /// Gradients of all rows at `phi` into `gradient` (one vector per incidence) and values into `value`.
    pub fn evaluate(&self, phi: &[DVec3], gradient: &mut [DVec3], value: &mut [f64]) {
        for (r, value) in value.iter_mut().enumerate() {
            let span = self.span(r);
            let nodes = &self.nodes[span.clone()];
            let gradient = &mut gradient[span];
            if let ([a, b], [at_a, at_b]) = (nodes, &mut *gradient) {
                // Two nodes: S is a multiple of [[1, −1], [−1, 1]], because it annihilates translations.
                let (difference, s) = (phi[*b] - phi[*a], self.weights[self.weight_start[r]]);
                if let RowLaw::Sewn(axis) = self.answer[r] {
                    // From the lower node to the higher, whatever order they are eliminated in: a multiplier is a force.
                    let direction = DVec3::AXES[axis] * if a < b { s.sqrt() } else { -s.sqrt() };
                    (*at_a, *at_b) = (-direction, direction);
                    *value = difference.dot(direction) - self.target[r];
                    continue;
                }
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
}
