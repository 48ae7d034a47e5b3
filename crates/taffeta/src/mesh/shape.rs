//! The shape of single elements, in space and in the UV plane.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use super::topology::Topology;
use super::validate::usable;
use super::{Element, MeshError};

/// Twice the area, relative to the longest edge squared, below which an element is a line.
const FLAT: f64 = 2e-10;

/// Boundary nodes of a smaller interior angle are corners. The margin keeps rounding from
/// choosing some nodes of a regular octagon, whose angle this is.
const CORNER_ANGLE: f64 = 0.75 * PI - 1e-9;

/// What is wrong with an outline.
enum Defect {
    NoArea,
    Folded { corner: usize },
}

/// Normals at the corners of an outline scaled to a longest edge of one, each as long as twice
/// the area of the triangle that the corner makes with its neighbours.
fn corner_normals(outline: &[DVec3]) -> [DVec3; 4] {
    let count = outline.len();
    let side = |k: usize| outline[(k + 1) % count] - outline[k % count];
    let longest = (0..count).map(|k| side(k).length()).fold(0.0, f64::max);
    let mut normals = [DVec3::ZERO; 4];
    if longest > 0.0 {
        for (k, normal) in normals[..count].iter_mut().enumerate() {
            *normal = (side(k + count - 1) / longest).cross(side(k) / longest);
        }
    }
    normals
}

fn defect(normals: &[DVec3]) -> Option<Defect> {
    if normals.iter().all(|normal| normal.length() < FLAT) {
        return Some(Defect::NoArea);
    }
    let mean = normals.iter().sum::<DVec3>().normalize_or_zero();
    // Half the tolerance, so that rounding cannot make a triangle, all of whose corner normals
    // are equal, pass the first test and fail this one.
    let folded = |normal: &DVec3| normal.dot(mean) <= 0.5 * FLAT;
    let corner = normals.iter().position(folded)?;
    Some(Defect::Folded { corner })
}

/// Refuses elements without area, and quads that are folded, concave or self-crossing.
pub(super) fn check_elements(positions: &[DVec3], elements: &[Element]) -> Result<(), MeshError> {
    for (element, shape) in elements.iter().enumerate() {
        let nodes = shape.nodes();
        let mut outline = [DVec3::ZERO; 4];
        for (point, &node) in outline.iter_mut().zip(nodes) {
            *point = positions[node];
        }
        let normals = corner_normals(&outline[..nodes.len()]);
        match defect(&normals[..nodes.len()]) {
            None => {}
            Some(Defect::NoArea) => return Err(MeshError::ZeroArea { element }),
            Some(Defect::Folded { corner }) => {
                let node = nodes[corner];
                return Err(MeshError::FoldedQuad { element, corner, node });
            }
        }
    }
    Ok(())
}

/// Refuses UVs that do not map every element one to one and without mirroring.
pub(super) fn check_uvs(uvs: &[[DVec2; 4]], elements: &[Element]) -> Result<(), MeshError> {
    if uvs.len() != elements.len() {
        return Err(MeshError::UvCount { found: uvs.len(), expected: elements.len() });
    }
    for (element, (shape, corners)) in elements.iter().zip(uvs).enumerate() {
        let count = shape.nodes().len();
        let unusable = |uv: &DVec2| !usable(&uv.to_array());
        if let Some(corner) = corners[..count].iter().position(unusable) {
            let uv = corners[corner];
            return Err(MeshError::UnusableUv { element, corner, uv });
        }
        let outline = corners.map(|uv| uv.extend(0.0));
        let normals = corner_normals(&outline[..count]);
        match defect(&normals[..count]) {
            Some(Defect::NoArea) => return Err(MeshError::ZeroAreaUv { element }),
            Some(Defect::Folded { corner }) => {
                return Err(MeshError::FoldedUv { element, corner });
            }
            None if normals[0].z < 0.0 => return Err(MeshError::FlippedUv { element }),
            None => {}
        }
    }
    Ok(())
}

/// Boundary nodes at which the cloth ends in a corner, ascending.
pub(super) fn find_corners(positions: &[DVec3], elements: &[Element], topology: &Topology) -> Vec<usize> {
    let interior_angle = |node: usize| -> f64 {
        let angles = topology.node_elements.of(node).iter().map(|&e| {
            let nodes = elements[e].nodes();
            let corner = nodes.iter().position(|&other| other == node).unwrap_or(0);
            let towards = |k: usize| (positions[nodes[k % nodes.len()]] - positions[node]).normalize();
            let (a, b) = (towards(corner + 1), towards(corner + nodes.len() - 1));
            a.cross(b).length().atan2(a.dot(b))
        });
        angles.sum()
    };
    (0..positions.len()).filter(|&node| topology.on_boundary[node] && interior_angle(node) < CORNER_ANGLE).collect()
}
