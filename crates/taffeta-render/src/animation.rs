//! Pictures one after the other: animated PNG and GIF, which browsers and README pages play.

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
    let (first, size) = alike(pictures)?;
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

/// Writes pictures of one size as a GIF that plays them at so many a second, over and over. It has 256 colours a picture, where an
/// animated PNG has all of them.
///
/// # Errors
///
/// If there are none, their sizes differ or are more than a GIF can have, or the file cannot be written.
pub fn write_gif(path: impl AsRef<Path>, pictures: &[Picture], rate: f64) -> Result<(), RenderError> {
    let path = path.as_ref();
    std::fs::write(path, to_gif(pictures, rate)?).map_err(|source| RenderError::File { path: path.to_owned(), source })
}

/// The same as bytes.
///
/// # Errors
///
/// If there are none, or their sizes differ or are more than a GIF can have.
pub fn to_gif(pictures: &[Picture], rate: f64) -> Result<Vec<u8>, RenderError> {
    /// From 1, good and slow, to 30.
    const HASTE: i32 = 10;
    let (first, size) = alike(pictures)?;
    let [Ok(width), Ok(height)] = size.map(u16::try_from) else {
        return Err(RenderError::PictureSize { width: size[0], height: size[1], limit: u16::MAX.into() });
    };
    let mut bytes = Vec::new();
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &[])?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    // In hundredths of a second; less than two are played slowly by most.
    let delay = (100.0 / rate).round().clamp(2.0, f64::from(u16::MAX)) as u16;
    let whole = [0, 0, size[0], size[1]];
    let patches = pictures.windows(2).map(|two| (&two[1], changed(&two[0], &two[1])));
    for (picture, [x, y, w, h]) in std::iter::once((first, whole)).chain(patches) {
        let rows = (y..y + h).flat_map(|row| &picture.pixels()[row * size[0] + x..row * size[0] + x + w]);
        let patch: Vec<u8> = rows.flatten().copied().collect();
        let mut frame = gif::Frame::from_rgb_speed(w as u16, h as u16, &patch, HASTE);
        (frame.left, frame.top, frame.delay) = (x as u16, y as u16, delay);
        encoder.write_frame(&frame)?;
    }
    drop(encoder);
    Ok(bytes)
}

/// The first of some pictures, and the width and height of all.
fn alike(pictures: &[Picture]) -> Result<(&Picture, [usize; 2]), RenderError> {
    let Some(first) = pictures.first() else { return Err(RenderError::NoPictures) };
    let size = [first.width(), first.height()];
    match pictures.iter().find(|picture| [picture.width(), picture.height()] != size) {
        Some(other) => Err(RenderError::SizesDiffer { first: size, other: [other.width(), other.height()] }),
        None => Ok((first, size)),
    }
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
    fn a_gif_shows_what_was_drawn() {
        let pictures = [None, Some((3, 2)), Some((15, 7)), Some((15, 7)), None].map(picture);
        let bytes = to_gif(&pictures, 25.0).expect("an animation");
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).expect("a GIF");
        let (mut canvas, mut count) = (vec![0; 3 * 20 * 10], 0);
        while let Some(frame) = decoder.read_next_frame().expect("a frame") {
            assert_eq!(frame.delay, 4);
            for (k, pixel) in frame.buffer.chunks(4).enumerate() {
                let (x, y) = (k % usize::from(frame.width), k / usize::from(frame.width));
                let start = 3 * ((usize::from(frame.top) + y) * 20 + usize::from(frame.left) + x);
                canvas[start..start + 3].copy_from_slice(&pixel[..3]);
            }
            // Few colours, so all of them are there.
            assert!(canvas == pictures[count].pixels().as_flattened(), "picture {count}");
            count += 1;
        }
        assert_eq!(count, pictures.len());
        assert!(matches!(to_gif(&[], 25.0), Err(RenderError::NoPictures)));
    }

    #[test]
    fn pictures_of_other_sizes_are_refused() {
        let other = Picture::filled(5, 5, [0; 3]);
        assert!(matches!(to_apng(&[picture(None), other], 25.0), Err(RenderError::SizesDiffer { .. })));
        assert!(matches!(to_apng(&[], 25.0), Err(RenderError::NoPictures)));
    }
}
