//! A shirt: a body, two sleeves, a neck hole.

use std::f64::consts::PI;

use glam::DVec2;

use super::panel::{LatticeNode, Panel, cells};
use super::sew::sew;
use super::{Cut, GarmentError, Sewn};

/// The measures of a shirt, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shirt {
    /// Around the chest, below the sleeves.
    pub chest: f64,
    /// Around the hem.
    pub hem: f64,
    /// From the shoulder to the hem, straight down.
    pub length: f64,
    /// From the body to the end of a sleeve, along the shoulder.
    pub sleeve: f64,
    /// Around a sleeve where it meets the body.
    pub armhole: f64,
    /// Around the end of a sleeve.
    pub cuff: f64,
    /// The neck hole, from shoulder to shoulder.
    pub neck: f64,
    /// How far the neck hole reaches down, in front and behind; 0 is straight.
    pub neck_depth: f64,
}

impl Default for Shirt {
    fn default() -> Self {
        Self {
            chest: 1.0,
            hem: 0.96,
            length: 0.66,
            sleeve: 0.2,
            armhole: 0.46,
            cuff: 0.36,
            neck: 0.24,
            neck_depth: 0.06,
        }
    }
}

impl Shirt {
    pub(super) fn measures_mut(&mut self) -> [(&'static str, &mut f64); 8] {
        [
            ("chest", &mut self.chest),
            ("hem", &mut self.hem),
            ("length", &mut self.length),
            ("sleeve", &mut self.sleeve),
            ("armhole", &mut self.armhole),
            ("cuff", &mut self.cuff),
            ("neck", &mut self.neck),
            ("neck_depth", &mut self.neck_depth),
        ]
    }

    pub(super) fn sew(&self, cut: Cut) -> Result<Sewn, GarmentError> {
        let garment = "shirt";
        if self.armhole >= 2.0 * self.length {
            let rule = format!("less than twice the length, {} m", 2.0 * self.length);
            return Err(GarmentError::bad(garment, "armhole", self.armhole, rule));
        }
        if self.neck >= 0.5 * self.chest {
            let rule = format!("less than half of the chest, {} m", 0.5 * self.chest);
            return Err(GarmentError::bad(garment, "neck", self.neck, rule));
        }
        let sleeve = cells(garment, "a sleeve's length", self.sleeve, cut.cell, 1)?;
        let shoulder = cells(garment, "a shoulder", 0.25 * self.chest - 0.5 * self.neck, cut.cell, 1)?;
        let neck = cells(garment, "the neck", self.neck, cut.cell, 2)?;
        let body = cells(garment, "the body below the sleeves", self.length - 0.5 * self.armhole, cut.cell, 1)?;
        let arm = cells(garment, "half of a sleeve", 0.25 * (self.armhole + self.cuff), cut.cell, 2)?;
        let panel = ShirtPanel { shirt: *self, sleeve, shoulder, neck, body, arm };
        let ([columns, rows], neck_left) = (panel.size(), sleeve + shoulder);
        let seamed = sew(&panel, cut)?;
        let sets = vec![
            ("hem", seamed.opening([sleeve, 0])),
            ("neck", seamed.opening([neck_left, rows])),
            ("left-sleeve", seamed.opening([0, rows])),
            ("right-sleeve", seamed.opening([columns, rows])),
            ("neck-left", seamed.front([neck_left, rows])),
            ("neck-right", seamed.front([neck_left + neck, rows])),
            ("shoulder-left", seamed.front([sleeve, rows])),
            ("shoulder-right", seamed.front([columns - sleeve, rows])),
            ("cuff-left", seamed.front([0, rows])),
            ("cuff-right", seamed.front([columns, rows])),
            ("hem-left", seamed.front([sleeve, 0])),
            ("hem-right", seamed.front([columns - sleeve, 0])),
        ];
        Ok(Sewn { mesh: seamed.mesh, sets })
    }
}

struct ShirtPanel {
    shirt: Shirt,
    /// Columns of a sleeve.
    sleeve: usize,
    /// Columns of a shoulder, from the neck to the sleeve.
    shoulder: usize,
    /// Columns of the neck.
    neck: usize,
    /// Rows below the sleeves.
    body: usize,
    /// Rows of a sleeve.
    arm: usize,
}

impl ShirtPanel {
    /// Where a column of the body is at the shoulder, and by how much the neck hole lowers it there, m.
    fn at_shoulder(&self, column: usize) -> (f64, f64) {
        let shirt = &self.shirt;
        // Columns counted from the middle, in halves.
        let middle = 2 * (self.sleeve + self.shoulder) + self.neck;
        let from_middle = 0.5 * (2.0 * column as f64 - middle as f64);
        let (half, neck) = (0.5 * self.neck as f64, 0.5 * shirt.neck);
        let (beyond, shoulder) = (from_middle.abs() - half, 0.25 * shirt.chest - neck);
        if beyond >= 0.0 {
            return (from_middle.signum() * (neck + shoulder * beyond / self.shoulder as f64), 0.0);
        }
        let x = neck * from_middle / half;
        (x, 0.5 * shirt.neck_depth * (1.0 + (PI * x / neck).cos()))
    }
}

impl Panel for ShirtPanel {
    const GARMENT: &'static str = "shirt";

    fn size(&self) -> [usize; 2] {
        [2 * (self.sleeve + self.shoulder) + self.neck, self.body + self.arm]
    }

    fn covers(&self, [column, row]: LatticeNode) -> bool {
        let [columns, _] = self.size();
        row >= self.body || (column >= self.sleeve && column < columns - self.sleeve)
    }

    fn is_open(&self, [[a, low], [b, high]]: [LatticeNode; 2]) -> bool {
        let [columns, rows] = self.size();
        let neck = self.sleeve + self.shoulder..=self.sleeve + self.shoulder + self.neck;
        let cuff = a == b && (a == 0 || a == columns);
        let across = |row: usize| low == row && high == row;
        cuff || across(0) || across(rows) && neck.contains(&a) && neck.contains(&b)
    }

    fn place(&self, [column, row]: LatticeNode) -> DVec2 {
        let shirt = &self.shirt;
        let [columns, rows] = self.size();
        let half_chest = 0.25 * shirt.chest;
        let inside = column.clamp(self.sleeve, columns - self.sleeve);
        if column != inside {
            // In a sleeve, which hangs from the line of the shoulder.
            let out = column.abs_diff(inside) as f64 / self.sleeve as f64;
            let height = 0.5 * (shirt.armhole + (shirt.cuff - shirt.armhole) * out);
            let x = half_chest + shirt.sleeve * out;
            let below = (rows - row) as f64 / self.arm as f64;
            return DVec2::new(if column < inside { -x } else { x }, shirt.length - height * below);
        }
        let (x, lowered) = self.at_shoulder(column);
        let armpit = shirt.length - 0.5 * shirt.armhole;
        let (up, z) = match row.checked_sub(self.body) {
            Some(above) => (1.0, armpit + 0.5 * shirt.armhole * above as f64 / self.arm as f64),
            None => (row as f64 / self.body as f64, armpit * row as f64 / self.body as f64),
        };
        let widening = shirt.hem / shirt.chest + (1.0 - shirt.hem / shirt.chest) * up;
        DVec2::new(x * widening, z * (1.0 - lowered / shirt.length))
    }
}
