//! The conditions and the bending of the authors' own codes, on the quad grids they were written for.
//!
//! The metric is raw: `E, F, G` of the reference square [−1,1]², neither normalised nor with a rest value subtracted
//! (the rest value is the row's target here). Bending has no boundary correction, and in the code of 2019 its Laplacian
//! is taken in reference coordinates, so that it depends on the mesh.

use std::collections::BTreeMap;

use super::bending::{NodeMatrix, gram};
use super::rest::{Quadrature, Rest};
use super::rows::{RowBuilder, Rows};
use crate::mesh::{GridShape, Mesh};

/// The authors' own codes, step for step: projection with the mass alone, raw metric, their tolerances. They reproduce
/// published runs; for everything else the consistent step is better. Quad grids only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Published {
    /// The code of 2019/20: second-order with extrapolated forces, nodal conditions everywhere.
    #[cfg_attr(feature = "serde", serde(rename = "imex-2019"))]
    Imex2019,
    /// The code of 2021, as in the paper: implicit Euler, boundary edges by length.
    #[cfg_attr(feature = "serde", serde(rename = "euler-2021"))]
    ImplicitEuler2021,
}

/// What a published step needs besides the node areas.
#[derive(Clone, Debug)]
pub(crate) struct PublishedCloth {
    /// `E` rows, `G` rows, `F` rows, then (2021) squared lengths of the boundary edges.
    pub rows: Rows,
    /// Rest value of each row, m²; zero for `F`, which the codes' relative tolerance passes over.
    pub rest_values: Vec<f64>,
    /// `K₁ = Lᵀ diag(1/m) L`.
    pub bending: NodeMatrix,
}

impl PublishedCloth {
    pub fn new(mesh: &Mesh, grid: GridShape, rest: &Rest, areas: &[f64], code: Published) -> Self {
        let GridShape { nx, ny, .. } = grid;
        let interior = || (1..ny - 1).flat_map(move |row| (1..nx - 1).map(move |col| row * nx + col));
        let corners = [0, nx - 1, (ny - 1) * nx, ny * nx - 1];
        let (mut e, mut g): (Vec<usize>, Vec<usize>) = (interior().collect(), interior().collect());
        if code == Published::Imex2019 {
            e.extend((1..nx).chain((ny - 1) * nx..ny * nx - 1));
            g.extend((1..ny).map(|row| row * nx + nx - 1).chain((0..ny - 1).map(|row| row * nx)));
        }

        let metric: Vec<[RowBuilder; 3]> =
            (0..mesh.node_count()).map(|i| nodal_metric(mesh, rest, i, areas[i])).collect();
        let nodal = e.iter().map(|&i| &metric[i][0]).chain(g.iter().map(|&i| &metric[i][1]));
        let mut built =
            Self { rows: Rows::default(), rest_values: Vec::new(), bending: gram(&laplacian(mesh, rest, code), areas) };
        nodal.for_each(|row| built.push(row, mesh, true));
        interior().chain(corners).for_each(|i| built.push(&metric[i][2], mesh, false));
        if code == Published::ImplicitEuler2021 {
            for [a, b] in boundary_walk(grid) {
                let mut row = RowBuilder::default();
                let difference = [-1.0, 1.0, 0.0, 0.0];
                row.add(&[a, b], &difference, &difference, 1.0);
                built.push(&row, mesh, true);
            }
        }
        built
    }

    fn push(&mut self, row: &RowBuilder, mesh: &Mesh, relative: bool) {
        let rest = row.value(mesh.positions());
        self.rows.push(row, rest);
        self.rest_values.push(if relative { rest } else { 0.0 });
    }
}

/// Raw `E, G, F` averaged at a node.
fn nodal_metric(mesh: &Mesh, rest: &Rest, i: usize, area: f64) -> [RowBuilder; 3] {
    let mut metric: [RowBuilder; 3] = Default::default();
    for &e in mesh.node_elements(i) {
        let element = &mesh.elements()[e];
        let Some(corner) = element.nodes().iter().position(|&n| n == i) else { continue };
        for q in rest.quadrature(e, element) {
            let w = q.weight * q.shape[corner] / area;
            metric[0].add(element.nodes(), &q.d_xi, &q.d_xi, w);
            metric[1].add(element.nodes(), &q.d_eta, &q.d_eta, w);
            metric[2].add(element.nodes(), &q.d_xi, &q.d_eta, w);
        }
    }
    metric
}

/// The boundary edges, anticlockwise from the first node.
fn boundary_walk(GridShape { nx, ny, .. }: GridShape) -> impl Iterator<Item = [usize; 2]> {
    let walk: Vec<usize> = (0..nx)
        .chain((1..ny).map(|row| row * nx + nx - 1))
        .chain((0..nx - 1).rev().map(|col| (ny - 1) * nx + col))
        .chain((0..ny - 1).rev().map(|row| row * nx))
        .collect();
    (1..walk.len()).map(move |k| [walk[k - 1], walk[k]])
}

fn laplacian(mesh: &Mesh, rest: &Rest, code: Published) -> Vec<BTreeMap<usize, f64>> {
    let mut l = vec![BTreeMap::new(); mesh.node_count()];
    for (e, element) in mesh.elements().iter().enumerate() {
        for q in rest.quadrature(e, element) {
            for (a, &i) in element.nodes().iter().enumerate() {
                for (b, &j) in element.nodes().iter().enumerate() {
                    *l[i].entry(j).or_default() += q.weight * gradients(&q, a, b, code);
                }
            }
        }
    }
    l
}

/// `∇N_a·∇N_b`, in the metric or (2019) in reference coordinates.
fn gradients(q: &Quadrature, a: usize, b: usize, code: Published) -> f64 {
    let (xx, xy, yy) =
        (q.d_xi[a] * q.d_xi[b], q.d_xi[a] * q.d_eta[b] + q.d_eta[a] * q.d_xi[b], q.d_eta[a] * q.d_eta[b]);
    match code {
        Published::Imex2019 => xx + yy,
        Published::ImplicitEuler2021 => {
            let (e, f, g) = q.metric();
            (g * xx - f * xy + e * yy) / (e * g - f * f)
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use serde_json::Value;

    use super::*;
    use crate::cloth::{Cloth, RestShape, Scheme};

    /// The authors' unit data, or `None` with a message where it is absent.
    fn golden(name: &str) -> Option<Value> {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden/unit_4x5").join(name);
        let Ok(text) = std::fs::read_to_string(&path) else {
            eprintln!("skipped: the golden data {name} is not on this machine");
            return None;
        };
        Some(serde_json::from_str(&text).expect("golden data is JSON"))
    }

    fn numbers(value: &Value) -> Vec<f64> {
        match value {
            Value::Array(items) => items.iter().flat_map(numbers).collect(),
            number => vec![number.as_f64().expect("a number")],
        }
    }

    fn vectors(value: &Value) -> Vec<DVec3> {
        numbers(value).chunks_exact(3).map(DVec3::from_slice).collect()
    }

    fn check(name: &str, code: Published) {
        let Some(golden) = golden(name) else { return };
        let rest = vectors(&golden["X0"]);
        let mesh = Mesh::grid(4, 5, |s, t| rest[(t * 4.0).round() as usize * 4 + (s * 3.0).round() as usize])
            .expect("a valid grid");
        let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::Nodal);
        let areas = numbers(&golden["lumped_mass_no_rho"]);
        for (ours, theirs) in cloth.node_areas().iter().zip(&areas) {
            assert!((ours - theirs).abs() < 1e-12 * theirs, "area {ours} against {theirs}");
        }

        let published = cloth.published(code).expect("a quad grid");
        let bending = numbers(&golden["Kben_20x20_block"]);
        let scale = bending.iter().fold(0.0, |m: f64, k| m.max(k.abs()));
        for i in 0..20 {
            let mut row = [0.0; 20];
            published.bending.row(i).for_each(|(j, k)| row[j] = k);
            for j in 0..20 {
                assert!((row[j] - bending[20 * i + j]).abs() < 1e-12 * scale, "K at {i}, {j}");
            }
        }

        // The last six rows of the golden arrays are the held nodes.
        let phi = vectors(&golden["phi"]);
        let (values, jacobian) = (numbers(&golden["C_at_phi"]), numbers(&golden["Jacobian_at_phi"]));
        let at_rest = numbers(&golden["C_at_X0"]);
        let rows = &published.rows;
        assert_eq!(rows.len() + 6, values.len());
        let (mut gradient, mut value) = (vec![DVec3::ZERO; rows.incidences()], vec![0.0; rows.len()]);
        rows.evaluate_all(&phi, &mut gradient, &mut value);
        for r in 0..rows.len() {
            let theirs = values[r] - at_rest[r];
            assert!((value[r] - theirs).abs() < 1e-12, "C of row {r}: {} against {theirs}", value[r]);
            let mut ours = [0.0; 60];
            for (&i, g) in rows.nodes(r).iter().zip(&gradient[rows.span(r)]) {
                (0..3).for_each(|c| ours[20 * c + i] = g[c]);
            }
            for (k, ours) in ours.iter().enumerate() {
                assert!((ours - jacobian[60 * r + k]).abs() < 1e-12, "∇C of row {r} at {k}");
            }
        }
    }

    #[test]
    fn masses_bending_values_and_jacobian_are_those_of_the_code_of_2019() {
        check("imex_code.json", Published::Imex2019);
    }

    #[test]
    fn masses_bending_values_and_jacobian_are_those_of_the_code_of_2021() {
        check("implicit_euler_code.json", Published::ImplicitEuler2021);
    }

    #[test]
    fn a_7_by_9_grid_has_137_conditions_in_every_nodal_form() {
        let mesh = Mesh::grid(7, 9, |s, t| DVec3::new(s, 0.0, t)).expect("a valid grid");
        let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::Nodal);
        assert_eq!(cloth.condition_count(), 137);
        for code in [Published::Imex2019, Published::ImplicitEuler2021] {
            assert_eq!(cloth.published(code).expect("a quad grid").rows.len(), 137);
        }
    }
}
