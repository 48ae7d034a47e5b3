//! `taffeta evaluate`: captures of real cloth, simulated, and how far the two are apart.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use serde_json::json;
use taffeta_fit::{Capture, Errors, Parameters, ReplayError, depth_camera, replay};

use crate::failure::Failure;
use crate::output::{count_bar, say};

#[derive(Debug, Args)]
pub struct EvaluateOptions {
    /// A folder of captures: <id>.json, <id>_mesh.csv and <id>_held.csv of each
    pub folder: PathBuf,
    /// α/ρ, 1/s
    #[arg(long, default_value_t = Parameters::default().alpha)]
    pub alpha: f64,
    /// δ/ρ, from 0 to 1
    #[arg(long, default_value_t = Parameters::default().delta)]
    pub delta: f64,
    /// κ, N·m
    #[arg(long, default_value_t = Parameters::default().kappa)]
    pub kappa: f64,
    /// ρ, kg/m²; without contact it does not matter
    #[arg(long, default_value_t = Parameters::default().density)]
    pub density: f64,
    /// Edges of the mesh between two markers [default: as many as make at least 12 across the cloth]
    #[arg(long, value_name = "N")]
    pub refinement: Option<usize>,
    /// Length of a step, s [default: what the capture says, or 0.01]
    #[arg(long, value_name = "S")]
    pub dt: Option<f64>,
    /// Print the errors as JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

pub fn evaluate(options: &EvaluateOptions) -> Result<(), Failure> {
    let &EvaluateOptions { alpha, delta, kappa, density, .. } = options;
    let parameters = Parameters { density, alpha, delta, kappa, ..Parameters::default() };
    let captures = depth_camera::read_folder(&options.folder).map_err(Failure::input)?;
    let bar = count_bar("capture", captures.len() as u64, !options.quiet);
    let mut rows = Vec::new();
    for capture in &captures {
        let mut discretisation = capture.discretisation;
        discretisation.refinement = options.refinement.unwrap_or(discretisation.refinement);
        discretisation.dt = options.dt.unwrap_or(discretisation.dt);
        let replayed = replay(capture, &parameters, &discretisation).map_err(|error| match error {
            ReplayError::Step { .. } => Failure::run(anyhow!("{error}")),
            other => Failure::input(anyhow!("{other}")),
        })?;
        rows.push((capture, Errors::new(capture, &replayed)));
        bar.inc(1);
    }
    bar.finish_and_clear();
    if options.json { say(&as_json(&rows, &parameters)?) } else { say(&as_table(&rows)) }
}

fn as_json(rows: &[(&Capture, Errors)], parameters: &Parameters) -> Result<String, Failure> {
    let captures: Vec<serde_json::Value> = rows
        .iter()
        .map(|(capture, errors)| {
            json!({
                "id": capture.id,
                "mean_error_m": errors.mean_m,
                "rms_error_m": errors.rms_m,
                "area_weighted_error_m2": errors.area_weighted_m2,
                "spatial_sd_m": errors.spatial_sd_m,
                "hem_correlation": errors.hem.correlation,
                "hem_sd_captured_m": errors.hem.captured_sd_m,
                "hem_sd_simulated_m": errors.hem.simulated_sd_m,
                "rms_error_by_frame_m": errors.frames_m,
                "rms_error_by_marker_m": errors.markers_m,
            })
        })
        .collect();
    let object = json!({ "parameters": parameters, "captures": captures });
    Ok(format!("{}\n", serde_json::to_string_pretty(&object).map_err(Failure::run)?))
}

fn as_table(rows: &[(&Capture, Errors)]) -> String {
    let width = rows.iter().map(|(capture, _)| capture.id.len()).max().unwrap_or(0).max(8);
    let mut table = format!("{:<width$}  mean, mm  rms, mm  s, mm  hem correlation  hem sd, mm (seen)\n", "capture");
    for (capture, errors) in rows {
        let [mean, rms, spread] = [errors.mean_m, errors.rms_m, errors.spatial_sd_m].map(|x| 1e3 * x);
        let hem = errors.hem;
        table += &format!(
            "{:<width$}  {mean:8.1}  {rms:7.1}  {spread:5.1}  {:15.3}  {:.1} ({:.1})\n",
            capture.id,
            hem.correlation,
            1e3 * hem.simulated_sd_m,
            1e3 * hem.captured_sd_m
        );
    }
    let mean = rows.iter().map(|(_, errors)| errors.mean_m).sum::<f64>() / rows.len().max(1) as f64;
    table + &format!("{:<width$}  {:8.1}\n", "mean", 1e3 * mean)
}
