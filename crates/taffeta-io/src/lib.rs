//! Files of the cloth simulator taffeta: scenes, meshes and trajectories in, recordings out and in
//! again.
//!
//! - [`recording`]: a run as a folder of NumPy arrays, readable while it grows and after a kill,
//! - [`export`]: recordings for other tools,
//! - [`npy`]: the growing `.npy` files a recording is made of,
//! - [`obj`]: meshes as Wavefront OBJ,
//! - [`table`]: trajectories as comma-separated tables,
//! - [`scene`]: what is simulated, as TOML.

pub mod export;
mod file;
pub mod npy;
pub mod obj;
pub mod recording;
pub mod scene;
pub mod table;
mod zip;

pub use file::FileError;
