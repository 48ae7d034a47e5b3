//! A strip of the raster: what every sample of it sees.

use crate::image::Image;
use crate::projection::Projection;
use crate::raster::{Window, fill, stroke};

/// No triangle, in the place of its index.
pub(crate) const NOTHING: u32 = u32::MAX;

/// How much nearer than its line a surface must be, as a share of the distance, to hide it.
const LINE_SLACK: f64 = 2e-4;

/// How much nearer than a body the floor must be, as a share of the distance, to hide it.
const FLOOR_SLACK: f64 = 1e-4;

/// What is drawn over the cloth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Line,
    Ring,
    Mark,
}

#[derive(Clone, Copy)]
pub(crate) struct Sample {
    /// Nearness of the body in front.
    body_nearness: f32,
    /// The nearness that cloth has to exceed: that of the cloth in front, or nearly that of the
    /// body in front, on which cloth may lie.
    hurdle: f32,
    pub triangle: u32,
    pub ink: Ink,
    pub ink_opacity: f32,
}

const BLANK: Sample = Sample { body_nearness: 0.0, hurdle: 0.0, triangle: NOTHING, ink: Ink::Line, ink_opacity: 0.0 };

/// All samples of some rows of the raster.
pub(crate) struct Band {
    window: Window,
    samples: Vec<Sample>,
}

impl Band {
    pub fn new(window: Window) -> Self {
        let count = window.columns.len() * window.rows.len();
        Self { window, samples: vec![BLANK; count] }
    }

    /// The samples of one row of the raster.
    pub fn row(&self, y: usize) -> &[Sample] {
        let width = self.window.columns.len();
        let start = (y - self.window.rows.start) * width;
        &self.samples[start..start + width]
    }

    /// Draws the bodies and the cloth, the nearest triangle winning every sample. Bodies below
    /// the floor, whose nearness is given for every raster point, are hidden; cloth never is.
    pub fn draw_triangles(&mut self, image: &Image, floor: impl Fn(f64, f64) -> f64) {
        let Self { window, samples } = self;
        for piece in &image.body_pieces {
            fill(piece.corners, window, |x, y, nearness| {
                let sunk = nearness * (1.0 + FLOOR_SLACK) < floor(x as f64 + 0.5, y as f64 + 0.5);
                let sample = &mut samples[index(window, x, y)];
                if !sunk && nearness as f32 > sample.body_nearness {
                    sample.body_nearness = nearness as f32;
                    sample.hurdle = (nearness * piece.recession) as f32;
                    sample.triangle = piece.triangle;
                }
            });
        }
        for piece in &image.pieces {
            fill(piece.corners, window, |x, y, nearness| {
                let sample = &mut samples[index(window, x, y)];
                if nearness as f32 > sample.hurdle {
                    sample.hurdle = nearness as f32;
                    sample.triangle = piece.triangle;
                }
            });
        }
    }

    /// Draws the mesh lines. A line shows where nothing is in front of it, and always on the
    /// triangles it borders: on cloth seen edge-on they are in front of it by any small measure.
    pub fn draw_lines(&mut self, image: &Image, radius: f64, opacity: f64) {
        let Self { window, samples } = self;
        for line in &image.lines {
            stroke(line.ends, radius, window, |x, y, nearness, coverage| {
                let sample = &mut samples[index(window, x, y)];
                let in_front = nearness * (1.0 + LINE_SLACK) >= f64::from(sample.hurdle);
                let mut opacity = opacity * coverage;
                let triangle = sample.triangle as usize;
                let mut shows = in_front;
                if let Some(nodes) = image.triangles.get(triangle) {
                    shows |= line.nodes.iter().all(|node| nodes.contains(node));
                    opacity *= f64::from(image.line_strength[triangle]);
                }
                if !shows {
                    return;
                }
                // Lines that cross must not add up to a dark spot.
                sample.ink_opacity = sample.ink_opacity.max(opacity as f32);
            });
        }
    }

    /// Draws the marks as little balls around their nodes, with a dark ring.
    pub fn draw_marks(&mut self, image: &Image, projection: &Projection, radius: f64) {
        let Self { window, samples } = self;
        for &mark in &image.marks {
            let front = mark.z * (1.0 + radius / projection.focal);
            for (ink, radius) in [(Ink::Ring, radius), (Ink::Mark, 0.72 * radius)] {
                stroke([mark, mark], radius, window, |x, y, _, coverage| {
                    let sample = &mut samples[index(window, x, y)];
                    let hidden = front < f64::from(sample.hurdle);
                    if !hidden && coverage >= 0.5 {
                        sample.ink = ink;
                        sample.ink_opacity = 1.0;
                    }
                });
            }
        }
    }
}

fn index(window: &Window, x: usize, y: usize) -> usize {
    (y - window.rows.start) * window.columns.len() + x - window.columns.start
}
