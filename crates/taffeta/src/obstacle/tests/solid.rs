//! Solids against analytic shapes, and against definitions.

use super::*;

fn of(shape: impl Implicit) -> Solid {
    let Outline { positions, triangles } = shape.outline(1.0);
    Solid::new(positions, triangles).expect("a closed surface")
}

/// An L of three unit cubes in the xz plane, the one at (1, 1) missing.
fn l_shape() -> Outline {
    let profile = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let at = |y: f64| profile.map(|(x, z)| DVec3::new(x, y, z));
    let mut triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]];
    triangles.extend(triangles.clone().into_iter().map(|[a, b, c]| [a + 6, c + 6, b + 6]));
    triangles.extend((0..6).flat_map(|k| {
        let next = (k + 1) % 6;
        [[k, k + 6, next + 6], [k, next + 6, next]]
    }));
    Outline { positions: at(0.0).into_iter().chain(at(1.0)).collect(), triangles }
}

#[test]
fn a_box_of_triangles_is_a_box() {
    let analytic = Cuboid::new(DVec3::new(0.5, 0.3, 0.8));
    let solid = of(analytic);
    // Beyond faces, edges and corners, and inside; some exactly.
    let exact =
        [DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.5, 0.3, 0.9), DVec3::new(0.6, 0.4, 0.9), DVec3::new(0.6, 0.3, 0.8)];
    for point in scattered(5000, 1.2).chain(exact) {
        let [ours, theirs] = [solid.near(point), analytic.near(point)];
        assert!((ours.gap - theirs.gap).abs() < 1e-12, "{point}: {ours:?}, {theirs:?}");
        // Inside, where two faces are equally near, either normal is right.
        if theirs.gap > 0.0 {
            assert!(ours.normal.distance(theirs.normal) < 1e-9, "{point}: {ours:?}, {theirs:?}");
        }
    }
}

#[test]
fn a_sphere_of_triangles_is_nearly_a_sphere() {
    let analytic = Sphere::new(0.7);
    let solid = of(analytic);
    for point in scattered(3000, 1.2) {
        let [ours, theirs] = [solid.near(point).gap, analytic.near(point).gap];
        assert!(ours >= theirs - 1e-12 && ours < theirs + 0.02 * 0.7, "{point}: {ours}, {theirs}");
    }
}

#[test]
fn an_l_is_outside_in_its_notch() {
    let outline = l_shape();
    let solid = Solid::new(outline.positions.clone(), outline.triangles.clone()).expect("an L");
    let within = |p: DVec3| {
        let square = |x: f64, z: f64| (x..x + 1.0).contains(&p.x) && (z..z + 1.0).contains(&p.z);
        (0.0..1.0).contains(&p.y) && (square(0.0, 0.0) || square(1.0, 0.0) || square(0.0, 1.0))
    };
    let mut inside = 0;
    for point in scattered(5000, 1.5).map(|point| point + DVec3::new(1.0003, 0.5007, 1.0001)) {
        let gap = solid.near(point).gap;
        assert_eq!(gap < 0.0, within(point), "{point}: {gap}");
        assert!((gap.abs() - distance_to(&outline, point)).abs() < 1e-12, "{point}: {gap}");
        inside += usize::from(gap < 0.0);
    }
    assert!(inside > 300, "{inside}");
    // In the notch both walls are near; inside below the reflex edge that edge is nearest.
    assert!((solid.near(DVec3::new(1.25, 0.5, 1.5)).gap - 0.25).abs() < 1e-15);
    let below = solid.near(DVec3::new(0.88, 0.5, 0.84));
    assert!((below.gap + 0.2).abs() < 1e-15 && below.normal.distance(DVec3::new(0.6, 0.0, 0.8)) < 1e-12, "{below:?}");
    // On the reflex edge itself the normal is between those of the walls.
    let edge = solid.near(DVec3::new(1.0, 0.5, 1.0));
    assert!(edge.gap.abs() < 1e-15 && (edge.normal.length() - 1.0).abs() < 1e-12, "{edge:?}");
}

proptest! {
    #[test]
    fn a_tetrahedron_is_where_its_planes_say(
        corners in prop::array::uniform4(point(1.0)), points in prop::collection::vec(point(1.5), 50),
    ) {
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let volume = (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(corners[3] - corners[0]);
        prop_assume!(volume.abs() > 1e-3);
        // Half of these are inside out.
        let solid = Solid::new(corners.to_vec(), triangles).expect("closed");
        let outline = solid.outline(1.0);
        let in_front = |&[a, b, c]: &[usize; 3], p: DVec3| (corners[b] - corners[a]).cross(corners[c] - corners[a]).dot(p - corners[a]) > 0.0;
        // Beyond each corner and each edge too, away from the middle.
        let middle = corners.iter().sum::<DVec3>() / 4.0;
        let away = |p: DVec3| p + 0.1 * (p - middle);
        let edges = (0..4).flat_map(|i| (0..i).map(move |j| 0.5 * (corners[i] + corners[j])));
        let special = corners.into_iter().chain(edges).map(away);
        for p in points.into_iter().chain(special) {
            let gap = solid.near(p).gap;
            prop_assert_eq!(gap > 0.0, outline.triangles.iter().any(|triangle| in_front(triangle, p)), "{} {}", p, gap);
            prop_assert!((gap.abs() - distance_to(&outline, p)).abs() < 1e-10);
        }
    }

    #[test]
    fn a_rugged_star_is_inside_towards_its_centre(
        radii in prop::collection::vec(0.3..1.0_f64, 600), points in prop::collection::vec(point(1.0), 50),
    ) {
        let mut star = Sphere::new(1.0).outline(1.0);
        for (position, radius) in star.positions.iter_mut().zip(&radii) {
            *position *= radius;
        }
        let solid = Solid::new(star.positions.clone(), star.triangles.clone()).expect("closed");
        for p in points {
            // The ray from the centre through the point leaves the star once, through the triangle it meets.
            let leaves = star.triangles.iter().find_map(|corners| {
                let [a, b, c] = corners.map(|corner| star.positions[corner]);
                let weights = glam::DMat3::from_cols(a, b, c).inverse() * p;
                (weights.min_element() >= 0.0).then(|| 1.0 / weights.element_sum())
            });
            let Some(leaves) = leaves else { continue };
            prop_assume!((leaves - 1.0).abs() > 1e-9);
            let gap = solid.near(p).gap;
            prop_assert_eq!(gap > 0.0, leaves < 1.0, "{} {}", p, gap);
            prop_assert!((gap.abs() - distance_to(&star, p)).abs() < 1e-10);
        }
    }
}

#[test]
fn an_inside_out_mesh_is_turned() {
    let cube = Cuboid::new(DVec3::splat(0.5));
    let mut outline = cube.outline(1.0);
    outline.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    let solid = Solid::new(outline.positions, outline.triangles).expect("a cube");
    for point in scattered(1000, 1.0) {
        let [ours, theirs] = [solid.near(point), cube.near(point)];
        assert!((ours.gap - theirs.gap).abs() < 1e-12, "{point}: {ours:?}, {theirs:?}");
        assert!(theirs.gap < 0.0 || ours.normal.distance(theirs.normal) < 1e-9, "{point}: {ours:?}, {theirs:?}");
    }
}

#[test]
fn a_shell_inside_is_a_cavity() {
    let mut outline = Cuboid::new(DVec3::ONE).outline(1.0);
    let hole = Cuboid::new(DVec3::splat(0.5)).outline(1.0);
    outline.positions.extend(hole.positions);
    outline.triangles.extend(hole.triangles.into_iter().map(|[a, b, c]| [a + 8, c + 8, b + 8]));
    let solid = Solid::new(outline.positions, outline.triangles).expect("a hollow cube");
    let gap = |x: f64| solid.near(DVec3::X * x).gap;
    assert!((gap(0.1) - 0.4).abs() < 1e-15 && (gap(0.6) + 0.1).abs() < 1e-15 && (gap(1.5) - 0.5).abs() < 1e-15);
}

/// Why a cube is refused after a change to its mesh.
fn refused(change: impl FnOnce(&mut Vec<DVec3>, &mut Vec<[usize; 3]>)) -> SolidError {
    let Outline { mut positions, mut triangles } = Cuboid::new(DVec3::ONE).outline(1.0);
    change(&mut positions, &mut triangles);
    Solid::new(positions, triangles).expect_err("a bad mesh")
}

#[test]
fn bad_meshes_are_refused_by_name() {
    let Outline { positions, triangles } = Cuboid::new(DVec3::ONE).outline(1.0);
    assert_eq!(refused(|_, triangles| triangles.clear()), SolidError::Empty);
    assert!(matches!(
        refused(|positions, _| positions[3].y = f64::NAN),
        SolidError::UnusableCoordinate { index: 3, .. }
    ));
    assert!(matches!(refused(|positions, _| positions[2].z = 1e70), SolidError::UnusableCoordinate { index: 2, .. }));
    assert_eq!(refused(|_, triangles| triangles[4][1] = 8), SolidError::OutOfRange { triangle: 4, index: 8, count: 8 });
    assert_eq!(refused(|_, triangles| triangles[5][1] = triangles[5][0]), SolidError::NoArea { triangle: 5 });
    let hole = refused(|_, triangles| triangles.truncate(11));
    let SolidError::Open { from, to, .. } = hole else { panic!("{hole:?}") };
    let removed = triangles[11];
    assert!((0..3).any(|k| [removed[k], removed[(k + 1) % 3]] == [to, from]), "{hole:?} of {removed:?}");
    let turned = refused(|_, triangles| triangles[0].swap(0, 1));
    assert!(matches!(turned, SolidError::Inconsistent { first: 0, second: 1.., .. }), "{turned:?}");
    let twice = refused(|_, triangles| triangles.push(triangles[7]));
    assert!(matches!(twice, SolidError::Inconsistent { first: 7, second: 12, .. }), "{twice:?}");
    let flat = refused(|positions, _| positions.iter_mut().for_each(|position| position.z *= 1e-14));
    assert!(matches!(flat, SolidError::NoArea { .. } | SolidError::NoVolume), "{flat:?}");
    let sheet = Solid::new(positions[..3].to_vec(), vec![[0, 1, 2], [2, 1, 0]]).expect_err("a sheet");
    assert_eq!(sheet, SolidError::NoVolume);
    assert!(sheet.to_string().contains("thickness"));
}

fn tips(solid: &Solid) -> Vec<Tip> {
    let mut tips = Vec::new();
    solid.tips(DVec3::splat(-10.0), DVec3::splat(10.0), &mut tips);
    tips
}

#[test]
fn corners_that_stick_out_are_tips() {
    let outline = l_shape();
    let solid = Solid::new(outline.positions.clone(), outline.triangles).expect("an L");
    let tips = tips(&solid);
    // Of the twelve corners the two in the notch are none.
    assert_eq!((outline.positions.len(), tips.len()), (12, 10));
    for tip in &tips {
        let out = solid.near(tip.place + tip.outward * 1e-3).gap;
        assert!(out > 5e-4, "{tip:?} does not lead out: {out}");
        assert_eq!((tip.radius, tip.roundness), (0.0, 0.0), "{tip:?}");
    }
    let mut near = Vec::new();
    solid.tips(tips[0].place - 1e-6, tips[0].place + 1e-6, &mut near);
    assert_eq!(near, tips[..1], "only what is in the box is told of");
}

#[test]
fn a_dense_mesh_has_as_many_tips_as_its_shape_needs() {
    let ball = of(Sphere::new(0.3));
    let tips = tips(&ball);
    assert!((40..150).contains(&tips.len()), "{} of {} corners", tips.len(), ball.outline(1.0).positions.len());
    // Sides span up to a quarter of a radian, and their squares are what the mesh is off a ball.
    for tip in &tips {
        assert!((tip.roundness / 0.3 - 1.0).abs() < 0.25 * 0.25, "{tip:?}");
    }
    for corner in ball.outline(1.0).positions {
        let nearest = tips.iter().map(|tip| tip.place.distance(corner)).fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.35 * 0.3 * (1.0 + 0.25 * 0.25), "{corner} is {nearest} m from a tip");
    }
}

#[test]
fn the_rim_of_a_peg_is_as_round_as_the_peg() {
    let tips = tips(&of(Cylinder::new(0.01, 0.2)));
    assert!((20..40).contains(&tips.len()), "{} on both rims", tips.len());
    for tip in tips {
        assert!((tip.place.z.abs() - 0.2).abs() < 1e-12, "{tip:?} is not on a rim");
        assert!((0.009..0.02).contains(&tip.roundness), "{tip:?}");
    }
}
