//! How held nodes move, and seams close: paths in time.

use glam::{DQuat, DVec3};

/// How a path runs between two keyframes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Straight, at constant speed.
    #[default]
    Linear,
    /// Straight, starting and ending at rest: `3s² − 2s³`.
    Smooth,
}

/// A path in time.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// No motion.
    Still,
    /// Given places at given times; the first holds before, the last after.
    Keyframes {
        /// Times, s, strictly increasing.
        times: Vec<f64>,
        /// Places, m, one per time; of times without places, and places without times, nothing is heard.
        places: Vec<DVec3>,
        /// What happens in between.
        interpolation: Interpolation,
    },
    /// `amplitude · S(t/ramp) · sin(2π·frequency·t + phase)`, `S` the smoothstep that starts the motion gently.
    Sinusoid {
        /// Largest displacement, m.
        amplitude: DVec3,
        /// Oscillations per second, Hz.
        frequency: f64,
        /// Phase at t = 0, rad.
        phase: f64,
        /// Time over which the amplitude grows to its full value, s; 0 starts at once.
        ramp: f64,
    },
}

impl Path {
    /// The place at time `t`, m.
    pub fn at(&self, t: f64) -> DVec3 {
        match self {
            Path::Still => DVec3::ZERO,
            Path::Keyframes { times, places, interpolation } => {
                let times = &times[..times.len().min(places.len())];
                let places = &places[..times.len()];
                let next = times.partition_point(|&time| time <= t);
                match (next.checked_sub(1).and_then(|k| Some((*times.get(k)?, *places.get(k)?))), places.get(next)) {
                    (None, first) => first.copied().unwrap_or(DVec3::ZERO),
                    (Some((_, last)), None) => last,
                    (Some((start, from)), Some(&to)) => {
                        let s = (t - start) / (times[next] - start);
                        from.lerp(to, if *interpolation == Interpolation::Smooth { smoothstep(s) } else { s })
                    }
                }
            }
            Path::Sinusoid { amplitude, frequency, phase, ramp } => {
                let grown = if *ramp > 0.0 { smoothstep((t / ramp).clamp(0.0, 1.0)) } else { 1.0 };
                *amplitude * (grown * (std::f64::consts::TAU * frequency * t + phase).sin())
            }
        }
    }
}

pub(crate) fn smoothstep(s: f64) -> f64 {
    s * s * (3.0 - 2.0 * s)
}

/// Nodes that are held for some time and moved along a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// The nodes.
    pub nodes: Vec<usize>,
    /// Where they are moved.
    pub path: Path,
    /// About what they are turned before that.
    pub turn: Option<Turn>,
    /// Whether the path gives places in space, or (the default) displacements from where the nodes were grasped.
    pub absolute: bool,
    /// When the nodes are grasped, s.
    pub from: f64,
    /// When they are released, s; infinity for never.
    pub until: f64,
}

impl Grasp {
    /// Nodes pinned where they are, for ever.
    pub fn pin(nodes: impl Into<Vec<usize>>) -> Self {
        Self::moving(nodes, Path::Still)
    }

    /// Nodes moved along a path of displacements, for ever. Displacements count from where the path is when the nodes are
    /// grasped, so that no path makes them jump.
    pub fn moving(nodes: impl Into<Vec<usize>>, path: Path) -> Self {
        Self { nodes: nodes.into(), path, turn: None, absolute: false, from: 0.0, until: f64::INFINITY }
    }

    /// Whether a step that ends at `t` moves the nodes. A grasp from 1 s holds in every step that begins at 1 s or
    /// later; times are compared with a millionth of `dt` of slack, because multiples of dt are not exact.
    pub(crate) fn holds(&self, t: f64, dt: f64) -> bool {
        let slack = 1e-6 * dt;
        t - dt >= self.from - slack && t <= self.until + slack
    }

    /// Target of a node at time `t`, grasped at `anchor`.
    pub(crate) fn target(&self, anchor: DVec3, t: f64) -> DVec3 {
        if self.absolute {
            return self.path.at(t);
        }
        let turned = self.turn.as_ref().map_or(anchor, |turn| turn.applied(anchor, self.from, t));
        turned + (self.path.at(t) - self.path.at(self.from))
    }
}

/// A rotation about a fixed axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Direction of the axis; of unit length.
    pub axis: DVec3,
    /// A point on it, m.
    pub through: DVec3,
    /// The angle at every time, rad, right-handed: the x component of a path.
    pub angle: Path,
}

impl Turn {
    /// Where a place is at time `t` that was here at time `from`.
    fn applied(&self, place: DVec3, from: f64, t: f64) -> DVec3 {
        let angle = self.angle.at(t).x - self.angle.at(from).x;
        // Not to be rounded where nothing is turned.
        if angle == 0.0 {
            place
        } else {
            self.through + DQuat::from_axis_angle(self.axis, angle) * (place - self.through)
        }
    }
}

/// Pairs of nodes of the cloth's [seams](crate::cloth::Cloth::seams) that are drawn together and then stay sewn.
#[derive(Clone, Debug, PartialEq)]
pub struct Seam {
    /// The pairs, as a range of the cloth's; of pairs that the cloth does not have nothing is heard.
    pub pairs: std::ops::Range<usize>,
    /// When they begin to approach each other, s.
    pub from: f64,
    /// When they have met, s; until then their distance falls evenly.
    pub until: f64,
}

impl Seam {
    /// How much of the distance that is left at the start of a step is left at its end, at `t`; `None` before the seam begins to
    /// close. The distance then falls evenly, whatever it was when it began.
    pub(crate) fn left_open(&self, t: f64, dt: f64) -> Option<f64> {
        let slack = 1e-6 * dt;
        if t - dt < self.from - slack {
            None
        } else if t >= self.until - slack {
            Some(0.0)
        } else {
            Some((self.until - t) / (self.until - (t - dt)))
        }
    }
}
