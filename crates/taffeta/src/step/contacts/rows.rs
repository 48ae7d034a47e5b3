//! The rows that contacts add to a program, and the forces that come back.

use glam::DVec3;

use super::Contacts;
use super::carriers::Carriers;
use super::compliance::{Closeness, Squeeze, firmness, friction_compliance};
use super::detect::Touch;
use super::friction::StandingFriction;
use super::memory::Felt;
use super::tilt::Tilt;
use crate::friction::Law;
use crate::qp::{ActiveSet, Assembly, Bounds, Program, RowSet, Side};
use crate::step::sources::{ChangingSource, RowContext};

/// A row whose gradient has changed by less, at every node, keeps the one that the factor has.
const STALE: f64 = 0.05;

/// A contact that should be this many times harder than it is in the factor is written again.
const HARDER: f64 = 2.0;

/// Cosine: a direction of slip that has turned by less has not turned.
const STRAIGHT: f64 = 0.9999;

/// The rows of a touch in a program, and how they give to changes of their forces.
#[derive(Clone, Copy, Debug)]
pub(super) struct TouchRows {
    pub contact: usize,
    /// Compliance of the contact to a change of its force, 1/kg: that of the cloth, and one that helps the iteration.
    pub squeeze: f64,
    pub proximal_compliance: f64,
    pub friction: Option<FrictionRows>,
    /// The first of two rows that stand for the tilt of a face.
    pub tilt: Option<usize>,
}

/// The two rows of friction of a touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrictionRows {
    pub first: usize,
    /// Compliance to a change of the force, 1/kg.
    pub compliance: f64,
}

impl ChangingSource for Contacts {
    fn subtract_forces(&self, _phi: &[DVec3], residual: &mut [DVec3]) {
        for (touch, felt) in self.touches.iter().zip(&self.felt) {
            if felt.exerts() {
                let force = touch.normal * felt.gamma + felt.force;
                self.carriers.row(touch, force).for_each(|(i, share)| residual[i] -= share);
            }
        }
    }

    /// A touch has a row, and two more for its friction before it.
    fn add_rows(&mut self, context: &RowContext, program: &mut Program, sides: &mut Vec<Side>) {
        let mixing = self.bounds.mix(true, self.detector.was_hard, &self.touches, &mut self.felt);
        let firmness = if self.detector.was_hard { firmness(self.bounds.programs()) } else { 1.0 };
        let (squeeze, carriers) = (self.squeeze, &self.carriers);
        for (touch, felt) in self.touches.iter().zip(&mut self.felt) {
            felt.rows = None;
            if carriers.fits(touch, &context.assembly.pattern) {
                let bound = mixing.next_bound(touch, felt);
                felt.history.given = Some(bound);
                Point { touch, felt, firmness, squeeze, carriers }.add_rows(bound, context, &mut program.rows, sides);
            } else {
                felt.lose_forces();
            }
        }
        self.orphans.clear();
    }

    /// Gradients that have changed too much are taken out of the factor before they are written again.
    fn amend_rows(&mut self, context: &RowContext, program: &mut Program, active_set: &mut ActiveSet) {
        let mixing = self.bounds.mix(false, self.detector.was_hard, &self.touches, &mut self.felt);
        let (squeeze, carriers) = (self.squeeze, &self.carriers);
        let mut amended = Amended { program, active_set, assembly: context.assembly, carriers };
        for gone in self.orphans.drain(..) {
            gone.all().for_each(|row| amended.silence(row));
        }
        for (touch, felt) in self.touches.iter().zip(&mut self.felt) {
            let bound = mixing.next_bound(touch, felt);
            felt.history.given = Some(bound);
            match felt.rows {
                Some(rows) => {
                    let mut point = Point { touch, felt, firmness: 1.0, squeeze, carriers };
                    let friction = point.amend_friction(rows.friction, bound, context.dt, &mut amended);
                    point.amend_contact(TouchRows { friction, ..rows }, context.closeness, &mut amended);
                }
                None if carriers.fits(touch, &context.assembly.pattern) => {
                    let Amended { program, active_set, .. } = &mut amended;
                    let mut point = Point { touch, felt, firmness: 1.0, squeeze, carriers };
                    point.add_rows(bound, context, &mut program.rows, &mut active_set.sides);
                }
                None => felt.lose_forces(),
            }
        }
    }

    fn write_multipliers(&self, _phi: &[DVec3], _program: &Program, multipliers: &mut [f64]) {
        for felt in &self.felt {
            let Some(rows) = felt.rows else { continue };
            multipliers[rows.contact] = -felt.gamma;
            rows.tilt.into_iter().for_each(|first| multipliers[first..first + 2].fill(0.0));
            if let (Some(FrictionRows { first, .. }), Some(law)) = (rows.friction, felt.law) {
                (multipliers[first], multipliers[first + 1]) = felt.friction_multipliers(&law);
            }
        }
    }

    fn take_forces(&mut self, multipliers: &[f64], fraction: f64) {
        for (touch, felt) in self.touches.iter().zip(&mut self.felt) {
            let Some(rows) = felt.rows else { continue };
            let (gamma, force) = (felt.gamma, felt.force);
            felt.force = DVec3::ZERO;
            felt.side = None;
            felt.history.led = None;
            if let (Some(FrictionRows { first, .. }), Some(law)) = (rows.friction, felt.law) {
                let (along, across) = (multipliers[first], multipliers[first + 1]);
                felt.force = -(law.along * along + law.across * across);
                // A point that went against the expected direction will be expected the other way: it slips again.
                let slipped = along.abs() >= law.bound;
                felt.side = Some(if slipped { Side::High } else { Side::Within });
            }
            felt.gamma = pushing(multipliers[rows.contact]);
            felt.history.found = felt.bound(touch);
            // Where half of every increment is taken, what is apart and not pushed would else keep some force for ever.
            let apart = felt.gamma == 0.0 && self.squeeze.slack(touch, 0.0) > 0.0;
            if fraction < 1.0 && !(self.detector.was_hard && apart) {
                felt.gamma = gamma + (felt.gamma - gamma) * fraction;
                felt.force = force.lerp(felt.force, fraction);
            }
        }
    }
}

/// A touch, and what is felt there.
struct Point<'a> {
    touch: &'a Touch,
    felt: &'a mut Felt,
    /// What is left of the compliance of friction.
    firmness: f64,
    squeeze: Squeeze,
    carriers: &'a Carriers,
}

impl Point<'_> {
    /// Adds its rows to a program.
    fn add_rows(&mut self, bound: f64, context: &RowContext, rows: &mut RowSet, sides: &mut Vec<Side>) {
        let Self { touch, felt, .. } = self;
        felt.history.lost |= felt.law.is_some() && bound == 0.0;
        felt.law = (bound > 0.0).then(|| felt.expected_law(touch, bound, context.dt));
        let friction = self.felt.law.map(|law| self.add_friction(&law, rows, sides));
        let Self { touch, felt, squeeze, .. } = self;
        let contact = rows.len();
        let yielding = TouchRows {
            contact,
            squeeze: squeeze.compliance(touch, felt.gamma),
            proximal_compliance: context.closeness.proximal_compliance(touch, felt),
            friction,
            tilt: None,
        };
        let compliance = context.closeness.contact_compliance(touch, felt, squeeze) + yielding.change_compliance();
        felt.rows = Some(yielding);
        sides.push(if felt.gamma > 0.0 || squeeze.slack(touch, 0.0) < 0.0 { Side::Within } else { Side::High });
        let row = self.carriers.row(touch, touch.normal);
        rows.push(Bounds::Contact, self.contact_value(&yielding), compliance, row);
        if let Some(tilt) = Tilt::of(self.touch, self.felt.gamma, context.phi) {
            self.felt.rows = Some(TouchRows { tilt: Some(rows.len()), ..yielding });
            tilt.add_rows(rows, sides);
        }
    }

    /// Adds its two rows of friction to a program.
    fn add_friction(&self, law: &Law, rows: &mut RowSet, sides: &mut Vec<Side>) -> FrictionRows {
        let compliance = self.firmness * friction_compliance(self.touch.mass, law.bound);
        let friction = FrictionRows { first: rows.len(), compliance };
        let compliances = [friction.compliance, law.compliance + friction.compliance];
        for (direction, compliance) in [law.along, law.across].into_iter().zip(compliances) {
            let value = self.friction_value(direction, friction.compliance);
            rows.push(Bounds::Friction(law.bound), value, compliance, self.carriers.row(self.touch, direction));
        }
        sides.push(self.felt.side.unwrap_or(if law.slips() { Side::High } else { Side::Within }));
        sides.push(Side::Within);
        friction
    }

    /// Brings its rows of friction to the new iterate.
    fn amend_friction(
        &mut self,
        rows: Option<FrictionRows>,
        bound: f64,
        dt: f64,
        amended: &mut Amended,
    ) -> Option<FrictionRows> {
        let (Some(mut rows), Some(law)) = (rows, self.felt.law) else {
            self.felt.law = (bound > 0.0).then(|| self.felt.expected_law(self.touch, bound, dt));
            let Amended { program, active_set, .. } = amended;
            let added = self.felt.law.map(|law| self.add_friction(&law, &mut program.rows, &mut active_set.sides));
            return added.or(rows);
        };
        self.felt.history.lost |= bound == 0.0;
        let fresh = self.felt.expected_law(self.touch, bound, dt);
        let first = rows.first;
        let standing = StandingFriction { law, compliance: amended.program.rows.compliance(first + 1) };
        let moved =
            amended.has_moved(first, self.touch, law.along) || amended.has_moved(first + 1, self.touch, law.across);
        if bound > 0.0 && (moved || standing.is_outdated(self.touch, &fresh)) {
            rows.compliance = self.rewrite_friction(first, &fresh, amended);
        } else {
            self.follow_friction(&rows, &Law { bound, ..law }, &fresh, &standing, amended);
        }
        for row in [first, first + 1] {
            amended.program.rows.set_bounds(row, Bounds::Friction(bound));
        }
        Some(rows)
    }

    /// Writes its rows of friction again, and returns their compliance.
    fn rewrite_friction(&mut self, first: usize, fresh: &Law, amended: &mut Amended) -> f64 {
        let own = friction_compliance(self.touch.mass, fresh.bound);
        self.felt.law = Some(*fresh);
        let compliances = [own, fresh.compliance + own];
        for (row, (direction, compliance)) in (first..).zip([fresh.along, fresh.across].into_iter().zip(compliances)) {
            amended.rewrite(row, compliance, self.touch, direction);
            amended.program.rows.value[row] = self.friction_value(direction, own);
        }
        amended.active_set.sides[first] = if fresh.slips() { Side::High } else { Side::Within };
        amended.active_set.sides[first + 1] = Side::Within;
        own
    }

    /// Leaves its rows of friction in the factor, and gives them the values at which they have the forces of the new iterate: of a
    /// point that slips the direction of the force is new, and the row across has the multiplier that a new one would have.
    fn follow_friction(
        &mut self,
        rows: &FrictionRows,
        law: &Law,
        fresh: &Law,
        standing: &StandingFriction,
        amended: &mut Amended,
    ) {
        let FrictionRows { first, compliance } = *rows;
        let mut law = *law;
        let mut across = self.friction_value(law.across, compliance);
        let Self { touch, felt, .. } = self;
        if law.bound > 0.0 && fresh.slips() {
            if law.along.dot(fresh.along) < STRAIGHT {
                law.along = fresh.along;
                amended.rewrite(first, compliance, touch, law.along);
            }
            let own = friction_compliance(touch.mass, law.bound);
            let value = touch.slip.dot(fresh.across) - own * felt.force.dot(fresh.across);
            across = standing.compliance * value / (fresh.compliance + own) * fresh.across.dot(law.across);
        }
        felt.law = Some(law);
        let (along, _) = felt.friction_multipliers(&law);
        amended.program.rows.value[first] = touch.slip.dot(law.along) + compliance * along;
        amended.program.rows.value[first + 1] = across;
    }

    /// Brings its row of contact to the new iterate.
    fn amend_contact(&mut self, mut rows: TouchRows, closeness: &Closeness, amended: &mut Amended) {
        let Self { touch, felt, squeeze, .. } = self;
        let compliance = closeness.contact_compliance(touch, felt, squeeze);
        let own = amended.program.rows.compliance(rows.contact) - rows.change_compliance();
        let squeezed = squeeze.compliance(touch, felt.gamma);
        let yields_otherwise = (squeezed - rows.squeeze).abs() > own + 0.5 * rows.squeeze;
        if own > HARDER * compliance || yields_otherwise || amended.has_moved(rows.contact, touch, touch.normal) {
            rows.proximal_compliance = closeness.proximal_compliance(touch, felt);
            rows.squeeze = squeezed;
            amended.rewrite(rows.contact, compliance + rows.change_compliance(), touch, touch.normal);
        }
        felt.rows = Some(rows);
        amended.program.rows.value[rows.contact] = self.contact_value(&rows);
    }

    /// The value of its row of contact, which gives to the change of its force.
    fn contact_value(&self, rows: &TouchRows) -> f64 {
        let Self { touch, felt, squeeze, .. } = self;
        squeeze.slack(touch, felt.gamma) - rows.change_compliance() * felt.gamma
    }

    /// The value of a row of friction, which gives to the change of its force.
    fn friction_value(&self, direction: DVec3, compliance: f64) -> f64 {
        self.touch.slip.dot(direction) - compliance * self.felt.force.dot(direction)
    }
}

/// A program that is brought from one iterate to the next, and the factor that goes with it.
struct Amended<'a> {
    program: &'a mut Program,
    active_set: &'a mut ActiveSet,
    assembly: &'a Assembly,
    carriers: &'a Carriers,
}

impl Amended<'_> {
    /// Gives a row of a touch another direction and compliance.
    fn rewrite(&mut self, row: usize, compliance: f64, touch: &Touch, direction: DVec3) {
        self.active_set.withdraw(self.program, self.assembly, row);
        self.program.rows.set_row(row, self.carriers.row(touch, direction));
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
        let new = || self.carriers.row(touch, direction);
        !new().map(|(node, _)| node).eq(rows.nodes(row).iter().copied())
            || rows.gradient(row).iter().zip(new()).any(far)
    }
}

impl TouchRows {
    /// Compliance of the contact to a change of its force, 1/kg.
    fn change_compliance(&self) -> f64 {
        self.squeeze + self.proximal_compliance
    }

    /// All of them.
    fn all(self) -> impl Iterator<Item = usize> {
        let friction = self.friction.map(|friction| [friction.first, friction.first + 1]);
        let tilt = self.tilt.map(|first| [first, first + 1]);
        std::iter::once(self.contact).chain(friction.into_iter().chain(tilt).flatten())
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
            let touch = Touch {
                site: Site::Nodes(nodes),
                stencil: Stencil::new(&nodes, &[1.0, -1.0]),
                place: DVec3::ZERO,
                gap: 2e-3,
                slack: 0.0,
                allowed: 2e-3,
                normal: DVec3::Z,
                slip: DVec3::ZERO,
                mass: 1e-3,
                centre_distance: 0.0,
                layer: 0.0,
                area: 1.0,
                beside: 0.0,
                coefficient: 0.3,
                most_friction: f64::INFINITY,
            };
            (touch, Felt { gamma: 1e-6, force: DVec3::X * 1e-7, ..Felt::default() })
        };
        let (touches, felt) = [touch([0, 1]), touch([1, 2])].into_iter().unzip();
        let mut contacts = Contacts { touches, felt, ..Contacts::default() };
        let closeness = Closeness { residual: 1e-3, cell: 0.05, gap_tolerance: 2e-5 };
        let (mut program, mut sides) = (Program::default(), Vec::new());
        let context = RowContext { dt: 0.01, phi: &[], closeness: &closeness, assembly: &assembly };
        contacts.add_rows(&context, &mut program, &mut sides);
        let mut sum = vec![DVec3::ZERO; 4];
        contacts.subtract_forces(&[], &mut sum);
        assert_eq!(program.rows.len(), 3, "a row of contact and two of friction");
        assert!(sum[0] != DVec3::ZERO && sum[2] == DVec3::ZERO, "{sum:?}");
    }
}
