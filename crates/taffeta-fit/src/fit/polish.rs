//! From near the bottom of a valley to the bottom, by the method of Levenberg and Marquardt within the parameters' ranges.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::problem::{Counter, HOPELESS, Problem, rms};
use crate::replay::ReplayError;

/// Lengths that are tried of every step.
pub const TRIALS: usize = 4;

/// A step is the last if it changes no parameter by more than this part of what is felt.
const SMALL: f64 = 0.02;

/// The bottom of a valley.
pub struct Bottom {
    pub values: Vec<f64>,
    /// Seen minus simulated there, m.
    pub residuals: Vec<f64>,
    /// How what is simulated changes with every parameter, and what of it is not linear.
    pub slopes: Slopes,
}

impl Bottom {
    /// Root of the mean square distance there, m.
    pub fn rms_m(&self) -> f64 {
        rms(&self.residuals)
    }
}

/// How what is simulated changes with every parameter, a column for each.
pub struct Slopes {
    /// Change per unit.
    pub jacobian: DMatrix<f64>,
    /// What is left of the change over what is felt: half of what steps to both sides do not agree about, m. Where cloth folds by
    /// chance it is much; where nothing does it is a little curvature.
    pub roughness: DMatrix<f64>,
}

/// Goes down from some values.
pub fn polish(problem: &Problem, begin: Vec<f64>, steps: usize, counter: &Counter) -> Result<Bottom, ReplayError> {
    let mut values = begin;
    let mut residuals = problem.residuals(&values)?;
    let mut damping = 1e-3;
    for _ in 0..steps {
        let slopes = slopes(problem, &values, &residuals, counter);
        let (normal, gradient) = normal_equations(&slopes.jacobian, &residuals);
        let free = free(problem, &values, &gradient);
        let trials: Vec<Vec<f64>> = (0..TRIALS)
            .map(|k| {
                let step = step(&normal, &gradient, &free, damping * 10f64.powi(2 * k as i32 - 2));
                within(problem, &values, &step)
            })
            .collect();
        let found: Vec<(f64, Option<Vec<f64>>)> = trials
            .par_iter()
            .map(|trial| {
                let found = problem.residuals(trial).ok();
                let error = found.as_ref().map_or(HOPELESS, |found| rms(found));
                counter.note(error);
                (error, found)
            })
            .collect();
        let Some(best) = (0..TRIALS).min_by(|&a, &b| found[a].0.total_cmp(&found[b].0)) else { break };
        damping = (damping * 10f64.powi(2 * best as i32 - 2)).clamp(1e-9, 1e6);
        let error = rms(&residuals);
        let Some(lower) = found.into_iter().nth(best).and_then(|(_, found)| found).filter(|found| rms(found) < error)
        else {
            // Nothing is lower along any of the steps: as good as the differences tell.
            return Ok(Bottom { values, residuals, slopes });
        };
        let felt = problem.parameters().iter().zip(&values).map(|(parameter, &value)| parameter.step(value));
        let moved = felt.zip(values.iter().zip(&trials[best])).all(|(felt, (a, b))| (a - b).abs() < SMALL * felt);
        (values, residuals) = (trials[best].clone(), lower);
        if moved {
            break;
        }
    }
    let slopes = slopes(problem, &values, &residuals, counter);
    Ok(Bottom { values, residuals, slopes })
}

/// The slopes by differences over what is felt: to both sides where the range allows it.
fn slopes(problem: &Problem, values: &[f64], residuals: &[f64], counter: &Counter) -> Slopes {
    let mut ends: Vec<[f64; 2]> = problem
        .parameters()
        .iter()
        .zip(values)
        .map(|(parameter, &value)| {
            let ([low, high], step) = (parameter.range(), parameter.step(value));
            [(value - step).max(low), (value + step).min(high)]
        })
        .collect();
    let sides: Vec<(usize, f64)> = ends.iter().enumerate().flat_map(|(k, [a, b])| [(k, *a), (k, *b)]).collect();
    let found: Vec<Option<Vec<f64>>> = sides
        .par_iter()
        .map(|&(k, value)| {
            if value == values[k] {
                return Some(residuals.to_vec());
            }
            let mut trial = values.to_vec();
            trial[k] = value;
            let found = problem.residuals(&trial).ok();
            counter.note(found.as_ref().map_or(HOPELESS, |found| rms(found)));
            found
        })
        .collect();
    // A side on which nothing can be simulated tells nothing: the difference is that to the other side.
    let found: Vec<Vec<f64>> = sides
        .iter()
        .zip(found)
        .enumerate()
        .map(|(at, (&(k, _), found))| {
            found.unwrap_or_else(|| {
                ends[k][at % 2] = values[k];
                residuals.to_vec()
            })
        })
        .collect();
    let width = |k: usize| (ends[k][1] - ends[k][0]).max(f64::MIN_POSITIVE);
    let jacobian = DMatrix::from_fn(residuals.len(), values.len(), |row, k| {
        // Residuals are seen minus simulated.
        (found[2 * k][row] - found[2 * k + 1][row]) / width(k)
    });
    let roughness = DMatrix::from_fn(residuals.len(), values.len(), |row, k| {
        // Where the value is between the two; at an end of its range it is one of them, and nothing is known.
        let part = (values[k] - ends[k][0]) / width(k);
        residuals[row] - found[2 * k][row] * (1.0 - part) - found[2 * k + 1][row] * part
    });
    Slopes { jacobian, roughness }
}

/// `JᵀJ` and `Jᵀr`.
pub fn normal_equations(jacobian: &DMatrix<f64>, residuals: &[f64]) -> (DMatrix<f64>, DVector<f64>) {
    let right = DVector::from_column_slice(residuals);
    (jacobian.tr_mul(jacobian), jacobian.tr_mul(&right))
}

/// Which parameters may move: not those at an end of their range that would leave it.
pub fn free(problem: &Problem, values: &[f64], gradient: &DVector<f64>) -> Vec<bool> {
    let all = problem.parameters().iter().zip(values).zip(gradient.iter());
    all.map(|((parameter, &value), &down)| {
        let [low, high] = parameter.range();
        !(value <= low && down < 0.0 || value >= high && down > 0.0)
    })
    .collect()
}

/// `(JᵀJ + λ diag(JᵀJ))⁻¹ Jᵀr` of the free parameters.
pub fn step(normal: &DMatrix<f64>, gradient: &DVector<f64>, free: &[bool], damping: f64) -> DVector<f64> {
    let count = gradient.len();
    let matrix = DMatrix::from_fn(count, count, |i, j| match (i == j, free[i] && free[j]) {
        (true, true) if normal[(i, i)] > 0.0 => normal[(i, i)] * (1.0 + damping),
        (true, _) => 1.0,
        (false, true) => normal[(i, j)],
        (false, false) => 0.0,
    });
    let right = DVector::from_fn(count, |i, _| if free[i] { gradient[i] } else { 0.0 });
    matrix.cholesky().map_or_else(|| DVector::zeros(count), |factor| factor.solve(&right))
}

/// Values after a step, within their ranges.
pub fn within(problem: &Problem, values: &[f64], step: &DVector<f64>) -> Vec<f64> {
    let all = problem.parameters().iter().zip(values).zip(step.iter());
    all.map(|((parameter, value), step)| {
        let [low, high] = parameter.range();
        (value + step).clamp(low, high)
    })
    .collect()
}
