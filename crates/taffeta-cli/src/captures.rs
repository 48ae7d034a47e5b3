//! Captures by their paths, and the options of all commands that simulate them.

use std::path::PathBuf;

use clap::Args;
use taffeta_fit::{Capture, Parameters, ReplayError, Start, read_captures};

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

    /// Reads captures, to be simulated as the options say.
    pub fn read(&self, paths: &[PathBuf]) -> Result<Vec<Capture>, Failure> {
        let mut captures = read_captures(paths).map_err(Failure::input)?;
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
