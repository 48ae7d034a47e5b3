//! Threads of triangles that are not an edge: stiff against stretching, soft against shortening.
//!
//! There are more of them than coordinates. Were they rigid, a mesh could not bend across its diagonals; as soon as it may
//! become a little shorter, it can. So the compliance of such a row depends on the sign of its multiplier, and every program has
//! the one that its solution is expected to have.

/// N/m. With this no thread of a sheet of 400 scattered nodes is longer by more than 0.13 % when it is picked up, laid, dragged over
/// an edge or flung at 2 m/s. With thirty times as much a step is refused in each of these scenes.
const STRETCHING: f64 = 3e4;

/// N/m. With three times as much such a sheet does not fold over a ball: it stays 15 mm higher than quads on average, now 5 mm. With
/// a third of it threads become shorter by more than 3 % when the sheet is laid down, now by 2.2 %.
const SHORTENING: f64 = 1e3;

/// The law of all threads in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threads {
    /// `σ` times area of a thread under tension and of one that is pushed together.
    stretching: f64,
    shortening: f64,
}

impl Threads {
    /// For a step that the difference formula sees as `h` long, s.
    pub fn new(h: f64) -> Self {
        let compliance = |stiffness: f64| 1.0 / (stiffness * h * h);
        Self { stretching: compliance(STRETCHING), shortening: compliance(SHORTENING) }
    }

    /// `σ` of a thread of this area, m², in the program of an iterate with this multiplier and this `C`. Both have a say: a
    /// thread under tension that an iterate left a little too short stays as it is.
    pub fn compliance(&self, area: f64, lambda: f64, value: f64) -> f64 {
        let expected = lambda * self.shortening / area + value;
        if expected >= 0.0 { self.stretching / area } else { self.shortening / area }
    }

    /// How far `C` is from `σλ`.
    pub fn error(&self, area: f64, lambda: f64, value: f64) -> f64 {
        let compliance = if lambda >= 0.0 { self.stretching } else { self.shortening };
        (value - lambda * compliance / area).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solved_thread_has_no_error_and_keeps_its_compliance() {
        let (threads, area) = (Threads::new(0.01), 2e-4);
        for (force, stiffness) in [(5.0, STRETCHING), (-5.0, SHORTENING)] {
            // N/m over the area, and the strain it makes.
            let (lambda, strain) = (force * area * 1e-4, force / stiffness);
            assert!(threads.error(area, lambda, strain) < 1e-15);
            let compliance = threads.compliance(area, lambda, strain);
            assert!((compliance * lambda / strain - 1.0).abs() < 1e-12);
        }
    }
}
