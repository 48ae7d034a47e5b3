//! The surface of a body, made ready to be lit: cut open along its sharp edges.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::Body;

/// Neighbours that bend by more than 30° meet in a sharp edge.
const SHARPEST_SMOOTH_COS: f64 = 0.866_025_403_784_438_6;

/// Nodes closer than this, as a share of the size of the body, are one.
const SAME_PLACE: f64 = 1e-9;

/// A mesh whose nodes have one normal each: where sharp edges meet there are several at one place.
pub(crate) struct Shell {
    pub positions: Vec<DVec3>,
    pub normals: Vec<DVec3>,
    pub triangles: Vec<[usize; 3]>,
    /// Without a border, and with its front outside.
    pub closed: bool,
}

impl Shell {
    pub fn new(body: &Body) -> Self {
        let same = first_at_same_place(body);
        let welded = body.triangles.iter().map(|nodes| nodes.map(|node| same[node]));
        // Triangles with a corner twice, as at the poles of many spheres, only obscure who is
        // whose neighbour.
        let mut triangles: Vec<[usize; 3]> = welded.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        let neighbours = neighbours(&triangles);
        let closed = !triangles.is_empty() && neighbours.iter().flatten().all(Option::is_some);
        let inside_out = closed && volume(body.positions, &triangles) < 0.0;

        let corners_of = |nodes: &[usize; 3]| nodes.map(|node| body.positions[node]);
        let flat_normals: Vec<DVec3> =
            triangles.iter().map(|nodes| flat_normal(corners_of(nodes)).normalize_or_zero()).collect();
        let mut fans = Fans::new(3 * triangles.len());
        for (triangle, sides) in neighbours.iter().enumerate() {
            for (side, neighbour) in sides.iter().enumerate() {
                let Some((other, other_side)) = *neighbour else { continue };
                if flat_normals[triangle].dot(flat_normals[other]) >= SHARPEST_SMOOTH_COS {
                    fans.join(3 * triangle + side, 3 * other + (other_side + 1) % 3);
                    fans.join(3 * triangle + (side + 1) % 3, 3 * other + other_side);
                }
            }
        }

        let mut shell = Self { positions: Vec::new(), normals: Vec::new(), triangles: Vec::new(), closed };
        let mut node_of_fan = vec![None; 3 * triangles.len()];
        for (triangle, nodes) in triangles.iter_mut().enumerate() {
            let corners = corners_of(nodes);
            for side in 0..3 {
                let node = *node_of_fan[fans.root(3 * triangle + side)].get_or_insert_with(|| {
                    shell.positions.push(corners[side]);
                    shell.normals.push(DVec3::ZERO);
                    shell.positions.len() - 1
                });
                // Weighed by angle, so that it does not matter how a surface is cut into triangles.
                let (ahead, behind) = (corners[(side + 1) % 3], corners[(side + 2) % 3]);
                let angle = (ahead - corners[side]).angle_between(behind - corners[side]);
                if angle.is_finite() {
                    shell.normals[node] += flat_normals[triangle] * angle;
                }
                nodes[side] = node;
            }
        }
        let sign = if inside_out { -1.0 } else { 1.0 };
        for normal in &mut shell.normals {
            *normal = normal.normalize_or_zero() * sign;
        }
        if inside_out {
            triangles.iter_mut().for_each(|nodes| nodes.swap(1, 2));
        }
        shell.triangles = triangles;
        shell
    }
}

/// For every point of a body the first one with the same coordinates, but for rounding: a circle
/// that was walked all around rarely ends exactly where it started.
fn first_at_same_place(body: &Body) -> Vec<usize> {
    let size = body.bounds().map_or(0.0, |bounds| bounds.extent().max_element());
    let step = (SAME_PLACE * size).max(f64::MIN_POSITIVE);
    let mut first = BTreeMap::new();
    let key = |point: &DVec3| (*point / step).round().to_array().map(|steps| steps as i64);
    body.positions.iter().enumerate().map(|(node, point)| *first.entry(key(point)).or_insert(node)).collect()
}

/// Across each side of each triangle (from a corner to the next), the triangle and side that run
/// along it the other way. Sides that more than two triangles share have no neighbour.
fn neighbours(triangles: &[[usize; 3]]) -> Vec<[Option<(usize, usize)>; 3]> {
    let ends = |nodes: &[usize; 3], side: usize| (nodes[side], nodes[(side + 1) % 3]);
    let mut owners = BTreeMap::new();
    for (triangle, nodes) in triangles.iter().enumerate() {
        for side in 0..3 {
            let owner = owners.entry(ends(nodes, side)).or_insert(Some((triangle, side)));
            if *owner != Some((triangle, side)) {
                *owner = None;
            }
        }
    }
    let across = |nodes: &[usize; 3], side: usize| {
        let (from, to) = ends(nodes, side);
        owners[&(from, to)]?;
        *owners.get(&(to, from))?
    };
    triangles.iter().map(|nodes| [0, 1, 2].map(|side| across(nodes, side))).collect()
}

/// Six times the volume inside a closed mesh.
fn volume(positions: &[DVec3], triangles: &[[usize; 3]]) -> f64 {
    let origin = positions[triangles[0][0]];
    let slice = |nodes: &[usize; 3]| {
        let [a, b, c] = nodes.map(|node| positions[node] - origin);
        a.dot(b.cross(c))
    };
    triangles.iter().map(slice).sum()
}

/// A normal of the front, twice as long as the triangle's area.
fn flat_normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Corners that share a node and a normal: sets that grow by being joined.
struct Fans {
    parents: Vec<usize>,
}

impl Fans {
    fn new(corners: usize) -> Self {
        Self { parents: (0..corners).collect() }
    }

    fn root(&mut self, mut corner: usize) -> usize {
        while self.parents[corner] != corner {
            self.parents[corner] = self.parents[self.parents[corner]];
            corner = self.parents[corner];
        }
        corner
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one.max(other)] = one.min(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prism with so many sides around the `z` axis, every triangle with corners of its own.
    fn prism(sides: usize) -> (Vec<DVec3>, Vec<[usize; 3]>) {
        let at = |side: usize, z: f64| {
            let (sin, cos) = (std::f64::consts::TAU * (side % sides) as f64 / sides as f64).sin_cos();
            DVec3::new(cos, sin, z)
        };
        let mut positions = Vec::new();
        for side in 0..sides {
            let [a, b, c, d] = [at(side, -1.0), at(side + 1, -1.0), at(side + 1, 1.0), at(side, 1.0)];
            positions.extend([a, b, c, a, c, d, DVec3::Z, d, c, -DVec3::Z, b, a]);
        }
        let triangles = (0..positions.len() / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        (positions, triangles)
    }

    fn shell((positions, triangles): &(Vec<DVec3>, Vec<[usize; 3]>)) -> Shell {
        Shell::new(&Body { positions, triangles, colour: [0; 3] })
    }

    #[test]
    fn a_round_wall_is_smooth_and_its_lid_sharp() {
        let round = shell(&prism(24));
        // The wall has 2 nodes for each side, the lids 1, and a middle each.
        assert_eq!(round.positions.len(), 2 * 24 + 2 * (24 + 1));
        for (position, normal) in round.positions.iter().zip(&round.normals) {
            let out = position.truncate().extend(0.0);
            let along_axis = normal.dot(DVec3::Z).abs() > 1.0 - 1e-12;
            assert!(along_axis || (*normal - out).length() < 1e-12, "{position} {normal}");
        }
        let square = shell(&prism(4));
        assert_eq!(square.positions.len(), 4 * 4 + 2 * (4 + 1));
    }

    #[test]
    fn a_closed_shell_has_its_front_outside_whichever_way_it_came() {
        let mut mesh = prism(8);
        for _ in 0..2 {
            let shell = shell(&mesh);
            assert!(shell.closed);
            for (position, normal) in shell.positions.iter().zip(&shell.normals) {
                assert!(position.dot(*normal) > 0.0);
            }
            assert!(volume(&shell.positions, &shell.triangles) > 0.0);
            mesh.1.iter_mut().for_each(|nodes| nodes.swap(0, 1));
        }
        mesh.1.pop();
        assert!(!shell(&mesh).closed);
    }
}
