//! Saved points of a simulation that is moved from outside: bytes that any machine reads, with what they are in front.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use taffeta::obstacle::Pose;
use taffeta::{Params, Progress};
use taffeta_io::scene::{Scene, params_fault};

use super::{Hand, LedGripper, Refusal, World, check_hold};
use crate::glide::Glide;

/// The number of the format: another one whenever [`Saved`] or [`Whole`] change, or what they are made of.
const FORMAT: u32 = 1;

/// What all of them begin with.
const MAGIC: &[u8; 8] = b"taffeta\0";

/// All that changes.
#[derive(Serialize, Deserialize)]
struct Saved {
    progress: Progress,
    params: Params,
    /// Of every obstacle.
    frictions: Vec<f64>,
    /// Of every gripper, N.
    forces: Vec<f64>,
    hands: Vec<Hand>,
    released: BTreeSet<usize>,
    led_obstacles: BTreeMap<usize, Glide<Pose>>,
    led_grippers: BTreeMap<usize, LedGripper>,
}

/// That, and the scene with its files.
#[derive(Serialize, Deserialize)]
struct Whole {
    name: String,
    toml: String,
    files: BTreeMap<String, String>,
    saved: Saved,
}

/// Bytes with what they are in front: magic, format, that of the library, and a checksum.
fn seal(content: &impl Serialize) -> Result<Vec<u8>, Refusal> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend(Progress::FORMAT.to_le_bytes());
    let content = postcard::to_stdvec(content).map_err(|error| format!("the state cannot be saved: {error}"))?;
    bytes.extend(crc32fast::hash(&content).to_le_bytes());
    bytes.extend(content);
    Ok(bytes)
}

/// Reads what [`seal`] made.
fn open<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    let foreign = || "these are not bytes that taffeta saved: give what `save` returned".to_owned();
    let (magic, rest) = bytes.split_first_chunk::<8>().ok_or_else(foreign)?;
    let (formats, content) = rest.split_first_chunk::<12>().filter(|_| magic == MAGIC).ok_or_else(foreign)?;
    let number = |k: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| formats[4 * k + i]));
    if [number(0), number(1)] != [FORMAT, Progress::FORMAT] {
        return Err(format!(
            "this was saved in format {}.{}, and this version of taffeta reads {FORMAT}.{}: use the version that saved it",
            number(0),
            number(1),
            Progress::FORMAT
        ));
    }
    let damaged = || "what was saved is damaged: save it again".to_owned();
    if number(2) != crc32fast::hash(content) {
        return Err(damaged());
    }
    postcard::from_bytes(content).map_err(|_| damaged())
}

impl World {
    fn saved(&self) -> Saved {
        Saved {
            progress: self.simulation.progress().clone(),
            params: self.simulation.params,
            frictions: self.simulation.obstacles.iter().map(|obstacle| obstacle.friction).collect(),
            forces: self.simulation.grippers().iter().map(|(gripper, _)| gripper.force).collect(),
            hands: self.hands.clone(),
            released: self.released.clone(),
            led_obstacles: self.led_obstacles.clone(),
            led_grippers: self.led_grippers.clone(),
        }
    }

    /// All that changes, as bytes.
    pub fn save(&self) -> Result<Vec<u8>, Refusal> {
        seal(&self.saved())
    }

    /// The same with the scene and its files: all that it takes to go on elsewhere.
    pub fn save_whole(&self) -> Result<Vec<u8>, Refusal> {
        let scene = &self.scene;
        seal(&Whole {
            name: scene.name().to_owned(),
            toml: scene.to_toml().map_err(|error| error.to_string())?,
            files: scene.files().map_err(|error| error.to_string())?,
            saved: self.saved(),
        })
    }

    /// Goes on from what [`save_whole`](Self::save_whole) made.
    pub fn from_whole(bytes: &[u8]) -> Result<Self, Refusal> {
        let Whole { name, toml, files, saved } = open(bytes)?;
        let scene = Scene::with_files(&name, &toml, files).map_err(|error| error.to_string())?;
        let mut world = Self::new(scene).map_err(|error| error.to_string())?;
        world.take_up(saved)?;
        Ok(world)
    }

    /// Goes to what [`save`](Self::save) made, of a simulation of the same scene. If that is refused, everything is as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.take_up(open(bytes)?)
    }

    fn take_up(&mut self, saved: Saved) -> Result<(), Refusal> {
        let Saved { progress, params, frictions, forces, hands, released, led_obstacles, led_grippers } = saved;
        let (obstacles, grippers, nodes) =
            (self.simulation.obstacles.len(), self.simulation.grippers().len(), self.nodes());
        let other = "it was saved by another scene: restore it in a simulation of the same scene";
        let in_scene = led_obstacles.keys().all(|&k| k < obstacles) && led_grippers.keys().all(|&k| k < grippers);
        let sizes = (frictions.len(), forces.len()) == (obstacles, grippers);
        if !sizes || !in_scene || released.iter().chain(hands.iter().map(|hand| &hand.node)).any(|&node| node >= nodes)
        {
            return Err(other.to_owned());
        }
        let sound = |x: &f64| *x >= 0.0 && x.is_finite();
        if let Some(fault) = params_fault(&params) {
            return Err(format!("what was saved cannot be: {fault}"));
        }
        if !frictions.iter().chain(&forces).all(sound) || !hands.iter().all(|hand| hand.way.is_sound()) {
            return Err("what was saved cannot be: a number is out of range; save it again".to_owned());
        }
        hands.iter().try_for_each(|hand| check_hold(hand.hold))?;
        self.simulation.restore(progress).map_err(|error| error.to_string())?;
        // Hands of before are opened, and what was let go of is free again.
        let before: Vec<usize> = self.hands().collect();
        before.into_iter().for_each(|node| self.simulation.open_hand(node));
        self.simulation.forget_let_go();
        released.iter().for_each(|&node| self.simulation.let_go(node));
        self.simulation.params = params;
        let motions = self.motions.clone();
        for (k, obstacle) in self.simulation.obstacles.iter_mut().enumerate() {
            obstacle.friction = frictions[k];
            obstacle.motion = led_obstacles.get(&k).map_or_else(|| motions.obstacles[k].clone(), Glide::motion);
        }
        for (gripper, force) in self.simulation.grippers_mut().zip(forces) {
            gripper.force = force;
        }
        (self.hands, self.released) = (hands, released);
        (self.led_obstacles, self.led_grippers) = (led_obstacles, led_grippers);
        (0..grippers).for_each(|k| self.lead_gripper(k));
        Ok(())
    }
}
