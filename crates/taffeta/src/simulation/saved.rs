//! How the progress of a simulation is saved: with the number of its format in front, so that no other is mistaken for it.

use glam::DVec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CupState, Progress};
use crate::state::State;

/// The number of the format, which is read before anything else.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
struct Format;

impl From<Format> for u32 {
    fn from(_: Format) -> Self {
        Progress::FORMAT
    }
}

impl TryFrom<u32> for Format {
    type Error = String;

    fn try_from(found: u32) -> Result<Self, String> {
        let known = Progress::FORMAT;
        if found == known {
            return Ok(Self);
        }
        Err(format!(
            "it was saved in format {found}, and this version of taffeta reads format {known}: continue it with the \
             version that saved it, or start the run again"
        ))
    }
}

#[derive(Serialize)]
#[serde(rename = "Progress")]
struct Written<'a> {
    format: Format,
    steps: u64,
    state: &'a State,
    anchors: &'a [Vec<DVec3>],
    targets: &'a [(usize, DVec3)],
    slips: &'a [f64],
    cups: &'a [CupState],
}

#[derive(Deserialize)]
#[serde(rename = "Progress")]
struct Read {
    #[serde(rename = "format")]
    _format: Format,
    steps: u64,
    state: State,
    anchors: Vec<Vec<DVec3>>,
    targets: Vec<(usize, DVec3)>,
    slips: Vec<f64>,
    cups: Vec<CupState>,
}

impl Serialize for Progress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Progress { steps, state, anchors, targets, slips, cups } = self;
        Written { format: Format, steps: *steps, state, anchors, targets, slips, cups }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Progress {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { steps, state, anchors, targets, slips, cups, .. } = Read::deserialize(deserializer)?;
        Ok(Progress { steps, state, anchors, targets, slips, cups })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collide::{Site, Stencil};
    use crate::obstacle::Pose;
    use crate::state::{BodyState, Contact};

    /// One of everything that can be saved.
    fn one_of_each() -> Progress {
        let places = |from: u32| (from..from + 3).map(|k| DVec3::splat(f64::from(k))).collect::<Vec<_>>();
        let sites = [
            Site::Point { obstacle: 1, point: 2 },
            Site::Edge { obstacle: 3, edge: [0, 1] },
            Site::Tip { obstacle: 4, tip: 5, face: [0, 1, 2] },
            Site::Bodies { obstacle: 0, body: 1, tip: 2 },
            Site::Nodes([0, 1]),
            Site::NodeEdge(0, [1, 2]),
            Site::NodeFace(0, [1, 2, 0]),
            Site::Edges([0, 1], [1, 2]),
        ];
        let contact = |site| Contact {
            site,
            stencil: Stencil::new(&[0, 2], &[0.25, 0.75]),
            normal: DVec3::Z,
            normal_force: 1.5,
            friction: DVec3::X,
            slipping: true,
            pressure: 250.0,
            compressed: 1e-5,
        };
        let body = BodyState {
            pose: Pose::from_translation(DVec3::Y),
            velocity: DVec3::X,
            angular_velocity: DVec3::Z,
            drive: [DVec3::NEG_X, DVec3::NEG_Y],
        };
        let state = State {
            time: 0.5,
            positions: places(0),
            velocities: places(3),
            previous_positions: places(6),
            previous_velocities: places(9),
            previous_dt: 0.01,
            multipliers: vec![-1.0, 2.0],
            contacts: sites.map(contact).to_vec(),
            halvings: 3,
            coupled_pairs: vec![[0, 2]],
            held_forces: places(15),
            clearances: vec![0.5],
            bodies: vec![None, Some(body)],
        };
        Progress {
            steps: 50,
            state,
            anchors: vec![Vec::new(), places(12)],
            targets: vec![(3, DVec3::Y)],
            slips: vec![1e-4],
            cups: vec![CupState { switched_on: Some(1), nodes: vec![(2, DVec3::X)] }],
        }
    }

    /// FNV-1a.
    fn hash(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
    }

    #[test]
    fn what_is_saved_changes_only_with_the_number_of_its_format() {
        let bytes = postcard::to_stdvec(&one_of_each()).expect("all of it can be saved");
        let saved = (Progress::FORMAT, bytes.len(), hash(&bytes));
        // If this fails, saved runs cannot be continued: give `Progress::FORMAT` another number, and note the new values here.
        assert_eq!(saved, (3, 1540, 15_130_242_189_297_172_321));
        assert_eq!(postcard::from_bytes::<Progress>(&bytes).expect("what was saved"), one_of_each());
    }

    #[test]
    fn another_format_is_refused_by_its_number() {
        let mut json = serde_json::to_value(one_of_each()).expect("all of it can be saved");
        json["format"] = 7.into();
        let error = serde_json::from_value::<Progress>(json.clone()).expect_err("format 7").to_string();
        assert!(error.contains("format 7") && error.contains(&format!("format {}", Progress::FORMAT)), "{error}");
        json.as_object_mut().expect("a struct").remove("format");
        assert!(serde_json::from_value::<Progress>(json).is_err());
    }
}
