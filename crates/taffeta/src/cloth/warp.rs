//! Which way the threads run: the warp direction of every element.
//!
//! Cloth is stiff along warp and weft and shears between them, so the directions matter wherever elements are not
//! themselves bounded by threads: in triangles, and in averages over several elements.

use glam::{DVec2, DVec3};

use super::rest::Quadrature;
use crate::mesh::{Element, Mesh};

/// A unit tangent per element: along u where the mesh has UVs, along the rows of a grid, else the direction nearest to
/// the longest extent of the mesh (for a quad, of its own two directions).
pub(super) fn directions(mesh: &Mesh, corners: &[[DVec3; 4]]) -> Vec<DVec3> {
    let grid = mesh.grid_shape().map(|shape| shape.nx);
    let extents = extents(mesh);
    let elements = mesh.elements().iter().zip(corners).enumerate();
    elements
        .map(|(e, (element, corners))| {
            let q = Quadrature::centre(corners, element);
            match (mesh.uv(), grid) {
                (Some(uv), _) => along_u(&q, &uv[e]),
                (None, Some(nx)) => {
                    let mut uv = [DVec2::ZERO; 4];
                    for (uv, &i) in uv.iter_mut().zip(element.nodes()) {
                        *uv = DVec2::new((i % nx) as f64, (i / nx) as f64);
                    }
                    along_u(&q, &uv)
                }
                (None, None) => along_extent(&q, element, &extents),
            }
        })
        .collect()
}

/// Along lines of constant v, towards growing u.
fn along_u(q: &Quadrature, uv: &[DVec2; 4]) -> DVec3 {
    let along = |d: &[f64; 4]| (0..4).map(|a| uv[a] * d[a]).sum::<DVec2>();
    let (uv_xi, uv_eta) = (along(&q.d_xi), along(&q.d_eta));
    let direction = (q.x_xi * uv_eta.y - q.x_eta * uv_xi.y) * uv_xi.perp_dot(uv_eta).signum();
    direction.normalize_or(q.x_xi.normalize())
}

fn along_extent(q: &Quadrature, element: &Element, extents: &[DVec3; 2]) -> DVec3 {
    let normal = q.x_xi.cross(q.x_eta).normalize();
    let laid = extents.map(|axis| axis.reject_from_normalized(normal));
    // Where the element faces the longest extent, the second longest serves.
    let direction = if laid[0].length_squared() > 0.1 { laid[0] } else { laid[1] }.normalize();
    match element {
        Element::Triangle(_) => direction,
        Element::Quad(_) => {
            let (xi, eta) = (q.x_xi.normalize(), q.x_eta.normalize());
            let nearest = if xi.dot(direction).abs() >= eta.dot(direction).abs() { xi } else { eta };
            nearest * nearest.dot(direction).signum()
        }
    }
}

/// The axes of the longest and second longest extents of the mesh.
fn extents(mesh: &Mesh) -> [DVec3; 2] {
    let bounds = mesh
        .positions()
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)));
    let size = (bounds.1 - bounds.0).to_array();
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| size[b].total_cmp(&size[a]));
    [DVec3::AXES[order[0]], DVec3::AXES[order[1]]]
}
