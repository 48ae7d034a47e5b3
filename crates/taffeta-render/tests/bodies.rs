//! Pictures of cloth among solid bodies, looked at pixel by pixel.

use std::error::Error;

use glam::DVec3;
use taffeta_render::{Body, Camera, Picture, RenderError, Scene, Style, Surface, render, render_scene};

const SIDE: usize = 96;

struct Mesh {
    positions: Vec<DVec3>,
    triangles: Vec<[usize; 3]>,
}

impl Mesh {
    /// A square grid of cells, from a shape over the unit square.
    fn grid(cells: usize, shape: impl Fn(f64, f64) -> DVec3) -> Self {
        let mut mesh = Self { positions: Vec::new(), triangles: Vec::new() };
        for j in 0..=cells {
            for i in 0..=cells {
                let node = mesh.positions.len();
                mesh.positions.push(shape(i as f64 / cells as f64, j as f64 / cells as f64));
                if i < cells && j < cells {
                    let [b, c, d] = [node + 1, node + cells + 2, node + cells + 1];
                    mesh.triangles.extend([[node, b, c], [node, c, d]]);
                }
            }
        }
        mesh
    }

    /// A level square of cloth around the `z` axis.
    fn level(cells: usize, side: f64, z: f64) -> Self {
        Self::grid(cells, |u, v| DVec3::new(side * (u - 0.5), side * (v - 0.5), z))
    }

    /// As careless code makes it: inside out, and neither the seam nor the poles quite close.
    fn sphere(cells: usize, centre: DVec3, radius: f64) -> Self {
        Self::grid(cells, |u, v| centre + radius * on_unit_sphere(u * std::f64::consts::TAU, v * std::f64::consts::PI))
    }

    fn cuboid(min: DVec3, max: DVec3) -> Self {
        let pick = |corner: usize, axis: usize| [min, max][corner >> axis & 1][axis];
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Self {
            positions: (0..8).map(|i| DVec3::new(pick(i, 0), pick(i, 1), pick(i, 2))).collect(),
            triangles: faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        }
    }

    fn surface(&self) -> Surface<'_> {
        Surface { positions: &self.positions, triangles: &self.triangles, edges: &[], marked: &[], colours: &[] }
    }

    fn body(&self) -> Body<'_> {
        Body { positions: &self.positions, triangles: &self.triangles, colour: Body::NEUTRALS[0] }
    }
}

fn on_unit_sphere(around: f64, down: f64) -> DVec3 {
    DVec3::new(down.sin() * around.cos(), down.sin() * around.sin(), down.cos())
}

fn camera(eye: DVec3) -> Camera {
    Camera { eye, target: DVec3::ZERO, up: DVec3::new(0.1, 1.0, 0.2), fov_deg: 30.0 }
}

fn draw(cloth: &Mesh, bodies: &[&Mesh], camera: &Camera, style: &Style) -> Picture {
    let bodies: Vec<Body> = bodies.iter().map(|mesh| mesh.body()).collect();
    let scene = Scene { surface: cloth.surface(), bodies: &bodies };
    render_scene(&scene, camera, style, SIDE, SIDE).unwrap()
}

fn middle(picture: &Picture) -> [u8; 3] {
    picture.pixel(SIDE / 2, SIDE / 2).unwrap()
}

/// Either side of the cloth; bodies and background are much greyer.
fn is_cloth([red, _, blue]: [u8; 3]) -> bool {
    red.abs_diff(blue) > 25
}

fn brightness(pixel: [u8; 3]) -> u32 {
    pixel.iter().map(|&channel| u32::from(channel)).sum()
}

/// Pixels that are cloth when it is alone and something else among the bodies, and how many are
/// cloth when it is alone.
fn lost(cloth: &Mesh, body: &Mesh, eye: DVec3) -> (usize, usize) {
    let style = Style::default();
    let alone = render(&cloth.surface(), &camera(eye), &style, SIDE, SIDE).unwrap();
    let among = draw(cloth, &[body], &camera(eye), &style);
    let inside = alone.pixels().iter().zip(among.pixels()).filter(|(alone, _)| is_cloth(**alone));
    (inside.clone().filter(|(_, among)| !is_cloth(**among)).count(), inside.count())
}

#[test]
fn a_sphere_hides_the_cloth_behind_it_and_is_hidden_by_the_cloth_before_it() {
    let cloth = Mesh::level(8, 2.0, 0.0);
    let above = Mesh::sphere(24, DVec3::Z, 0.4);
    let below = Mesh::sphere(24, -DVec3::Z, 0.4);
    let eye = DVec3::Z * 6.0;
    let style = Style::default();
    assert!(is_cloth(middle(&draw(&cloth, &[], &camera(eye), &style))));
    assert!(!is_cloth(middle(&draw(&cloth, &[&above], &camera(eye), &style))));
    assert!(is_cloth(middle(&draw(&cloth, &[&below], &camera(eye), &style))));
    assert!(!is_cloth(middle(&draw(&cloth, &[&below, &above], &camera(-eye), &style))));
}

#[test]
fn cloth_that_lies_on_a_table_hides_it() {
    let table = Mesh::cuboid(DVec3::new(-1.7, -1.3, -0.5), DVec3::new(1.9, 1.1, 0.0));
    for gap in [0.0, 1e-5] {
        let cloth = Mesh::level(20, 1.1, gap);
        for eye in [DVec3::new(0.0, 0.0, 6.0), DVec3::new(2.0, -3.1, 4.0), DVec3::new(5.0, -3.0, 0.6)] {
            let (lost, inside) = lost(&cloth, &table, eye);
            assert!(inside > 100, "{inside}");
            assert_eq!(lost, 0, "gap {gap}, eye {eye}");
        }
    }
}

#[test]
fn cloth_with_its_nodes_on_a_sphere_hides_it() {
    let sphere = Mesh::sphere(96, DVec3::ZERO, 0.5);
    let cloth = Mesh::grid(20, |u, v| {
        let (x, y) = (0.9 * (u - 0.5), 0.9 * (v - 0.5));
        0.5 * on_unit_sphere(y.atan2(x), x.hypot(y) / 0.5)
    });
    for eye in [DVec3::Z * 3.0, DVec3::new(1.0, -2.0, 2.0)] {
        let (lost, inside) = lost(&cloth, &sphere, eye);
        assert!(inside > 1000 && lost == 0, "{lost} of {inside} from {eye}");
    }
}

#[test]
fn cloth_on_a_bumpy_sheet_hides_it_from_above_and_is_hidden_from_below() {
    let bumpy = |x: f64, y: f64| DVec3::new(x, y, 0.05 * (7.0 * x).sin() * (7.0 * y).cos());
    let sheet = Mesh::grid(80, |u, v| bumpy(3.0 * u - 1.5, 3.0 * v - 1.5));
    let cloth = Mesh::grid(30, |u, v| bumpy(u - 0.4 - 0.3 * v, 0.3 * u + v - 0.6));
    let above = lost(&cloth, &sheet, DVec3::new(0.3, 0.4, 6.0));
    assert!(above.0 == 0 && above.1 > 300, "{above:?}");
    let below = lost(&cloth, &sheet, DVec3::new(0.3, 0.4, -6.0));
    assert_eq!(below.0, below.1);
}

#[test]
fn bodies_and_cloth_cast_shadows_on_each_other() {
    let style = Style { light_elevation_deg: 90.0, ..Style::default() };
    // Past the sphere in the middle, at what is below it.
    let aside = camera(DVec3::new(4.0, -4.0, 1.5));
    let ball = Mesh::sphere(24, DVec3::Z * 1.2, 0.4);
    let cloth = Mesh::level(12, 2.0, 0.0);
    let open = middle(&draw(&cloth, &[], &aside, &style));
    let shaded = middle(&draw(&cloth, &[&ball], &aside, &style));
    assert!(is_cloth(open) && is_cloth(shaded));
    assert!(brightness(shaded) * 4 < brightness(open) * 3, "{shaded:?} {open:?}");

    let table = Mesh::cuboid(DVec3::new(-1.5, -1.5, -0.3), DVec3::new(1.5, 1.5, 0.0));
    let on_table = |cloth: &Mesh| middle(&draw(cloth, &[&table], &aside, &style));
    let open = on_table(&Mesh::level(12, 1.0, -9.0));
    let shaded = on_table(&Mesh::level(12, 1.0, 1.2));
    assert!(!is_cloth(open) && !is_cloth(shaded));
    assert!(brightness(shaded) * 4 < brightness(open) * 3, "{shaded:?} {open:?}");
}

#[test]
fn a_large_body_casts_its_shadow_far_from_the_cloth_too() {
    let cloth = Mesh::level(4, 0.4, 0.0);
    let roof = |z: f64| Mesh::cuboid(DVec3::new(-2.0, -2.0, z), DVec3::new(2.0, 2.0, z + 0.1));
    let style = Style { floor: Some(-1.0), light_elevation_deg: 90.0, ..Style::default() };
    let spot = DVec3::new(1.4, 1.4, -1.0);
    let view = Camera { eye: spot + DVec3::new(3.0, -3.0, 0.6), target: spot, up: DVec3::Z, fov_deg: 10.0 };
    let floor = |roof: &[&Mesh]| brightness(middle(&draw(&cloth, roof, &view, &style)));
    assert!(floor(&[&roof(0.5)]) * 4 < floor(&[]) * 3);
}

#[test]
fn a_vast_table_changes_nothing_near_the_cloth() {
    let cloth = Mesh::level(12, 1.0, 0.3);
    let table = |half: f64| Mesh::cuboid(DVec3::new(-half, -half, -1.0), DVec3::new(half, half, 0.0));
    let view = camera(DVec3::new(1.0, -2.0, 3.0));
    let picture = |half| draw(&cloth, &[&table(half)], &view, &Style::default());
    let (large, vast) = (picture(20.0), picture(1e6));
    let differences = large.pixels().iter().zip(vast.pixels()).map(|(a, b)| brightness(*a).abs_diff(brightness(*b)));
    assert!(differences.max().unwrap() < 30);
}

#[test]
fn the_painted_floor_hides_what_of_a_body_is_below_it() {
    let cloth = Mesh::level(2, 0.1, 9.0);
    let view = Camera { up: DVec3::Z, ..camera(DVec3::new(0.0, -6.0, 1.0)) };
    let ball = |z: f64| Mesh::sphere(24, DVec3::Z * z, 0.4);
    let style = Style { floor: Some(0.0), light_elevation_deg: 90.0, ..Style::default() };
    let none = Style { floor: None, ..style.clone() };
    let seen = |z: f64, style: &Style| draw(&cloth, &[&ball(z)], &view, style) != draw(&cloth, &[], &view, style);
    assert!(seen(0.3, &style));
    assert!(seen(-0.5, &none));
    assert!(!seen(-0.5, &style));
}

#[test]
fn flat_faces_are_plain_and_their_edges_sharp() {
    let cube = Mesh::cuboid(DVec3::splat(-0.5), DVec3::splat(0.5));
    let nothing = Mesh { positions: Vec::new(), triangles: Vec::new() };
    let view = Camera { up: DVec3::Z, ..camera(DVec3::new(3.0, -3.0, 0.0)) };
    let style = Style { light_elevation_deg: 20.0, light_azimuth_deg: 40.0, ..Style::default() };
    let picture = draw(&nothing, &[&cube], &view, &style);
    let at = |x: usize| brightness(picture.pixel(x, SIDE / 2).unwrap());
    let edge = SIDE / 2;
    assert!(at(edge - 2).abs_diff(at(edge + 2)) > 60);
    for face in [edge - 20..edge - 2, edge + 2..edge + 20] {
        for x in face {
            assert!(at(x).abs_diff(at(x + 1)) <= 6 || x + 1 == edge - 1, "{x}");
        }
    }
}

#[test]
fn the_same_scene_gives_the_same_picture_and_the_order_of_bodies_does_not_hide_any() {
    let cloth = Mesh::level(20, 1.1, 0.0);
    let table = Mesh::cuboid(DVec3::new(-1.0, -1.0, -0.5), DVec3::new(1.0, 1.0, 0.0));
    let ball = Mesh::sphere(24, DVec3::new(0.2, 0.1, 0.3), 0.3);
    let style = Style { floor: Some(-0.5), ..Style::default() };
    let view = camera(DVec3::new(2.0, -3.0, 4.0));
    let picture = || draw(&cloth, &[&table, &ball], &view, &style);
    assert_eq!(picture(), picture());
    let other_order = draw(&cloth, &[&ball, &table], &view, &style);
    assert!(picture().pixels().iter().zip(other_order.pixels()).all(|(a, b)| is_cloth(*a) == is_cloth(*b)));
}

#[test]
fn a_bad_body_is_named() {
    let cloth = Mesh::level(2, 1.0, 0.0);
    let good = Mesh::level(2, 1.0, 1.0);
    let bad = Mesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::NAN], triangles: vec![[0, 1, 2]] };
    let missing = Mesh { positions: vec![DVec3::ZERO], triangles: vec![[0, 0, 1]] };
    for (broken, why) in [(bad, "node 2 is at"), (missing, "triangle 0 refers to node 1")] {
        let bodies = [good.body(), broken.body()];
        let scene = Scene { surface: cloth.surface(), bodies: &bodies };
        let error = render_scene(&scene, &camera(DVec3::Z), &Style::default(), SIDE, SIDE).unwrap_err();
        assert!(matches!(error, RenderError::Body { index: 1, .. }));
        assert!(error.source().unwrap().to_string().starts_with(why));
    }
}

#[test]
fn awkward_bodies_are_drawn_without_complaint() {
    let cloth = Mesh::level(2, 0.0, 0.0);
    let empty = Mesh { positions: Vec::new(), triangles: Vec::new() };
    let flat = Mesh { positions: vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], triangles: vec![[0, 1, 2], [2, 1, 0]] };
    let vast = Mesh::cuboid(DVec3::splat(-1e9), DVec3::new(1e9, 1e9, 0.0));
    // Three triangles on one side, and the camera inside a ball.
    let book = Mesh {
        positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z],
        triangles: vec![[0, 1, 2], [0, 1, 3], [1, 0, 4]],
    };
    let around = Mesh::sphere(12, DVec3::new(2.0, 2.0, 2.0), 1.0);
    let view = camera(DVec3::splat(2.0));
    for bodies in [vec![], vec![&empty, &flat], vec![&vast], vec![&book, &around]] {
        draw(&cloth, &bodies, &view, &Style::default());
        draw(&empty, &bodies, &view, &Style::default());
    }
}
