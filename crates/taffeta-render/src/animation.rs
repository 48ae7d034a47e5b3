//! Pictures one after the other: an animated PNG, which browsers and README pages play.

use std::path::Path;

use crate::{Picture, RenderError};

/// The columns and rows in which a picture differs from the one before: left, top, width, height.
type Patch = [usize; 4];

/// Writes pictures of one size as an animated PNG that plays them at so many a second, over and over.
///
/// # Errors
///
/// If there are none, their sizes differ, or the file cannot be written.
pub fn write_apng(path: impl AsRef<Path>, pictures: &[Picture], rate: f64) -> Result<(), RenderError> {
    let path = path.as_ref();
    std::fs::write(path, to_apng(pictures, rate)?).map_err(|source| RenderError::File { path: path.to_owned(), source })
}

/// The same as bytes.
///
/// # Errors
///
/// If there are none, or their sizes differ.
pub fn to_apng(pictures: &[Picture], rate: f64) -> Result<Vec<u8>, RenderError> {
    let Some(first) = pictures.first() else { return Err(RenderError::NoPictures) };
    let size = [first.width(), first.height()];
    if let Some(other) = pictures.iter().find(|picture| [picture.width(), picture.height()] != size) {
        return Err(RenderError::SizesDiffer { first: size, other: [other.width(), other.height()] });
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size[0] as u32, size[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.set_animated(pictures.len() as u32, 0)?;
    // In thousandths of a second, as far as there is room for them.
    encoder.set_frame_delay((1000.0 / rate).round().clamp(1.0, f64::from(u16::MAX)) as u16, 1000)?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(first.pixels().as_flattened())?;
    for two in pictures.windows(2) {
        let [x, y, width, height] = changed(&two[0], &two[1]);
        writer.set_frame_dimension(1, 1)?;
        writer.set_frame_position(x as u32, y as u32)?;
        writer.set_frame_dimension(width as u32, height as u32)?;
        let rows = (y..y + height).flat_map(|row| &two[1].pixels()[row * size[0] + x..row * size[0] + x + width]);
        let patch: Vec<u8> = rows.flatten().copied().collect();
        writer.write_image_data(&patch)?;
    }
    writer.finish()?;
    Ok(bytes)
}

/// The smallest patch with all that differs; one pixel if nothing does.
fn changed(before: &Picture, after: &Picture) -> Patch {
    let width = before.width();
    let (mut left, mut top, mut right, mut bottom) = (usize::MAX, usize::MAX, 0, 0);
    for (k, _) in before.pixels().iter().zip(after.pixels()).enumerate().filter(|(_, (a, b))| a != b) {
        let (x, y) = (k % width, k / width);
        (left, top, right, bottom) = (left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1));
    }
    if left == usize::MAX { [0, 0, 1, 1] } else { [left, top, right - left, bottom - top] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(mark: Option<(usize, usize)>) -> Picture {
        let mut picture = Picture::filled(20, 10, [200, 210, 220]);
        if let Some((x, y)) = mark {
            picture.row_mut(y)[x] = [10, 20, 30];
            picture.row_mut(y + 1)[x + 1] = [30, 20, 10];
        }
        picture
    }

    /// The pictures of an animation as a reader shows them.
    fn shown(bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
        let (width, height) = (reader.info().width as usize, reader.info().height as usize);
        let frames = reader.info().animation_control.expect("an animation").num_frames;
        let (mut canvas, mut all) = (vec![0; 3 * width * height], Vec::new());
        for _ in 0..frames {
            let mut patch = vec![0; reader.output_buffer_size().expect("a size")];
            let size = reader.next_frame(&mut patch).expect("a frame").buffer_size();
            let control = *reader.info().frame_control().expect("its place");
            let (x, y, w) = (control.x_offset as usize, control.y_offset as usize, 3 * control.width as usize);
            for (row, line) in patch[..size].chunks(w).enumerate() {
                let start = 3 * ((y + row) * width + x);
                canvas[start..start + w].copy_from_slice(line);
            }
            all.push(canvas.clone());
        }
        all
    }

    #[test]
    fn what_is_shown_is_what_was_drawn() {
        let pictures = [None, Some((3, 2)), Some((15, 7)), Some((15, 7)), None].map(picture);
        let bytes = to_apng(&pictures, 25.0).expect("an animation");
        let shown = shown(&bytes);
        assert_eq!(shown.len(), pictures.len());
        for (k, (shown, drawn)) in shown.iter().zip(&pictures).enumerate() {
            assert!(shown == drawn.pixels().as_flattened(), "picture {k}");
        }
    }

    #[test]
    fn pictures_of_other_sizes_are_refused() {
        let other = Picture::filled(5, 5, [0; 3]);
        assert!(matches!(to_apng(&[picture(None), other], 25.0), Err(RenderError::SizesDiffer { .. })));
        assert!(matches!(to_apng(&[], 25.0), Err(RenderError::NoPictures)));
    }
}
