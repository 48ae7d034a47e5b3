//! The outline of a panel: cells of a square lattice, laid out in the plane.

use glam::DVec2;

use super::GarmentError;

/// More cells than this are a mistake: nobody waits for them.
const MOST_CELLS: usize = 500_000;

/// Cells are refused if the angle between two of their sides, in degrees, is smaller than this or larger than what it
/// leaves of 180°: threads that cross at less make a poor cloth.
const LEAST_ANGLE: f64 = 45.0;

/// Cells are refused if their longest side is more than this many times as long as their shortest.
const LARGEST_ASPECT: f64 = 2.5;

/// A node of the lattice: column and row, counted from the lower left.
pub(super) type LatticeNode = [usize; 2];

/// One of two panels that are sewn to each other.
pub(super) trait Panel {
    /// What it is a panel of.
    const GARMENT: &'static str;

    /// Columns and rows of the lattice's cells.
    fn size(&self) -> [usize; 2];

    /// Whether the cell whose lower left node this is belongs to the panel.
    fn covers(&self, cell: LatticeNode) -> bool;

    /// Whether a side of the panel between two neighbouring nodes is left open; all others are sewn.
    fn is_open(&self, side: [LatticeNode; 2]) -> bool;

    /// Where a node lies in the panel, m: x across, y up.
    fn place(&self, node: LatticeNode) -> DVec2;
}

/// The number of cells that a length is cut into, at least `least`.
pub(super) fn cells(
    garment: &'static str,
    part: &'static str,
    length: f64,
    cell: f64,
    least: usize,
) -> Result<usize, GarmentError> {
    let count = (length / cell).round();
    if count > MOST_CELLS as f64 {
        return Err(GarmentError::CellTooSmall { garment, cell, most: MOST_CELLS });
    }
    let count = count as usize;
    if count < least {
        // A little less than what would be rounded up, so that the advice can be followed.
        let most = 0.999 * length / (least as f64 - 0.5);
        return Err(GarmentError::CellTooLarge { garment, part, cell, most });
    }
    Ok(count)
}

/// Refuses panels of too many cells, and cells far from square.
pub(super) fn check<P: Panel>(panel: &P, cell: f64) -> Result<(), GarmentError> {
    let [columns, rows] = panel.size();
    if columns.saturating_mul(rows) > MOST_CELLS {
        return Err(GarmentError::CellTooSmall { garment: P::GARMENT, cell, most: MOST_CELLS });
    }
    let (mut sharpest, mut aspect) = (90.0f64, 1.0f64);
    for corners in quads(panel) {
        let places = corners.map(|node| panel.place(node));
        let sides: [DVec2; 4] = std::array::from_fn(|k| places[(k + 1) % 4] - places[k]);
        let lengths = sides.map(DVec2::length);
        aspect = aspect.max(
            lengths.iter().fold(0.0, |a: f64, &b| a.max(b)) / lengths.iter().copied().fold(f64::INFINITY, f64::min),
        );
        for k in 0..4 {
            let angle = (-sides[k]).angle_to(sides[(k + 1) % 4]).abs().to_degrees();
            sharpest = sharpest.min(angle).min(180.0 - angle);
        }
    }
    let distortion = if sharpest < LEAST_ANGLE {
        format!("whose sides meet at {sharpest:.0}°, and {LEAST_ANGLE}° is the least")
    } else if aspect > LARGEST_ASPECT {
        format!("{aspect:.1} times as long as wide, and {LARGEST_ASPECT} is the most")
    } else {
        return Ok(());
    };
    Err(GarmentError::Distorted { garment: P::GARMENT, distortion })
}

/// The corners of the panel's cells, counter-clockwise, row by row.
pub(super) fn quads<P: Panel>(panel: &P) -> impl Iterator<Item = [LatticeNode; 4]> {
    let [columns, rows] = panel.size();
    let all = (0..rows).flat_map(move |row| (0..columns).map(move |column| [column, row]));
    all.filter(|&cell| panel.covers(cell)).map(|[c, r]| [[c, r], [c + 1, r], [c + 1, r + 1], [c, r + 1]])
}
