//! What is said on the terminal, to readers who may have gone.

use std::io::{self, ErrorKind, Write};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::Failure;

/// Prints to standard output. Whoever stops reading, as `head` does, has had enough: this is no
/// error.
pub fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            let outcome = Err(error).context("cannot write to standard output");
            outcome.map_err(Failure::run)
        }
        _ => Ok(()),
    }
}

/// Prints an error.
pub fn complain(text: &str) {
    note(&format!("error: {text}"));
}

/// Prints a note to standard error. There is nobody to tell if that fails.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Lines of a table: names, and values beside them.
pub fn table(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0) + 2;
    rows.iter().map(|(name, value)| format!("{name:<width$}{value}\n")).collect()
}

/// A bar that counts frames.
pub fn frame_bar(frames: u64, show: bool) -> ProgressBar {
    count_bar("frame", frames, show)
}

/// A bar that counts something; hidden if there is nothing to count, or nobody is to see it.
pub fn count_bar(what: &str, count: u64, show: bool) -> ProgressBar {
    if !show || count == 0 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::stderr());
    let template = format!("[{{bar:40}}] {what} {{pos}}/{{len}}, {{eta}} left");
    let style = ProgressStyle::with_template(&template);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
