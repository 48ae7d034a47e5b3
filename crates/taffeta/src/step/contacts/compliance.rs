//! How much contacts and friction give: what makes programs solvable that have more rows than the cloth has freedom.

use super::detect::Touch;
use super::memory::Felt;
use crate::cloth::{Compression, Material};

/// Compliance of a contact with a body, of what the inertia of its point would give. It shares out forces that the law leaves open (a
/// face and its four nodes on the same body). A sheet that rests under its own weight sinks by 1e-5 g h², a point that lands at 2 m/s
/// by 0.2 µm in a step of 10 ms. With ten times as much, a sheet over the corner of a table cannot be stepped.
const BODY_COMPLIANCE: f64 = 1e-5;

/// The same for the cloth on itself, where more is open: the nodes of two layers touch each other's faces, and there are more rows than
/// the layers have freedom. With a tenth of it, landing layers exchange up to seven times as many rows; with ten times as much, what
/// lands is deeper than the tolerance.
const LAYER_COMPLIANCE: f64 = 1e-4;

/// Of the tolerance for gaps: what a contact gives at most under the load it had at the start; and under the load it has, once it
/// is deeper than this. No harder than that: between a body and threads that are taut nothing can give, and forces would grow
/// from one iterate to the next.
const MAX_SINK: f64 = 0.25;
const DEEP: f64 = 0.5;

/// A contact also gives to the change of its force from one iterate to the next, the more the farther the iterate is from the
/// solution: of what the inertia of its point would give, per cell, and at most. Layers that land on each other push and let go by
/// the hundreds; if they are hard at once, finding out who does takes twenty times as many exchanges. The end is the same.
const PROXIMAL_COMPLIANCE: f64 = 0.2;
const MAX_PROXIMAL_COMPLIANCE: f64 = 0.1;

/// Of how far the iterate is from the solution, or of the tolerance for gaps: what a contact gives in that way at most before its
/// force has doubled.
const LOADED_PROXIMAL_SINK: f64 = 0.1;

/// Of what the inertia of the point would give: the compliance of friction to a change of its force from one iterate to the next, and
/// from one step to the next, so that what is at rest does not creep. A sheet that sticks everywhere is held in countless ways.
/// From 0.3 on the iterations no longer converge; at 0.001 a sheet on a cylinder takes three times as many factorisations.
const FRICTION_COMPLIANCE: f64 = 0.05;

/// m. A point that sticks gives by no more than this until its friction has grown to its bound. With a tenth of it landing layers exchange
/// more than twice as many rows; with thirty times as much friction under load takes three times as many iterations to settle.
const MAX_STICKING_SLIP: f64 = 3e-6;

/// Programs of a part of a step that was hard after which the compliance of friction is halved with each, and what is left of it at
/// least: where points stick that cannot all stay where they are, their friction grows to its bound by what they slip over their
/// compliance, a few hundredths with each program.
const FIRM_PROGRAMS: usize = 8;
const FIRMEST: f64 = 1e-3;

/// How cloth that is pressed becomes thinner.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Squeeze {
    law: Compression,
    /// `1/h²`, 1/s²: from the forces of programs to newtons.
    per_h2: f64,
}

impl Squeeze {
    pub fn new(material: &Material, h: f64) -> Self {
        Self { law: Compression::of(material), per_h2: 1.0 / (h * h) }
    }

    /// The pressure at a touch that is pushed with `γ`, Pa.
    pub fn pressure(&self, touch: &Touch, gamma: f64) -> f64 {
        touch.beside + gamma * self.per_h2 / touch.area
    }

    /// How much of its thickness the cloth loses at a touch that is pushed with `γ`.
    pub fn fraction(&self, touch: &Touch, gamma: f64) -> f64 {
        self.law.at(self.pressure(touch, gamma))
    }

    /// How much thinner the cloth is there, m.
    pub fn taken(&self, touch: &Touch, gamma: f64) -> f64 {
        touch.layer * self.fraction(touch, gamma)
    }

    /// By how much that grows with `γ`, 1/kg.
    pub fn compliance(&self, touch: &Touch, gamma: f64) -> f64 {
        touch.layer * self.law.slope(self.pressure(touch, gamma)) * self.per_h2 / touch.area
    }

    /// Distance to the surface that a touch must stay in front of, beyond what is allowed and what the force takes of the cloth, m.
    pub fn slack(&self, touch: &Touch, gamma: f64) -> f64 {
        touch.slack + self.taken(touch, gamma)
    }

    /// What the cloth stores at a touch that is pushed with `γ`, J.
    pub fn energy(&self, touch: &Touch, gamma: f64) -> f64 {
        let stored = |gamma: f64| self.law.energy(self.fraction(touch, gamma));
        touch.area * touch.layer * (stored(gamma) - stored(0.0))
    }

    /// The pressure that would bring the cloth as close as it is, Pa; infinite if none does.
    pub fn pressure_for(&self, touch: &Touch) -> f64 {
        if touch.layer > 0.0 { self.law.pressure(-touch.slack / touch.layer) } else { f64::INFINITY }
    }
}

/// How far an iterate is from the solution, and in what units contacts are hard.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Closeness {
    /// How far places are off, in cells.
    pub residual: f64,
    /// Size of a cell, m.
    pub cell: f64,
    /// Tolerance for gaps, m.
    pub gap_tolerance: f64,
}

impl Closeness {
    /// Compliance of a contact beside that of the cloth, 1/kg.
    pub(super) fn contact_compliance(&self, touch: &Touch, felt: &Felt, squeeze: &Squeeze) -> f64 {
        let deep = squeeze.slack(touch, felt.gamma) < -DEEP * self.gap_tolerance;
        let load = if deep { felt.load.max(felt.gamma) } else { felt.load };
        let own = if touch.site.obstacle().is_some() { BODY_COMPLIANCE } else { LAYER_COMPLIANCE };
        f64::min(own / touch.mass, MAX_SINK * self.gap_tolerance / load)
    }

    /// Compliance of a contact to a change of its force, 1/kg.
    pub(super) fn proximal_compliance(&self, touch: &Touch, felt: &Felt) -> f64 {
        let free = f64::min(PROXIMAL_COMPLIANCE * self.residual, MAX_PROXIMAL_COMPLIANCE) / touch.mass;
        let sink = LOADED_PROXIMAL_SINK * f64::max(self.residual * self.cell, self.gap_tolerance);
        f64::min(free, sink / felt.gamma)
    }
}

/// Compliance of friction with this bound, at a point of this mass, to a change of the force, 1/kg.
pub(super) fn friction_compliance(mass: f64, bound: f64) -> f64 {
    f64::min(FRICTION_COMPLIANCE / mass, MAX_STICKING_SLIP / bound)
}

/// What is left of the compliance of friction after so many programs of a part of a step that was hard.
pub(super) fn firmness(programs: usize) -> f64 {
    f64::max(0.5f64.powi(programs.saturating_sub(FIRM_PROGRAMS) as i32), FIRMEST)
}
