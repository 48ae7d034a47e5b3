//! What cameras saw of a cloth.

use glam::DVec3;
use thiserror::Error;

use crate::spline::Spline;

/// Held markers may be seen farther apart than the cloth between them is long by this part of it: cameras are not exact.
const STRETCH: f64 = 0.02;

/// Sizes that differ by more than this factor are in different units.
const OTHER_UNITS: f64 = 20.0;

/// Markers on a cloth, over time.
#[derive(Clone, Debug)]
pub struct Capture {
    /// What it is called.
    pub id: String,
    /// Columns and rows of the grid of markers: marker = row · columns + column, row 0 the free hem.
    pub grid: [usize; 2],
    /// Width and height of the cloth that the grid covers, m.
    pub size: [f64; 2],
    /// The markers that are held, and how they move.
    pub held: Vec<HeldMarker>,
    /// What was seen, in the order of time.
    pub frames: Vec<CaptureFrame>,
    /// Which markers count where errors are measured: those that are held do not.
    pub counted: Vec<bool>,
}

/// A marker in a hand.
#[derive(Clone, Debug)]
pub struct HeldMarker {
    /// The marker.
    pub marker: usize,
    /// Where it is at every time.
    pub path: Spline,
}

/// What was seen at a time.
#[derive(Clone, Debug)]
pub struct CaptureFrame {
    /// The time, s.
    pub time: f64,
    /// Where each marker was, m; `None` where it was not seen.
    pub markers: Vec<Option<DVec3>>,
    /// Whether the frame is known to be wrong, and counts for nothing.
    pub bad: bool,
}

/// A capture that makes no sense.
#[derive(Debug, Error, PartialEq)]
pub enum CaptureError {
    /// There is too little of it.
    #[error("{id} has {what}: {mend}")]
    TooLittle {
        /// The capture.
        id: String,
        /// What there is too little of.
        what: String,
        /// What to do.
        mend: &'static str,
    },
    /// A number that is none, or a time that is not later than the last.
    #[error("{id}: {what}")]
    Nonsense {
        /// The capture.
        id: String,
        /// Where and what.
        what: String,
    },
    /// Lengths that do not fit the cloth.
    #[error("{id}: markers {} and {} are {found:.4} m apart at t = {time:.3} s, and the cloth between them is {length:.4} m long: {mend}", .markers[0], .markers[1])]
    Misfit {
        /// The capture.
        id: String,
        /// The two markers.
        markers: [usize; 2],
        /// How far they are apart, m.
        found: f64,
        /// How long the cloth is there, m.
        length: f64,
        /// When.
        time: f64,
        /// What may be wrong.
        mend: &'static str,
    },
    /// The cloth does not hang down.
    #[error(
        "{id}: at first the hem is {above:.3} m above the markers that are held, and cloth hangs down: z must point up, swap the axes"
    )]
    UpsideDown {
        /// The capture.
        id: String,
        /// By how much, m.
        above: f64,
    },
}

impl Capture {
    /// Columns of the grid.
    pub fn columns(&self) -> usize {
        self.grid[0]
    }

    /// Rows of the grid.
    pub fn rows(&self) -> usize {
        self.grid[1]
    }

    /// The markers of the free hem.
    pub fn hem(&self) -> std::ops::Range<usize> {
        0..self.columns()
    }

    /// Length of the cloth between two markers along a straight line on it, m.
    fn length(&self, [a, b]: [usize; 2]) -> f64 {
        let place = |marker: usize| {
            let [x, y] = [marker % self.columns(), marker / self.columns()];
            let part = |k: usize, count: usize| k as f64 / (count - 1).max(1) as f64;
            [part(x, self.columns()) * self.size[0], part(y, self.rows()) * self.size[1]]
        };
        let (from, to) = (place(a), place(b));
        f64::hypot(from[0] - to[0], from[1] - to[1])
    }

    /// Refuses a capture that nothing can be learned from.
    ///
    /// # Errors
    ///
    /// What is wrong with it, where, and how to mend it.
    pub fn check(&self) -> Result<(), CaptureError> {
        let id = || self.id.clone();
        let too_little = |what: String, mend| Err(CaptureError::TooLittle { id: id(), what, mend });
        let nonsense = |what: String| Err(CaptureError::Nonsense { id: id(), what });
        let markers = self.columns() * self.rows();
        if self.columns() < 2 || self.rows() < 2 {
            return too_little(format!("a grid of {}×{} markers", self.columns(), self.rows()), "use 2×2 or more");
        }
        if self.size.iter().any(|&size| !(size.is_finite() && size > 0.0)) {
            return nonsense(format!(
                "the cloth measures {} × {} m: give positive numbers",
                self.size[0], self.size[1]
            ));
        }
        if self.held.is_empty() {
            return too_little("no held markers".to_owned(), "say which are held: cloth that falls tells little");
        }
        let good = self.frames.iter().filter(|frame| !frame.bad);
        let seen = good.flat_map(|frame| frame.markers.iter().zip(&self.counted)).filter(|(x, c)| x.is_some() && **c);
        if seen.count() == 0 {
            return too_little("no markers that were seen and count".to_owned(), "check columns and gaps");
        }
        for (k, frame) in self.frames.iter().enumerate() {
            if !frame.time.is_finite() {
                return nonsense(format!("the time of frame {k} is {}: give seconds", frame.time));
            }
            if k > 0 && frame.time <= self.frames[k - 1].time {
                let before = self.frames[k - 1].time;
                let time = frame.time;
                return nonsense(format!(
                    "frame {k} is at {time} s, after {before} s: times must ascend, sort the rows"
                ));
            }
            if frame.markers.len() != markers {
                let count = frame.markers.len();
                return nonsense(format!(
                    "frame {k} has {count} markers, and the grid {markers}: give every one three columns"
                ));
            }
            if let Some(marker) = frame.markers.iter().position(|place| place.is_some_and(|x| !x.is_finite())) {
                return nonsense(format!(
                    "marker {marker} of frame {k} is at infinity: leave it out where it was not seen"
                ));
            }
        }
        self.check_lengths()?;
        self.check_upright()
    }

    fn check_lengths(&self) -> Result<(), CaptureError> {
        let misfit = |markers, found, length, time, mend| {
            Err(CaptureError::Misfit { id: self.id.clone(), markers, found, length, time, mend })
        };
        for (k, one) in self.held.iter().enumerate() {
            for other in &self.held[k + 1..] {
                let markers = [one.marker, other.marker];
                let length = self.length(markers);
                let apart = |&time: &f64| (one.path.at(time).distance(other.path.at(time)), time);
                let farthest =
                    one.path.times().iter().map(apart).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
                if farthest.0 > OTHER_UNITS * length {
                    return misfit(
                        markers,
                        farthest.0,
                        length,
                        farthest.1,
                        "the places may be in millimetres, give metres",
                    );
                }
                if farthest.0 > (1.0 + STRETCH) * length {
                    let mend = "cloth does not stretch, check the size of the cloth and which markers are held";
                    return misfit(markers, farthest.0, length, farthest.1, mend);
                }
            }
        }
        // The longest row or column of the first good frame, to find units that differ.
        let Some(frame) = self.frames.iter().find(|frame| !frame.bad) else { return Ok(()) };
        let seen: Vec<(usize, DVec3)> =
            frame.markers.iter().enumerate().filter_map(|(marker, place)| Some((marker, (*place)?))).collect();
        for window in seen.windows(2) {
            let ([a, b], found) = ([window[0].0, window[1].0], window[0].1.distance(window[1].1));
            let length = self.length([a, b]);
            if found > OTHER_UNITS * length {
                return misfit([a, b], found, length, frame.time, "the places may be in millimetres, give metres");
            }
        }
        Ok(())
    }

    fn check_upright(&self) -> Result<(), CaptureError> {
        let Some(frame) = self.frames.iter().find(|frame| !frame.bad) else { return Ok(()) };
        let hem: Vec<f64> = self.hem().filter_map(|marker| Some(frame.markers[marker]?.z)).collect();
        let held = self.held.iter().map(|held| held.path.at(frame.time).z).sum::<f64>() / self.held.len() as f64;
        if hem.is_empty() {
            return Ok(());
        }
        let above = hem.iter().sum::<f64>() / hem.len() as f64 - held;
        // A cloth may lie on a table or be flung up; it does not begin by standing on its hem.
        if above > 0.5 * self.size[1] {
            return Err(CaptureError::UpsideDown { id: self.id.clone(), above });
        }
        Ok(())
    }
}
