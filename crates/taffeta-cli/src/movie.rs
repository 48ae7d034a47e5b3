//! Films, encoded by ffmpeg where there is one.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, anyhow};
use taffeta_render::Picture;

use crate::failure::Failure;

/// Writes pictures of one size, an even number of pixels wide and high, as a film of so many a second.
pub fn write_mp4(path: &Path, pictures: &[Picture], rate: f64) -> Result<(), Failure> {
    let Some(first) = pictures.first() else { return Err(Failure::input(anyhow!("a film needs a picture"))) };
    let (size, rate) = (format!("{}x{}", first.width(), first.height()), format!("{rate}"));
    let mut command = Command::new("ffmpeg");
    command.args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", &size, "-r", &rate]);
    command.args(["-i", "-", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]).arg(path);
    let begun = command.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut encoder = begun.map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            Failure::input(anyhow!("--mp4 needs ffmpeg, which is not installed: install it, or use --apng or --gif"))
        }
        _ => Failure::run(error),
    })?;
    if let Some(mut input) = encoder.stdin.take() {
        // An encoder that stops reading says why when it ends.
        let _ = pictures.iter().try_for_each(|picture| input.write_all(picture.pixels().as_flattened()));
    }
    let ended = encoder.wait_with_output().context("ffmpeg cannot be waited for").map_err(Failure::run)?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    Err(Failure::run(anyhow!("ffmpeg could not write {}: {said}", path.display())))
}
