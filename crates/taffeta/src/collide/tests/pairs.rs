//! How near parts of a cloth come to each other, against what is seen at many moments of the motion.

use glam::DVec3;
use proptest::prelude::*;

use crate::collide::pairs::Places;
use crate::collide::pairs::{Approach, combine};
use crate::collide::{Kind, Pair, Site};

fn places() -> impl Strategy<Value = Places> {
    prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64).prop_map(DVec3::from))
}

fn approach(kind: Kind, from: &Places, to: &Places) -> Approach {
    kind.approach(from, to, kind.distance(from), kind.travel(from, to))
}

/// Smallest distance at a thousand moments.
fn closest(kind: Kind, from: &Places, to: &Places) -> f64 {
    let moment = |t: f64| kind.distance(&std::array::from_fn(|k| from[k].lerp(to[k], t)));
    (0..=1000).map(|k| moment(f64::from(k) / 1000.0)).fold(f64::INFINITY, f64::min)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn parts_approach_by_no_more_than_their_travel(from in places(), to in places()) {
        for kind in [Kind::NodeFace, Kind::Edges] {
            let (distance, travel) = (kind.distance(&from), kind.travel(&from, &to));
            let closest = closest(kind, &from, &to);
            prop_assert!(closest >= distance - travel - 1e-12, "{kind:?}: {distance} to {closest}, travel {travel}");
        }
    }

    #[test]
    fn the_separation_along_a_direction_is_a_bound_of_the_distance_all_the_way(
        from in places(), to in places(), direction in prop::array::uniform3(-1.0..1.0f64),
    ) {
        for kind in [Kind::NodeFace, Kind::Edges] {
            let along = DVec3::from(direction).normalize_or(DVec3::X);
            let [first, last] = [&from, &to].map(|x| kind.separation(x, along));
            prop_assert!(closest(kind, &from, &to) >= f64::min(first, last) - 1e-12, "{kind:?}");
            // In the direction in which two convex things are nearest to each other it is the distance.
            let apart = combine(&kind.nearest(&from), &from);
            let nearest = kind.separation(&from, apart.normalize_or(DVec3::X));
            prop_assert!(apart.length() < 1e-6 || (nearest - apart.length()).abs() < 1e-9, "{kind:?}: {nearest}");
        }
    }

    #[test]
    fn keys_of_sites_are_ordered_as_sites(nodes in prop::collection::vec(0..6usize, 8)) {
        let sites = |n: &[usize]| {
            let [a, b, c, d] = [n[0], n[1], n[2], n[3]];
            [Site::Nodes([a, b]), Site::NodeEdge(a, [b, c]), Site::NodeFace(a, [b, c, d]), Site::Edges([a, b], [c, d])]
        };
        for one in sites(&nodes[..4]) {
            for other in sites(&nodes[4..]) {
                prop_assert_eq!(one.key().cmp(&other.key()), one.cmp(&other));
            }
        }
    }

    #[test]
    fn what_meets_on_the_way_is_told_and_keeps_its_side(from in places(), to in places()) {
        for kind in [Kind::NodeFace, Kind::Edges] {
            let (distance, closest, found) = (kind.distance(&from), closest(kind, &from, &to), approach(kind, &from, &to));
            prop_assert!((found.normal.length() - 1.0).abs() < 1e-9);
            // Met is what was seen within a tenth of where it began; nothing comes within a twentieth unseen.
            prop_assert!(found.crosses || closest > 0.05 * distance, "{kind:?}: {distance} to {closest}");
            prop_assert!(!found.crosses || closest < 0.1 * distance + 0.02, "{kind:?}: {distance} to {closest}");
            if found.crosses && kind == Kind::NodeFace && found.weights[1..].iter().all(|w| *w < -1e-3) {
                // Met within the face, before it is passed, once: the normal leads to the side that the node came from, of the face as it is
                // when they meet. It may have turned round until they pass.
                let moment = |k: u32| std::array::from_fn::<_, 4, _>(|i| from[i].lerp(to[i], f64::from(k) / 1000.0));
                let across = |x: &Places| (x[2] - x[1]).cross(x[3] - x[1]).normalize();
                let height = |x: &Places| across(x).dot(x[0] - x[1]);
                let passes: Vec<u32> = (0..1000).filter(|&k| height(&moment(k)) * height(&moment(k + 1)) < 0.0).collect();
                let within = |x: &Places| kind.nearest(x)[1..].iter().all(|w| *w < -1e-3) && kind.distance(x) < 0.01;
                let met = (0..=1000).find(|&k| kind.distance(&moment(k)) <= 0.1 * distance);
                if let ([once], Some(met)) = (&passes[..], met) && met <= *once && within(&moment(*once)) {
                    let side = height(&from).signum() * across(&moment(met)).dot(found.normal);
                    prop_assert!(side > 0.0, "{found:?}: {side}");
                }
            }
            if !found.crosses {
                let apart = combine(&found.weights, &to);
                prop_assert!((found.gap - kind.distance(&to)).abs() < 1e-12 && apart.dot(found.normal) >= 0.0);
            }
        }
    }

    #[test]
    fn weights_lead_from_one_part_to_the_other(x in places()) {
        for kind in [Kind::NodeFace, Kind::Edges] {
            let weights = kind.nearest(&x);
            prop_assert!(weights.iter().sum::<f64>().abs() < 1e-12, "{weights:?}");
            let first = if kind == Kind::NodeFace { 1 } else { 2 };
            prop_assert!(weights[..first].iter().all(|w| *w >= 0.0) && weights[first..].iter().all(|w| *w <= 0.0));
        }
    }
}

#[test]
fn a_node_that_passes_a_face_is_behind_it_by_as_far_as_it_went() {
    let face = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0), DVec3::new(0.0, 1.0, 0.0)];
    let with = |z: f64| [DVec3::Z * z, face[0], face[1], face[2]];
    for (start, end) in [(0.5, -0.3), (-0.5, 0.3), (0.01, -2.0)] {
        let found = approach(Kind::NodeFace, &with(start), &with(end));
        assert!(found.crosses, "{start} to {end}");
        assert!(found.normal.distance(DVec3::Z * start.signum()) < 1e-12, "{found:?}");
        assert!((found.gap - end * start.signum()).abs() < 1e-12, "{found:?}");
    }
    let found = approach(Kind::NodeFace, &with(0.5), &with(0.2));
    assert!(!found.crosses && (found.gap - 0.2).abs() < 1e-12, "{found:?}");
}

#[test]
fn edges_that_pass_each_other_are_behind_each_other() {
    let with = |z: f64| [DVec3::new(-1.0, 0.0, z), DVec3::new(1.0, 0.0, z), DVec3::NEG_Y, DVec3::Y];
    let found = approach(Kind::Edges, &with(0.2), &with(-0.1));
    assert!(found.crosses && found.normal.distance(DVec3::Z) < 1e-12 && (found.gap + 0.1).abs() < 1e-12, "{found:?}");
}

#[test]
fn sites_are_named_by_where_the_nearest_points_are() {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let told = |node: DVec3, nodes: [u32; 4]| {
        let x = [node, face[0], face[1], face[2]];
        let pair = Pair { kind: Kind::NodeFace, nodes };
        let (site, stencil, normal) = pair.site(&approach(Kind::NodeFace, &x, &x), &x).expect("a site");
        let mut all = [DVec3::ZERO; 10];
        nodes.iter().zip(x).for_each(|(&i, place)| all[i as usize] = place);
        // The stencil leads along the normal, by the distance.
        let apart = stencil.sum(&all);
        assert!(apart.distance(normal * Kind::NodeFace.distance(&x)) < 1e-12, "{site:?}: {apart} along {normal}");
        site
    };
    assert_eq!(told(DVec3::new(0.2, 0.2, 0.1), [7, 3, 5, 4]), Site::NodeFace(7, [3, 5, 4]));
    assert_eq!(told(DVec3::new(0.5, -0.2, 0.1), [7, 5, 3, 4]), Site::NodeEdge(7, [3, 5]));
    // Two nodes are told alike from either of them.
    assert_eq!(told(DVec3::new(-0.2, -0.2, 0.1), [2, 5, 3, 4]), Site::Nodes([2, 5]));
    assert_eq!(told(DVec3::new(-0.2, -0.2, 0.1), [9, 5, 3, 4]), Site::Nodes([5, 9]));
}

#[test]
fn parallel_edges_and_ends_of_edges_are_left_to_nodes() {
    let told = |x: Places| {
        let pair = Pair { kind: Kind::Edges, nodes: [0, 1, 2, 3] };
        pair.site(&approach(Kind::Edges, &x, &x), &x).map(|(site, ..)| site)
    };
    let edge = [DVec3::NEG_X, DVec3::X];
    assert_eq!(told([edge[0], edge[1], edge[0] + DVec3::Z, edge[1] + DVec3::Z]), None);
    assert_eq!(told([edge[0], edge[1], DVec3::new(0.0, 0.1, 0.1), DVec3::new(0.0, 1.0, 0.1)]), None);
    let crossing = [edge[0], edge[1], DVec3::new(0.0, -1.0, 0.1), DVec3::new(0.0, 1.0, 0.1)];
    assert_eq!(told(crossing), Some(Site::Edges([0, 1], [2, 3])));
}
