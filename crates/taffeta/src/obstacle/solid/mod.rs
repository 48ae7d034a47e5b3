//! A body inside any closed triangle mesh.

mod bvh;
mod check;
mod error;
mod tips;
mod triangle;

use std::sync::Arc;

use glam::DVec3;

use super::{Implicit, Near, Outline, Tip, polar};
use bvh::Bvh;
use triangle::{Feature, nearest_on_triangle};

pub use error::SolidError;

/// The body inside a closed triangle mesh, of any shape and in any number of pieces. Copies share the mesh.
#[derive(Clone, Debug)]
pub struct Solid {
    surface: Arc<Surface>,
}

#[derive(Debug)]
struct Surface {
    outline: Outline,
    corners: Vec<[DVec3; 3]>,
    /// Outward normals of the triangles, and of what the nearest point may be on instead. A point is outside if it is
    /// in front of the normal where it is nearest: at a side that is the mean of two triangles, at a corner the mean of
    /// all weighted by their angles (Bærentzen and Aanæs, Signed distance computation using the angle weighted
    /// pseudonormal, 2005).
    normals: Vec<DVec3>,
    side_normals: Vec<[DVec3; 3]>,
    corner_normals: Vec<DVec3>,
    tree: Bvh,
    tips: Vec<Tip>,
    /// Distances up to this are rounding: nearer to a side or corner, no direction can be told from the points, m.
    blur: f64,
}

impl Solid {
    /// The body inside triangles of these corners, m. The triangles must close and be consistently oriented; if all
    /// face inward they are turned over. Pieces must not overlap, which is not checked. A piece inside another and
    /// facing it is a cavity.
    pub fn new(positions: Vec<DVec3>, mut triangles: Vec<[usize; 3]>) -> Result<Solid, SolidError> {
        let mut neighbours = check::neighbours(&positions, &triangles)?;
        if check::is_inside_out(&positions, &triangles)? {
            for ([_, b, c], [first, _, last]) in triangles.iter_mut().zip(&mut neighbours) {
                std::mem::swap(b, c);
                std::mem::swap(first, last);
            }
        }
        let corners: Vec<_> = triangles.iter().map(|corners| corners.map(|corner| positions[corner])).collect();
        let normals: Vec<_> = corners.iter().map(|&[a, b, c]| (b - a).cross(c - a).normalize()).collect();
        let side_normals = neighbours.iter().zip(&normals);
        let side_normals =
            side_normals.map(|(across, &normal)| across.map(|other| mean(normal + normals[other], normal)));
        let corner_normals = corner_normals(positions.len(), &triangles, &corners, &normals);
        let size = corners.iter().flatten().map(|corner| corner.abs().max_element()).fold(0.0, f64::max);
        Ok(Solid {
            surface: Arc::new(Surface {
                side_normals: side_normals.collect(),
                tips: tips::tips(&positions, &triangles, &corner_normals),
                corner_normals,
                tree: Bvh::new(&corners),
                blur: 1e-12 * size,
                outline: Outline { positions, triangles },
                corners,
                normals,
            }),
        })
    }
}

/// The sum of normals, of unit length, or another if they cancel.
fn mean(sum: DVec3, otherwise: DVec3) -> DVec3 {
    if sum.length() > 1e-9 { sum.normalize() } else { otherwise }
}

/// Normals at the positions, weighted by the angles of the triangles there.
fn corner_normals(count: usize, triangles: &[[usize; 3]], corners: &[[DVec3; 3]], normals: &[DVec3]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; count];
    let mut any = vec![DVec3::Z; count];
    for ((indices, places), &normal) in triangles.iter().zip(corners).zip(normals) {
        for k in 0..3 {
            let [here, next, last] = [places[k], places[(k + 1) % 3], places[(k + 2) % 3]];
            sums[indices[k]] += normal * (next - here).angle_between(last - here);
            any[indices[k]] = normal;
        }
    }
    sums.into_iter().zip(any).map(|(sum, normal)| mean(sum, normal)).collect()
}

impl Implicit for Solid {
    fn near(&self, point: DVec3) -> Near {
        let surface = &*self.surface;
        // Squares overflow beyond; nearer points in the same direction are nearer to the body, and that is all that
        // matters so far out.
        let point = point.clamp(DVec3::splat(-1e100), DVec3::splat(1e100));
        let mut least = f64::INFINITY;
        let mut nearest = (0, DVec3::ZERO, Feature::Face);
        surface.tree.visit_near(point, |triangle| {
            let (place, feature) = nearest_on_triangle(surface.corners[triangle], point);
            let distance_squared = place.distance_squared(point);
            if distance_squared < least {
                least = distance_squared;
                nearest = (triangle, place, feature);
            }
            least
        });
        let (triangle, place, feature) = nearest;
        let offset = point - place;
        let outward = match feature {
            Feature::Face => {
                let normal = surface.normals[triangle];
                return Near { gap: offset.dot(normal), normal };
            }
            Feature::Side(side) => surface.side_normals[triangle][side],
            Feature::Corner(corner) => surface.corner_normals[surface.outline.triangles[triangle][corner]],
        };
        let (distance, direction) = polar(offset, outward);
        let sign = if offset.dot(outward) >= 0.0 { 1.0 } else { -1.0 };
        Near { gap: sign * distance, normal: if distance > surface.blur { sign * direction } else { outward } }
    }

    fn tips(&self, low: DVec3, high: DVec3, tips: &mut Vec<Tip>) {
        let within = |tip: &&Tip| tip.place.cmpge(low).all() && tip.place.cmple(high).all();
        tips.extend(self.surface.tips.iter().filter(within));
    }

    fn reach(&self) -> f64 {
        self.outline(0.0).positions.iter().map(|corner| corner.length()).fold(0.0, f64::max)
    }

    fn outline(&self, _extent: f64) -> Outline {
        self.surface.outline.clone()
    }
}
