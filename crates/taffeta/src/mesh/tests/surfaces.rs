//! Topology, boundaries and corners of surfaces that are known by other means.

use std::time::{Duration, Instant};

use glam::{DVec2, DVec3};

use super::super::{Diagonal, Edge, Element, GridCorner, GridShape, GridSide, Mesh, MeshError};
use super::*;

/// Euler characteristic, genus, boundary loops and components.
fn summary(mesh: &Mesh) -> (isize, usize, usize, usize) {
    (mesh.euler_characteristic(), mesh.genus(), mesh.boundary_loops().len(), mesh.component_count())
}

#[test]
fn sheets_tubes_and_handles_have_their_known_topology() -> Result<(), MeshError> {
    assert_eq!(summary(&Mesh::grid(4, 6, flat)?), (1, 0, 1, 1));
    assert_eq!(summary(&build(tube(7, 4, false))?), (0, 0, 2, 1));
    assert_eq!(summary(&build(tube(7, 5, true))?), (0, 1, 0, 1));
    assert_eq!(summary(&build(cube_surface(&[[0; 3]]))?), (2, 0, 0, 1));
    let ring = cube_surface(&slab(3, 3, &[[1, 1]]));
    assert_eq!(summary(&build(ring)?), (0, 1, 0, 1));
    let two_holes = cube_surface(&slab(5, 3, &[[1, 1], [3, 1]]));
    assert_eq!(summary(&build(two_holes.clone())?), (-2, 2, 0, 1));
    // Opening a closed surface costs one from the characteristic and no handle.
    let (positions, mut elements) = two_holes.clone();
    elements.pop();
    assert_eq!(summary(&build((positions, elements))?), (-3, 2, 1, 1));
    // Sums over components: genus 2 + 1, characteristic −2 + 0.
    let both = beside(two_holes, tube(7, 5, true), DVec3::new(0.0, 0.0, 20.0));
    assert_eq!(summary(&build(both)?), (-2, 3, 0, 2));
    Ok(())
}

#[test]
fn components_are_numbered_by_lowest_node() -> Result<(), MeshError> {
    let positions =
        points([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0], [1.0, 0.0, 0.0], [6.0, 0.0, 0.0], [0.0, 1.0, 0.0], [5.0, 1.0, 0.0]]);
    let elements = vec![Element::Triangle([1, 3, 5]), Element::Triangle([0, 2, 4])];
    let mesh = build((positions, elements))?;
    assert_eq!(mesh.components(), [0, 1, 0, 1, 0, 1]);
    assert_eq!(mesh.boundary_loops(), [vec![0, 2, 4], vec![1, 3, 5]]);
    Ok(())
}

#[test]
fn pieces_may_lie_on_one_another() -> Result<(), MeshError> {
    let sheet = parts(&Mesh::grid(3, 3, flat)?);
    let stacked = build(beside(sheet.clone(), sheet, DVec3::ZERO))?;
    assert_eq!(stacked.component_count(), 2);
    Ok(())
}

#[test]
fn boundary_of_a_sheet_runs_counter_clockwise() -> Result<(), MeshError> {
    // 6 7 8
    // 3 4 5
    // 0 1 2
    let around = vec![0, 1, 2, 5, 8, 7, 6, 3];
    let quads = Mesh::grid(3, 3, flat)?;
    assert_eq!(quads.boundary_loops(), std::slice::from_ref(&around));
    let triangles = Mesh::triangle_grid(3, 3, Diagonal::Alternating, flat)?;
    assert_eq!(triangles.boundary_loops(), [around]);
    assert!(!quads.is_boundary_node(4) && quads.is_boundary_node(5));
    Ok(())
}

#[test]
fn the_ends_of_a_tube_run_opposite_ways() -> Result<(), MeshError> {
    let mesh = build(tube(4, 3, false))?;
    assert_eq!(mesh.boundary_loops(), [vec![0, 1, 2, 3], vec![8, 11, 10, 9]]);
    assert!(mesh.corners().is_empty());
    Ok(())
}

#[test]
fn a_hole_is_walked_clockwise() -> Result<(), MeshError> {
    let (positions, mut elements) = parts(&Mesh::grid(4, 4, flat)?);
    elements.remove(4);
    let mesh = build((positions, elements))?;
    let outside = vec![0, 1, 2, 3, 7, 11, 15, 14, 13, 12, 8, 4];
    assert_eq!(mesh.boundary_loops(), [outside, vec![5, 9, 10, 6]]);
    // At the hole the interior angle is 3π/2, so that it has no corners.
    assert_eq!(mesh.corners(), [0, 3, 12, 15]);
    Ok(())
}

#[test]
fn edges_are_in_order_of_first_appearance() -> Result<(), MeshError> {
    let mesh = Mesh::grid(3, 2, flat)?;
    let edge = |a, b, first, second| Edge { nodes: [a, b], elements: [Some(first), second] };
    let expected = [
        edge(0, 1, 0, None),
        edge(1, 4, 0, Some(1)),
        edge(4, 3, 0, None),
        edge(3, 0, 0, None),
        edge(1, 2, 1, None),
        edge(2, 5, 1, None),
        edge(5, 4, 1, None),
    ];
    assert_eq!(mesh.edges(), expected);
    assert_eq!(mesh.element_edges(1), [4, 5, 6, 1]);
    assert_eq!(mesh.node_edges(4), [1, 2, 6]);
    assert_eq!(mesh.node_elements(4), [0, 1]);
    Ok(())
}

#[test]
fn corners_of_a_sheet_are_its_four_corners() -> Result<(), MeshError> {
    let rolled = |s: f64, t: f64| DVec3::new(s.cos(), s.sin(), 2.0 * t);
    for place in [flat, rolled] {
        let mesh = Mesh::grid(7, 9, place)?;
        assert_eq!(mesh.corners(), [0, 6, 56, 62]);
        for diagonal in [Diagonal::Forward, Diagonal::Backward, Diagonal::Alternating] {
            let cut = Mesh::triangle_grid(7, 9, diagonal, place)?;
            assert_eq!(cut.corners(), [0, 6, 56, 62]);
        }
    }
    Ok(())
}

#[test]
fn polygons_have_corners_up_to_seven_sides() -> Result<(), MeshError> {
    for sides in 3..=12 {
        let mesh = build(polygon(sides))?;
        let expected = if sides <= 7 { sides } else { 0 };
        assert_eq!(mesh.corners().len(), expected, "{sides} sides");
    }
    // The tip of a steep cone is sharp, but not on the boundary.
    let (mut positions, elements) = polygon(9);
    positions[9].z = 20.0;
    assert!(!build((positions, elements))?.corners().contains(&9));
    Ok(())
}

#[test]
fn grids_place_and_name_their_nodes() -> Result<(), MeshError> {
    let mesh = Mesh::grid(4, 3, |s, t| DVec3::new(3.0 * s, 4.0 * t, 1.0))?;
    assert_eq!(mesh.positions()[6], DVec3::new(2.0, 2.0, 1.0));
    assert_eq!(mesh.elements()[4], Element::Quad([5, 6, 10, 9]));
    assert!(mesh.is_quad_grid() && mesh.uv().is_none());
    let shape = mesh.grid_shape();
    assert_eq!(shape, Some(GridShape::new(4, 3)?));

    let shape = GridShape::new(4, 3)?;
    let corner = |name| GridCorner::from_name(name).map(|corner| shape.corner(corner));
    assert_eq!(corner("bottom-left"), Some(0));
    assert_eq!(corner("bottom-right"), Some(3));
    assert_eq!(corner("top-left"), Some(8));
    assert_eq!(corner("top-right"), Some(11));
    assert_eq!(corner("TopRight"), None);
    let side = |name| GridSide::from_name(name).map(|side| shape.side(side));
    assert_eq!(side("bottom"), Some(vec![0, 1, 2, 3]));
    assert_eq!(side("top"), Some(vec![8, 9, 10, 11]));
    assert_eq!(side("left"), Some(vec![0, 4, 8]));
    assert_eq!(side("right"), Some(vec![3, 7, 11]));
    assert_eq!(side("up"), None);

    let cut = Mesh::triangle_grid(4, 3, Diagonal::Forward, flat)?;
    assert!(!cut.is_quad_grid());
    assert_eq!(cut.grid_shape(), Some(shape));
    assert!(build(parts(&mesh))?.grid_shape().is_none());
    Ok(())
}

#[test]
fn diagonals_go_the_way_they_are_named() -> Result<(), MeshError> {
    // 6 7 8
    // 3 4 5
    // 0 1 2
    let diagonals = |diagonal| -> Result<Vec<[usize; 2]>, MeshError> {
        let mesh = Mesh::triangle_grid(3, 3, diagonal, flat)?;
        let ends = mesh.edges().iter().map(|edge| {
            let [a, b] = edge.nodes;
            [a.min(b), a.max(b)]
        });
        Ok(ends.filter(|[a, b]| ![1, 3].contains(&(b - a))).collect())
    };
    assert_eq!(diagonals(Diagonal::Forward)?, [[0, 4], [1, 5], [3, 7], [4, 8]]);
    assert_eq!(diagonals(Diagonal::Backward)?, [[1, 3], [2, 4], [4, 6], [5, 7]]);
    assert_eq!(diagonals(Diagonal::Alternating)?, [[0, 4], [2, 4], [4, 6], [4, 8]]);
    Ok(())
}

#[test]
fn quads_are_cut_along_the_shorter_diagonal() -> Result<(), MeshError> {
    let quad = vec![Element::Quad([0, 1, 2, 3])];
    let cut = |skew: f64| -> Result<Vec<[usize; 3]>, MeshError> {
        let positions = points([[0.0, 0.0, 0.0], [0.7, 0.0, 0.0], [0.7 + skew, 0.1, 0.0], [skew, 0.1, 0.0]]);
        Ok(Mesh::new(positions, quad.clone(), None)?.triangles())
    };
    let [even, odd] = [vec![[0, 1, 2], [0, 2, 3]], vec![[0, 1, 3], [1, 2, 3]]];
    assert_eq!(cut(0.0)?, even);
    assert_eq!(cut(-0.1)?, even);
    assert_eq!(cut(0.1)?, odd);
    Ok(())
}

#[test]
fn uvs_are_kept() -> Result<(), MeshError> {
    let positions = points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    // The entry a triangle does not use may hold anything.
    let uv = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::INFINITY];
    let mesh = Mesh::new(positions, vec![Element::Triangle([0, 1, 2])], Some(vec![uv]))?;
    assert_eq!(mesh.uv(), Some(&[uv][..]));
    Ok(())
}

/// Quadratic time would be minutes here; linear time is a small part of a second.
#[test]
fn a_hundred_thousand_elements_take_linear_time() -> Result<(), MeshError> {
    let start = Instant::now();
    let sheet = Mesh::grid(317, 317, flat)?;
    assert_eq!(sheet.elements().len(), 316 * 316);
    // One node in every element.
    let fan = build(polygon(100_000))?;
    assert_eq!(fan.node_elements(100_000).len(), 100_000);
    // All nodes but those of one far piece within a tiny part of the bounding box.
    let far = beside(parts(&sheet), tube(4, 3, false), DVec3::splat(1e9));
    assert_eq!(build(far)?.component_count(), 2);
    let elapsed = start.elapsed();
    assert!(elapsed < Duration::from_secs(10), "{elapsed:?}");
    Ok(())
}
