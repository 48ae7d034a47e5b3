//! Queries anywhere in space against distances sampled along the motion, by closest points of the tests' own.

use proptest::prelude::*;
use taffeta::{DQuat, DVec3};

use super::queries::{Kind, Query};
use super::variants;

/// Instants at which distances are taken.
const SAMPLES: usize = 400;

/// Rounding of the sampled distances, as part of the size of a query.
const ROUNDING: f64 = 1e-12;

fn point_to_segment(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let length = a.distance(b);
    if length == 0.0 {
        return p.distance(a);
    }
    let direction = (b - a) / length;
    p.distance(a + direction * (p - a).dot(direction).clamp(0.0, length))
}

/// The distance of a line through `p` along `normal` from `p` to the plane of a polygon, if it passes through the polygon.
fn point_to_inside(p: DVec3, polygon: &[DVec3]) -> Option<f64> {
    let normal = (polygon[1] - polygon[0]).cross(polygon[2] - polygon[0]).try_normalize()?;
    let sides = (0..polygon.len()).map(|k| {
        let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        (b - a).cross(p - a).dot(normal)
    });
    sides.into_iter().all(|side| side >= 0.0).then(|| (p - polygon[0]).dot(normal).abs())
}

/// The distance of the primitives of a query, at one time.
fn distance(kind: Kind, x: [DVec3; 4]) -> f64 {
    let (p, polygon) = match kind {
        Kind::NodeFace => (x[0], vec![x[1], x[2], x[3]]),
        Kind::EdgeEdge => (DVec3::ZERO, vec![x[0] - x[2], x[1] - x[2], x[1] - x[3], x[0] - x[3]]),
    };
    let edges = (0..polygon.len()).map(|k| point_to_segment(p, polygon[k], polygon[(k + 1) % polygon.len()]));
    edges.chain(point_to_inside(p, &polygon)).fold(f64::INFINITY, f64::min)
}

fn distance_at(query: &Query, t: f64) -> f64 {
    distance(query.kind, std::array::from_fn(|k| query.x_t0[k].lerp(query.x_t1[k], t)))
}

/// The longest distance between any of the points, m.
fn size(query: &Query) -> f64 {
    let points = || query.x_t0.iter().chain(&query.x_t1);
    points().flat_map(|a| points().map(|b| a.distance(*b))).fold(0.0, f64::max)
}

/// How fast a distance can change, m per motion: twice the fastest point.
fn speed(query: &Query) -> f64 {
    2.0 * query.x_t0.iter().zip(&query.x_t1).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

fn vector(limit: f64) -> impl Strategy<Value = DVec3> {
    [-limit..=limit, -limit..=limit, -limit..=limit].prop_map(DVec3::from_array)
}

/// Motions of all kinds: near-parallel edges, faces without width, all in a plane; turned, scaled and far from the origin.
fn query() -> impl Strategy<Value = Query> {
    let kind = prop_oneof![Just(Kind::NodeFace), Just(Kind::EdgeEdge)];
    let small = || prop_oneof![4 => Just(1.0), 1 => Just(0.0), 1 => Just(1e-3), 1 => Just(1e-7), 1 => Just(1e-12)];
    let points = (std::array::from_fn::<_, 4, _>(|_| vector(1.0)), std::array::from_fn::<_, 4, _>(|_| vector(1.0)));
    let turn = (vector(1.0), 0.0..6.3f64);
    let scale = (-3.0..3.0f64).prop_map(|power| 10f64.powf(power));
    (kind, points, (small(), small(), small()), turn, scale, prop_oneof![Just(DVec3::ZERO), vector(1e3)]).prop_map(
        |(kind, (from, to), (height, thin, still), (axis, angle), scale, origin)| {
            let turn = axis.try_normalize().map_or(DQuat::IDENTITY, |axis| DQuat::from_axis_angle(axis, angle));
            // Flattened towards the plane z = 0, and the second primitive towards a line or a point.
            let shape = |x: [DVec3; 4]| {
                let x = x.map(|x| DVec3::new(x.x, x.y, x.z * height));
                [x[0], x[1], x[2], x[2] + (x[3] - x[2]) * thin]
            };
            let (from, to) = (shape(from), shape(to));
            let to = std::array::from_fn(|k| if k < 2 { to[k] } else { from[k].lerp(to[k], still) });
            let place = |x: [DVec3; 4]| x.map(|x| turn * x * scale + origin);
            Query { kind, x_t0: place(from), x_t1: place(to), meets: false }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1500), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_hold_against_sampled_distances(query in query(), part in prop_oneof![Just(0.0), Just(1e-6), 0.0..0.3f64]) {
        let size = size(&query);
        let separation = part * size;
        let samples: Vec<(f64, f64)> = (0..=SAMPLES)
            .map(|k| k as f64 / SAMPLES as f64)
            .map(|t| (t, distance_at(&query, t)))
            .collect();
        let rounding = ROUNDING * (size + query.x_t0[0].length());
        let found = query.ask(separation);
        // No sample before the time of impact may be as near as that, and none at all without one.
        let promised = found.unwrap_or(2.0);
        for &(t, distance) in samples.iter().filter(|(t, _)| *t < promised) {
            prop_assert!(distance > separation - rounding, "{distance} apart at {t}, promised until {promised}");
        }
        // Where the samples leave no room for a contact there is none.
        let least = samples.iter().map(|sample| sample.1).fold(f64::INFINITY, f64::min);
        if least - 0.5 * speed(&query) / SAMPLES as f64 > separation + rounding {
            prop_assert_eq!(found, None, "least distance {}, separation {}", least, separation);
        }
    }

    #[test]
    fn contacts_are_dated_to_a_millionth(query in query(), part in 0.01..0.3f64) {
        let separation = part * size(&query);
        let Some(found) = query.ask(separation) else { return Ok(()) };
        // At most this far from the contact, if it is closer than a millionth of the motion.
        let near = separation + 2e-6 * speed(&query) + ROUNDING * (size(&query) + query.x_t0[0].length());
        let distance = distance_at(&query, found);
        prop_assert!(distance <= near, "{distance} apart at {found}, for a separation of {separation}");
    }

    #[test]
    fn contacts_are_found_however_the_query_is_put(query in query(), part in 0.0..0.3f64) {
        let separation = part * size(&query);
        let least = (0..=SAMPLES).map(|k| distance_at(&query, k as f64 / SAMPLES as f64)).fold(f64::INFINITY, f64::min);
        if least < separation - ROUNDING * (size(&query) + query.x_t0[0].length()) {
            for variant in variants(&query) {
                prop_assert!(variant.ask(separation).is_some(), "{variant:?}");
            }
        }
    }
}
