//! A [`Session`] for JavaScript.

use std::collections::BTreeMap;

use taffeta::DVec3;
use taffeta_io::recording::{Snapshot, report};
use wasm_bindgen::prelude::*;

use crate::Session;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the worker began.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn now() -> f64;
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn complain(text: &str);
}

/// What a panic says is told to whoever looks for it: the worker itself only learns that it is over.
#[wasm_bindgen(start)]
pub fn begin() {
    std::panic::set_hook(Box::new(|panic| complain(&panic.to_string())));
}

fn clock() -> f64 {
    1e-3 * now()
}

fn js(error: impl ToString) -> JsError {
    JsError::new(&error.to_string())
}

/// Names and texts of the shipped scenes, as JSON.
#[wasm_bindgen(js_name = shippedScenes)]
pub fn shipped_scenes() -> Result<String, JsError> {
    let scenes: BTreeMap<&str, &str> = taffeta_io::scene::shipped().iter().copied().collect();
    serde_json::to_string(&scenes).map_err(js)
}

/// A scene being run by hand.
#[wasm_bindgen]
pub struct Live(Session);

#[wasm_bindgen]
impl Live {
    /// Runs a scene; `files` are the texts of the files that it refers to, by their paths, as JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, toml: &str, files: &str) -> Result<Live, JsError> {
        let files = serde_json::from_str(files).map_err(js)?;
        Session::new(name, toml, files, clock).map(Live).map_err(js)
    }

    /// What a page is told once, as JSON.
    pub fn description(&self) -> Result<String, JsError> {
        serde_json::to_string(&self.0.description()).map_err(js)
    }

    /// Takes a step; how long it took, s.
    pub fn step(&mut self) -> Result<f64, JsError> {
        self.0.step().map_err(js)?;
        Ok(self.0.seconds())
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.0.simulation().time()
    }

    /// All that a frame shows.
    pub fn frame(&self) -> LiveFrame {
        let snapshot = Snapshot::after_step(self.0.simulation());
        let row = self.0.last_report().map(|report| report::row(self.0.simulation().time(), report).to_vec());
        let singles = |vectors: &[DVec3]| vectors.iter().flat_map(|v| v.as_vec3().to_array()).collect::<Vec<f32>>();
        let [normal, friction] = &snapshot.contact_forces;
        let contact: Vec<DVec3> = normal.iter().zip(friction).map(|(n, f)| *n + *f).collect();
        LiveFrame {
            positions: singles(self.0.simulation().positions()),
            contact: singles(&contact),
            hand: singles(&snapshot.held_forces),
            tension: snapshot.tensions.iter().map(|&tension| tension as f32).collect(),
            clearance: snapshot.clearances.iter().map(|&gap| gap as f32).collect(),
            held: snapshot.held().iter().map(|&held| u8::from(held)).collect(),
            poses: snapshot
                .poses
                .iter()
                .flat_map(|pose| [pose.translation.to_array().to_vec(), pose.rotation.to_array().to_vec()].concat())
                .collect(),
            report: row.unwrap_or_default(),
        }
    }

    /// Whether no more is recorded.
    #[wasm_bindgen(js_name = isFull)]
    pub fn is_full(&self) -> bool {
        self.0.is_full()
    }

    /// Grabs a node.
    pub fn grab(&mut self, node: usize) -> bool {
        self.0.grab(node)
    }

    /// Moves the pointer that the hand follows, m.
    pub fn point(&mut self, x: f64, y: f64, z: f64) {
        self.0.point(DVec3::new(x, y, z));
    }

    /// Opens the hand.
    pub fn release(&mut self) {
        self.0.release();
    }

    /// The node in the hand.
    pub fn grabbed(&self) -> Option<usize> {
        self.0.grabbed()
    }

    /// Pins a node, or frees it; whether it is pinned then.
    #[wasm_bindgen(js_name = togglePin)]
    pub fn toggle_pin(&mut self, node: usize) -> bool {
        self.0.toggle_pin(node)
    }

    /// Turns a knob.
    pub fn turn(&mut self, name: &str, value: f64) -> Result<(), JsError> {
        self.0.turn(name, value).map_err(js)
    }

    /// Begins again.
    pub fn reset(&mut self) -> Result<(), JsError> {
        self.0.reset().map_err(js)
    }

    /// What was done, as a recording: its folder in a ZIP archive.
    pub fn save(&self) -> Result<Vec<u8>, JsError> {
        self.0.save().map_err(js)
    }
}

/// A frame, in single precision.
#[wasm_bindgen(getter_with_clone)]
pub struct LiveFrame {
    /// Where the nodes are, m.
    pub positions: Vec<f32>,
    /// Force of all contacts on each node, N.
    pub contact: Vec<f32>,
    /// Force of whoever holds it on each node, N.
    pub hand: Vec<f32>,
    /// Largest tension of the threads at each node, N.
    pub tension: Vec<f32>,
    /// How far each node is from touching something, m; infinite where nothing is near.
    pub clearance: Vec<f32>,
    /// Whether each node is held.
    pub held: Vec<u8>,
    /// Where each obstacle is: x, y, z and the quaternion's x, y, z, w.
    pub poses: Vec<f64>,
    /// What is told of the last step; empty before the first.
    pub report: Vec<f64>,
}
