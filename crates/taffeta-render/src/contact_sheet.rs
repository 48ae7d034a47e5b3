//! Several pictures on one page.

use crate::Picture;
use crate::font;

const PAPER: [u8; 3] = [250, 249, 247];
const CAPTION: [u8; 3] = [52, 48, 50];
/// Space between pictures and around the page, in pixels.
const GAP: usize = 8;

/// Lays pictures out row by row, in as many columns as asked for (but at least one), each with its
/// label underneath. Pictures of different sizes sit at the top left of equal cells; labels may be
/// missing or empty, and are cut off at the width of a cell.
pub fn contact_sheet(pictures: &[Picture], labels: &[String], columns: usize) -> Picture {
    let columns = columns.clamp(1, pictures.len().max(1));
    let rows = pictures.len().div_ceil(columns);
    let cell_width = pictures.iter().map(Picture::width).max().unwrap_or(0);
    let cell_height = pictures.iter().map(Picture::height).max().unwrap_or(0);

    let scale = (cell_width / 200).clamp(1, 4);
    let labelled = labels.iter().take(pictures.len()).any(|l| !l.is_empty());
    let caption_height = if labelled { scale * (font::HEIGHT + 4) } else { 0 };
    let row_height = cell_height + caption_height;

    let mut sheet = Picture::filled(GAP + columns * (cell_width + GAP), GAP + rows * (row_height + GAP), PAPER);
    for (index, picture) in pictures.iter().enumerate() {
        let left = GAP + index % columns * (cell_width + GAP);
        let top = GAP + index / columns * (row_height + GAP);
        paste(&mut sheet, picture, left, top);
        if let Some(label) = labels.get(index) {
            let visible = cell_width / (font::ADVANCE * scale);
            let below = top + cell_height + 2 * scale;
            for (place, character) in label.chars().take(visible).enumerate() {
                let start = left + place * font::ADVANCE * scale;
                write(&mut sheet, character, start, below, scale);
            }
        }
    }
    sheet
}

fn paste(sheet: &mut Picture, picture: &Picture, left: usize, top: usize) {
    if picture.width() == 0 {
        return;
    }
    for (y, row) in picture.pixels().chunks(picture.width()).enumerate() {
        sheet.row_mut(top + y)[left..left + row.len()].copy_from_slice(row);
    }
}

fn write(sheet: &mut Picture, character: char, left: usize, top: usize, scale: usize) {
    for y in 0..font::HEIGHT * scale {
        let row = &mut sheet.row_mut(top + y)[left..];
        for (x, pixel) in row.iter_mut().take(font::WIDTH * scale).enumerate() {
            if font::inked(character, x / scale, y / scale) {
                *pixel = CAPTION;
            }
        }
    }
}
