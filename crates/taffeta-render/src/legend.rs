//! What the colours of a picture stand for, in its corner.

use crate::colour::ramp;
use crate::font;
use crate::picture::Picture;

const INK: [u8; 3] = [52, 48, 50];

/// Draws a bar of the colours from 0 to 1 into the upper right corner of a picture, with a name above it and what its ends stand for
/// below. What does not fit is left out.
pub fn draw_legend(picture: &mut Picture, name: &str, ends: [&str; 2], reversed: bool) {
    let scale = (picture.width() / 400).clamp(1, 4);
    let (bar, line) = (60 * scale, (font::HEIGHT + 3) * scale);
    let left = picture.width().saturating_sub(bar + 6 * scale);
    let top = 5 * scale;
    write_right(picture, name, left + bar, top, scale);
    for y in top + line..top + line + 6 * scale {
        for x in 0..bar {
            let part = x as f64 / (bar - 1) as f64;
            put(picture, left + x, y, ramp(if reversed { 1.0 - part } else { part }));
        }
    }
    let below = top + line + 8 * scale;
    write(picture, ends[0], left, below, scale);
    write_right(picture, ends[1], left + bar, below, scale);
}

fn put(picture: &mut Picture, x: usize, y: usize, colour: [u8; 3]) {
    if x < picture.width() && y < picture.height() {
        picture.row_mut(y)[x] = colour;
    }
}

fn write_right(picture: &mut Picture, text: &str, right: usize, top: usize, scale: usize) {
    let width = text.chars().count() * font::ADVANCE * scale;
    write(picture, text, right.saturating_sub(width), top, scale);
}

fn write(picture: &mut Picture, text: &str, left: usize, top: usize, scale: usize) {
    for (place, character) in text.chars().enumerate() {
        let start = left + place * font::ADVANCE * scale;
        for y in 0..font::HEIGHT * scale {
            for x in (0..font::WIDTH * scale).filter(|x| font::inked(character, x / scale, y / scale)) {
                put(picture, start + x, top + y, INK);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_shows_its_colours_from_end_to_end() {
        for (reversed, [first, last]) in [(false, [ramp(0.0), ramp(1.0)]), (true, [ramp(1.0), ramp(0.0)])] {
            let mut picture = Picture::filled(400, 300, [255; 3]);
            draw_legend(&mut picture, "strain, %", ["0", "0.1"], reversed);
            let has = |colour| picture.pixels().iter().position(|&pixel| pixel == colour).map(|k| k % 400);
            assert_eq!((has(first), has(last)), (Some(334), Some(393)));
            assert!(picture.pixels().contains(&INK));
        }
        // Too small for it, but no panic.
        draw_legend(&mut Picture::filled(3, 2, [0; 3]), "strain", ["0", "1"], false);
    }
}
