//! A finished picture and its PNG.

use std::path::Path;

use crate::RenderError;

/// The longest side a picture may have, in pixels.
pub(crate) const LONGEST_SIDE: usize = 16_384;

/// An sRGB picture, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// A picture of one colour.
    pub(crate) fn filled(width: usize, height: usize, colour: [u8; 3]) -> Self {
        Self { width, height, pixels: vec![colour; width * height] }
    }

    /// Width in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// All pixels, row by row from the top.
    pub fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// The pixel in column `x` of row `y`, if the picture has it.
    pub fn pixel(&self, x: usize, y: usize) -> Option<[u8; 3]> {
        let inside = x < self.width && y < self.height;
        inside.then(|| self.pixels[y * self.width + x])
    }

    /// The pixels of row `y`, to draw on.
    pub(crate) fn row_mut(&mut self, y: usize) -> &mut [[u8; 3]] {
        let start = y * self.width;
        &mut self.pixels[start..start + self.width]
    }

    /// The picture as the bytes of a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, RenderError> {
        let (Ok(width), Ok(height)) = (u32::try_from(self.width), u32::try_from(self.height)) else {
            return Err(RenderError::PictureSize { width: self.width, height: self.height, limit: u32::MAX as usize });
        };
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.pixels.as_flattened())?;
        writer.finish()?;
        Ok(bytes)
    }

    /// Writes the picture to a PNG file, replacing what was there.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), RenderError> {
        let path = path.as_ref();
        std::fs::write(path, self.to_png()?).map_err(|source| RenderError::File { path: path.to_owned(), source })
    }
}
