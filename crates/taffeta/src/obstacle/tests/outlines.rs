//! Triangles for pictures.

use std::collections::HashSet;

use super::*;

fn bounded() -> Vec<Shape> {
    let cube = Cuboid::new(DVec3::splat(0.5)).outline(1.0);
    vec![
        Cuboid::new(DVec3::new(0.5, 0.3, 0.8)).into(),
        Cuboid::table(1.2, 0.8, 0.1).into(),
        Sphere::new(0.7).into(),
        Cylinder::new(0.4, 0.6).into(),
        Capsule::new(0.4, 0.5).into(),
        Solid::new(cube.positions, cube.triangles).expect("a cube").into(),
    ]
}

fn unbounded() -> Vec<Shape> {
    vec![Plane.into(), Cylinder::new(0.4, f64::INFINITY).into(), EggBox::default().into(), EggBox::new(5.0, 1.0).into()]
}

#[test]
fn corners_are_on_the_surface_and_triangles_face_outward() {
    for shape in bounded().into_iter().chain(unbounded()) {
        let outline = shape.outline(1.0);
        assert!(!outline.triangles.is_empty());
        for &position in &outline.positions {
            assert!(shape.near(position).gap.abs() < 1e-9, "{shape:?}: {position}");
        }
        for &corners in &outline.triangles {
            let [a, b, c] = corners.map(|corner| outline.positions[corner]);
            let (middle, normal) = ((a + b + c) / 3.0, (b - a).cross(c - a).normalize());
            // At the tip of a spike the nearest wall may be another: there outward is up.
            let spiked = format!("{shape:?}").starts_with("EggBox");
            let outward = if spiked { normal.z > 0.0 } else { shape.near(middle).normal.dot(normal) > 0.5 };
            assert!(outward, "{shape:?}: {corners:?}");
        }
    }
}

#[test]
fn outlines_of_bounded_shapes_are_closed() {
    for shape in bounded() {
        let sides = |&[a, b, c]: &[usize; 3]| [[a, b], [b, c], [c, a]];
        let triangles = shape.outline(1.0).triangles;
        let directed: HashSet<[usize; 2]> = triangles.iter().flat_map(sides).collect();
        assert_eq!(directed.len(), 3 * triangles.len(), "{shape:?} has a side twice");
        assert!(directed.iter().all(|&[from, to]| directed.contains(&[to, from])), "{shape:?} is open");
    }
}

#[test]
fn outlines_of_unbounded_shapes_end_at_the_extent() {
    for shape in unbounded() {
        let reach = |outline: Outline| {
            outline.positions.iter().map(|p| p.x.abs().max(p.y.abs()).max(p.z.abs())).fold(0.0, f64::max)
        };
        assert_eq!(reach(shape.outline(3.0)), 3.0, "{shape:?}");
    }
}
