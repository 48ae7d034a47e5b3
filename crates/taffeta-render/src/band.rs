//! A strip of the raster: what every sample of it sees.

use crate::image::Image;
use crate::projection::Projection;
use crate::raster::{Window, fill, stroke};

/// No triangle, in the place of its index.
pub(crate) const NOTHING: u32 = u32::MAX;

/// How much nearer than its line a surface must be, as a share of the distance, to hide it.
const LINE_SLACK: f64 = 2e-4;

/// What is drawn over the cloth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Line,
    Ring,
    Mark,
}

#[derive(Clone, Copy)]
pub(crate) struct Sample {
    nearness: f32,
    pub triangle: u32,
    pub ink: Ink,
    pub ink_opacity: f32,
}

const BLANK: Sample = Sample { nearness: 0.0, triangle: NOTHING, ink: Ink::Line, ink_opacity: 0.0 };

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

    /// Draws the triangles, the nearest one winning every sample.
    pub fn draw_triangles(&mut self, image: &Image) {
        let Self { window, samples } = self;
        for piece in &image.pieces {
            fill(piece.corners, window, |x, y, nearness| {
                let sample = &mut samples[index(window, x, y)];
                let nearness = nearness as f32;
                if nearness > sample.nearness {
                    sample.nearness = nearness;
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
                let in_front = nearness * (1.0 + LINE_SLACK) >= f64::from(sample.nearness);
                let mut opacity = opacity * coverage;
                if sample.triangle != NOTHING {
                    let triangle = sample.triangle as usize;
                    let nodes = &image.triangles[triangle];
                    let borders = line.nodes.iter().all(|node| nodes.contains(node));
                    if !(borders || in_front) {
                        return;
                    }
                    opacity *= f64::from(image.line_strength[triangle]);
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
                    let hidden = front < f64::from(sample.nearness);
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
