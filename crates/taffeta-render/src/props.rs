//! Everything that stands in the studio, as one mesh.

use std::ops::Range;

use glam::DVec3;

use crate::bounds::Bounds;
use crate::colour::linear;
use crate::lighting::Finish;
use crate::{Style, Surface};

/// The mesh of the cloth. Its nodes and triangles keep their indices.
pub(crate) struct Props {
    pub positions: Vec<DVec3>,
    /// Unit normals of the front at the nodes; zero where no triangle has any.
    pub normals: Vec<DVec3>,
    pub triangles: Vec<[usize; 3]>,
    /// In the order of their triangles.
    pub parts: Vec<Part>,
    /// Where shadows are worth their while.
    pub bounds: Bounds,
}

/// A thing in the studio.
pub(crate) struct Part {
    pub triangles: Range<usize>,
    /// Linear colours of the front and of the back.
    pub albedo: [DVec3; 2],
    pub finish: Finish,
}

impl Props {
    pub fn new(surface: &Surface, style: &Style) -> Self {
        let cloth = Part {
            triangles: 0..surface.triangles.len(),
            albedo: [linear(style.front), linear(style.back)],
            finish: Finish::CLOTH,
        };
        let nothing = Bounds { min: DVec3::ZERO, max: DVec3::ZERO };
        Self {
            positions: surface.positions.to_vec(),
            normals: surface.node_normals(),
            triangles: surface.triangles.to_vec(),
            parts: vec![cloth],
            bounds: Bounds::of(surface.positions.iter().copied()).unwrap_or(nothing),
        }
    }

    /// The part that a triangle belongs to.
    pub fn part(&self, triangle: usize) -> &Part {
        let place = self.parts.partition_point(|part| part.triangles.end <= triangle);
        &self.parts[place]
    }

    /// The three corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|node| self.positions[node])
    }
}
