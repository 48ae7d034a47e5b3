//! Whether a segment and a triangle have a point in common, decided without rounding.
//!
//! Both are closed sets: touching is meeting. Every decision is a sign of a determinant of the coordinates as they are, which
//! the crate `robust` computes exactly.

use glam::DVec3;
use robust::{Coord, Coord3D};

/// Six times the signed volume of a tetrahedron; its sign is exact.
fn volume(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// Twice the signed area of a triangle seen along an axis; its sign is exact.
fn area(axis: usize, a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let coord = |p: DVec3| Coord { x: p[(axis + 1) % 3], y: p[(axis + 2) % 3] };
    robust::orient2d(coord(a), coord(b), coord(c))
}

/// An axis along which three points are seen as a triangle; none if they are on one line.
fn view(a: DVec3, b: DVec3, c: DVec3) -> Option<usize> {
    (0..3).find(|&axis| area(axis, a, b, c) != 0.0)
}

/// Whether all that are not zero have one sign.
fn agree(signs: [f64; 3]) -> bool {
    signs.iter().all(|&s| s >= 0.0) || signs.iter().all(|&s| s <= 0.0)
}

/// Whether two signs are those of points strictly on one side.
fn same_side(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

/// Whether a segment and a triangle meet; either may be a line or a point.
pub(super) fn segment_meets_triangle([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let Some(axis) = view(a, b, c) else {
        return [[a, b], [b, c], [c, a]].into_iter().any(|side| segments_meet([p, q], side));
    };
    let (from, to) = (volume(a, b, c, p), volume(a, b, c, q));
    if from != 0.0 || to != 0.0 {
        // The plane is met in one point at most, and that is in the triangle if the line goes round all sides the same way.
        return !same_side(from, to) && agree([volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)]);
    }
    in_triangle(axis, p, [a, b, c])
        || in_triangle(axis, q, [a, b, c])
        || [[a, b], [b, c], [c, a]].into_iter().any(|side| cross(axis, [p, q], side))
}

/// Whether a segment that starts at corner `a` of a triangle meets it anywhere beyond its start.
pub(super) fn segment_from_corner_meets_triangle(q: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    let Some(axis) = view(a, b, c) else {
        // All of the triangle is on its sides at a.
        return [b, c]
            .into_iter()
            .any(|end| segments_meet([q, q], [a, end]) || (end != a && segments_meet([end, end], [a, q])));
    };
    // It ends in the triangle, or leaves by the side across.
    volume(a, b, c, q) == 0.0 && (in_triangle(axis, q, [a, b, c]) || cross(axis, [a, q], [b, c]))
}

/// Whether two segments meet; either may be a point.
fn segments_meet([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    if volume(p, q, a, b) != 0.0 {
        return false;
    }
    let triples = [[p, q, a], [p, q, b], [a, b, p], [a, b, q]];
    match triples.into_iter().find_map(|[x, y, z]| view(x, y, z)) {
        Some(axis) => cross(axis, [p, q], [a, b]),
        // Four points on one line.
        None => boxes_meet([p, q], [a, b]),
    }
}

/// Whether the boxes around two segments meet.
fn boxes_meet([p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    p.min(q).cmple(a.max(b)).all() && a.min(b).cmple(p.max(q)).all()
}

/// Whether a point of a triangle's plane is in the triangle, seen along an axis.
fn in_triangle(axis: usize, p: DVec3, [a, b, c]: [DVec3; 3]) -> bool {
    agree([area(axis, a, b, p), area(axis, b, c, p), area(axis, c, a, p)])
}

/// Whether two segments of one plane meet, seen along an axis.
fn cross(axis: usize, [p, q]: [DVec3; 2], [a, b]: [DVec3; 2]) -> bool {
    !same_side(area(axis, p, q, a), area(axis, p, q, b))
        && !same_side(area(axis, a, b, p), area(axis, a, b, q))
        && boxes_meet([p, q], [a, b])
}
