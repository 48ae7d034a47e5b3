//! Corners of a mesh that the faces of a cloth could miss.

use glam::DVec3;

use crate::obstacle::Tip;

/// Sine of the angle by which a side must fall away from a corner for the body to be sharp along it: 20 degrees.
const SHARP: f64 = 0.342;

/// Sine of the angle that may be rounding, of coordinates with seven digits.
const FLAT: f64 = 1e-4;

/// Of how round the body is: corners closer to one already told of say nothing new. A face on two of them enters the body
/// between by less than 2 % of how round it is.
const APART: f64 = 0.35;

/// The corners from which all sides fall away, few enough of them where they are dense. `normals` are those at the corners.
pub(super) fn tips(positions: &[DVec3], triangles: &[[usize; 3]], normals: &[DVec3]) -> Vec<Tip> {
    let around = neighbours(positions.len(), triangles);
    let mut roundness: Vec<Option<f64>> = Vec::with_capacity(positions.len());
    for (corner, others) in around.iter().enumerate() {
        let sides = others.iter().map(|&other| positions[other] - positions[corner]);
        roundness.push(round_to(sides, normals[corner]));
    }
    let mut sharpest: Vec<(f64, usize)> =
        roundness.iter().enumerate().filter_map(|(corner, round)| round.map(|round| (round, corner))).collect();
    sharpest.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut told = vec![false; positions.len()];
    let mut walk = Walk { seen: vec![usize::MAX; positions.len()], next: Vec::new() };
    let mut tips = Vec::new();
    for (roundness, corner) in sharpest {
        if walk.any_within(corner, APART * roundness, positions, &around, &told) {
            continue;
        }
        told[corner] = true;
        let (place, outward) = (positions[corner], normals[corner]);
        tips.push(Tip { name: corner, place, radius: 0.0, roundness, outward });
    }
    tips
}

/// How round a body is at a corner with these sides, m: the radius of the largest ball that has the corner and the end of a
/// gentle side on it. `None` if a side does not fall away.
fn round_to(sides: impl Iterator<Item = DVec3>, normal: DVec3) -> Option<f64> {
    let mut roundness = None;
    for side in sides {
        let falls = -side.normalize_or_zero().dot(normal);
        if falls <= FLAT {
            return None;
        }
        let round = if falls > SHARP { 0.0 } else { side.length() / (2.0 * falls) };
        roundness = Some(f64::max(roundness.unwrap_or(0.0), round));
    }
    roundness
}

/// The corners that share a side with each, none for one that no triangle has.
fn neighbours(count: usize, triangles: &[[usize; 3]]) -> Vec<Vec<usize>> {
    let mut around = vec![Vec::new(); count];
    // Every side is met once in each direction.
    for &[a, b, c] in triangles {
        around[a].push(b);
        around[b].push(c);
        around[c].push(a);
    }
    around
}

/// A walk along the sides of the mesh.
struct Walk {
    /// From where each corner was reached last.
    seen: Vec<usize>,
    next: Vec<usize>,
}

impl Walk {
    /// Whether a marked corner can be reached without going farther than `reach` from where the walk begins.
    fn any_within(
        &mut self,
        from: usize,
        reach: f64,
        positions: &[DVec3],
        around: &[Vec<usize>],
        marked: &[bool],
    ) -> bool {
        self.next.clear();
        self.next.push(from);
        self.seen[from] = from;
        while let Some(corner) = self.next.pop() {
            if marked[corner] {
                return true;
            }
            for &other in &around[corner] {
                if self.seen[other] != from && positions[other].distance(positions[from]) < reach {
                    self.seen[other] = from;
                    self.next.push(other);
                }
            }
        }
        false
    }
}
