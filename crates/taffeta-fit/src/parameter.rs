//! What a fit may change.

use std::str::FromStr;

use serde::Serialize;
use taffeta::cloth::Material;

/// kg/m². The density at which shear gives as much as it usually does.
const REFERENCE: f64 = 0.2;

/// What a simulation of a capture is told of the cloth and what it touches. The motion depends on ratios to the density.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Parameters {
    /// `ρ`, kg/m².
    pub density: f64,
    /// `α/ρ`, 1/s.
    pub alpha: f64,
    /// `δ/ρ`.
    pub delta: f64,
    /// `μ` of the obstacles whose friction is not known.
    pub mu: f64,
    /// `κ/ρ`, m⁴/s².
    pub kappa: f64,
    /// `β/ρ`, m⁴/s.
    pub beta: f64,
}

impl Default for Parameters {
    /// Those with the least error on nine captures of a cloth of 0.3 × 0.3 m, swung by a robot; its density is not known and does
    /// not matter.
    fn default() -> Self {
        Self { density: 0.2, alpha: 1.72, delta: 0.68, mu: 0.5, kappa: 0.0, beta: 0.0 }
    }
}

impl Parameters {
    /// The material that they describe.
    pub fn material(&self) -> Material {
        let Self { density, alpha, delta, kappa, beta, .. } = *self;
        let usual = Material::with_density(density);
        Material {
            damping: alpha * density,
            virtual_density: delta * density,
            bending: kappa * density,
            bending_damping: beta * density,
            // So that the motion depends on ratios to the density alone.
            shear_compliance: usual.shear_compliance * REFERENCE / density,
            ..usual
        }
    }

    /// The value of one of them.
    pub fn get(&self, parameter: Parameter) -> f64 {
        match parameter {
            Parameter::Alpha => self.alpha,
            Parameter::Delta => self.delta,
            Parameter::Mu => self.mu,
            Parameter::Kappa => self.kappa,
            Parameter::Beta => self.beta,
        }
    }

    /// The same with another value of one of them.
    pub fn with(mut self, parameter: Parameter, value: f64) -> Self {
        *match parameter {
            Parameter::Alpha => &mut self.alpha,
            Parameter::Delta => &mut self.delta,
            Parameter::Mu => &mut self.mu,
            Parameter::Kappa => &mut self.kappa,
            Parameter::Beta => &mut self.beta,
        } = value;
        self
    }
}

/// One of the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "&'static str")]
pub enum Parameter {
    /// `α/ρ`: damping by the mass.
    Alpha,
    /// `δ/ρ`: the part of its weight with which the cloth falls.
    Delta,
    /// `μ`: friction.
    Mu,
    /// `κ/ρ`: bending stiffness.
    Kappa,
    /// `β/ρ`: damping of bending.
    Beta,
}

impl Parameter {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Alpha, Self::Delta, Self::Mu, Self::Kappa, Self::Beta];

    /// What commands and files call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alpha => "alpha",
            Self::Delta => "delta",
            Self::Mu => "mu",
            Self::Kappa => "kappa",
            Self::Beta => "beta",
        }
    }

    /// Its symbol and unit.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Alpha => "α/ρ, 1/s",
            Self::Delta => "δ/ρ",
            Self::Mu => "μ",
            Self::Kappa => "κ/ρ, m⁴/s²",
            Self::Beta => "β/ρ, m⁴/s",
        }
    }

    /// The smallest and the largest value that is looked at. Below this part of its weight cloth hardly falls; the others go far
    /// beyond what fabrics were found to have.
    pub fn range(self) -> [f64; 2] {
        match self {
            Self::Alpha => [0.0, 25.0],
            Self::Delta => [0.05, 1.0],
            Self::Mu => [0.0, 4.0],
            Self::Kappa => [0.0, 1e-2],
            Self::Beta => [0.0, 1e-2],
        }
    }

    /// How a value is spread over 0 to 1: small ones are told apart more finely than large ones, because ratios matter.
    fn exponent(self) -> f64 {
        match self {
            Self::Delta => 1.0,
            Self::Alpha | Self::Mu => 2.0,
            Self::Kappa | Self::Beta => 4.0,
        }
    }

    /// The value at a place between 0 and 1; places outside are those at the ends.
    pub fn at(self, place: f64) -> f64 {
        let [low, high] = self.range();
        low + (high - low) * place.clamp(0.0, 1.0).powf(self.exponent())
    }

    /// The place of a value between 0 and 1.
    pub fn place(self, value: f64) -> f64 {
        let [low, high] = self.range();
        ((value - low) / (high - low)).clamp(0.0, 1.0).powf(1.0 / self.exponent())
    }

    /// A change that is felt and still small, where the value is this: large enough that the folds which noise decides even out.
    pub fn step(self, value: f64) -> f64 {
        let [low, high] = self.range();
        f64::max(0.04 * value, 4e-3 * (high - low))
    }
}

impl From<Parameter> for &'static str {
    fn from(parameter: Parameter) -> Self {
        parameter.name()
    }
}

impl FromStr for Parameter {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|parameter| parameter.name() == name.trim());
        found.ok_or_else(|| format!("there is no parameter {name:?}: give some of {}", names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_places_are_the_same() {
        for parameter in Parameter::ALL {
            let [low, high] = parameter.range();
            for part in [0.0, 0.03, 0.5, 1.0] {
                let value = low + part * (high - low);
                assert!((parameter.at(parameter.place(value)) - value).abs() < 1e-12 * high, "{parameter:?} {value}");
                let set = Parameters::default().with(parameter, value);
                assert_eq!(set.get(parameter), value);
                assert_eq!(set.material().fault(), None);
            }
            assert_eq!((parameter.at(-3.0), parameter.at(2.0)), (low, high));
            assert_eq!(parameter.name().parse(), Ok(parameter));
        }
        assert!("gamma".parse::<Parameter>().unwrap_err().contains("alpha, delta, mu"));
    }
}
