//! Which samples of a raster a shape covers.

use std::ops::Range;

use glam::DVec3;

/// A rectangle of samples; sample `(x, y)` sits at `(x + ½, y + ½)`.
#[derive(Clone)]
pub(crate) struct Window {
    pub columns: Range<usize>,
    pub rows: Range<usize>,
}

/// Visits every sample of the window inside a triangle given by raster points, with the third
/// coordinate interpolated there. A sample on a shared edge is visited for both triangles.
pub(crate) fn fill(corners: [DVec3; 3], window: &Window, mut visit: impl FnMut(usize, usize, f64)) {
    let [a, b, c] = corners;
    let (ab, ac) = (b - a, c - a);
    let area = ab.x * ac.y - ab.y * ac.x;
    if area == 0.0 || !area.is_finite() {
        return;
    }
    // Rounding must not open a seam between neighbours.
    const TOLERANCE: f64 = -1e-9;
    let columns = samples_between(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x), &window.columns);
    let rows = samples_between(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), &window.rows);
    let (b_step, c_step) = (ac.y / area, -ab.y / area);
    for y in rows {
        let down = y as f64 + 0.5 - a.y;
        let (b_row, c_row) = (-ac.x * down / area, ab.x * down / area);
        for x in columns.clone() {
            let along = x as f64 + 0.5 - a.x;
            let b_weight = b_row + b_step * along;
            let c_weight = c_row + c_step * along;
            let inside = b_weight >= TOLERANCE && c_weight >= TOLERANCE && b_weight + c_weight <= 1.0 - TOLERANCE;
            if inside {
                visit(x, y, a.z + ab.z * b_weight + ac.z * c_weight);
            }
        }
    }
}

/// Visits the samples of the window within `radius` of a segment between raster points, with the
/// third coordinate of the nearest point of the segment and how much of the sample is covered.
/// A segment without length makes a disc.
pub(crate) fn stroke([a, b]: [DVec3; 2], radius: f64, window: &Window, mut visit: impl FnMut(usize, usize, f64, f64)) {
    let ab = b - a;
    let length_squared = ab.x * ab.x + ab.y * ab.y;
    let reach = radius + 0.5;
    let rows = samples_between(a.y.min(b.y) - reach, a.y.max(b.y) + reach, &window.rows);
    for y in rows {
        let down = y as f64 + 0.5 - a.y;
        // Only the part of the segment near this row matters: a long diagonal must not visit
        // the whole rectangle around it.
        let (mut first, mut last) = (0.0, 1.0);
        if ab.y != 0.0 {
            let (enter, leave) = ((down - reach) / ab.y, (down + reach) / ab.y);
            first = enter.min(leave).max(0.0);
            last = enter.max(leave).min(1.0);
        }
        let (from, to) = (a.x + ab.x * first, a.x + ab.x * last);
        let columns = samples_between(from.min(to) - reach, from.max(to) + reach, &window.columns);
        for x in columns {
            let along = x as f64 + 0.5 - a.x;
            let t = if length_squared > 0.0 {
                ((along * ab.x + down * ab.y) / length_squared).clamp(0.0, 1.0)
            } else {
                0.0
            };
            let (x_away, y_away) = (along - ab.x * t, down - ab.y * t);
            let distance = (x_away * x_away + y_away * y_away).sqrt();
            let coverage = (reach - distance).min(1.0);
            if coverage > 0.0 {
                visit(x, y, a.z + ab.z * t, coverage);
            }
        }
    }
}

/// The samples whose centres lie between two raster coordinates.
fn samples_between(low: f64, high: f64, range: &Range<usize>) -> Range<usize> {
    // Casts saturate, so far-away coordinates end up at the borders.
    let start = ((low - 0.5).ceil() as usize).max(range.start);
    let end = ((high + 0.5).floor().max(0.0) as usize).min(range.end);
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(width: usize, height: usize) -> Window {
        Window { columns: 0..width, rows: 0..height }
    }

    fn at(x: f64, y: f64) -> DVec3 {
        DVec3::new(x, y, x + 10.0 * y)
    }

    #[test]
    fn two_triangles_cover_their_square_without_a_seam() {
        let mut visits = vec![0; 64];
        let corners = [at(1.0, 1.0), at(7.0, 1.0), at(7.0, 7.0), at(1.0, 7.0)];
        for triangle in [[0, 1, 2], [0, 2, 3]] {
            fill(triangle.map(|i| corners[i]), &window(8, 8), |x, y, z| {
                visits[y * 8 + x] += 1;
                assert!((z - (x as f64 + 0.5 + 10.0 * (y as f64 + 0.5))).abs() < 1e-9);
            });
        }
        assert_eq!(visits.iter().filter(|&&n| n > 0).count(), 36);
    }

    #[test]
    fn nothing_is_visited_outside_the_window() {
        let far = [at(-1e8, -1e8), at(1e8, -1e8), at(0.0, 1e9)];
        let mut count = 0;
        fill(far, &window(5, 4), |x, y, _| {
            assert!(x < 5 && y < 4);
            count += 1;
        });
        assert_eq!(count, 20);
    }

    #[test]
    fn a_stroke_is_as_wide_as_asked() {
        let mut total = 0.0;
        let ends = [at(-5.0, 3.0), at(25.0, 3.0)];
        stroke(ends, 1.0, &window(20, 8), |_, _, _, coverage| total += coverage);
        assert!((total - 40.0).abs() < 1e-9);
    }
}
