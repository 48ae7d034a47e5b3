//! glTF 2.0, as one binary file: the cloth's frames are morph targets, one after the other at full weight; obstacles move as nodes.

use std::io::Write;
use std::path::Path;

use glam::DVec3;
use serde_json::{Value, json};
use taffeta::obstacle::Pose;

use super::{ExportError, Film, Progress, write_whole, writing};

/// Lengths of a binary glTF file are four bytes.
const MOST: usize = u32::MAX as usize;

/// What a buffer view is for: attributes of vertices, indices of faces.
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Types of components.
const SINGLE: u32 = 5126;
const UNSIGNED: u32 = 5125;

/// From z up, as here, to y up, as in glTF: a quarter turn about x.
const UPRIGHT: [f64; 4] = [-std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];

/// Writes a binary glTF file (`.glb`) with the cloth and what stands around it, animated.
///
/// # Errors
///
/// If the recording cannot be read, the file cannot be written, or it would be larger than 4 GiB.
pub fn write_gltf(film: &Film, path: &Path, progress: Progress) -> Result<(), ExportError> {
    let frames = film.frames().len();
    let size = frames * (12 * film.recording().nodes() + 4 * frames);
    if size > MOST - (1 << 24) {
        let what = format!("{:.1} GiB", size as f64 / f64::from(1 << 30));
        return Err(ExportError::TooLarge { path: path.to_path_buf(), what, most: "4 GiB".to_owned() });
    }
    let mut document = Document::default();
    let times = document.scalars(film.times());
    let mut nodes = vec![document.cloth(film, times, progress)?];
    for (prop, poses) in film.props().iter().zip(film.poses()?) {
        let positions: Vec<DVec3> = prop.outline.positions.clone();
        let triangles: Vec<[u32; 3]> = prop.outline.triangles.iter().map(|t| t.map(|k| k as u32)).collect();
        nodes.push(document.body(&prop.name, &positions, &triangles, &poses, times));
    }
    let root = document.nodes.len();
    document.nodes.push(json!({ "name": "z up", "rotation": UPRIGHT, "children": nodes }));
    let text = document.json(root).to_string();
    write_whole(path, |file| file.write_all(&container(&text, &document.bytes)).map_err(writing(path)))
}

/// The JSON and the buffer in one file.
fn container(text: &str, bytes: &[u8]) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let padded = bytes.len().next_multiple_of(4);
    let number = |number: usize| (number as u32).to_le_bytes();
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend_from_slice(&number(12 + 8 + text.len() + 8 + padded));
    file.extend_from_slice(&number(text.len()));
    file.extend_from_slice(b"JSON");
    file.extend_from_slice(&text);
    file.extend_from_slice(&number(padded));
    file.extend_from_slice(b"BIN\0");
    file.extend_from_slice(bytes);
    file.resize(file.len() + padded - bytes.len(), 0);
    file
}

/// A glTF document being put together.
#[derive(Default)]
struct Document {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Document {
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Single-precision numbers with their bounds.
    fn scalars(&mut self, numbers: &[f64]) -> usize {
        let singles: Vec<f32> = numbers.iter().map(|&number| number as f32).collect();
        let bytes: Vec<u8> = singles.iter().flat_map(|number| number.to_le_bytes()).collect();
        let view = self.view(&bytes, None);
        let low = singles.iter().copied().fold(f32::INFINITY, f32::min);
        let high = singles.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        self.accessor(json!({
            "bufferView": view, "componentType": SINGLE, "count": singles.len(), "type": "SCALAR",
            "min": [low], "max": [high],
        }))
    }

    /// Vectors with their bounds; `target` for those of vertices.
    fn vectors(&mut self, vectors: &[DVec3], target: Option<u32>) -> usize {
        let singles: Vec<[f32; 3]> = vectors.iter().map(|v| v.as_vec3().to_array()).collect();
        let bytes: Vec<u8> = singles.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let bound = |pick: fn(f32, f32) -> f32, first: f32| {
            let axis = |k: usize| singles.iter().map(|v| v[k]).fold(first, pick);
            [axis(0), axis(1), axis(2)]
        };
        self.accessor(json!({
            "bufferView": view, "componentType": SINGLE, "count": singles.len(), "type": "VEC3",
            "min": bound(f32::min, f32::INFINITY), "max": bound(f32::max, f32::NEG_INFINITY),
        }))
    }

    fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes: Vec<u8> = triangles.iter().flatten().flat_map(|index| index.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(INDICES));
        self.accessor(json!({
            "bufferView": view, "componentType": UNSIGNED, "count": 3 * triangles.len(), "type": "SCALAR",
        }))
    }

    fn animate(&mut self, node: usize, path: &str, times: usize, output: usize) {
        self.samplers.push(json!({ "input": times, "output": output, "interpolation": "LINEAR" }));
        let sampler = self.samplers.len() - 1;
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    /// The cloth: the first frame, and what all others are off it.
    fn cloth(&mut self, film: &Film, times: usize, progress: Progress) -> Result<usize, ExportError> {
        let first = film.positions(film.frames()[0])?;
        let (position, index) = (self.vectors(&first, Some(VERTICES)), self.indices(&film.triangles()));
        progress();
        let mut targets = Vec::new();
        for &frame in &film.frames()[1..] {
            // What single precision makes of the first frame is what the rest is added to.
            let offsets: Vec<DVec3> =
                film.positions(frame)?.iter().zip(&first).map(|(x, first)| *x - first.as_vec3().as_dvec3()).collect();
            targets.push(json!({ "POSITION": self.vectors(&offsets, Some(VERTICES)) }));
            progress();
        }
        let (node, count) = (self.nodes.len(), targets.len());
        let mut primitive = json!({ "attributes": { "POSITION": position }, "indices": index, "material": 0 });
        let mut mesh = json!({ "name": "cloth" });
        if count > 0 {
            primitive["targets"] = targets.into();
            mesh["weights"] = vec![0.0; count].into();
            // In frame k the k-th target counts, and no other; in between two of them share.
            let mut weights = vec![0.0; (count + 1) * count];
            (0..count).for_each(|k| weights[(k + 1) * count + k] = 1.0);
            let output = self.scalars(&weights);
            self.animate(node, "weights", times, output);
        }
        mesh["primitives"] = vec![primitive].into();
        self.meshes.push(mesh);
        self.nodes.push(json!({ "name": "cloth", "mesh": self.meshes.len() - 1 }));
        Ok(node)
    }

    /// A rigid body: moving if it does.
    fn body(&mut self, name: &str, positions: &[DVec3], triangles: &[[u32; 3]], poses: &[Pose], times: usize) -> usize {
        let (position, index) = (self.vectors(positions, Some(VERTICES)), self.indices(triangles));
        let primitive = json!({ "attributes": { "POSITION": position }, "indices": index, "material": 1 });
        self.meshes.push(json!({ "name": name, "primitives": [primitive] }));
        let (node, start) = (self.nodes.len(), poses[0]);
        self.nodes.push(json!({
            "name": name, "mesh": self.meshes.len() - 1,
            "translation": start.translation.to_array(), "rotation": unit(start).map(f64::from),
        }));
        if poses.iter().any(|pose| *pose != start) {
            let places: Vec<DVec3> = poses.iter().map(|pose| pose.translation).collect();
            let output = self.vectors(&places, None);
            self.animate(node, "translation", times, output);
            let bytes: Vec<u8> = poses.iter().flat_map(|&pose| unit(pose)).flat_map(|x| x.to_le_bytes()).collect();
            let view = self.view(&bytes, None);
            let turns = json!({ "bufferView": view, "componentType": SINGLE, "count": poses.len(), "type": "VEC4" });
            let output = self.accessor(turns);
            self.animate(node, "rotation", times, output);
        }
        node
    }

    fn json(&self, root: usize) -> Value {
        let material = |name: &str, colour: [f64; 4], sides: bool| {
            json!({
                "name": name, "doubleSided": sides,
                "pbrMetallicRoughness": { "baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.9 },
            })
        };
        let mut document = json!({
            "asset": { "version": "2.0", "generator": concat!("taffeta ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "nodes": [root] }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": [material("cloth", [0.62, 0.16, 0.11, 1.0], true), material("body", [0.5, 0.48, 0.42, 1.0], false)],
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.bytes.len() }],
        });
        if !self.channels.is_empty() {
            document["animations"] =
                json!([{ "name": "recording", "samplers": self.samplers, "channels": self.channels }]);
        }
        document
    }
}

/// The rotation in single precision, of unit length as near as that goes.
fn unit(pose: Pose) -> [f32; 4] {
    pose.rotation.as_quat().normalize().to_array()
}
