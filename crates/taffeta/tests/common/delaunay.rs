//! Unstructured meshes: a rectangle filled with scattered nodes, joined by the triangulation of Delaunay.

use taffeta::mesh::{Element, Mesh};
use taffeta::{DVec2, DVec3};

use super::dice::Dice;

/// A sheet from (0, 0) to (`width`, `length`), m, at z = 0, with about `nodes` scattered nodes and its corners first: bottom
/// left, bottom right, top right, top left. Warp is along x, by the UVs.
pub fn scattered_sheet(width: f64, length: f64, nodes: usize, seed: u64) -> Mesh {
    let points = scatter(width, length, nodes, seed);
    // For the triangulation the sides bulge a little and every node is moved by a tiny amount, so that no three nodes are in line
    // and no four on a circle.
    let mut dice = Dice::new(seed + 1);
    let bulge = |p: &DVec2| {
        let [s, t] = [p.x / width, p.y / length];
        let outward = DVec2::new((2.0 * s - 1.0) * t * (1.0 - t), (2.0 * t - 1.0) * s * (1.0 - s));
        *p + DVec2::new(width, length) * (0.1 * outward + 1e-5 * DVec2::new(dice.number(), dice.number()))
    };
    let triangles = triangulate(&points.iter().map(bulge).collect::<Vec<_>>());
    let uv = triangles.iter().map(|t| [points[t[0]], points[t[1]], points[t[2]], DVec2::ZERO]).collect();
    let positions = points.iter().map(|p| p.extend(0.0)).collect::<Vec<DVec3>>();
    Mesh::new(positions, triangles.into_iter().map(Element::Triangle).collect(), Some(uv)).expect("a valid mesh")
}

/// Corners, evenly spaced sides, and inside rows of points that are offset in turns and moved by up to a quarter of a cell.
fn scatter(width: f64, length: f64, nodes: usize, seed: u64) -> Vec<DVec2> {
    let cell = (width * length / nodes as f64).sqrt();
    let (across, along) = ((width / cell).round(), (length / cell).round());
    let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
    let mut unit: Vec<DVec2> = corners.iter().map(|&(s, t)| DVec2::new(s, t)).collect();
    for k in 1..across as usize {
        unit.extend([0.0, 1.0].map(|t| DVec2::new(k as f64 / across, t)));
    }
    for k in 1..along as usize {
        unit.extend([0.0, 1.0].map(|s| DVec2::new(s, k as f64 / along)));
    }
    let mut dice = Dice::new(seed);
    for row in 1..along as usize {
        let offset = if row % 2 == 0 { 0.25 } else { -0.25 };
        for column in 1..across as usize {
            let moved =
                DVec2::new(column as f64 + offset, row as f64) + 0.25 * DVec2::new(dice.number(), dice.number());
            unit.push(moved / DVec2::new(across, along));
        }
    }
    unit.iter().map(|p| *p * DVec2::new(width, length)).collect()
}

/// The triangles of Delaunay by inserting one point after the other (Bowyer and Watson), counter-clockwise.
fn triangulate(points: &[DVec2]) -> Vec<[usize; 3]> {
    let count = points.len();
    let reach = 1e3 * points.iter().map(|p| p.length()).fold(0.0, f64::max);
    let mut all = points.to_vec();
    all.extend([DVec2::new(-reach, -reach), DVec2::new(reach, -reach), DVec2::new(0.0, reach)]);
    let mut triangles = vec![[count, count + 1, count + 2]];
    for (i, &point) in points.iter().enumerate() {
        let (hit, rest): (Vec<_>, Vec<_>) =
            triangles.into_iter().partition(|t: &[usize; 3]| encloses(t.map(|k| all[k]), point));
        triangles = rest;
        let sides = || hit.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        // The hole's outline: sides that no other triangle of the hole walks the other way.
        for [a, b] in sides().filter(|&[a, b]| !sides().any(|other| other == [b, a])) {
            triangles.push([a, b, i]);
        }
    }
    triangles.retain(|t| t.iter().all(|&k| k < count));
    triangles
}

/// Whether a point is inside the circle through three others.
fn encloses(corners: [DVec2; 3], point: DVec2) -> bool {
    let [a, b, c] = corners.map(|corner| corner - point);
    let det =
        a.length_squared() * b.perp_dot(c) + b.length_squared() * c.perp_dot(a) + c.length_squared() * a.perp_dot(b);
    det > 0.0
}
