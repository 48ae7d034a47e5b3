//! Whole pictures, looked at pixel by pixel.

use glam::DVec3;
use taffeta_render::{Camera, Picture, RenderError, Style, Surface, contact_sheet, render};

const SIDE: usize = 48;

/// A triangle around the origin in the plane at height `z`, with its front up.
fn level_triangle(z: f64) -> [DVec3; 3] {
    [DVec3::new(-2.0, -1.0, z), DVec3::new(2.0, -1.0, z), DVec3::new(0.0, 2.0, z)]
}

fn bare<'a>(positions: &'a [DVec3], triangles: &'a [[usize; 3]]) -> Surface<'a> {
    Surface { positions, triangles, edges: &[], marked: &[], colours: &[] }
}

/// A camera on the vertical through the origin, looking at it.
fn from_height(z: f64) -> Camera {
    Camera { eye: DVec3::new(0.0, 0.0, z), target: DVec3::ZERO, up: DVec3::Y, fov_deg: 40.0 }
}

fn draw(surface: &Surface, camera: &Camera) -> Picture {
    render(surface, camera, &Style::default(), SIDE, SIDE).unwrap()
}

fn middle(picture: &Picture) -> [u8; 3] {
    picture.pixel(SIDE / 2, SIDE / 2).unwrap()
}

fn is_front([red, _, blue]: [u8; 3]) -> bool {
    red > blue.saturating_add(30)
}

fn is_back([red, _, blue]: [u8; 3]) -> bool {
    blue > red.saturating_add(20)
}

/// A wavy sheet of a few hundred triangles with lines and marks.
struct Wave {
    positions: Vec<DVec3>,
    triangles: Vec<[usize; 3]>,
    edges: Vec<[usize; 2]>,
}

impl Wave {
    fn new() -> Self {
        const NODES: usize = 16;
        let mut wave = Self { positions: Vec::new(), triangles: Vec::new(), edges: Vec::new() };
        for j in 0..NODES {
            for i in 0..NODES {
                let (x, y) = (i as f64 / 15.0 - 0.5, j as f64 / 15.0 - 0.5);
                let node = wave.positions.len();
                wave.positions.push(DVec3::new(x, y, 0.2 + 0.1 * (12.0 * x).sin()));
                if i + 1 < NODES {
                    wave.edges.push([node, node + 1]);
                    if j + 1 < NODES {
                        let above = node + NODES;
                        wave.triangles.push([node, node + 1, above + 1]);
                        wave.triangles.push([node, above + 1, above]);
                    }
                }
            }
        }
        wave
    }

    fn surface(&self) -> Surface<'_> {
        Surface {
            positions: &self.positions,
            triangles: &self.triangles,
            edges: &self.edges,
            marked: &[0, 15],
            colours: &[],
        }
    }
}

#[test]
fn each_side_shows_its_own_colour() {
    let positions = level_triangle(0.0);
    let surface = bare(&positions, &[[0, 1, 2]]);
    assert!(is_front(middle(&draw(&surface, &from_height(5.0)))));
    assert!(is_back(middle(&draw(&surface, &from_height(-5.0)))));
    let turned = bare(&positions, &[[0, 2, 1]]);
    assert!(is_back(middle(&draw(&turned, &from_height(5.0)))));
}

#[test]
fn what_is_not_cloth_is_exactly_the_background() {
    let positions = level_triangle(0.0);
    let picture = draw(&bare(&positions, &[[0, 1, 2]]), &from_height(5.0));
    assert_eq!(picture.pixel(0, 0), Some(Style::default().background));
    assert_eq!(picture.pixel(SIDE, 0), None);
}

#[test]
fn the_nearer_triangle_hides_the_farther_one_in_either_order() {
    let positions = [level_triangle(0.0), level_triangle(1.0)].concat();
    let front_below = [0, 1, 2];
    let back_above = [3, 5, 4];
    for triangles in [[front_below, back_above], [back_above, front_below]] {
        let surface = bare(&positions, &triangles);
        assert!(is_back(middle(&draw(&surface, &from_height(5.0)))));
    }
}

#[test]
fn a_line_shows_on_the_cloth_and_not_through_it() {
    let positions = [level_triangle(0.0), level_triangle(1.0)].concat();
    let style = Style { line_opacity: 1.0, ..Style::default() };
    let picture = |edges: &[[usize; 2]]| {
        let surface = Surface { edges, ..bare(&positions, &[[0, 1, 2], [3, 4, 5]]) };
        render(&surface, &from_height(5.0), &style, SIDE, SIDE).unwrap()
    };
    let plain = picture(&[]);
    assert_ne!(picture(&[[3, 4]]), plain);
    // The lower triangle looks smaller, so its edges lie under the upper one.
    assert_eq!(picture(&[[0, 1], [1, 2], [2, 0]]), plain);
}

#[test]
fn a_marked_node_carries_a_dot() {
    let positions = level_triangle(0.0);
    let positions = [positions.as_slice(), &[DVec3::ZERO]].concat();
    let surface = Surface { marked: &[3], ..bare(&positions, &[[0, 1, 2]]) };
    let picture = draw(&surface, &from_height(5.0));
    assert_eq!(middle(&picture), Style::default().mark);
}

#[test]
fn the_floor_is_darker_under_the_cloth() {
    let positions = level_triangle(1.0).map(|p| p * DVec3::new(0.3, 0.3, 1.0));
    let style = Style { floor: Some(0.0), light_elevation_deg: 90.0, ..Style::default() };
    let camera = Camera { eye: DVec3::new(0.0, -8.0, 1.2), target: DVec3::ZERO, up: DVec3::Z, fov_deg: 20.0 };
    let surface = bare(&positions, &[[0, 1, 2]]);
    let lit = |style: &Style| {
        let picture = render(&surface, &camera, style, SIDE, SIDE).unwrap();
        middle(&picture).iter().map(|&c| u32::from(c)).sum::<u32>()
    };
    let bright = lit(&Style::default());
    assert!(lit(&style) + 60 < bright);
    let sunk = Style { floor: Some(2.0), ..style };
    assert_eq!(lit(&sunk), bright);
}

#[test]
fn the_same_scene_gives_the_same_picture() {
    let wave = Wave::new();
    let camera = Camera::framing(DVec3::splat(-0.5), DVec3::splat(0.5), 30.0, 25.0, 1.0);
    let style = Style { floor: Some(0.0), ..Style::default() };
    let picture = || render(&wave.surface(), &camera, &style, 90, 70).unwrap();
    assert_eq!(picture(), picture());
}

#[test]
fn awkward_geometry_is_drawn_without_complaint() {
    let wave = Wave::new();
    // In the middle of the cloth, with much of it behind the camera.
    let inside =
        Camera { eye: DVec3::new(0.0, 0.0, 0.21), target: DVec3::new(0.3, 0.1, 0.25), up: DVec3::Z, fov_deg: 100.0 };
    draw(&wave.surface(), &inside);

    let point = [DVec3::ONE; 3];
    draw(&bare(&point, &[[0, 1, 2], [0, 0, 0]]), &from_height(5.0));
    let line = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
    draw(&bare(&line, &[[0, 1, 2]]), &from_height(5.0));
    let vast = [DVec3::ZERO, DVec3::X * 1e9, DVec3::Y * 1e9];
    draw(&bare(&vast, &[[0, 1, 2]]), &from_height(5.0));

    let style = Style { floor: Some(0.0), ..Style::default() };
    let nothing = bare(&[], &[]);
    render(&nothing, &from_height(5.0), &style, SIDE, 1).unwrap();
    let camera = Camera::framing(DVec3::ONE, DVec3::ONE, 0.0, 90.0, 1.0);
    render(&nothing, &camera, &style, 1, SIDE).unwrap();
}

#[test]
fn bad_input_is_named() {
    let positions = level_triangle(0.0);
    let camera = from_height(5.0);
    let style = Style::default();
    let attempt = |surface: &Surface| render(surface, &camera, &style, SIDE, SIDE);

    for bad in [f64::NAN, f64::INFINITY, 1e30] {
        let mut broken = positions;
        broken[1].y = bad;
        let result = attempt(&bare(&broken, &[[0, 1, 2]]));
        assert!(matches!(result, Err(RenderError::NodePosition { node: 1, .. })));
    }

    let surface = bare(&positions, &[[0, 1, 2], [0, 1, 7]]);
    let message = attempt(&surface).unwrap_err().to_string();
    assert_eq!(message, "triangle 1 refers to node 7, but the surface has 3 nodes");
    let edges = [[0, 3]];
    let surface = Surface { edges: &edges, ..bare(&positions, &[]) };
    assert!(matches!(attempt(&surface), Err(RenderError::MissingNode { item: "edge", .. })));
    let surface = Surface { marked: &[9], ..bare(&positions, &[]) };
    assert!(matches!(attempt(&surface), Err(RenderError::MissingNode { item: "mark", .. })));

    let surface = bare(&positions, &[[0, 1, 2]]);
    for (width, height) in [(0, SIDE), (SIDE, 0), (usize::MAX, 2)] {
        let result = render(&surface, &camera, &style, width, height);
        assert!(matches!(result, Err(RenderError::PictureSize { .. })));
    }
}

#[test]
fn cameras_and_styles_that_make_no_sense_are_refused() {
    let positions = level_triangle(0.0);
    let surface = bare(&positions, &[[0, 1, 2]]);
    let good = from_height(5.0);
    for camera in [
        Camera { eye: good.target, ..good },
        Camera { up: DVec3::Z, ..good },
        Camera { fov_deg: 180.0, ..good },
        Camera { eye: DVec3::NAN, ..good },
        Camera::framing(DVec3::NAN, DVec3::ONE, 0.0, 0.0, 1.0),
    ] {
        let result = render(&surface, &camera, &Style::default(), SIDE, SIDE);
        assert!(matches!(result, Err(RenderError::Camera { .. })));
    }
    let good_style = Style::default();
    for style in [
        Style { supersample: 0, ..good_style.clone() },
        Style { line_opacity: f64::NAN, ..good_style.clone() },
        Style { floor: Some(f64::INFINITY), ..good_style.clone() },
        Style { light_azimuth_deg: f64::NAN, ..good_style },
    ] {
        let result = render(&surface, &good, &style, SIDE, SIDE);
        assert!(matches!(result, Err(RenderError::Style { .. })));
    }
}

#[test]
fn a_png_decodes_to_the_same_pixels() {
    let wave = Wave::new();
    let camera = Camera::framing(DVec3::splat(-0.5), DVec3::splat(0.5), 30.0, 25.0, 1.5);
    let picture = render(&wave.surface(), &camera, &Style::default(), 60, 40).unwrap();
    let bytes = picture.to_png().unwrap();

    let decoder = png::Decoder::new(std::io::Cursor::new(&bytes));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (60, 40));
    assert_eq!(info.color_type, png::ColorType::Rgb);
    assert_eq!(pixels, picture.pixels().as_flattened());

    let path = std::env::temp_dir().join(format!("taffeta-picture-{}.png", std::process::id()));
    picture.write_png(&path).unwrap();
    let written = std::fs::read(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(written.unwrap(), bytes);

    let nowhere = std::env::temp_dir().join("no-such-folder/picture.png");
    let error = picture.write_png(nowhere).unwrap_err();
    assert!(matches!(error, RenderError::File { .. }));
}

#[test]
fn a_contact_sheet_has_room_for_every_picture_and_its_label() {
    let positions = level_triangle(0.0);
    let surface = bare(&positions, &[[0, 1, 2]]);
    let pictures = vec![draw(&surface, &from_height(5.0)); 5];
    let labels: Vec<String> = (0..5).map(|i| format!("t = {i}")).collect();

    let unlabelled = contact_sheet(&pictures, &[], 3);
    assert_eq!(unlabelled.width(), 3 * (SIDE + 8) + 8);
    assert_eq!(unlabelled.height(), 2 * (SIDE + 8) + 8);
    assert_eq!(unlabelled.pixel(8, 8), pictures[0].pixel(0, 0));
    let second = unlabelled.pixel(8 + SIDE + 8 + SIDE / 2, 8 + SIDE / 2);
    assert_eq!(second, Some(middle(&pictures[1])));

    let labelled = contact_sheet(&pictures, &labels, 3);
    assert_eq!(labelled.width(), unlabelled.width());
    assert_eq!(labelled.height(), 2 * (SIDE + 11 + 8) + 8);
    let caption_rows = 8 + SIDE..8 + SIDE + 11;
    let dark = |y| (8..8 + SIDE).any(|x| labelled.pixel(x, y).is_some_and(|p| p[0] < 100));
    assert!(caption_rows.into_iter().any(dark));

    let column = contact_sheet(&pictures, &labels, 0);
    assert_eq!(column.width(), SIDE + 16);
    let long = vec!["a label far too long for its picture ± 1".to_owned(); 9];
    contact_sheet(&pictures, &long, usize::MAX);
    assert!(contact_sheet(&[], &labels, 4).to_png().is_ok());
}
