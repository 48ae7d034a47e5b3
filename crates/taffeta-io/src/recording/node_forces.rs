//! What acts on the nodes of the cloth besides contact, frame by frame.

use std::path::Path;

use glam::DVec3;

use super::RecordingError;
use super::arrays::{Array, Counts};
use super::folder::STEP_SECONDS;
use super::reader::demand;
use crate::npy::{Dtype, NpyError, NpyReader};

/// What acts on the nodes besides contact: forces of hands, tensions, and how near anything else is.
#[derive(Debug, Clone, Copy)]
pub struct NodeForces<'a> {
    /// The force of whoever holds it on each node, N.
    pub held_forces: &'a [DVec3],
    /// The largest tension of the threads at each node, N.
    pub tensions: &'a [f64],
    /// How far each node is from touching something, m; infinite where nothing is near.
    pub clearances: &'a [f64],
}

/// The arrays being read: forces of hands, tensions, clearances, and how long the steps took.
#[derive(Debug)]
pub(super) struct NodeForcesReader {
    pub held_forces: NpyReader,
    pub tensions: NpyReader,
    pub clearances: NpyReader,
    /// Wall time of the steps, s.
    pub seconds: NpyReader,
}

impl NodeForcesReader {
    /// Opens the arrays, which recordings of other makers may lack.
    pub fn open(
        dir: &Path,
        nodes: usize,
        open: impl Fn(&'static str) -> Result<NpyReader, NpyError>,
    ) -> Result<Option<Self>, RecordingError> {
        let kinds = [Array::HeldForce, Array::Tension, Array::Clearance];
        let names = kinds.map(Array::file).into_iter().chain([STEP_SECONDS]);
        let missing: Vec<&'static str> = names.filter(|name| !dir.join(name).is_file()).collect();
        match missing.first() {
            Some(_) if missing.len() > kinds.len() => return Ok(None),
            Some(missing) => return Err(RecordingError::NotARecording { dir: dir.to_path_buf(), missing }),
            None => {}
        }
        let array = |kind: Array| {
            let array = open(kind.file())?;
            demand(&array, &kind.dtype(), &kind.shape(Counts { nodes, obstacles: 0, grippers: 0 }))?;
            Ok::<_, RecordingError>(array)
        };
        let [held_forces, tensions, clearances] = kinds.map(array);
        let seconds = open(STEP_SECONDS)?;
        demand(&seconds, &Dtype::F64, &[])?;
        Ok(Some(Self { held_forces: held_forces?, tensions: tensions?, clearances: clearances?, seconds }))
    }

    /// The frames that all arrays have.
    pub fn rows(&self) -> usize {
        [&self.held_forces, &self.tensions, &self.clearances]
            .map(NpyReader::rows)
            .into_iter()
            .fold(usize::MAX, usize::min)
    }
}
