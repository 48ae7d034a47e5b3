//! Recordings: a run as a folder of NumPy arrays.
//!
//! With F frames, S steps, N nodes and E elements, the folder holds
//!
//! | file | contents |
//! |---|---|
//! | `positions.npy` | (F, N, 3) `f8`, metres |
//! | `velocities.npy` | (F, N, 3) `f8`, metres per second |
//! | `times.npy` | (F,) `f8`, seconds |
//! | `held.npy` | (F, N) `bool`, which nodes are controlled |
//! | `contact_normal.npy` | (F, N, 3) `f8`, newtons; with obstacles only, as the next two |
//! | `contact_friction.npy` | (F, N, 3) `f8`, newtons |
//! | `obstacle_pose.npy` | (F, B, 7) `f8`, places in metres and quaternions w, x, y, z of the B obstacles |
//! | `grippers.npy` | (F, G) records of named `f8` fields, what the G grippers feel; with grippers only |
//! | `held_force.npy` | (F, N, 3) `f8`, newtons, of whoever holds a node |
//! | `tension.npy` | (F, N) `f8`, newtons |
//! | `clearance.npy` | (F, N) `f8`, metres to what is near |
//! | `step_seconds.npy` | (S,) `f8`, wall time of each step |
//! | `report.npy` | (S,) records of named `f8` fields, one for each step |
//! | `elements.npy` | (E, 4) `i8`, corner nodes, the fourth of a triangle being −1 |
//! | `scene.toml` | the scene as it was run |
//! | `checkpoint.bin` | what it takes to resume the run |
//! | `summary.json` | what came of the run; absent while it is unfinished |
//!
//! A [`Recorder`] writes it and a [`Recording`] reads it, at any time: while the run goes on,
//! after it, and after it was killed at whatever moment. What a reader sees is what was flushed.
//! Each array's rows are written before the header that counts them, the headers of all arrays
//! before the checkpoint, and the checkpoint at one stroke, so that the checkpoint never counts
//! frames that are not there. Between two flushes the arrays may differ in length, and the
//! shortest counts.

mod arrays;
mod checkpoint;
mod error;
mod folder;
mod memory;
mod node_forces;
mod reader;
mod recorder;
pub mod report;
mod snapshot;
mod world;

pub use arrays::{GRIP_FIELDS, NOTHING_NEAR};
pub use error::RecordingError;
pub use memory::MemoryRecording;
pub use node_forces::NodeForces;
pub use reader::Recording;
pub use recorder::{Frame, Recorder, RecordingHeader};
pub use snapshot::Snapshot;
pub use world::World;
