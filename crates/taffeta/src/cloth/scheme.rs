//! Inextensibility as rows: which condition each node, edge and element of a mesh carries.

use glam::DVec3;

use super::rest::{Quadrature, Rest};
use super::rows::{RowBuilder, Rows};
use super::triangles;
use super::unfold::{Around, aligned, around};
use super::{MetricRows, RowGroup, RowKind, RowLaw};
use crate::mesh::{Edge, Element, Mesh};

/// How inextensibility is discretised on quads. Triangles carry nodal conditions and a compliant remainder if it is nodal, and
/// otherwise their threads: rigid where a thread is an edge, and elsewhere rigid enough against stretching only, because as many
/// rigid conditions as triangles have lock them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Scheme {
    /// The published model: `E, F, G` averaged at every interior node, the length of every boundary edge, `F` at the
    /// corners. It cannot see a checkerboard of long and short edges.
    Nodal,
    /// The length of every warp and weft edge, and `F` averaged at interior nodes and corners.
    EdgesNodalShear,
    /// The length of every warp and weft edge, and `F` at the centre of every quad: the same cloth as
    /// [`EdgesNodalShear`](Scheme::EdgesNodalShear) at a third of the cost, because each row touches one element.
    #[default]
    Edges,
}

/// All rows of a cloth, and what they are.
pub(crate) fn rows(mesh: &Mesh, rest: &Rest, scheme: Scheme) -> (Rows, Vec<RowGroup>) {
    let mut rows = Rows::default();
    let is_quad: Vec<bool> = mesh.elements().iter().map(|e| matches!(e, Element::Quad(_))).collect();
    push_lengths(&mut rows, mesh, rest, scheme);
    let lengths = RowGroup { rows: 0..rows.len(), kind: RowKind::Lengths };

    let mut averages = MetricRows::default();
    let corners = mesh.corners();
    for i in 0..mesh.node_count() {
        let only_triangles = mesh.node_elements(i).iter().all(|&e| !is_quad[e]);
        let interior = !mesh.is_boundary_node(i);
        let corner = corners.binary_search(&i).is_ok();
        let own_shear = match scheme {
            Scheme::Nodal => corner,
            Scheme::EdgesNodalShear => (interior || corner) && !only_triangles,
            Scheme::Edges => false,
        };
        if interior && scheme == Scheme::Nodal {
            let metric = nodal_metric(mesh, rest, i);
            let shear = if only_triangles { RowLaw::MeanShear } else { RowLaw::Shear };
            push_metric(&mut rows, &mut averages, &metric, RowLaw::Rigid, shear(metric.area));
        } else if own_shear {
            push_shear(&mut rows, &mut averages.laws, &nodal_metric(mesh, rest, i), RowLaw::Shear);
        }
    }

    for (e, &is_quad) in is_quad.iter().enumerate() {
        if is_quad && scheme == Scheme::Edges {
            push_shear(&mut rows, &mut averages.laws, &element_metric(mesh, rest, e), RowLaw::Shear);
        } else if !is_quad && scheme == Scheme::Nodal {
            let metric = element_metric(mesh, rest, e);
            let (stretch, shear) = (RowLaw::Remainder(metric.area), RowLaw::TriangleShear(metric.area));
            push_metric(&mut rows, &mut averages, &metric, stretch, shear);
        }
    }
    let kind = if averages.tensors.is_empty() { RowKind::Shear(averages.laws) } else { RowKind::Metric(averages) };
    let averages = RowGroup { rows: lengths.rows.end..rows.len(), kind };
    let mut groups = vec![lengths, averages];
    if scheme != Scheme::Nodal {
        groups.extend(triangles::push_rows(&mut rows, mesh, rest));
    }
    groups.retain(|group| !group.rows.is_empty());
    (rows, groups)
}

/// Whether the length of each edge is a condition of its own: on the boundary, and, unless the scheme is nodal, beside quads and
/// along a thread of a triangle.
pub(crate) fn rigid_edges(mesh: &Mesh, rest: &Rest, scheme: Scheme) -> Vec<bool> {
    let rigid = |(k, edge): (usize, &Edge)| {
        let by_element = |&e: &usize| match mesh.elements()[e] {
            Element::Quad(_) => true,
            Element::Triangle(_) => triangles::thread_of_edge(mesh, rest, e, k).is_some(),
        };
        edge.is_boundary() || scheme != Scheme::Nodal && edge.elements.iter().flatten().any(by_element)
    };
    mesh.edges().iter().enumerate().map(rigid).collect()
}

/// `C = (l²/l₀² − 1)/2` of the rigid edges.
fn push_lengths(rows: &mut Rows, mesh: &Mesh, rest: &Rest, scheme: Scheme) {
    let rigid = rigid_edges(mesh, rest, scheme);
    for k in (0..rigid.len()).filter(|&k| rigid[k]) {
        let mut row = RowBuilder::default();
        let difference = [-1.0, 1.0, 0.0, 0.0];
        row.add(&mesh.edges()[k].nodes, &difference, &difference, 0.5 / rest_length(mesh, rest, k).powi(2));
        rows.push_curved(&row, 0.5);
    }
}

/// Rest length of an edge: the mean over the elements it belongs to (they differ where UVs do).
pub(crate) fn rest_length(mesh: &Mesh, rest: &Rest, edge: usize) -> f64 {
    let lengths = mesh.edges()[edge].elements.iter().flatten().filter_map(|&e| {
        let side = mesh.element_edges(e).iter().position(|&k| k == edge)?;
        let n = mesh.elements()[e].nodes().len();
        Some(rest.corner(e, side).distance(rest.corner(e, (side + 1) % n)))
    });
    let (sum, count) = lengths.fold((0.0, 0.0), |(s, c), l| (s + l, c + 1.0));
    sum / count
}

/// The three components of a metric, averaged over some cloth, with their rest values.
pub(super) struct Metric {
    pub e: RowBuilder,
    f: RowBuilder,
    pub g: RowBuilder,
    pub rest: (f64, f64, f64),
    pub area: f64,
}

impl Metric {
    pub fn empty() -> Self {
        Self {
            e: RowBuilder::default(),
            f: RowBuilder::default(),
            g: RowBuilder::default(),
            rest: (0.0, 0.0, 0.0),
            area: 0.0,
        }
    }

    /// Adds weight `w` of the metric in the directions `a`, `b` at a quadrature point.
    pub fn add(&mut self, nodes: &[usize], q: &Quadrature, (a, b): (DVec3, DVec3), w: f64) {
        let (da, db) = (q.along(a), q.along(b));
        self.e.add(nodes, &da, &da, w / 2.0);
        self.f.add(nodes, &da, &db, w);
        self.g.add(nodes, &db, &db, w / 2.0);
        self.rest.0 += w * a.length_squared() / 2.0;
        self.rest.1 += w * a.dot(b);
        self.rest.2 += w * b.length_squared() / 2.0;
        self.area += w;
    }

    pub fn averaged(mut self) -> Self {
        let inverse = 1.0 / self.area;
        [&mut self.e, &mut self.f, &mut self.g].into_iter().for_each(|row| row.scale(inverse));
        self.rest = (self.rest.0 * inverse, self.rest.1 * inverse, self.rest.2 * inverse);
        self
    }
}

fn push_metric(rows: &mut Rows, group: &mut MetricRows, metric: &Metric, stretch: RowLaw, shear: RowLaw) {
    group.tensors.push(group.laws.len());
    group.laws.extend([stretch, shear, stretch]);
    rows.push_curved(&metric.e, metric.rest.0);
    rows.push_curved(&metric.f, metric.rest.1);
    rows.push_curved(&metric.g, metric.rest.2);
}

pub(super) fn push_shear(rows: &mut Rows, laws: &mut Vec<RowLaw>, metric: &Metric, law: impl Fn(f64) -> RowLaw) {
    laws.push(law(metric.area));
    rows.push(&metric.f, metric.rest.1);
}

/// The metric at the centre of one element: of a quad along its own sides, of a triangle along warp and weft.
pub(super) fn element_metric(mesh: &Mesh, rest: &Rest, e: usize) -> Metric {
    let element = &mesh.elements()[e];
    let q = rest.centre(e, element);
    let directions = match element {
        Element::Quad(_) => (q.x_xi.normalize(), q.x_eta.normalize()),
        Element::Triangle(_) => frame(mesh, rest.warp(e), &q),
    };
    let mut metric = Metric::empty();
    metric.add(element.nodes(), &q, directions, q.weight);
    metric.averaged()
}

/// The metric averaged at a node over its elements, weighted with its shape function.
fn nodal_metric(mesh: &Mesh, rest: &Rest, i: usize) -> Metric {
    let mut metric = Metric::empty();
    let elements = mesh.node_elements(i);
    let around = around(mesh, rest, i, |e| rest.warp(e));
    let first = rest.warp(elements[0]);
    for (k, &e) in elements.iter().enumerate() {
        let element = &mesh.elements()[e];
        let Some(corner) = element.nodes().iter().position(|&n| n == i) else { continue };
        let warp = match &around {
            Around::Plane => aligned(rest.warp(e), rest.normal(e, element), first),
            Around::Seam(warps) => warps[k],
            Around::Cone => rest.warp(e),
        };
        for q in rest.quadrature(e, element) {
            metric.add(element.nodes(), &q, frame(mesh, warp, &q), q.weight * q.shape[corner]);
        }
    }
    metric.averaged()
}

/// Unit tangents in which a quadrature point is measured: the grid's own directions, else those of warp and weft.
pub(super) fn frame(mesh: &Mesh, warp: DVec3, q: &Quadrature) -> (DVec3, DVec3) {
    if mesh.is_quad_grid() {
        return (q.x_xi.normalize(), q.x_eta.normalize());
    }
    let normal = q.x_xi.cross(q.x_eta).normalize();
    let a = warp.reject_from_normalized(normal).normalize_or(q.x_xi.normalize());
    (a, normal.cross(a))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cloth::{Cloth, RestShape};
    use crate::mesh::Diagonal;

    fn sheet(s: f64, t: f64) -> DVec3 {
        DVec3::new(0.3 * s, 0.02 * s * t, 0.4 * t)
    }

    /// A strip of quads next to a strip of triangles, every quad a parallelogram.
    fn mixed() -> Mesh {
        let place = |i: usize| DVec3::new(0.1 * (i % 5) as f64 + 0.02 * (i / 5) as f64, 0.1 * (i / 5) as f64, 0.0);
        let mut elements = Vec::new();
        for row in 0..3 {
            for col in 0..4 {
                let (a, b) = (5 * row + col, 5 * row + col + 5);
                if col < 2 {
                    elements.push(Element::Quad([a, a + 1, b + 1, b]));
                } else {
                    elements.extend([Element::Triangle([a, a + 1, b + 1]), Element::Triangle([a, b + 1, b])]);
                }
            }
        }
        Mesh::new((0..20).map(place).collect(), elements, None).expect("a valid mesh")
    }

    fn meshes() -> Vec<Mesh> {
        let grids = [Diagonal::Forward, Diagonal::Backward, Diagonal::Alternating]
            .map(|diagonal| Mesh::triangle_grid(4, 5, diagonal, sheet).expect("a valid grid"));
        let mut meshes = vec![Mesh::grid(4, 5, sheet).expect("a valid grid"), mixed()];
        meshes.extend(grids);
        meshes
    }

    const SCHEMES: [Scheme; 3] = [Scheme::Nodal, Scheme::EdgesNodalShear, Scheme::Edges];

    fn evaluate(rows: &Rows, phi: &[DVec3]) -> (Vec<DVec3>, Vec<f64>) {
        let (mut gradient, mut value) = (vec![DVec3::ZERO; rows.incidences()], vec![0.0; rows.len()]);
        rows.evaluate_all(phi, &mut gradient, &mut value);
        (gradient, value)
    }

    /// Where `E, F, G` of every metric are.
    fn tensors(cloth: &Cloth) -> Vec<[usize; 3]> {
        let of_group = |group: &RowGroup| match &group.kind {
            RowKind::Metric(metric) => {
                metric.tensors.iter().map(|k| [0, 1, 2].map(|c| group.rows.start + k + c)).collect()
            }
            _ => Vec::new(),
        };
        cloth.groups().iter().flat_map(of_group).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn gradients_are_the_finite_differences_of_the_values(
            noise in proptest::collection::vec((-1.0..1.0, -1.0..1.0, -1.0..1.0), 20),
        ) {
            for mesh in meshes() {
                let phi: Vec<DVec3> = mesh.positions().iter().zip(&noise)
                    .map(|(&x, &(a, b, c))| x + 0.05 * DVec3::new(a, b, c)).collect();
                for scheme in SCHEMES {
                    let cloth = Cloth::new(mesh.clone(), RestShape::Mesh, scheme);
                    let (gradient, _) = evaluate(&cloth.rows, &phi);
                    for r in 0..cloth.rows.len() {
                        for (&i, g) in cloth.rows.nodes(r).iter().zip(&gradient[cloth.rows.span(r)]) {
                            for axis in DVec3::AXES {
                                // Values are quadratic, so the central difference is exact up to rounding.
                                let h = 1e-3;
                                let (mut up, mut down) = (phi.clone(), phi.clone());
                                up[i] += axis * h;
                                down[i] -= axis * h;
                                let difference = (evaluate(&cloth.rows, &up).1[r] - evaluate(&cloth.rows, &down).1[r]) / (2.0 * h);
                                prop_assert!((g.dot(axis) - difference).abs() < 1e-9 * (1.0 + g.length()));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_condition_holds_at_rest_and_after_a_rigid_motion() {
        let turn = glam::DMat3::from_rotation_x(0.7) * glam::DMat3::from_rotation_z(2.1);
        for mesh in meshes() {
            for scheme in SCHEMES {
                let cloth = Cloth::new(mesh.clone(), RestShape::Mesh, scheme);
                let moved: Vec<DVec3> =
                    mesh.positions().iter().map(|&x| turn * x + DVec3::new(5.0, -3.0, 2.0)).collect();
                let (_, value) = evaluate(&cloth.rows, &moved);
                assert!(value.iter().all(|c| c.abs() < 1e-12), "{scheme:?}: {value:?}");
            }
        }
    }

    #[test]
    fn a_uniform_stretch_reads_as_the_same_strain_everywhere() {
        // ½(1.01² − 1) along the warp, nothing along the weft, no shear: a sheet in its own axes.
        let stretched = |x: &DVec3| DVec3::new(1.01 * x.x, x.y, x.z);
        let flat = |s: f64, t: f64| DVec3::new(0.3 * s, 0.4 * t, 0.0);
        for mesh in [Mesh::grid(4, 5, flat), Mesh::triangle_grid(4, 5, Diagonal::Forward, flat)] {
            let mesh = mesh.expect("a valid grid");
            let phi: Vec<DVec3> = mesh.positions().iter().map(stretched).collect();
            let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::Nodal);
            let (_, value) = evaluate(&cloth.rows, &phi);
            for [e, f, g] in tensors(&cloth) {
                let along = 0.5 * (1.01f64.powi(2) - 1.0);
                assert!((value[e] - along).abs() < 1e-12 && value[g].abs() < 1e-12 && value[f].abs() < 1e-12);
            }
        }
    }

    #[test]
    fn nodal_conditions_of_a_general_mesh_agree_with_those_of_a_grid() {
        // The same nodes and quads, once known as a grid and once not; the same strain field read by both.
        let grid = Mesh::grid(6, 6, |s, t| DVec3::new(s, t, 0.0)).expect("a valid grid");
        let general = Mesh::new(grid.positions().to_vec(), grid.elements().to_vec(), None).expect("the same mesh");
        let bent: Vec<DVec3> =
            grid.positions().iter().map(|x| DVec3::new(x.x.sin(), x.y * 1.02, 1.0 - x.x.cos())).collect();
        let read = |mesh: Mesh| {
            let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::Nodal);
            let (_, value) = evaluate(&cloth.rows, &bent);
            let read = |[e, f, g]: [usize; 3]| [value[e].min(value[g]), value[e].max(value[g]), value[f].abs()];
            tensors(&cloth).into_iter().map(read).collect::<Vec<_>>()
        };
        let (a, b) = (read(grid), read(general));
        assert_eq!(a.len(), 16);
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((a - b).abs() < 1e-12, "{a} against {b}");
        }
    }

    #[test]
    fn warp_and_weft_of_uvs_are_the_directions_of_the_conditions() {
        // UVs turned by 30° against the mesh: a stretch along u is then pure warp strain.
        let (c, s) = (30f64.to_radians().cos(), 30f64.to_radians().sin());
        let grid = Mesh::grid(5, 5, |s, t| DVec3::new(s, t, 0.0)).expect("a valid grid");
        let uv = grid.elements().iter().map(|element| {
            std::array::from_fn(|k| {
                let x = grid.positions()[element.nodes()[k]];
                glam::DVec2::new(c * x.x + s * x.y, -s * x.x + c * x.y)
            })
        });
        let mesh = Mesh::new(grid.positions().to_vec(), grid.elements().to_vec(), Some(uv.collect()))
            .expect("a mesh with UVs");
        let warp = DVec3::new(c, s, 0.0);
        let phi: Vec<DVec3> = mesh.positions().iter().map(|&x| x + warp * (0.02 * x.dot(warp))).collect();
        for rest in [RestShape::Mesh, RestShape::Uv { scale: 1.0 }] {
            let cloth = Cloth::new(mesh.clone(), rest, Scheme::Nodal);
            let (_, value) = evaluate(&cloth.rows, &phi);
            let seen = tensors(&cloth);
            for &[e, f, g] in &seen {
                let strain = 0.5 * (1.02f64.powi(2) - 1.0);
                assert!((value[e] - strain).abs() < 1e-12 && value[f].abs() < 1e-12 && value[g].abs() < 1e-12);
            }
            assert_eq!(seen.len(), 9);
        }
    }

    #[test]
    fn the_edge_schemes_have_the_rows_the_theory_counts() {
        let mesh = Mesh::grid(7, 9, sheet).expect("a valid grid");
        let edges = 6 * 9 + 7 * 8;
        let count = |scheme| Cloth::new(mesh.clone(), RestShape::Mesh, scheme).condition_count();
        assert_eq!(count(Scheme::EdgesNodalShear), edges + 5 * 7 + 4);
        assert_eq!(count(Scheme::Edges), edges + 6 * 8);
    }
}
