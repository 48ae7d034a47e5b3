//! Cloth that meets itself: folded, stacked, shot at, in quads and triangles.

#[path = "../common/mod.rs"]
mod common;

mod fold;
mod layers;
mod meshes;
mod same_bits;
mod shots;
mod solvers;
