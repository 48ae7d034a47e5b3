//! Distances of parts of a cloth against ones that are known.

use glam::DVec3;
use proptest::prelude::*;

use crate::collide::{Parts, Rings, Surface, self_gaps, smallest_gap};

/// Two sheets of 5×5 nodes, 1 cm apart from node to node, the second above the first and turned in its plane.
fn layers(height: f64, turn: f64) -> (Vec<DVec3>, Surface) {
    let node = |i: u32, j: u32| 5 * i + j;
    let cells = (0..4).flat_map(|i| (0..4).map(move |j| (i, j)));
    let cell = |(i, j)| {
        let [a, b, c, d] = [node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    let lower: Vec<[u32; 3]> = cells.flat_map(cell).collect();
    let upper = lower.iter().map(|t| t.map(|node| node + 25));
    let triangles = lower.iter().copied().chain(upper).collect();
    let place = |k: u32| 0.01 * DVec3::new(f64::from(k / 5) - 2.0, f64::from(k % 5) - 2.0, 0.0);
    let (sin, cos) = turn.sin_cos();
    let turned = |p: DVec3| DVec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, height);
    let positions = (0..25).map(place).chain((0..25).map(place).map(turned)).collect();
    (positions, Surface::from_triangles(50, triangles))
}

#[test]
fn layers_are_as_far_apart_as_they_were_put() {
    let (positions, surface) = layers(0.002, 0.3);
    let gap = smallest_gap(&positions, &surface, 0.005).expect("a gap");
    assert!((gap.distance - 0.002).abs() < 1e-15, "{gap:?}");
    assert_eq!(smallest_gap(&positions, &surface, 0.0019), None);
}

#[test]
fn neighbours_are_told_from_layers() {
    // Each layer by itself has parts √½ cm apart, the layers are further.
    let (positions, surface) = layers(0.009, 0.0);
    let all = smallest_gap(&positions, &surface, 0.02).expect("neighbours");
    assert!((all.distance - 0.01 / 2f64.sqrt()).abs() < 1e-15, "{all:?}");
    let rings = Rings::new(&surface);
    let gaps = self_gaps(&positions, &surface, 0.02);
    let apart = gaps.iter().filter(|gap| !gap.parts.are_neighbours(&rings)).map(|gap| gap.distance);
    let least = apart.fold(f64::INFINITY, f64::min);
    assert!((least - 0.009).abs() < 1e-15, "{least}");
}

#[test]
fn three_rings_are_near_and_a_fourth_is_not() {
    // In a strip one node wide the rings are counted by its columns.
    let strip: Vec<[u32; 3]> = (0..8).flat_map(|i| [[i, i + 1, i + 10], [i, i + 10, i + 9]]).collect();
    let mut surface = Surface::from_triangles(18, strip);
    let rings = Rings::new(&surface);
    for (a, b) in (0..9).flat_map(|a| (0..9).map(move |b| (a, b))) {
        assert_eq!(rings.join(&[a], &[b]), a.abs_diff(b) <= 3, "{a} and {b}");
    }
    assert!(rings.join(&[0, 4], &[7, 8]) && !rings.join(&[0, 4], &[8]));
    // Sewn to a ring, its ends are neighbours.
    surface.sew(&[[0, 8], [9, 17]]);
    let rings = Rings::new(&surface);
    assert!(rings.join(&[1], &[7]) && rings.join(&[0], &[5]) && rings.join(&[8], &[3]) && !rings.join(&[1], &[5]));
}

#[test]
fn what_is_sewn_is_no_gap() {
    let mut surface = Surface::from_triangles(6, vec![[0, 1, 2], [3, 4, 5]]);
    let far = DVec3::new(0.5, 0.0, 1.0);
    let mut positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z * 1e-9, DVec3::X + DVec3::Z * 1e-9, far];
    assert!(smallest_gap(&positions, &surface, 0.1).is_some_and(|gap| gap.distance < 1e-8));
    surface.sew(&[[0, 3], [1, 4]]);
    assert_eq!(smallest_gap(&positions, &surface, 0.1), None);
    // As long as the seam is open it is a gap like any other.
    positions[3].z = 1e-3;
    positions[4].z = 1e-3;
    assert!(smallest_gap(&positions, &surface, 0.1).is_some_and(|gap| (gap.distance - 1e-3).abs() < 1e-12));
}

#[test]
fn every_pair_within_reach_is_listed_once() {
    let (positions, surface) = layers(0.003, 0.4);
    let reach = 0.004;
    let listed = self_gaps(&positions, &surface, reach);
    assert!(listed.windows(2).all(|w| w[0].parts < w[1].parts));
    let triangles: Vec<[usize; 3]> = surface.triangles().iter().map(|t| t.map(|node| node as usize)).collect();
    let edges: Vec<[usize; 2]> = surface.edges().iter().map(|e| e.map(|node| node as usize)).collect();
    let mut all = Vec::new();
    for node in 0..50 {
        all.extend(triangles.iter().filter(|t| !t.contains(&node)).map(|&t| Parts::NodeFace(node, t)));
    }
    for (k, first) in edges.iter().enumerate() {
        let later = edges[k + 1..].iter().filter(|e| !e.contains(&first[0]) && !e.contains(&first[1]));
        all.extend(later.map(|&second| Parts::EdgeEdge(*first, second)));
    }
    all.retain(|parts| parts.distance(&positions) <= reach);
    all.sort();
    assert!(all.len() > 100);
    assert_eq!(listed.iter().map(|gap| gap.parts).collect::<Vec<_>>(), all);
}

/// The distance of two parts, from the points of a grid on each.
fn sampled(first: &[DVec3], second: &[DVec3]) -> f64 {
    const N: i32 = 24;
    let points = |corners: &[DVec3]| -> Vec<DVec3> {
        let corner = |k: usize| corners[k.min(corners.len() - 1)];
        let weights =
            (0..=N).flat_map(|i| (0..=N - i).map(move |j| (f64::from(i) / f64::from(N), f64::from(j) / f64::from(N))));
        weights.map(|(u, v)| corner(0) * (1.0 - u - v) + corner(1) * u + corner(2) * v).collect()
    };
    let (first, second) = (points(first), points(second));
    first.iter().flat_map(|p| second.iter().map(move |q| p.distance(*q))).fold(f64::INFINITY, f64::min)
}

fn place() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn distances_are_those_of_the_closest_points(p in prop::array::uniform4(place())) {
        let checks = [
            (Parts::NodeFace(0, [1, 2, 3]), sampled(&p[..1], &p[1..])),
            (Parts::EdgeEdge([0, 1], [2, 3]), sampled(&p[..2], &p[2..])),
        ];
        for (parts, sampled) in checks {
            let distance = parts.distance(&p);
            // No sample is closer; and the nearest is off by less than a step of the grid along both.
            prop_assert!(distance <= sampled + 1e-12);
            prop_assert!(sampled <= distance + 0.25, "{parts:?}: {distance} against {sampled}");
        }
    }
}

#[test]
fn degenerate_parts_have_distances_too() {
    let p = [DVec3::ZERO, DVec3::X, DVec3::X, DVec3::X, DVec3::new(0.0, 3.0, 0.0), DVec3::new(4.0, 0.0, 0.0)];
    assert_eq!(Parts::NodeFace(0, [1, 2, 3]).distance(&p), 1.0);
    assert_eq!(Parts::EdgeEdge([0, 0], [1, 2]).distance(&p), 1.0);
    assert!((Parts::EdgeEdge([0, 0], [4, 5]).distance(&p) - 2.4).abs() < 1e-15);
    // Parallel, beside each other and one after the other.
    let q = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y, 3.0 * DVec3::X, 4.0 * DVec3::X];
    assert_eq!(Parts::EdgeEdge([0, 1], [2, 3]).distance(&q), 1.0);
    assert_eq!(Parts::EdgeEdge([0, 1], [4, 5]).distance(&q), 2.0);
}
