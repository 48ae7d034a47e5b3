//! Where the time of a step goes. The library has no clock of its own, because not every platform has one: a caller gives one.

use std::ops::AddAssign;

/// Tells the time, in seconds since some moment that does not change.
pub type Clock = fn() -> f64;

/// What a step spends its time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Checking its inputs, the unconstrained step and the first guess.
    Predict,
    /// Looking for what touches, or following it.
    Detect,
    /// Values and gradients of all conditions, and what is left unbalanced.
    Linearise,
    /// Room in the pattern of the matrix for parts of the cloth that have met: order and symbolic factorisation.
    MakeRoom,
    /// Writing the program of an iteration, or bringing the last one up to date, with the rows that this takes out of its factor.
    Write,
    /// Changes of rank one to the factor.
    Change,
    /// Adding up the matrix.
    Assemble,
    /// Numeric factorisations.
    Factorise,
    /// Solving with the factor; all of a program if another solver than the fast one does it.
    Solve,
    /// Finding rows that are on the wrong side, and line searches.
    Exchange,
    /// Whether a solved iterate passed through something.
    Check,
    /// The new state, and measuring it.
    Accept,
}

impl Stage {
    /// All of them, in the order of a step.
    pub const ALL: [Self; 12] = [
        Self::Predict,
        Self::Detect,
        Self::Linearise,
        Self::MakeRoom,
        Self::Write,
        Self::Change,
        Self::Assemble,
        Self::Factorise,
        Self::Solve,
        Self::Exchange,
        Self::Check,
        Self::Accept,
    ];

    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Predict => "predict",
            Self::Detect => "detect",
            Self::Linearise => "linearise",
            Self::MakeRoom => "make-room",
            Self::Write => "write",
            Self::Change => "change",
            Self::Assemble => "assemble",
            Self::Factorise => "factorise",
            Self::Solve => "solve",
            Self::Exchange => "exchange",
            Self::Check => "check",
            Self::Accept => "accept",
        }
    }
}

/// Seconds that went into each stage of a step, or of several; all zero if there is no clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings([f64; Stage::ALL.len()]);

impl Timings {
    /// Time that went into a stage, s.
    pub fn seconds(&self, stage: Stage) -> f64 {
        self.0[stage as usize]
    }

    /// Time that went into all stages, s.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Every stage and the time that went into it, s.
    pub fn iter(&self) -> impl Iterator<Item = (Stage, f64)> + '_ {
        Stage::ALL.into_iter().zip(self.0)
    }
}

impl AddAssign for Timings {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, other)| *mine += other);
    }
}

/// Measures stages that follow each other; does nothing without a clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stopwatch {
    pub clock: Option<Clock>,
    /// When the last stage ended, s.
    last: f64,
    timings: Timings,
}

impl Stopwatch {
    /// Forgets what was measured, and starts the first stage.
    pub fn restart(&mut self) {
        self.timings = Timings::default();
        self.last = self.clock.map_or(0.0, |clock| clock());
    }

    /// A stage has ended, and the next begins.
    #[inline]
    pub fn lap(&mut self, stage: Stage) {
        if let Some(clock) = self.clock {
            let now = clock();
            self.timings.0[stage as usize] += now - self.last;
            self.last = now;
        }
    }

    /// Takes what another has measured since the last stage of this one.
    pub fn join(&mut self, other: &Self) {
        if self.clock.is_some() {
            self.timings += other.timings;
            self.last = other.last;
        }
    }

    /// What was measured since the start.
    pub fn timings(&self) -> Timings {
        self.timings
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        static NOW: Cell<f64> = const { Cell::new(0.0) };
    }

    /// A clock that is a second later each time it is asked.
    fn ticking() -> f64 {
        NOW.set(NOW.get() + 1.0);
        NOW.get()
    }

    #[test]
    fn laps_add_up_by_stage() {
        let mut watch = Stopwatch { clock: Some(ticking), ..Stopwatch::default() };
        let mut inner = watch;
        watch.restart();
        watch.lap(Stage::Write);
        inner.restart();
        inner.lap(Stage::Solve);
        inner.lap(Stage::Solve);
        watch.join(&inner);
        watch.lap(Stage::Write);
        let timings = watch.timings();
        assert_eq!((timings.seconds(Stage::Write), timings.seconds(Stage::Solve)), (2.0, 2.0));
        assert_eq!(timings.total(), 4.0);
        watch.restart();
        assert_eq!(watch.timings(), Timings::default());
    }

    #[test]
    fn without_a_clock_everything_takes_no_time() {
        let mut watch = Stopwatch::default();
        watch.restart();
        Stage::ALL.into_iter().for_each(|stage| watch.lap(stage));
        assert_eq!(watch.timings(), Timings::default());
    }

    #[test]
    fn every_stage_is_listed_in_its_place() {
        for (k, stage) in Stage::ALL.into_iter().enumerate() {
            assert_eq!(stage as usize, k, "{}", stage.name());
        }
    }
}
