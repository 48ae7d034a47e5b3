//! The iteration of Coulomb's law: the bounds `μγ` and the directions of friction from one program to the next.
//!
//! A program is given bounds and directions and finds forces; the forces give new bounds and directions. Where that settles the law
//! holds. It need not settle by itself: normal forces and friction of neighbours can drive each other back and forth (large `μ`,
//! points that slip side by side), and friction can lift the very point that it acts on. Mixing and slower
//! changes are against the one, slow release against the other. There is no
//! proof that this always ends; a part of a step in which it does not is tried again in halves.

use super::compliance::friction_compliance;
use super::detect::Touch;
use super::memory::Felt;
use crate::friction::Law;

/// What becomes of the fraction of a change of the bounds that is made when the changes turn round, and when they go on.
const SLOWER: f64 = 0.5;
const FASTER: f64 = 1.3;

/// Programs of a part of a step with the matrices of the last one after which nothing is mixed any more, and changes are slowed down
/// instead: where points stick, slip and leave by turns, what the last two programs led to says little about the next. With fresh
/// programs mixed as well, a stick at 10 m/s went through an edge of a sheet.
const MIXES: usize = 6;

/// Programs of a part of a step in which points that are no longer pushed lose their friction at once.
const PROMPT_PROGRAMS: usize = 4;

/// Programs of a part of a step that was hard after which every point goes its own way to its bound: a fraction of the change is made, which
/// becomes smaller at a point where changes turn round, and larger where they go on, and is at least so large. Points that friction lifts at
/// one bound and that are pushed at the next would else come and go for ever, whatever all of them do together.
const JOINT_PROGRAMS: usize = 20;
const LEAST_CHANGE: f64 = 0.02;

/// Programs of a part of a step after which points that friction lifts, and that come back without it, are suspected of doing so for ever.
const PATIENT_PROGRAMS: usize = 12;

/// How far the next bounds go back to the ones before the last, or beyond the last ones, at most: where bounds swing to and fro they
/// meet halfway, where they creep they are led on.
const MAX_BACK: f64 = 0.7;
const MAX_ONWARDS: f64 = 1.0;

/// The bounds of the next program, made of what the last two programs led to (Anderson's mixing, of depth one). A program is a map
/// from bounds `b` to bounds `μγ`; with `r = μγ − b`, the next ones are `μγ − θ (μγ − μγ_before)`, with the `θ` for which `r − θ (r − r_before)`
/// is the least. It is what the secant method is for one point. Where that does not settle, a fraction of the change is made.
#[derive(Clone, Copy)]
pub(super) struct Mixing {
    /// `θ`.
    theta: f64,
    /// How much of a change is made where a point is pushed.
    pushed: f64,
    /// How much of a change is made where a point is no longer pushed.
    released: f64,
    /// Whether points that come and go must be stopped from doing so.
    late: bool,
    /// Whether every point goes its own way.
    apart: bool,
}

/// How the bound of a point's friction has changed from program to program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BoundHistory {
    /// By how much the bound `μγ` of the program before the last was off, and the `μγ` that the last one led to, and the one before it.
    residual: f64,
    at_last: Option<f64>,
    before: Option<f64>,
    /// `μγ` that would lead to itself, as far as the last program tells.
    pub led: Option<f64>,
    /// Whether nothing pushes it any more, and its bound was too large already before the last program.
    released: bool,
    /// Whether it has lost its friction in this part of the step, because nothing pushed it.
    pub lost: bool,
    /// The bound that the last program was given, and the `μγ` that it found.
    pub given: Option<f64>,
    pub found: f64,
    /// By how much the one before the last was off, and how much of the change is made where every point goes its own way.
    off: f64,
    change: Option<f64>,
}

impl BoundHistory {
    /// How the change of the bound has turned out, where every point goes its own way.
    fn go_apart(&mut self) {
        let Some(given) = self.given else { return };
        let off = self.found - given;
        let factor = if off * self.off < 0.0 { SLOWER } else { FASTER };
        self.change = Some((self.change.unwrap_or(1.0) * factor).clamp(LEAST_CHANGE, 1.0));
        self.off = off;
    }

    /// Another iterate begins, in which other rows may be written.
    pub fn carry(&mut self) {
        (self.before, self.released) = (None, false);
    }
}

impl Mixing {
    /// The bound of a point's friction in the next program.
    pub fn next_bound(&self, touch: &Touch, felt: &Felt) -> f64 {
        let (bound, history) = (felt.bound(touch), &felt.history);
        if self.apart {
            return history
                .given
                .map_or(bound, |given| given + history.change.unwrap_or(1.0) * (history.found - given));
        }
        let Some(law) = felt.law else {
            // A point that friction had lifted, and that has come back without it, gets less of it this time.
            return if history.lost && self.late { self.pushed * bound } else { bound };
        };
        if felt.gamma > 0.0 {
            if let Some(led) = history.led {
                return led;
            }
            let mixed = bound - self.theta * (bound - history.before.unwrap_or(bound));
            return f64::max(law.bound + self.pushed * (mixed - law.bound), 0.0);
        }
        // It was released before, and has not come back.
        let gone = history.released && !(history.lost && self.late);
        law.bound * (1.0 - if gone { 1.0 } else { self.released })
    }
}

/// The iteration of a part of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundIteration {
    /// Programs written since the part of the step began.
    programs: usize,
    /// How often the bounds were mixed since, and how much of a change is made.
    mixes: usize,
    relaxation: f64,
}

impl Default for BoundIteration {
    fn default() -> Self {
        Self { programs: 0, mixes: 0, relaxation: 1.0 }
    }
}

impl BoundIteration {
    /// Another part of a step begins.
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// Programs written since the part of the step began.
    pub fn programs(&self) -> usize {
        self.programs
    }

    /// How the next friction bounds are made of the last ones; notes what the last program led to.
    pub fn mix(&mut self, fresh: bool, hard: bool, touches: &[Touch], felt: &mut [Felt]) -> Mixing {
        let (mut change, mut along, late) = (0.0, 0.0, self.programs > PATIENT_PROGRAMS);
        let apart = hard && self.programs > JOINT_PROGRAMS;
        let mut agreement = 0.0;
        let pushed = || touches.iter().zip(&*felt).map(|(touch, felt)| felt.bound(touch)).filter(|&bound| bound > 0.0);
        let mean = pushed().sum::<f64>() / f64::max(pushed().count() as f64, 1.0);
        for (touch, felt) in touches.iter().zip(felt) {
            let (bound, history) = (felt.bound(touch), &mut felt.history);
            if apart {
                history.go_apart();
            }
            let residual = match felt.law {
                Some(law) => bound - law.bound,
                None if history.lost && late => bound,
                None => 0.0,
            };
            agreement += residual * history.residual;
            history.released = felt.gamma == 0.0 && history.residual < 0.0;
            let goes_on = felt.law.is_some() && felt.gamma > 0.0;
            if goes_on && history.at_last.is_some() {
                // Relative to what the law is compared with.
                let scale = f64::max(mean, bound);
                let (residual, turned) = (residual / scale, (residual - history.residual) / scale);
                change += turned * turned;
                along += turned * residual;
            }
            history.residual = residual;
            history.before = history.at_last;
            history.at_last = goes_on.then_some(bound);
        }
        self.programs += usize::from(fresh);
        self.mixes += usize::from(!fresh);
        // A fresh program is written where much changes, and is another map than the last one.
        let mixes = !fresh && self.mixes <= MIXES;
        let theta = if mixes && change > 0.0 { (along / change).clamp(-MAX_ONWARDS, MAX_BACK) } else { 0.0 };
        if !mixes {
            self.relaxation = f64::min(self.relaxation * if agreement < 0.0 { SLOWER } else { FASTER }, 1.0);
        }
        // A point that is no longer pushed has no friction; but if that brings it back, it is released more slowly.
        let released = if self.programs <= PROMPT_PROGRAMS { 1.0 } else { SLOWER };
        Mixing { theta, pushed: self.relaxation, released, late, apart }
    }
}

/// Cosine: the row across the slip that has turned by more is written again, if it matters beside the inertia of its point.
const TURNED: f64 = 0.85;

/// Of the inertia of a point: a row that is less stiff than this hardly matters for how the iteration converges.
const MATTERS: f64 = 0.3;

/// A row across the slip that is this many times too soft, or too stiff, is written again: the iteration converges with one that is
/// too stiff, but slowly.
const TOO_SOFT: f64 = 2.0;
const TOO_STIFF: f64 = 3.0;

/// The rows of a sticking point are written again when they are softer than this fraction allows.
const SOFTENED: f64 = 0.3;

/// The rows of friction of a point as the factor at hand has them.
pub(super) struct StandingFriction {
    /// What they were written for.
    pub law: Law,
    /// Compliance of the row across, 1/kg.
    pub compliance: f64,
}

impl StandingFriction {
    /// Whether the rows are too far from what the point needs now (`fresh`) for the iteration to converge with them. Where a point
    /// slips its force is given, with its direction, and the matrix only tells how the force would turn; where it sticks the matrix holds
    /// it in all directions alike. So what is a little out of date changes how fast the iteration converges, not to what.
    pub fn is_outdated(&self, touch: &Touch, fresh: &Law) -> bool {
        let compliance = friction_compliance(touch.mass, fresh.bound);
        match (self.law.slips(), fresh.slips()) {
            (false, false) => compliance < SOFTENED * self.compliance,
            (true, true) => {
                let (old, new) = (1.0 / self.compliance, 1.0 / (fresh.compliance + compliance));
                let turned = self.law.across.dot(fresh.across).abs() < TURNED;
                turned && f64::max(old, new) > MATTERS * touch.mass
                    || new > TOO_SOFT * old && new > MATTERS * touch.mass
                    || old > TOO_STIFF * new && old > touch.mass
            }
            _ => true,
        }
    }
}

impl Felt {
    /// What the next program is told of the friction at this point, if its bound is `bound`.
    pub fn expected_law(&self, touch: &Touch, bound: f64, dt: f64) -> Law {
        Law::new(touch.normal, self.weight(touch, bound, dt), touch.slip, self.force, bound)
    }

    /// The multipliers of the two rows of friction that stand for its force; their directions need not be at right angles.
    pub fn friction_multipliers(&self, law: &Law) -> (f64, f64) {
        let skew = law.along.dot(law.across);
        let (along, across) = (-self.force.dot(law.along), -self.force.dot(law.across));
        let across = (across - skew * along) / (1.0 - skew * skew);
        (along - skew * across, across)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::collide::{Site, Stencil};

    fn point(slip: DVec3, force: DVec3) -> (Touch, Felt) {
        let touch = Touch {
            site: Site::Point { obstacle: 0, point: 0 },
            stencil: Stencil::new(&[0], &[1.0]),
            place: DVec3::ZERO,
            gap: 0.0,
            slack: 0.0,
            allowed: 0.0,
            normal: DVec3::Z,
            slip,
            mass: 1e-3,
            centre_distance: 0.0,
            layer: 0.0,
            area: 1.0,
            beside: 0.0,
            coefficient: 0.4,
            most_friction: f64::INFINITY,
        };
        (touch, Felt { gamma: 1e-6, force, ..Felt::default() })
    }

    #[test]
    fn multipliers_along_skew_directions_add_up_to_the_force() {
        let (touch, felt) = point(DVec3::X * 1e-5, DVec3::new(-3e-7, 1e-7, 0.0));
        for angle in [0.0, 0.2, -0.9] {
            let (sin, cos) = f64::sin_cos(angle);
            let law = Law { across: DVec3::new(-sin, cos, 0.0), ..felt.expected_law(&touch, 4e-7, 0.01) };
            let (along, across) = felt.friction_multipliers(&law);
            let force = -(law.along * along + law.across * across);
            assert!((force - felt.force).length() < 1e-20, "{force} at {angle}");
        }
    }

    #[test]
    fn rows_are_written_again_when_a_point_begins_to_slip_or_turns_and_not_for_less() {
        let slipping = point(DVec3::X * 1e-5, DVec3::X * -4e-7);
        let sticking = point(DVec3::ZERO, DVec3::X * -2e-7);
        let law = |(touch, felt): &(Touch, Felt)| felt.expected_law(touch, felt.bound(touch), 0.01);
        let standing = |law: Law| {
            let compliance = law.compliance + friction_compliance(sticking.0.mass, law.bound);
            StandingFriction { law, compliance }
        };
        let turned = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            let direction = DVec3::new(cos, sin, 0.0);
            point(direction * 1e-5, direction * -4e-7)
        };
        let outdated = |old: &(Touch, Felt), new: &(Touch, Felt)| standing(law(old)).is_outdated(&new.0, &law(new));
        assert!(!outdated(&slipping, &slipping));
        assert!(!outdated(&sticking, &sticking));
        assert!(outdated(&sticking, &slipping));
        assert!(outdated(&slipping, &sticking));
        assert!(!outdated(&slipping, &turned(0.3)));
        assert!(outdated(&slipping, &turned(0.8)));
    }

    #[test]
    fn bounds_that_answer_to_themselves_are_found_after_two_programs() {
        // A program that leads from the bound b to μγ = c + s b: it swings where s is negative, and creeps where it is not.
        let c = 4e-7;
        for s in [-0.9, -0.3, 0.4] {
            let (touch, mut felt) = point(DVec3::ZERO, DVec3::ZERO);
            let (mut iteration, mut bound) = (BoundIteration::default(), 0.0);
            for _ in 0..3 {
                let mixing = iteration.mix(false, false, &[touch], std::slice::from_mut(&mut felt));
                bound = mixing.next_bound(&touch, &felt);
                felt.law = Some(felt.expected_law(&touch, bound, 0.01));
                felt.gamma = (c + s * bound) / touch.coefficient;
            }
            assert!((bound * (1.0 - s) / c - 1.0).abs() < 1e-12, "{bound} with {s}");
        }
    }

    #[test]
    fn a_point_that_friction_lifts_finds_the_bound_at_which_it_just_touches() {
        // A program that leads from the bound b to μγ = c − s b, and to nothing where that is less: all of it or none, by turns.
        let c = 4e-7;
        for s in [1.5, 4.0, 12.0] {
            let (touch, mut felt) = point(DVec3::ZERO, DVec3::ZERO);
            let (mut iteration, mut bound) = (BoundIteration::default(), 0.0);
            for _ in 0..JOINT_PROGRAMS + 30 {
                bound = iteration.mix(true, true, &[touch], std::slice::from_mut(&mut felt)).next_bound(&touch, &felt);
                felt.history.given = Some(bound);
                felt.law = (bound > 0.0).then(|| felt.expected_law(&touch, bound, 0.01));
                felt.history.found = f64::max(c - s * bound, 0.0);
                felt.gamma = felt.history.found / touch.coefficient;
            }
            assert!((bound * (1.0 + s) / c - 1.0).abs() < 1e-2, "{bound} with {s}, not {}", c / (1.0 + s));
        }
    }
}
