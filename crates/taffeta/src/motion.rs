//! How held nodes and bodies move, and seams close: paths in time.

mod hand;
mod keyframes;

use glam::{DQuat, DVec3};

pub use hand::{Hand, Spring};
pub use keyframes::{Interpolate, Interpolation, Keyframes};

use keyframes::smoothstep;

/// A path in time.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// No motion.
    Still,
    /// Given places at given times, m.
    Keyframes(Keyframes<DVec3>),
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
            Path::Keyframes(places) => places.at(t).unwrap_or(DVec3::ZERO),
            Path::Sinusoid { amplitude, frequency, phase, ramp } => {
                let grown = if *ramp > 0.0 { smoothstep((t / ramp).clamp(0.0, 1.0)) } else { 1.0 };
                *amplitude * (grown * (std::f64::consts::TAU * frequency * t + phase).sin())
            }
        }
    }
}

/// Nodes that are held for some time and moved along a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// The nodes.
    pub nodes: Vec<usize>,
    /// Where they are moved.
    pub path: Path,
    /// How they are held there; `None` for exactly, whatever force that takes.
    pub hand: Option<Hand>,
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
        let hand = Some(Hand::default());
        Self { nodes: nodes.into(), path, hand, turn: None, absolute: false, from: 0.0, until: f64::INFINITY }
    }

    /// The same, but exactly at the targets, whatever force that takes.
    #[must_use]
    pub fn exact(self) -> Self {
        Self { hand: None, ..self }
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

/// A rotation about a fixed axis, by any number of revolutions.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Direction of the axis, right-handed, of any length but 0.
    pub axis: DVec3,
    /// A point on it, m.
    pub through: DVec3,
    /// The angle at every time, rad.
    pub angle: Keyframes<f64>,
}

impl Turn {
    /// The angle at time `t`, rad.
    fn angle_at(&self, t: f64) -> f64 {
        self.angle.at(t).unwrap_or(0.0)
    }

    /// The rotation by an angle, rad; none about an axis without a direction.
    fn by(&self, angle: f64) -> DQuat {
        self.axis.try_normalize().map_or(DQuat::IDENTITY, |axis| DQuat::from_axis_angle(axis, angle))
    }

    /// The rotation at time `t`, about [`through`](Self::through).
    pub(crate) fn rotation_at(&self, t: f64) -> DQuat {
        self.by(self.angle_at(t))
    }

    /// Where a place is at time `t` that was here at time `from`.
    fn applied(&self, place: DVec3, from: f64, t: f64) -> DVec3 {
        let angle = self.angle_at(t) - self.angle_at(from);
        // Not to be rounded where nothing is turned.
        if angle == 0.0 { place } else { self.through + self.by(angle) * (place - self.through) }
    }

    /// What is wrong with the turn, if anything, and how to fix it.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.axis.try_normalize().is_none() || !self.through.is_finite() {
            return Some(format!(
                "the axis of the turn is {} through {}: give a direction that is not zero and a finite point",
                self.axis, self.through
            ));
        }
        if let Some(angle) = self.angle.values.iter().find(|angle| !angle.is_finite()) {
            return Some(format!("an angle of the turn is {angle}: give finite angles in rad"));
        }
        self.angle.fault("angles")
    }
}

/// Pairs of nodes of the cloth's [seams](crate::cloth::Cloth::seams) that are drawn together and then stay sewn.
#[derive(Clone, Debug, PartialEq)]
pub struct Seam {
    /// The pairs, as a range of the cloth's; pairs that the cloth does not have are ignored.
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
