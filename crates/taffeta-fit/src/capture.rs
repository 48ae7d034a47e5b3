//! What cameras saw of a cloth.

mod check;

use glam::DVec3;
use taffeta::obstacle::Obstacle;
use thiserror::Error;

use crate::parameter::Parameters;
use crate::replay::Discretisation;
use crate::smooth::fill;
use crate::spline::Spline;

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
    /// `ρ`, kg/m², if it is known.
    pub density: Option<f64>,
    /// What the cloth may touch.
    pub obstacles: Vec<CapturedObstacle>,
    /// What it was made with, if it is a twin.
    pub truth: Option<Parameters>,
    /// How it is simulated unless one is told otherwise.
    pub discretisation: Discretisation,
}

/// A body that was in the way of the cloth.
#[derive(Clone, Debug)]
pub struct CapturedObstacle {
    /// The body; its motion is told in the times of the capture.
    pub body: Obstacle,
    /// Whether its friction is known. If not, it is one of the parameters.
    pub friction_known: bool,
}

/// A marker in a hand.
#[derive(Clone, Debug)]
pub struct HeldMarker {
    /// The marker.
    pub marker: usize,
    /// Where it is at every time.
    pub path: Spline,
    /// Standard deviation of what the cameras said of it about where it was, in each direction, m.
    pub noise: f64,
    /// Above which frequency noise was taken out of the path, Hz.
    pub cutoff: f64,
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
    #[error("{id} has {what}: {fix}")]
    TooLittle {
        /// The capture.
        id: String,
        /// What there is too little of.
        what: String,
        /// What to do.
        fix: &'static str,
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
    #[error("{id}: markers {} and {} are {found:.4} m apart at t = {time:.3} s, and the cloth between them is {length:.4} m long: {fix}", .markers[0], .markers[1])]
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
        fix: &'static str,
    },
    /// A marker is where an obstacle is.
    #[error(
        "{id}: at first marker {marker} is {depth:.3} m inside the obstacle {obstacle:?}: check where that is, and its size"
    )]
    Inside {
        /// The capture.
        id: String,
        /// The marker.
        marker: usize,
        /// The obstacle.
        obstacle: String,
        /// How deep it is, m.
        depth: f64,
    },
    /// The cloth does not hang down.
    #[error(
        "{id}: at first the hem is at ({:.3}, {:.3}, {:.3}) m from the markers that are held, and cloth hangs down: z must point up and row 0 of the grid be the hem: swap the axes (up = \"y\" or \"z\" in [markers]), or turn the grid", .hem.x, .hem.y, .hem.z
    )]
    NotHanging {
        /// The capture.
        id: String,
        /// Where the hem is, from the hands, m.
        hem: DVec3,
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

    /// Where a marker was in every frame, m; where it was not seen, on the way to where it is seen next. For pictures: errors leave
    /// out what was not seen.
    pub fn bridged(&self, marker: usize) -> Vec<DVec3> {
        let times: Vec<f64> = self.frames.iter().map(|frame| frame.time).collect();
        let seen: Vec<Option<DVec3>> = self.frames.iter().map(|frame| frame.markers[marker]).collect();
        fill(&times, &seen).unwrap_or_else(|| vec![DVec3::ZERO; times.len()])
    }

    /// How far its markers move: root of the mean square distance from their mean places, of those that count, m.
    pub fn motion(&self) -> f64 {
        let (mut squares, mut count) = (0.0, 0u32);
        for marker in (0..self.counted.len()).filter(|&marker| self.counted[marker]) {
            let sights =
                || self.frames.iter().filter(|frame| !frame.bad).filter_map(move |frame| frame.markers[marker]);
            let mean = sights().sum::<DVec3>() / sights().count().max(1) as f64;
            for place in sights() {
                (squares, count) = (squares + place.distance_squared(mean), count + 1);
            }
        }
        (squares / f64::from(count.max(1))).sqrt()
    }

    /// Whether the friction of one of its obstacles is not known.
    pub fn rubs(&self) -> bool {
        self.obstacles.iter().any(|obstacle| !obstacle.friction_known)
    }

    /// From its first frame to its last, s.
    pub fn duration(&self) -> f64 {
        self.frames.last().map_or(0.0, |last| last.time - self.frames[0].time)
    }

    /// The markers of the free hem.
    pub fn hem(&self) -> std::ops::Range<usize> {
        0..self.columns()
    }

    /// Length of the cloth between two markers along a straight line on it, m.
    pub(crate) fn length(&self, [a, b]: [usize; 2]) -> f64 {
        let place = |marker: usize| {
            let [x, y] = [marker % self.columns(), marker / self.columns()];
            let part = |k: usize, count: usize| k as f64 / (count - 1).max(1) as f64;
            [part(x, self.columns()) * self.size[0], part(y, self.rows()) * self.size[1]]
        };
        let (from, to) = (place(a), place(b));
        f64::hypot(from[0] - to[0], from[1] - to[1])
    }
}
