//! What the rows of a cloth are. Consecutive rows of a kind are a group, and a step makes a source of rows of each group.

use std::ops::Range;

/// Consecutive rows of a kind.
#[derive(Clone, Debug)]
pub(crate) struct RowGroup {
    pub rows: Range<usize>,
    pub kind: RowKind,
}

/// What the rows of a group are.
#[derive(Clone, Debug)]
pub(crate) enum RowKind {
    /// `(l²/l₀² − 1)/2` of edges: rigid.
    Lengths,
    /// `E`, `F` and `G` of nodes or triangles, and lone `F` of corners between them.
    Metric(MetricRows),
    /// Lone `F`.
    Shear(Vec<RowLaw>),
    /// `E` or `G` of triangles none of whose edges is such a thread, and how much cloth each is of, m²: stiff against stretching,
    /// soft against shortening.
    Threads(Vec<f64>),
    /// Differences of the places of two nodes along the three axes, three rows for each pair.
    Seams,
}

/// Rows of a metric.
#[derive(Clone, Debug, Default)]
pub(crate) struct MetricRows {
    /// Of every row.
    pub laws: Vec<RowLaw>,
    /// Where in the group there is an `E` with its `F` and its `G` after it.
    pub tensors: Vec<usize>,
}

/// How a row of the fabric answers to its multiplier. Numbers are the cloth it is of, m².
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowLaw {
    /// Inextensible: `C = 0`.
    Rigid,
    /// Shear: rigid or compliant as the material says.
    Shear(f64),
    /// Shear averaged over some triangles: what the fabric's stiffness leaves over that of their own.
    MeanShear(f64),
    /// The remainder of a triangle that nodal averages cannot see: always compliant.
    Remainder(f64),
    /// The shear of a triangle: as stiff as the fabric, but no stiffer than a remainder.
    TriangleShear(f64),
}

impl RowGroup {
    /// How many of its rows are conditions of inextensibility, or shear that a material may make rigid.
    pub fn conditions(&self) -> usize {
        let own = |laws: &[RowLaw]| {
            laws.iter().filter(|law| !matches!(law, RowLaw::Remainder(_) | RowLaw::TriangleShear(_))).count()
        };
        match &self.kind {
            RowKind::Lengths | RowKind::Threads(_) => self.rows.len(),
            RowKind::Metric(metric) => own(&metric.laws),
            RowKind::Shear(laws) => own(laws),
            RowKind::Seams => 0,
        }
    }
}
