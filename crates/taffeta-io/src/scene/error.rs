//! What can go wrong with a scene.

use thiserror::Error;

use crate::FileError;

/// What can go wrong with a scene.
#[derive(Debug, Error)]
pub enum SceneError {
    /// The operating system refused something.
    #[error(transparent)]
    File(#[from] FileError),

    /// Neither a file nor a shipped scene.
    #[error(
        "there is no scene {name:?}{}: give the path of a scene file, or one of {}",
        .nearest.map(|nearest| format!(" (did you mean {nearest:?}?)")).unwrap_or_default(),
        .shipped.join(", ")
    )]
    NoSuchScene {
        /// What was asked for.
        name: String,
        /// The shipped scene whose name is much like it, if any.
        nearest: Option<&'static str>,
        /// The shipped scenes.
        shipped: Vec<&'static str>,
    },

    /// The file is not TOML.
    #[error("{origin}, line {line}: {why}")]
    Syntax {
        /// The file.
        origin: String,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },

    /// An override makes no sense.
    #[error("--set {key}: {why}")]
    Override {
        /// The key to be set.
        key: String,
        /// What is wrong, and how to fix it.
        why: String,
    },

    /// A key has a value that makes no sense, is missing, or does not exist.
    #[error("{place}: {key} {why}")]
    Key {
        /// The file and line, or the override.
        place: String,
        /// The key from the root, with dots.
        key: String,
        /// What is wrong, and how to fix it.
        why: String,
    },

    /// The scene has a number that TOML has no room for.
    #[error("the scene {name} cannot be written as TOML: {why}; use smaller numbers")]
    NotToml {
        /// The scene.
        name: String,
        /// What is wrong.
        why: String,
    },
}
