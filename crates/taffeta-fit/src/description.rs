//! A capture as a TOML file describes it: which file holds the markers, which of them are where on the cloth, what was in its way.

mod obstacle;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::DVec3;
use serde::Deserialize;
use taffeta::cloth::Material;

use crate::capture::{Capture, CaptureFrame, HeldMarker};
use crate::markers::{self, Trajectories, Up};
use crate::parameter::Parameters;
use crate::read_error::{ReadError, text};
use crate::replay::{Discretisation, Start};
use crate::smooth::smooth;
use crate::spline::Spline;

/// Hz. Hands do not move faster; noise does.
const CUTOFF: f64 = 10.0;

/// Frames a second, at least.
const FEWEST: f64 = 2.0;

/// Of the rate of the frames: slower cut-offs cannot be computed well.
const SLOWEST: f64 = 1.0 / 250.0;

/// s. For so long a hand is followed that is not seen, between two sights and at the ends.
const LONGEST_GAP: f64 = 0.3;
const LONGEST_WAIT: f64 = 0.05;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    id: Option<String>,
    cloth: ClothPart,
    markers: MarkersPart,
    #[serde(default)]
    simulation: SimulationPart,
    #[serde(default)]
    obstacle: BTreeMap<String, obstacle::ObstaclePart>,
    truth: Option<TruthPart>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClothPart {
    size_m: [f64; 2],
    fabric: Option<String>,
    density_kg_m2: Option<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkersPart {
    file: PathBuf,
    grid: [usize; 2],
    /// In the order of the grid, row by row from the free hem.
    names: Option<Vec<String>>,
    held: Vec<Marker>,
    #[serde(default)]
    left_out: Vec<Marker>,
    #[serde(default)]
    bad_frames: Vec<usize>,
    unit: Option<String>,
    up: Option<Up>,
    cutoff_hz: Option<f64>,
}

/// A marker of the cloth: by its number in the grid, or by its name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Marker {
    Number(usize),
    Name(String),
}

/// What a twin was made with; captures of real cloth have none.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TruthPart {
    alpha: f64,
    delta: f64,
    mu: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SimulationPart {
    refinement: Option<usize>,
    dt_s: Option<f64>,
    start: Option<Start>,
    self_contact: Option<bool>,
}

/// Reads the capture that a TOML file describes.
///
/// # Errors
///
/// If a file cannot be read, or does not say what it should.
pub fn read(path: &Path) -> Result<Capture, ReadError> {
    let content = |why: String| ReadError::content(path, why);
    let about: Description = toml::from_str(&text(path)?).map_err(|error| content(error.to_string()))?;
    let part = &about.markers;
    let unit = match &part.unit {
        Some(name) => Some(
            markers::unit_named(name)
                .ok_or_else(|| content(format!("markers.unit is {name:?}: give \"m\", \"cm\", \"mm\" or \"in\"")))?,
        ),
        None => None,
    };
    let file = path.parent().unwrap_or(Path::new("")).join(&part.file);
    let mut seen = markers::read(&file, unit)?;
    seen.turn_upright(part.up.unwrap_or(seen.up));
    if let Some(k) = part.bad_frames.iter().find(|&&k| k >= seen.frames.len()) {
        return Err(content(format!(
            "markers.bad_frames names {k}, and there are {} frames, from 0",
            seen.frames.len()
        )));
    }
    // Nothing that is wrong moves a hand or an obstacle.
    part.bad_frames.iter().for_each(|&k| seen.forget(k));
    about.capture(path, &seen).map_err(content)
}

impl Description {
    fn capture(&self, path: &Path, seen: &Trajectories) -> Result<Capture, String> {
        let part = &self.markers;
        let span = seen.times.last().zip(seen.times.first()).map_or(0.0, |(last, first)| last - first);
        let rate = seen.times.len().saturating_sub(1) as f64 / span.max(f64::MIN_POSITIVE);
        if seen.times.len() > 1 && rate < FEWEST {
            return Err(format!(
                "there are {rate:.2} frames a second, too few to follow cloth: are the times in seconds?"
            ));
        }
        let cutoff = part.cutoff_hz.unwrap_or(CUTOFF.min(0.5 * rate));
        if seen.times.len() > 4 && !(SLOWEST * rate..=rate).contains(&cutoff) {
            return Err(format!(
                "markers.cutoff_hz is {cutoff}: of {rate:.1} frames a second give {:.3} to {rate:.1}",
                SLOWEST * rate
            ));
        }
        let columns = self.columns(seen)?;
        let frames: Vec<CaptureFrame> = seen
            .times
            .iter()
            .zip(&seen.frames)
            .enumerate()
            .map(|(k, (&time, places))| {
                let markers = columns.iter().map(|&column| places[column]).collect();
                CaptureFrame { time, markers, bad: part.bad_frames.contains(&k) }
            })
            .collect();
        let mut counted = vec![true; columns.len()];
        for marker in &part.left_out {
            counted[self.number(marker, "left_out", columns.len())?] = false;
        }
        let mut held = Vec::new();
        for marker in &part.held {
            let number = self.number(marker, "held", columns.len())?;
            if held.iter().any(|held: &HeldMarker| held.marker == number) {
                return Err(format!("markers.held has marker {number} twice"));
            }
            counted[number] = false;
            held.push(hand(number, seen, columns[number], cutoff)?);
        }
        let id = self.id.clone().or_else(|| Some(path.file_stem()?.to_string_lossy().into_owned()));
        let usual = Discretisation::default();
        let SimulationPart { refinement, dt_s, start, self_contact } = self.simulation;
        Ok(Capture {
            id: id.unwrap_or_default(),
            grid: part.grid,
            size: self.cloth.size_m,
            held,
            frames,
            counted,
            density: self.density()?,
            obstacles: obstacle::captured(&self.obstacle, seen, &columns, cutoff)?,
            truth: self.truth.map(|TruthPart { alpha, delta, mu }| {
                let unknown = Parameters::default();
                Parameters { alpha, delta, mu: mu.unwrap_or(unknown.mu), ..unknown }
            }),
            discretisation: Discretisation {
                refinement: refinement.unwrap_or(usual.refinement),
                dt: dt_s.unwrap_or(usual.dt),
                start: start.unwrap_or(usual.start),
                self_contact: self_contact.unwrap_or(usual.self_contact),
            },
        })
    }

    fn density(&self) -> Result<Option<f64>, String> {
        match (&self.cloth.fabric, self.cloth.density_kg_m2) {
            (Some(_), Some(_)) => Err("cloth has both fabric and density_kg_m2: give one of them".to_owned()),
            (Some(name), None) => match Material::named(name) {
                Some(material) => Ok(Some(material.density)),
                None => Err(format!(
                    "cloth.fabric is {name:?}: give {}, or density_kg_m2",
                    taffeta::cloth::FABRICS.map(|(name, _)| name).join(", ")
                )),
            },
            (None, Some(density)) if !(density > 0.0 && density.is_finite()) => {
                Err(format!("cloth.density_kg_m2 is {density}: give a positive number"))
            }
            (None, density) => Ok(density),
        }
    }

    /// The columns of the file in which the markers of the grid are.
    fn columns(&self, seen: &Trajectories) -> Result<Vec<usize>, String> {
        let [columns, rows] = self.markers.grid;
        let count = columns.saturating_mul(rows);
        let known = || seen.names.join(", ");
        match &self.markers.names {
            None if count > seen.names.len() => Err(format!(
                "markers.grid has {columns} × {rows} markers, and {} has {}: {}",
                self.markers.file.display(),
                seen.names.len(),
                known()
            )),
            None => Ok((0..count).collect()),
            Some(names) if names.len() != count => {
                Err(format!("markers.names has {} names, and markers.grid {columns} × {rows} markers", names.len()))
            }
            Some(names) => {
                if let Some(twice) = (1..count).find(|&k| names[..k].contains(&names[k])) {
                    return Err(format!("markers.names has {:?} twice", names[twice]));
                }
                let find = |name: &String| {
                    seen.marker(name).ok_or_else(|| {
                        format!("markers.names has {name:?}, and {} has {}", self.markers.file.display(), known())
                    })
                };
                names.iter().map(find).collect()
            }
        }
    }

    /// The number in the grid of a marker that a list names.
    fn number(&self, marker: &Marker, list: &str, count: usize) -> Result<usize, String> {
        match marker {
            Marker::Number(number) if *number < count => Ok(*number),
            Marker::Number(number) => {
                Err(format!("markers.{list} has {number}, and the grid has markers 0 to {}", count.saturating_sub(1)))
            }
            Marker::Name(name) => {
                let names = self.markers.names.as_deref().unwrap_or_default();
                names.iter().position(|known| known == name).ok_or_else(|| {
                    format!("markers.{list} has {name:?}, which is not one of markers.names: name it there, or give its number in the grid")
                })
            }
        }
    }
}

/// The path of a marker that is held.
fn hand(marker: usize, seen: &Trajectories, column: usize, cutoff: f64) -> Result<HeldMarker, String> {
    let name = &seen.names[column];
    let places: Vec<Option<DVec3>> = seen.frames.iter().map(|frame| frame[column]).collect();
    let (Some(&begin), Some(&end)) = (seen.times.first(), seen.times.last()) else {
        return Err("there are no frames".to_owned());
    };
    let sights: Vec<f64> = seen.times.iter().zip(&places).filter(|(_, x)| x.is_some()).map(|(&time, _)| time).collect();
    let (Some(&first), Some(&last)) = (sights.first(), sights.last()) else {
        return Err(format!("held marker {name:?} was never seen"));
    };
    let within = sights.windows(2).map(|two| (two[0], two[1], LONGEST_GAP));
    for (from, to, longest) in within.chain([(begin, first, LONGEST_WAIT), (last, end, LONGEST_WAIT)]) {
        // Times are rounded.
        if to - from > longest + 1e-6 {
            return Err(format!(
                "held marker {name:?} was not seen from {from:.3} to {to:.3} s: nobody knows where the hand was, cut the capture there"
            ));
        }
    }
    let smoothed = smooth(&seen.times, &places, cutoff).ok_or_else(|| {
        format!("the path of held marker {name:?} cannot be freed from noise: give another markers.cutoff_hz")
    })?;
    let noise = noise(&seen.times, &places, &smoothed, cutoff);
    let path = Spline::new(seen.times.clone(), smoothed).ok_or("times must ascend: sort the rows")?;
    Ok(HeldMarker { marker, path, noise, cutoff })
}

/// Standard deviation of the noise in each direction, by what was taken out of the places, m.
fn noise(times: &[f64], places: &[Option<DVec3>], smoothed: &[DVec3], cutoff: f64) -> f64 {
    let squares = places.iter().zip(smoothed).filter_map(|(seen, path)| Some((*seen)?.distance_squared(*path)));
    let (sum, count) = squares.fold((0.0, 0usize), |(sum, count), square| (sum + square, count + 1));
    let span = times.last().zip(times.first()).map_or(0.0, |(last, first)| last - first);
    let rate = times.len() as f64 / span.max(f64::MIN_POSITIVE);
    // Noise below the cut-off is left in the path.
    let taken_out = (1.0 - 2.0 * cutoff / rate).clamp(0.2, 1.0);
    (sum / (3.0 * count.max(1) as f64 * taken_out)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_description_is_one() {
        let page = include_str!("../../../docs/captures.md");
        let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let about: Description = toml::from_str(example).unwrap();
        assert_eq!((about.markers.grid, about.obstacle.len()), ([4, 5], 1));
    }
}
