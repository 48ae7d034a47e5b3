//! Surfaces of known topology, and what the mesh must say of them.

mod random;
mod rejects;
mod surfaces;

use std::collections::HashMap;
use std::f64::consts::TAU;

use super::{Element, Mesh};
use glam::{DVec2, DVec3};

/// Node positions and elements, not yet validated.
type Parts = (Vec<DVec3>, Vec<Element>);

fn build((positions, elements): Parts) -> Result<Mesh, super::MeshError> {
    Mesh::new(positions, elements, None)
}

fn flat(s: f64, t: f64) -> DVec3 {
    DVec3::new(s, t, 0.0)
}

fn points<const N: usize>(coordinates: [[f64; 3]; N]) -> Vec<DVec3> {
    coordinates.map(DVec3::from_array).to_vec()
}

/// A regular polygon as a fan around its centre, the last node.
fn polygon(sides: usize) -> Parts {
    let rim = |k: usize| DVec2::from_angle(TAU * k as f64 / sides as f64).extend(0.0);
    let positions = (0..sides).map(rim).chain([DVec3::ZERO]).collect();
    let triangle = |k: usize| Element::Triangle([sides, k, (k + 1) % sides]);
    (positions, (0..sides).map(triangle).collect())
}

/// A cylinder, or a torus when `closed`, of quads whose front is outside.
fn tube(around: usize, along: usize, closed: bool) -> Parts {
    let place = |node: usize| {
        let phi = TAU * (node % around) as f64 / around as f64;
        let row = (node / around) as f64 / along as f64;
        if closed {
            let theta = TAU * row;
            let radius = 3.0 + phi.cos();
            DVec3::new(radius * theta.cos(), phi.sin(), -radius * theta.sin())
        } else {
            DVec3::new(phi.cos(), phi.sin(), row)
        }
    };
    let quad = |row: usize, col: usize| {
        let (next_row, next_col) = ((row + 1) % along, (col + 1) % around);
        let node = |row, col| row * around + col;
        let (low, high) = ([node(row, col), node(row, next_col)], next_row);
        Element::Quad([low[0], low[1], node(high, next_col), node(high, col)])
    };
    let rows = if closed { along } else { along - 1 };
    let elements =
        (0..rows).flat_map(|row| (0..around).map(move |col| (row, col))).map(|(row, col)| quad(row, col)).collect();
    ((0..around * along).map(place).collect(), elements)
}

/// A band of `count` quads, two nodes wide, joined with half a twist.
fn moebius(count: usize) -> Parts {
    let mut positions = Vec::new();
    for k in 0..count {
        let theta = TAU * k as f64 / count as f64;
        let out = DVec3::new(theta.cos(), theta.sin(), 0.0);
        let across = (theta / 2.0).cos() * out + (theta / 2.0).sin() * DVec3::Z;
        positions.extend([2.0 * out - 0.5 * across, 2.0 * out + 0.5 * across]);
    }
    let quad = |k: usize| match k + 1 {
        next if next == count => [2 * k, 2 * k + 1, 0, 1],
        next => [2 * k, 2 * k + 1, 2 * next + 1, 2 * next],
    };
    (positions, (0..count).map(quad).map(Element::Quad).collect())
}

/// The surface of a solid made of unit cubes, front outside: the quads between a filled cell and
/// an empty one.
fn cube_surface(solid: &[[i32; 3]]) -> Parts {
    let mut known = HashMap::new();
    let (mut positions, mut elements) = (Vec::new(), Vec::new());
    for &cell in solid {
        for axis in 0..3 {
            for step in [0, 1] {
                let mut beyond = cell;
                beyond[axis] += 2 * step - 1;
                if solid.contains(&beyond) {
                    continue;
                }
                let mut nodes = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
                    let mut corner = cell;
                    corner[axis] += step;
                    corner[(axis + 1) % 3] += u;
                    corner[(axis + 2) % 3] += v;
                    *known.entry(corner).or_insert_with(|| {
                        positions.push(DVec3::from_array(corner.map(f64::from)));
                        positions.len() - 1
                    })
                });
                if step == 0 {
                    nodes.reverse();
                }
                elements.push(Element::Quad(nodes));
            }
        }
    }
    (positions, elements)
}

/// A slab of cubes one layer thick, with the cubes of `holes` left out.
fn slab(nx: i32, ny: i32, holes: &[[i32; 2]]) -> Vec<[i32; 3]> {
    let cells = (0..nx).flat_map(|x| (0..ny).map(move |y| [x, y]));
    let filled = cells.filter(|cell| !holes.contains(cell));
    filled.map(|[x, y]| [x, y, 0]).collect()
}

/// Two meshes side by side, the second shifted.
fn beside((mut positions, mut elements): Parts, second: Parts, shift: DVec3) -> Parts {
    let count = positions.len();
    positions.extend(second.0.into_iter().map(|p| p + shift));
    elements.extend(second.1.into_iter().map(|element| match element {
        Element::Triangle(nodes) => Element::Triangle(nodes.map(|n| n + count)),
        Element::Quad(nodes) => Element::Quad(nodes.map(|n| n + count)),
    }));
    (positions, elements)
}

fn parts(mesh: &Mesh) -> Parts {
    (mesh.positions().to_vec(), mesh.elements().to_vec())
}

fn reversed(element: Element) -> Element {
    match element {
        Element::Triangle([a, b, c]) => Element::Triangle([c, b, a]),
        Element::Quad([a, b, c, d]) => Element::Quad([d, c, b, a]),
    }
}
