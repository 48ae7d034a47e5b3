//! Friction bounds that lead to themselves: Newton's method for them.
//!
//! A program is given the bounds `b` of the points that slip, and finds normal forces `γ(b)`. For the working set at hand these are linear
//! in `b`, and `b = μγ(b)` is a small system, not symmetric, whose columns are what the cloth answers to each bound. Where a few
//! points that slip drive each other round in a circle (large `μ`), neither mixing nor slower changes come to an end; this does.

use faer::Mat;
use faer::linalg::solvers::Solve;
use glam::DVec3;

use super::Contacts;
use super::detect::Touch;
use super::memory::Felt;
use super::rows::TouchRows;
use crate::friction::Law;
use crate::qp::{ActiveSet, Assembly, Program, Side};

/// Points that slip, at most, for which the system is set up: each costs a solve.
const MAX_SLIPPING: usize = 32;

/// By how much a bound grows at most from one program to the next, of the one it had and the one it led to.
const MAX_GROWTH: f64 = 2.0;

/// A point that slips in a solved program.
struct Slipping {
    /// Which of the touches it is.
    touch: usize,
    coefficient: f64,
    rows: TouchRows,
    law: Law,
    /// The first of its rows of friction.
    friction: usize,
    /// `μγ` that the program has led to.
    bound: f64,
}

impl Slipping {
    fn of(k: usize, (touch, felt): (&Touch, &Felt), multipliers: &[f64], sides: &[Side]) -> Option<Self> {
        let (rows, law, coefficient) = (felt.rows?, felt.law?, touch.coefficient);
        let friction = rows.friction.map(|friction| friction.first).filter(|&row| sides[row] != Side::Within)?;
        let bound = -coefficient * multipliers[rows.contact];
        let grows = bound < touch.most_friction;
        let coefficient = if grows { coefficient } else { 0.0 };
        let bound = if grows { bound } else { touch.most_friction };
        (bound > 0.0).then_some(Self { touch: k, coefficient, rows, law, friction, bound })
    }
}

impl Contacts {
    /// Notes, for the next program, the bounds that would lead to themselves if the working set of the one just solved stayed what it is.
    pub fn lead_bounds(
        &mut self,
        program: &Program,
        multipliers: &[f64],
        active_set: &mut ActiveSet,
        assembly: &Assembly,
    ) {
        if !self.detector.was_hard {
            return;
        }
        let touches = self.touches.iter().zip(&self.felt).enumerate();
        let slipping = touches.filter_map(|(k, touch)| Slipping::of(k, touch, multipliers, &active_set.sides));
        let slipping: Vec<Slipping> = slipping.take(MAX_SLIPPING + 1).collect();
        let count = slipping.len();
        if count == 0 || count > MAX_SLIPPING {
            return;
        }
        let mut system = Mat::<f64>::identity(count, count);
        let mut response = vec![DVec3::ZERO; program.nodes()];
        for (j, cause) in slipping.iter().enumerate() {
            if !active_set.respond(program, assembly, cause.friction, &mut response) {
                return;
            }
            for (i, point) in slipping.iter().enumerate() {
                let contact = point.rows.contact;
                let multiplier = program.rows.along(contact, &response) / program.rows.compliance(contact);
                system[(i, j)] += point.coefficient * multiplier;
            }
        }
        let off = Mat::from_fn(count, 1, |i, _| slipping[i].bound - slipping[i].law.bound);
        let change = system.partial_piv_lu().solve(&off);
        for (i, Slipping { touch, law, bound, .. }) in slipping.iter().enumerate() {
            self.felt[*touch].history.led = led(law.bound, *bound, change[(i, 0)]);
        }
    }
}

/// The next bound of a point that had `given`, which led to `found`, and that is to change by so much.
fn led(given: f64, found: f64, change: f64) -> Option<f64> {
    let most = MAX_GROWTH * f64::max(given, found);
    let bound = given + change;
    // The force grows faster than its bound does: no bound answers to itself until the point sticks.
    let jammed = bound < 0.0 && found > given;
    bound.is_finite().then_some(if jammed { most } else { bound.clamp(0.0, most) })
}

#[cfg(test)]
mod tests {
    use glam::DMat3;

    use super::*;
    use crate::collide::{Site, Stencil};
    use crate::qp::{Bounds, Effort, Solution};
    use crate::step::contacts::rows::FrictionRows;

    /// Two nodes that slip along x on a floor, in a metric in which the force along x changes the one across: by itself, and by the
    /// other's. `lean` is how x and z go together at the nodes.
    fn world(lean: [f64; 2], bounds: [f64; 2]) -> (Program, Contacts) {
        let mut program = Program {
            free: vec![true; 2],
            couplings: vec![([1, 0], 0.4)],
            gradient: vec![DVec3::new(-5.0, 0.0, 1.0), DVec3::new(-4.0, 0.0, 1.5)],
            ..Program::default()
        };
        let (mut touches, mut all_felt) = (Vec::new(), Vec::new());
        for k in 0..2 {
            let block = DVec3::new(1.0, 1.0, 1.0);
            program
                .diagonal
                .push(DMat3::from_diagonal(block) + DMat3::from_cols(DVec3::Z, DVec3::ZERO, DVec3::X) * lean[k]);
            let stencil = Stencil::new(&[k], &[1.0]);
            let first = program.rows.len();
            for direction in [DVec3::X, DVec3::Y] {
                program.rows.push(Bounds::Friction(bounds[k]), 0.0, 1e-3, stencil.row(direction));
            }
            program.rows.push(Bounds::Contact, 0.0, 1e-3, stencil.row(DVec3::Z));
            touches.push(Touch {
                site: Site::Point { obstacle: 0, point: k },
                stencil,
                place: DVec3::ZERO,
                gap: 0.0,
                slack: 0.0,
                allowed: 0.0,
                normal: DVec3::Z,
                slip: DVec3::X,
                mass: 1.0,
                centre_distance: 0.0,
                layer: 0.0,
                area: 1.0,
                beside: 0.0,
                coefficient: 3.0,
                most_friction: f64::INFINITY,
            });
            let law = Law { bound: bounds[k], along: DVec3::X, across: DVec3::Y, compliance: 0.0 };
            let friction = Some(FrictionRows { first, compliance: 1e-3 });
            let rows =
                Some(TouchRows { contact: first + 2, squeeze: 0.0, proximal_compliance: 0.0, friction, tilt: None });
            all_felt.push(Felt { law: Some(law), rows, ..Felt::default() });
        }
        let mut contacts = Contacts { touches, felt: all_felt, ..Contacts::default() };
        contacts.detector.was_hard = true;
        (program, contacts)
    }

    /// `μγ` of both nodes for these bounds, and the bounds they are led to.
    fn solved(lean: [f64; 2], bounds: [f64; 2]) -> ([f64; 2], [Option<f64>; 2]) {
        let (mut program, mut contacts) = world(lean, bounds);
        let assembly = Assembly::of(&mut program);
        let (mut active_set, mut solution) = (ActiveSet::new(&assembly), Solution::default());
        active_set.start(&program);
        active_set.solve(&program, &assembly, Effort::PRECISE, &mut solution).expect("a solution");
        contacts.lead_bounds(&program, &solution.multipliers, &mut active_set, &assembly);
        let found = [0, 1].map(|k| -3.0 * solution.multipliers[3 * k + 2]);
        (found, [0, 1].map(|k| contacts.felt[k].history.led))
    }

    #[test]
    fn bounds_that_drive_each_other_are_led_to_those_that_lead_to_themselves() {
        for lean in [[-0.5, -0.5], [0.2, 0.2], [-0.6, 0.2]] {
            let mut bounds = [1.0, 1.0];
            let mut off = f64::INFINITY;
            for _ in 0..8 {
                let (found, led) = solved(lean, bounds);
                off = f64::max((found[0] - bounds[0]).abs(), (found[1] - bounds[1]).abs());
                bounds = [0, 1].map(|k| led[k].unwrap_or(found[k]));
            }
            assert!(off < 1e-9, "{lean:?}: {bounds:?} lead to something off by {off}");
        }
    }

    #[test]
    fn what_jams_gets_more_friction_and_what_is_let_go_gets_none() {
        // The slope of μγ against the bound is beyond 1, so that the system has its solution on the other side.
        assert_eq!(led(1.0, 3.0, -2.0), Some(6.0));
        assert_eq!(led(3.0, 1.0, -4.0), Some(0.0));
        assert_eq!(led(1.0, 1.5, 0.75), Some(1.75));
        assert_eq!(led(1.0, 1.5, f64::NAN), None);
    }
}
