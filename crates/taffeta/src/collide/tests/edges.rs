//! Edges of a cloth against bodies, where it can be computed by hand.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use glam::DVec3;
use proptest::prelude::*;

use crate::collide::edges::{EdgeMeeting, EdgeMotion, Known, Sample, meet_edge, round_place};
use crate::obstacle::{Cuboid, Implicit, Near, Outline, Sphere, Stick};

/// What an edge meets that moves from one place to another, with nothing known of before.
fn met(shape: &dyn Implicit, from: [DVec3; 2], to: [DVec3; 2]) -> Option<EdgeMeeting> {
    let travel = f64::max(from[0].distance(to[0]), from[1].distance(to[1]));
    let motion = EdgeMotion { from, to, travel, clearance: from.map(|end| shape.clearance(end)), known: false };
    let mut known = Known::NOTHING;
    meet_edge(shape, &motion, 0.01, &mut known, |end| shape.near(from[end]), |end| shape.near(to[end]))
}

/// How far along an edge of 20 cm its deepest point may be off, in parts of it: slopes of 1e-4 count as level, which takes it
/// that much of its distance to an axis, at most 2 cm here.
const OFF: f64 = 1e-4 * 0.02 / 0.2;

/// An edge of 20 cm along x at a height, moved aside by `x`.
fn across(x: f64, z: f64) -> [DVec3; 2] {
    [DVec3::new(x - 0.1, 0.0, z), DVec3::new(x + 0.1, 0.0, z)]
}

#[test]
fn an_edge_over_a_stick_meets_it_between_its_ends() {
    let stick = Stick::new([DVec3::NEG_Y, DVec3::Y], 0.01);
    for aside in [-0.05, 0.0, 0.03] {
        let found = met(&stick, across(aside, 0.02), across(aside, 0.015)).expect("a meeting");
        assert!((found.along - (0.5 - aside / 0.2)).abs() < OFF, "{aside}: {found:?}");
        assert!((found.surface.gap - 0.005).abs() < 1e-9, "{aside}: {found:?}");
        assert!(found.surface.normal.distance(DVec3::Z) < 1e-5, "{aside}: {found:?}");
    }
    assert_eq!(met(&stick, across(0.0, 0.2), across(0.0, 0.15)), None, "far above");
}

#[test]
fn an_edge_that_passed_a_stick_is_in_front_of_the_side_it_came_from() {
    let stick = Stick::new([DVec3::NEG_Y, DVec3::Y], 0.01);
    for (from, to) in [(0.05, -0.05), (-0.05, 0.05), (0.011, -0.3)] {
        let found = met(&stick, across(0.02, from), across(0.02, to)).expect("a meeting");
        let side = f64::signum(from);
        assert!(found.surface.normal.distance(DVec3::Z * side) < 1e-3, "{from} to {to}: {found:?}");
        // As far behind the plane it entered through as it went.
        assert!((found.surface.gap - (side * to - 0.01)).abs() < 1e-4, "{from} to {to}: {found:?}");
    }
}

#[test]
fn on_the_rim_of_a_box_the_normal_is_across_both_edges() {
    let table = Cuboid::table(1.0, 1.0, 0.1);
    for slope in [0.2f64, 0.5, 1.0, 2.0] {
        // Over the rim at x = 0.5, from the top down to the side.
        let rim = DVec3::new(0.5, 0.1, 0.0);
        let direction = DVec3::new(1.0, 0.3, -slope).normalize();
        let edge = [rim - direction * 0.06, rim + direction * 0.04];
        let found = met(&table, edge, edge).expect("a meeting");
        assert!((found.along - 0.6).abs() < 1e-3, "slope {slope}: {found:?}");
        assert!(found.surface.gap.abs() < 1e-9, "slope {slope}: {found:?}");
        let normal = found.surface.normal;
        assert!(normal.dot(direction).abs() < 1e-3, "slope {slope}: {normal} along the edge of the cloth");
        assert!(normal.y.abs() < 1e-12 && normal.x > 0.0 && normal.z > 0.0, "slope {slope}: {normal} along the rim");
    }
}

#[test]
fn what_is_rounder_than_the_mesh_is_left_to_its_nodes() {
    let ball = Sphere::new(1.0);
    assert_eq!(met(&ball, across(0.0, 1.01), across(0.0, 1.0)), None);
    // A ball that is smaller than the edge is not.
    let found = met(&Sphere::new(0.02), across(0.0, 0.03), across(0.0, 0.019)).expect("a meeting");
    assert!((found.along - 0.5).abs() < OFF && (found.surface.gap + 0.001).abs() < 1e-9, "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_point_of_an_edge_is_deeper_than_the_one_found(
        which in 0..4_usize,
        middle in prop::array::uniform3(-0.03..0.03_f64),
        direction in prop::array::uniform3(-1.0..1.0_f64),
        halves in prop::array::uniform2(0.02..0.1_f64),
    ) {
        // All of them convex, so that there is one such point.
        let shapes: [&dyn Implicit; 4] = [
            &Sphere::new(0.02),
            &Stick::new([DVec3::NEG_Y, DVec3::Y], 0.01),
            &Cuboid::new(DVec3::new(0.05, 0.04, 0.03)),
            &Cuboid::table(0.05, 1.0, 0.02),
        ];
        let (shape, middle, direction) = (shapes[which], DVec3::from(middle), DVec3::from(direction));
        prop_assume!(direction.length() > 0.1);
        let direction = direction.normalize();
        let edge = [middle - halves[0] * direction, middle + halves[1] * direction];
        let gap = |s: f64| shape.near(edge[0].lerp(edge[1], s)).gap;
        let least = (0..=2000).map(|k| gap(f64::from(k) / 2000.0)).fold(f64::INFINITY, f64::min);
        // Slopes of 1e-4 count as level.
        let level = 1e-4 * edge[0].distance(edge[1]);
        match met(shape, edge, edge) {
            Some(found) => prop_assert!(found.surface.gap <= least + level, "{found:?}, {least}"),
            None => {
                let [a, b] = edge.map(|end| shape.near(end));
                let at_end = f64::min(a.gap, b.gap) <= least + level;
                prop_assert!(least > 0.01 - level || at_end || a.normal.dot(b.normal) > 0.79, "{least} is missed");
            }
        }
    }

    #[test]
    fn an_edge_that_passed_through_a_body_has_met_it(
        which in 0..3_usize,
        start in prop::array::uniform3(-0.06..0.06_f64),
        way in prop::array::uniform3(-0.08..0.08_f64),
        direction in prop::array::uniform3(-1.0..1.0_f64),
        turned in prop::array::uniform3(-0.02..0.02_f64),
    ) {
        let shapes: [&dyn Implicit; 3] =
            [&Sphere::new(0.01), &Stick::new([DVec3::NEG_Y, DVec3::Y], 0.005), &Cuboid::new(DVec3::new(0.2, 0.002, 0.2))];
        let (shape, direction) = (shapes[which], DVec3::from(direction));
        prop_assume!(direction.length() > 0.1);
        let (start, half, way, turned) =
            (DVec3::from(start), 0.05 * direction.normalize(), DVec3::from(way), DVec3::from(turned));
        let from = [start - half, start + half];
        let to = [start + way - half - turned, start + way + half + turned];
        // By looking at all of the motion.
        let gap = |s: f64, t: f64| shape.near(from[0].lerp(to[0], t).lerp(from[1].lerp(to[1], t), s)).gap;
        let part = |k: i32| f64::from(k) / 100.0;
        let least = |t: f64| (0..=100).map(|k| gap(part(k), t)).fold(f64::INFINITY, f64::min);
        let deepest = (0..=100).map(|k| least(part(k))).fold(f64::INFINITY, f64::min);
        let ends = (0..=100).map(|k| gap(0.0, part(k)).min(gap(1.0, part(k)))).fold(f64::INFINITY, f64::min);
        // It starts outside and ends out of reach.
        prop_assume!(least(0.0) > 2e-3 && least(1.0) > 0.012);
        let found = met(shape, from, to);
        // No point of the grid is farther than this from the next.
        let step = 0.002;
        prop_assert!(found.is_none() || deepest < step, "{found:?}, but it stays {deepest} away");
        // The middle of the body passed between the ends, from one side of the edge to the other.
        let side = |edge: [DVec3; 2]| shape.near(0.5 * (edge[0] + edge[1])).normal;
        let passed = deepest < -0.8 * 0.005 && ends > 0.015 && side(from).dot(side(to)) < 0.0 && which < 2;
        prop_assert!(found.is_some() || !passed, "{deepest} deep is missed");
    }
}

#[test]
fn an_edge_flat_on_a_table_is_left_to_its_nodes() {
    let table = Cuboid::table(1.0, 1.0, 0.1);
    assert_eq!(met(&table, across(0.0, 0.001), across(0.0, 0.0)), None);
    // Its last point on the table is where the rim is, but it is level: the nodes carry what they carry.
    let over = met(&table, across(0.45, 0.001), across(0.45, -1e-5)).expect("a meeting");
    assert!((over.along - 0.75).abs() < 1e-2 && over.surface.gap < 0.0, "{over:?}");
}

#[test]
fn what_an_edge_knows_of_its_start_changes_nothing() {
    let (shape, from) = (Sphere::new(0.1), [DVec3::new(-0.3, 0.0, 0.15), DVec3::new(0.2, 0.1, 0.2)]);
    let moved = |by: f64| from.map(|end| end - DVec3::Z * by);
    let mut known = Known::NOTHING;
    // Farther and nearer by turns, so that what is known is asked for on both sides.
    for k in 0..40 {
        let travel = 0.004 * f64::from(k * 17 % 40);
        let (to, clearance) = (moved(travel), from.map(|end| shape.clearance(end)));
        let motion = EdgeMotion { from, to, travel, clearance, known: false };
        let near = (|end: usize| shape.near(from[end]), |end: usize| shape.near(to[end]));
        assert_eq!(meet_edge(&shape, &motion, 0.01, &mut known, near.0, near.1), met(&shape, from, to), "{travel}");
    }
}

/// A box that counts how often it is asked for its nearest place.
#[derive(Debug)]
struct Counted(Cuboid, AtomicUsize);

impl Implicit for Counted {
    fn near(&self, point: DVec3) -> Near {
        self.1.fetch_add(1, Relaxed);
        self.0.near(point)
    }

    fn reach(&self) -> f64 {
        self.0.reach()
    }

    fn outline(&self, extent: f64) -> Outline {
        self.0.outline(extent)
    }

    fn fault(&self) -> Option<String> {
        self.0.fault()
    }
}

#[test]
fn where_an_edge_comes_over_a_rim_is_found_after_a_few_samples() {
    // Nearly level over the top, and then down past the rim at a distance: of the way to the rim the distance is a root of a square.
    for height in [1e-4, 6e-4, 3e-3, 9e-3] {
        let shape = Counted(Cuboid::table(1.0, 1.0, 0.1), AtomicUsize::new(0));
        let edge = [DVec3::new(0.48, 0.1, height), DVec3::new(0.53, 0.12, height - 0.01)];
        let found = met(&shape, edge, edge).expect("a meeting");
        let asked = shape.1.load(Relaxed);
        let gap = |s: f64| shape.0.near(edge[0].lerp(edge[1], s)).gap;
        let deepest = (0..=10_000).map(|k| gap(f64::from(k) * 1e-4)).fold(f64::INFINITY, f64::min);
        assert!(found.surface.gap < deepest + 1e-6, "{height}: {found:?}, but {deepest} deep");
        // The ends, the surface there and on both sides, and no more than this between.
        assert!(asked <= 2 + 3 + 12, "{height}: {asked} times");
    }
}

#[test]
fn the_deepest_place_over_something_round_is_found_from_two_samples() {
    let sphere = Sphere::new(0.03);
    let stick = Stick::new([DVec3::NEG_Y, DVec3::Y], 0.01);
    // Across, and aslant over the stick and beside it.
    for (shape, edge) in [
        (&sphere as &dyn Implicit, [DVec3::new(-0.04, 0.01, 0.031), DVec3::new(0.05, -0.02, 0.04)]),
        (&stick, [DVec3::new(-0.04, 0.03, 0.015), DVec3::new(0.06, -0.02, 0.01)]),
        (&stick, [DVec3::new(-0.01, 0.3, 0.013), DVec3::new(0.013, -0.2, 0.014)]),
    ] {
        let samples = [0.1, 0.25].map(|s| {
            let near = shape.near(edge[0].lerp(edge[1], s));
            let along = edge[1] - edge[0];
            Sample { at: s * along.length(), gap: near.gap, slope: near.normal.dot(along.normalize()) }
        });
        let found = round_place(&samples[0], &samples[1], 0.0).expect("a place") / edge[0].distance(edge[1]);
        let gap = |s: f64| shape.near(edge[0].lerp(edge[1], s)).gap;
        let least = (0..=100_000).map(|k| gap(f64::from(k) * 1e-5)).fold(f64::INFINITY, f64::min);
        assert!(found > 0.25 && gap(found) < least + 1e-10, "{found}: {} instead of {least}", gap(found));
    }
}

/// A box that has no answer in its middle.
#[derive(Debug)]
struct Torn(Cuboid);

impl Implicit for Torn {
    fn near(&self, point: DVec3) -> Near {
        let near = self.0.near(point);
        if point.x.abs() < 0.4 { Near { gap: f64::NAN, normal: DVec3::NAN } } else { near }
    }

    fn reach(&self) -> f64 {
        self.0.reach()
    }

    fn outline(&self, extent: f64) -> Outline {
        self.0.outline(extent)
    }

    fn fault(&self) -> Option<String> {
        self.0.fault()
    }
}

#[test]
fn a_shape_without_an_answer_between_the_ends_of_an_edge_is_no_panic() {
    let torn = Torn(Cuboid::table(1.0, 1.0, 0.1));
    for (a, b) in [(0.01, 0.01), (-0.02, 0.03), (-0.02, -0.02), (0.3, -0.3)] {
        let edge = [DVec3::new(-0.6, 0.0, a), DVec3::new(0.7, 0.1, b)];
        let moved = edge.map(|end| end + DVec3::new(0.0, 0.0, 0.05));
        for to in [edge, moved] {
            let found = met(&torn, edge, to);
            assert!(found.is_none_or(|found| (0.0..=1.0).contains(&found.along)), "{found:?}");
        }
    }
}
