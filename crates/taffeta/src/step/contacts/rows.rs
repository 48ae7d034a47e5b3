//! The rows that contacts add to a program, and the forces that come back.

use glam::DVec3;

use super::{Contacts, Touch};
use crate::friction::Law;
use crate::qp::{Bounds, Program, Side};
use crate::step::predict::Dynamics;

/// Compliance of a contact, of what the inertia of its point would give. It shares out forces that the law leaves open (a
/// face and its four nodes on the same body). A sheet that rests under its own weight sinks by 1e-5 g h², a point that
/// lands at 2 m/s by 0.2 µm in a step of 10 ms.
const CONTACT_COMPLIANCE: f64 = 1e-5;

/// Of the tolerance for gaps: what a contact gives at most under the load it had at the start; and under the load it has, once it
/// is deeper than this. No harder than that: between a body and threads that are taut nothing can give, and forces would grow
/// from one iterate to the next.
const SINK: f64 = 0.25;
const DEEP: f64 = 0.5;

/// A contact also gives to the change of its force from one iterate to the next, the more the farther the iterate is off: of what
/// the inertia of its point would give, per cell that it is off, and at most. Layers that land on each other push and let go by
/// the hundreds; if they are hard at once, finding out who does takes twenty times as many exchanges. The end is the same.
const YIELD: f64 = 0.2;
const MOST_YIELD: f64 = 0.1;

/// Of how far the iterate is off, or of the tolerance for gaps: what a contact gives in that way at most before its force has
/// doubled.
const LOADED_YIELD: f64 = 0.1;

/// The same as the first for friction, where much more is open: a sheet that sticks everywhere is held in countless ways. It acts on the
/// change of the force from one iterate to the next, and from one step to the next, so that what is at rest does not
/// creep. From 0.3 on the iterations no longer converge; at 0.001 a sheet on a cylinder takes three times as many
/// factorisations.
const FRICTION_COMPLIANCE: f64 = 0.05;

/// m. A point that sticks gives by no more than this until its friction has grown to its bound.
const GIVE: f64 = 1e-5;

/// What becomes of the part of a change of the friction bounds that is made when the changes turn round, and when they go on.
const SLOWER: f64 = 0.5;
const FASTER: f64 = 1.3;

/// Programs of a part of a step in which points that are no longer pushed lose their friction at once.
const HASTE: usize = 4;

/// Programs of a part of a step after which points that friction lifts, and that come back without it, are suspected of doing so for ever.
const PATIENCE: usize = 12;

/// Compliance of a contact, 1/kg.
fn hardness(touch: &Touch, gap_tolerance: f64) -> f64 {
    let load = if touch.slack < -DEEP * gap_tolerance { touch.load.max(touch.gamma) } else { touch.load };
    f64::min(CONTACT_COMPLIANCE / touch.mass, SINK * gap_tolerance / load)
}

/// Compliance of a contact to a change of its force, 1/kg, at an iterate that is off by so many cells of this size.
fn give(touch: &Touch, off: f64, cell: f64, gap_tolerance: f64) -> f64 {
    let free = f64::min(YIELD * off, MOST_YIELD) / touch.mass;
    f64::min(free, LOADED_YIELD * f64::max(off * cell, gap_tolerance) / touch.gamma)
}

/// `γ` of the multiplier of a contact: 0 where it does not push, and never −0, as the larger of −0 and 0 may be: compliances are
/// divided by it.
fn pushing(multiplier: f64) -> f64 {
    if multiplier < 0.0 { -multiplier } else { 0.0 }
}

/// Compliance of friction to a change of the force, 1/kg.
fn softness(touch: &Touch, bound: f64) -> f64 {
    f64::min(FRICTION_COMPLIANCE / touch.mass, GIVE / bound)
}

/// How much of a change of the friction bounds is made.
#[derive(Clone, Copy)]
struct Relaxation {
    pushed: f64,
    released: f64,
    /// Whether points that come and go must be stopped from doing so.
    late: bool,
}

/// The bound of a point's friction in the next program.
fn next_bound(touch: &Touch, relaxation: Relaxation) -> f64 {
    let Some(law) = touch.law else {
        // A point that friction had lifted, and that has come back without it, gets less of it this time.
        return if touch.let_go && relaxation.late { relaxation.pushed * touch.bound() } else { touch.bound() };
    };
    let part = match touch.gamma > 0.0 {
        true => relaxation.pushed,
        // It was let go before, and has not come back.
        false if touch.released && !(touch.let_go && relaxation.late) => 1.0,
        false => relaxation.released,
    };
    law.bound + part * (touch.bound() - law.bound)
}

impl Contacts {
    /// Adds the rows of friction and of contact to a program that has only the cloth's, and says on which side they start.
    /// The iterate is off by so many cells.
    pub fn add_rows(&mut self, dynamics: &Dynamics, off: f64, program: &mut Program, sides: &mut Vec<Side>) {
        let Dynamics { dt, gap_tolerance, cell, .. } = *dynamics;
        let relaxation = self.relax();
        let rows = &mut program.rows;
        rows.truncate(program.cloth_rows);
        sides.clear();
        sides.resize(program.cloth_rows, Side::Within);
        for touch in &mut self.touches {
            let rigid = hardness(touch, gap_tolerance);
            let bound = next_bound(touch, relaxation);
            let weight = touch.weight(bound, dt);
            touch.let_go |= touch.law.is_some() && bound == 0.0;
            touch.law = (bound > 0.0).then(|| Law::new(touch.normal, weight, touch.slip, touch.force, bound));
            if let Some(law) = touch.law {
                let soft = softness(touch, bound);
                let friction = Bounds::Friction(bound);
                let along = touch.slip.dot(law.along) - soft * touch.force.dot(law.along);
                rows.push(friction, along, soft, touch.stencil.row(law.along));
                sides.push(touch.side.unwrap_or(if law.slips() { Side::High } else { Side::Within }));
                let across = touch.slip.dot(law.across) - soft * touch.force.dot(law.across);
                rows.push(friction, across, law.compliance + soft, touch.stencil.row(law.across));
                sides.push(Side::Within);
            }
            touch.give = give(touch, off, cell, gap_tolerance);
            let value = touch.slack - touch.give * touch.gamma;
            rows.push(Bounds::Contact, value, rigid + touch.give, touch.stencil.row(touch.normal));
            sides.push(if touch.gamma > 0.0 || touch.slack < 0.0 { Side::Within } else { Side::High });
        }
    }

    /// How much of the way from the last friction bounds to the `μγ` they led to is taken: where points are pushed, and where
    /// they no longer are. Normal forces and friction of
    /// neighbours can drive each other to and fro, and settle only if they are let go slowly.
    fn relax(&mut self) -> Relaxation {
        let (mut agreement, late) = (0.0, self.programs > PATIENCE);
        for touch in &mut self.touches {
            let off = match touch.law {
                Some(law) => touch.bound() - law.bound,
                None if touch.let_go && late => touch.bound(),
                None => 0.0,
            };
            agreement += off * touch.off;
            touch.released = touch.gamma == 0.0 && touch.off < 0.0;
            touch.off = off;
        }
        self.programs += 1;
        self.relaxation *= if agreement < 0.0 { SLOWER } else { FASTER };
        self.relaxation = self.relaxation.min(1.0);
        // A point that is no longer pushed has no friction; but if that brings it back, it is let go more slowly.
        Relaxation { pushed: self.relaxation, released: if self.programs <= HASTE { 1.0 } else { SLOWER }, late }
    }

    /// Whether the rows of the last program are still those of what is near.
    pub fn unchanged(&self) -> bool {
        self.before.len() == self.touches.len()
            && self.before.iter().zip(&self.touches).all(|(old, new)| {
                // A bound that comes or goes takes rows of friction with it.
                old.site == new.site && old.law.is_some() == (new.bound() > 0.0)
            })
    }

    /// Writes the values of the rows of the last program anew, as they are at the new iterate; their directions stay.
    pub fn renew_rows(&mut self, program: &mut Program) {
        let relaxation = self.relax();
        let mut row = program.cloth_rows;
        let rows = &mut program.rows;
        for touch in &mut self.touches {
            if let Some(law) = touch.law {
                let bound = next_bound(touch, relaxation);
                // As stiff as when the matrix was made.
                let soft = softness(touch, law.bound);
                touch.law = Some(Law { bound, ..law });
                for direction in [law.along, law.across] {
                    rows.value[row] = touch.slip.dot(direction) - soft * touch.force.dot(direction);
                    rows.set_bounds(row, Bounds::Friction(bound));
                    row += 1;
                }
            }
            rows.value[row] = touch.slack - touch.give * touch.gamma;
            row += 1;
        }
    }

    /// Takes the forces from the multipliers of a solved program.
    pub fn take_forces(&mut self, program: &Program, multipliers: &[f64]) {
        let mut multipliers = multipliers[program.cloth_rows..].iter();
        let mut next = || multipliers.next().copied().unwrap_or(0.0);
        for touch in &mut self.touches {
            touch.force = DVec3::ZERO;
            touch.side = None;
            if let Some(law) = touch.law {
                let (along, across) = (next(), next());
                touch.force = -(law.along * along + law.across * across);
                // A point that went against the expected direction will be expected the other way: it slips again.
                let slipped = along.abs() >= law.bound;
                touch.side = Some(if slipped { Side::High } else { Side::Within });
            }
            touch.gamma = pushing(next());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pushing;

    #[test]
    fn what_does_not_push_has_no_sign() {
        for multiplier in [0.0, -0.0, 2.0] {
            assert!(pushing(multiplier) == 0.0 && pushing(multiplier).is_sign_positive());
        }
        assert_eq!(pushing(-2.0), 2.0);
    }
}
