//! How far simulated markers are from those that were seen.

use glam::DVec3;
use serde::Serialize;

use crate::capture::Capture;
use crate::contact::ContactInterval;
use crate::hem::{Hem, HemSwing};
use crate::replay::Replay;

/// Distances between a capture and its simulation, over the markers that were seen and count, in frames that are not bad.
#[derive(Clone, Debug, Serialize)]
pub struct Errors {
    /// Mean distance, over all markers and frames, m.
    pub mean_m: f64,
    /// Root of the mean square of the distance, m.
    pub rms_m: f64,
    /// `ē`: the mean over frames of √(xᵀ diag(m) x), `x` the distances and `m` the area that each marker stands for, m²: m·m.
    pub area_weighted_m2: f64,
    /// `s̄`: the mean over frames of the standard deviation of the distance over the markers, m.
    pub spatial_sd_m: f64,
    /// Root of the mean square distance in each frame, m; `None` where nothing counts.
    pub frames_m: Vec<Option<f64>>,
    /// Root of the mean square distance of each marker, m; `None` for markers that do not count or were never seen.
    pub markers_m: Vec<Option<f64>>,
    /// The swing of the hem.
    pub hem: HemSwing,
    /// In and after each contact with an obstacle.
    pub contacts: Vec<ContactError>,
}

/// The error in a contact and after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContactError {
    /// When.
    pub interval: ContactInterval,
    /// Root of the mean square distance while it lasts, m; `None` where nothing counts.
    pub during_m: Option<f64>,
    /// The same from then until the next contact begins, or the capture ends.
    pub after_m: Option<f64>,
}

impl Errors {
    /// Compares a capture with its simulation.
    pub fn new(capture: &Capture, replay: &Replay) -> Self {
        let markers = capture.counted.len();
        let (mut per_marker, mut hem) = (vec![(0.0, 0u32); markers], Hem::default());
        let (mut frames_m, mut weighted, mut spreads) = (Vec::new(), Vec::new(), Vec::new());
        let (mut sum, mut squares, mut count) = (0.0, 0.0, 0u32);
        let areas = marker_areas(capture);
        for (frame, simulated) in capture.frames.iter().zip(&replay.markers) {
            let counted = capture.counted.iter().zip(&frame.markers).zip(simulated).enumerate();
            let seen: Vec<(usize, f64)> = counted
                .filter(|(_, ((counted, _), _))| **counted && !frame.bad)
                .filter_map(|(marker, ((_, seen), simulated))| Some((marker, (*seen)?.distance(*simulated))))
                .collect();
            for &(marker, off) in &seen {
                per_marker[marker].0 += off * off;
                per_marker[marker].1 += 1;
                (sum, squares, count) = (sum + off, squares + off * off, count + 1);
            }
            if seen.is_empty() {
                frames_m.push(None);
                continue;
            }
            let n = seen.len() as f64;
            let mean = seen.iter().map(|(_, off)| off).sum::<f64>() / n;
            frames_m.push(Some((seen.iter().map(|(_, off)| off * off).sum::<f64>() / n).sqrt()));
            weighted.push(seen.iter().map(|&(marker, off)| areas[marker] * off * off).sum::<f64>().sqrt());
            spreads.push((seen.iter().map(|(_, off)| (off - mean).powi(2)).sum::<f64>() / n).sqrt());
            look_at_hem(capture, frame.time, &frame.markers, simulated, &mut hem);
        }
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
        let n = f64::from(count.max(1));
        Self {
            mean_m: sum / n,
            rms_m: (squares / n).sqrt(),
            area_weighted_m2: mean(&weighted),
            spatial_sd_m: mean(&spreads),
            markers_m: per_marker
                .into_iter()
                .map(|(squares, count)| (count > 0).then(|| (squares / f64::from(count)).sqrt()))
                .collect(),
            hem: hem.swing(),
            contacts: in_contacts(capture, replay, &frames_m),
            frames_m,
        }
    }
}

/// The errors in and after each contact.
fn in_contacts(capture: &Capture, replay: &Replay, frames_m: &[Option<f64>]) -> Vec<ContactError> {
    let within = |from: f64, to: f64| {
        let times = capture.frames.iter().map(|frame| frame.time).zip(frames_m);
        let squares =
            times.filter(|(time, _)| from < *time && *time <= to + 1e-9).filter_map(|(_, off)| Some((*off)?.powi(2)));
        let (sum, count) = squares.fold((0.0, 0u32), |(sum, count), square| (sum + square, count + 1));
        (count > 0).then(|| (sum / f64::from(count)).sqrt())
    };
    let error = |(k, &interval): (usize, &ContactInterval)| {
        let next = replay.contacts.get(k + 1).map_or(f64::INFINITY, |next| next.from);
        ContactError { interval, during_m: within(interval.from, interval.to), after_m: within(interval.to, next) }
    };
    replay.contacts.iter().enumerate().map(error).collect()
}

/// The middle of the hem in a frame, of the markers that were seen and count, from the middle of the hands.
fn look_at_hem(capture: &Capture, time: f64, seen: &[Option<DVec3>], simulated: &[DVec3], hem: &mut Hem) {
    let hands = capture.held.iter().map(|held| held.path.at(time)).sum::<DVec3>() / capture.held.len() as f64;
    let both: Vec<(DVec3, DVec3)> = capture
        .hem()
        .filter(|&marker| capture.counted[marker])
        .filter_map(|marker| Some((seen[marker]?, simulated[marker])))
        .collect();
    if both.is_empty() {
        return;
    }
    let n = both.len() as f64;
    hem.times.push(time);
    hem.captured.push(both.iter().map(|(x, _)| *x).sum::<DVec3>() / n - hands);
    hem.simulated.push(both.iter().map(|(_, x)| *x).sum::<DVec3>() / n - hands);
}

/// The area that each marker of the grid stands for, m².
fn marker_areas(capture: &Capture) -> Vec<f64> {
    let cell = |k: usize, count: usize, size: f64| {
        let whole = size / (count - 1).max(1) as f64;
        if k == 0 || k + 1 == count { 0.5 * whole } else { whole }
    };
    let (columns, rows) = (capture.columns(), capture.rows());
    let area = |marker: usize| {
        cell(marker % columns, columns, capture.size[0]) * cell(marker / columns, rows, capture.size[1])
    };
    (0..columns * rows).map(area).collect()
}
