//! How near cloth is to where it is to be: how much of a plane it covers, how that overlaps a goal, and how far its corners and hems are from
//! their places.

use glam::{DVec2, DVec3};

use crate::cloth::Cloth;
use crate::mesh::{GridCorner, GridShape, GridSide};
use crate::obstacle::Pose;

/// Parallel lines by which regions are measured. On each of them lengths are exact; between them the ends of a region go straight, but where a
/// corner lies, so that areas are off by about the square of the distance of the lines for every corner: of a square that is 1e-6 of it.
const LINES: usize = 2000;

/// The direction of these lines: along none that the sides of a region are likely to have.
const DIRECTION: f64 = 0.4;

/// A part of a plane, m.
#[derive(Clone, Debug, PartialEq)]
pub enum Region {
    /// All that is in some triangles, which may overlap.
    Triangles(Vec<[DVec2; 3]>),
    /// All that is inside a closed polygon, its last corner joined to the first: what an odd number of its sides is left of.
    Polygon(Vec<DVec2>),
}

/// Two regions compared, m².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// What is in both.
    pub intersection: f64,
    /// What is in one of them at least.
    pub union: f64,
}

impl Overlap {
    /// Intersection over union: 1 for two regions that are the same, 0 for such that do not overlap, or for none at all.
    pub fn ratio(&self) -> f64 {
        if self.union > 0.0 { self.intersection / self.union } else { 0.0 }
    }
}

/// Stretches of a line, in order and apart.
type Stretches = Vec<[f64; 2]>;

impl Region {
    /// What cloth covers of the plane of x and y of a frame, seen along its z axis.
    pub fn covered(cloth: &Cloth, positions: &[DVec3], plane: &Pose) -> Self {
        let triangles = cloth.surface().triangles().iter();
        let seen = |node: u32| plane.to_local(positions[node as usize]).truncate();
        Self::Triangles(triangles.map(|nodes| nodes.map(seen)).collect())
    }

    /// Its area, m².
    pub fn area(&self) -> f64 {
        self.overlap(self).union
    }

    /// How it overlaps another one.
    pub fn overlap(&self, other: &Self) -> Overlap {
        let none = Overlap { intersection: 0.0, union: 0.0 };
        let across = DVec2::from_angle(DIRECTION).perp();
        let heights = self.corners().chain(other.corners()).map(|corner| corner.dot(across));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        let distance = (high - low) / LINES as f64;
        if !(distance > 0.0 && distance.is_finite()) {
            return none;
        }
        let lines = self.stretches(low, distance).into_iter().zip(other.stretches(low, distance));
        lines.fold(none, |sum, (one, other)| {
            let common = common(&one, &other);
            Overlap {
                intersection: sum.intersection + distance * common,
                union: sum.union + distance * (length(&one) + length(&other) - common),
            }
        })
    }

    fn corners(&self) -> impl Iterator<Item = DVec2> {
        let (triangles, polygon): (&[[DVec2; 3]], &[DVec2]) = match self {
            Self::Triangles(triangles) => (triangles, &[]),
            Self::Polygon(corners) => (&[], corners),
        };
        triangles.iter().flatten().chain(polygon).copied()
    }

    /// The stretches of each of the lines that are in it.
    fn stretches(&self, low: f64, distance: f64) -> Vec<Stretches> {
        let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); LINES];
        match self {
            Self::Polygon(corners) => {
                cross(corners, low, distance, &mut crossings);
                crossings.into_iter().map(|mut at| in_pairs(&mut at)).collect()
            }
            Self::Triangles(triangles) => {
                let mut lines: Vec<Stretches> = vec![Vec::new(); LINES];
                for triangle in triangles {
                    for line in cross(triangle, low, distance, &mut crossings) {
                        lines[line].extend(in_pairs(&mut crossings[line]));
                        crossings[line].clear();
                    }
                }
                lines.into_iter().map(joined).collect()
            }
        }
    }
}

/// Notes where the sides of a polygon cross the lines, and returns which lines may be crossed.
fn cross(corners: &[DVec2], low: f64, distance: f64, crossings: &mut [Vec<f64>]) -> std::ops::Range<usize> {
    let along = DVec2::from_angle(DIRECTION);
    let turned = |corner: DVec2| DVec2::new(corner.dot(along), (corner.dot(along.perp()) - low) / distance - 0.5);
    // The first line that is not below a height.
    let above = |height: f64| (height.ceil().max(0.0) as usize).min(crossings.len());
    let mut range = crossings.len()..0;
    let mut sides = Vec::with_capacity(corners.len());
    for (&from, &to) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        let [from, to] = [from, to].map(turned);
        let (first, end) = (above(from.y.min(to.y)), above(from.y.max(to.y)));
        range = range.start.min(first)..range.end.max(end);
        sides.push((from, to, first..end));
    }
    for (from, to, lines) in sides {
        for line in lines {
            let share = (line as f64 - from.y) / (to.y - from.y);
            crossings[line].push(from.x + share * (to.x - from.x));
        }
    }
    if range.is_empty() { 0..0 } else { range }
}

/// The stretches between the first and the second of some places, the third and the fourth, and so on.
fn in_pairs(places: &mut [f64]) -> Stretches {
    places.sort_by(f64::total_cmp);
    places.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
}

/// The same stretches in order, those that overlap joined.
fn joined(mut stretches: Stretches) -> Stretches {
    stretches.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut apart: Stretches = Vec::new();
    for [from, to] in stretches {
        match apart.last_mut() {
            Some(last) if from <= last[1] => last[1] = last[1].max(to),
            _ => apart.push([from, to]),
        }
    }
    apart
}

fn length(stretches: &[[f64; 2]]) -> f64 {
    stretches.iter().map(|[from, to]| to - from).sum()
}

/// How much two lists of stretches have in common.
fn common(one: &[[f64; 2]], other: &[[f64; 2]]) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        sum += (a[1].min(b[1]) - a[0].max(b[0])).max(0.0);
        if a[1] < b[1] { i += 1 } else { j += 1 }
    }
    sum
}

/// How far a corner of a grid is from a place, m.
pub fn corner_distance(shape: &GridShape, positions: &[DVec3], corner: GridCorner, place: DVec3) -> f64 {
    positions[shape.corner(corner)].distance(place)
}

/// How far the nodes of a side of a grid are from their places on a straight line between two places, in the mean, m: evenly spaced, from
/// the first node to the last.
pub fn side_distance(shape: &GridShape, positions: &[DVec3], side: GridSide, ends: [DVec3; 2]) -> f64 {
    let nodes = shape.side(side);
    let last = (nodes.len() - 1) as f64;
    let place = |k: usize| ends[0].lerp(ends[1], k as f64 / last);
    nodes.iter().enumerate().map(|(k, &node)| positions[node].distance(place(k))).sum::<f64>() / nodes.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(size: f64) -> Vec<DVec2> {
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|corner| size * DVec2::from_array(corner)).to_vec()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 2e-6 * expected.max(1.0), "{found}, not {expected}");
    }

    #[test]
    fn polygons_have_their_areas_however_they_are_turned() {
        for angle in [0.0, 0.3, DIRECTION, 0.8, 1.57, 4.0] {
            let turned: Vec<DVec2> = square(2.0).iter().map(|x| DVec2::from_angle(angle).rotate(*x)).collect();
            close(Region::Polygon(turned).area(), 4.0);
        }
        // One with a notch, and one without an inside.
        let notched = [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [2.0, 2.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        close(Region::Polygon(notched.map(DVec2::from_array).to_vec()).area(), 5.0);
        assert!(Region::Polygon(vec![DVec2::ZERO, DVec2::X]).area() < 1e-12);
        assert_eq!(Region::Triangles(Vec::new()).area(), 0.0);
    }

    #[test]
    fn triangles_that_overlap_count_once() {
        let [a, b, c, d] = square(1.0).try_into().expect("four corners");
        close(Region::Triangles(vec![[a, b, c], [a, c, d]]).area(), 1.0);
        close(Region::Triangles(vec![[a, b, c], [a, c, d], [a, b, d], [b, c, a]]).area(), 1.0);
    }

    #[test]
    fn regions_overlap_as_squares_do() {
        let one = Region::Polygon(square(1.0));
        for (x, y) in [(0.0, 0.0), (0.25, 0.0), (0.5, -0.5), (1.5, 0.0)] {
            let moved = square(1.0).iter().map(|corner| *corner + DVec2::new(x, y)).collect();
            let both = f64::max(0.0, 1.0 - x) * f64::max(0.0, 1.0 - f64::abs(y));
            let overlap = one.overlap(&Region::Polygon(moved));
            close(overlap.intersection, both);
            close(overlap.union, 2.0 - both);
            close(overlap.ratio(), both / (2.0 - both));
        }
    }
}
