//! How thickness answers to pressure.
//!
//! The thickness of a fabric falls with pressure along a hyperbola towards that of its fibres alone,
//!
//! ```text
//! τ(p) = τ_s + (τ₀ − τ_s) c/(p + c),      c = E (1 − s),   s = τ_s/τ₀
//! ```
//!
//! (H. Bogaty, N. Hollies, J. Hintermaier and M. Harris, *The nature of a fabric surface: thickness-pressure relationships*, Textile
//! Research Journal 23, 1953). `E` is the stiffness at no pressure: a slight pressure `p` takes `p/E` of the thickness. Its inverse has
//! no bound, so that no force brings two sides of a fabric closer than `τ_s`, and its energy is convex, so that implicit steps only lose
//! energy to it.

use super::Material;

/// The law of a fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Compression {
    /// `1/c`, 1/Pa; 0 for a fabric that is not compressed.
    inverse: f64,
    /// `1 − s`: how much of the thickness can be taken at most.
    range: f64,
}

impl Default for Compression {
    /// Nothing is compressed.
    fn default() -> Self {
        Self { inverse: 0.0, range: 1.0 }
    }
}

impl Compression {
    pub fn of(material: &Material) -> Self {
        let range = 1.0 - material.solid_fraction;
        Self { inverse: 1.0 / (range * material.compression), range }
    }

    /// How much of its thickness a pressure (Pa) takes: `1 − τ(p)/τ₀`.
    pub fn at(&self, pressure: f64) -> f64 {
        let x = pressure * self.inverse;
        self.range * x / (1.0 + x)
    }

    /// By how much that grows with the pressure, 1/Pa.
    pub fn slope(&self, pressure: f64) -> f64 {
        let y = 1.0 + pressure * self.inverse;
        self.range * self.inverse / (y * y)
    }

    /// The pressure that takes so much of the thickness, Pa; infinite where none does.
    pub fn pressure(&self, taken: f64) -> f64 {
        if taken <= 0.0 {
            0.0
        } else if taken < self.range {
            taken / ((self.range - taken) * self.inverse)
        } else {
            f64::INFINITY
        }
    }

    /// What a unit of volume of the fabric stores when so much of its thickness is taken, J/m³.
    pub fn energy(&self, taken: f64) -> f64 {
        if self.inverse == 0.0 || taken <= 0.0 {
            return 0.0;
        }
        (-taken - self.range * (-taken / self.range).ln_1p()) / self.inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law() -> Compression {
        Compression::of(&Material { compression: 1e5, solid_fraction: 0.15, ..Material::with_density(0.18) })
    }

    #[test]
    fn a_slight_pressure_takes_its_share_of_the_stiffness_and_no_pressure_goes_beyond_the_fibres() {
        assert!((law().at(1.0) / 1e-5 - 1.0).abs() < 2e-5);
        assert!((law().at(1e12) - 0.85).abs() < 1e-6 && law().at(1e12) < 0.85);
        assert_eq!(law().pressure(0.85), f64::INFINITY);
        assert_eq!((Compression::default().at(1e9), Compression::default().energy(0.5)), (0.0, 0.0));
    }

    #[test]
    fn pressure_slope_and_energy_are_those_of_one_law() {
        for pressure in [10.0, 1e3, 1e5, 3e6] {
            let (law, step) = (law(), 1e-4 * pressure);
            let taken = law.at(pressure);
            assert!((law.pressure(taken) / pressure - 1.0).abs() < 1e-9);
            let difference = (law.at(pressure + step) - law.at(pressure - step)) / (2.0 * step);
            assert!((law.slope(pressure) / difference - 1.0).abs() < 1e-6);
            // The work of the pressure, by the midpoint rule.
            let parts = 20_000;
            let width = taken / parts as f64;
            let work: f64 = (0..parts).map(|k| law.pressure((k as f64 + 0.5) * width) * width).sum();
            assert!((law.energy(taken) / work - 1.0).abs() < 1e-5, "{} at {pressure}", law.energy(taken) / work);
        }
    }
}
