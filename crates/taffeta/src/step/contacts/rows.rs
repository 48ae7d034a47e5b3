//! The rows that contacts add to a program, and the forces that come back.

use glam::DVec3;

use super::cloth::fits;
use super::compliance::{Closeness, firmness, friction_compliance};
use super::coulomb::StandingFriction;
use super::{Contacts, Touch, TouchRows};
use crate::friction::Law;
use crate::qp::{ActiveSet, Assembly, Bounds, Program, RowSet, Side};

/// A row whose gradient has changed by less, at every node, keeps the one that the factor has.
const STALE: f64 = 0.05;

/// A contact that should be this many times harder than it is in the factor is written again.
const HARDER: f64 = 2.0;

/// Cosine: a direction of slip that has turned by less has not turned.
const STRAIGHT: f64 = 0.9999;

impl Contacts {
    /// Adds the rows of friction and of contact to a program that has only the cloth's, and says on which side they start.
    pub fn add_rows(
        &mut self,
        dt: f64,
        closeness: &Closeness,
        program: &mut Program,
        sides: &mut Vec<Side>,
        assembly: &Assembly,
    ) {
        let mixing = self.mix_bounds(true);
        let firmness = if self.was_hard { firmness(self.programs) } else { 1.0 };
        program.rows.truncate(program.cloth_rows);
        sides.clear();
        sides.resize(program.cloth_rows, Side::Within);
        for touch in &mut self.touches {
            touch.rows = None;
            if fits(touch, &assembly.pattern) {
                let bound = mixing.next_bound(touch);
                touch.firmness = firmness;
                touch.add_rows(bound, dt, closeness, &mut program.rows, sides);
            } else {
                touch.lose_forces();
            }
        }
        self.orphans.clear();
    }

    /// Brings the rows of the last program to the new iterate: their values are those of the iterate, their gradients those that the
    /// factor has, unless they have changed too much. Those are taken out of the factor before they change.
    pub fn amend_rows(
        &mut self,
        dt: f64,
        closeness: &Closeness,
        program: &mut Program,
        active_set: &mut ActiveSet,
        assembly: &Assembly,
    ) {
        let mixing = self.mix_bounds(false);
        let mut amended = Amended { program, active_set, assembly };
        for gone in self.orphans.drain(..) {
            gone.all().for_each(|row| amended.silence(row));
        }
        for touch in &mut self.touches {
            let bound = mixing.next_bound(touch);
            match touch.rows {
                Some(rows) => {
                    touch.amend_friction(rows, bound, dt, &mut amended);
                    touch.amend_contact(rows, closeness, &mut amended);
                }
                None if fits(touch, &assembly.pattern) => {
                    let Amended { program, active_set, .. } = &mut amended;
                    touch.add_rows(bound, dt, closeness, &mut program.rows, &mut active_set.sides);
                }
                None => touch.lose_forces(),
            }
        }
    }

    /// Writes the multipliers that the forces at this iterate stand for.
    pub fn write_multipliers(&self, multipliers: &mut [f64]) {
        for touch in &self.touches {
            let Some(rows) = touch.rows else { continue };
            multipliers[rows.contact] = -touch.gamma;
            if let (Some(row), Some(law)) = (rows.friction, touch.law) {
                (multipliers[row], multipliers[row + 1]) = touch.friction_multipliers(&law);
            }
        }
    }

    /// Takes the forces from the multipliers of a solved program, or goes this fraction of the way to them.
    pub fn take_forces(&mut self, multipliers: &[f64], fraction: f64) {
        for touch in &mut self.touches {
            let Some(rows) = touch.rows else { continue };
            let (gamma, force) = (touch.gamma, touch.force);
            touch.force = DVec3::ZERO;
            touch.side = None;
            touch.led_bound = None;
            if let (Some(row), Some(law)) = (rows.friction, touch.law) {
                let (along, across) = (multipliers[row], multipliers[row + 1]);
                touch.force = -(law.along * along + law.across * across);
                // A point that went against the expected direction will be expected the other way: it slips again.
                let slipped = along.abs() >= law.bound;
                touch.side = Some(if slipped { Side::High } else { Side::Within });
            }
            touch.gamma = pushing(multipliers[rows.contact]);
            // Where half of every increment is taken, what is apart and not pushed would else keep some force for ever.
            if fraction < 1.0 && !(self.was_hard && touch.gamma == 0.0 && touch.slack > 0.0) {
                touch.gamma = gamma + (touch.gamma - gamma) * fraction;
                touch.force = force.lerp(touch.force, fraction);
            }
        }
    }
}

impl Touch {
    /// A touch without rows exerts nothing. What it took over from another one is gone: no program would ever balance it.
    fn lose_forces(&mut self) {
        (self.gamma, self.force, self.law, self.side) = (0.0, DVec3::ZERO, None, None);
    }

    /// Adds its rows to a program.
    fn add_rows(&mut self, bound: f64, dt: f64, closeness: &Closeness, rows: &mut RowSet, sides: &mut Vec<Side>) {
        self.lost_friction |= self.law.is_some() && bound == 0.0;
        self.law = (bound > 0.0).then(|| self.expected_law(bound, dt));
        let friction = self.law.map(|law| self.add_friction(&law, rows, sides));
        self.proximal_compliance = closeness.proximal_compliance(self);
        let compliance = closeness.contact_compliance(self) + self.proximal_compliance;
        rows.push(Bounds::Contact, self.contact_value(), compliance, self.stencil.row(self.normal));
        sides.push(if self.gamma > 0.0 || self.slack < 0.0 { Side::Within } else { Side::High });
        self.rows = Some(TouchRows { contact: rows.len() - 1, friction });
    }

    /// Adds its two rows of friction to a program, and returns the first.
    fn add_friction(&mut self, law: &Law, rows: &mut RowSet, sides: &mut Vec<Side>) -> usize {
        self.friction_compliance = self.firmness * friction_compliance(self, law.bound);
        let compliances = [self.friction_compliance, law.compliance + self.friction_compliance];
        for (direction, compliance) in [law.along, law.across].into_iter().zip(compliances) {
            let value = self.friction_value(direction);
            rows.push(Bounds::Friction(law.bound), value, compliance, self.stencil.row(direction));
        }
        sides.push(self.side.unwrap_or(if law.slips() { Side::High } else { Side::Within }));
        sides.push(Side::Within);
        rows.len() - 2
    }

    /// Brings its rows of friction to the new iterate.
    fn amend_friction(&mut self, rows: TouchRows, bound: f64, dt: f64, amended: &mut Amended) {
        let (Some(row), Some(law)) = (rows.friction, self.law) else {
            self.law = (bound > 0.0).then(|| self.expected_law(bound, dt));
            let Amended { program, active_set, .. } = amended;
            let added = self.law.map(|law| self.add_friction(&law, &mut program.rows, &mut active_set.sides));
            self.rows = Some(TouchRows { friction: added.or(rows.friction), ..rows });
            return;
        };
        self.lost_friction |= bound == 0.0;
        let fresh = self.expected_law(bound, dt);
        let standing = StandingFriction { law, compliance: amended.program.rows.compliance(row + 1) };
        let moved = amended.has_moved(row, self, law.along) || amended.has_moved(row + 1, self, law.across);
        if bound > 0.0 && (moved || standing.is_outdated(self, &fresh)) {
            self.rewrite_friction(row, &fresh, amended);
        } else {
            self.follow_friction(row, &Law { bound, ..law }, &fresh, &standing, amended);
        }
        for row in [row, row + 1] {
            amended.program.rows.set_bounds(row, Bounds::Friction(bound));
        }
    }

    /// Writes its rows of friction again.
    fn rewrite_friction(&mut self, row: usize, fresh: &Law, amended: &mut Amended) {
        self.friction_compliance = friction_compliance(self, fresh.bound);
        self.law = Some(*fresh);
        let compliances = [self.friction_compliance, fresh.compliance + self.friction_compliance];
        for (row, (direction, compliance)) in (row..).zip([fresh.along, fresh.across].into_iter().zip(compliances)) {
            amended.rewrite(row, compliance, self, direction);
            amended.program.rows.value[row] = self.friction_value(direction);
        }
        amended.active_set.sides[row] = if fresh.slips() { Side::High } else { Side::Within };
        amended.active_set.sides[row + 1] = Side::Within;
    }

    /// Leaves its rows of friction in the factor, and gives them the values at which they have the forces of the new iterate: of a
    /// point that slips the direction of the force is new, and the row across has the multiplier that a new one would have.
    fn follow_friction(
        &mut self,
        row: usize,
        law: &Law,
        fresh: &Law,
        standing: &StandingFriction,
        amended: &mut Amended,
    ) {
        let mut law = *law;
        let mut across = self.friction_value(law.across);
        if law.bound > 0.0 && fresh.slips() {
            if law.along.dot(fresh.along) < STRAIGHT {
                law.along = fresh.along;
                amended.rewrite(row, self.friction_compliance, self, law.along);
            }
            let compliance = friction_compliance(self, law.bound);
            let value = self.slip.dot(fresh.across) - compliance * self.force.dot(fresh.across);
            across = standing.compliance * value / (fresh.compliance + compliance) * fresh.across.dot(law.across);
        }
        self.law = Some(law);
        let (along, _) = self.friction_multipliers(&law);
        amended.program.rows.value[row] = self.slip.dot(law.along) + self.friction_compliance * along;
        amended.program.rows.value[row + 1] = across;
    }

    /// Brings its row of contact to the new iterate.
    fn amend_contact(&mut self, rows: TouchRows, closeness: &Closeness, amended: &mut Amended) {
        let compliance = closeness.contact_compliance(self);
        let own = amended.program.rows.compliance(rows.contact) - self.proximal_compliance;
        if own > HARDER * compliance || amended.has_moved(rows.contact, self, self.normal) {
            self.proximal_compliance = closeness.proximal_compliance(self);
            amended.rewrite(rows.contact, compliance + self.proximal_compliance, self, self.normal);
        }
        amended.program.rows.value[rows.contact] = self.contact_value();
    }

    /// The value of its row of contact, which gives to the change of its force.
    fn contact_value(&self) -> f64 {
        self.slack - self.proximal_compliance * self.gamma
    }

    /// The value of a row of friction, which gives to the change of its force.
    fn friction_value(&self, direction: DVec3) -> f64 {
        self.slip.dot(direction) - self.friction_compliance * self.force.dot(direction)
    }
}

/// A program that is brought from one iterate to the next, and the factor that goes with it.
struct Amended<'a> {
    program: &'a mut Program,
    active_set: &'a mut ActiveSet,
    assembly: &'a Assembly,
}

impl Amended<'_> {
    /// Gives a row of a touch another direction and compliance.
    fn rewrite(&mut self, row: usize, compliance: f64, touch: &Touch, direction: DVec3) {
        self.active_set.withdraw(self.program, self.assembly, row);
        self.program.rows.set_row(row, touch.stencil.row(direction));
        self.program.rows.compliance[row] = compliance;
    }

    /// Makes a row do nothing.
    fn silence(&mut self, row: usize) {
        self.active_set.withdraw(self.program, self.assembly, row);
        self.program.rows.set_bounds(row, Bounds::Friction(0.0));
        self.program.rows.value[row] = 0.0;
        self.active_set.sides[row] = Side::High;
    }

    /// Whether a row is no longer that of a touch in a direction, or has changed too much.
    fn has_moved(&self, row: usize, touch: &Touch, direction: DVec3) -> bool {
        let rows = &self.program.rows;
        let far = |(old, (_, new)): (&DVec3, (usize, DVec3))| old.distance_squared(new) > STALE * STALE;
        rows.nodes(row) != touch.stencil.nodes() || rows.gradient(row).iter().zip(touch.stencil.row(direction)).any(far)
    }
}

impl TouchRows {
    /// All of them.
    fn all(self) -> impl Iterator<Item = usize> {
        [Some(self.contact), self.friction, self.friction.map(|row| row + 1)].into_iter().flatten()
    }
}

/// `γ` of the multiplier of a contact: 0 where it does not push, and never −0, as the larger of −0 and 0 may be: compliances are
/// divided by it.
fn pushing(multiplier: f64) -> f64 {
    if multiplier < 0.0 { -multiplier } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::{Site, Stencil};
    use crate::linalg::BlockPattern;
    use crate::step::contacts::detect::Found;

    #[test]
    fn what_does_not_push_has_no_sign() {
        for multiplier in [0.0, -0.0, 2.0] {
            assert!(pushing(multiplier) == 0.0 && pushing(multiplier).is_sign_positive());
        }
        assert_eq!(pushing(-2.0), 2.0);
    }

    #[test]
    fn a_touch_that_the_matrix_has_no_room_for_exerts_nothing() {
        let pattern = BlockPattern::new(&[DVec3::ZERO; 4], [[0, 1], [2, 3]].iter().map(|pair| pair.as_slice()));
        let diagonal = pattern.diagonal();
        let assembly = Assembly::new(pattern, diagonal, Vec::new(), Vec::new());
        let touch = |nodes: [usize; 2]| {
            let found = Found {
                site: Site::Nodes(nodes),
                stencil: Stencil::new(&nodes, &[1.0, -1.0]),
                place: DVec3::ZERO,
                gap: 2e-3,
                slack: 0.0,
                allowed: 2e-3,
                normal: DVec3::Z,
                slip: DVec3::ZERO,
                mass: 1e-3,
                coefficient: 0.3,
            };
            Touch { gamma: 1e-6, force: DVec3::X * 1e-7, ..found.felt_as(None) }
        };
        let mut contacts = Contacts { touches: vec![touch([0, 1]), touch([1, 2])], ..Contacts::default() };
        let closeness = Closeness { residual: 1e-3, cell: 0.05, gap_tolerance: 2e-5 };
        let (mut program, mut sides) = (Program::default(), Vec::new());
        contacts.add_rows(0.01, &closeness, &mut program, &mut sides, &assembly);
        let mut sum = vec![DVec3::ZERO; 4];
        contacts.subtract_forces(&mut sum);
        assert_eq!(program.rows.len(), 3, "a row of contact and two of friction");
        assert!(sum[0] != DVec3::ZERO && sum[2] == DVec3::ZERO, "{sum:?}");
    }
}
