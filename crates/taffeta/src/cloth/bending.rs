//! Bending: `K₁ = Lᵀ diag(1/m) L`, constant because the bending energy of an isometric surface is quadratic.
//!
//! `(Lφ)_i = ∫ N_i Δφ = −∫ ∇N_i·∇φ + ∮ N_i ∂φ/∂n`. The boundary integral is what makes every row, those of free edges
//! included, vanish on affine maps: a flat sheet does not bend by itself, and a strip is as stiff along its hem as in
//! its middle.

use std::collections::BTreeMap;

use glam::DVec3;

use super::rest::{Quadrature, Rest};
use crate::mesh::Mesh;

/// A sparse symmetric matrix over nodes, both triangles stored.
#[derive(Clone, Debug)]
pub(crate) struct NodeMatrix {
    start: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl NodeMatrix {
    fn from_maps(rows: Vec<BTreeMap<usize, f64>>) -> Self {
        let mut matrix = Self { start: vec![0], columns: Vec::new(), values: Vec::new() };
        for row in rows {
            matrix.columns.extend(row.keys());
            matrix.values.extend(row.values());
            matrix.start.push(matrix.columns.len());
        }
        matrix
    }

    /// `(column, value)` of row `i`.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let span = self.start[i]..self.start[i + 1];
        self.columns[span.clone()].iter().copied().zip(self.values[span].iter().copied())
    }

    /// The diagonal entry of row `i`.
    pub fn diagonal(&self, i: usize) -> f64 {
        self.row(i).find(|&(j, _)| j == i).map_or(0.0, |(_, k)| k)
    }

    /// Row `i` times a field of vectors. Rows sum to zero, so differences to node `i` keep the digits.
    pub fn times(&self, i: usize, field: &[DVec3]) -> DVec3 {
        self.row(i).map(|(j, k)| (field[j] - field[i]) * k).sum()
    }
}

/// `K₁` of a rest shape with lumped node areas `m`.
pub(crate) fn stiffness(mesh: &Mesh, rest: &Rest, m: &[f64]) -> NodeMatrix {
    let laplacian = laplacian(mesh, rest);
    let mut k = vec![BTreeMap::new(); mesh.node_count()];
    for (i, row) in laplacian.iter().enumerate() {
        for (&a, &la) in row {
            for (&b, &lb) in row {
                *k[a].entry(b).or_default() += la * lb / m[i];
            }
        }
    }
    NodeMatrix::from_maps(k)
}

fn laplacian(mesh: &Mesh, rest: &Rest) -> Vec<BTreeMap<usize, f64>> {
    let mut l = vec![BTreeMap::new(); mesh.node_count()];
    for (e, element) in mesh.elements().iter().enumerate() {
        let nodes = element.nodes();
        for q in rest.quadrature(e, element) {
            for (a, &i) in nodes.iter().enumerate() {
                let gradient = gradient(&q, a);
                let along = q.along(gradient);
                for (b, &j) in nodes.iter().enumerate() {
                    *l[i].entry(j).or_default() -= q.weight * along[b];
                }
            }
        }
        for (side, &edge) in mesh.element_edges(e).iter().enumerate() {
            if mesh.edges()[edge].is_boundary() {
                for (q, length, conormal) in rest.side(e, element, side) {
                    let along = q.along(conormal);
                    for (a, &i) in nodes.iter().enumerate() {
                        for (b, &j) in nodes.iter().enumerate() {
                            *l[i].entry(j).or_default() += length * q.shape[a] * along[b];
                        }
                    }
                }
            }
        }
    }
    for row in &mut l {
        row.retain(|_, v: &mut f64| v.abs() > 1e-12);
    }
    l
}

/// Surface gradient of shape function `a`.
fn gradient(q: &Quadrature, a: usize) -> DVec3 {
    let (e, f, g) = q.metric();
    let det = e * g - f * f;
    (q.x_xi * (g * q.d_xi[a] - f * q.d_eta[a]) + q.x_eta * (e * q.d_eta[a] - f * q.d_xi[a])) / det
}
