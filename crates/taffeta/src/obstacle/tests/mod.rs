//! Shapes against definitions applied by brute force, and motions against what they say they do.

mod egg_box;
mod motion;
mod outlines;
mod shapes;
mod solid;

use glam::DVec3;
use proptest::prelude::*;

use super::*;

fn point(reach: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-reach..reach).prop_map(DVec3::from_array)
}

/// Points that are the same in every run and fill a cube evenly: the sequence of Halton.
fn scattered(count: usize, reach: f64) -> impl Iterator<Item = DVec3> {
    let digit_reversed = |index: usize, base: usize| {
        let (mut rest, mut scale, mut value) = (index, 1.0, 0.0);
        while rest > 0 {
            scale /= base as f64;
            value += scale * (rest % base) as f64;
            rest /= base;
        }
        value
    };
    (1..=count).map(move |k| reach * (2.0 * DVec3::from_array([2, 3, 5].map(|base| digit_reversed(k, base))) - 1.0))
}

/// The slope of the gap by central differences, m/m.
fn slope(shape: &dyn Implicit, point: DVec3) -> DVec3 {
    let h = 1e-6;
    let along = |axis: DVec3| (shape.near(point + h * axis).gap - shape.near(point - h * axis).gap) / (2.0 * h);
    DVec3::from_array(DVec3::AXES.map(along))
}

/// The distance to the triangles of an outline, found by trying the points of each: vertices, sides and the inside of
/// the triangle, where the foot of the perpendicular is.
fn distance_to(outline: &Outline, point: DVec3) -> f64 {
    let distance = |corners: &[usize; 3]| {
        let [a, b, c] = corners.map(|corner| outline.positions[corner]);
        let on_side = |from: DVec3, to: DVec3| {
            let s = ((point - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
            point.distance(from.lerp(to, s))
        };
        let normal = (b - a).cross(c - a).normalize();
        let height = (point - a).dot(normal);
        let foot = point - height * normal;
        let is_left = |from: DVec3, to: DVec3| (to - from).cross(foot - from).dot(normal) >= 0.0;
        let inside = is_left(a, b) && is_left(b, c) && is_left(c, a);
        let sides = on_side(a, b).min(on_side(b, c)).min(on_side(c, a));
        if inside { height.abs() } else { sides }
    };
    outline.triangles.iter().map(distance).fold(f64::INFINITY, f64::min)
}
