//! Files of motion capture: where markers and rigid bodies were, frame by frame.
//!
//! | file | read by |
//! |---|---|
//! | `.csv` exported by Motive (OptiTrack) | `motive` |
//! | `.csv` with a column of times and three of every marker | `plain` |
//! | `.trc` | `trc` |
//! | `.c3d` | `c3d` |

mod c3d;
mod cells;
mod motive;
mod plain;
mod trc;

use std::fs;
use std::path::Path;

use glam::DVec3;
use taffeta::obstacle::Pose;

use crate::read_error::ReadError;

/// What a file of motion capture holds, as it holds it: its axes, but metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectories {
    /// The names of the markers.
    pub names: Vec<String>,
    /// The time of every frame, s.
    pub times: Vec<f64>,
    /// Where each marker was in every frame, m; `None` where it was not seen.
    pub frames: Vec<Vec<Option<DVec3>>>,
    /// Rigid bodies that the file tells poses of.
    pub bodies: Vec<BodyTrack>,
    /// Which axis points up in files of this kind, unless one is told otherwise.
    pub up: Up,
}

/// A rigid body over time.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyTrack {
    /// What it is called.
    pub name: String,
    /// Its pose in every frame; `None` where it was not seen.
    pub poses: Vec<Option<Pose>>,
}

/// Which axis points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// As in taffeta.
    #[default]
    Z,
    /// As in Motive, and in most animation.
    Y,
}

/// Reads a file by the ending of its name. Files that do not tell their unit are in `unit` metres.
///
/// # Errors
///
/// If it cannot be read, or is not what its name says.
pub fn read(path: &Path, unit: Option<f64>) -> Result<Trajectories, ReadError> {
    let content = |why: String| ReadError::content(path, why);
    let bytes = fs::read(path).map_err(|cause| ReadError::file(path, cause))?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
    let read = match ending.as_str() {
        "c3d" => c3d::parse(&bytes, unit),
        "csv" | "trc" => {
            let text =
                String::from_utf8(bytes).map_err(|_| content("it is not a text: export it as CSV".to_owned()))?;
            let text = text.trim_start_matches('\u{feff}');
            match ending.as_str() {
                "trc" => trc::parse(text, unit),
                _ if motive::is_motive(text) => motive::parse(text, unit),
                _ => plain::parse(text, unit),
            }
        }
        _ => Err(format!("files named .{ending} cannot be read: give .csv (Motive's or a plain one), .trc or .c3d")),
    };
    let read = read.map_err(content)?;
    if let Some(twice) = (1..read.names.len()).find(|&k| read.names[..k].contains(&read.names[k])) {
        return Err(content(format!("it has two markers named {:?}: rename one", read.names[twice])));
    }
    if let Some((k, two)) = read.times.windows(2).enumerate().find(|(_, two)| two[1].is_nan() || two[1] <= two[0]) {
        return Err(content(format!(
            "frame {} is at {} s, after {} s: times must ascend, sort the rows",
            k + 1,
            two[1],
            two[0]
        )));
    }
    Ok(read)
}

impl Trajectories {
    /// The number of a marker by its name, or by what follows the last colon of it, as in `Cloth:Marker 3`, if that is no other's.
    pub fn marker(&self, name: &str) -> Option<usize> {
        let short = |full: &String| full.rsplit(':').next().map(str::trim) == Some(name);
        let shorts = || (0..self.names.len()).filter(|&k| short(&self.names[k]));
        let only = || shorts().next().filter(|_| shorts().count() == 1);
        self.names.iter().position(|known| known == name).or_else(only)
    }

    /// Takes back all that was seen in a frame.
    pub fn forget(&mut self, frame: usize) {
        self.frames[frame].fill(None);
        self.bodies.iter_mut().for_each(|body| body.poses[frame] = None);
    }

    /// Turns everything so that z points up, the axes of rigid bodies included: they were those of the world when it was told of them.
    pub fn turn_upright(&mut self, up: Up) {
        if up == Up::Z {
            return;
        }
        let turn = glam::DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        self.frames.iter_mut().flatten().flatten().for_each(|place| *place = DVec3::new(place.x, -place.z, place.y));
        for pose in self.bodies.iter_mut().flat_map(|body| &mut body.poses).flatten() {
            *pose = Pose::new(turn * pose.rotation * turn.inverse(), turn * pose.translation);
        }
    }
}

/// Metres in a unit of length by the name that files give it.
fn metres_of(name: &str) -> Option<f64> {
    match name.trim().to_ascii_lowercase().as_str() {
        "m" | "meters" | "metres" | "meter" | "metre" => Some(1.0),
        "dm" | "decimeters" => Some(0.1),
        "cm" | "centimeters" | "centimetres" => Some(0.01),
        "mm" | "millimeters" | "millimetres" => Some(0.001),
        "in" | "inches" => Some(0.0254),
        _ => None,
    }
}

/// The unit that a file names, or the one that was given.
fn unit_of(name: &str, given: Option<f64>) -> Result<f64, String> {
    given.or_else(|| metres_of(name)).ok_or_else(|| {
        format!("its unit of length is {name:?}, which is not known: say unit = \"mm\", \"cm\" or \"m\" in [markers]")
    })
}

/// A unit by the name that a description gives it.
pub fn unit_named(name: &str) -> Option<f64> {
    metres_of(name)
}
