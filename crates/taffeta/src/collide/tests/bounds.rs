//! Bounds of distances, eight at a time, against the distances themselves.

use glam::DVec3;
use proptest::prelude::*;
use pulp::{Arch, Scalar, Simd, WithSimd};

use crate::collide::LANES;
use crate::collide::bounds::{self, Bound};
use crate::collide::{Kind, Pair};

/// Points that often share coordinates, so that parallel, flat and degenerate cases come up, and how they move.
fn points() -> impl Strategy<Value = Vec<DVec3>> {
    let number = prop_oneof![(-2i32..=2).prop_map(f64::from), -2.0..2.0f64];
    let point = [number.clone(), number.clone(), number].prop_map(DVec3::from_array);
    prop::collection::vec(point, 4 * LANES)
}

fn nodes() -> [[u32; 4]; LANES] {
    std::array::from_fn(|lane| std::array::from_fn(|k| (4 * lane + k) as u32))
}

/// The bounds, by the vectors of this processor and without any: they must be the same.
fn bounds(kind: Kind, nodes: &[[u32; 4]; LANES], places: &[DVec3], motion: &[DVec3]) -> [Bound; LANES] {
    struct Asked<'a>(Kind, &'a [[u32; 4]; LANES], &'a [DVec3], &'a [DVec3]);
    impl WithSimd for Asked<'_> {
        type Output = [Bound; LANES];

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> [Bound; LANES] {
            bounds::bounds(simd, self.0, self.1, self.2, self.3)
        }
    }
    let found = Arch::new().dispatch(Asked(kind, nodes, places, motion));
    assert_eq!(found, bounds::bounds(Scalar, kind, nodes, places, motion));
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn bounds_are_no_more_than_distances_and_no_less_than_travels(places in points(), motion in points()) {
        let ends: Vec<DVec3> = places.iter().zip(&motion).map(|(place, way)| *place + *way).collect();
        for kind in [Kind::NodeFace, Kind::Edges] {
            for (nodes, bound) in nodes().iter().zip(bounds(kind, &nodes(), &places, &motion)) {
                let pair = Pair { kind, nodes: *nodes };
                let (from, to) = (pair.places(&places), pair.places(&ends));
                prop_assert!(bound.apart <= kind.distance(&from), "{kind:?}: {bound:?} against {}", kind.distance(&from));
                prop_assert!((bound.travel - kind.travel(&from, &to)).abs() < 1e-12, "{kind:?}: {bound:?}");
                if bound.apart > 0.0 {
                    prop_assert!((bound.normal.length() - 1.0).abs() < 1e-12, "{kind:?}: {bound:?}");
                    let shown = kind.separation(&from, bound.normal);
                    prop_assert!((shown - bound.apart).abs() < 1e-11, "{kind:?}: {bound:?} shows {shown}");
                }
            }
        }
    }

    #[test]
    fn nodes_over_faces_and_edges_that_cross_are_as_far_apart_as_they_are_told(
        s in 0.1..0.9f64, t in 0.1..0.9f64, height in 0.01..1.0f64,
    ) {
        let (corner, other) = (DVec3::new(1.0, 0.2, 0.3), DVec3::new(-0.1, 1.0, 0.2));
        let across = corner.cross(other).normalize() * height;
        let inside = corner * (s * (1.0 - t)) + other * (s * t);
        let cases = [
            (Kind::NodeFace, [inside + across, DVec3::ZERO, corner, other]),
            (Kind::Edges, [across - corner * s, across + corner * (1.0 - s), other * -t, other * (1.0 - t)]),
        ];
        for (kind, x) in cases {
            let places: Vec<DVec3> = std::iter::repeat_n(x, LANES).flatten().collect();
            let found = bounds(kind, &nodes(), &places, &places);
            prop_assert!(found.iter().all(|bound| (bound.apart - height).abs() < 1e-9), "{kind:?}: {found:?}");
        }
    }

    #[test]
    fn motion_is_bounded_by_how_far_the_nodes_go(places in points(), motion in points(), all in points()) {
        let ends: Vec<DVec3> = places.iter().zip(&motion).map(|(place, way)| *place + *way).collect();
        // Whatever all nodes are taken to do.
        let drift: Vec<f64> = motion.iter().map(|way| way.distance(all[0])).collect();
        for (kind, nodes) in [Kind::NodeFace, Kind::Edges].into_iter().zip(nodes()) {
            let pair = Pair { kind, nodes };
            let travel = kind.travel(&pair.places(&places), &pair.places(&ends));
            prop_assert!(pair.travel_bound(&drift) >= travel - 1e-12);
        }
    }
}

#[test]
fn of_what_is_not_a_number_or_touches_nothing_is_shown() {
    for x in [DVec3::NAN, DVec3::ZERO, DVec3::INFINITY] {
        for kind in [Kind::NodeFace, Kind::Edges] {
            let found = bounds(kind, &nodes(), &[x; 4 * LANES], &[DVec3::ZERO; 4 * LANES]);
            assert!(found.iter().all(|bound| bound.apart <= 0.0 && bound.normal == DVec3::ZERO), "{kind:?}: {found:?}");
        }
    }
}
