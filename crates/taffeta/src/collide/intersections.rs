//! The independent checker of a frame: which edges of a cloth pierce or touch which of its triangles.
//!
//! It knows positions and nothing of how they came about, shares no code with the broad phase, and does not round: a frame
//! without intersections is free of them. A crossing of two surfaces shows where an edge of one meets a triangle of the other,
//! so edges against triangles is all there is to test.

use glam::DVec3;

use super::exact::{segment_from_corner_meets_triangle, segment_meets_triangle};
use super::sweep::{Extent, overlaps};
use crate::cloth::Surface;

/// An edge and a triangle that have a point in common which they should not have; by their nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Intersection {
    /// The nodes of the edge, the lower first.
    pub edge: [usize; 2],
    /// The nodes of the triangle, in the order of the surface.
    pub triangle: [usize; 3],
}

/// All intersections of the surface with itself, in the order of its edges and then of its triangles.
///
/// - An edge and a triangle that share no node intersect if they have any point in common: touching counts, be it at a
///   point, along a line or flat on each other, and so does a triangle that has shrunk to a line or a point.
/// - An edge that has one node in common with a triangle intersects it if they meet anywhere beyond that node. This takes
///   an edge in the plane of the triangle and over it: two neighbours folded flat on each other. Short of that, the
///   angle between them can be as small as it likes.
/// - An edge of the triangle itself never intersects it.
/// - Nodes that have been sewn together are one, though rounding may have left them beside each other.
///
/// Nodes that are not at a finite place meet nothing.
pub fn self_intersections(positions: &[DVec3], surface: &Surface) -> Vec<Intersection> {
    let edges: Vec<Extent> = surface.edges().iter().map(|edge| Extent::around(edge, positions, 0.0)).collect();
    let triangles: Vec<Extent> = surface.triangles().iter().map(|t| Extent::around(t, positions, 0.0)).collect();
    let mut found = Vec::new();
    overlaps(&edges, &triangles, |e, t| {
        if meet(positions, surface, surface.edges()[e], surface.triangles()[t]) {
            found.push((e, t));
        }
    });
    found.sort_unstable();
    let index = |node: u32| node as usize;
    let name = |(e, t): (usize, usize)| Intersection {
        edge: surface.edges()[e].map(index),
        triangle: surface.triangles()[t].map(index),
    };
    found.into_iter().map(name).collect()
}

fn meet(positions: &[DVec3], surface: &Surface, [p, q]: [u32; 2], triangle: [u32; 3]) -> bool {
    let place = |node: u32| positions[node as usize];
    let corner = |node: u32| triangle.iter().position(|&other| surface.are_one(positions, node, other));
    let from_corner = |k: usize, end: u32| {
        let [a, b, c] = [0, 1, 2].map(|i| place(triangle[(k + i) % 3]));
        segment_from_corner_meets_triangle(place(end), [a, b, c])
    };
    match (corner(p), corner(q)) {
        (None, None) => segment_meets_triangle([place(p), place(q)], triangle.map(place)),
        (Some(k), None) => from_corner(k, q),
        (None, Some(k)) => from_corner(k, p),
        (Some(_), Some(_)) => false,
    }
}
