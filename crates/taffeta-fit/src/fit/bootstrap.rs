//! How far the bottom of the valley moves if everything that chance decided is drawn again: the bootstrap of residuals.
//!
//! A replicate is what the cameras might have seen of the cloth that was found: blocks of successive frames, as long as their errors
//! remember each other, have their residuals turned round or not (the wild bootstrap: large errors stay where they are large), and

use fastrand::Rng;
use glam::DVec3;
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use taffeta::obstacle::Travel;

use super::polish::{Bottom, normal_equations};
use super::problem::{Counter, Problem, residuals, rms};
use super::{Effort, FitError};
use crate::capture::Capture;
use crate::dice::normal;
use crate::replay::Stage;
use crate::smooth::smooth;
use crate::spline::Spline;

/// Frames in a block, at least, and in so many blocks a capture is cut, at least.
const SHORTEST: usize = 10;
const FEWEST: usize = 8;

/// Steps to the bottom of a replicate.
const STEPS: usize = 2;

/// Hz. What is left of the noise of hands after they were smoothed.
const CUTOFF: f64 = 10.0;

/// By how much each replicate's values are off those that were found: one row for each.
pub fn replicates(
    problem: &Problem,
    bottom: &Bottom,
    effort: &Effort,
    counter: &Counter,
) -> Result<DMatrix<f64>, FitError> {
    let (matrix, _) = normal_equations(&bottom.slopes.jacobian, &bottom.residuals);
    let inverse = pseudo_inverse(&matrix);
    let blocks = block_lengths(problem, &bottom.residuals);
    let noisy = problem.captures().any(|capture| capture.held.iter().any(|held| held.noise > 0.0));
    let rows: Vec<DVector<f64>> = (0..effort.replicates)
        .into_par_iter()
        .map(|k| {
            let dice = &mut Rng::with_seed(effort.seed.wrapping_mul(1_000_003).wrapping_add(k as u64));
            let mut drawn = redrawn(problem, &bottom.residuals, &blocks, dice);
            for rough in bottom.slopes.roughness.column_iter() {
                let weight = normal(dice);
                drawn.iter_mut().zip(rough.iter()).for_each(|(drawn, rough)| *drawn += weight * rough);
            }
            let toward = |residuals: &[f64]| &inverse * normal_equations(&bottom.slopes.jacobian, residuals).1;
            if !noisy {
                return toward(&drawn);
            }
            let captures: Vec<Capture> = problem.captures().map(|capture| with_noise(capture, dice)).collect();
            // What was seen in this replicate, minus what is simulated of it with some values.
            let residuals = |values: &[f64]| {
                let found = simulated(problem, &captures, values);
                counter.note(rms(&bottom.residuals));
                let off = found.iter().zip(&bottom.residuals).zip(&drawn);
                off.map(|((found, before), drawn)| found - before + drawn).collect::<Vec<f64>>()
            };
            descend(problem, bottom, toward, residuals)
        })
        .collect();
    let count = problem.parameters().len();
    Ok(DMatrix::from_fn(rows.len(), count, |row, k| rows[row][k]))
}

/// The inverse of a symmetric matrix; directions that it does not know stay as they are.
fn pseudo_inverse(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    // Scaled, because parameters have units.
    let scale = DVector::from_fn(matrix.nrows(), |i, _| 1.0 / matrix[(i, i)].max(f64::MIN_POSITIVE).sqrt());
    let scaled = DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i, j)] * scale[i] * scale[j]);
    let inverse = scaled.clone().pseudo_inverse(1e-12).unwrap_or(scaled);
    DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| inverse[(i, j)] * scale[i] * scale[j])
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

/// How far the bottom of a replicate is from the one that was found.
fn descend(
    problem: &Problem,
    bottom: &Bottom,
    toward: impl Fn(&[f64]) -> DVector<f64>,
    residuals: impl Fn(&[f64]) -> Vec<f64>,
) -> DVector<f64> {
    let mut best = DVector::zeros(bottom.values.len());
    let mut found = residuals(&bottom.values);
    for _ in 0..STEPS {
        // Values beyond an end of their range are simulated at that end: the interval is cut there, too.
        let next = &best + toward(&found);
        let values: Vec<f64> = problem
            .parameters()
            .iter()
            .zip(&bottom.values)
            .zip(next.iter())
            .map(|((parameter, value), step)| {
                let [low, high] = parameter.range();
                (value + step).clamp(low, high)
            })
            .collect();
        let lower = residuals(&values);
        if rms(&lower) >= rms(&found) {
            break;
        }
        (best, found) = (DVector::from_fn(values.len(), |k, _| values[k] - bottom.values[k]), lower);
    }
    best
}

/// Seen minus simulated, with other hands and another start; what cannot be simulated is as it was.
fn simulated(problem: &Problem, captures: &[Capture], values: &[f64]) -> Vec<f64> {
    let mut all = Vec::new();
    for (k, (stage, noisy)) in problem.stages().iter().zip(captures).enumerate() {
        let replay = |stage: &Stage| stage.replay(&problem.with(k, values));
        let found =
            Stage::new(noisy, &stage.discretisation).and_then(|noisy| replay(&noisy)).or_else(|_| replay(stage));
        let count = problem.frames()[k].iter().sum();
        all.extend(found.map_or_else(|_| vec![0.0; count], |found| residuals(stage.capture, &found)));
    }
    all
}

/// The same capture with as much noise again in its hands and in the frames in which it begins.
fn with_noise(capture: &Capture, dice: &mut Rng) -> Capture {
    let mut noisy = capture.clone();
    let deviation = capture.held.iter().map(|held| held.noise).sum::<f64>() / capture.held.len().max(1) as f64;
    let mut noise = |deviation: f64| {
        let mut normal =
            || (-2.0 * dice.f64().max(f64::MIN_POSITIVE).ln()).sqrt() * (std::f64::consts::TAU * dice.f64()).cos();
        DVec3::new(normal(), normal(), normal()) * deviation
    };
    for held in &mut noisy.held {
        let times = held.path.times().to_vec();
        let added: Vec<Option<DVec3>> = times.iter().map(|_| Some(noise(held.noise))).collect();
        let Some(added) = smooth(&times, &added, CUTOFF) else { continue };
        let places = times.iter().zip(added).map(|(&time, added)| held.path.at(time) + added).collect();
        if let Some(path) = Spline::new(times, places) {
            held.path = path;
        }
    }
    for obstacle in &mut noisy.obstacles {
        if let Travel::Keyframes { times, poses, .. } = &mut obstacle.body.motion.travel {
            // The middle of two markers.
            let added: Vec<Option<DVec3>> = times.iter().map(|_| Some(noise(deviation / 2f64.sqrt()))).collect();
            let added = smooth(times, &added, CUTOFF).unwrap_or_default();
            poses.iter_mut().zip(added).for_each(|(pose, added)| pose.translation += added);
        }
    }
    let begin = capture.frames[0].time;
    for frame in noisy.frames.iter_mut().take_while(|frame| frame.time <= begin + 0.2) {
        frame.markers.iter_mut().flatten().for_each(|place| *place += noise(deviation));
    }
    noisy
}
