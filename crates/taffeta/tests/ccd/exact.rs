//! Queries of whole numbers, whose answers are known by construction. Nothing is rounded until the detector starts.

use proptest::prelude::*;
use taffeta::DVec3;

use super::queries::{Kind, Query};
use super::variants;

/// Parts of the motion, of an edge and of a face are counted in these.
const PARTS: i64 = 16;

/// Coordinates of primitives that meet.
const HUGE: i64 = 1_000_000;

/// Coordinates of primitives that do not. A slit of 1 between primitives of a million that turn all the way may take more work than
/// the search is allowed.
const LARGE: i64 = 1000;

type Whole = [i64; 3];

fn combine<const N: usize>(terms: [(i64, Whole); N]) -> Whole {
    std::array::from_fn(|axis| terms.iter().map(|(factor, x)| factor * x[axis]).sum())
}

fn dot(a: Whole, b: Whole) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Small numbers, so that points coincide, lie in line and in a plane; and large ones.
fn whole(flat: bool, large: i64) -> impl Strategy<Value = Whole> {
    let z = move |limit: i64| if flat { 0..=0 } else { -limit..=limit };
    prop_oneof![
        (-1..=1i64, -1..=1i64, z(1)),
        (-40..=40i64, -40..=40i64, z(40)),
        (-large..=large, -large..=large, z(large)),
    ]
    .prop_map(|(x, y, z)| [x, y, z])
}

/// Where the query is put, and its unit: a power of two from 1e-3 to 1e3.
fn placement() -> impl Strategy<Value = (Whole, f64)> {
    let far = prop_oneof![Just([0; 3]), [-1i64 << 40..=1 << 40, -1i64 << 40..=1 << 40, -1i64 << 40..=1 << 40]];
    (far, -10..=10i32).prop_map(|(origin, power)| (origin, f64::from(power).exp2()))
}

fn query(kind: Kind, from: [Whole; 4], to: [Whole; 4], (origin, unit): (Whole, f64), meets: bool) -> Query {
    let place = |x: Whole| DVec3::from_array(combine([(1, origin), (1, x)]).map(|x| x as f64)) * unit;
    Query { kind, x_t0: from.map(place), x_t1: to.map(place), meets }
}

/// Four points that meet, and after how many parts of the motion.
fn meeting(kind: Kind) -> impl Strategy<Value = (Query, f64)> {
    let points = any::<bool>().prop_flat_map(|flat| {
        (std::array::from_fn::<_, 3, _>(|_| whole(flat, HUGE)), std::array::from_fn::<_, 4, _>(|_| whole(flat, HUGE)))
    });
    let parallel = prop_oneof![Just(None), (-3..=3i64).prop_map(Some)];
    let places = (0..=PARTS, 0..=PARTS);
    (points, parallel, places, 0..=PARTS, any::<bool>(), placement()).prop_map(
        move |((x, velocities), parallel, (i, j), time, still, placement)| {
            let touching = match kind {
                Kind::NodeFace => {
                    // Folded into the triangle of weights.
                    let (i, j) = if i + j > PARTS { (PARTS - i, PARTS - j) } else { (i, j) };
                    let node = combine([(PARTS - i - j, x[0]), (i, x[1]), (j, x[2])]);
                    [node, combine([(PARTS, x[0])]), combine([(PARTS, x[1])]), combine([(PARTS, x[2])])]
                }
                Kind::EdgeEdge => {
                    let along = combine([(1, x[1]), (-1, x[0])]);
                    // Edges that are parallel but for a little, unless told otherwise.
                    let other = parallel.map_or(x[2], |n| combine([(n, along), (1, x[2].map(i64::signum))]));
                    let cross = combine([(PARTS - i, x[0]), (i, x[1])]);
                    let ends = [combine([(1, cross), (-j, other)]), combine([(1, cross), (PARTS - j, other)])];
                    [combine([(PARTS, x[0])]), combine([(PARTS, x[1])]), ends[0], ends[1]]
                }
            };
            let velocities = if still { [velocities[0], [0; 3], [0; 3], [0; 3]] } else { velocities };
            let at = |parts: i64| std::array::from_fn(|k| combine([(1, touching[k]), (parts - time, velocities[k])]));
            (query(kind, at(0), at(PARTS), placement, true), time as f64 / PARTS as f64)
        },
    )
}

/// Primitives with a plane between them all the time.
fn parted(kind: Kind) -> impl Strategy<Value = Query> {
    let points = any::<bool>()
        .prop_flat_map(|flat| std::array::from_fn::<_, 8, _>(|_| whole(flat, LARGE)))
        .prop_map(|x| (std::array::from_fn(|k| x[k]), std::array::from_fn(|k| x[k + 4])));
    let normal = [-5..=5i64, -5..=5i64, -5..=5i64].prop_filter("a direction", |normal| dot(*normal, *normal) > 0);
    (points, normal, placement()).prop_map(move |((from, to), normal, placement): (([Whole; 4], [Whole; 4]), _, _)| {
        let first = if kind == Kind::NodeFace { 1 } else { 2 };
        let part = |x: [Whole; 4]| {
            std::array::from_fn(|k| {
                let side = if k < first { 1 } else { -1 };
                let lack = (1 - side * dot(normal, x[k])).max(0);
                let steps = (lack + dot(normal, normal) - 1) / dot(normal, normal);
                combine([(1, x[k]), (side * steps, normal)])
            })
        };
        query(kind, part(from), part(to), placement, false)
    })
}

fn finds_it_in_time((query, time): (Query, f64)) -> Result<(), TestCaseError> {
    for (k, variant) in variants(&query).iter().enumerate() {
        // Every other variant goes backwards.
        let time = if k % 2 == 0 { time } else { 1.0 - time };
        let found = variant.ask(0.0);
        prop_assert!(
            found.is_some_and(|t| (0.0..=time).contains(&t)),
            "{found:?}, but they meet at {time}: {variant:?}"
        );
    }
    Ok(())
}

fn finds_nothing(query: Query) -> Result<(), TestCaseError> {
    for variant in variants(&query) {
        prop_assert_eq!(variant.ask(0.0), None, "{:?}", variant);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(2000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_node_that_meets_a_face_is_found_in_time(meeting in meeting(Kind::NodeFace)) {
        finds_it_in_time(meeting)?;
    }

    #[test]
    fn an_edge_that_meets_an_edge_is_found_in_time(meeting in meeting(Kind::EdgeEdge)) {
        finds_it_in_time(meeting)?;
    }

    #[test]
    fn a_node_and_a_face_with_a_plane_between_them_do_not_meet(query in parted(Kind::NodeFace)) {
        finds_nothing(query)?;
    }

    #[test]
    fn edges_with_a_plane_between_them_do_not_meet(query in parted(Kind::EdgeEdge)) {
        finds_nothing(query)?;
    }
}
