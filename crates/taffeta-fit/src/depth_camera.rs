//! Captures in the layout of a depth camera that fits a grid to the cloth in every picture.
//!
//! `<id>.json` describes the cloth and the grid; `<id>_mesh.csv` has a row for every picture: `t, x0, y0, z0, x1, …`, markers row by row from
//! the free hem to the held edge, `nan` where there was no depth; `<id>_held.csv` has the places of the held markers, three columns each.

use std::fs;
use std::path::{Path, PathBuf};

use glam::DVec3;
use serde::Deserialize;

use crate::capture::{Capture, CaptureFrame, HeldMarker};
use crate::read_error::{ReadError, text};
use crate::replay::{Discretisation, Start};
use crate::spline::Spline;

/// Edges across the cloth that are enough: finer meshes change the mean error by less than a millimetre.
const ACROSS: usize = 12;

/// Rows and columns of a grid, at most.
const MOST: usize = 1000;

/// s. Hands rest where they are not told; for longer than this they must be.
const UNTOLD: f64 = 0.5;

/// What is told of a capture besides its markers.
#[derive(Clone, Debug, Deserialize)]
struct Description {
    id: String,
    cloth: Size,
    grid: Grid,
    held: Held,
    #[serde(default)]
    bad_frame_rows: Vec<usize>,
}

#[derive(Clone, Debug, Deserialize)]
struct Size {
    width_m: f64,
    height_m: f64,
}

#[derive(Clone, Debug, Deserialize)]
struct Grid {
    rows: usize,
    cols: usize,
}

#[derive(Clone, Debug, Deserialize)]
struct Held {
    nodes: Vec<usize>,
}

/// Reads all captures of a folder, in the order of their names.
///
/// # Errors
///
/// If there are none, or one of them cannot be read.
pub fn read_folder(folder: &Path) -> Result<Vec<Capture>, ReadError> {
    let list = fs::read_dir(folder).map_err(|cause| ReadError::file(folder, cause))?;
    let mut files: Vec<PathBuf> = list.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    if files.is_empty() {
        let why = "there is no capture in it: give a folder of TOML files that describe captures, or with <id>.json, <id>_mesh.csv and <id>_held.csv".to_owned();
        return Err(ReadError::content(folder, why));
    }
    files.iter().map(|path| read(path)).collect()
}

/// Reads the capture that a JSON file describes.
///
/// # Errors
///
/// If a file cannot be read, or does not say what it should.
pub fn read(path: &Path) -> Result<Capture, ReadError> {
    let content = |path: &Path, why: String| ReadError::content(path, why);
    let about: Description = serde_json::from_str(&text(path)?).map_err(|error| content(path, error.to_string()))?;
    let beside = |kind: &str| path.with_file_name(format!("{}_{kind}.csv", about.id));
    let (mesh, hands) = (beside("mesh"), beside("held"));
    if about.grid.cols.max(about.grid.rows) > MOST {
        let why = format!(
            "grid has {} rows and {} columns: at most {MOST} of each can be read",
            about.grid.rows, about.grid.cols
        );
        return Err(content(path, why));
    }
    let markers = about.grid.cols * about.grid.rows;
    let frames = table(&mesh, 1 + 3 * markers, true)?.into_iter().enumerate().map(|(k, row)| {
        let place = |xyz: &[f64]| Some(DVec3::from_slice(xyz)).filter(|place| place.is_finite());
        let markers = row[1..].chunks_exact(3).map(place).collect();
        CaptureFrame { time: row[0], markers, bad: about.bad_frame_rows.contains(&k) }
    });
    let frames: Vec<CaptureFrame> = frames.collect();
    let rows = table(&hands, 1 + 3 * about.held.nodes.len(), false)?;
    if rows.is_empty() {
        return Err(content(&hands, "it has no rows: give the places of the held markers".to_owned()));
    }
    let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    let held = about.held.nodes.iter().enumerate().map(|(k, &marker)| {
        if marker >= markers {
            return Err(content(path, format!("held.nodes names {marker}, and the grid has {markers} markers")));
        }
        let places = rows.iter().map(|row| DVec3::from_slice(&row[1 + 3 * k..4 + 3 * k])).collect();
        let path_of = Spline::new(times.clone(), places);
        let path_of = path_of.ok_or_else(|| content(&hands, "its times must ascend: sort its rows".to_owned()))?;
        // The robot's own joints tell where it is.
        Ok(HeldMarker { marker, path: path_of, noise: 0.0, cutoff: f64::INFINITY })
    });
    let held = held.collect::<Result<Vec<_>, ReadError>>()?;
    check_covered(&times, &frames).map_err(|why| content(&hands, why))?;
    // The grid is rounded off at the corners of the cloth, and its upper edge is in the hands.
    let corner = |marker: usize| marker == 0 || marker + 1 == about.grid.cols;
    let upper = |marker: usize| marker / about.grid.cols.max(1) + 1 == about.grid.rows;
    Ok(Capture {
        id: about.id.clone(),
        grid: [about.grid.cols, about.grid.rows],
        size: [about.cloth.width_m, about.cloth.height_m],
        held,
        frames,
        counted: (0..markers).map(|k| !corner(k) && !upper(k) && !about.held.nodes.contains(&k)).collect(),
        density: None,
        obstacles: Vec::new(),
        truth: None,
        // Grids are too rough to begin from, and the cloth hangs still at first; swung in the air it does not meet itself.
        discretisation: Discretisation {
            refinement: ACROSS.div_ceil(about.grid.cols.saturating_sub(1).max(1)),
            start: Start::Rest,
            self_contact: false,
            ..Discretisation::default()
        },
    })
}

/// Refuses hands that are not told for some of the frames.
fn check_covered(times: &[f64], frames: &[CaptureFrame]) -> Result<(), String> {
    let (Some(&from), Some(&to)) = (times.first(), times.last()) else { return Ok(()) };
    match frames.iter().find(|frame| frame.time < from - UNTOLD || frame.time > to + UNTOLD) {
        Some(frame) => {
            Err(format!("it tells of the hands from {from} to {to} s, and there is a frame at {} s", frame.time))
        }
        None => Ok(()),
    }
}

/// The rows of a table below its header, of so many numbers each; `nan` is one of them only where there may be gaps.
fn table(path: &Path, width: usize, gaps: bool) -> Result<Vec<Vec<f64>>, ReadError> {
    let wrong = |line: usize, why: String| ReadError::content(path, format!("line {line}: {why}"));
    let text = text(path)?;
    let mut rows = Vec::new();
    for (k, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells.len() != width {
            return Err(wrong(
                k + 1,
                format!("it has {} cells where {width} are needed: a time, and x, y, z of every marker", cells.len()),
            ));
        }
        let number = |(column, cell): (usize, &&str)| match cell.parse::<f64>() {
            Ok(number) if number.is_finite() || (gaps && column > 0 && number.is_nan()) => Ok(number),
            _ => Err(wrong(k + 1, format!("column {}: {cell:?} is not a number", column + 1))),
        };
        rows.push(cells.iter().enumerate().map(number).collect::<Result<Vec<f64>, _>>()?);
    }
    Ok(rows)
}
