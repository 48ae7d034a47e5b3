//! Long work that Ctrl-C can end.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How often Ctrl-C is looked for: often enough to feel at once, and rarely enough to cost nothing.
pub const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Repeats work without the interpreter's lock until it is done or fails, or Ctrl-C is pressed.
pub fn repeat(py: Python<'_>, mut work: impl FnMut() -> PyResult<bool> + Send) -> PyResult<()> {
    loop {
        let done: PyResult<bool> = py.detach(|| {
            let start = Instant::now();
            loop {
                if work()? {
                    return Ok(true);
                } else if start.elapsed() >= LOOK_INTERVAL {
                    return Ok(false);
                }
            }
        });
        if done? {
            return Ok(());
        }
        py.check_signals()?;
    }
}
