//! What the world does to the cloth, frame by frame: arrays that are there if the scene has obstacles.

use std::path::Path;

use glam::{DQuat, DVec3};
use taffeta::GripReading;
use taffeta::obstacle::Pose;

use super::RecordingError;
use super::arrays::{GRIP_FIELDS, POSE};
use super::folder::{CONTACT_FRICTION, CONTACT_NORMAL, GRIPPERS, OBSTACLE_POSE};
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
    /// What each gripper feels.
    pub grips: &'a [GripReading],
}

/// The arrays being read.
#[derive(Debug)]
pub(super) struct WorldReader {
    pub obstacles: usize,
    pub normal: NpyReader,
    pub friction: NpyReader,
    poses: NpyReader,
    grips: Option<NpyReader>,
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
            // The fingers of grippers are obstacles.
            Some(_) if missing.len() == names.len() && !dir.join(GRIPPERS).is_file() => return Ok(None),
            Some(missing) => return Err(RecordingError::NotARecording { dir: dir.to_path_buf(), missing }),
            None => {}
        }
        let poses = open(OBSTACLE_POSE)?;
        let &[obstacles, POSE] = poses.trailing_shape() else {
            return Err(misfit(&poses, "it is not of shape (frames, obstacles, 7)"));
        };
        demand(&poses, &Dtype::F64, &[obstacles, POSE])?;
        let grips = dir.join(GRIPPERS).is_file().then(|| open(GRIPPERS)).transpose()?;
        if let Some(grips) = &grips {
            let &[grippers] = grips.trailing_shape() else {
                return Err(misfit(grips, "it is not of shape (frames, grippers)"));
            };
            demand(grips, &Dtype::record(&GRIP_FIELDS), &[grippers])?;
        }
        let world = Self { obstacles, normal: open(CONTACT_NORMAL)?, friction: open(CONTACT_FRICTION)?, poses, grips };
        demand(&world.normal, &Dtype::F64, &[nodes, 3])?;
        demand(&world.friction, &Dtype::F64, &[nodes, 3])?;
        Ok(Some(world))
    }

    /// The frames that all arrays have.
    pub fn rows(&self) -> usize {
        let arrays = [&self.normal, &self.friction, &self.poses].into_iter().chain(&self.grips);
        arrays.map(NpyReader::rows).fold(usize::MAX, usize::min)
    }

    /// How many grippers there are.
    pub fn grippers(&self) -> usize {
        self.grips.as_ref().map_or(0, |grips| grips.trailing_shape()[0])
    }

    pub fn grips(&self, frame: usize) -> Result<Vec<GripReading>, NpyError> {
        let Some(grips) = &self.grips else { return Ok(Vec::new()) };
        let numbers: Vec<f64> = grips.read(frame..frame + 1)?;
        let reading = |row: &[f64]| GripReading {
            opening: row[0],
            normal_force: [row[1], row[2]],
            tangential_force: DVec3::from_slice(&row[3..]),
            torque: DVec3::from_slice(&row[6..]),
            slip: row[9],
            layers: row[10] as usize,
            lag: row[11],
        };
        Ok(numbers.chunks_exact(GRIP_FIELDS.len()).map(reading).collect())
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
