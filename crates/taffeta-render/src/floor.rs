//! A floor that fades into the background but for shadows and a faint grid.

use glam::{DVec2, DVec3};

use crate::colour::smooth_step;
use crate::lighting::Lighting;
use crate::projection::Projection;
use crate::props::Props;

/// Cells along each side of the grid the sky's light on the floor is worked out on.
const CELLS: usize = 72;
/// How much darker a grid line is than the floor.
const GRID_STRENGTH: f64 = 0.16;
/// Grid lines that fit into the distance between the eye and its target.
const GRID_DENSITY: f64 = 14.0;

/// A horizontal floor, with the light of the sky on the part of it that things are over.
pub(crate) struct Floor {
    height: f64,
    spacing: f64,
    corner: DVec2,
    cell: f64,
    /// Light of the sky at the `(CELLS + 1)²` corners of the cells.
    sky: Vec<f64>,
}

impl Floor {
    /// A floor at some height, unless the camera is below it.
    pub fn new(height: f64, props: &Props, lighting: &Lighting, projection: &Projection) -> Option<Self> {
        if projection.eye.z <= height {
            return None;
        }
        // Shadows of the sky spread about as far as things are high above the floor.
        let extent = props.bounds.extent().truncate();
        let spread = (props.bounds.max.z - height).max(0.0) + 0.25 * extent.max_element();
        let side = extent.max_element() + 2.0 * spread;
        let corner = props.bounds.centre().truncate() - DVec2::splat(side / 2.0);
        let cell = (side / CELLS as f64).max(f64::MIN_POSITIVE);
        let mut sky = Vec::with_capacity((CELLS + 1) * (CELLS + 1));
        for row in 0..=CELLS {
            for column in 0..=CELLS {
                let at = corner + DVec2::new(column as f64, row as f64) * cell;
                sky.push(lighting.sky_light(at.extend(height), DVec3::Z));
            }
        }
        soften(&mut sky);
        Some(Self { height, spacing: round_length(projection.distance / GRID_DENSITY), corner, cell, sky })
    }

    /// Light from the floor at a raster point as a share of the background's, with `pixel` the
    /// size of a pixel on the raster.
    pub fn shade(&self, projection: &Projection, lighting: &Lighting, (x, y): (f64, f64), pixel: f64) -> f64 {
        let Some(point) = self.meet(projection, x, y) else {
            return 1.0;
        };
        let light = lighting.floor_light(point.extend(self.height), self.sky_light(point));
        let away = point.distance(projection.target().truncate()) / projection.distance;
        let fade = 1.0 - smooth_step(0.35, 1.1, away);
        if fade <= 0.0 {
            return light;
        }
        let beside = self.meet(projection, x + pixel, y);
        let below = self.meet(projection, x, y + pixel);
        let (Some(beside), Some(below)) = (beside, below) else {
            return light;
        };
        let footprint = (beside - point).abs() + (below - point).abs();
        let lines = self.grid(point.x, footprint.x).max(self.grid(point.y, footprint.y));
        light * (1.0 - GRID_STRENGTH * fade * lines)
    }

    /// Nearness of the floor at a raster point; zero above the horizon.
    pub fn nearness(&self, projection: &Projection, x: f64, y: f64) -> f64 {
        (projection.ray(x, y).z / (self.height - projection.eye.z)).max(0.0)
    }

    /// Where the ray through a raster point meets the floor.
    fn meet(&self, projection: &Projection, x: f64, y: f64) -> Option<DVec2> {
        let ray = projection.ray(x, y);
        let along = (self.height - projection.eye.z) / ray.z;
        (along.is_finite() && along > 0.0).then(|| (projection.eye + ray * along).truncate())
    }

    /// Coverage of a pixel by the grid lines across one axis, a pixel wide each; lines too close
    /// together to be told apart fade away.
    fn grid(&self, coordinate: f64, footprint: f64) -> f64 {
        let from_line = (coordinate / self.spacing + 0.5).rem_euclid(1.0) - 0.5;
        let pixels = from_line.abs() * self.spacing / footprint;
        let apart = self.spacing / footprint;
        (1.0 - pixels).clamp(0.0, 1.0) * smooth_step(3.0, 10.0, apart)
    }

    fn sky_light(&self, point: DVec2) -> f64 {
        let at = (point - self.corner) / self.cell;
        let inside = |value: f64| value >= 0.0 && value < CELLS as f64;
        if !(inside(at.x) && inside(at.y)) {
            return 1.0;
        }
        let rest = at.fract();
        let first = at.y as usize * (CELLS + 1) + at.x as usize;
        let across = |start: usize| self.sky[start] * (1.0 - rest.x) + self.sky[start + 1] * rest.x;
        across(first) * (1.0 - rest.y) + across(first + CELLS + 1) * rest.y
    }
}

/// Blurs the light on the cells' corners: the sky is sampled in so few directions that the single
/// shadows would show.
fn soften(sky: &mut [f64]) {
    const SIDE: usize = CELLS + 1;
    const REACH: usize = 3;
    let rows = |line: usize, place: usize| line * SIDE + place;
    let columns = |line: usize, place: usize| place * SIDE + line;
    for address in [rows, columns, rows, columns] {
        for line in 0..SIDE {
            let sharp: Vec<f64> = (0..SIDE).map(|place| sky[address(line, place)]).collect();
            for place in 0..SIDE {
                let around = &sharp[place.saturating_sub(REACH)..SIDE.min(place + REACH + 1)];
                sky[address(line, place)] = around.iter().sum::<f64>() / around.len() as f64;
            }
        }
    }
}

/// The length of the series 1, 2, 5, 10 … (and their fractions) just below the given one.
fn round_length(length: f64) -> f64 {
    let decade = 10f64.powf(length.log10().floor());
    let step = [5.0, 2.0].into_iter().find(|step| step * decade <= length);
    step.unwrap_or(1.0) * decade
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_lengths_are_one_two_or_five() {
        for (length, rounded) in [(0.013, 0.01), (0.24, 0.2), (0.9, 0.5), (7.0, 5.0)] {
            assert!((round_length(length) - rounded).abs() < 1e-12);
        }
    }
}
