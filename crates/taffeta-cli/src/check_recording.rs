//! `taffeta check-recording`: whether the cloth of a recording passes through itself.

use anyhow::anyhow;
use serde::Serialize;
use taffeta::cloth::Cloth;
use taffeta::collide::{Gap, Intersection, Rings, Surface, self_gaps, self_intersections};
use taffeta_io::recording::Recording;
use taffeta_io::scene::Scene;

use crate::failure::Failure;
use crate::options::CheckRecordingOptions;
use crate::output::{frame_bar, say, table};

/// Gaps are looked for up to this part of the mean edge: wider ones are no news, the mesh itself has them.
const REACH: f64 = 0.5;

/// What was found in one frame.
#[derive(Debug, Serialize)]
struct Finding {
    frame: usize,
    time_s: f64,
    /// Edges that meet a triangle.
    self_intersections: usize,
    /// Smallest distance of parts that share no node; null if more than the reach.
    min_self_gap_m: Option<f64>,
    /// The same, of parts that are not close along the cloth either.
    min_layer_gap_m: Option<f64>,
    max_edge_strain: f64,
    /// The first edge that meets a triangle, by their nodes.
    first_intersection: Option<Pair>,
}

/// An edge and a triangle.
#[derive(Debug, Serialize)]
struct Pair {
    edge: [usize; 2],
    triangle: [usize; 3],
}

/// What was found in all frames.
#[derive(Debug, Serialize)]
struct Findings {
    recording: String,
    triangles: usize,
    /// Gaps wider than this are not told, m.
    reach_m: f64,
    intersecting_frames: usize,
    first_intersecting_frame: Option<usize>,
    max_self_intersections: usize,
    min_self_gap_m: Option<f64>,
    min_layer_gap_m: Option<f64>,
    max_edge_strain: f64,
    frames: Vec<Finding>,
}

/// Looks at every frame; fails if there is an intersection in any.
pub fn check_recording(options: &CheckRecordingOptions) -> Result<(), Failure> {
    let recording = Recording::open(&options.recording).map_err(Failure::recording)?;
    let inspector = Inspector::new(&recording, options)?;
    let bar = frame_bar(recording.frames() as u64, !options.quiet);
    let mut frames = Vec::with_capacity(recording.frames());
    for frame in 0..recording.frames() {
        frames.push(inspector.look(&recording, frame)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let findings = inspector.findings(options, frames);
    if options.json {
        say(&(serde_json::to_string_pretty(&findings).map_err(Failure::run)? + "\n"))?;
    } else {
        say(&text(&findings))?;
    }
    match verdict(&findings) {
        None => Ok(()),
        Some(verdict) => Err(Failure::Found(verdict)),
    }
}

/// The cloth of a recording, and what is asked of it.
struct Inspector {
    cloth: Cloth,
    surface: Surface,
    rings: Rings,
    reach: f64,
}

impl Inspector {
    /// The cloth is that of the scene in the recording: only there is its rest shape.
    fn new(recording: &Recording, options: &CheckRecordingOptions) -> Result<Self, Failure> {
        let file = options.recording.join("scene.toml");
        let scene = Scene::from_text("scene", recording.scene_toml(), Some(&file))?;
        let cloth = scene.build()?.model().cloth().clone();
        if cloth.mesh().node_count() != recording.nodes() || cloth.mesh().elements() != recording.elements() {
            return Err(Failure::input(anyhow!(
                "{} is of another mesh than {}: if the scene's mesh file has changed since, bring back the one that was run",
                options.recording.display(),
                file.display()
            )));
        }
        let lengths = cloth.rest_lengths();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        let (surface, rings) = (cloth.surface().clone(), Rings::new(cloth.surface()));
        Ok(Self { cloth, surface, rings, reach: REACH * mean })
    }

    fn look(&self, recording: &Recording, frame: usize) -> Result<Finding, Failure> {
        let positions = recording.positions(frame).map_err(Failure::recording)?;
        if let Some(node) = positions.iter().position(|x| !x.is_finite()) {
            return Err(Failure::input(anyhow!(
                "frame {frame}: node {node} is at {}: the recording is damaged",
                positions[node]
            )));
        }
        let intersections = self_intersections(&positions, &self.surface);
        let gaps = self_gaps(&positions, &self.surface, self.reach);
        let layers = gaps.iter().filter(|gap| !gap.parts.are_neighbours(&self.rings));
        let pair = |i: &Intersection| Pair { edge: i.edge, triangle: i.triangle };
        Ok(Finding {
            frame,
            time_s: recording.time(frame).map_err(Failure::recording)?,
            self_intersections: intersections.len(),
            min_self_gap_m: smallest(gaps.iter()),
            min_layer_gap_m: smallest(layers),
            max_edge_strain: self.cloth.edge_strains(&positions).map(f64::abs).fold(0.0, f64::max),
            first_intersection: intersections.first().map(pair),
        })
    }

    fn findings(&self, options: &CheckRecordingOptions, frames: Vec<Finding>) -> Findings {
        let bad = || frames.iter().filter(|finding| finding.self_intersections > 0);
        let least = |gap: fn(&Finding) -> Option<f64>| frames.iter().filter_map(gap).min_by(f64::total_cmp);
        Findings {
            recording: options.recording.display().to_string(),
            triangles: self.surface.triangles().len(),
            reach_m: self.reach,
            intersecting_frames: bad().count(),
            first_intersecting_frame: bad().next().map(|finding| finding.frame),
            max_self_intersections: frames.iter().map(|finding| finding.self_intersections).max().unwrap_or(0),
            min_self_gap_m: least(|finding| finding.min_self_gap_m),
            min_layer_gap_m: least(|finding| finding.min_layer_gap_m),
            max_edge_strain: frames.iter().map(|finding| finding.max_edge_strain).fold(0.0, f64::max),
            frames,
        }
    }
}

fn smallest<'a>(gaps: impl Iterator<Item = &'a Gap>) -> Option<f64> {
    gaps.map(|gap| gap.distance).min_by(f64::total_cmp)
}

/// The findings as a person reads them, with the frame that each extreme is in.
fn text(findings: &Findings) -> String {
    let gap = |least: Option<f64>, of: fn(&Finding) -> Option<f64>| match least {
        None => format!("more than {:.3} mm in all frames", findings.reach_m * 1e3),
        Some(least) => {
            let frame = findings.frames.iter().find(|finding| of(finding) == Some(least)).map_or(0, |f| f.frame);
            format!("{:.4} mm, in frame {frame}", least * 1e3)
        }
    };
    let stretched = findings.frames.iter().find(|finding| finding.max_edge_strain == findings.max_edge_strain);
    let strain =
        format!("{:.4} %, in frame {}", 100.0 * findings.max_edge_strain, stretched.map_or(0, |finding| finding.frame));
    let intersections = match findings.first_intersecting_frame {
        None => "none".to_owned(),
        Some(first) => format!(
            "in {} frames, first in frame {first}; {} at most",
            findings.intersecting_frames, findings.max_self_intersections
        ),
    };
    table(&[
        ("frames", findings.frames.len().to_string()),
        ("triangles", findings.triangles.to_string()),
        ("self-intersections", intersections),
        ("smallest self gap", gap(findings.min_self_gap_m, |finding| finding.min_self_gap_m)),
        ("smallest layer gap", gap(findings.min_layer_gap_m, |finding| finding.min_layer_gap_m)),
        ("largest edge strain", strain),
    ])
}

/// Names the first frame with an intersection.
fn verdict(findings: &Findings) -> Option<anyhow::Error> {
    let first = findings.frames.iter().find(|finding| finding.self_intersections > 0)?;
    let Pair { edge: [p, q], triangle: [a, b, c] } = first.first_intersection.as_ref()?;
    Some(anyhow!(
        "the cloth passes through itself in frame {} ({:.3} s): the edge of nodes {p} and {q} meets the triangle of nodes {a}, {b} and {c}\nlook at it with: taffeta render {} --frame {} --png frame.png",
        first.frame,
        first.time_s,
        findings.recording,
        first.frame
    ))
}
