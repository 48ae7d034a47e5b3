//! Running the command in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A small scene that runs in an instant.
pub const SHEET: &str = r#"
duration_s = 0.5
dt_s = 0.01
frame_interval_s = 0.02

[cloth.grid]
nodes = [5, 6]
size_m = [0.4, 0.5]

[held.left]
corner = "top-left"
motion = "sinusoid"
amplitude_m = [0.0, 0.1, 0.0]
frequency_hz = 1.0

[held.right]
corner = "top-right"
motion = "sinusoid"
amplitude_m = [0.0, 0.1, 0.0]
frequency_hz = 1.0
"#;

/// The arrays of a recording.
pub const ARRAYS: [&str; 9] = [
    "positions.npy",
    "velocities.npy",
    "times.npy",
    "held.npy",
    "report.npy",
    "elements.npy",
    "held_force.npy",
    "tension.npy",
    "clearance.npy",
];

/// A folder to run the command in.
pub struct Desk(TempDir);

/// What the command did.
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Desk {
    pub fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.write("sheet.toml", SHEET);
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taffeta"));
        command.current_dir(self.0.path()).args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Outcome {
        Outcome::of(self.command(arguments).output().unwrap())
    }

    /// Runs a command that must succeed; returns its standard output.
    pub fn expect(&self, arguments: &[&str]) -> String {
        let outcome = self.run(arguments);
        let Outcome { code, stderr, .. } = &outcome;
        assert_eq!(*code, Some(0), "{arguments:?}: {stderr}");
        outcome.stdout
    }

    /// The names of everything on the desk.
    pub fn entries(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn assert_same_arrays(&self, a: &str, b: &str) {
        for array in ARRAYS {
            let bytes = |folder: &str| fs::read(self.path(folder).join(array)).unwrap();
            assert!(bytes(a) == bytes(b), "{array} of {a} and {b}");
        }
    }

    /// The summary of a recording, without what differs from run to run.
    pub fn summary(&self, folder: &str) -> serde_json::Value {
        summary_of(&self.path(folder))
    }
}

fn summary_of(folder: &Path) -> serde_json::Value {
    let text = fs::read_to_string(folder.join("summary.json")).unwrap();
    let mut summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in ["wall_s", "q", "recording"] {
        summary.as_object_mut().unwrap().remove(key).unwrap();
    }
    summary
}

impl Outcome {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
