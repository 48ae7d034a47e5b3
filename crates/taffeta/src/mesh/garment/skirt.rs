//! A skirt: a tube, straight or flared.

use glam::DVec2;

use super::panel::{LatticeNode, Panel, cells};
use super::sew::sew;
use super::{Cut, GarmentError, Sewn};

/// The measures of a skirt, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skirt {
    /// Around the waist.
    pub waist: f64,
    /// Around the hem; as large as the waist, the skirt is straight.
    pub hem: f64,
    /// From the waist to the hem, down the middle.
    pub length: f64,
}

impl Default for Skirt {
    fn default() -> Self {
        Self { waist: 0.72, hem: 0.96, length: 0.48 }
    }
}

impl Skirt {
    pub(super) fn measures_mut(&mut self) -> [(&'static str, &mut f64); 3] {
        [("waist", &mut self.waist), ("hem", &mut self.hem), ("length", &mut self.length)]
    }

    pub(super) fn sew(&self, cut: Cut) -> Result<Sewn, GarmentError> {
        let columns = cells("skirt", "half of its waist", 0.25 * (self.waist + self.hem), cut.cell, 2)?;
        let rows = cells("skirt", "its length", self.length, cut.cell, 1)?;
        let seamed = sew(&SkirtPanel { skirt: *self, columns, rows }, cut)?;
        let sets = vec![
            ("waist", seamed.opening([0, rows])),
            ("hem", seamed.opening([0, 0])),
            ("waist-left", seamed.front([0, rows])),
            ("waist-right", seamed.front([columns, rows])),
            ("hem-left", seamed.front([0, 0])),
            ("hem-right", seamed.front([columns, 0])),
        ];
        Ok(Sewn { mesh: seamed.mesh, sets })
    }
}

struct SkirtPanel {
    skirt: Skirt,
    columns: usize,
    rows: usize,
}

impl Panel for SkirtPanel {
    const GARMENT: &'static str = "skirt";

    fn size(&self) -> [usize; 2] {
        [self.columns, self.rows]
    }

    fn covers(&self, _: LatticeNode) -> bool {
        true
    }

    fn is_open(&self, [[_, a], [_, b]]: [LatticeNode; 2]) -> bool {
        // The sides that run across, at the hem and at the waist.
        a == b
    }

    fn place(&self, [column, row]: LatticeNode) -> DVec2 {
        let up = row as f64 / self.rows as f64;
        let width = 0.5 * (self.skirt.hem + (self.skirt.waist - self.skirt.hem) * up);
        DVec2::new(width * (column as f64 / self.columns as f64 - 0.5), self.skirt.length * up)
    }
}
