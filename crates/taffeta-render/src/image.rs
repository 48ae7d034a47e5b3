//! The scene as it falls onto the raster.

use glam::DVec3;

use crate::Surface;
use crate::colour::smooth_step;
use crate::projection::Projection;
use crate::props::Props;

/// How far cloth may sink into a body and still be seen, as a share of the mean side of its
/// triangles: where it lies on a round body, the middles of its sides are inside. This is enough
/// for radii of 1.25 sides and more.
const SINKING: f64 = 0.1;
/// The same as a share of the distance between the eye and its target, against rounding.
const ROUNDING: f64 = 2e-5;
/// The same for bodies seen edge-on, where it takes more, but within limits: or else cloth would
/// show through them.
const MOST_EDGE_ON: f64 = 8.0;

/// Everything to be drawn, in raster points.
pub(crate) struct Image<'a> {
    /// Triangles of the cloth.
    pub triangles: &'a [[usize; 3]],
    /// Pieces of the bodies.
    pub body_pieces: Vec<Piece>,
    /// Pieces of the cloth.
    pub pieces: Vec<Piece>,
    pub lines: Vec<Line>,
    pub marks: Vec<DVec3>,
    /// How strongly lines show on each triangle of the cloth, from 0 to 1: where the mesh is too
    /// fine to be told apart, its lines would only darken the cloth.
    pub line_strength: Vec<f32>,
}

/// The visible part of a triangle, or half of it where the near plane leaves four corners.
pub(crate) struct Piece {
    pub corners: [DVec3; 3],
    pub triangle: u32,
    /// Cloth has to be this many times as near to be in front: less than once on a body's front,
    /// where cloth may lie, and more on its back.
    pub recession: f64,
}

/// The visible part of an edge.
pub(crate) struct Line {
    pub ends: [DVec3; 2],
    pub nodes: [usize; 2],
}

impl<'a> Image<'a> {
    /// Projects all there is, which includes the surface; `pixel` is the size of a pixel on the
    /// raster.
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
                pieces.push(Piece { corners, triangle, recession: 1.0 });
            }
        }
        let line = |&nodes: &[usize; 2]| {
            let ends = projection.project_segment(points[nodes[0]], points[nodes[1]])?;
            Some(Line { ends, nodes })
        };
        let mark = |&node: &usize| projection.project(points[node]);
        Self {
            triangles: surface.triangles,
            body_pieces: body_pieces(surface, props, projection, &points),
            pieces,
            lines: surface.edges.iter().filter_map(line).collect(),
            marks: surface.marked.iter().filter_map(mark).collect(),
            line_strength,
        }
    }
}

/// The bodies, which give way a little to cloth on their front. They recede at right angles to
/// their surface, because that is how cloth sinks in.
fn body_pieces(surface: &Surface, props: &Props, projection: &Projection, points: &[DVec3]) -> Vec<Piece> {
    let depth = SINKING * surface.mean_side() + ROUNDING * projection.distance;
    let mut pieces = Vec::with_capacity(props.triangles.len() - surface.triangles.len());
    for part in &props.parts[1..] {
        for triangle in part.triangles.clone() {
            let [a, b, c] = props.corners(triangle);
            let toward_eye = (projection.eye - (a + b + c) / 3.0).normalize_or_zero();
            let facing = (b - a).cross(c - a).normalize_or_zero().dot(toward_eye);
            if part.closed && facing <= 0.0 {
                continue;
            }
            for corners in projection.project_triangle(props.triangles[triangle].map(|node| points[node])) {
                let nearness = corners.iter().map(|corner| corner.z).sum::<f64>() / 3.0;
                let behind = nearness * depth / facing.abs().max(1.0 / MOST_EDGE_ON);
                let recession = if facing > 0.0 { 1.0 / (1.0 + behind) } else { 1.0 + behind };
                pieces.push(Piece { corners, triangle: triangle as u32, recession });
            }
        }
    }
    pieces
}

/// The smallest of a triangle's heights on the raster.
fn thickness([a, b, c]: [DVec3; 3]) -> f64 {
    let [a, b, c] = [a, b, c].map(DVec3::truncate);
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    if longest > 0.0 { (b - a).perp_dot(c - a).abs() / longest } else { 0.0 }
}
