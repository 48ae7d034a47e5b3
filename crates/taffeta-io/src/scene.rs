//! Scenes: what is simulated, as TOML files.
//!
//! A scene names a cloth, who holds it, what is in its way, and how long it is simulated; `docs/scenes.md` lists all
//! keys. Some scenes are [`shipped`] with taffeta.

mod analytic;
mod build;
mod document;
mod error;
mod garment;
mod goal;
mod grasp;
mod gripper;
mod keyframes;
mod load;
mod nearest;
mod number;
mod obstacle;
mod parameter;
mod resolve;
pub mod schema;
mod seam;
mod selection;
mod shipped;
mod timing;
mod travel;

use std::collections::BTreeMap;
use std::path::Path;

use taffeta::obstacle::Obstacle;
use taffeta::{Gripper, Simulation};

pub use error::SceneError;
pub use parameter::{ParameterError, ParameterValue, parameter, parameters, params_fault, set_parameter};
pub use shipped::shipped;

use crate::file::read_text;
use document::Origin;
use nearest::nearest;
use schema::Settings;
use timing::Timing;

/// A scene with all its defaults filled in.
#[derive(Clone, Debug)]
pub struct Scene {
    name: String,
    settings: Settings,
    origin: Origin,
    timing: Timing,
}

impl Scene {
    /// Loads a shipped scene by its name or a scene file by its path, after overriding some of its
    /// keys: pairs such as `("held.left.ramp_s", "0.2")`.
    ///
    /// # Errors
    ///
    /// If there is no such scene, if it cannot be read, if a key is missing, unknown, or has a
    /// value of the wrong type or out of range.
    pub fn load(name_or_path: &str, overrides: &[(String, String)]) -> Result<Scene, SceneError> {
        let path = Path::new(name_or_path);
        if let Some((name, text)) = shipped().iter().find(|(name, _)| *name == name_or_path) {
            let origin = format!("the shipped scene {name}");
            return Self::read(name, &origin, text, Path::new(""), BTreeMap::new(), overrides);
        }
        let is_path = path.extension().is_some() || path.components().count() > 1;
        if !is_path && !path.is_file() {
            let names = shipped().iter().map(|&(name, _)| name);
            return Err(SceneError::NoSuchScene {
                name: name_or_path.to_owned(),
                nearest: nearest(name_or_path, names.clone()),
                shipped: names.collect(),
            });
        }
        let text = read_text(path)?;
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::read(&name, name_or_path, &text, folder, BTreeMap::new(), overrides)
    }

    /// A scene from a text, which may have been read from a file.
    ///
    /// # Errors
    ///
    /// As for [`Scene::load`].
    pub fn from_text(name: &str, text: &str, file: Option<&Path>) -> Result<Scene, SceneError> {
        let origin = file.map_or_else(|| name.to_owned(), |file| file.display().to_string());
        let folder = file.and_then(Path::parent).unwrap_or(Path::new(""));
        Self::read(name, &origin, text, folder, BTreeMap::new(), &[])
    }

    /// A scene from a text, with the texts of the [files](Scene::files) that it refers to: for where there is no disk.
    ///
    /// # Errors
    ///
    /// As for [`Scene::load`].
    pub fn with_files(name: &str, text: &str, files: BTreeMap<String, String>) -> Result<Scene, SceneError> {
        Self::with_overrides(name, text, files, &[])
    }

    /// The same, after overriding some of its keys as for [`Scene::load`]. Files that do not come with it are looked for from the
    /// folder of the process on.
    ///
    /// # Errors
    ///
    /// As for [`Scene::load`].
    pub fn with_overrides(
        name: &str,
        text: &str,
        files: BTreeMap<String, String>,
        overrides: &[(String, String)],
    ) -> Result<Scene, SceneError> {
        Self::read(name, name, text, Path::new(""), files, overrides)
    }

    /// The texts of the files that the scene refers to, by their paths.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read.
    pub fn files(&self) -> Result<BTreeMap<String, String>, SceneError> {
        let text = |path: &String| Ok((path.clone(), self.origin.text_of(path)?));
        self.settings.files().map(text).collect()
    }

    fn read(
        name: &str,
        origin: &str,
        text: &str,
        folder: &Path,
        files: BTreeMap<String, String>,
        overrides: &[(String, String)],
    ) -> Result<Scene, SceneError> {
        let (mut settings, origin) = document::read(origin, text, files, overrides)?;
        resolve::resolve(&mut settings, &origin, folder)?;
        let timing = Timing::new(&settings, &origin)?;
        Ok(Scene { name: name.to_owned(), settings, origin, timing })
    }

    /// The name of a shipped scene, or of the file without its extension.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The settings, with all defaults filled in.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The number of steps.
    pub fn steps(&self) -> u64 {
        self.timing.steps
    }

    /// The number of steps from one recorded frame to the next.
    pub fn steps_per_frame(&self) -> u64 {
        self.timing.steps_per_frame
    }

    /// Length of a step, s.
    pub fn dt(&self) -> f64 {
        self.settings.dt_s
    }

    /// The scene as a file with all defaults filled in and absolute paths: loading it gives the
    /// same simulation to the bit.
    ///
    /// # Errors
    ///
    /// If a number is too large for TOML.
    pub fn to_toml(&self) -> Result<String, SceneError> {
        toml::to_string(&self.settings)
            .map_err(|error| SceneError::NotToml { name: self.name.clone(), why: error.to_string() })
    }

    /// Builds the simulation, reading the mesh and trajectories the scene refers to.
    ///
    /// # Errors
    ///
    /// If such a file cannot be used, if the mesh is no mesh of a cloth, or if nodes are held that
    /// are not there or held twice at once.
    pub fn build(&self) -> Result<Simulation, SceneError> {
        build::build(&self.settings, &self.origin)
    }

    /// The bodies of the scene, in the order of their names, and after them the fingers of its grippers: as in its simulation.
    ///
    /// # Errors
    ///
    /// If a mesh or a table of poses cannot be used.
    pub fn obstacles(&self) -> Result<Vec<Obstacle>, SceneError> {
        let mut obstacles = obstacle::obstacles(&self.settings, &self.origin)?;
        let grippers = gripper::grippers(&self.settings, &self.origin)?;
        obstacles.extend(grippers.iter().filter_map(Gripper::fingers).flatten());
        Ok(obstacles)
    }

    /// Which nodes of the scene's simulation are held from the start.
    ///
    /// # Errors
    ///
    /// As for [`Scene::build`].
    pub fn held_at_start(&self, simulation: &Simulation) -> Result<Vec<usize>, SceneError> {
        let mesh = simulation.model().cloth().mesh();
        let grasps = grasp::grasps(&self.settings, mesh, &self.origin)?;
        let held = grasps.into_iter().filter(|grasp| grasp.from <= 0.0);
        Ok(held.flat_map(|grasp| grasp.nodes).collect())
    }
}
