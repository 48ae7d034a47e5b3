//! Fitting: the last fractions of a millimetre between a start and its rest lengths.

use glam::DVec3;

use crate::mesh::Mesh;

/// Edges are drawn to length until none is off by more than this share of it: far below what a step tolerates.
const FITS: f64 = 1e-6;

/// Sweeps after which the fit is as good as it gets: more than 32 000 nodes have needed.
const MOST_SWEEPS: usize = 20_000;

/// Each end of an edge is moved by this share of what it lacks: a half would fix the edge alone, more makes up for what its
/// neighbours will take back (successive over-relaxation); at 1 it would swing for ever.
const SHARE: f64 = 0.9;

/// Positions near those of a mesh at which all edges are as long as in the panels.
///
/// Each edge in turn is drawn to its length, and again until all fit. What is to be drawn in at corners of
/// seams is small and near, so that this takes few sweeps.
pub(super) fn to_length(mesh: &Mesh) -> Vec<DVec3> {
    let mut lengths = vec![0.0; mesh.edges().len()];
    for (element, corners) in mesh.uv().into_iter().flatten().enumerate() {
        for (k, &edge) in mesh.element_edges(element).iter().enumerate() {
            lengths[edge] = corners[k].distance(corners[(k + 1) % 4]);
        }
    }
    let mut positions = mesh.positions().to_vec();
    for _ in 0..MOST_SWEEPS {
        let mut worst = 0.0f64;
        for (edge, &length) in mesh.edges().iter().zip(&lengths) {
            let [a, b] = edge.nodes;
            let across = positions[b] - positions[a];
            let excess = 1.0 - length / across.length();
            worst = worst.max(excess.abs());
            positions[a] += across * (SHARE * excess);
            positions[b] -= across * (SHARE * excess);
        }
        if worst < FITS {
            break;
        }
    }
    positions
}
