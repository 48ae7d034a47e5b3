//! Distances between parts of a cloth, for checks and reports.
//!
//! Like the [intersections](super::self_intersections) they are found from positions alone. A distance has no sign: a cloth that
//! passes through itself has gaps too.

use glam::DVec3;

use super::rings::Rings;
use super::sweep::{Extent, overlaps};
use crate::cloth::Surface;

/// Two parts of a cloth that share no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parts {
    /// A node and a triangle, by their nodes.
    NodeFace(usize, [usize; 3]),
    /// Two edges, by their nodes.
    EdgeEdge([usize; 2], [usize; 2]),
}

impl Parts {
    /// How far apart they are at `positions`, m.
    pub fn distance(&self, positions: &[DVec3]) -> f64 {
        match *self {
            Parts::NodeFace(node, triangle) => to_triangle(positions[node], triangle.map(|i| positions[i])),
            Parts::EdgeEdge(first, second) => {
                between_segments(first.map(|i| positions[i]), second.map(|i| positions[i]))
            }
        }
    }

    /// Whether they are close to each other along the cloth, and not two layers of it.
    pub fn are_neighbours(&self, rings: &Rings) -> bool {
        match self {
            Parts::NodeFace(node, triangle) => rings.join(&[*node], triangle),
            Parts::EdgeEdge(first, second) => rings.join(first, second),
        }
    }
}

/// Two parts of a cloth and their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Which parts.
    pub parts: Parts,
    /// How far apart they are, m.
    pub distance: f64,
}

/// All pairs of a node and a triangle or of two edges that share no node and are no further apart than `reach` (m), in order.
///
/// Neighbours are among them: parts one edge apart are as close as the mesh is fine.
/// [`Parts::are_neighbours`] tells them from parts that came together. Nodes that have been sewn together are one.
pub fn self_gaps(positions: &[DVec3], surface: &Surface, reach: f64) -> Vec<Gap> {
    let margin = 0.5 * reach;
    let extent = |nodes: &[u32]| Extent::around(nodes, positions, margin);
    let nodes: Vec<Extent> = (0..surface.node_count() as u32).map(|node| extent(&[node])).collect();
    let edges: Vec<Extent> = surface.edges().iter().map(|edge| extent(edge)).collect();
    let triangles: Vec<Extent> = surface.triangles().iter().map(|triangle| extent(triangle)).collect();
    let index = |node: u32| node as usize;
    let mut gaps = Vec::new();
    let mut measure = |parts: Parts| {
        let distance = parts.distance(positions);
        if distance <= reach {
            gaps.push(Gap { parts, distance });
        }
    };
    let touches =
        |one: &[u32], other: &[u32]| one.iter().any(|&a| other.iter().any(|&b| surface.are_one(positions, a, b)));
    overlaps(&nodes, &triangles, |node, t| {
        let triangle = surface.triangles()[t];
        if !touches(&[node as u32], &triangle) {
            measure(Parts::NodeFace(node, triangle.map(index)));
        }
    });
    overlaps(&edges, &edges, |e, f| {
        let (first, second) = (surface.edges()[e], surface.edges()[f]);
        if e < f && !touches(&first, &second) {
            measure(Parts::EdgeEdge(first.map(index), second.map(index)));
        }
    });
    gaps.sort_by_key(|gap| gap.parts);
    gaps
}

/// The smallest gap between parts that share no node; `None` if there is none within `reach` (m).
pub fn smallest_gap(positions: &[DVec3], surface: &Surface, reach: f64) -> Option<Gap> {
    self_gaps(positions, surface, reach).into_iter().min_by(|a, b| a.distance.total_cmp(&b.distance))
}

/// Distance of a point from a segment.
fn to_segment(p: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let along = b - a;
    let t = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    // A segment that is a point gives no t.
    if t.is_nan() { p.distance(a) } else { p.distance(a + t * along) }
}

/// Distance of a point from a triangle.
fn to_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let inside = |from: DVec3, to: DVec3| (to - from).cross(p - from).dot(normal) >= 0.0;
    if normal != DVec3::ZERO && inside(a, b) && inside(b, c) && inside(c, a) {
        return (p - a).dot(normal.normalize()).abs();
    }
    [[a, b], [b, c], [c, a]].into_iter().map(|side| to_segment(p, side)).fold(f64::INFINITY, f64::min)
}

/// Distance of two segments.
fn between_segments([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> f64 {
    let ends = [to_segment(p, [a, b]), to_segment(q, [a, b]), to_segment(a, [p, q]), to_segment(b, [p, q])];
    let nearest_end = ends.into_iter().fold(f64::INFINITY, f64::min);
    // Where the lines are closest, if that is within both segments.
    let (d, e, r) = (q - p, b - a, a - p);
    let normal = d.cross(e);
    let square = normal.length_squared();
    let within = |t: f64| (0.0..=1.0).contains(&t);
    if within(r.cross(e).dot(normal) / square) && within(r.cross(d).dot(normal) / square) {
        nearest_end.min((r.dot(normal) / square.sqrt()).abs())
    } else {
        nearest_end
    }
}
