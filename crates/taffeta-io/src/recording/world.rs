//! What the world does to the cloth, frame by frame: arrays that are there if the scene has obstacles.

use std::path::Path;

use glam::{DQuat, DVec3};
use taffeta::obstacle::Pose;

use super::RecordingError;
use super::folder::{CONTACT_FRICTION, CONTACT_NORMAL, OBSTACLE_POSE};
use super::reader::{demand, misfit};
use crate::npy::{Dtype, NpyError, NpyReader, NpyWriter};

/// Numbers of a pose: x, y, z and the quaternion's w, x, y, z.
const POSE: usize = 7;

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

/// The arrays being written.
#[derive(Debug)]
pub(super) struct WorldWriter {
    pub obstacles: usize,
    normal: NpyWriter,
    friction: NpyWriter,
    poses: NpyWriter,
}

impl WorldWriter {
    pub fn create(dir: &Path, nodes: usize, obstacles: usize) -> Result<Self, NpyError> {
        let array = |name, trailing: [usize; 2]| NpyWriter::create(&dir.join(name), Dtype::F64, &trailing);
        Ok(Self {
            obstacles,
            normal: array(CONTACT_NORMAL, [nodes, 3])?,
            friction: array(CONTACT_FRICTION, [nodes, 3])?,
            poses: array(OBSTACLE_POSE, [obstacles, POSE])?,
        })
    }

    /// Goes on with arrays of which so many rows are kept.
    pub fn reopen(dir: &Path, obstacles: usize, rows: usize) -> Result<Self, NpyError> {
        let array = |name| NpyWriter::reopen(&dir.join(name), rows);
        Ok(Self {
            obstacles,
            normal: array(CONTACT_NORMAL)?,
            friction: array(CONTACT_FRICTION)?,
            poses: array(OBSTACLE_POSE)?,
        })
    }

    pub fn append(&mut self, world: &World) -> Result<(), NpyError> {
        let flat = |vectors: &[DVec3]| vectors.iter().flat_map(DVec3::to_array).collect::<Vec<f64>>();
        self.normal.append(&flat(world.normal_forces))?;
        self.friction.append(&flat(world.friction_forces))?;
        let poses = world.poses.iter().flat_map(|pose| {
            let ([x, y, z], [qx, qy, qz, qw]) = (pose.translation.to_array(), pose.rotation.to_array());
            [x, y, z, qw, qx, qy, qz]
        });
        self.poses.append(&poses.collect::<Vec<f64>>())
    }

    pub fn arrays(&mut self) -> [&mut NpyWriter; 3] {
        [&mut self.normal, &mut self.friction, &mut self.poses]
    }
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
