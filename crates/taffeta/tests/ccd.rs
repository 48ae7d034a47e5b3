//! Continuous collision detection: never a contact missed, hardly one imagined.

#[path = "ccd/exact.rs"]
mod exact;
#[path = "ccd/queries.rs"]
mod queries;
#[path = "ccd/sampled.rs"]
mod sampled;

use std::path::Path;

use queries::{Kind, Query};
use taffeta::{DVec3, ccd};

#[test]
fn published_queries_have_no_contact_missed_and_hardly_one_imagined() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd");
    if !folder.is_dir() {
        eprintln!("skipped: the queries of Wang et al. are not on this machine");
        return;
    }
    let queries = queries::read(&folder).expect("queries in the published layout");
    let missed = queries.iter().filter(|query| query.meets && query.ask(0.0).is_none()).count();
    let imagined = queries.iter().filter(|query| !query.meets && query.ask(0.0).is_some()).count();
    assert_eq!(missed, 0, "contacts missed, of {}", queries.len());
    assert!(imagined * 100 <= queries.len(), "{imagined} contacts imagined, of {}", queries.len());
}

#[test]
fn published_queries_answer_alike_however_they_are_put() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd");
    if !folder.is_dir() {
        eprintln!("skipped: the queries of Wang et al. are not on this machine");
        return;
    }
    let queries = queries::read(&folder).expect("queries in the published layout");
    for query in queries.iter().filter(|query| query.meets) {
        for variant in variants(query) {
            assert!(variant.ask(0.0).is_some(), "missed: {variant:?}");
        }
    }
}

#[test]
fn numbers_that_are_not_finite_may_be_contacts() {
    let apart = [DVec3::ZERO, DVec3::X + 9.0, DVec3::Y + 9.0, DVec3::Z + 9.0];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for kind in [Kind::NodeFace, Kind::EdgeEdge] {
            let query = Query { kind, x_t0: apart, x_t1: apart, meets: false };
            assert_eq!(query.ask(0.1), None);
            assert_eq!(query.ask(bad), Some(0.0));
            for point in 0..4 {
                for axis in 0..3 {
                    let mut query = query;
                    query.x_t0[point][axis] = bad;
                    assert_eq!(query.ask(0.0), Some(0.0), "{query:?}");
                    std::mem::swap(&mut query.x_t0, &mut query.x_t1);
                    assert_eq!(query.ask(0.0), Some(0.0), "{query:?}");
                }
            }
        }
    }
}

#[test]
fn lengths_beyond_all_bounds_are_no_proof() {
    for scale in [1e-320, 1e-200, 1e200, 1e308] {
        let crossing = [DVec3::Z, DVec3::NEG_X, DVec3::X - DVec3::Y, DVec3::X + DVec3::Y].map(|x| x * scale);
        let mut through = crossing;
        through[0] = -through[0];
        assert!(ccd::node_face(&crossing, &through, 0.0).is_some_and(|t| t <= 0.5), "scale {scale}");
    }
}

#[test]
fn primitives_that_touch_from_the_start_meet_at_the_start() {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for node in [DVec3::ZERO, DVec3::X * 0.5, DVec3::new(0.25, 0.25, 0.0)] {
        let x = [node, face[0], face[1], face[2]];
        let mut leaves = x;
        leaves[0].z += 1.0;
        assert_eq!(ccd::node_face(&x, &leaves, 0.0), Some(0.0));
        assert_eq!(ccd::node_face(&x, &x, 0.0), Some(0.0));
    }
    assert_eq!(ccd::edge_edge(&[DVec3::ONE; 4], &[DVec3::ONE; 4], 0.0), Some(0.0));
}

#[test]
fn a_face_that_stays_a_hair_above_a_turning_one_does_not_touch_it() {
    // The node stays 1e-9 above the plane of a face that turns by a half turn in its own plane.
    let angle =
        |turn: f64| [0.0, 2.1, 4.2].map(|phase| DVec3::new(f64::cos(phase + turn), f64::sin(phase + turn), 0.0));
    let query = |turn: f64| {
        let [f0, f1, f2] = angle(turn);
        [DVec3::new(0.1, 0.0, 1e-9), f0, f1, f2]
    };
    assert_eq!(ccd::node_face(&query(0.0), &query(1.5), 0.0), None);
    assert_eq!(ccd::node_face(&query(0.0), &query(1.5), 0.9e-9), None);
    assert!(ccd::node_face(&query(0.0), &query(1.5), 1.1e-9).is_some());
}

/// The same query with its primitives in every order, forwards and backwards in time.
fn variants(query: &Query) -> Vec<Query> {
    let orders: &[[usize; 4]] = match query.kind {
        Kind::NodeFace => &[[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1]],
        Kind::EdgeEdge => &[
            [0, 1, 2, 3],
            [1, 0, 2, 3],
            [0, 1, 3, 2],
            [1, 0, 3, 2],
            [2, 3, 0, 1],
            [3, 2, 0, 1],
            [2, 3, 1, 0],
            [3, 2, 1, 0],
        ],
    };
    let forwards = orders.iter().map(|order| Query {
        x_t0: order.map(|k| query.x_t0[k]),
        x_t1: order.map(|k| query.x_t1[k]),
        ..*query
    });
    forwards.flat_map(|query| [query, Query { x_t0: query.x_t1, x_t1: query.x_t0, ..query }]).collect()
}
