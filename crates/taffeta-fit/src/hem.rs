//! The swing of the free hem: what tells models apart where mean errors do not.

use glam::{DMat3, DVec3};
use serde::Serialize;

/// The middle of a hem, seen from the middle of the hands, over time.
#[derive(Clone, Debug, Default)]
pub struct Hem {
    /// When, s.
    pub times: Vec<f64>,
    /// As it was seen, m.
    pub captured: Vec<DVec3>,
    /// As it was simulated at the same times, m.
    pub simulated: Vec<DVec3>,
}

/// How well the swings agree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HemSwing {
    /// Pearson's correlation of the displacements along the main direction of the captured swing; 0 where nothing swings.
    pub correlation: f64,
    /// Standard deviation of the captured displacement, m.
    pub captured_sd_m: f64,
    /// The same of the simulated one.
    pub simulated_sd_m: f64,
    /// The frequency at which the captured hem swings most, Hz; 0 where nothing swings.
    pub frequency_hz: f64,
    /// Its amplitude at that frequency, m.
    pub captured_amplitude_m: f64,
    /// The amplitude of the simulated hem at that frequency, m.
    pub simulated_amplitude_m: f64,
    /// By how much the simulated swing is behind, rad, from −π to π.
    pub lag_rad: f64,
}

/// Hz. The slowest and the fastest swing that is looked for, and how finely.
const FREQUENCIES: [f64; 2] = [0.2, 4.0];
const FINENESS: f64 = 0.01;

impl Hem {
    /// Compares the swings along the direction in which the captured hem moves most.
    pub fn swing(&self) -> HemSwing {
        let centred = |path: &[DVec3]| {
            let mean = path.iter().sum::<DVec3>() / path.len().max(1) as f64;
            path.iter().map(|&x| x - mean).collect::<Vec<_>>()
        };
        let (captured, simulated) = (centred(&self.captured), centred(&self.simulated));
        let axis = main_direction(&captured);
        let along = |path: &[DVec3]| path.iter().map(|x| x.dot(axis)).collect::<Vec<f64>>();
        let (a, b) = (along(&captured), along(&simulated));
        let n = a.len().max(1) as f64;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() / n;
        let [sd_a, sd_b] = [dot(&a, &a).sqrt(), dot(&b, &b).sqrt()];
        let correlation = if sd_a > 0.0 && sd_b > 0.0 { dot(&a, &b) / (sd_a * sd_b) } else { 0.0 };
        let waves = (0..).map(|k| FREQUENCIES[0] + FINENESS * f64::from(k)).take_while(|f| *f <= FREQUENCIES[1]);
        let waves = waves.filter_map(|frequency| Some((frequency, Wave::of(&self.times, &a, frequency)?)));
        let strongest = waves.max_by(|(_, one), (_, other)| one.amplitude.total_cmp(&other.amplitude));
        let swing = HemSwing {
            correlation,
            captured_sd_m: sd_a,
            simulated_sd_m: sd_b,
            frequency_hz: 0.0,
            captured_amplitude_m: 0.0,
            simulated_amplitude_m: 0.0,
            lag_rad: 0.0,
        };
        let both =
            strongest.and_then(|(frequency, wave)| Some((frequency, wave, Wave::of(&self.times, &b, frequency)?)));
        let Some((frequency_hz, seen, simulated)) = both.filter(|_| sd_a > 0.0 && sd_b > 0.0) else { return swing };
        let turn = std::f64::consts::TAU;
        HemSwing {
            frequency_hz,
            captured_amplitude_m: seen.amplitude,
            simulated_amplitude_m: simulated.amplitude,
            lag_rad: (seen.phase - simulated.phase + 1.5 * turn).rem_euclid(turn) - 0.5 * turn,
            ..swing
        }
    }
}

/// `amplitude · cos(2π·frequency·t + phase)`, the one nearest to given numbers at given times.
struct Wave {
    amplitude: f64,
    phase: f64,
}

impl Wave {
    fn of(times: &[f64], numbers: &[f64], frequency: f64) -> Option<Self> {
        let (mut cc, mut ss, mut cs, mut cx, mut sx) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (t, x) in times.iter().zip(numbers) {
            let (s, c) = (std::f64::consts::TAU * frequency * t).sin_cos();
            (cc, ss, cs, cx, sx) = (cc + c * c, ss + s * s, cs + c * s, cx + c * x, sx + s * x);
        }
        let determinant = cc * ss - cs * cs;
        let span = times.last()? - times.first()?;
        // Over less than half a period a wave cannot be told from a drift.
        if span * frequency < 0.5 || determinant <= 0.0 {
            return None;
        }
        let (a, b) = ((ss * cx - cs * sx) / determinant, (cc * sx - cs * cx) / determinant);
        Some(Self { amplitude: a.hypot(b), phase: (-b).atan2(a) })
    }
}

/// The direction of the largest variance, by iterating with the covariance.
fn main_direction(path: &[DVec3]) -> DVec3 {
    let outer = |x: &DVec3| DMat3::from_cols(*x * x.x, *x * x.y, *x * x.z);
    let covariance = path.iter().map(outer).fold(DMat3::ZERO, |sum, square| sum + square);
    // Not along an axis of symmetry of any likely swing.
    let start = DVec3::new(0.61, 0.72, 0.33);
    (0..200).fold(start, |direction, _| (covariance * direction).normalize_or(direction))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swings_are_compared_along_the_captured_one() {
        let axis = DVec3::new(0.6, -0.8, 0.0);
        let wave = |phase: f64, amplitude: f64| {
            let place = move |k: i32| axis * (amplitude * (f64::from(k) * 0.1 + phase).sin()) + DVec3::Z * 7.0;
            // Whole periods: 628 steps of 0.1 are ten.
            (0..628).map(place).collect::<Vec<_>>()
        };
        let sideways: Vec<DVec3> = (0..628).map(|k| DVec3::Z * f64::from(k)).collect();
        // The argument of the waves is 2π · 0.8 Hz · t.
        let times: Vec<f64> = (0..628).map(|k| f64::from(k) * 0.1 / (std::f64::consts::TAU * 0.8)).collect();
        let hem = Hem { times, captured: wave(0.0, 0.05), simulated: wave(-0.5, 0.03) };
        let swing = hem.swing();
        assert!((swing.frequency_hz - 0.8).abs() < 5e-3 && (swing.lag_rad - 0.5).abs() < 1e-2, "{swing:?}");
        let amplitudes = [swing.captured_amplitude_m - 0.05, swing.simulated_amplitude_m - 0.03];
        assert!(amplitudes.iter().all(|off| off.abs() < 1e-3), "{swing:?}");
        assert!((swing.correlation - 0.5f64.cos()).abs() < 1e-3, "{swing:?}");
        assert!((swing.captured_sd_m - 0.05 / 2f64.sqrt()).abs() < 1e-4, "{swing:?}");
        assert!((swing.simulated_sd_m - 0.03 / 2f64.sqrt()).abs() < 1e-4, "{swing:?}");
        let across = Hem { times: Vec::new(), captured: wave(0.0, 0.05), simulated: sideways }.swing();
        assert!(across.correlation.abs() < 1e-9 && across.simulated_sd_m < 1e-9, "{across:?}");
        assert_eq!(Hem::default().swing().correlation, 0.0);
        // A drift over a seventh of a second is no wave, whenever it is.
        for begin in [0.0, 100.3] {
            let times: Vec<f64> = (0..15).map(|k| begin + 0.01 * f64::from(k)).collect();
            let drift: Vec<DVec3> = (0..15).map(|k| DVec3::X * (1e-3 * f64::from(k))).collect();
            let hem = Hem { times, captured: drift.clone(), simulated: drift };
            assert!(hem.swing().captured_amplitude_m < 0.02, "{:?}", hem.swing());
        }
    }
}
