//! What every shape must do, and where each is.

use super::*;

/// A body with an independent test of what is inside, and how far chords of its outline are from it, m.
struct Case {
    shape: Shape,
    contains: fn(DVec3) -> bool,
    sagitta: f64,
}

fn bounded() -> Vec<Case> {
    let case = |shape: Shape, contains, sagitta| Case { shape, contains, sagitta };
    vec![
        case(
            Cuboid::new(DVec3::new(0.5, 0.3, 0.8)).into(),
            |p| p.x.abs() < 0.5 && p.y.abs() < 0.3 && p.z.abs() < 0.8,
            0.0,
        ),
        case(
            Cuboid::table(1.2, 0.8, 0.1).into(),
            |p| p.x.abs() < 0.6 && p.y.abs() < 0.4 && p.z < 0.0 && p.z > -0.1,
            0.0,
        ),
        case(Sphere::new(0.7).into(), |p| p.length() < 0.7, 0.7 * 0.02),
        case(Cylinder::new(0.4, 0.6).into(), |p| p.x.hypot(p.y) < 0.4 && p.z.abs() < 0.6, 0.4 * 0.01),
        case(Capsule::new(0.4, 0.5).into(), |p| p.distance(DVec3::Z * p.z.clamp(-0.5, 0.5)) < 0.4, 0.4 * 0.02),
        case(Stick::straight(1.0, 0.3).into(), |p| p.distance(DVec3::X * p.x.clamp(-0.5, 0.5)) < 0.3, 0.3 * 0.02),
    ]
}

fn all() -> Vec<Shape> {
    let mut shapes: Vec<Shape> = bounded().into_iter().map(|case| case.shape).collect();
    let cube = Cuboid::new(DVec3::splat(0.5)).outline(1.0);
    shapes.extend([
        Plane.into(),
        Cylinder::new(0.4, f64::INFINITY).into(),
        EggBox::default().into(),
        EggBox::new(5.0, 1.0).into(),
        Stick::new([DVec3::new(-0.5, 0.0, 0.0), DVec3::new(0.4, 0.1, 0.0), DVec3::new(0.4, 0.5, 0.3)], 0.1).into(),
        Solid::new(cube.positions, cube.triangles).expect("a cube").into(),
    ]);
    shapes
}

#[test]
fn normals_are_slopes_of_the_gap() {
    for shape in all() {
        let mut checked = 0;
        for point in scattered(2000, 1.3) {
            let slope = slope(&*shape, point);
            // Where two places are equally near the gap has a kink, and its differences are no slope.
            if (slope.length() - 1.0).abs() < 1e-5 {
                let near = shape.near(point);
                assert!(slope.distance(near.normal) < 1e-4, "{shape:?} at {point}: {slope} against {near:?}");
                checked += 1;
            }
        }
        assert!(checked > 1980, "{shape:?}: {checked} of 2000 points have a slope");
    }
}

#[test]
fn the_gap_leads_to_the_surface() {
    for shape in all() {
        for point in scattered(2000, 1.3) {
            let near = shape.near(point);
            let foot = shape.near(point - near.gap * near.normal);
            assert!(foot.gap.abs() < 1e-9, "{shape:?} at {point}: {near:?} leads to {foot:?}");
        }
    }
}

#[test]
fn gaps_are_distances_to_the_outline() {
    for Case { shape, contains, sagitta } in bounded() {
        let outline = shape.outline(1.0);
        for point in scattered(1000, 1.3) {
            let gap = shape.near(point).gap;
            let distance = distance_to(&outline, point);
            assert!((gap.abs() - distance).abs() < sagitta + 1e-12, "{shape:?} at {point}: {gap}, {distance}");
            assert_eq!(gap < 0.0, contains(point), "{shape:?} at {point}: {gap}");
        }
    }
}

#[test]
fn clearance_is_a_lower_bound_and_changes_no_faster_than_the_place() {
    for shape in all() {
        let points: Vec<DVec3> = scattered(1000, 1.3).collect();
        for pair in points.windows(2) {
            let [a, b] = [shape.clearance(pair[0]), shape.clearance(pair[1])];
            assert!((a - b).abs() <= pair[0].distance(pair[1]) + 1e-12, "{shape:?} between {pair:?}");
            let gap = shape.near(pair[0]).gap;
            assert!(if gap > 0.0 { a <= gap + 1e-12 } else { a <= 1e-12 }, "{shape:?} at {}: {a}, {gap}", pair[0]);
        }
    }
}

#[test]
fn normals_are_of_unit_length_everywhere() {
    let mut places = vec![DVec3::ZERO, DVec3::Z * 0.3, DVec3::new(0.5, 0.3, 0.8), DVec3::splat(0.5), DVec3::X * 0.4];
    places.extend(places.clone().into_iter().map(|place| -place));
    for size in [1e-310, 1e-160, 1e-12, 1e12, 1e160, 1e307] {
        places.extend([DVec3::splat(size), DVec3::new(-size, 0.0, 0.0), DVec3::new(0.0, size, -size)]);
        places.push(DVec3::new(0.5, 0.3, 0.8) + size);
        places.push(DVec3::new(0.4, 0.0, 0.6) + size);
    }
    for shape in all() {
        for &place in &places {
            let near = shape.near(place);
            assert!(near.gap.is_finite(), "{shape:?} at {place}: {near:?}");
            assert!((near.normal.length() - 1.0).abs() < 1e-9, "{shape:?} at {place}: {near:?}");
            assert_eq!(near, shape.near(place));
        }
    }
}

#[test]
fn a_table_has_its_top_at_the_origin() {
    let table = Cuboid::table(1.0, 2.0, 0.04);
    assert_eq!(table.near(DVec3::new(0.2, 0.9, 0.3)), Near { gap: 0.3, normal: DVec3::Z });
    let edge = table.near(DVec3::new(0.8, 0.0, 0.4));
    assert!((edge.gap - 0.5).abs() < 1e-15 && edge.normal.distance(DVec3::new(0.6, 0.0, 0.8)) < 1e-15, "{edge:?}");
    let below = table.near(DVec3::new(0.0, 0.0, -0.1));
    assert!((below.gap - 0.06).abs() < 1e-15 && below.normal == -DVec3::Z, "{below:?}");
}

#[test]
fn a_stick_is_all_that_is_within_its_radius_of_its_segments() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.5), DVec3::new(1.0, 1.0, 0.5)];
    let stick = Stick::new(points, 0.05);
    for point in scattered(500, 1.3) {
        let along = (0..=1000).map(|k| f64::from(k) / 1000.0);
        let places = along.flat_map(|s| [points[0].lerp(points[1], s), points[1].lerp(points[2], s)]);
        let nearest = places.map(|place| place.distance(point)).fold(f64::INFINITY, f64::min);
        let gap = stick.near(point).gap;
        // The nearest of the places tried is at most half their spacing along from the nearest of all.
        assert!(gap <= nearest - 0.05 + 1e-12 && gap > nearest - 0.05 - 1e-3, "{point}: {gap}, {nearest}");
    }
    let mut tips = Vec::new();
    stick.tips(DVec3::splat(-1.0), DVec3::splat(1.0), &mut tips);
    assert_eq!(tips.len(), points.len());
    assert!(tips.iter().zip(points).all(|(tip, place)| tip.place == place && tip.radius == 0.05));
    assert!(tips.iter().all(|tip| tip.outward.is_normalized()), "{tips:?}");
}

#[test]
fn only_a_plane_is_flat() {
    for shape in all() {
        assert_eq!(shape.is_flat(), format!("{shape:?}") == "Plane", "{shape:?}");
    }
}

#[test]
fn a_custom_shape_is_asked() {
    #[derive(Debug)]
    struct Slab {
        half_thickness: f64,
    }
    impl Implicit for Slab {
        fn near(&self, point: DVec3) -> Near {
            Near { gap: point.y.abs() - self.half_thickness, normal: DVec3::Y * point.y.signum() }
        }

        fn fault(&self) -> Option<String> {
            length_fault("half thickness", self.half_thickness)
        }
    }
    let shared: std::sync::Arc<dyn Implicit> = std::sync::Arc::new(Slab { half_thickness: 1.0 });
    for obstacle in [Obstacle::new("slab", Slab { half_thickness: 1.0 }), Obstacle::new("slab", shared)] {
        assert_eq!(obstacle.shape.near(DVec3::Y * -3.0), Near { gap: 2.0, normal: -DVec3::Y });
        assert_eq!(obstacle.shape.clearance(DVec3::Y * 4.0), 3.0);
        assert_eq!(obstacle.shape.outline(1.0), Outline::default());
        assert_eq!(obstacle.fault(), None);
    }
    let fault = Obstacle::new("slab", Slab { half_thickness: -1.0 }).fault().unwrap_or_default();
    assert!(fault.contains("half thickness is -1 m"), "{fault}");
}

#[test]
fn a_shape_is_shared_between_threads_and_prints_as_what_it_is() {
    fn shareable<T: Clone + Send + Sync + 'static>(_: &T) {}
    let shape = Shape::from(Sphere::new(0.5));
    shareable(&shape);
    assert_eq!(format!("{:?}", shape.clone()), format!("{:?}", Sphere::new(0.5)));
}

#[test]
fn faults_are_named() {
    let bad: [(Obstacle, &str); 14] = [
        (Obstacle::new("a", Sphere::new(0.0)), "radius"),
        (Obstacle::new("a", Sphere::new(f64::INFINITY)), "radius"),
        (Obstacle::new("a", Cylinder::new(0.1, -1.0)), "half length"),
        (Obstacle::new("a", Cylinder::new(f64::NAN, 1.0)), "radius"),
        (Obstacle::new("a", Capsule::new(0.1, f64::INFINITY)), "half length"),
        (Obstacle::new("a", Cuboid::new(DVec3::new(1.0, -1.0, 1.0))), "half extent in y"),
        (Obstacle::new("a", Stick::straight(1.0, 0.0)), "radius"),
        (Obstacle::new("a", Stick::new([DVec3::ZERO], 0.1)), "give two or more"),
        (Obstacle::new("a", Stick::new(Vec::new(), 0.1)), "0 points"),
        (Obstacle::new("a", Stick::new([DVec3::ZERO, DVec3::NAN], 0.1)), "point 1"),
        (Obstacle::new("a", EggBox::new(0.0, 1.0)), "c1"),
        (Obstacle::new("a", EggBox::new(1.0, 0.0)), "c2"),
        (Obstacle::new("a", Plane).with_friction(-0.1), "friction"),
        (Obstacle::new("a", Plane).with_friction(f64::NAN), "friction"),
    ];
    for (obstacle, word) in bad {
        let fault = obstacle.fault().unwrap_or_default();
        assert!(fault.starts_with("obstacle \"a\":") && fault.contains(word), "{obstacle:?}: {fault}");
        // Bad input must not panic either.
        obstacle.shape.near(DVec3::ONE);
    }
    for shape in all() {
        assert_eq!(Obstacle::new("good", shape).fault(), None);
    }
}

#[test]
fn spines_are_as_deep_as_they_say() {
    let disc = Cylinder::new(0.4, 0.1).into();
    for shape in all().into_iter().chain([disc]) {
        let mut spines = Vec::new();
        shape.spines(2.0, &mut spines);
        for Spine { ends: [p, q], depth } in spines {
            for k in 0..=20 {
                let point = p.lerp(q, f64::from(k) / 20.0);
                let gap = shape.near(point).gap;
                assert!(gap <= -0.95 * depth && depth > 0.0, "{shape:?}: {point} is {gap} m deep, not {depth} m");
            }
        }
    }
}
