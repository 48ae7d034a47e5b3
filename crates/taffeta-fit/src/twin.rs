//! Twins: captures of simulated cloth, whose parameters are known, as cameras would have seen it.
//!
//! The paper's own captures are not public. These follow its two scenarios, with its four fabrics: an A2 sheet with 4×5 markers is
//! laid on a table by two hands, half of it, or hangs from two hands and is hit four times with a stick.
//! A hundred times a second every marker is seen to a tenth of a millimetre, except when it is not.

mod hands;
mod write;

use std::fmt;
use std::str::FromStr;

use fastrand::Rng;
use glam::DVec3;

use crate::capture::Capture;
use crate::dice::normal;
use crate::parameter::Parameters;
use crate::replay::{Discretisation, Replay, ReplayError, Stage, Start};

pub use write::write;

/// m, in each direction.
const NOISE: f64 = 1e-4;

/// Frames a second.
const RATE: f64 = 100.0;

/// m. Markers closer to the stick are seldom seen while it hits.
const HIDDEN: f64 = 0.15;

/// The fabrics, in the order of the paper's tables, and the `α/ρ`, `δ/ρ` and high `μ` that their twins are made with. The paper tells
/// the last; the others are made up, the lighter the cloth the more it is slowed by air.
pub const FABRICS: [(&str, [f64; 3]); 4] = [
    ("polyester", [3.6, 0.60, 1.0]),
    ("wool", [3.0, 0.75, 2.0]),
    ("stiff-cotton", [2.4, 0.90, 2.0]),
    ("denim", [2.7, 0.82, 1.6]),
];

/// What is done to the cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// It is laid on a polished table.
    TableclothLow,
    /// It is laid on a table with a tablecloth.
    TableclothHigh,
    /// It is hit with a stick.
    Hits,
}

impl Scenario {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::TableclothLow, Self::TableclothHigh, Self::Hits];

    /// What commands call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::TableclothLow => "tablecloth-low",
            Self::TableclothHigh => "tablecloth-high",
            Self::Hits => "hits",
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scenario {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name).join(", ");
        let found = Self::ALL.into_iter().find(|scenario| scenario.name() == name);
        found.ok_or_else(|| format!("there is no scenario {name:?}: give one of {names}"))
    }
}

/// How a twin is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// The fabric, by its place in [`FABRICS`].
    pub fabric: usize,
    /// What is done to it.
    pub scenario: Scenario,
    /// How finely it is simulated: as it will be fitted, or finer.
    pub discretisation: Discretisation,
    /// The part of all sights that is lost besides those that are hidden.
    pub missing: f64,
    /// What the noise is drawn with.
    pub seed: u64,
}

impl Recipe {
    /// Made with what a fit uses.
    pub fn same(fabric: usize, scenario: Scenario) -> Self {
        Self { fabric, scenario, discretisation: Discretisation::default(), missing: 0.0, seed: 1 }
    }

    /// Made with half the edges and a quarter of the step.
    pub fn finer(fabric: usize, scenario: Scenario) -> Self {
        let usual = Discretisation::default();
        let discretisation = Discretisation { refinement: 2 * usual.refinement, dt: 0.25 * usual.dt, ..usual };
        Self { discretisation, ..Self::same(fabric, scenario) }
    }

    /// The parameters that it is made with.
    pub fn truth(&self) -> Parameters {
        let (name, [alpha, delta, high]) = FABRICS[self.fabric];
        let density = taffeta::cloth::Material::named(name).map_or(0.2, |material| material.density);
        let mu = if self.scenario == Scenario::TableclothHigh { high } else { 0.0 };
        Parameters { density, alpha, delta, mu, kappa: 0.0, beta: 0.0 }
    }

    /// What the capture is called.
    pub fn id(&self) -> String {
        format!("{}-{}", FABRICS[self.fabric].0, self.scenario)
    }
}

/// What cameras saw of a twin: a capture without noise in its hands, and sights of everything.
pub struct Twin {
    /// How it was made.
    pub recipe: Recipe,
    /// The cloth, with every marker where it was, noise and gaps included.
    pub capture: Capture,
    /// Markers that are not on the cloth: on the table, at the ends of the stick.
    pub others: Vec<OtherMarker>,
}

/// A marker that is not on the cloth.
pub struct OtherMarker {
    /// What it is called.
    pub name: String,
    /// Where it was seen in every frame, m.
    pub sights: Vec<Option<DVec3>>,
}

/// Makes a twin.
///
/// # Errors
///
/// If the cloth cannot be simulated.
pub fn make(recipe: &Recipe) -> Result<Twin, ReplayError> {
    let mut capture = hands::script(recipe);
    // The truth begins at rest; a fit does not know that.
    let discretisation = Discretisation { start: Start::Rest, ..recipe.discretisation };
    let replay = Stage::new(&capture, &discretisation)?.replay(&recipe.truth())?;
    let dice = &mut Rng::with_seed(recipe.seed ^ ((recipe.fabric as u64) << 8) ^ ((recipe.scenario as u64) << 16));
    let others = other_markers(&capture, &replay, dice);
    let hidden = hidden(&capture, &replay, dice);
    for ((frame, simulated), hidden) in capture.frames.iter_mut().zip(&replay.markers).zip(&hidden) {
        for ((place, simulated), hidden) in frame.markers.iter_mut().zip(simulated).zip(hidden) {
            let sight = *simulated + noise(dice);
            let lost = dice.f64() < recipe.missing;
            *place = Some(sight).filter(|_| !hidden && !lost);
        }
    }
    Ok(Twin { recipe: *recipe, capture, others })
}

/// What a camera adds to a place, m.
fn noise(dice: &mut Rng) -> DVec3 {
    DVec3::new(normal(dice), normal(dice), normal(dice)) * NOISE
}

/// Which markers are not seen in which frame: behind the stick, or for no reason, for a tenth of a second or two.
fn hidden(capture: &Capture, replay: &Replay, dice: &mut Rng) -> Vec<Vec<bool>> {
    let frames = capture.frames.len();
    let mut hidden = vec![vec![false; capture.counted.len()]; frames];
    let mut hide = |marker: usize, from: f64, length: f64| {
        let first = (from * RATE).max(0.0) as usize;
        let last = (first + (length * RATE) as usize).min(frames);
        hidden[first.min(frames)..last].iter_mut().for_each(|frame| frame[marker] = true);
    };
    let duration = capture.duration();
    for marker in 0..capture.counted.len() {
        // About once in ten seconds, and never at first.
        for _ in 0..(duration / 10.0 + dice.f64()) as usize {
            hide(marker, 0.2 + dice.f64() * (duration - 0.4), 0.05 + 0.15 * dice.f64());
        }
    }
    for interval in &replay.contacts {
        let body = &capture.obstacles[interval.obstacle].body;
        if matches!(body.motion.travel, taffeta::obstacle::Travel::Still) {
            continue;
        }
        let frame = ((interval.from * RATE) as usize).min(frames - 1);
        for (marker, &place) in replay.markers[frame].iter().enumerate() {
            let near = body.motion.at(interval.from);
            let gap = body.shape.near(near.to_local(place)).gap;
            // Hands are where no stick comes.
            if gap < HIDDEN && dice.f64() < 0.7 && capture.counted[marker] {
                hide(marker, interval.from, (interval.to - interval.from).min(0.3));
            }
        }
    }
    hidden
}

/// The markers of the table and of the stick, as they are seen.
fn other_markers(capture: &Capture, replay: &Replay, dice: &mut Rng) -> Vec<OtherMarker> {
    let mut others = Vec::new();
    for (name, place) in hands::other_markers(capture) {
        let mut sights: Vec<Option<DVec3>> =
            capture.frames.iter().map(|frame| Some(place(frame.time) + noise(dice))).collect();
        for interval in replay.contacts.iter().filter(|_| name.starts_with("stick")) {
            let first = ((interval.from * RATE) as usize + dice.usize(..10)).min(sights.len());
            let last = (first + 6).min(sights.len());
            sights[first..last].fill(None);
        }
        others.push(OtherMarker { name, sights });
    }
    others
}
