//! From a scene to a picture.

use glam::DVec3;

use crate::band::{Band, Ink, NOTHING};
use crate::colour::{linear, soften_highlights, srgb};
use crate::floor::Floor;
use crate::image::Image;
use crate::lighting::Lighting;
use crate::picture::LONGEST_SIDE;
use crate::projection::Projection;
use crate::props::Props;
use crate::raster::Window;
use crate::skin::Skin;
use crate::{Camera, Picture, RenderError, Scene, Style, Surface};

/// Pixel rows drawn at a time; keeps the samples small enough for the cache.
const BAND_ROWS: usize = 32;
/// Width of the mesh lines, in pixels.
const LINE_WIDTH: f64 = 1.0;
/// Radius of the marks as a share of the picture's height, and at least in pixels.
const MARK_RADIUS: f64 = 0.0075;
const SMALLEST_MARK: f64 = 2.5;

/// Takes a picture of a surface with nothing around it; see [`render_scene`].
///
/// # Errors
///
/// If the picture has no or too many pixels, a position cannot be drawn, an index refers to no
/// node, or the camera or the style make no sense.
pub fn render(
    surface: &Surface,
    camera: &Camera,
    style: &Style,
    width: usize,
    height: usize,
) -> Result<Picture, RenderError> {
    render_scene(&Scene { surface: *surface, bodies: &[] }, camera, style, width, height)
}

/// Takes a picture of a scene.
///
/// The same arguments always give the same picture. Where cloth touches a body, the cloth is seen.
///
/// # Errors
///
/// If the picture has no or too many pixels, a position cannot be drawn, an index refers to no
/// node, or the camera or the style make no sense.
pub fn render_scene(
    scene: &Scene,
    camera: &Camera,
    style: &Style,
    width: usize,
    height: usize,
) -> Result<Picture, RenderError> {
    let sides = 1..=LONGEST_SIDE;
    if !(sides.contains(&width) && sides.contains(&height)) {
        return Err(RenderError::PictureSize { width, height, limit: LONGEST_SIDE });
    }
    style.check()?;
    scene.check()?;
    let studio = Studio::new(scene, camera, style, width, height)?;

    let mut picture = Picture::filled(width, height, style.background);
    for first in (0..height).step_by(BAND_ROWS) {
        let rows = first..(first + BAND_ROWS).min(height);
        let band = studio.draw(rows.start..rows.end, width);
        for y in rows {
            studio.develop(&band, y, picture.row_mut(y));
        }
    }
    Ok(picture)
}

/// Everything that stays the same from pixel to pixel.
struct Studio<'a> {
    projection: Projection,
    image: Image<'a>,
    lighting: Lighting,
    props: Props,
    skin: Skin,
    floor: Option<Floor>,
    background: DVec3,
    line: DVec3,
    line_opacity: f64,
    mark: DVec3,
    mark_radius: f64,
    supersample: usize,
}

/// The samples of one pixel that see the same triangle. They are lit together, at their middle:
/// light varies little across a triangle within a pixel, and what varies a lot, the outlines, is
/// told apart by every sample.
struct Share {
    triangle: u32,
    count: f64,
    sum: (f64, f64),
    ink: DVec3,
    ink_opacity: f64,
}

impl<'a> Studio<'a> {
    fn new(
        scene: &Scene<'a>,
        camera: &Camera,
        style: &Style,
        width: usize,
        height: usize,
    ) -> Result<Self, RenderError> {
        let pixel = style.supersample;
        let projection = Projection::new(camera, width * pixel, height * pixel)?;
        let props = Props::new(scene, style);
        let lighting = Lighting::new(&props, style, &projection);
        let floor = style.floor.and_then(|level| Floor::new(level, &props, &lighting, &projection));
        Ok(Self {
            image: Image::new(&scene.surface, &props, &projection, pixel as f64),
            skin: Skin::new(&props, &lighting),
            props,
            lighting,
            projection,
            floor,
            background: linear(style.background),
            line: linear(style.line),
            line_opacity: style.line_opacity,
            mark: linear(style.mark),
            mark_radius: (MARK_RADIUS * height as f64).max(SMALLEST_MARK),
            supersample: pixel,
        })
    }

    /// Finds what every sample of some pixel rows sees.
    fn draw(&self, rows: std::ops::Range<usize>, width: usize) -> Band {
        let pixel = self.supersample;
        let scale = pixel as f64;
        let mut band = Band::new(Window { columns: 0..width * pixel, rows: rows.start * pixel..rows.end * pixel });
        band.draw_triangles(&self.image, |x, y| {
            let floor = self.floor.as_ref();
            floor.map_or(0.0, |floor| floor.nearness(&self.projection, x, y))
        });
        if self.line_opacity > 0.0 {
            band.draw_lines(&self.image, LINE_WIDTH / 2.0 * scale, self.line_opacity);
        }
        band.draw_marks(&self.image, &self.projection, self.mark_radius * scale);
        band
    }

    /// Turns the samples of one pixel row into colours.
    fn develop(&self, band: &Band, y: usize, row: &mut [[u8; 3]]) {
        let mut shares = Vec::new();
        for (x, colour) in row.iter_mut().enumerate() {
            self.gather(band, x, y, &mut shares);
            let light: DVec3 = shares.iter().map(|share| self.light(share)).sum();
            *colour = srgb(light / (self.supersample * self.supersample) as f64);
        }
    }

    /// Sorts the samples of a pixel by the triangle they see.
    fn gather(&self, band: &Band, x: usize, y: usize, shares: &mut Vec<Share>) {
        shares.clear();
        let pixel = self.supersample;
        for sample_y in y * pixel..(y + 1) * pixel {
            let samples = &band.row(sample_y)[x * pixel..(x + 1) * pixel];
            for (sample_x, sample) in (x * pixel..).zip(samples) {
                let known = shares.iter().position(|s| s.triangle == sample.triangle);
                let place = known.unwrap_or_else(|| {
                    shares.push(Share {
                        triangle: sample.triangle,
                        count: 0.0,
                        sum: (0.0, 0.0),
                        ink: DVec3::ZERO,
                        ink_opacity: 0.0,
                    });
                    shares.len() - 1
                });
                let share = &mut shares[place];
                share.count += 1.0;
                share.sum.0 += sample_x as f64 + 0.5;
                share.sum.1 += sample_y as f64 + 0.5;
                let opacity = f64::from(sample.ink_opacity);
                share.ink += self.ink(sample.ink) * opacity;
                share.ink_opacity += opacity;
            }
        }
    }

    fn ink(&self, ink: Ink) -> DVec3 {
        match ink {
            Ink::Line | Ink::Ring => self.line,
            Ink::Mark => self.mark,
        }
    }

    /// Light of a share, summed over its samples.
    fn light(&self, share: &Share) -> DVec3 {
        let middle = (share.sum.0 / share.count, share.sum.1 / share.count);
        let light = if share.triangle == NOTHING {
            let pixel = self.supersample as f64;
            let floor = self.floor.as_ref();
            let shade = floor.map(|floor| floor.shade(&self.projection, &self.lighting, middle, pixel));
            self.background * shade.unwrap_or(1.0)
        } else {
            let ray = self.projection.ray(middle.0, middle.1);
            let seen = (self.projection.eye, ray);
            soften_highlights(self.skin.shade(&self.props, share.triangle as usize, seen, &self.lighting))
        };
        light * (share.count - share.ink_opacity) + share.ink
    }
}
