//! Bending: a constant `K₁`, because the bending energy of an isometric surface is quadratic.
//!
//! `½ φᵀ K₁ φ = ½ ∫ |φ_xx|² + 2|φ_xy|² + |φ_yy|²`, x along the warp and y along the weft. On an isometric surface this is
//! `½ ∫ |Δφ|²`; written so, it also resists the saddles that `|Δφ|²` alone leaves free, and into which a strip with
//! compliant shear would escape. The second derivatives are weak ones, `∫ N_i φ_ab = −∫ ∂_a N_i ∂_b φ + ∮ N_i n_a ∂_b φ`:
//! the boundary integral makes every row, those of free edges included, vanish on affine maps, so that a flat sheet does
//! not bend by itself and a strip is as stiff along its hem as in its middle. The twist `φ_xy` of a quad is taken in the
//! quad, where an average at the nodes would miss twists of alternating sign.

use std::collections::BTreeMap;

use glam::DVec3;

use super::rest::{Quadrature, Rest};
use super::unfold::{Around, aligned, around};
use crate::mesh::{Element, Mesh};

/// A sparse symmetric matrix over nodes, both triangles stored.
#[derive(Clone, Debug)]
pub(crate) struct NodeMatrix {
    start: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

impl NodeMatrix {
    fn from_maps(rows: Vec<BTreeMap<usize, f64>>) -> Self {
        let diagonal = rows.iter().enumerate().map(|(i, row)| row.get(&i).copied().unwrap_or(0.0)).collect();
        let mut matrix = Self { start: vec![0], columns: Vec::new(), values: Vec::new(), diagonal };
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
        self.diagonal[i]
    }

    /// Row `i` times a field of vectors. Rows sum to zero, so differences to node `i` keep the digits.
    pub fn times(&self, i: usize, field: &[DVec3]) -> DVec3 {
        self.row(i).map(|(j, k)| (field[j] - field[i]) * k).sum()
    }
}

/// `K₁` of a rest shape.
pub(crate) fn stiffness(mesh: &Mesh, rest: &Rest) -> NodeMatrix {
    let areas = curvature_areas(mesh, rest);
    let [xx, xy, yy] = second_derivatives(mesh, rest);
    let mut k = vec![BTreeMap::new(); mesh.node_count()];
    add_gram(&mut k, &xx, &areas, 1.0);
    add_gram(&mut k, &xy, &areas, 2.0);
    add_gram(&mut k, &yy, &areas, 1.0);
    add_twist(&mut k, mesh, rest);
    NodeMatrix::from_maps(k)
}

/// The area over which each node measures its curvature, m². In triangles it is the part nearest to the node (the mixed
/// area of Meyer et al.), not a third: with thirds the nodes of an alternating grid, which have four or eight
/// triangles, disagree on the curvature of one cylinder and the sheet is 12 % too stiff.
fn curvature_areas(mesh: &Mesh, rest: &Rest) -> Vec<f64> {
    let mut area = vec![0.0; mesh.node_count()];
    for (e, element) in mesh.elements().iter().enumerate() {
        match element {
            Element::Triangle(nodes) => {
                let corners = [0, 1, 2].map(|a| rest.corner(e, a));
                nodes.iter().zip(mixed_areas(corners)).for_each(|(&i, a)| area[i] += a);
            }
            Element::Quad(nodes) => {
                for q in rest.quadrature(e, element) {
                    nodes.iter().zip(q.shape).for_each(|(&i, n)| area[i] += q.weight * n);
                }
            }
        }
    }
    area
}

/// The parts of a triangle nearest to each corner; an obtuse one is halved and quartered.
fn mixed_areas(corners: [DVec3; 3]) -> [f64; 3] {
    let sides = [0, 1, 2].map(|a| corners[(a + 2) % 3] - corners[(a + 1) % 3]);
    let doubled = sides[0].cross(sides[1]).length();
    // Cotangent of the angle at each corner, opposite to the side of the same index.
    let cotangent = [0, 1, 2].map(|a| -sides[(a + 1) % 3].dot(sides[(a + 2) % 3]) / doubled);
    if let Some(obtuse) = cotangent.iter().position(|&c| c < 0.0) {
        return [0, 1, 2].map(|a| doubled / if a == obtuse { 4.0 } else { 8.0 });
    }
    let part = [0, 1, 2].map(|a| cotangent[a] * sides[a].length_squared() / 8.0);
    [part[1] + part[2], part[2] + part[0], part[0] + part[1]]
}

/// `Lᵀ diag(1/m) L`.
pub(super) fn gram(l: &[BTreeMap<usize, f64>], m: &[f64]) -> NodeMatrix {
    let mut k = vec![BTreeMap::new(); l.len()];
    add_gram(&mut k, l, m, 1.0);
    NodeMatrix::from_maps(k)
}

fn add_gram(k: &mut [BTreeMap<usize, f64>], l: &[BTreeMap<usize, f64>], m: &[f64], weight: f64) {
    for (i, row) in l.iter().enumerate() {
        for (&a, &la) in row {
            for (&b, &lb) in row {
                *k[a].entry(b).or_default() += weight * la * lb / m[i];
            }
        }
    }
}

/// Adds `2 ∫ |φ_xy|²` of the quads, each constant over its quad.
fn add_twist(k: &mut [BTreeMap<usize, f64>], mesh: &Mesh, rest: &Rest) {
    for (e, element) in mesh.elements().iter().enumerate() {
        let Element::Quad(nodes) = element else { continue };
        let q = rest.centre(e, element);
        // The alternating sum of the corners, less what it makes of an affine map.
        let signs = [1.0, -1.0, 1.0, -1.0];
        let slant: DVec3 = (0..4).map(|a| rest.corner(e, a) * signs[a]).sum();
        let along = q.along(slant);
        let twist: [f64; 4] = std::array::from_fn(|a| signs[a] - along[a]);
        for (a, &i) in nodes.iter().enumerate() {
            for (b, &j) in nodes.iter().enumerate() {
                *k[i].entry(j).or_default() += 2.0 * twist[a] * twist[b] / q.weight;
            }
        }
    }
}

/// `∫ N_i φ_xx`, `∫ N_i φ_xy` (of triangles only) and `∫ N_i φ_yy` of every node, as rows over the nodes. Each node has
/// its own x and y, the same in all its elements: only then do affine maps vanish where the threads turn.
fn second_derivatives(mesh: &Mesh, rest: &Rest) -> [Vec<BTreeMap<usize, f64>>; 3] {
    let mut l = [0, 1, 2].map(|_| Vec::with_capacity(mesh.node_count()));
    for i in 0..mesh.node_count() {
        let mut row = [BTreeMap::new(), BTreeMap::new(), BTreeMap::new()];
        let warps = warps_around(mesh, rest, i);
        for (k, &e) in mesh.node_elements(i).iter().enumerate() {
            let element = &mesh.elements()[e];
            let Some(corner) = element.nodes().iter().position(|&n| n == i) else { continue };
            let mut add = |q: &Quadrature, gradient: DVec3, weight: f64| {
                let Some(warps) = &warps else {
                    // Without directions there is still the sum of the two: the Laplacian, which on an isometric surface is
                    // all there is.
                    for (b, &j) in element.nodes().iter().enumerate() {
                        *row[0].entry(j).or_default() += gradient.dot(q.gradient(b)) * weight;
                    }
                    return;
                };
                let (x, y) = directions(warps[k], q);
                let (dx, dy) = (q.along(x), q.along(y));
                let (gx, gy) = (gradient.dot(x) * weight, gradient.dot(y) * weight);
                for (b, &j) in element.nodes().iter().enumerate() {
                    *row[0].entry(j).or_default() += gx * dx[b];
                    *row[2].entry(j).or_default() += gy * dy[b];
                    if matches!(element, Element::Triangle(_)) {
                        *row[1].entry(j).or_default() += 0.5 * (gx * dy[b] + gy * dx[b]);
                    }
                }
            };
            for q in rest.quadrature(e, element) {
                add(&q, q.gradient(corner), -q.weight);
            }
            for (side, &edge) in mesh.element_edges(e).iter().enumerate() {
                if mesh.edges()[edge].is_boundary() {
                    for (q, length, conormal) in rest.side(e, element, side) {
                        add(&q, conormal, length * q.shape[corner]);
                    }
                }
            }
        }
        for (l, mut row) in l.iter_mut().zip(row) {
            row.retain(|_, v: &mut f64| v.abs() > 1e-12);
            l.push(row);
        }
    }
    l
}

/// The x direction of node `i` in the rest space of each of its elements: the mean of their threads. `None` at the tip of a
/// cone.
fn warps_around(mesh: &Mesh, rest: &Rest, i: usize) -> Option<Vec<DVec3>> {
    match around(mesh, rest, i, |e| thread(mesh, rest, e)) {
        Around::Cone => None,
        Around::Seam(warps) => Some(warps),
        Around::Plane => {
            let elements = mesh.node_elements(i);
            let first = thread(mesh, rest, elements[0]);
            let normal = |e: usize| rest.normal(e, &mesh.elements()[e]);
            let threads = elements.iter().map(|&e| aligned(thread(mesh, rest, e), normal(e), first));
            Some(vec![threads.sum(); elements.len()])
        }
    }
}

/// The direction along which an element's curvature is measured: the warp of a triangle; of a quad the one of its own two
/// directions that is nearest to it, because its twist is measured along its sides.
fn thread(mesh: &Mesh, rest: &Rest, e: usize) -> DVec3 {
    let (element, warp) = (&mesh.elements()[e], rest.warp(e));
    let q = rest.centre(e, element);
    match element {
        Element::Triangle(_) => warp,
        Element::Quad(_) => {
            let (xi, eta) = (q.x_xi.normalize(), q.x_eta.normalize());
            let nearest = if xi.dot(warp).abs() >= eta.dot(warp).abs() - 1e-9 { xi } else { eta };
            nearest * nearest.dot(warp).signum()
        }
    }
}

/// Unit tangents along the warp and across it.
fn directions(warp: DVec3, q: &Quadrature) -> (DVec3, DVec3) {
    let normal = q.x_xi.cross(q.x_eta).normalize();
    let x = warp.reject_from_normalized(normal).normalize_or(q.x_xi.normalize());
    (x, normal.cross(x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::{Cloth, RestShape, Scheme};
    use crate::mesh::Diagonal;

    fn skewed(s: f64, t: f64) -> DVec3 {
        DVec3::new(s + 0.2 * t + 0.05 * (3.0 * s * t).sin(), 1.3 * t + 0.04 * (2.0 * s).cos(), 0.0)
    }

    fn cloths(place: fn(f64, f64) -> DVec3, n: usize) -> Vec<Cloth> {
        let mut meshes = vec![Mesh::grid(n, n + 2, place)];
        meshes.extend(
            [Diagonal::Forward, Diagonal::Backward, Diagonal::Alternating]
                .map(|d| Mesh::triangle_grid(n, n + 2, d, place)),
        );
        meshes.into_iter().map(|mesh| Cloth::new(mesh.expect("a valid grid"), RestShape::Mesh, Scheme::Edges)).collect()
    }

    #[test]
    fn affine_maps_have_no_bending_free_edges_included() {
        for cloth in cloths(skewed, 6) {
            let affine: Vec<DVec3> = cloth
                .mesh()
                .positions()
                .iter()
                .map(|x| DVec3::new(2.0 * x.x - x.y + 1.0, 0.3 * x.y, 5.0 - 4.0 * x.x + 7.0 * x.y))
                .collect();
            let scale = (0..affine.len()).map(|i| cloth.bending.diagonal(i)).fold(0.0, f64::max);
            for i in 0..affine.len() {
                assert!(cloth.bending.times(i, &affine).length() < 1e-11 * scale, "node {i}");
            }
        }
    }

    #[test]
    fn the_matrix_is_symmetric_and_never_negative() {
        for cloth in cloths(skewed, 5) {
            let n = cloth.mesh().node_count();
            let entry = |i: usize, j: usize| cloth.bending.row(i).find(|&(k, _)| k == j).map_or(0.0, |(_, v)| v);
            let scale = (0..n).map(|i| cloth.bending.diagonal(i)).fold(0.0, f64::max);
            for i in 0..n {
                for j in 0..n {
                    assert!((entry(i, j) - entry(j, i)).abs() < 1e-12 * scale);
                }
            }
            let wave: Vec<DVec3> = (0..n).map(|i| DVec3::new(0.0, 0.0, (1.7 * i as f64).sin())).collect();
            assert!((0..n).map(|i| wave[i].dot(cloth.bending.times(i, &wave))).sum::<f64>() > 0.0);
        }
    }

    #[test]
    fn the_energy_of_a_cylinder_is_that_of_its_curvature_whatever_the_mesh() {
        // A unit square bent to radius 2 along x: ½ ∫ |φ_xx|² = ½ · (1/2)² · area, less the half cells at the two ends
        // whose curvature no interior node sees.
        let n = 21;
        for cloth in cloths(|s, t| DVec3::new(s, t, 0.0), n) {
            let bent: Vec<DVec3> = cloth
                .mesh()
                .positions()
                .iter()
                .map(|x| DVec3::new(2.0 * (x.x / 2.0).sin(), x.y, 2.0 - 2.0 * (x.x / 2.0).cos()))
                .collect();
            let energy: f64 = 0.5 * (0..bent.len()).map(|i| bent[i].dot(cloth.bending.times(i, &bent))).sum::<f64>();
            let seen = 1.0 - 1.0 / (n - 1) as f64;
            assert!((energy / (0.125 * seen) - 1.0).abs() < 0.03, "{energy} against {}", 0.125 * seen);
        }
    }

    #[test]
    fn the_energy_of_a_saddle_is_that_of_its_twist() {
        // z = xy over a unit square: φ_xy = 1 and nothing else, ½ ∫ 2|φ_xy|² = 1. Quads have it exactly; of triangles the
        // nodes on the boundary see half of it, one cell deep along four sides. An alternating grid is left out: there
        // every other node sees all of the twist and its neighbours none, and the energy is twice too large.
        let n = 21;
        for cloth in cloths(|s, t| DVec3::new(s, t, 0.0), n).into_iter().take(3) {
            let quads = matches!(cloth.mesh().elements()[0], Element::Quad(_));
            let saddle: Vec<DVec3> = cloth.mesh().positions().iter().map(|x| DVec3::new(x.x, x.y, x.x * x.y)).collect();
            let twice: f64 = (0..saddle.len()).map(|i| saddle[i].dot(cloth.bending.times(i, &saddle))).sum();
            let tolerance = if quads { 1e-9 } else { 4.0 / (n - 1) as f64 };
            assert!((twice / 2.0 - 1.0).abs() < tolerance, "{} in a mesh of quads: {quads}", twice / 2.0);
        }
    }
}
