//! Seams: two nodes at a distance that falls to 0, `C = ½(|x_b − x_a|²/d² − 1) d/ℓ`, and then in one place, `C = (x_b − x_a)/ℓ`.
//!
//! Every pair has three rows, one for each axis. They do nothing while the seam is open. While it is being closed, the first is the
//! distance and the others still do nothing.

use std::ops::Range;

use glam::DVec3;

use super::{ABSENT, Prescription, RowResidual, RowSource, RowValues};
use crate::cloth::{Cloth, Rows};

/// m. Nodes of a seam that are this close have met.
const SHUT: f64 = 1e-6;

pub(super) struct Seams {
    rows: Range<usize>,
    pairs: Vec<SewnPair>,
}

/// Two nodes that are sewn together.
struct SewnPair {
    nodes: [usize; 2],
    /// `1/ℓ`, 1/m.
    scale: f64,
    /// How far apart the nodes are to be, m; `None` while the seam is open.
    distance: Option<f64>,
}

impl SewnPair {
    /// The distance that is prescribed while the nodes approach each other, m.
    fn drawn(&self) -> Option<f64> {
        self.distance.filter(|&distance| distance > 0.0)
    }
}

impl Seams {
    pub fn new(rows: Range<usize>, cloth: &Cloth) -> Self {
        // S of such a row is 1/ℓ² times [[1, −1], [−1, 1]].
        let scale = |r: usize| cloth.rows.weights(r)[0].sqrt();
        let pairs = rows.clone().step_by(3).zip(cloth.seams());
        let pairs = pairs.map(|(r, &nodes)| SewnPair { nodes, scale: scale(r), distance: None }).collect();
        Self { rows, pairs }
    }
}

impl RowSource for Seams {
    fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// The nodes are on the way from where they were when the step began to where they are when it ends.
    fn begin(&mut self, part: &Prescription, compliance: &mut [f64]) {
        for (k, pair) in self.pairs.iter_mut().enumerate() {
            let [a, b] = pair.nodes;
            let end = part.inputs.seams.get(k).copied().flatten();
            let open = part.start[a].distance(part.start[b]);
            // What is shut to rounding is shut, in every part of a step.
            let open = if open > SHUT { open } else { 0.0 };
            pair.distance = end.map(|end| open * (1.0 - part.goal) + end * part.goal);
            for axis in 0..3 {
                let stiffness = match pair.distance {
                    Some(distance) if axis == 0 || distance == 0.0 => f64::INFINITY,
                    _ => 0.0,
                };
                compliance[3 * k + axis] = part.compliance(3 * k + axis, stiffness);
            }
        }
    }

    fn evaluate(&self, rows: &Rows, phi: &[DVec3], gradient: &mut [DVec3], value: &mut [f64]) {
        let values = value.chunks_exact_mut(3).zip(gradient.chunks_exact_mut(6));
        for ((pair, r), (value, gradient)) in self.pairs.iter().zip(self.rows.clone().step_by(3)).zip(values) {
            // In the order in which they are eliminated.
            let &[a, b] = rows.nodes(r) else { continue };
            let across = phi[b] - phi[a];
            for (axis, (value, gradient)) in value.iter_mut().zip(gradient.chunks_exact_mut(2)).enumerate() {
                // From the lower node to the higher, whatever order they are eliminated in: a multiplier is a force.
                let direction = DVec3::AXES[axis] * if a < b { pair.scale } else { -pair.scale };
                gradient.copy_from_slice(&[-direction, direction]);
                *value = across.dot(direction);
            }
            if let Some(distance) = pair.drawn() {
                let at_b = across * (pair.scale / distance);
                gradient[..2].copy_from_slice(&[-at_b, at_b]);
                value[0] = 0.5 * (across.dot(at_b) - distance * pair.scale);
            }
        }
    }

    fn residual(&self, at: &RowValues) -> RowResidual {
        let present = at.value.iter().zip(at.compliance).filter(|(_, compliance)| **compliance < ABSENT);
        RowResidual { strain: present.fold(0.0, |strain, (value, _)| f64::max(strain, value.abs())), error: 0.0 }
    }

    fn curvature(&self, lambda: &[f64], curvature: &mut [f64]) {
        for (k, pair) in self.pairs.iter().enumerate() {
            if let Some(distance) = pair.drawn() {
                // `S` of the row is 1/ℓ², its second derivative 1/(ℓd) for as long as it is a distance.
                curvature[3 * k] = lambda[3 * k].max(0.0) / (pair.scale * distance);
            }
        }
    }
}
