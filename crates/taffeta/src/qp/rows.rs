//! Rows of a program: linear functions of the increment that touch a few nodes each.

use glam::DVec3;

/// Rows `v + Σ a_i·Δ_i`. Each has a compliance `σ`: it gives by `σ` per unit of its multiplier; and bounds of the multiplier:
/// at a bound it gives freely.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RowSet {
    /// First entry of every row, and the number of entries.
    starts: Vec<usize>,
    nodes: Vec<usize>,
    pub(crate) gradient: Vec<DVec3>,
    pub(crate) value: Vec<f64>,
    pub(crate) compliance: Vec<f64>,
    bounds: Vec<Bounds>,
}

/// The bounds of a multiplier.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bounds {
    /// None: the row is an equality.
    Equality,
    /// `λ ≤ 0`: the row is a contact, which can only push.
    Contact,
    /// `|λ| ≤ b`: friction.
    Friction(f64),
}

impl Bounds {
    /// The smallest and the largest multiplier.
    pub fn range(&self) -> (f64, f64) {
        match *self {
            Bounds::Equality => (f64::NEG_INFINITY, f64::INFINITY),
            Bounds::Contact => (f64::NEG_INFINITY, 0.0),
            Bounds::Friction(b) => (-b, b),
        }
    }
}

impl Default for RowSet {
    fn default() -> Self {
        Self::new()
    }
}

impl RowSet {
    /// No rows.
    pub fn new() -> Self {
        Self {
            starts: vec![0],
            nodes: Vec::new(),
            gradient: Vec::new(),
            value: Vec::new(),
            compliance: Vec::new(),
            bounds: Vec::new(),
        }
    }

    /// Removes all rows but the first `count`; the room for them stays.
    pub fn truncate(&mut self, count: usize) {
        let count = count.min(self.len());
        self.starts.truncate(count + 1);
        let entries = self.starts[count];
        self.nodes.truncate(entries);
        self.gradient.truncate(entries);
        self.value.truncate(count);
        self.compliance.truncate(count);
        self.bounds.truncate(count);
    }

    /// Adds a row: its bounds, its value at `Δ = 0`, its compliance, and its gradient `a_i` at each of its nodes.
    pub fn push(
        &mut self,
        bounds: Bounds,
        value: f64,
        compliance: f64,
        entries: impl IntoIterator<Item = (usize, DVec3)>,
    ) {
        for (node, gradient) in entries {
            self.nodes.push(node);
            self.gradient.push(gradient);
        }
        self.starts.push(self.nodes.len());
        self.value.push(value);
        self.compliance.push(compliance);
        self.bounds.push(bounds);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.value.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// The entries of row `r`, as a range.
    #[inline]
    pub(crate) fn span(&self, r: usize) -> std::ops::Range<usize> {
        self.starts[r]..self.starts[r + 1]
    }

    /// The nodes of row `r`.
    pub fn nodes(&self, r: usize) -> &[usize] {
        &self.nodes[self.span(r)]
    }

    /// The gradient of row `r` at each of its nodes.
    pub fn gradient(&self, r: usize) -> &[DVec3] {
        &self.gradient[self.span(r)]
    }

    /// Node and gradient of each entry of row `r`.
    #[inline]
    pub fn entries(&self, r: usize) -> impl Iterator<Item = (usize, DVec3)> {
        let span = self.span(r);
        self.nodes[span.clone()].iter().copied().zip(self.gradient[span].iter().copied())
    }

    /// The value of row `r` at `Δ = 0`.
    pub fn value(&self, r: usize) -> f64 {
        self.value[r]
    }

    /// The compliance `σ` of row `r`.
    pub fn compliance(&self, r: usize) -> f64 {
        self.compliance[r]
    }

    /// The bounds of the multiplier of row `r`.
    pub fn bounds(&self, r: usize) -> Bounds {
        self.bounds[r]
    }

    /// Gives the multiplier of row `r` other bounds.
    pub(crate) fn set_bounds(&mut self, r: usize, bounds: Bounds) {
        self.bounds[r] = bounds;
    }

    /// Gives row `r` another gradient, at as many nodes as before.
    pub(crate) fn set_row(&mut self, r: usize, entries: impl Iterator<Item = (usize, DVec3)>) {
        for (k, (node, gradient)) in self.span(r).zip(entries) {
            (self.nodes[k], self.gradient[k]) = (node, gradient);
        }
    }

    /// Gives the first rows other nodes, as many as before.
    pub(crate) fn set_nodes(&mut self, nodes: &[usize]) {
        self.nodes[..nodes.len()].copy_from_slice(nodes);
    }

    /// The multiplier of row `r` where the row has the value `v`.
    pub fn multiplier(&self, r: usize, v: f64) -> f64 {
        let (low, high) = self.bounds[r].range();
        (v / self.compliance[r]).clamp(low, high)
    }

    /// The value of row `r` at `delta`.
    #[inline]
    pub fn at(&self, r: usize, delta: &[DVec3]) -> f64 {
        self.value[r] + self.along(r, delta)
    }

    /// `a·delta` of row `r`.
    #[inline]
    pub fn along(&self, r: usize, delta: &[DVec3]) -> f64 {
        self.entries(r).map(|(i, a)| a.dot(delta[i])).sum()
    }

    /// Adds `multiplier · a` of row `r` to `sum`.
    #[inline]
    pub fn add_to(&self, r: usize, multiplier: f64, sum: &mut [DVec3]) {
        for (i, a) in self.entries(r) {
            sum[i] += a * multiplier;
        }
    }

    /// Puts the nodes of every row in the order of `rank`.
    pub(super) fn sort_nodes_by_rank(&mut self, rank: &[usize]) {
        for r in 0..self.len() {
            let mut entries: Vec<(usize, DVec3)> = self.entries(r).collect();
            entries.sort_by_key(|&(i, _)| rank[i]);
            for (k, (i, a)) in self.span(r).zip(entries) {
                (self.nodes[k], self.gradient[k]) = (i, a);
            }
        }
    }

    /// Whether the arrays fit together, every node is one of `nodes` and in a row at most once, and every number is finite.
    pub(super) fn is_sound(&self, nodes: usize) -> bool {
        let rows = self.value.len();
        self.starts.len() == rows + 1
            && self.starts.first() == Some(&0)
            && self.starts.last() == Some(&self.nodes.len())
            && self.starts.is_sorted()
            && self.compliance.len() == rows
            && self.bounds.len() == rows
            && self.bounds.iter().all(|bounds| !matches!(bounds, Bounds::Friction(b) if !(*b >= 0.0 && b.is_finite())))
            && self.gradient.len() == self.nodes.len()
            && self.nodes.iter().all(|&i| i < nodes)
            && (0..rows).all(|r| self.nodes(r).iter().enumerate().all(|(k, i)| !self.nodes(r)[..k].contains(i)))
            && self.gradient.iter().all(|a| a.is_finite())
            && self.value.iter().all(|v| v.is_finite())
            && self.compliance.iter().all(|&c| c > 0.0 && c.is_finite())
    }
}
