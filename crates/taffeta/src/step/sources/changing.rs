//! Sources of rows that come and go from one program to the next: contacts with their friction, hands that give, servos.

use glam::DVec3;

use crate::qp::{ActiveSet, Assembly, Program, Side};
use crate::step::bodies::Bodies;
use crate::step::contacts::{Closeness, Contacts};
use crate::step::hands::Hands;

/// What exerts forces by rows of its own, which follow those of the cloth in a program. All forces are scaled with h².
///
/// It says what it exerts at an iterate, writes its rows for it, and takes its forces back from the multipliers of the solved program.
/// With the matrices of the last program it brings its rows to the new iterate instead: values and multipliers are those of the iterate,
/// gradients and compliances those that the factor has.
pub(in crate::step) trait ChangingSource {
    /// Subtracts what it exerts at an iterate from what is left unbalanced.
    fn subtract_forces(&self, phi: &[DVec3], residual: &mut [DVec3]);

    /// Adds its rows to a program, and says on which side they start.
    fn add_rows(&mut self, context: &RowContext, program: &mut Program, sides: &mut Vec<Side>);

    /// Brings its rows in the last program to the iterate at hand.
    fn amend_rows(&mut self, context: &RowContext, program: &mut Program, active_set: &mut ActiveSet);

    /// Writes the multipliers with which its rows have what it exerts at the iterate.
    fn write_multipliers(&self, phi: &[DVec3], program: &Program, multipliers: &mut [f64]);

    /// Takes its forces from the multipliers of a solved program, or goes this fraction of the way to them; not needed where they follow
    /// from the iterate.
    fn take_forces(&mut self, _multipliers: &[f64], _fraction: f64) {}
}

/// What rows are written for.
pub(in crate::step) struct RowContext<'a> {
    /// Length of the part of the step, s.
    pub dt: f64,
    /// `φ_j`, m.
    pub phi: &'a [DVec3],
    pub closeness: &'a Closeness,
    /// Where rows go in the matrix.
    pub assembly: &'a Assembly,
}

/// All such sources, in the order of their rows.
pub(in crate::step) fn changing_sources<'a>(
    contacts: &'a mut Contacts,
    hands: &'a mut Hands,
    bodies: &'a mut Bodies,
) -> [&'a mut dyn ChangingSource; 3] {
    [contacts, hands, bodies]
}
