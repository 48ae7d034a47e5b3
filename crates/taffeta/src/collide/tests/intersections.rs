//! Constructed cases of a cloth that meets itself.

use glam::DVec3;

use crate::collide::{Intersection, Surface, self_intersections};

fn vectors<const N: usize>(places: [[f64; 3]; N]) -> Vec<DVec3> {
    places.map(DVec3::from).to_vec()
}

/// Two triangles that share no node; the first is (0,0,0), (1,0,0), (0,1,0).
fn two_triangles(second: [[f64; 3]; 3]) -> Vec<Intersection> {
    let [d, e, f] = second;
    let positions = vectors([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], d, e, f]);
    self_intersections(&positions, &Surface::from_triangles(6, vec![[0, 1, 2], [3, 4, 5]]))
}

#[test]
fn an_edge_that_pierces_a_triangle_is_named() {
    let found = two_triangles([[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [5.0, 5.0, 1.0]]);
    assert_eq!(
        found,
        [Intersection { edge: [1, 2], triangle: [3, 4, 5] }, Intersection { edge: [3, 4], triangle: [0, 1, 2] }]
    );
}

#[test]
fn triangles_that_are_apart_do_not_meet_however_close() {
    assert_eq!(two_triangles([[0.2, 0.2, 1.0], [0.3, 0.2, 1.0], [0.2, 0.3, 1.0]]), []);
    assert_eq!(two_triangles([[0.2, 0.2, 1e-300], [0.3, 0.2, 1e-300], [0.2, 0.3, 1e-300]]), []);
    // Beside it in its plane.
    assert_eq!(two_triangles([[1.0, 1e-16, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0]]), []);
}

#[test]
fn touching_counts() {
    // A corner on the face, a corner on a corner, an edge on an edge, and flat on it.
    assert!(!two_triangles([[0.2, 0.2, 0.0], [0.3, 0.2, 1.0], [0.2, 0.3, 1.0]]).is_empty());
    assert!(!two_triangles([[0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, 1.0]]).is_empty());
    assert!(!two_triangles([[0.2, 0.0, 0.0], [0.7, 0.0, 0.0], [0.5, -1.0, 1.0]]).is_empty());
    assert!(!two_triangles([[0.2, 0.2, 0.0], [0.3, 0.2, 0.0], [0.2, 0.3, 0.0]]).is_empty());
}

#[test]
fn triangles_without_area_are_lines_and_points() {
    assert!(!two_triangles([[0.2, 0.2, -1.0], [0.2, 0.2, 0.5], [0.2, 0.2, 1.0]]).is_empty());
    assert!(!two_triangles([[0.2, 0.2, 0.0]; 3]).is_empty());
    assert!(two_triangles([[0.2, 0.2, 0.1]; 3]).is_empty());
    assert!(two_triangles([[2.0, 2.0, -1.0], [2.0, 2.0, 0.5], [2.0, 2.0, 1.0]]).is_empty());
}

/// Two triangles that share the edge from (0,0,0) to (0,1,0); the free corner of the second is given.
fn hinge(free: [f64; 3]) -> Vec<Intersection> {
    let positions = vectors([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.3, 0.0], free]);
    self_intersections(&positions, &Surface::from_triangles(4, vec![[0, 1, 2], [1, 0, 3]]))
}

#[test]
fn neighbours_meet_only_when_folded_flat() {
    assert_eq!(hinge([-1.0, 0.3, 0.0]), [], "a flat sheet");
    assert_eq!(hinge([0.0, 0.3, 1.0]), [], "a right angle");
    assert_eq!(hinge([1.0, 0.3, 1e-300]), [], "the sharpest of folds");
    assert!(!hinge([0.5, 0.3, 0.0]).is_empty(), "flat on each other");
    assert!(!hinge([2.0, 0.9, 0.0]).is_empty(), "flat on each other, reaching out");
    assert!(!hinge([1.0, 0.3, 0.0]).is_empty(), "corner on corner");
}

/// Two triangles that share one node, (0,0,0); the first is that of [`two_triangles`].
fn bow_tie(second: [[f64; 3]; 2]) -> Vec<Intersection> {
    let [d, e] = second;
    let positions = vectors([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], d, e]);
    self_intersections(&positions, &Surface::from_triangles(5, vec![[0, 1, 2], [0, 3, 4]]))
}

#[test]
fn triangles_that_share_a_node_meet_beyond_it_or_not_at_all() {
    assert_eq!(bow_tie([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), []);
    assert_eq!(bow_tie([[0.3, 0.3, 1.0], [0.3, 0.3, 2.0]]), []);
    // The far side of one goes through the other.
    let pierced = bow_tie([[0.3, 0.3, 1.0], [0.3, 0.3, -1.0]]);
    assert_eq!(pierced, [Intersection { edge: [3, 4], triangle: [0, 1, 2] }]);
    // A side of one lies on the other, or on its side.
    assert!(!bow_tie([[0.3, 0.3, 0.0], [0.3, 0.3, 1.0]]).is_empty());
    assert!(!bow_tie([[2.0, 0.0, 0.0], [2.0, 0.0, 1.0]]).is_empty());
}

#[test]
fn nodes_that_are_nowhere_meet_nothing() {
    let nowhere = f64::NAN;
    assert_eq!(two_triangles([[nowhere; 3]; 3]), []);
    assert_eq!(self_intersections(&[], &Surface::from_triangles(0, vec![])), []);
}

/// Nodes of a strip of `n` cells of 1 cm, and its triangles.
fn strip(n: usize, place: impl Fn(f64, f64) -> DVec3) -> (Vec<DVec3>, Surface) {
    let positions = (0..=n).flat_map(|i| [0.0, 0.01].map(|y| place(0.01 * i as f64, y))).collect();
    let cell = |i: u32| [[2 * i, 2 * i + 2, 2 * i + 3], [2 * i, 2 * i + 3, 2 * i + 1]];
    let surface = Surface::from_triangles(2 * n + 2, (0..n as u32).flat_map(cell).collect());
    (positions, surface)
}

#[test]
fn a_strip_wound_through_itself_is_found_where_it_crosses() {
    // A helix of one turn and a half: clear while its pitch is more than its width, through itself when it has none.
    let wound = |pitch: f64| {
        strip(94, move |x, y| {
            let angle = x / 0.1;
            let radius = 0.1 + if pitch == 0.0 { 0.002 * (angle - 6.0) * (angle - 6.0) } else { 0.0 };
            DVec3::new(radius * angle.cos(), radius * angle.sin(), y + pitch * angle)
        })
    };
    let (positions, surface) = wound(0.01);
    assert_eq!(self_intersections(&positions, &surface), []);
    let (positions, surface) = wound(0.0);
    assert!(!self_intersections(&positions, &surface).is_empty());
}

#[test]
fn sewn_nodes_are_one_once_they_meet() {
    // Two triangles with a common side, whose nodes are beside each other by rounding.
    let sewn = |free: [f64; 3], off: f64| {
        let mut surface = Surface::from_triangles(6, vec![[0, 1, 2], [3, 4, 5]]);
        surface.sew(&[[0, 4], [1, 3]]);
        let places = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.3, 0.0], [off, 1.0, -off], [off, 0.0, off], free];
        self_intersections(&vectors(places), &surface)
    };
    assert_eq!(sewn([-1.0, 0.3, 0.0], 1e-11), [], "a flat sheet");
    assert_eq!(sewn([1.0, 0.3, 1.0], 1e-11), [], "a fold");
    assert!(!sewn([-1.0, 0.3, 0.0], 1e-4).is_empty(), "a seam that is still open");
    // A third triangle through both is found as ever.
    let mut surface = Surface::from_triangles(9, vec![[0, 1, 2], [3, 4, 5], [6, 7, 8]]);
    surface.sew(&[[0, 4], [1, 3]]);
    let places = [
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 0.3, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0],
        [-1.0, 0.3, 0.0],
        [-0.2, 0.4, -1.0],
        [-0.2, 0.4, 1.0],
        [-9.0, 9.0, 1.0],
    ];
    let found = self_intersections(&vectors(places), &surface);
    assert!(found.contains(&Intersection { edge: [6, 7], triangle: [3, 4, 5] }), "{found:?}");
}
