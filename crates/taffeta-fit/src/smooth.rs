//! A jerk-limited path through noisy places: what cameras saw of a hand, as a hand can have moved.
//!
//! Of all paths it is the one with the least `Σ |xₖ − yₖ|² + λ ∫ |x‴|² dt`. A motion of frequency `f` passes with the gain
//! `1/(1 + (f/f_c)⁶)`; where nothing was seen, the path goes on with as little jerk as it can.

use glam::DVec3;

/// Coefficients of the band below the diagonal.
const BAND: usize = 3;

/// Smooths places at ascending times; `None` where nothing was seen. The cut-off frequency `f_c` is in Hz.
///
/// Fewer than five places cannot be told from their noise: gaps between them are bridged linearly. `None` if nothing was seen, or the
/// cut-off is so low that the path cannot be computed.
pub fn smooth(times: &[f64], seen: &[Option<DVec3>], cutoff: f64) -> Option<Vec<DVec3>> {
    let known: Vec<(f64, DVec3)> = times.iter().zip(seen).filter_map(|(&t, place)| Some((t, (*place)?))).collect();
    let span = known.last()?.0 - known.first()?.0;
    if known.len() <= BAND + 1 || span <= 0.0 {
        return fill(times, seen);
    }
    let rate = (known.len() - 1) as f64 / span;
    let lambda = rate / (std::f64::consts::TAU * cutoff).powi(6);
    let mut matrix: Vec<[f64; BAND + 1]> =
        seen.iter().map(|place| [f64::from(u8::from(place.is_some())), 0.0, 0.0, 0.0]).collect();
    for k in 0..times.len() - BAND {
        let (weights, length) = third_derivative(&times[k..=k + BAND]);
        for i in 0..=BAND {
            for j in 0..=i {
                // Entry (k + i, k + j) is kept at the later of the two, by how far the other is before it.
                matrix[k + i][i - j] += lambda * length * weights[i] * weights[j];
            }
        }
    }
    // From the first place on: far from the origin rounding counts for more.
    let origin = known[0].1;
    let right = seen.iter().map(|place| place.map_or(DVec3::ZERO, |place| place - origin)).collect();
    let smoothed: Vec<DVec3> = solve(matrix, right)?.into_iter().map(|place| place + origin).collect();
    Some(smoothed).filter(|smoothed| smoothed.iter().all(|place| place.is_finite()))
}

/// Bridges gaps linearly; before the first place and after the last it rests. `None` if nothing was seen.
pub fn fill(times: &[f64], seen: &[Option<DVec3>]) -> Option<Vec<DVec3>> {
    let mut known = times.iter().zip(seen).filter_map(|(&t, place)| Some((t, (*place)?))).peekable();
    let mut before = *known.peek()?;
    let mut after = before;
    let places = times.iter().map(|&t| {
        while after.0 < t {
            before = after;
            match known.next() {
                Some(next) => after = next,
                None => break,
            }
        }
        let part = if after.0 > before.0 { ((t - before.0) / (after.0 - before.0)).clamp(0.0, 1.0) } else { 0.0 };
        before.1.lerp(after.1, part)
    });
    Some(places.collect())
}

/// The weights of four places in their third derivative, which is constant between them, and for how long it is counted.
fn third_derivative(times: &[f64]) -> ([f64; BAND + 1], f64) {
    let weight = |i: usize| {
        let others = (0..=BAND).filter(|&j| j != i);
        6.0 / others.map(|j| times[i] - times[j]).product::<f64>()
    };
    (std::array::from_fn(weight), (times[BAND] - times[0]) / BAND as f64)
}

/// Solves a positive definite system of a narrow band, by Cholesky's method: `matrix[k][d]` is the entry in row `k` and column `k − d`; `None` if it is not
/// positive definite.
fn solve(mut matrix: Vec<[f64; BAND + 1]>, mut x: Vec<DVec3>) -> Option<Vec<DVec3>> {
    for k in 0..matrix.len() {
        for d in (0..=BAND.min(k)).rev() {
            let column = k - d;
            // Σ L(k, m) L(column, m) over the columns m that both rows have.
            let first = k.saturating_sub(BAND);
            let sum: f64 = (first..column).map(|m| matrix[k][k - m] * matrix[column][column - m]).sum();
            let rest = matrix[k][d] - sum;
            if d == 0 && rest <= 0.0 {
                return None;
            }
            matrix[k][d] = if d == 0 { rest.sqrt() } else { rest / matrix[column][0] };
        }
    }
    for k in 0..x.len() {
        let sum = (1..=BAND.min(k)).map(|d| matrix[k][d] * x[k - d]).sum::<DVec3>();
        x[k] = (x[k] - sum) / matrix[k][0];
    }
    for k in (0..x.len()).rev() {
        let last = (k + BAND).min(x.len() - 1);
        let sum = (k + 1..=last).map(|m| matrix[m][m - k] * x[m]).sum::<DVec3>();
        x[k] = (x[k] - sum) / matrix[k][0];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times() -> Vec<f64> {
        (0..400).map(|k| 0.01 * f64::from(k)).collect()
    }

    fn wave(times: &[f64], frequency: f64) -> Vec<Option<DVec3>> {
        times.iter().map(|t| Some(DVec3::X * (std::f64::consts::TAU * frequency * t).sin())).collect()
    }

    #[test]
    fn slow_motion_passes_and_fast_motion_does_not() {
        let times = times();
        for (frequency, gain) in [(1.0, 1.0), (5.0, 1.0 / (1.0 + 0.5f64.powi(6))), (10.0, 0.5), (20.0, 1.0 / 65.0)] {
            let seen = wave(&times, frequency);
            let smoothed = smooth(&times, &seen, 10.0).unwrap();
            // Away from the ends, where the amplitude is found by comparing with the wave itself.
            let within = 100..300;
            let dot =
                |a: &dyn Fn(usize) -> f64, b: &dyn Fn(usize) -> f64| within.clone().map(|k| a(k) * b(k)).sum::<f64>();
            let of_seen = |k: usize| seen[k].unwrap().x;
            let found = dot(&|k| smoothed[k].x, &of_seen) / dot(&of_seen, &of_seen);
            // The wave is sampled, so the gain of differences is that of derivatives only far below half the rate.
            assert!((found - gain).abs() < 0.05, "{frequency} Hz: {found} and not {gain}");
        }
    }

    #[test]
    fn parabolas_pass_whatever_is_missing_and_however_often_they_are_seen() {
        let times: Vec<f64> = (0..200).map(|k| 0.01 * f64::from(k) + 0.003 * f64::from(k % 3)).collect();
        let parabola = |t: f64| DVec3::new(1.0 + 2.0 * t - 3.0 * t * t, t, 0.5 * t * t);
        let seen: Vec<Option<DVec3>> = times
            .iter()
            .enumerate()
            .map(|(k, &t)| Some(parabola(t)).filter(|_| !(50..75).contains(&k) && k > 4 && k % 7 != 0))
            .collect();
        for (&t, found) in times.iter().zip(smooth(&times, &seen, 10.0).unwrap()) {
            assert!(found.distance(parabola(t)) < 1e-6, "{t}: {found}");
        }
    }

    #[test]
    fn noise_is_taken_out() {
        let (times, mut dice) = (times(), fastrand::Rng::with_seed(7));
        let truth: Vec<DVec3> = wave(&times, 0.5).into_iter().flatten().collect();
        let seen: Vec<Option<DVec3>> = truth.iter().map(|x| Some(*x + DVec3::X * 1e-4 * (dice.f64() - 0.5))).collect();
        let smoothed = smooth(&times, &seen, 10.0).unwrap();
        // Mean square of what the noise adds to the acceleration, away from the ends.
        let added = |place: &dyn Fn(usize) -> DVec3| {
            let off = |k: usize| place(k) - truth[k];
            (20..380).map(|k| (off(k + 1) - 2.0 * off(k) + off(k - 1)).length_squared() / 1e-8).sum::<f64>() / 360.0
        };
        let (before, after) = (added(&|k| seen[k].unwrap()), added(&|k| smoothed[k]));
        assert!(after < 0.02 * before, "{before} (m/s²)² and then {after}");
    }

    #[test]
    fn gaps_are_bridged_by_lines() {
        let (a, b) = (DVec3::X, DVec3::new(3.0, 2.0, 0.0));
        let seen = [None, Some(a), None, Some(b), None];
        let found = fill(&[0.0, 1.0, 2.0, 3.0, 4.0], &seen).unwrap();
        assert_eq!(found, [a, a, DVec3::new(2.0, 1.0, 0.0), b, b]);
        assert_eq!(fill(&[0.0], &[None]), None);
        assert_eq!(smooth(&[0.0, 1.0], &[Some(a), None], 10.0).unwrap(), [a, a]);
        assert_eq!(smooth(&[0.0], &[None], 10.0), None);
    }
}
