//! What can be turned while a simulation runs.

use taffeta::{DVec3, SelfContact, Simulation};

/// A number that the user may change between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// `μ` of all obstacles.
    Friction,
    /// `μ` of the cloth on itself.
    SelfFriction,
    /// `α`, kg/(m²·s).
    Damping,
    /// `δ`, kg/m².
    VirtualDensity,
    /// `κ`, N·m.
    Bending,
    /// `g` downwards, m/s².
    Gravity,
    /// Wind along the x-axis, m/s.
    WindX,
    /// Wind along the y-axis, m/s.
    WindY,
}

/// All of them, with the names that a page knows them by.
pub const KNOBS: [(Knob, &str); 8] = [
    (Knob::Friction, "mu"),
    (Knob::SelfFriction, "self_mu"),
    (Knob::Damping, "alpha"),
    (Knob::VirtualDensity, "delta"),
    (Knob::Bending, "kappa"),
    (Knob::Gravity, "gravity"),
    (Knob::WindX, "wind_x"),
    (Knob::WindY, "wind_y"),
];

impl Knob {
    /// Where it stands; `None` if the simulation has nothing that it could turn.
    pub fn value(self, simulation: &Simulation) -> Option<f64> {
        let (params, material) = (&simulation.params, &simulation.params.material);
        Some(match self {
            Knob::Friction => simulation.obstacles.iter().map(|body| body.friction).reduce(f64::max)?,
            Knob::SelfFriction => params.self_contact?.friction,
            Knob::Damping => material.damping,
            Knob::VirtualDensity => material.virtual_density,
            Knob::Bending => material.bending,
            Knob::Gravity => -params.gravity.z,
            Knob::WindX => params.wind.map_or(0.0, |wind| wind.x),
            Knob::WindY => params.wind.map_or(0.0, |wind| wind.y),
        })
    }

    /// The largest number that a page offers.
    pub fn most(self, simulation: &Simulation) -> f64 {
        let density = simulation.params.material.density;
        match self {
            Knob::Friction | Knob::SelfFriction => 2.0,
            Knob::Damping => 20.0 * density,
            Knob::VirtualDensity => density,
            Knob::Bending => 1e-3,
            Knob::Gravity => 20.0,
            Knob::WindX | Knob::WindY => 10.0,
        }
    }

    /// The smallest number that a page offers.
    pub fn least(self, simulation: &Simulation) -> f64 {
        match self {
            Knob::WindX | Knob::WindY => -self.most(simulation),
            Knob::VirtualDensity => 0.05 * self.most(simulation),
            _ => 0.0,
        }
    }

    /// Turns it. False, and nothing changed, if the number is not one that the simulation can do with.
    pub fn turn(self, simulation: &mut Simulation, value: f64) -> bool {
        if !value.is_finite() || (self.is_coefficient() && value < 0.0) {
            return false;
        }
        let params = &mut simulation.params;
        let mut material = params.material;
        match self {
            Knob::Friction => simulation.obstacles.iter_mut().for_each(|body| body.friction = value),
            Knob::SelfFriction => {
                params.self_contact = params.self_contact.map(|usual| SelfContact { friction: value, ..usual });
            }
            Knob::Damping => material.damping = value,
            Knob::VirtualDensity => material.virtual_density = value,
            Knob::Bending => material.bending = value,
            Knob::Gravity => params.gravity.z = -value,
            Knob::WindX | Knob::WindY => {
                let mut wind = params.wind.unwrap_or(DVec3::ZERO);
                *(if self == Knob::WindX { &mut wind.x } else { &mut wind.y }) = value;
                params.wind = Some(wind);
            }
        }
        let sound = material.fault().is_none();
        if sound {
            simulation.params.material = material;
        }
        sound
    }

    fn is_coefficient(self) -> bool {
        matches!(self, Knob::Friction | Knob::SelfFriction)
    }
}
