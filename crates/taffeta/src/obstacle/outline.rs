//! Surfaces as triangles, for pictures.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};

/// How many sides a circle has: its chords are within 0.2 % of the radius.
const SIDES: usize = 48;

/// Triangles of a body's surface, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// Corners in the body's frame, m.
    pub positions: Vec<DVec3>,
    /// Three corners each.
    pub triangles: Vec<[usize; 3]>,
}

impl Outline {
    /// The surface that a profile sweeps about the z axis. The profile is a list of (distance from the axis, z), m,
    /// that runs upwards on the outside of the body; the surface is closed where the profile ends on the axis.
    pub(super) fn revolved(profile: &[(f64, f64)]) -> Self {
        let mut outline = Self::default();
        let mut below: Option<Vec<usize>> = None;
        for &(radius, z) in profile {
            let first = outline.positions.len();
            // A point of the axis is one corner, seen from every side.
            let corners = if radius == 0.0 { 1 } else { SIDES };
            let angle = |k: usize| TAU * k as f64 / SIDES as f64;
            outline.positions.extend((0..corners).map(|k| (radius * DVec2::from_angle(angle(k))).extend(z)));
            let ring: Vec<usize> = (0..SIDES).map(|k| first + k % corners).collect();
            if let Some(below) = &below {
                outline.strip(below, &ring);
            }
            below = Some(ring);
        }
        outline
    }

    /// The triangles between two rings of as many corners.
    fn strip(&mut self, below: &[usize], above: &[usize]) {
        for k in 0..SIDES {
            let next = (k + 1) % SIDES;
            let [a, b, c, d] = [below[k], below[next], above[next], above[k]];
            self.triangles.extend([[a, b, c], [a, c, d]].into_iter().filter(|&[a, b, c]| a != b && b != c && c != a));
        }
    }

    /// The graph of a height over the square |x|, |y| ≤ `extent`, in so many cells a side; seen from above.
    pub(super) fn graph(extent: f64, cells: usize, height: impl Fn(f64, f64) -> f64) -> Self {
        let along = |k: usize| extent * (2.0 * k as f64 / cells as f64 - 1.0);
        let corners = (0..=cells).flat_map(|j| (0..=cells).map(move |i| (along(i), along(j))));
        let cell = |i: usize, j: usize| {
            let a = j * (cells + 1) + i;
            let [b, c, d] = [a + 1, a + cells + 2, a + cells + 1];
            [[a, b, c], [a, c, d]]
        };
        Self {
            positions: corners.map(|(x, y)| DVec3::new(x, y, height(x, y))).collect(),
            triangles: (0..cells).flat_map(|j| (0..cells).flat_map(move |i| cell(i, j))).collect(),
        }
    }
}
