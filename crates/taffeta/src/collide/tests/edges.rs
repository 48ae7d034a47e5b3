//! Edges of a cloth against bodies, where it can be computed by hand.

use glam::DVec3;

use crate::collide::edges::{EdgeMeeting, meet_edge};
use crate::obstacle::{Cuboid, Implicit, Sphere, Stick};

/// What an edge meets that moves from one place to another, with nothing known of before.
fn met(shape: &dyn Implicit, from: [DVec3; 2], to: [DVec3; 2]) -> Option<EdgeMeeting> {
    let nearest = (0..=1000).map(|k| shape.clearance(from[0].lerp(from[1], f64::from(k) / 1000.0)));
    meet_edge(shape, from, to, nearest.fold(f64::INFINITY, f64::min) - 1e-3, 0.01, false)
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

#[test]
fn an_edge_flat_on_a_table_is_left_to_its_nodes() {
    let table = Cuboid::table(1.0, 1.0, 0.1);
    assert_eq!(met(&table, across(0.0, 0.001), across(0.0, 0.0)), None);
    // Its last point on the table is where the rim is, but it is level: the nodes carry what they carry.
    let over = met(&table, across(0.45, 0.001), across(0.45, -1e-5)).expect("a meeting");
    assert!((over.along - 0.75).abs() < 1e-2 && over.surface.gap < 0.0, "{over:?}");
}
