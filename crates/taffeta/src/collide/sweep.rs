//! Pairs of boxes that overlap, by sorting along one axis.
//!
//! Slower than trees, simple, and nothing in common with them: what checks the simulator must not share its mistakes.

use glam::DVec3;

/// A box along the axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    low: DVec3,
    high: DVec3,
}

impl Extent {
    /// The box around some nodes, inflated by `margin`.
    pub fn around(nodes: &[u32], positions: &[DVec3], margin: f64) -> Self {
        let places = || nodes.iter().map(|&node| positions[node as usize]);
        Self {
            low: places().fold(DVec3::INFINITY, DVec3::min) - margin,
            high: places().fold(DVec3::NEG_INFINITY, DVec3::max) + margin,
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// Visits every pair of a box of `first` and a box of `second` that overlap.
pub(super) fn overlaps(first: &[Extent], second: &[Extent], mut visit: impl FnMut(usize, usize)) {
    let (low, high) =
        second.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(x.low), high.max(x.high)));
    let axis = (high - low).max_position();
    let mut sorted: Vec<(Extent, usize)> = second.iter().copied().zip(0..).collect();
    sorted.sort_by(|(a, i), (b, j)| a.low[axis].total_cmp(&b.low[axis]).then(i.cmp(j)));
    let widest = second.iter().map(|x| x.high[axis] - x.low[axis]).fold(0.0, f64::max);
    for (i, extent) in first.iter().enumerate() {
        let start = sorted.partition_point(|(x, _)| x.low[axis] + widest < extent.low[axis]);
        for (other, j) in sorted[start..].iter().take_while(|(x, _)| x.low[axis] <= extent.high[axis]) {
            if extent.overlaps(other) {
                visit(i, *j);
            }
        }
    }
}
