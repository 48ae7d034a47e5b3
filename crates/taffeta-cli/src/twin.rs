//! `taffeta twin`: captures of simulated cloth, whose parameters are known.

use std::path::PathBuf;

use anyhow::{Context, anyhow};
use clap::Args;
use taffeta_fit::twin::{self, FABRICS, Recipe, Scenario};

use crate::failure::Failure;
use crate::output::{count_bar, say};

#[derive(Debug, Args)]
pub struct TwinOptions {
    /// The folder to write the captures into
    pub folder: PathBuf,
    /// polyester, wool, stiff-cotton or denim [default: all]
    #[arg(long, value_name = "NAME")]
    pub fabric: Option<String>,
    /// tablecloth-low, tablecloth-high or hits [default: all]
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<Scenario>,
    /// Simulate with half the edges and a quarter of the step that a fit takes
    #[arg(long)]
    pub finer: bool,
    /// The part of all sights of markers that is lost, besides those that are hidden
    #[arg(long, default_value_t = 0.0, value_name = "PART")]
    pub missing: f64,
    /// What the noise is drawn with
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

pub fn twin(options: &TwinOptions) -> Result<(), Failure> {
    if !(0.0..1.0).contains(&options.missing) {
        return Err(Failure::input(anyhow!("--missing is {}: give a part from 0 to less than 1", options.missing)));
    }
    let fabrics: Vec<usize> = match &options.fabric {
        None => (0..FABRICS.len()).collect(),
        Some(name) => vec![FABRICS.iter().position(|(known, _)| known == name).ok_or_else(|| {
            let names = FABRICS.map(|(name, _)| name).join(", ");
            Failure::input(anyhow!("there is no fabric {name:?}: give one of {names}"))
        })?],
    };
    let scenarios = options.scenario.map_or(Scenario::ALL.to_vec(), |scenario| vec![scenario]);
    let bar = count_bar("twin", (fabrics.len() * scenarios.len()) as u64, !options.quiet);
    let mut written = String::new();
    for &scenario in &scenarios {
        for &fabric in &fabrics {
            let made = if options.finer { Recipe::finer } else { Recipe::same };
            let recipe = Recipe { missing: options.missing, seed: options.seed, ..made(fabric, scenario) };
            let twin = twin::make(&recipe).map_err(Failure::run)?;
            let path = twin::write(&twin, &options.folder);
            let path = path.with_context(|| format!("cannot write into {}", options.folder.display()));
            written += &format!("{}\n", path.map_err(Failure::run)?.display());
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    say(&written)
}
