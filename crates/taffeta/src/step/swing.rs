//! Iterates that swing to and fro.
//!
//! A program knows the directions in which things touch and not how these turn. Where layers are jammed under a large load that matters
//! more than inertia does, and two iterates can follow each other for ever, each the answer to the other. Halfway between them is what both
//! aim at.

use glam::DVec3;

/// Iterations of a part of a step whose increments are taken whole, whichever way they go: early ones are large, and turn.
const WHOLE_ITERATIONS: usize = 4;

/// Cosine of the angle to the last increment, below which an increment leads back.
const BACK: f64 = -0.5;

/// Of the length of the last increment: one that leads back by less settles by itself.
const SETTLING: f64 = 0.3;

/// How much is taken of an increment that leads back.
const FRACTION: f64 = 0.5;

/// What becomes of the fraction of a patient attempt where an increment leads back all the same, and where it goes on; and what it is
/// at least. What overshoots by three times its way swings for ever if half of it is taken.
const SHORTER: f64 = 0.7;
const LONGER: f64 = 1.3;
const LEAST_FRACTION: f64 = 0.05;

/// The last increment of a part of a step.
#[derive(Default)]
pub(super) struct Swing {
    iterations: usize,
    /// How much of every increment is taken after the first ones, in a patient attempt.
    patient: Option<f64>,
    last: Vec<DVec3>,
}

impl Swing {
    /// An attempt at a part of a step begins, a `patient` one or another.
    pub fn restart(&mut self, patient: bool) {
        self.iterations = 0;
        self.patient = patient.then_some(FRACTION);
    }

    /// How much of an increment is taken: all of it, unless it leads back to where the last one came from, or nothing else has helped.
    pub fn fraction(&mut self, delta: &[DVec3]) -> f64 {
        let square = |x: &[DVec3]| x.iter().map(|x| x.length_squared()).sum::<f64>();
        let late = self.iterations >= WHOLE_ITERATIONS;
        let (mut leads_back, mut goes_on) = (false, false);
        if late {
            let along: f64 = delta.iter().zip(&self.last).map(|(delta, last)| delta.dot(*last)).sum();
            let (length, before) = (square(delta).sqrt(), square(&self.last).sqrt());
            leads_back = along < BACK * length * before && length > SETTLING * before;
            goes_on = along > -BACK * length * before;
        }
        let fraction = match &mut self.patient {
            Some(fraction) if late => {
                let change = if leads_back {
                    SHORTER
                } else if goes_on {
                    LONGER
                } else {
                    1.0
                };
                *fraction = (*fraction * change).clamp(LEAST_FRACTION, FRACTION);
                *fraction
            }
            _ if leads_back => FRACTION,
            _ => 1.0,
        };
        self.iterations += 1;
        self.last.clear();
        self.last.extend(delta.iter().map(|delta| *delta * fraction));
        fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Iterates `x → x + fraction · (g x − x)` from 1, and returns what is left of it.
    fn left(g: f64, iterations: usize) -> f64 {
        let (mut swing, mut x) = (Swing::default(), 1.0);
        for _ in 0..iterations {
            let delta = (g - 1.0) * x;
            x += swing.fraction(&[DVec3::X * delta]) * delta;
        }
        f64::abs(x)
    }

    #[test]
    fn what_swings_for_ever_comes_to_rest() {
        assert!(left(-1.0, WHOLE_ITERATIONS) > 0.99 && left(-1.0, WHOLE_ITERATIONS + 2) < 1e-12);
        // What is left grows by 1.3 four times; then halving leaves 0.15 of it, and after that every second increment is short enough
        // to be taken whole.
        let expected = f64::powi(1.3, 4) * f64::powi(0.15 * 1.3, 10);
        assert!(left(-1.3, WHOLE_ITERATIONS + 20) < 1.01 * expected);
    }

    #[test]
    fn a_patient_attempt_takes_half_of_what_follows_the_first_increments() {
        let mut swing = Swing::default();
        swing.restart(true);
        let fractions: Vec<f64> = (0..WHOLE_ITERATIONS + 3).map(|_| swing.fraction(&[DVec3::X])).collect();
        assert!(fractions[..WHOLE_ITERATIONS].iter().all(|&fraction| fraction == 1.0), "{fractions:?}");
        assert!(fractions[WHOLE_ITERATIONS..].iter().all(|&fraction| fraction == FRACTION), "{fractions:?}");
    }

    #[test]
    fn what_overshoots_by_far_comes_to_rest_in_a_patient_attempt() {
        // Half of such an increment leads as far to the other side.
        for g in [-2.9, -6.0] {
            let (mut swing, mut x) = (Swing::default(), 1.0);
            swing.restart(true);
            for k in 0..60 {
                let delta = (g - 1.0) * x;
                let fraction = swing.fraction(&[DVec3::X * delta]);
                x = if k < WHOLE_ITERATIONS { x } else { x + fraction * delta };
            }
            assert!(f64::abs(x) < 1e-6, "{x} is left with {g}");
        }
    }

    #[test]
    fn what_settles_by_itself_is_left_alone() {
        for g in [0.9, 0.5, 0.0, -0.2] {
            let alone = f64::abs(f64::powi(g, 12));
            assert!((left(g, 12) - alone).abs() < 1e-15, "{g}");
        }
    }
}
