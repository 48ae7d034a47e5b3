//! Threads of triangles that are not an edge: stiff against stretching, soft against shortening.
//!
//! There are more of them than coordinates. Were they rigid, a mesh could not bend across its diagonals; as soon as it may
//! become a little shorter, it can. So the compliance of such a row depends on the sign of its multiplier, and every program has
//! the one that its solution is expected to have.

use std::ops::Range;

use super::{Prescription, RowResidual, RowSource, RowValues};

/// N/m. With this no thread of a sheet of 400 scattered nodes is longer by more than 0.13 % when it is picked up, laid, dragged over
/// an edge or flung at 2 m/s. With thirty times as much a step is refused in each of these scenes.
const STRETCHING: f64 = 3e4;

/// N/m. With three times as much such a sheet does not fold over a ball: it stays 15 mm higher than quads on average, now 5 mm. With
/// a third of it threads become shorter by more than 3 % when the sheet is laid down, now by 2.2 %.
const SHORTENING: f64 = 1e3;

pub(super) struct Threads {
    rows: Range<usize>,
    /// How much cloth each thread is of, m².
    areas: Vec<f64>,
    law: ThreadLaw,
}

impl Threads {
    pub fn new(rows: Range<usize>, areas: &[f64]) -> Self {
        Self { rows, areas: areas.to_vec(), law: ThreadLaw::default() }
    }
}

impl RowSource for Threads {
    fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    fn begin(&mut self, part: &Prescription, compliance: &mut [f64]) {
        self.law = ThreadLaw::new(part.h);
        for (compliance, area) in compliance.iter_mut().zip(&self.areas) {
            // Until the first iterate says otherwise.
            *compliance = self.law.stretching / area;
        }
    }

    fn residual(&self, at: &RowValues) -> RowResidual {
        let threads = self.areas.iter().zip(at.lambda).zip(at.value);
        let errors = threads.map(|((&area, &lambda), &value)| self.law.error(area, lambda, value));
        RowResidual { strain: 0.0, error: errors.fold(0.0, f64::max) }
    }

    fn expect(&self, lambda: &[f64], value: &[f64], compliance: &mut [f64]) {
        for (row, (&area, compliance)) in self.areas.iter().zip(compliance).enumerate() {
            *compliance = self.law.compliance(area, lambda[row], value[row]);
        }
    }

    fn curvature(&self, lambda: &[f64], curvature: &mut [f64]) {
        for (curvature, lambda) in curvature.iter_mut().zip(lambda) {
            *curvature = lambda.max(0.0);
        }
    }
}

/// The law of all threads in a part of a step.
#[derive(Clone, Copy, Debug, Default)]
struct ThreadLaw {
    /// `σ` times area of a thread under tension and of one that is pushed together.
    stretching: f64,
    shortening: f64,
}

impl ThreadLaw {
    /// For a step that the difference formula sees as `h` long, s.
    fn new(h: f64) -> Self {
        let compliance = |stiffness: f64| 1.0 / (stiffness * h * h);
        Self { stretching: compliance(STRETCHING), shortening: compliance(SHORTENING) }
    }

    /// `σ` of a thread of this area, m², in the program of an iterate with this multiplier and this `C`. Both have a say: a
    /// thread under tension that an iterate left a little too short stays as it is.
    fn compliance(&self, area: f64, lambda: f64, value: f64) -> f64 {
        let expected = lambda * self.shortening / area + value;
        if expected >= 0.0 { self.stretching / area } else { self.shortening / area }
    }

    /// How far `C` is from `σλ`.
    fn error(&self, area: f64, lambda: f64, value: f64) -> f64 {
        let compliance = if lambda >= 0.0 { self.stretching } else { self.shortening };
        (value - lambda * compliance / area).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solved_thread_has_no_error_and_keeps_its_compliance() {
        let (threads, area) = (ThreadLaw::new(0.01), 2e-4);
        for (force, stiffness) in [(5.0, STRETCHING), (-5.0, SHORTENING)] {
            // N/m over the area, and the strain it makes.
            let (lambda, strain) = (force * area * 1e-4, force / stiffness);
            assert!(threads.error(area, lambda, strain) < 1e-15);
            let compliance = threads.compliance(area, lambda, strain);
            assert!((compliance * lambda / strain - 1.0).abs() < 1e-12);
        }
    }
}
