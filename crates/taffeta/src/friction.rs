//! Coulomb's law, and what a program is told of it.
//!
//! A point with normal force `γ` and slip `u` over the step feels `f = −μγ u/|u|` when it slips, and anything up to `μγ` that
//! keeps `u = 0` when it sticks. Both in one: `f = Π(f − r u)`, `Π` the projection on the disc of radius `μγ` and `r` any
//! positive number (here the mass of the point, so that the two terms are alike).
//!
//! In a program the bound `μγ` is that of the last iterate, and the disc becomes a square that touches it where the force is
//! expected, at `−V`, `V = (r u − f)/|r u − f|`. Along `V` a row holds the point up to the bound; whether it does is for the
//! solver to find, together with everything else. Across `V` the force of a slipping point turns as its slip does, which
//! is a compliance (Newton's method for the equation above gives it); a sticking point is held.

use glam::DVec3;

/// What a program is told of the friction at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Law {
    /// `μγ`: the largest force, in the unit of the program's multipliers.
    pub bound: f64,
    /// `V`: the unit direction in which the point slips, or would.
    pub along: DVec3,
    /// The unit direction across it.
    pub across: DVec3,
    /// Slip across per unit of force across; 0 for a point that sticks.
    pub compliance: f64,
}

impl Law {
    /// The law for a point with unit normal `n`, mass `r`, slip `u`, friction force `f` and bound `μγ`.
    pub fn new(normal: DVec3, mass: f64, slip: DVec3, force: DVec3, bound: f64) -> Self {
        let pull = slip * mass - force;
        let length = pull.length();
        let along = if length > 0.0 { pull / length } else { normal.any_orthonormal_vector() };
        // The pull is tangential but for rounding.
        let across = normal.cross(along).normalize_or(normal.any_orthonormal_vector());
        Self { bound, along, across, compliance: f64::max(length - bound, 0.0) / (bound * mass) }
    }

    /// Whether the point is expected to slip.
    pub fn slips(&self) -> bool {
        self.compliance > 0.0
    }
}

/// `|f − Π(f − r u)|`: how far a force is from Coulomb's law.
pub(crate) fn residual(mass: f64, slip: DVec3, force: DVec3, bound: f64) -> f64 {
    (force - (force - slip * mass).clamp_length_max(bound.max(0.0))).length()
}
