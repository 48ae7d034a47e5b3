//! Garments by their measures: a towel, a skirt, shorts, a shirt, in quads.
//!
//! All but the towel are a front and a back panel of the same outline, sewn together along the seams and apart at the
//! openings. The panels are the rest shape: they are the mesh's UVs, in metres, warp along u and weft along v. The
//! positions are a start for a run: the panels upright and parallel, a small gap apart, every edge at its rest length.

mod error;
mod fit;
mod panel;
mod sew;
mod shirt;
mod shorts;
mod skirt;
mod towel;

pub use error::GarmentError;
pub use shirt::Shirt;
pub use shorts::Shorts;
pub use skirt::Skirt;
pub use towel::Towel;

use super::Mesh;

/// What is made, with its measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Garment {
    /// A rectangular sheet.
    Towel(Towel),
    /// A tube: openings at waist and hem.
    Skirt(Skirt),
    /// Two legs: openings at the waist and both legs.
    Shorts(Shorts),
    /// Two sleeves: openings at hem, neck and both sleeves.
    Shirt(Shirt),
}

/// How a garment is cut into cells and laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Length of a cell's side, m: as near to it as the measures allow.
    pub cell: f64,
    /// Distance of the front from the back at the start, m; at most the length of a cell. It should be larger than the
    /// cloth is thick.
    pub gap: f64,
}

impl Cut {
    /// Cells of a given side, m, and a gap of a third of that: the seams then start with an angle of about 20°.
    pub fn with_cell(cell: f64) -> Self {
        Self { cell, gap: cell / 3.0 }
    }
}

/// A garment made to measure.
#[derive(Clone, Debug)]
pub struct Sewn {
    /// The mesh: panels as UVs, the start as positions. It stands on z = 0, its middle on the z-axis; the front looks along
    /// −y, and left is where x is negative.
    pub mesh: Mesh,
    /// Nodes that have a name: openings, and the ends of seams.
    pub sets: Vec<(&'static str, Vec<usize>)>,
}

impl Garment {
    /// The names of all garments.
    pub const NAMES: [&'static str; 4] = ["towel", "skirt", "shorts", "shirt"];

    /// The garment of a name, with measures that would fit somebody.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "towel" => Some(Garment::Towel(Towel::default())),
            "skirt" => Some(Garment::Skirt(Skirt::default())),
            "shorts" => Some(Garment::Shorts(Shorts::default())),
            "shirt" => Some(Garment::Shirt(Shirt::default())),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Garment::Towel(_) => "towel",
            Garment::Skirt(_) => "skirt",
            Garment::Shorts(_) => "shorts",
            Garment::Shirt(_) => "shirt",
        }
    }

    /// Its measures by name, m.
    pub fn measures(mut self) -> Vec<(&'static str, f64)> {
        self.measures_mut().into_iter().map(|(name, value)| (name, *value)).collect()
    }

    /// Sets a measure by name, m.
    pub fn set_measure(&mut self, name: &str, value: f64) -> Result<(), GarmentError> {
        let garment = self.name();
        let mut measures = self.measures_mut();
        match measures.iter_mut().find(|(known, _)| *known == name) {
            Some((_, measure)) => {
                **measure = value;
                Ok(())
            }
            None => Err(GarmentError::NoSuchMeasure {
                garment,
                measure: name.to_owned(),
                known: measures.iter().map(|(known, _)| *known).collect(),
            }),
        }
    }

    fn measures_mut(&mut self) -> Vec<(&'static str, &mut f64)> {
        match self {
            Garment::Towel(towel) => towel.measures_mut().into(),
            Garment::Skirt(skirt) => skirt.measures_mut().into(),
            Garment::Shorts(shorts) => shorts.measures_mut().into(),
            Garment::Shirt(shirt) => shirt.measures_mut().into(),
        }
    }

    /// Makes the garment.
    ///
    /// # Errors
    ///
    /// If a measure makes no sense, if cells of this size do not fit the measures, or if the measures would need cells
    /// far from square.
    pub fn sew(&self, cut: Cut) -> Result<Sewn, GarmentError> {
        let garment = self.name();
        for (measure, value) in self.measures().into_iter().chain([("cell", cut.cell), ("gap", cut.gap)]) {
            // Neck holes may be straight.
            let fine = value.is_finite() && (value > 0.0 || (value == 0.0 && measure == "neck_depth"));
            if !fine {
                return Err(GarmentError::bad(garment, measure, value, "a positive number of metres"));
            }
        }
        if cut.gap > cut.cell {
            let rule = format!("at most the cell, {} m", cut.cell);
            return Err(GarmentError::bad(garment, "gap", cut.gap, rule));
        }
        match self {
            Garment::Towel(towel) => towel.sew(cut),
            Garment::Skirt(skirt) => skirt.sew(cut),
            Garment::Shorts(shorts) => shorts.sew(cut),
            Garment::Shirt(shirt) => shirt.sew(cut),
        }
    }
}
