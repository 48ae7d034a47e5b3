//! Every defect is refused, and the message names its place.

use glam::{DVec2, DVec3};
use proptest::prelude::*;

use super::super::{Diagonal, Element, Mesh, MeshError};
use super::*;

/// Checks that a mesh is refused for the expected reason, with these words in the message.
fn refuses(result: Result<Mesh, MeshError>, expected: MeshError, words: &[&str]) {
    let message = expected.to_string();
    assert_eq!(result.err(), Some(expected));
    for word in words {
        assert!(message.contains(word), "no “{word}” in “{message}”");
    }
}

/// A 3 × 3 grid of quads; node 4 is in the middle.
fn sheet() -> Parts {
    Mesh::grid(3, 3, flat).map(|mesh| parts(&mesh)).unwrap()
}

#[test]
fn empty_meshes() {
    refuses(build((vec![], vec![])), MeshError::NoNodes, &["no nodes"]);
    let nodes_only = build((sheet().0, vec![]));
    refuses(nodes_only, MeshError::NoElements, &["no elements"]);
}

#[test]
fn unusable_coordinates() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1e61] {
        let (mut positions, elements) = sheet();
        positions[5].y = bad;
        let error = build((positions, elements)).unwrap_err();
        // NaN is not equal to itself, so the variant is taken apart.
        assert!(matches!(error, MeshError::UnusableCoordinate { node: 5, .. }));
        assert!(error.to_string().contains("node 5"), "{error}");
    }
}

#[test]
fn meshes_of_extreme_size_are_no_defect() {
    for scale in [1e-100, 1e59] {
        let (positions, elements) = sheet();
        let scaled = positions.iter().map(|&p| scale * p).collect();
        let mesh = build((scaled, elements)).unwrap();
        assert_eq!(mesh.corners(), [0, 2, 6, 8], "{scale}");
    }
}

#[test]
fn nodes_out_of_range() {
    let (positions, mut elements) = sheet();
    elements[2] = Element::Quad([3, 4, 9, 6]);
    let expected = MeshError::NodeOutOfRange { element: 2, node: 9, node_count: 9 };
    refuses(build((positions, elements)), expected, &["element 2", "node 9", "0 to 8"]);
}

#[test]
fn repeated_nodes() {
    let (positions, mut elements) = sheet();
    elements[3] = Element::Quad([4, 5, 8, 4]);
    let expected = MeshError::RepeatedNode { element: 3, node: 4 };
    refuses(build((positions, elements)), expected, &["element 3", "node 4"]);
}

#[test]
fn unreferenced_nodes() {
    let (mut positions, elements) = sheet();
    positions.push(DVec3::ONE);
    let expected = MeshError::UnreferencedNode { node: 9 };
    refuses(build((positions, elements)), expected, &["node 9", "remove"]);
}

#[test]
fn duplicate_elements() {
    let (positions, mut elements) = sheet();
    elements.push(Element::Quad([4, 3, 0, 1]));
    let expected = MeshError::DuplicateElement { first: 0, second: 4 };
    refuses(build((positions, elements)), expected, &["0 and 4"]);
}

/// A grid rolled into a tube whose seam is not welded but a gap wide.
fn unwelded(radius: f64, gap: DVec3) -> Result<Mesh, MeshError> {
    Mesh::grid(9, 3, |s, t| {
        let seam = if s == 1.0 { gap } else { DVec3::ZERO };
        let around = DVec2::from_angle(TAU * (s % 1.0));
        (radius * around).extend(3.0 * t) + seam
    })
}

#[test]
fn duplicate_nodes() {
    let expected = MeshError::DuplicateNodes { first: 0, second: 8 };
    let words = ["nodes 0 and 8", "weld"];
    refuses(unwelded(1.0, DVec3::ZERO), expected, &words);

    // Node 8 is within reach of nodes 2 and 5, which are not within reach of each other: whichever
    // side they are on, the lower one is named.
    for side in [-2e-12, 2e-12] {
        let (mut positions, elements) = polygon(9);
        positions[8] = DVec3::new(0.5, 0.25, 0.0);
        positions[2] = positions[8] - side * DVec3::X;
        positions[5] = positions[8] + side * DVec3::X;
        let expected = MeshError::DuplicateNodes { first: 2, second: 8 };
        refuses(build((positions, elements)), expected, &["nodes 2 and 8"]);
    }
}

proptest! {
    #[test]
    fn nodes_are_at_the_same_place_up_to_a_tolerance(
        radius in 0.5..2.0,
        direction in prop::array::uniform3(-1.0..1.0),
    ) {
        let diagonal = DVec3::new(2.0 * radius, 2.0 * radius, 3.0).length();
        let gap = 1e-12 * diagonal * DVec3::from_array(direction).normalize();
        prop_assert!(unwelded(radius, 0.99 * gap).is_err());
        prop_assert!(unwelded(radius, 1.01 * gap).is_ok());
    }
}

#[test]
fn non_manifold_edges() {
    let (mut positions, mut elements) = sheet();
    positions.push(DVec3::new(0.5, 0.2, 1.0));
    elements.push(Element::Triangle([4, 1, 9]));
    let expected = MeshError::NonManifoldEdge { nodes: [1, 4], elements: vec![0, 1, 4] };
    refuses(build((positions, elements)), expected, &["nodes 1 and 4", "[0, 1, 4]"]);

    let touching = build(cube_surface(&[[0, 0, 0], [1, 1, 0]]));
    match touching {
        Err(MeshError::NonManifoldEdge { elements, .. }) => assert_eq!(elements.len(), 4),
        other => panic!("{other:?}"),
    }
}

#[test]
fn bow_ties() {
    let positions = points([[-1.0, -1.0, 0.0], [0.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0]]);
    let elements = vec![Element::Triangle([0, 1, 2]), Element::Triangle([1, 3, 4])];
    let expected = MeshError::NonManifoldNode { node: 1, elements: [0, 1] };
    refuses(build((positions, elements)), expected, &["node 1", "elements 0 and 1"]);

    // Two closed fans, which no count of boundary edges would reveal.
    let touching = build(cube_surface(&[[0, 0, 0], [1, 1, 1]]));
    assert!(matches!(touching, Err(MeshError::NonManifoldNode { .. })));
}

#[test]
fn inverted_elements() {
    let (positions, mut elements) = sheet();
    elements[2] = reversed(elements[2]);
    let expected = MeshError::InvertedElement { element: 2, neighbour: 0, nodes: [4, 3], inverted: 1 };
    refuses(build((positions, elements)), expected, &["element 2 is inverted", "element 0", "node 4 to node 3"]);

    // Of two that disagree the later one is called inverted.
    let (positions, mut elements) = polygon(3);
    elements.remove(2);
    elements[0] = reversed(elements[0]);
    let expected = MeshError::InvertedElement { element: 1, neighbour: 0, nodes: [3, 1], inverted: 1 };
    refuses(build((positions, elements)), expected, &["element 1"]);
}

#[test]
fn one_sided_bands() {
    for count in [5, 8] {
        let error = build(moebius(count)).unwrap_err();
        let MeshError::NonOrientable { nodes, elements } = error else {
            panic!("{error:?}");
        };
        let message = error.to_string();
        assert!(message.contains("one-sided"), "{message}");
        assert!(message.contains(&format!("{} and {}", nodes[0], nodes[1])));
        assert!(message.contains(&format!("{} and {}", elements[0], elements[1])));
        // The advice holds: with nodes of its own for one element along that edge, the band may
        // still have inverted elements, but it has two sides.
        let (mut positions, mut quads) = moebius(count);
        let Element::Quad(corners) = &mut quads[elements[1]] else { unreachable!() };
        for node in corners.iter_mut().filter(|node| nodes.contains(node)) {
            positions.push(positions[*node] + DVec3::splat(0.01));
            *node = positions.len() - 1;
        }
        match build((positions, quads)) {
            Ok(_) | Err(MeshError::InvertedElement { .. }) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[test]
fn elements_without_area() {
    let mut positions = points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 2.0, 0.0]]);
    let elements = vec![Element::Triangle([0, 1, 2]), Element::Triangle([2, 1, 3])];
    assert!(build((positions.clone(), elements.clone())).is_ok());
    positions[3] = DVec3::new(2.0, -1.0, 0.0);
    let expected = MeshError::ZeroArea { element: 1 };
    refuses(build((positions, elements)), expected, &["element 1"]);

    let line = points([[0.0; 3], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
    let quad = vec![Element::Quad([0, 1, 2, 3])];
    let expected = MeshError::ZeroArea { element: 0 };
    refuses(build((line, quad)), expected, &["element 0"]);
}

#[test]
fn thin_elements_are_no_defect_until_they_are_lines() {
    let height = |h: f64| {
        let positions = points([[0.0; 3], [1.0, 0.0, 0.0], [0.5, h, 0.0]]);
        build((positions, vec![Element::Triangle([0, 1, 2])])).is_ok()
    };
    assert!(height(3e-10));
    assert!(!height(1e-10));
}

#[test]
fn folded_quads() {
    let quad = |corner: [f64; 3], order: [usize; 4]| {
        let positions = points([[0.0; 3], [1.0, 0.0, 0.0], corner, [0.0, 1.0, 0.0]]);
        build((positions, vec![Element::Quad(order)]))
    };
    let folded = |corner: usize, node: usize| MeshError::FoldedQuad { element: 0, corner, node };
    let in_order = [0, 1, 2, 3];
    assert!(quad([1.0, 1.0, 0.0], in_order).is_ok());
    assert!(quad([1.0, 1.0, 1.0], in_order).is_ok());
    let words = ["element 0", "corner 2", "node 2"];
    refuses(quad([0.2, 0.2, 0.0], in_order), folded(2, 2), &words);
    // A straight corner has no normal of its own.
    refuses(quad([0.5, 0.5, 0.0], in_order), folded(2, 2), &words);
    // The same corner by another name.
    let words = ["corner 1", "node 2"];
    refuses(quad([0.2, 0.2, 0.0], [1, 2, 3, 0]), folded(1, 2), &words);
    // Self-crossing, with as much area on each side.
    let crossed = quad([1.0, 1.0, 0.0], [0, 1, 3, 2]);
    assert!(matches!(crossed, Err(MeshError::FoldedQuad { .. })));
}

/// A quad, then a triangle on its right side, with these UVs.
fn with_uv(uv: Vec<[DVec2; 4]>) -> Result<Mesh, MeshError> {
    let positions = points([[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.5, 0.0]]);
    let elements = vec![Element::Quad([0, 1, 2, 3]), Element::Triangle([1, 4, 2])];
    Mesh::new(positions, elements, Some(uv))
}

const SQUARE: [DVec2; 4] = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y];

#[test]
fn uv_defects() {
    assert!(with_uv(vec![SQUARE, SQUARE]).is_ok());
    let expected = MeshError::UvCount { found: 1, expected: 2 };
    refuses(with_uv(vec![SQUARE]), expected, &["1 elements", "2 elements"]);

    for bad in [f64::NAN, f64::INFINITY, 1e61] {
        let mut uv = SQUARE;
        uv[2].y = bad;
        let error = with_uv(vec![SQUARE, uv]).unwrap_err();
        let message = error.to_string();
        assert!(matches!(error, MeshError::UnusableUv { element: 1, corner: 2, .. }));
        assert!(message.contains("corner 2 of element 1"), "{message}");
    }

    let line = SQUARE.map(|uv| DVec2::splat(uv.x + 2.0 * uv.y));
    let expected = MeshError::ZeroAreaUv { element: 1 };
    refuses(with_uv(vec![SQUARE, line]), expected, &["element 1"]);

    let mirrored = SQUARE.map(|uv| uv.with_x(-uv.x));
    let expected = MeshError::FlippedUv { element: 1 };
    refuses(with_uv(vec![SQUARE, mirrored]), expected, &["element 1"]);
    let expected = MeshError::FlippedUv { element: 0 };
    refuses(with_uv(vec![mirrored, SQUARE]), expected, &["element 0"]);

    let mut concave = SQUARE;
    concave[2] = DVec2::splat(0.1);
    let expected = MeshError::FoldedUv { element: 0, corner: 2 };
    refuses(with_uv(vec![concave, SQUARE]), expected, &["element 0", "corner 2"]);
}

#[test]
fn grids_of_impossible_size() {
    for (nx, ny) in [(0, 5), (1, 5), (5, 1), (5, 0)] {
        let expected = MeshError::GridTooSmall { nx, ny };
        let size = format!("{nx} × {ny}");
        refuses(Mesh::grid(nx, ny, flat), expected.clone(), &[&size]);
        let cut = Mesh::triangle_grid(nx, ny, Diagonal::Forward, flat);
        refuses(cut, expected, &[&size]);
    }
    for (nx, ny) in [(usize::MAX, 2), (1 << 14, 1 << 13)] {
        let expected = MeshError::GridTooLarge { nx, ny };
        refuses(Mesh::grid(nx, ny, flat), expected, &["too large"]);
    }
}
