//! Captures by their paths, and the options of all commands that simulate them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use taffeta_fit::{Capture, Parameters, ReplayError, Start, depth_camera, description};

use crate::failure::Failure;

/// What captures are simulated with.
#[derive(Clone, Debug, Args)]
pub struct ReplayOptions {
    /// α/ρ, 1/s
    #[arg(long, default_value_t = Parameters::default().alpha, allow_negative_numbers = true)]
    pub alpha: f64,
    /// δ/ρ, from 0 to 1
    #[arg(long, default_value_t = Parameters::default().delta, allow_negative_numbers = true)]
    pub delta: f64,
    /// μ of obstacles whose friction is not known
    #[arg(long, default_value_t = Parameters::default().mu, allow_negative_numbers = true)]
    pub mu: f64,
    /// κ/ρ, m⁴/s²
    #[arg(long, default_value_t = Parameters::default().kappa, allow_negative_numbers = true)]
    pub kappa: f64,
    /// β/ρ, m⁴/s
    #[arg(long, default_value_t = Parameters::default().beta, allow_negative_numbers = true)]
    pub beta: f64,
    /// ρ, kg/m², where the capture does not say it; the motion depends on ratios to it alone
    #[arg(long, default_value_t = Parameters::default().density, allow_negative_numbers = true)]
    pub density: f64,
    /// Edges of the mesh between two markers [default: what the capture says, or 2]
    #[arg(long, value_name = "N")]
    pub refinement: Option<usize>,
    /// Length of a step, s [default: what the capture says, or 0.01]
    #[arg(long, value_name = "S")]
    pub dt: Option<f64>,
    /// Begin in equilibrium in the first pose of the hands, not in the shape that was seen first
    #[arg(long)]
    pub rest: bool,
}

impl ReplayOptions {
    pub fn parameters(&self) -> Parameters {
        let &Self { alpha, delta, mu, kappa, beta, density, .. } = self;
        Parameters { density, alpha, delta, mu, kappa, beta }
    }

    /// Reads captures: TOML files that describe them, JSON files of a depth camera's, and folders of either.
    pub fn read(&self, paths: &[PathBuf]) -> Result<Vec<Capture>, Failure> {
        let mut captures = Vec::new();
        for path in paths {
            captures.extend(read(path)?);
        }
        if let Some(twice) = (1..captures.len()).find(|&k| captures[..k].iter().any(|other| other.id == captures[k].id))
        {
            return Err(Failure::input(anyhow!(
                "two captures are called {:?}: give one another id",
                captures[twice].id
            )));
        }
        for capture in &mut captures {
            let how = &mut capture.discretisation;
            how.refinement = self.refinement.unwrap_or(how.refinement);
            how.dt = self.dt.unwrap_or(how.dt);
            if self.rest {
                how.start = Start::Rest;
            }
        }
        Ok(captures)
    }
}

fn read(path: &Path) -> Result<Vec<Capture>, Failure> {
    let is = |path: &Path, ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    if path.is_dir() {
        let files =
            fs::read_dir(path).map_err(|error| Failure::input(anyhow!("cannot read {}: {error}", path.display())))?;
        // Other files of the same kinds may lie beside them: scenes, summaries.
        let describes = |file: &PathBuf| fs::read_to_string(file).is_ok_and(|text| text.contains("[markers]"));
        let mut described: Vec<PathBuf> = files
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|file| is(file, "toml") && describes(file))
            .collect();
        described.sort();
        if described.is_empty() {
            return depth_camera::read_folder(path).map_err(Failure::input);
        }
        return described.iter().map(|file| description::read(file).map_err(Failure::input)).collect();
    }
    let read = if is(path, "json") {
        depth_camera::read(path).map_err(Failure::input)?
    } else {
        description::read(path).map_err(Failure::input)?
    };
    Ok(vec![read])
}

/// The id of a capture as the name of a file.
pub fn file_name(capture: &Capture) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_".contains(letter) { letter } else { '_' };
    let name: String = capture.id.chars().take(80).map(plain).collect();
    if name.is_empty() { "capture".to_owned() } else { name }
}

/// A capture that cannot be simulated: because of what it is, or because of what came of it.
pub fn failure(error: ReplayError) -> Failure {
    match error {
        ReplayError::Step { .. } => Failure::run(error),
        other => Failure::input(other),
    }
}
