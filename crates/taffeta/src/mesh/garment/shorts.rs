//! Shorts: two legs below a crotch, one waist.

use glam::DVec2;

use super::panel::{LatticeNode, Panel, cells};
use super::sew::sew;
use super::{Cut, GarmentError, Sewn};

/// The measures of shorts, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shorts {
    /// Around the waist.
    pub waist: f64,
    /// Around the hip, at the height of the crotch.
    pub hip: f64,
    /// From the waist to the ends of the legs, straight down.
    pub length: f64,
    /// From the waist to the crotch, straight down.
    pub rise: f64,
    /// Around the end of a leg.
    pub leg: f64,
    /// Between the legs, across: the width of the gusset.
    pub crotch: f64,
}

impl Default for Shorts {
    fn default() -> Self {
        Self { waist: 0.8, hip: 0.94, length: 0.45, rise: 0.27, leg: 0.5, crotch: 0.06 }
    }
}

impl Shorts {
    pub(super) fn measures_mut(&mut self) -> [(&'static str, &mut f64); 6] {
        [
            ("waist", &mut self.waist),
            ("hip", &mut self.hip),
            ("length", &mut self.length),
            ("rise", &mut self.rise),
            ("leg", &mut self.leg),
            ("crotch", &mut self.crotch),
        ]
    }

    /// Width of a leg's panel below the crotch, m.
    fn thigh(&self) -> f64 {
        0.5 * (0.5 * self.hip - self.crotch)
    }

    pub(super) fn sew(&self, cut: Cut) -> Result<Sewn, GarmentError> {
        let garment = "shorts";
        if self.rise >= self.length {
            let rule = format!("less than the length, {} m", self.length);
            return Err(GarmentError::bad(garment, "rise", self.rise, rule));
        }
        if self.thigh() <= 0.0 {
            let rule = format!("less than half of the hip, {} m", 0.5 * self.hip);
            return Err(GarmentError::bad(garment, "crotch", self.crotch, rule));
        }
        let leg = cells(garment, "a leg", 0.5 * (self.thigh() + 0.5 * self.leg), cut.cell, 2)?;
        let crotch = cells(garment, "the crotch", self.crotch, cut.cell, 1)?;
        let below = cells(garment, "the legs below the crotch", self.length - self.rise, cut.cell, 1)?;
        let above = cells(garment, "the rise", self.rise, cut.cell, 1)?;
        let (columns, rows) = (2 * leg + crotch, below + above);
        let seamed = sew(&ShortsPanel { shorts: *self, leg, crotch, below, above }, cut)?;
        let sets = vec![
            ("waist", seamed.opening([0, rows])),
            ("left-leg", seamed.opening([0, 0])),
            ("right-leg", seamed.opening([columns, 0])),
            ("waist-left", seamed.front([0, rows])),
            ("waist-right", seamed.front([columns, rows])),
            ("crotch", (leg..=leg + crotch).flat_map(|column| seamed.front([column, below])).collect()),
        ];
        Ok(Sewn { mesh: seamed.mesh, sets })
    }
}

struct ShortsPanel {
    shorts: Shorts,
    /// Columns of a leg.
    leg: usize,
    /// Columns between the legs.
    crotch: usize,
    /// Rows below the crotch.
    below: usize,
    /// Rows above it.
    above: usize,
}

impl Panel for ShortsPanel {
    const GARMENT: &'static str = "shorts";

    fn size(&self) -> [usize; 2] {
        [2 * self.leg + self.crotch, self.below + self.above]
    }

    fn covers(&self, [column, row]: LatticeNode) -> bool {
        row >= self.below || column < self.leg || column >= self.leg + self.crotch
    }

    fn is_open(&self, [[_, a], [_, b]]: [LatticeNode; 2]) -> bool {
        a == b && (a == 0 || a == self.below + self.above)
    }

    fn place(&self, [column, row]: LatticeNode) -> DVec2 {
        let shorts = &self.shorts;
        // Below the crotch: how much of the way to the end of the leg. Above: how much of the way to the waist.
        let down = self.below.saturating_sub(row) as f64 / self.below as f64;
        let up = row.saturating_sub(self.below) as f64 / self.above as f64;
        let leg = shorts.thigh() + (0.5 * shorts.leg - shorts.thigh()) * down;
        let (inner, column) = (0.5 * shorts.crotch, column as f64);
        let (legs, gusset) = (self.leg as f64, self.crotch as f64);
        let x = if column <= legs {
            -inner - leg * (1.0 - column / legs)
        } else if column >= legs + gusset {
            inner + leg * ((column - legs - gusset) / legs)
        } else {
            inner * (2.0 * (column - legs) / gusset - 1.0)
        };
        let narrowing = 1.0 + (shorts.waist / shorts.hip - 1.0) * up;
        let inseam = shorts.length - shorts.rise;
        DVec2::new(x * narrowing, inseam * (1.0 - down) + shorts.rise * up)
    }
}
