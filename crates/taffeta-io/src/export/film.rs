//! What is exported: some frames of a recording, and what stands around the cloth.

use glam::DVec3;
use taffeta::mesh::Element;
use taffeta::obstacle::{Obstacle, Outline, Pose};

use super::ExportError;
use crate::recording::Recording;

/// An obstacle as it is seen.
#[derive(Clone, Debug)]
pub struct Prop {
    /// What it is called.
    pub name: String,
    /// Which of the recording's obstacles it is.
    pub obstacle: usize,
    /// Its surface, in its own frame, m.
    pub outline: Outline,
}

/// Bodies without bounds are drawn as far beyond the cloth as this times the size of what it gets to.
const EXTENT: f64 = 0.5;

impl Prop {
    /// The obstacle of this number, as it is seen around cloth that stays between two corners of a box, m.
    pub fn new(index: usize, obstacle: &Obstacle, min: DVec3, max: DVec3) -> Self {
        // How far a body without bounds is drawn, seen from its origin, which may be far away.
        let origin = obstacle.motion.at(0.0).translation;
        let farthest = (max - origin).abs().max((min - origin).abs()).max_element();
        let outline = obstacle.shape.outline(farthest + EXTENT * (max - min).max_element());
        Self { name: obstacle.name.clone(), obstacle: index, outline }
    }
}

/// The box of a cloth that stays between two corners, with as much of the bodies around it, where they stand first, as is near, m: what goes on
/// for ever is not to be seen whole.
pub fn box_about(props: &[Prop], poses: &[Pose], low: DVec3, high: DVec3) -> [DVec3; 2] {
    /// Of the diagonal of the cloth's box.
    const NEAR: f64 = 0.6;
    let reach = DVec3::splat(NEAR * (high - low).length());
    let corners = props.iter().flat_map(|prop| {
        let pose = poses.get(prop.obstacle).copied().unwrap_or_default();
        prop.outline.positions.iter().map(move |&corner| pose.to_world(corner))
    });
    corners.fold([low, high], |[least, most], corner| {
        let near = corner.clamp(low - reach, high + reach);
        [least.min(near), most.max(near)]
    })
}

/// Frames of a recording in the order of their times.
#[derive(Debug)]
pub struct Film<'a> {
    recording: &'a Recording,
    frames: Vec<usize>,
    times: Vec<f64>,
    props: Vec<Prop>,
}

impl<'a> Film<'a> {
    /// Every so many frames of a recording, the first among them, and the obstacles that are to be seen.
    ///
    /// # Errors
    ///
    /// If the recording has no frames, or their times cannot be read.
    pub fn new(recording: &'a Recording, every: usize, props: Vec<Prop>) -> Result<Self, ExportError> {
        Self::of_frames(recording, (0..recording.frames()).step_by(every.max(1)), props)
    }

    /// These frames of a recording, in ascending order.
    ///
    /// # Errors
    ///
    /// If there are none, or their times cannot be read.
    pub fn of_frames(
        recording: &'a Recording,
        frames: impl Iterator<Item = usize>,
        props: Vec<Prop>,
    ) -> Result<Self, ExportError> {
        let frames: Vec<usize> = frames.collect();
        if frames.is_empty() {
            return Err(ExportError::Empty { recording: recording.folder().to_path_buf() });
        }
        let times = frames.iter().map(|&frame| recording.time(frame)).collect::<Result<_, _>>()?;
        Ok(Self { recording, frames, times, props })
    }

    /// The recording.
    pub fn recording(&self) -> &Recording {
        self.recording
    }

    /// The frames, by their numbers in the recording.
    pub fn frames(&self) -> &[usize] {
        &self.frames
    }

    /// The time of each of them, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Frames a second, as far as they are evenly spaced; 25 for a single one.
    pub fn rate(&self) -> f64 {
        match self.times[..] {
            [first, second, ..] if second > first => 1.0 / (second - first),
            _ => 25.0,
        }
    }

    /// The elements of the cloth.
    pub fn elements(&self) -> &[Element] {
        self.recording.elements()
    }

    /// Its triangles, quads cut between their first and third corner.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let cut = |element: &Element| {
            let corners: Vec<u32> = element.nodes().iter().map(|&node| node as u32).collect();
            (2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]).collect::<Vec<_>>()
        };
        self.elements().iter().flat_map(cut).collect()
    }

    /// Where the nodes are in a frame of the recording, m.
    ///
    /// # Errors
    ///
    /// If the recording cannot be read.
    pub fn positions(&self, frame: usize) -> Result<Vec<DVec3>, ExportError> {
        let positions = self.recording.positions(frame)?;
        match positions.iter().position(|place| !place.is_finite()) {
            None => Ok(positions),
            Some(node) => {
                let recording = self.recording.folder().to_path_buf();
                Err(ExportError::NotFinite { recording, frame, node })
            }
        }
    }

    /// What stands around the cloth.
    pub fn props(&self) -> &[Prop] {
        &self.props
    }

    /// Where each of the props is in each of the frames.
    ///
    /// # Errors
    ///
    /// If the recording cannot be read.
    pub fn poses(&self) -> Result<Vec<Vec<Pose>>, ExportError> {
        if self.props.is_empty() {
            return Ok(Vec::new());
        }
        let mut all = vec![Vec::with_capacity(self.frames.len()); self.props.len()];
        for &frame in &self.frames {
            let poses = self.recording.obstacle_poses(frame)?;
            for (of_prop, prop) in all.iter_mut().zip(&self.props) {
                of_prop.push(poses.get(prop.obstacle).copied().unwrap_or_default());
            }
        }
        Ok(all)
    }
}
