//! What the cloth is made of.

/// The material of a cloth: everything a fit may change without rebuilding the model.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Material {
    /// `ρ`: surface density, kg/m².
    pub density: f64,
    /// `δ`: virtual gravitational mass density, kg/m², 0 < δ ≤ ρ. Air slows the fall of light cloth.
    pub virtual_density: f64,
    /// `α`: Rayleigh damping on the mass, kg/(m²·s).
    pub damping: f64,
    /// `β`: Rayleigh damping on bending, N·m·s.
    pub bending_damping: f64,
    /// `κ`: bending stiffness, N·m.
    pub bending: f64,
    /// Compliance of woven cloth in shear, m/N; 0 is rigid.
    pub shear_compliance: f64,
    /// Pressure drag of the air, dimensionless: force per area is ½ ρ_air c |u_n| u_n along the normal, u_n the wind's
    /// normal velocity relative to the cloth.
    pub drag: f64,
    /// `τ₀`: thickness of the cloth, m: its middle surface keeps half of it from every obstacle, and all of it from other parts
    /// of the cloth. 0 leaves it to [`Cloth::thickness`](super::Cloth::thickness) how far those are kept.
    pub thickness: f64,
    /// `E`: stiffness against pressure, Pa: a slight pressure `p` takes `p/E` of the thickness. Infinite for cloth that is not
    /// compressed. Cloth without a thickness of its own is pressed by other parts of it only: bodies meet its middle surface.
    pub compression: f64,
    /// `s`: how much of the thickness no pressure takes, in [0, 1): that of the fibres.
    pub solid_fraction: f64,
}

impl Material {
    /// A fabric of this density (kg/m²) that falls with its full weight.
    pub fn with_density(density: f64) -> Self {
        Self {
            density,
            virtual_density: density,
            damping: DEFAULT_DAMPING * density,
            bending_damping: 0.0,
            bending: 0.0,
            shear_compliance: DEFAULT_SHEAR_COMPLIANCE,
            drag: 1.0,
            thickness: 0.0,
            compression: DEFAULT_COMPRESSION,
            solid_fraction: DEFAULT_SOLID_FRACTION,
        }
    }

    /// The paper's fabrics by name: `polyester`, `wool`, `denim`, `stiff-cotton`.
    pub fn named(name: &str) -> Option<Self> {
        FABRICS.iter().find(|(n, _)| *n == name).map(|&(_, density)| Self::with_density(density))
    }

    /// What is wrong with these numbers, if anything: the field and the rule it breaks.
    pub fn fault(&self) -> Option<(&'static str, &'static str)> {
        let not_negative = |x: f64| x.is_finite() && x >= 0.0;
        if !(self.density.is_finite() && self.density > 0.0) {
            Some(("density", "must be a positive number of kg/m²"))
        } else if !(self.virtual_density > 0.0 && self.virtual_density <= self.density) {
            Some(("virtual_density", "must be positive and no larger than the density"))
        } else if !not_negative(self.damping) {
            Some(("damping", "must be 0 or a positive number of kg/(m²·s)"))
        } else if !not_negative(self.bending_damping) {
            Some(("bending_damping", "must be 0 or a positive number of N·m·s"))
        } else if !not_negative(self.bending) {
            Some(("bending", "must be 0 or a positive number of N·m"))
        } else if !not_negative(self.shear_compliance) {
            Some(("shear_compliance", "must be 0 (rigid) or a positive number of m/N"))
        } else if !not_negative(self.drag) {
            Some(("drag", "must be 0 or a positive number"))
        } else if !not_negative(self.thickness) {
            Some(("thickness", "must be 0 or a positive number of m"))
        } else if self.compression.is_nan() || self.compression <= 0.0 {
            Some(("compression", "must be a positive number of Pa, or infinite"))
        } else if !(0.0..1.0).contains(&self.solid_fraction) {
            Some(("solid_fraction", "must be from 0 to less than 1"))
        } else {
            None
        }
    }
}

/// The paper's table of fabrics: name and surface density in kg/m².
pub const FABRICS: [(&str, f64); 4] =
    [("polyester", 0.1042), ("wool", 0.1804), ("denim", 0.3046), ("stiff-cotton", 0.3046)];

/// m/N, one over 100 N/m. Chosen, not measured on a fabric: at this the shear of a swung A2 sheet is at most 0.4 % at 7×9
/// nodes and 4 % at 40×40, and a step takes one to three iterations.
const DEFAULT_SHEAR_COMPLIANCE: f64 = 0.01;

/// Pa. With this a fabric loses a fifth of its thickness at 4.9 kPa, the largest pressure of Kawabata's compression tester, as dense
/// woven fabrics do (towels lose a third to a half); a finger of 5 N on 1 cm² takes two thirds, and the weight of ten layers less than
/// a thousandth.
const DEFAULT_COMPRESSION: f64 = 2e4;

/// What is left of a fabric in which all air is pressed out: fibres fill 10 to 30 % of it.
const DEFAULT_SOLID_FRACTION: f64 = 0.15;

/// 1/s. `α/ρ` of a swung sheet of unknown fabric was found to be 3 to 5, by hand. The upper end is chosen because coarse and
/// fine meshes then agree better: the hem of 7×9 nodes is at most 11 mm off that of 25×33, at 4 it is 16 mm, at 3 17 mm.
const DEFAULT_DAMPING: f64 = 5.0;
