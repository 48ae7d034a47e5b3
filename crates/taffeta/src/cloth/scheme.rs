//! Inextensibility as rows: which condition each node, edge and element of a mesh carries.

use glam::DVec3;

use super::rest::{Quadrature, Rest};
use super::rows::{Answer, RowBuilder, Rows, Stress};
use crate::mesh::{Element, Mesh};

/// How inextensibility is discretised on quads. Triangles always carry nodal conditions and a compliant remainder,
/// because rigid edges lock them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
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

/// All rows of a cloth.
pub(crate) fn rows(mesh: &Mesh, rest: &Rest, scheme: Scheme) -> Rows {
    let mut rows = Rows::default();
    let is_quad: Vec<bool> = mesh.elements().iter().map(|e| matches!(e, Element::Quad(_))).collect();
    push_lengths(&mut rows, mesh, rest, |edge| {
        edge.is_boundary() || (scheme != Scheme::Nodal && edge.elements.iter().flatten().any(|&e| is_quad[e]))
    });

    let corners = mesh.corners();
    for i in 0..mesh.node_count() {
        let elements = mesh.node_elements(i);
        let only_triangles = elements.iter().all(|&e| !is_quad[e]);
        let interior = !mesh.is_boundary_node(i);
        let corner = corners.binary_search(&i).is_ok();
        if interior && (scheme == Scheme::Nodal || only_triangles) {
            push_metric(&mut rows, &NodalMetric::new(mesh, rest, i), Answer::Rigid);
        } else if corner && scheme != Scheme::Edges || interior && scheme == Scheme::EdgesNodalShear {
            push_shear(&mut rows, &NodalMetric::new(mesh, rest, i));
        }
    }

    for (e, element) in mesh.elements().iter().enumerate() {
        if !is_quad[e] {
            let metric = element_metric(rest, e, element);
            push_metric(&mut rows, &metric, Answer::Remainder(metric.area));
        } else if scheme == Scheme::Edges {
            push_shear(&mut rows, &element_metric(rest, e, element));
        }
    }
    rows
}

/// `C = (l²/l₀² − 1)/2` of the chosen edges.
fn push_lengths(rows: &mut Rows, mesh: &Mesh, rest: &Rest, chosen: impl Fn(&crate::mesh::Edge) -> bool) {
    for (k, edge) in mesh.edges().iter().enumerate() {
        if chosen(edge) {
            let mut row = RowBuilder::default();
            let difference = [-1.0, 1.0, 0.0, 0.0];
            row.add(&edge.nodes, &difference, &difference, 0.5 / rest_length(mesh, rest, k).powi(2));
            let r = rows.push(&row, 0.5, Answer::Rigid);
            rows.push_stress(Stress::Tension(r));
        }
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
struct Metric {
    e: RowBuilder,
    f: RowBuilder,
    g: RowBuilder,
    rest: (f64, f64, f64),
    area: f64,
}

impl Metric {
    fn empty() -> Self {
        Self {
            e: RowBuilder::default(),
            f: RowBuilder::default(),
            g: RowBuilder::default(),
            rest: (0.0, 0.0, 0.0),
            area: 0.0,
        }
    }

    /// Adds weight `w` of the metric in the directions `a`, `b` at a quadrature point.
    fn add(&mut self, nodes: &[usize], q: &Quadrature, (a, b): (DVec3, DVec3), w: f64) {
        let (da, db) = (q.along(a), q.along(b));
        self.e.add(nodes, &da, &da, w / 2.0);
        self.f.add(nodes, &da, &db, w);
        self.g.add(nodes, &db, &db, w / 2.0);
        self.rest.0 += w * a.length_squared() / 2.0;
        self.rest.1 += w * a.dot(b);
        self.rest.2 += w * b.length_squared() / 2.0;
        self.area += w;
    }

    fn averaged(mut self) -> Self {
        let inverse = 1.0 / self.area;
        [&mut self.e, &mut self.f, &mut self.g].into_iter().for_each(|row| row.scale(inverse));
        self.rest = (self.rest.0 * inverse, self.rest.1 * inverse, self.rest.2 * inverse);
        self
    }
}

fn push_metric(rows: &mut Rows, metric: &Metric, answer: Answer) {
    let e = rows.push(&metric.e, metric.rest.0, answer);
    let f = rows.push(&metric.f, metric.rest.1, Answer::Shear(metric.area));
    let g = rows.push(&metric.g, metric.rest.2, answer);
    rows.push_stress(Stress::Tensor { e, f, g });
}

fn push_shear(rows: &mut Rows, metric: &Metric) {
    rows.push(&metric.f, metric.rest.1, Answer::Shear(metric.area));
    rows.push_stress(Stress::Shear);
}

/// The metric at the centre of one element, along its own sides.
fn element_metric(rest: &Rest, e: usize, element: &Element) -> Metric {
    let q = rest.centre(e, element);
    let a = q.x_xi.normalize();
    let b = match element {
        Element::Quad(_) => q.x_eta.normalize(),
        Element::Triangle(_) => q.x_xi.cross(q.x_eta).cross(a).normalize(),
    };
    let mut metric = Metric::empty();
    metric.add(element.nodes(), &q, (a, b), q.weight);
    metric.averaged()
}

/// The metric averaged at a node over its elements, weighted with its shape function.
struct NodalMetric;

impl NodalMetric {
    #[expect(clippy::new_ret_no_self, reason = "reads as the noun it makes")]
    fn new(mesh: &Mesh, rest: &Rest, i: usize) -> Metric {
        let mut metric = Metric::empty();
        for &e in mesh.node_elements(i) {
            let element = &mesh.elements()[e];
            let Some(corner) = element.nodes().iter().position(|&n| n == i) else { continue };
            for q in rest.quadrature(e, element) {
                let frame = frame(mesh, rest, i, e, &q);
                metric.add(element.nodes(), &q, frame, q.weight * q.shape[corner]);
            }
        }
        metric.averaged()
    }
}

/// Unit tangents in which node `i` measures element `e`: the grid's own directions, the warp and weft where there are
/// UVs, else the direction of the node's first edge laid into the element.
fn frame(mesh: &Mesh, rest: &Rest, i: usize, e: usize, q: &Quadrature) -> (DVec3, DVec3) {
    if mesh.is_quad_grid() {
        return (q.x_xi.normalize(), q.x_eta.normalize());
    }
    let normal = q.x_xi.cross(q.x_eta).normalize();
    let a = rest.warp(e).unwrap_or_else(|| {
        let edge = mesh.edges()[mesh.node_edges(i)[0]].nodes;
        let along = mesh.positions()[edge[1]] - mesh.positions()[edge[0]];
        along.reject_from_normalized(normal).normalize_or(q.x_xi.normalize())
    });
    (a, normal.cross(a))
}
