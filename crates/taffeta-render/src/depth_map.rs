//! What a distant light sees of the scene, and hence what it leaves in shadow.

use glam::DVec3;

use crate::bounds::Bounds;
use crate::props::Props;
use crate::raster::{Window, fill};

/// Steeper receivers than this (in height per length across) are treated as this steep: they catch
/// next to no light anyway, and their own slope would excuse them from every shadow.
const STEEPEST: f64 = 4.0;

/// How many times larger than for cloth alone a map may get where there are large bodies, before
/// its texels get larger instead.
const LARGEST: f64 = 2.0;

/// Heights of the surfaces towards a light, on a square grid of texels across its beam.
pub(crate) struct DepthMap {
    right: DVec3,
    up: DVec3,
    toward: DVec3,
    /// Coordinates of the grid's corner along `right` and `up`.
    corner: (f64, f64),
    /// Side of a texel, in units of length.
    texel: f64,
    size: usize,
    heights: Vec<f32>,
}

impl DepthMap {
    /// The map for a light in the direction `toward`, a unit vector. The cloth gets `size` texels
    /// along a side, and what of the region is around it as many more as it takes, within limits.
    pub fn new(props: &Props, region: Bounds, toward: DVec3, size: usize) -> Self {
        let (right, up) = toward.any_orthonormal_pair();
        let beam = |p: DVec3| DVec3::new(p.dot(right), p.dot(up), p.dot(toward));
        let points: Vec<DVec3> = props.positions.iter().map(|&p| beam(p)).collect();
        let nothing = Bounds { min: DVec3::ZERO, max: DVec3::ZERO };
        let all = Bounds::of(points.iter().copied()).unwrap_or(nothing);
        let region = Bounds::of(region.corners().map(beam)).and_then(|region| all.within(region));
        let region = region.unwrap_or(all);
        let cloth = Bounds::of(points[props.parts[0].nodes.clone()].iter().copied()).unwrap_or(nothing);
        let side = |bounds: Bounds| bounds.extent().truncate().max_element();
        // An empty rim, so that filtering at the outline finds nothing there.
        let finest = side(cloth) / (size as f64 - 2.0);
        let coarsest = side(region) / (LARGEST * size as f64 - 2.0);
        let texel = finest.max(coarsest).max(f64::MIN_POSITIVE);
        let size = (side(region) / texel - 1e-6).ceil() as usize + 2;
        let mut map = Self {
            right,
            up,
            toward,
            corner: (region.min.x - texel, region.min.y - texel),
            texel,
            size,
            heights: vec![f32::NEG_INFINITY; size * size],
        };
        let window = Window { columns: 0..size, rows: 0..size };
        let texels: Vec<DVec3> = points.iter().map(|&point| map.to_texels(point)).collect();
        for triangle in &props.triangles {
            fill(triangle.map(|node| texels[node]), &window, |x, y, height| {
                let stored = &mut map.heights[y * size + x];
                *stored = stored.max(height as f32);
            });
        }
        map
    }

    fn to_texels(&self, beam: DVec3) -> DVec3 {
        let (left, bottom) = self.corner;
        DVec3::new((beam.x - left) / self.texel, (beam.y - bottom) / self.texel, beam.z)
    }

    fn place(&self, point: DVec3) -> DVec3 {
        self.to_texels(DVec3::new(point.dot(self.right), point.dot(self.up), point.dot(self.toward)))
    }

    /// Whether the map knows all that [`lit`](Self::lit) looks at.
    pub fn covers(&self, point: DVec3, reach: i64) -> bool {
        let at = self.place(point);
        let border = reach as f64 + 2.0;
        let inside = |place: f64| place >= border && place <= self.size as f64 - border;
        inside(at.x) && inside(at.y)
    }

    /// How much of a point's surroundings the light reaches, from 0 to 1, averaged over a square
    /// of `reach` texels to each side. The surroundings are taken to lie in the plane through the
    /// point with the given normal (either way round), so that a flat surface never shades itself.
    /// Off the map there is light.
    pub fn lit(&self, point: DVec3, normal: DVec3, reach: i64) -> f64 {
        let at = self.place(point);
        let (column, row) = ((at.x - 0.5).floor(), (at.y - 0.5).floor());
        let margin = -(reach as f64) - 2.0;
        let near = |place: f64| place > margin && place < self.size as f64 - margin;
        let near_map = near(column) && near(row);
        if !near_map {
            return 1.0;
        }
        let (x_rest, y_rest) = (at.x - 0.5 - column, at.y - 0.5 - row);
        let (column, row) = (column as i64, row as i64);

        let facing = normal.dot(self.toward);
        let rise = |across: f64| {
            let slope = -across / facing;
            if slope.is_finite() { slope.clamp(-STEEPEST, STEEPEST) * self.texel } else { 0.0 }
        };
        let x_slope = rise(normal.dot(self.right));
        let y_slope = rise(normal.dot(self.up));
        // The surroundings are not quite a plane, the less so the steeper they are and the wider
        // the filter, and the stored heights are rounded.
        let steepness = x_slope.hypot(y_slope);
        let slack = 0.75 * self.texel + reach as f64 * (0.1 * self.texel + 0.4 * steepness);

        let side = self.size as i64;
        let mut reached = 0.0;
        for j in -reach..=reach + 1 {
            let y_weight = border_weight(j, reach, y_rest);
            for i in -reach..=reach + 1 {
                let weight = y_weight * border_weight(i, reach, x_rest);
                let (x, y) = (column + i, row + j);
                let inside = (0..side).contains(&x) && (0..side).contains(&y);
                let height = at.z + x_slope * (i as f64 - x_rest) + y_slope * (j as f64 - y_rest);
                let hidden = inside && f64::from(self.heights[(y * side + x) as usize]) > height + slack;
                if !hidden {
                    reached += weight;
                }
            }
        }
        let width = (2 * reach + 1) as f64;
        reached / (width * width)
    }
}

/// Share of a texel inside a filter that slides smoothly between texels.
fn border_weight(offset: i64, reach: i64, rest: f64) -> f64 {
    if offset == -reach {
        1.0 - rest
    } else if offset == reach + 1 {
        rest
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Style, Surface};

    #[test]
    fn a_sheet_shades_what_is_below_it_but_not_itself() {
        let positions = [
            DVec3::new(-1.0, -1.0, 1.0),
            DVec3::new(1.0, -1.0, 1.0),
            DVec3::new(1.0, 1.0, 1.5),
            DVec3::new(-1.0, 1.0, 1.5),
        ];
        let surface = Surface {
            positions: &positions,
            triangles: &[[0, 1, 2], [0, 2, 3]],
            edges: &[],
            marked: &[],
            colours: &[],
        };
        let normal = DVec3::new(0.0, -0.5, 2.0).normalize();
        let props = Props::new(&Scene { surface, bodies: &[] }, &Style::default());
        let map = DepthMap::new(&props, props.bounds, DVec3::Z, 64);
        assert!((map.lit(DVec3::new(0.2, 0.0, 1.25), normal, 2) - 1.0).abs() < 1e-12);
        assert!(map.lit(DVec3::new(0.2, 0.0, 0.5), DVec3::Z, 2) < 1e-12);
        assert!((map.lit(DVec3::new(3.0, 0.0, 0.5), DVec3::Z, 2) - 1.0).abs() < 1e-12);
        assert!(map.covers(DVec3::ZERO, 2) && !map.covers(DVec3::X, 2));
        let edge = map.lit(DVec3::new(1.0, 0.0, 0.5), DVec3::Z, 2);
        assert!((0.2..0.8).contains(&edge));
    }
}
