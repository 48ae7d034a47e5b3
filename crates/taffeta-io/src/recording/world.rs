//! What the world does to the cloth, frame by frame: arrays that are there if the scene has obstacles.

use std::path::Path;

use glam::{DQuat, DVec3};
use taffeta::obstacle::Pose;

use super::RecordingError;
use super::arrays::POSE;
use super::folder::{CONTACT_FRICTION, CONTACT_NORMAL, OBSTACLE_POSE};
use super::reader::{demand, misfit};
use crate::npy::{Dtype, NpyError, NpyReader};

/// The obstacles in a frame, and what the cloth feels of them.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    /// Normal force on each node, N.
    pub normal_forces: &'a [DVec3],
    /// Force of friction on each node, N.
    pub friction_forces: &'a [DVec3],
    /// Where each obstacle is.
    pub poses: &'a [Pose],
}

/// The arrays being read.
#[derive(Debug)]
pub(super) struct WorldReader {
    pub obstacles: usize,
    pub normal: NpyReader,
    pub friction: NpyReader,
    poses: NpyReader,
}

impl WorldReader {
    /// Opens the arrays, which a recording without obstacles does not have.
    pub fn open(
        dir: &Path,
        nodes: usize,
        open: impl Fn(&'static str) -> Result<NpyReader, NpyError>,
    ) -> Result<Option<Self>, RecordingError> {
        let names = [OBSTACLE_POSE, CONTACT_NORMAL, CONTACT_FRICTION];
        let missing: Vec<&'static str> = names.into_iter().filter(|name| !dir.join(name).is_file()).collect();
        match missing.first() {
            Some(_) if missing.len() == names.len() => return Ok(None),
            Some(missing) => return Err(RecordingError::NotARecording { dir: dir.to_path_buf(), missing }),
            None => {}
        }
        let poses = open(OBSTACLE_POSE)?;
        let &[obstacles, POSE] = poses.trailing_shape() else {
            return Err(misfit(&poses, "it is not of shape (frames, obstacles, 7)"));
        };
        demand(&poses, &Dtype::F64, &[obstacles, POSE])?;
        let world = Self { obstacles, normal: open(CONTACT_NORMAL)?, friction: open(CONTACT_FRICTION)?, poses };
        demand(&world.normal, &Dtype::F64, &[nodes, 3])?;
        demand(&world.friction, &Dtype::F64, &[nodes, 3])?;
        Ok(Some(world))
    }

    /// The frames that all arrays have.
    pub fn rows(&self) -> usize {
        [&self.normal, &self.friction, &self.poses].map(NpyReader::rows).into_iter().fold(usize::MAX, usize::min)
    }

    pub fn poses(&self, frame: usize) -> Result<Vec<Pose>, NpyError> {
        let numbers: Vec<f64> = self.poses.read(frame..frame + 1)?;
        let pose = |row: &[f64]| Pose {
            translation: DVec3::from_slice(&row[..3]),
            rotation: DQuat::from_xyzw(row[4], row[5], row[6], row[3]),
        };
        Ok(numbers.chunks_exact(POSE).map(pose).collect())
    }
}
