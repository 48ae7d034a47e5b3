//! A film in as few bytes as a page needs: what the viewer in `web/` unpacks.
//!
//! Deflated: the length of a JSON header (four bytes, little-endian) and the header, padded to a multiple of four; then, as two
//! bytes each, the coordinates of the nodes by frame and axis, counted in 65 535ths of the box that they stay in; then the
//! channels of the header, forces and the like, by frame and axis, counted in 1 023rds of their range. Every number is written as what it
//! is off the one of the frame before, modulo 2¹⁶: cloth moves little from frame to frame, and what hardly changes packs well.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use glam::DVec3;
use serde_json::{Map, Value, json};
use taffeta::obstacle::{Outline, Pose};

use super::{ExportError, Film, Progress};
use crate::recording::{NOTHING_NEAR, Recording, RecordingError};

/// s. Times of frames are those of the steps they follow, to rounding.
const SLACK: f64 = 1e-9;

/// Steps of a coordinate.
const STEPS: f64 = 65535.0;

/// Steps of what is shown as colours and arrows: more cannot be seen, and take more room.
const CHANNEL_STEPS: f64 = 1023.0;

/// What a page shows besides the frames.
#[derive(Clone, Debug, Default)]
pub struct Caption {
    /// What the page is called.
    pub title: String,
    /// Triangles of the cloth, as it meets itself; if there are none, its quads are cut between their first and third corners.
    pub triangles: Vec<[u32; 3]>,
    /// A box about all that is to be seen, m, if it is known.
    pub stage: Option<[DVec3; 2]>,
    /// The edges of the mesh and their rest lengths, m; empty if they are not known.
    pub edges: Vec<([usize; 2], f64)>,
    /// What tells the recording from another in the same folder.
    pub id: String,
    /// In a recording that another is compared with: the node of that one for each of its own, if it has a partner.
    pub matches: Vec<Option<usize>>,
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
    let channels = channels(film, caption)?;
    let header = header(film, caption, low, high, &channels)?.to_string();

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
    for channel in &channels {
        let mut steps = Differences::new(channel.width * recording.nodes());
        let scale = channel.steps / (channel.high - channel.low);
        for frame in &channel.frames {
            let counted = (0..channel.width).flat_map(|axis| frame.iter().skip(axis).step_by(channel.width));
            // What is too far away to be told has a count of its own.
            let count = |x: f64| if x < NOTHING_NEAR { (x - channel.low) * scale } else { STEPS };
            steps.add(counted.map(|&x| count(x)), &mut bytes);
        }
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

/// Numbers at the nodes, besides their places.
struct Channel {
    name: &'static str,
    /// Numbers at a node.
    width: usize,
    /// What the counts of a number are between, and how many there are.
    low: f64,
    high: f64,
    steps: f64,
    /// The numbers of each frame, node by node.
    frames: Vec<Vec<f64>>,
}

impl Channel {
    /// The numbers of all frames; `None` if they were not recorded.
    fn read(
        name: &'static str,
        width: usize,
        film: &Film,
        of: impl Fn(&Recording, usize) -> Result<Option<Vec<f64>>, RecordingError>,
    ) -> Result<Option<Self>, ExportError> {
        let mut frames = Vec::with_capacity(film.frames().len());
        for &frame in film.frames() {
            let Some(numbers) = of(film.recording(), frame)? else { return Ok(None) };
            frames.push(numbers);
        }
        // What is too far away to be told is no bound.
        let told = frames.iter().flatten().copied().filter(|&x| x < NOTHING_NEAR);
        let (low, high) = told.fold((0.0, 0.0), |(low, high), x| (f64::min(low, x), f64::max(high, x)));
        Ok(Some(Self {
            name,
            width,
            low,
            high: if high > low { high } else { low + 1.0 },
            steps: CHANNEL_STEPS,
            frames,
        }))
    }
}

/// Strains, forces of contact and of hands, tensions, distances and who is held, as far as they are known.
fn channels(film: &Film, caption: &Caption) -> Result<Vec<Channel>, ExportError> {
    let flat = |vectors: Vec<DVec3>| vectors.iter().flat_map(DVec3::to_array).collect::<Vec<f64>>();
    let contact = |recording: &Recording, frame| {
        let sum =
            |[normal, friction]: [Vec<DVec3>; 2]| flat(normal.iter().zip(&friction).map(|(n, f)| *n + *f).collect());
        Ok(recording.contact_forces(frame)?.map(sum))
    };
    let held = |recording: &Recording, frame| {
        Ok(Some(recording.held(frame)?.iter().map(|&held| f64::from(u8::from(held))).collect()))
    };
    // From the recorded places: those of a page are rounded by more than cloth is strained.
    let strain = |recording: &Recording, frame| {
        if caption.edges.is_empty() {
            return Ok(None);
        }
        let positions = recording.positions(frame)?;
        let mut largest = vec![0.0; positions.len()];
        for &([a, b], rest) in &caption.edges {
            let strain = (positions[a].distance(positions[b]) / rest - 1.0).abs();
            [a, b].into_iter().for_each(|node| largest[node] = f64::max(largest[node], strain));
        }
        Ok(Some(largest))
    };
    let all = [
        Channel::read("strain", 1, film, strain)?,
        Channel::read("contact", 3, film, contact)?,
        Channel::read("hand", 3, film, |recording, frame| Ok(recording.held_forces(frame)?.map(flat)))?,
        Channel::read("tension", 1, film, Recording::tensions)?,
        Channel::read("clearance", 1, film, Recording::clearances)?,
        Channel::read("held", 1, film, held)?,
    ];
    Ok(all.into_iter().flatten().collect())
}

fn header(film: &Film, caption: &Caption, low: DVec3, high: DVec3, channels: &[Channel]) -> Result<Value, ExportError> {
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
    let triangles = match (begins, caption.triangles.is_empty()) {
        (false, _) => Vec::new(),
        (true, false) => caption.triangles.clone(),
        (true, true) => film.triangles(),
    };
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
    let over = recording.summary().is_some() || recording.failure().is_some();
    // The steps since the frame before; the last frame has all that follow, if no more frames will.
    let since = if first == 0 { f64::NEG_INFINITY } else { recording.time(first - 1)? };
    let until = if over && last + 1 == recording.frames() { f64::INFINITY } else { recording.time(last)? };
    let steps = recording.reports_between(since + SLACK, until + SLACK)?;
    let (columns, seconds) = recording.reports_of(steps)?;
    let singles = |numbers: &[f64]| numbers.iter().map(|&number| single(number)).collect::<Value>();
    let fields = recording.report_fields().iter().map(String::as_str).zip(&columns);
    let report: Map<String, Value> = fields
        .chain([("step_seconds", &seconds)])
        .map(|(field, numbers)| (field.to_owned(), singles(numbers)))
        .collect();
    Ok(json!({
        "title": caption.title,
        "id": caption.id,
        "first": first,
        "total": recording.frames(),
        "finished": over,
        "failure": recording.failure(),
        "nodes": recording.nodes(),
        "times": film.times(),
        "low": low.to_array(),
        "high": high.to_array(),
        "triangles": triangles.as_flattened(),
        "stage": caption.stage.map(|corners| corners.map(|corner| corner.to_array())),
        "edges": edges.as_flattened(),
        "restLengths": caption.edges.iter().filter(|_| begins).map(|(_, length)| single(*length)).collect::<Vec<_>>(),
        "channels": channels.iter().map(|channel| json!({
            "name": channel.name,
            "width": channel.width,
            "low": channel.low,
            "high": channel.high,
            "steps": channel.steps,
        })).collect::<Vec<_>>(),
        "matches": caption.matches.iter().map(|node| node.map_or(-1, |node| node as i64)).collect::<Vec<_>>(),
        "bodies": bodies,
        "report": report,
    }))
}

/// A number to six digits, which is all that a page shows and half of what it would take.
fn single(number: f64) -> Value {
    format!("{number:.5e}").parse::<f64>().map_or(Value::Null, Value::from)
}
