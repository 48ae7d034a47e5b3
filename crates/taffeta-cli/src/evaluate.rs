//! `taffeta evaluate`: captures of real cloth, simulated, and how far the two are apart.

use std::path::PathBuf;

use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};
use taffeta_fit::{Capture, Errors, Parameters, replay};

use crate::captures::{ReplayOptions, failure};
use crate::failure::Failure;
use crate::output::{count_bar, say};

#[derive(Debug, Args)]
pub struct EvaluateOptions {
    /// Captures: TOML files, a depth camera's JSON files, or folders of either
    #[arg(required = true, value_name = "CAPTURE")]
    pub captures: Vec<PathBuf>,
    #[command(flatten)]
    pub replay: ReplayOptions,
    /// Print the errors as JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

pub fn evaluate(options: &EvaluateOptions) -> Result<(), Failure> {
    let parameters = options.replay.parameters();
    let captures = options.replay.read(&options.captures)?;
    let bar = count_bar("capture", captures.len() as u64, !options.quiet);
    let errors: Result<Vec<Errors>, Failure> = captures
        .par_iter()
        .map(|capture| {
            let own = Parameters { density: capture.density.unwrap_or(parameters.density), ..parameters };
            let replayed = replay(capture, &own, &capture.discretisation).map_err(failure)?;
            bar.inc(1);
            Ok(Errors::new(capture, &replayed))
        })
        .collect();
    bar.finish_and_clear();
    let rows: Vec<(&Capture, Errors)> = captures.iter().zip(errors?).collect();
    if options.json {
        let captures: Vec<Value> = rows.iter().map(|(capture, errors)| as_json(capture, errors)).collect();
        let object = json!({ "parameters": parameters, "captures": captures });
        let text = serde_json::to_string_pretty(&object).map_err(Failure::run)?;
        return say(&format!("{text}\n"));
    }
    say(&as_table(&rows))
}

/// All that is known of an error, by names that say what it is.
pub fn as_json(capture: &Capture, errors: &Errors) -> Value {
    let contacts: Vec<Value> = errors
        .contacts
        .iter()
        .map(|contact| {
            json!({
                "obstacle": capture.obstacles[contact.interval.obstacle].body.name,
                "from_s": contact.interval.from,
                "to_s": contact.interval.to,
                "rms_error_during_m": contact.during_m,
                "rms_error_after_m": contact.after_m,
            })
        })
        .collect();
    json!({
        "id": capture.id,
        "mean_error_m": errors.mean_m,
        "rms_error_m": errors.rms_m,
        "area_weighted_error_m2": errors.area_weighted_m2,
        "spatial_sd_m": errors.spatial_sd_m,
        "hem_correlation": errors.hem.correlation,
        "hem_sd_captured_m": errors.hem.captured_sd_m,
        "hem_sd_simulated_m": errors.hem.simulated_sd_m,
        "hem_frequency_hz": errors.hem.frequency_hz,
        "hem_amplitude_captured_m": errors.hem.captured_amplitude_m,
        "hem_amplitude_simulated_m": errors.hem.simulated_amplitude_m,
        "hem_lag_rad": errors.hem.lag_rad,
        "contacts": contacts,
        "rms_error_by_frame_m": errors.frames_m,
        "rms_error_by_marker_m": errors.markers_m,
    })
}

pub fn as_table(rows: &[(&Capture, Errors)]) -> String {
    let width = rows.iter().map(|(capture, _)| capture.id.chars().count()).max().unwrap_or(0).max(8);
    let mut table = format!("{:<width$}  mean, mm  rms, mm  s, mm  hem correlation  hem sd, mm (seen)\n", "capture");
    for (capture, errors) in rows {
        let [mean, rms, spread] = [errors.mean_m, errors.rms_m, errors.spatial_sd_m].map(|x| 1e3 * x);
        let hem = errors.hem;
        table += &format!(
            "{:<width$}  {mean:8.2}  {rms:7.2}  {spread:5.2}  {:15.3}  {:.1} ({:.1})\n",
            capture.id,
            hem.correlation,
            1e3 * hem.simulated_sd_m,
            1e3 * hem.captured_sd_m
        );
    }
    let mean = rows.iter().map(|(_, errors)| errors.mean_m).sum::<f64>() / rows.len().max(1) as f64;
    table + &format!("{:<width$}  {:8.2}\n", "mean", 1e3 * mean)
}
