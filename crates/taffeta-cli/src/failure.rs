//! Why a command failed, and whose fault it is.

use std::fmt;
use std::process::ExitCode;

use taffeta_io::recording::RecordingError;
use taffeta_io::scene::SceneError;

/// A command that failed.
#[derive(Debug)]
pub enum Failure {
    /// What was asked for makes no sense; nothing was written.
    Input(anyhow::Error),
    /// It made sense, and something went wrong nevertheless.
    Run(anyhow::Error),
    /// Nothing went wrong, but what was looked for was found: cloth that passes through itself.
    Found(anyhow::Error),
}

impl Failure {
    /// Bad input: a scene, a mesh, an option.
    pub fn input(error: impl Into<anyhow::Error>) -> Self {
        Self::Input(error.into())
    }

    /// A run, or the machine it is run on, that failed.
    pub fn run(error: impl Into<anyhow::Error>) -> Self {
        Self::Run(error.into())
    }

    /// A recording that cannot be made or read: for the most part because of what was asked for.
    pub fn recording(error: RecordingError) -> Self {
        match error {
            RecordingError::File(_) | RecordingError::Array(_) => Self::run(error),
            _ => Self::input(error),
        }
    }

    /// What the process exits with.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Run(_) => ExitCode::from(1),
            Failure::Input(_) => ExitCode::from(2),
            Failure::Found(_) => ExitCode::from(3),
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Failure::input(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (Failure::Input(error) | Failure::Run(error) | Failure::Found(error)) = self;
        write!(f, "{error:#}")
    }
}
