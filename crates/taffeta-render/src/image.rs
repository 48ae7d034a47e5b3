//! The scene as it falls onto the raster.

use glam::DVec3;

use crate::Surface;
use crate::colour::smooth_step;
use crate::projection::Projection;
use crate::props::Props;

/// Everything to be drawn, in raster points.
pub(crate) struct Image<'a> {
    /// Triangles of the cloth.
    pub triangles: &'a [[usize; 3]],
    pub pieces: Vec<Piece>,
    pub lines: Vec<Line>,
    pub marks: Vec<DVec3>,
    /// How strongly lines show on each triangle, from 0 to 1: where the mesh is too fine to be
    /// told apart, its lines would only darken the cloth.
    pub line_strength: Vec<f32>,
}

/// The visible part of a triangle, or half of it where the near plane leaves four corners.
pub(crate) struct Piece {
    pub corners: [DVec3; 3],
    pub triangle: u32,
}

/// The visible part of an edge.
pub(crate) struct Line {
    pub ends: [DVec3; 2],
    pub nodes: [usize; 2],
}

impl<'a> Image<'a> {
    /// Projects all there is, which includes the surface; `pixel` is the size of a pixel on the raster.
    pub fn new(surface: &Surface<'a>, props: &Props, projection: &Projection, pixel: f64) -> Self {
        let to_camera = |&position: &DVec3| projection.to_camera(position);
        let points: Vec<DVec3> = props.positions.iter().map(to_camera).collect();

        let mut pieces = Vec::with_capacity(surface.triangles.len());
        let mut line_strength = vec![0f32; surface.triangles.len()];
        for (triangle, nodes) in (0..).zip(surface.triangles) {
            for corners in projection.project_triangle(nodes.map(|node| points[node])) {
                let strength = smooth_step(2.0, 7.0, thickness(corners) / pixel) as f32;
                let strongest = &mut line_strength[triangle as usize];
                *strongest = strongest.max(strength);
                pieces.push(Piece { corners, triangle });
            }
        }
        let line = |&nodes: &[usize; 2]| {
            let ends = projection.project_segment(points[nodes[0]], points[nodes[1]])?;
            Some(Line { ends, nodes })
        };
        let mark = |&node: &usize| projection.project(points[node]);
        Self {
            triangles: surface.triangles,
            pieces,
            lines: surface.edges.iter().filter_map(line).collect(),
            marks: surface.marked.iter().filter_map(mark).collect(),
            line_strength,
        }
    }
}

/// The smallest of a triangle's heights on the raster.
fn thickness([a, b, c]: [DVec3; 3]) -> f64 {
    let [a, b, c] = [a, b, c].map(DVec3::truncate);
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    if longest > 0.0 { (b - a).perp_dot(c - a).abs() / longest } else { 0.0 }
}
