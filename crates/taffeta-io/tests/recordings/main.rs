//! Recordings: written, read, killed and resumed.

mod fixture;
mod folder;
mod killed_process;
mod killed_run;
mod numpy;
mod packed;
mod recording;
