//! Triangles: their threads and their shear, for the schemes that hold edges.
//!
//! A thread is warp or weft. `E` and `G` of a triangle are the squared stretches of its threads, and where an edge runs along a
//! thread its length says the same. There are two conditions of that kind per node, those of the grid of quads that a grid of
//! triangles was cut from. A triangle that no thread bounds has `E` and `G` of its own; they are four per node, more than there
//! are coordinates, and a mesh of such triangles can bend only if some of them may become shorter.
//!
//! Shear is the triangle's own up to some stiffness. Of fabrics that are stiffer or rigid in shear, pairs of triangles have the rest:
//! one row per pair is one per node, as in quads, and does not lock.

use glam::DVec3;

use super::rest::{Quadrature, Rest};
use super::rows::Rows;
use super::scheme::{Metric, element_metric, frame, push_shear};
use super::{RowGroup, RowKind, RowLaw};
use crate::mesh::{Element, Mesh};

/// rad. An edge is a thread if it is off the warp or the weft by less than this. Such an edge misses this fraction of the
/// shear, and shear seldom is a tenth.
const ALONG_THREAD: f64 = 0.01;

/// Smallest sine of a corner of two triangles that count as a quad.
const MIN_CORNER: f64 = 0.2;

/// The rows of all triangles but the lengths of edges.
pub(super) fn push_rows(rows: &mut Rows, mesh: &Mesh, rest: &Rest) -> [RowGroup; 2] {
    let (first, mut areas, mut laws) = (rows.len(), Vec::new(), Vec::new());
    let triangles = || (0..mesh.elements().len()).filter(|&e| matches!(mesh.elements()[e], Element::Triangle(_)));
    for e in triangles() {
        push_threads(rows, &mut areas, mesh, rest, e);
    }
    let threads = RowGroup { rows: first..rows.len(), kind: RowKind::Threads(areas) };

    let mut pairs: Vec<Pair> = (0..mesh.edges().len()).filter_map(|edge| Pair::new(mesh, rest, edge)).collect();
    pairs.sort_by(|a, b| b.skew.total_cmp(&a.skew));
    let mut paired = vec![false; mesh.elements().len()];
    for pair in pairs {
        if pair.elements.iter().any(|&e| paired[e]) {
            continue;
        }
        pair.elements.iter().for_each(|&e| paired[e] = true);
        push_shear(rows, &mut laws, &pair.metric(), RowLaw::MeanShear);
        // Without a shear of its own a triangle could fold away across the diagonal, its threads as long as before.
        for e in pair.elements {
            push_shear(rows, &mut laws, &element_metric(mesh, rest, e), RowLaw::TriangleShear);
        }
    }
    for e in triangles().filter(|&e| !paired[e]) {
        push_shear(rows, &mut laws, &element_metric(mesh, rest, e), RowLaw::Shear);
    }
    let shear = RowGroup { rows: threads.rows.end..rows.len(), kind: RowKind::Shear(laws) };
    [threads, shear]
}

/// `E` and `G` of a triangle, unless one of its edges is such a thread.
fn push_threads(rows: &mut Rows, areas: &mut Vec<f64>, mesh: &Mesh, rest: &Rest, e: usize) {
    let metric = element_metric(mesh, rest, e);
    let threads = [(Thread::Warp, &metric.e, metric.rest.0), (Thread::Weft, &metric.g, metric.rest.2)];
    for (thread, row, target) in threads {
        let is_edge = |&edge: &usize| thread_of_edge(mesh, rest, e, edge) == Some(thread);
        if !mesh.element_edges(e).iter().any(is_edge) {
            areas.push(metric.area);
            rows.push_curved(row, target);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thread {
    Warp,
    Weft,
}

/// The thread of triangle `e` that one of its edges runs along.
pub(super) fn thread_of_edge(mesh: &Mesh, rest: &Rest, e: usize, edge: usize) -> Option<Thread> {
    let (cos, sin) = direction_of_edge(mesh, rest, e, edge)?;
    if sin.abs() < ALONG_THREAD {
        Some(Thread::Warp)
    } else if cos.abs() < ALONG_THREAD {
        Some(Thread::Weft)
    } else {
        None
    }
}

/// Cosine and sine of the angle from the warp of triangle `e` to one of its edges.
fn direction_of_edge(mesh: &Mesh, rest: &Rest, e: usize, edge: usize) -> Option<(f64, f64)> {
    let side = mesh.element_edges(e).iter().position(|&k| k == edge)?;
    let (warp, weft) = frame(mesh, rest.warp(e), &rest.centre(e, &mesh.elements()[e]));
    let along = (rest.corner(e, (side + 1) % 3) - rest.corner(e, side)).normalize();
    Some((along.dot(warp), along.dot(weft)))
}

/// Two triangles of one panel that make a convex quad.
struct Pair {
    elements: [usize; 2],
    /// The quad.
    nodes: [usize; 4],
    /// Its centre at rest.
    centre: Quadrature,
    /// Warp and weft there.
    directions: (DVec3, DVec3),
    /// How far from warp and weft the diagonal is: ½ in the middle between them, 0 along one of them.
    skew: f64,
}

impl Pair {
    /// The pair on both sides of an edge.
    fn new(mesh: &Mesh, rest: &Rest, edge: usize) -> Option<Self> {
        let [Some(first), Some(second)] = mesh.edges()[edge].elements else { return None };
        let side = |e: usize| match mesh.elements()[e] {
            Element::Triangle(nodes) => Some((nodes, mesh.element_edges(e).iter().position(|&k| k == edge)?)),
            Element::Quad(_) => None,
        };
        let ((a, i), (b, j)) = (side(first)?, side(second)?);
        let [from, to, top] = [0, 1, 2].map(|k| rest.corner(first, (i + k) % 3));
        // The second walks their edge the other way.
        let [other_to, other_from, tip] = [0, 1, 2].map(|k| rest.corner(second, (j + k) % 3));
        let (cos, sin) = direction_of_edge(mesh, rest, first, edge)?;
        let (other_cos, other_sin) = direction_of_edge(mesh, rest, second, edge)?;
        let apart = (from - other_from).length() + (to - other_to).length();
        let same_angle = (cos * other_cos + sin * other_sin).abs() > 1.0 - ALONG_THREAD * ALONG_THREAD;
        if apart > 1e-6 * from.distance(to) || !same_angle {
            // Threads do not go on across the edge: it is a seam.
            return None;
        }

        let corners = [top, from, tip, to];
        let normal = (tip - top).cross(to - from).normalize();
        let turn = |k: usize| {
            let [p, q, r] = [0, 1, 2].map(|n| corners[(k + n) % 4]);
            (q - p).normalize().cross((r - q).normalize()).dot(normal)
        };
        if (0..4).any(|k| turn(k) < MIN_CORNER) {
            return None;
        }

        let nodes = [a[(i + 2) % 3], a[i], b[(j + 2) % 3], a[(i + 1) % 3]];
        let centre = Quadrature::centre(&corners, &Element::Quad(nodes));
        let directions = frame(mesh, rest.warp(first), &centre);
        Some(Self { elements: [first, second], nodes, centre, directions, skew: (cos * sin).abs() })
    }

    /// The metric at the centre of the quad.
    fn metric(&self) -> Metric {
        let mut metric = Metric::empty();
        metric.add(&self.nodes, &self.centre, self.directions, self.centre.weight);
        metric.averaged()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloth::{Cloth, RestShape, Scheme};
    use crate::mesh::Diagonal;

    /// The rows of shear and their laws.
    fn shear_laws(cloth: &Cloth) -> impl Iterator<Item = (usize, RowLaw)> + '_ {
        cloth.groups().iter().flat_map(|group| match &group.kind {
            RowKind::Shear(laws) => group.rows.clone().zip(laws.iter().copied()).collect(),
            _ => Vec::new(),
        })
    }

    #[test]
    fn a_grid_of_triangles_has_the_rows_of_its_quads_and_a_shear_in_every_triangle() {
        let flat = |s: f64, t: f64| DVec3::new(0.3 * s, 0.4 * t, 0.0);
        let quads = Mesh::grid(5, 6, flat).expect("a valid grid");
        let crumpled: Vec<DVec3> = (0..30u32)
            .map(|i| {
                let i = f64::from(i);
                0.03 * DVec3::new((7.0 * i).sin(), (5.0 * i).cos(), (3.0 * i).sin())
            })
            .zip(quads.positions())
            .map(|(noise, x)| *x + noise)
            .collect();
        let values = |mesh: Mesh| {
            let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::Edges);
            let rows = &cloth.rows;
            let (mut gradient, mut value) = (vec![DVec3::ZERO; rows.incidences()], vec![0.0; rows.len()]);
            rows.evaluate_all(&crumpled, &mut gradient, &mut value);
            let laws: Vec<(usize, RowLaw)> = shear_laws(&cloth).collect();
            let own = |r: &usize| laws.iter().any(|(row, law)| row == r && matches!(law, RowLaw::TriangleShear(_)));
            // Which way a pair is walked round decides the sign of its shear.
            let mut others: Vec<f64> = (0..rows.len()).filter(|r| !own(r)).map(|r| value[r].abs()).collect();
            others.sort_by(f64::total_cmp);
            (others, (0..rows.len()).filter(own).count())
        };
        let (expected, none) = values(quads);
        assert_eq!(none, 0);
        for diagonal in [Diagonal::Forward, Diagonal::Backward, Diagonal::Alternating] {
            let (found, own) = values(Mesh::triangle_grid(5, 6, diagonal, flat).expect("a valid grid"));
            assert_eq!((found.len(), own), (expected.len(), 40));
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-12, "{diagonal:?}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn triangles_that_no_thread_bounds_have_threads_of_their_own() {
        // A hexagon turned by 10°: no edge is along x or y.
        let at = |k: usize| {
            let angle = (60.0 * k as f64 + 10.0).to_radians();
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let positions = std::iter::once(DVec3::ZERO).chain((0..6).map(at)).collect();
        let triangles = (0..6).map(|k| Element::Triangle([0, k + 1, (k + 1) % 6 + 1])).collect();
        let mesh = Mesh::new(positions, triangles, None).expect("a valid mesh");
        let cloth = Cloth::new(mesh, RestShape::Mesh, Scheme::Edges);
        let rows = |wanted: fn(&RowKind) -> bool| {
            cloth.groups().iter().filter(|group| wanted(&group.kind)).map(|group| group.rows.len()).sum::<usize>()
        };
        let count = |wanted: fn(RowLaw) -> bool| shear_laws(&cloth).filter(|&(_, law)| wanted(law)).count();
        assert_eq!(rows(|kind| matches!(kind, RowKind::Threads(_))), 12);
        assert_eq!(rows(|kind| matches!(kind, RowKind::Lengths)), 6, "the boundary");
        let pairs = count(|law| matches!(law, RowLaw::MeanShear(_)));
        assert!(pairs >= 2, "{pairs} of three pairs that are possible");
        assert_eq!(count(|law| matches!(law, RowLaw::TriangleShear(_))), 2 * pairs);
        assert_eq!(count(|law| matches!(law, RowLaw::Shear(_))), 6 - 2 * pairs);
    }
}
