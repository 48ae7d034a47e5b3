//! A film in as few bytes as a page needs: what the viewer in `web/` unpacks.
//!
//! Deflated: the length of a JSON header (four bytes, little-endian) and the header, padded to a multiple of four; then, as two
//! bytes each, the coordinates of the nodes by frame and axis, counted in 65 535ths of the box that they stay in; then the
//! magnitudes of contact forces by frame, in 65 535ths of the largest. Every number is written as what it is off the one of the frame
//! before, modulo 2¹⁶: cloth moves little from frame to frame, and what hardly changes packs well.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use glam::DVec3;
use serde_json::{Map, Value, json};
use taffeta::obstacle::{Outline, Pose};

use super::{ExportError, Film, Progress};

/// s. Times of frames are those of the steps they follow, to rounding.
const SLACK: f64 = 1e-9;

/// Steps of a coordinate.
const STEPS: f64 = 65535.0;

/// What a page shows besides the frames.
#[derive(Clone, Debug, Default)]
pub struct Caption {
    /// What the page is called.
    pub title: String,
    /// The edges of the mesh and their rest lengths, m; empty if they are not known.
    pub edges: Vec<([usize; 2], f64)>,
    /// What tells the recording from another in the same folder.
    pub id: String,
}

/// How much trouble to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// For a file that is to be mailed.
    Small,
    /// For a page on the same machine.
    Fast,
}

/// Packs a film for the viewer.
///
/// # Errors
///
/// If the recording cannot be read.
pub fn pack(film: &Film, caption: &Caption, effort: Effort, progress: Progress) -> Result<Vec<u8>, ExportError> {
    let recording = film.recording();
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &frame in film.frames() {
        (low, high) = film.positions(frame)?.iter().fold((low, high), |(low, high), &x| (low.min(x), high.max(x)));
    }
    let forces = forces(film)?;
    let largest = forces.as_ref().map(|forces| forces.iter().flatten().copied().fold(0.0, f64::max));
    let header = header(film, caption, low, high, largest)?.to_string();

    let mut bytes = (header.len() as u32).to_le_bytes().to_vec();
    bytes.extend_from_slice(header.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(4), b' ');
    let mut places = Differences::new(3 * recording.nodes());
    let scale = (high - low).max(DVec3::splat(f64::MIN_POSITIVE)).recip() * STEPS;
    for &frame in film.frames() {
        let positions = film.positions(frame)?;
        let counted = (0..3).flat_map(|axis| positions.iter().map(move |x| (x[axis] - low[axis]) * scale[axis]));
        places.add(counted, &mut bytes);
        progress();
    }
    if let (Some(forces), Some(largest)) = (&forces, largest) {
        let mut steps = Differences::new(recording.nodes());
        let scale = if largest > 0.0 { STEPS / largest } else { 0.0 };
        forces.iter().for_each(|frame| steps.add(frame.iter().map(|force| force * scale), &mut bytes));
    }
    // Writing to memory does not fail.
    let level = match effort {
        Effort::Small => Compression::best(),
        Effort::Fast => Compression::fast(),
    };
    let mut deflated = DeflateEncoder::new(Vec::new(), level);
    let packed = deflated.write_all(&bytes).and_then(|()| deflated.finish());
    Ok(packed.unwrap_or_default())
}

/// Counts as what they are off those of the frame before.
struct Differences {
    last: Vec<u16>,
}

impl Differences {
    fn new(width: usize) -> Self {
        Self { last: vec![0; width] }
    }

    fn add(&mut self, counted: impl Iterator<Item = f64>, bytes: &mut Vec<u8>) {
        for (last, number) in self.last.iter_mut().zip(counted) {
            let count = number.round().clamp(0.0, STEPS) as u16;
            bytes.extend_from_slice(&count.wrapping_sub(*last).to_le_bytes());
            *last = count;
        }
    }
}

/// The magnitude of the force of all contacts on every node, frame by frame, N; `None` if none was recorded.
fn forces(film: &Film) -> Result<Option<Vec<Vec<f64>>>, ExportError> {
    let mut all = Vec::with_capacity(film.frames().len());
    for &frame in film.frames() {
        let Some([normal, friction]) = film.recording().contact_forces(frame)? else { return Ok(None) };
        all.push(normal.iter().zip(&friction).map(|(n, f)| (*n + *f).length()).collect());
    }
    Ok(Some(all))
}

fn header(film: &Film, caption: &Caption, low: DVec3, high: DVec3, largest: Option<f64>) -> Result<Value, ExportError> {
    let recording = film.recording();
    let known = !caption.edges.is_empty();
    let sides = || {
        let sides = film.elements().iter().flat_map(|element| {
            let corners = element.nodes();
            (0..corners.len()).map(move |k| [corners[k], corners[(k + 1) % corners.len()]])
        });
        let mut sides: Vec<[usize; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        sides.sort_unstable();
        sides.dedup();
        sides
    };
    // What all frames share is told with the first.
    let begins = film.frames()[0] == 0;
    let edges = match (begins, known) {
        (false, _) => Vec::new(),
        (true, true) => caption.edges.iter().map(|(edge, _)| *edge).collect(),
        (true, false) => sides(),
    };
    let bodies: Vec<Value> = film
        .props()
        .iter()
        .zip(film.poses()?)
        .map(|(prop, poses)| {
            let outline = if begins { prop.outline.clone() } else { Outline::default() };
            let still = poses.iter().all(|pose| *pose == poses[0]);
            let poses = &poses[..if still { 1 } else { poses.len() }];
            let pose = |p: &Pose| [p.translation.to_array().to_vec(), p.rotation.to_array().to_vec()].concat();
            json!({
                "name": prop.name,
                "positions": outline.positions.iter().flat_map(|x| x.as_vec3().to_array()).collect::<Vec<_>>(),
                "triangles": outline.triangles.as_flattened(),
                "poses": poses.iter().map(pose).collect::<Vec<_>>(),
            })
        })
        .collect();
    let (first, last) = (film.frames()[0], film.frames()[film.frames().len() - 1]);
    // The steps since the frame before; the last frame has all that follow.
    let since = if first == 0 { f64::NEG_INFINITY } else { recording.time(first - 1)? };
    let until = if last + 1 == recording.frames() { f64::INFINITY } else { recording.time(last)? };
    let mut report = Map::new();
    let ends = recording.report_field("time_s").unwrap_or_default();
    for field in recording.report_fields() {
        let numbers = recording.report_field(field)?;
        let told = numbers.iter().zip(&ends).filter(|(_, end)| **end > since + SLACK && **end <= until + SLACK);
        report.insert(field.clone(), told.map(|(&number, _)| single(number)).collect());
    }
    Ok(json!({
        "title": caption.title,
        "id": caption.id,
        "first": first,
        "total": recording.frames(),
        "finished": recording.summary().is_some() || recording.failure().is_some(),
        "nodes": recording.nodes(),
        "times": film.times(),
        "low": low.to_array(),
        "high": high.to_array(),
        "triangles": if begins { film.triangles() } else { Vec::new() }.as_flattened(),
        "edges": edges.as_flattened(),
        "restLengths": caption.edges.iter().filter(|_| begins).map(|(_, length)| single(*length)).collect::<Vec<_>>(),
        "largestForce": largest,
        "bodies": bodies,
        "report": report,
    }))
}

/// A number to six digits, which is all that a page shows and half of what it would take.
fn single(number: f64) -> Value {
    format!("{number:.5e}").parse::<f64>().map_or(Value::Null, Value::from)
}
