//! The files of a recording, and making room for a new one.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::RecordingError;
use crate::FileError;
use crate::file::draft_of;

pub(super) const POSITIONS: &str = "positions.npy";
pub(super) const VELOCITIES: &str = "velocities.npy";
pub(super) const TIMES: &str = "times.npy";
pub(super) const HELD: &str = "held.npy";
pub(super) const CONTACT_NORMAL: &str = "contact_normal.npy";
pub(super) const CONTACT_FRICTION: &str = "contact_friction.npy";
pub(super) const OBSTACLE_POSE: &str = "obstacle_pose.npy";
pub(super) const GRIPPERS: &str = "grippers.npy";
pub(super) const HELD_FORCE: &str = "held_force.npy";
pub(super) const TENSION: &str = "tension.npy";
pub(super) const CLEARANCE: &str = "clearance.npy";
pub(super) const STEP_SECONDS: &str = "step_seconds.npy";
pub(super) const REPORT: &str = "report.npy";
pub(super) const ELEMENTS: &str = "elements.npy";
pub(super) const SCENE: &str = "scene.toml";
pub(super) const CHECKPOINT: &str = "checkpoint.bin";
pub(super) const SUMMARY: &str = "summary.json";
pub(super) const FAILURE: &str = "failure.txt";

/// What a new recording removes of an old one, the elements first: without them the folder does
/// not read as a recording, so that a kill leaves no mixture of the two that does.
///
/// The positions and the scene stay until they are replaced, because they tell, whenever this
/// process is killed, that the folder may be overwritten.
const REMOVED: [&str; 16] = [
    ELEMENTS,
    SUMMARY,
    FAILURE,
    CHECKPOINT,
    VELOCITIES,
    TIMES,
    HELD,
    REPORT,
    CONTACT_NORMAL,
    CONTACT_FRICTION,
    OBSTACLE_POSE,
    GRIPPERS,
    HELD_FORCE,
    TENSION,
    CLEARANCE,
    STEP_SECONDS,
];

/// Makes `dir` ready for a new recording: an existing folder without another recording's files.
pub(super) fn make_room(dir: &Path, overwrite: bool) -> Result<(), RecordingError> {
    match tenant(dir)? {
        Tenant::Nobody => {
            fs::create_dir_all(dir).map_err(FileError::when("create", dir))?;
            Ok(())
        }
        Tenant::Stranger { entry } => Err(RecordingError::Occupied { dir: dir.to_path_buf(), entry }),
        Tenant::Recording if !overwrite => Err(RecordingError::Exists { dir: dir.to_path_buf() }),
        Tenant::Recording => {
            for name in REMOVED {
                remove(&dir.join(name))?;
                remove(&draft_of(&dir.join(name)))?;
            }
            Ok(())
        }
    }
}

/// Who is in a folder that is to be recorded into.
enum Tenant {
    Nobody,
    Recording,
    Stranger { entry: String },
}

fn tenant(dir: &Path) -> Result<Tenant, FileError> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Tenant::Nobody),
        entries => entries.map_err(FileError::when("list", dir))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(FileError::when("list", dir))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let stranger = names.iter().find(|name| !is_ours(name));
    // A recording begins with its positions. If a run was killed before it wrote the scene, they
    // are a recording's if nothing else is there; a lone scene may well be somebody's source.
    let recording = has(POSITIONS) && (has(SCENE) || stranger.is_none());
    Ok(match (recording, stranger.or(names.first())) {
        (true, _) => Tenant::Recording,
        (false, Some(entry)) => Tenant::Stranger { entry: entry.clone() },
        (false, None) => Tenant::Nobody,
    })
}

/// Whether a recording has a file of this name, or a draft of one.
fn is_ours(name: &str) -> bool {
    let name = name.strip_suffix(".new").unwrap_or(name);
    REMOVED.contains(&name) || name == POSITIONS || name == SCENE
}

pub(super) fn remove(path: &Path) -> Result<(), FileError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        outcome => outcome.map_err(FileError::when("remove", path)),
    }
}
