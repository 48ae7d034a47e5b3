//! How far the bottom of the valley moves if everything that chance decided is drawn again: the bootstrap of residuals.
//!
//! A replicate is what the cameras might have seen of the cloth that was found. Blocks of successive frames, as long as their errors
//! remember each other, have their residuals turned round or not (the wild bootstrap: large errors stay where they are large). The
//! noise of hands, of obstacles and of the first frames, which goes through a simulation, is drawn again; so is what small changes
//! of a parameter do without being asked, where cloth folds by chance. The bottom of a replicate is gone to with the slopes of the
//! one that was found.

use fastrand::Rng;
use glam::DVec3;
use nalgebra::DMatrix;
use rayon::prelude::*;
use taffeta::Keyframes;
use taffeta::obstacle::Travel;

use super::Effort;
use super::polish::{Bottom, free, normal_equations, step, within};
use super::problem::{Counter, Problem, residuals, rms};
use crate::capture::Capture;
use crate::dice::normal;
use crate::replay::Stage;
use crate::smooth::smooth;
use crate::spline::Spline;
use crate::start::first_glance;

/// Frames in a block, at least, and in so many blocks a capture is cut, at least.
const SHORTEST: usize = 10;
const FEWEST: usize = 8;

/// Steps to the bottom of a replicate.
const STEPS: usize = 2;

/// What became of the replicates.
pub struct Replicates {
    /// By how much their values are off those that were found: a row for each.
    pub off: DMatrix<f64>,
    /// How many could not be simulated, and tell only what residuals do.
    pub failed: usize,
}

/// Draws everything again, so often.
pub fn replicates(problem: &Problem, bottom: &Bottom, effort: &Effort, counter: &Counter) -> Replicates {
    let (matrix, _) = normal_equations(&bottom.slopes.jacobian, &bottom.residuals);
    let blocks = block_lengths(problem, &bottom.residuals);
    let noisy = problem.captures().any(|capture| capture.held.iter().any(|held| held.noise > 0.0));
    // A step that stays within the ranges, from some values.
    let toward = |values: &[f64], residuals: &[f64]| {
        let (_, gradient) = normal_equations(&bottom.slopes.jacobian, residuals);
        let free = free(problem, values, &gradient);
        within(problem, values, &step(&matrix, &gradient, &free, 0.0))
    };
    let drawn: Vec<(Vec<f64>, bool)> = (0..effort.replicates)
        .into_par_iter()
        .map(|k| {
            let dice = &mut Rng::with_seed(effort.seed.wrapping_mul(1_000_003).wrapping_add(k as u64));
            let mut drawn = redrawn(problem, &bottom.residuals, &blocks, dice);
            for rough in bottom.slopes.roughness.column_iter() {
                let weight = normal(dice);
                drawn.iter_mut().zip(rough.iter()).for_each(|(drawn, rough)| *drawn += weight * rough);
            }
            if !noisy {
                return (toward(&bottom.values, &drawn), true);
            }
            let captures: Vec<Capture> = problem.captures().map(|capture| with_noise(capture, dice)).collect();
            // What was seen in this replicate, minus what is simulated of it with some values.
            let residuals = |values: &[f64]| {
                let found = simulated(problem, &captures, values)?;
                counter.note(rms(&bottom.residuals));
                let off = found.iter().zip(&bottom.residuals).zip(&drawn);
                Some(off.map(|((found, before), drawn)| found - before + drawn).collect::<Vec<f64>>())
            };
            match descend(&bottom.values, toward, residuals) {
                Some(values) => (values, true),
                None => (toward(&bottom.values, &drawn), false),
            }
        })
        .collect();
    let off = DMatrix::from_fn(drawn.len(), bottom.values.len(), |row, k| drawn[row].0[k] - bottom.values[k]);
    Replicates { off, failed: drawn.iter().filter(|(_, simulated)| !simulated).count() }
}

/// For how many frames the errors of each capture remember each other.
fn block_lengths(problem: &Problem, residuals: &[f64]) -> Vec<usize> {
    let mut start = 0;
    problem
        .frames()
        .iter()
        .map(|frames| {
            // The mean residual of each frame, along x, y and z.
            let means: Vec<DVec3> = frames
                .iter()
                .map(|&count| {
                    let own = &residuals[start..start + count];
                    start += count;
                    own.chunks_exact(3).map(DVec3::from_slice).sum::<DVec3>() / (count / 3).max(1) as f64
                })
                .collect();
            let most = (frames.len() / FEWEST).max(1);
            let lag = |lag: usize| means.iter().zip(&means[lag..]).map(|(a, b)| a.dot(*b)).sum::<f64>();
            let whole = lag(0).max(f64::MIN_POSITIVE);
            // The first lag at which next to nothing is remembered, twice.
            let forgotten = (1..most).find(|&k| lag(k) < 0.1 * whole).unwrap_or(most);
            (2 * forgotten).clamp(SHORTEST.min(most), most)
        })
        .collect()
}

/// The residuals, turned round in some blocks of successive frames.
fn redrawn(problem: &Problem, residuals: &[f64], blocks: &[usize], dice: &mut Rng) -> Vec<f64> {
    let mut drawn = residuals.to_vec();
    let mut rest = &mut drawn[..];
    for (frames, &block) in problem.frames().iter().zip(blocks) {
        for block in frames.chunks(block) {
            let (own, behind) = std::mem::take(&mut rest).split_at_mut(block.iter().sum());
            if dice.bool() {
                own.iter_mut().for_each(|residual| *residual = -*residual);
            }
            rest = behind;
        }
    }
    drawn
}

/// The bottom of a replicate, near the one that was found; `None` if it cannot be simulated there.
fn descend(
    begin: &[f64],
    toward: impl Fn(&[f64], &[f64]) -> Vec<f64>,
    residuals: impl Fn(&[f64]) -> Option<Vec<f64>>,
) -> Option<Vec<f64>> {
    let (mut values, mut found) = (begin.to_vec(), residuals(begin)?);
    for k in 0..STEPS {
        let next = toward(&values, &found);
        match residuals(&next).filter(|lower| rms(lower) < rms(&found)) {
            Some(lower) => (values, found) = (next, lower),
            // Where not even the first step goes down, the slopes are all that is known.
            None if k == 0 => return Some(next),
            None => break,
        }
    }
    Some(values)
}

/// Seen minus simulated, with other hands and another start; `None` if that cannot be simulated.
fn simulated(problem: &Problem, captures: &[Capture], values: &[f64]) -> Option<Vec<f64>> {
    let mut all = Vec::new();
    for (k, (stage, noisy)) in problem.stages().iter().zip(captures).enumerate() {
        let noisy = Stage::new(noisy, &stage.discretisation).ok()?;
        all.extend(residuals(stage.capture, &noisy.replay(&problem.with(k, values)).ok()?));
    }
    Some(all)
}

/// The same capture with as much noise again in its hands and in the frames in which it begins.
fn with_noise(capture: &Capture, dice: &mut Rng) -> Capture {
    let mut noisy = capture.clone();
    let cutoff = capture.held.iter().map(|held| held.cutoff).fold(f64::INFINITY, f64::min);
    let deviation = capture.held.iter().map(|held| held.noise).sum::<f64>() / capture.held.len().max(1) as f64;
    let mut noise = |deviation: f64| {
        let mut normal =
            || (-2.0 * dice.f64().max(f64::MIN_POSITIVE).ln()).sqrt() * (std::f64::consts::TAU * dice.f64()).cos();
        DVec3::new(normal(), normal(), normal()) * deviation
    };
    for held in &mut noisy.held {
        let times = held.path.times().to_vec();
        let added: Vec<Option<DVec3>> = times.iter().map(|_| Some(noise(held.noise))).collect();
        let Some(added) = smooth(&times, &added, held.cutoff) else { continue };
        let places = times.iter().zip(added).map(|(&time, added)| held.path.at(time) + added).collect();
        if let Some(path) = Spline::new(times, places) {
            held.path = path;
        }
    }
    for obstacle in &mut noisy.obstacles {
        if let Travel::Keyframes(Keyframes { times, values: poses, .. }) = &mut obstacle.body.motion.travel {
            // The middle of two markers.
            let added: Vec<Option<DVec3>> = times.iter().map(|_| Some(noise(deviation / 2f64.sqrt()))).collect();
            let added = smooth(times, &added, cutoff).unwrap_or_default();
            poses.iter_mut().zip(added).for_each(|(pose, added)| pose.translation += added);
        }
    }
    let glance = first_glance(&capture.frames).len();
    for frame in &mut noisy.frames[..glance] {
        frame.markers.iter_mut().flatten().for_each(|place| *place += noise(deviation));
    }
    noisy
}
