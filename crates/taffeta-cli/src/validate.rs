//! `taffeta validate`: the validation suite, and the document that tells what came of it.

mod document;
mod real;
mod twins;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, anyhow};
use clap::Args;

use crate::failure::Failure;
use crate::output::{count_bar, note, say};

#[derive(Debug, Args)]
pub struct ValidateOptions {
    /// The folder for validation.md and its pictures
    #[arg(long, default_value = "docs", value_name = "DIR")]
    pub out: PathBuf,
    /// A folder of real captures in the layout of a depth camera's grids; without it that part is left out
    #[arg(long, value_name = "DIR")]
    pub real: Option<PathBuf>,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

pub fn validate(options: &ValidateOptions) -> Result<(), Failure> {
    if let Some(folder) = options.real.as_ref().filter(|folder| !folder.is_dir()) {
        let why = "is not a folder: give one of captures, or leave --real out";
        return Err(Failure::input(anyhow!("{} {why}", folder.display())));
    }
    let clock = Instant::now();
    let pictures = options.out.join("pictures");
    fs::create_dir_all(&pictures)
        .with_context(|| format!("cannot make {}", pictures.display()))
        .map_err(Failure::run)?;
    let real = options.real.as_ref().map(|folder| real::held_out(folder, !options.quiet)).transpose()?;
    // Twelve twins of each kind, and the first kind once more with gaps; the rest of the suite is short.
    let bar = count_bar("fit", 3 * twins::ALL as u64, !options.quiet);
    let same = twins::fit_all(twins::Kind::Same, 0.0, &bar)?;
    let gappy = twins::fit_all(twins::Kind::Same, 0.2, &bar)?;
    let finer = twins::fit_all(twins::Kind::Finer, 0.0, &bar)?;
    bar.finish_and_clear();
    let sensitivity = twins::sensitivity(&finer)?;
    let speeds = twins::speeds(&same)?;
    let suite =
        document::Suite { same, gappy, finer, sensitivity, speeds, real, seconds: clock.elapsed().as_secs_f64() };
    let write = |path: PathBuf, text: String| {
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display())).map_err(Failure::run)
    };
    for (name, picture) in suite.pictures() {
        write(pictures.join(name), picture)?;
    }
    let path = options.out.join("validation.md");
    write(path.clone(), suite.text())?;
    for miss in suite.misses() {
        note(&format!("missed: {miss}"));
    }
    say(&format!("{}\n", path.display()))?;
    if suite.misses().is_empty() {
        Ok(())
    } else {
        Err(Failure::Found(anyhow!("some of the suite's marks were missed")))
    }
}
