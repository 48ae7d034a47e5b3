//! Splits the large triangles of a shell, so that light worked out at its nodes has enough of them.

use std::collections::BTreeMap;

use crate::bounds::Bounds;
use crate::shell::Shell;

/// How much longer sides may be for each unit of length away from the region.
const GRADING: f64 = 1.0;
/// Enough halvings to get from the farthest coordinates allowed to a millimetre; a guard.
const MOST_ROUNDS: usize = 44;

impl Shell {
    /// Halves sides until they are at most `length` long within the region, and longer the further
    /// away from it they are. Sides are judged by their ends alone, so neighbours agree and no
    /// gaps open.
    pub fn refine(&mut self, region: Bounds, length: f64) {
        for _ in 0..MOST_ROUNDS {
            let before = self.triangles.len();
            self.split_sides(region, length);
            if self.triangles.len() == before {
                return;
            }
        }
    }

    fn split_sides(&mut self, region: Bounds, length: f64) {
        let mut middles = BTreeMap::new();
        let mut split = Vec::with_capacity(self.triangles.len());
        for triangle in std::mem::take(&mut self.triangles) {
            let [ab, bc, ca] = [0, 1, 2].map(|side| {
                let ends = [triangle[side], triangle[(side + 1) % 3]];
                let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
                *middles.entry(ends).or_insert_with(|| self.middle(ends, region, length))
            });
            let [a, b, c] = triangle;
            match (ab, bc, ca) {
                (None, None, None) => split.push(triangle),
                (Some(m), None, None) => split.extend([[a, m, c], [m, b, c]]),
                (None, Some(m), None) => split.extend([[b, m, a], [m, c, a]]),
                (None, None, Some(m)) => split.extend([[c, m, b], [m, a, b]]),
                (Some(m), Some(n), None) => split.extend([[m, b, n], [a, m, n], [a, n, c]]),
                (None, Some(m), Some(n)) => split.extend([[m, c, n], [b, m, n], [b, n, a]]),
                (Some(n), None, Some(m)) => split.extend([[m, a, n], [c, m, n], [c, n, b]]),
                (Some(m), Some(n), Some(p)) => split.extend([[a, m, p], [m, b, n], [p, n, c], [m, n, p]]),
            }
        }
        self.triangles = split;
    }

    /// A new node in the middle of a side, if it is too long.
    fn middle(&mut self, ends: [usize; 2], region: Bounds, length: f64) -> Option<usize> {
        let [from, to] = ends.map(|node| self.positions[node]);
        let (side, middle) = (from.distance(to), (from + to) / 2.0);
        let away = (region.distance(middle) - side / 2.0).max(0.0);
        (side > length + GRADING * away).then(|| {
            let [one, other] = ends.map(|node| self.normals[node]);
            self.positions.push(middle);
            self.normals.push((one + other).normalize_or_zero());
            self.positions.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Body;
    use glam::DVec3;

    #[test]
    fn sides_get_short_near_the_region_and_the_area_stays() {
        let positions =
            [(-50.0, -40.0), (50.0, -40.0), (50.0, 40.0), (-50.0, 40.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
        let body = Body { positions: &positions, triangles: &[[0, 1, 2], [0, 2, 3]], colour: [0; 3] };
        let mut shell = Shell::new(&body);
        let region = Bounds { min: DVec3::new(1.0, 2.0, -1.0), max: DVec3::new(2.0, 3.0, 1.0) };
        shell.refine(region, 0.1);
        let mut area = 0.0;
        for nodes in &shell.triangles {
            let [a, b, c] = nodes.map(|node| shell.positions[node]);
            let twice_area = (b - a).cross(c - a).z;
            assert!(twice_area > 0.0);
            area += twice_area / 2.0;
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let inside = [a, b, c].iter().any(|&corner| region.distance(corner) == 0.0);
            assert!(!inside || longest <= 0.2);
        }
        assert!((area - 8000.0).abs() < 1e-6);
        // Without grading it would take over a million.
        assert!(shell.triangles.len() < 20_000, "{}", shell.triangles.len());
    }
}
