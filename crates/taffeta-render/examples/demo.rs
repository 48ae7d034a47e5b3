//! Draws a synthetic sheet draped, hanging, folded, over a ball or on a table, or six frames of one
//! that flaps.
//!
//! `cargo run --release -p taffeta-render --example demo -- drape|hang|fold|ball|table|sheet out.png`

use std::time::Instant;

use glam::DVec3;
use taffeta_render::{Body, Camera, Picture, RenderError, Scene, Style, Surface, contact_sheet, render_scene};

/// Cells along each side of the sheets.
const CELLS: usize = 80;

/// A rectangular grid of nodes, from a shape over the unit square.
struct Sheet {
    positions: Vec<DVec3>,
    triangles: Vec<[usize; 3]>,
    edges: Vec<[usize; 2]>,
}

impl Sheet {
    fn new(shape: impl Fn(f64, f64) -> DVec3) -> Self {
        let node = |i: usize, j: usize| j * (CELLS + 1) + i;
        let mut sheet = Self { positions: Vec::new(), triangles: Vec::new(), edges: Vec::new() };
        for j in 0..=CELLS {
            for i in 0..=CELLS {
                let (u, v) = (i as f64 / CELLS as f64, j as f64 / CELLS as f64);
                sheet.positions.push(shape(u, v));
                if i < CELLS {
                    sheet.edges.push([node(i, j), node(i + 1, j)]);
                }
                if j < CELLS {
                    sheet.edges.push([node(i, j), node(i, j + 1)]);
                }
                if i < CELLS && j < CELLS {
                    let [a, b] = [node(i, j), node(i + 1, j)];
                    let [c, d] = [node(i + 1, j + 1), node(i, j + 1)];
                    sheet.triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
        sheet
    }

    fn picture(&self, marked: &[usize], camera: &Camera, width: usize) -> Result<Picture, RenderError> {
        self.picture_among(&[], marked, camera, width)
    }

    fn picture_among(
        &self,
        solids: &[Solid],
        marked: &[usize],
        camera: &Camera,
        width: usize,
    ) -> Result<Picture, RenderError> {
        let style = Style { floor: Some(0.0), ..Style::default() };
        let surface = Surface {
            positions: &self.positions,
            triangles: &self.triangles,
            edges: &self.edges,
            marked,
            colours: &[],
        };
        let bodies = bodies(solids);
        render_scene(&Scene { surface, bodies: &bodies }, camera, &style, width, width * 3 / 4)
    }
}

/// A body that owns its mesh.
struct Solid {
    positions: Vec<DVec3>,
    triangles: Vec<[usize; 3]>,
    colour: [u8; 3],
}

impl Solid {
    /// What a profile of `(radius, height)`, from the bottom up, sweeps around an upright axis.
    fn turned(axis: DVec3, profile: &[(f64, f64)]) -> Self {
        const STEPS: usize = 64;
        let mut solid = Self { positions: Vec::new(), triangles: Vec::new(), colour: Body::NEUTRALS[0] };
        for (ring, &(radius, height)) in profile.iter().enumerate() {
            for step in 0..STEPS {
                let (sin, cos) = (std::f64::consts::TAU * step as f64 / STEPS as f64).sin_cos();
                solid.positions.push(axis + DVec3::new(radius * cos, radius * sin, height));
                if ring + 1 < profile.len() {
                    let [a, b] = [step, (step + 1) % STEPS].map(|step| ring * STEPS + step);
                    solid.triangles.extend([[a, b, b + STEPS], [a, b + STEPS, a + STEPS]]);
                }
            }
        }
        solid
    }

    fn sphere(centre: DVec3, radius: f64) -> Self {
        const RINGS: usize = 32;
        let ring = |ring: usize| {
            let (sin, cos) = (std::f64::consts::PI * ring as f64 / RINGS as f64).sin_cos();
            // The poles must close exactly.
            let sin = if ring.is_multiple_of(RINGS) { 0.0 } else { sin };
            (radius * sin, -radius * cos)
        };
        Self::turned(centre, &(0..=RINGS).map(ring).collect::<Vec<_>>())
    }

    fn cylinder(base: DVec3, radius: f64, height: f64) -> Self {
        Self::turned(base, &[(0.0, 0.0), (radius, 0.0), (radius, height), (0.0, height)])
    }

    fn coloured(self, neutral: usize) -> Self {
        Self { colour: Body::NEUTRALS[neutral], ..self }
    }

    fn body(&self) -> Body<'_> {
        Body { positions: &self.positions, triangles: &self.triangles, colour: self.colour }
    }

    fn cuboid(min: DVec3, max: DVec3) -> Self {
        let pick = |corner: usize, axis: usize| [min, max][corner >> axis & 1][axis];
        let corner = |corner| DVec3::new(pick(corner, 0), pick(corner, 1), pick(corner, 2));
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        Self {
            positions: (0..8).map(corner).collect(),
            triangles: faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
            colour: Body::NEUTRALS[0],
        }
    }
}

fn bodies(solids: &[Solid]) -> Vec<Body<'_>> {
    solids.iter().map(Solid::body).collect()
}

const BALL_RADIUS: f64 = 0.4;

/// A sheet over a ball on the floor: exactly on it at the top, hanging in folds further down.
fn over_ball(u: f64, v: f64) -> DVec3 {
    let (x, y) = (1.3 * (u - 0.5), 1.3 * (v - 0.5));
    let (length, angle) = (x.hypot(y), y.atan2(x));
    let turn = (length / BALL_RADIUS).min(1.45);
    let hanging = length - BALL_RADIUS * turn;
    let loose = (turn - 0.7).max(0.0).powi(2);
    let fold = 0.5 + 0.5 * (7.0 * angle).cos();
    let reach = BALL_RADIUS * turn.sin() + fold * (0.12 * loose + 0.35 * hanging) + 0.1 * hanging;
    let height = BALL_RADIUS * (1.0 + turn.cos()) - 0.9 * hanging;
    DVec3::new(reach * angle.cos(), reach * angle.sin(), height)
}

/// A sheet exactly on a table with its top at 0.7, one side hanging down.
fn on_table(u: f64, v: f64) -> DVec3 {
    const RADIUS: f64 = 0.01;
    let past = 0.9 * u - 0.6;
    let quarter = std::f64::consts::FRAC_PI_2 * RADIUS;
    let turn = (past / RADIUS).clamp(0.0, std::f64::consts::FRAC_PI_2);
    let down = (past - quarter).max(0.0);
    let wave = 0.12 * down * (1.0 + (14.0 * v).sin());
    DVec3::new(past.min(0.0) + RADIUS * turn.sin() + wave, 0.8 * (v - 0.5), 0.7 - RADIUS * (1.0 - turn.cos()) - down)
}

/// A round tablecloth's worth of folds: flat in the middle, hanging in waves further out.
fn drape(u: f64, v: f64) -> DVec3 {
    let (x, y) = (2.0 * u - 1.0, 2.0 * v - 1.0);
    let (radius, angle) = (x.hypot(y), y.atan2(x));
    // A rounded kink, as over the edge of a table.
    let beyond = radius - 0.45;
    let over = (beyond + (beyond * beyond + 0.006).sqrt()) / 2.0;
    let swing = over * (0.35 + 0.30 * (9.0 * angle).cos());
    let reach = radius - over + swing;
    let drop = over * 0.82;
    let lift = 0.012 * (7.0 * x).sin() * (6.0 * y).cos();
    DVec3::new(reach * angle.cos(), reach * angle.sin(), 0.84 - drop + lift)
}

/// A curtain held at its upper corners, its folds deepening downwards; `time` makes it flap.
fn hang(u: f64, v: f64, time: f64) -> DVec3 {
    let x = u - 0.5;
    let sag = 0.16 * (1.0 - 4.0 * x * x) * v.powi(2);
    let depth = 0.03 + 0.10 * (1.0 - v);
    let fold = depth * (26.0 * x + 2.0 * (1.0 - v) + 5.0 * time).sin();
    let swing = 0.5 * time.sin() * (1.0 - v).powi(2);
    DVec3::new(0.9 * x, fold + swing, 0.06 + 1.05 * v - sag)
}

/// A sheet on the floor with one half folded over the other.
fn fold(u: f64, v: f64) -> DVec3 {
    const RADIUS: f64 = 0.02;
    let bend = std::f64::consts::PI * RADIUS;
    let past = u - 0.55;
    let (x, z) = if past < 0.0 {
        (past, 0.0)
    } else if past < bend {
        let angle = past / RADIUS;
        (RADIUS * angle.sin(), RADIUS * (1.0 - angle.cos()))
    } else {
        let rest = past - bend;
        let settled = (rest / 0.25).min(1.0);
        let height = 2.0 * RADIUS - (2.0 * RADIUS - 0.005) * settled * settled * (3.0 - 2.0 * settled);
        (-rest, height)
    };
    let ripple = 0.012 * (9.0 * v).sin().powi(2) * (past / 0.45).max(0.0);
    DVec3::new(x, v - 0.5, z + ripple)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, path] = arguments.as_slice() else {
        return Err("expected: drape|hang|fold|ball|table|sheet out.png".into());
    };
    let corners = [CELLS * (CELLS + 1), (CELLS + 1) * (CELLS + 1) - 1];
    let start = Instant::now();
    let picture = match what.as_str() {
        "drape" => {
            let (min, max) = (DVec3::new(-0.8, -0.8, 0.0), DVec3::new(0.8, 0.8, 0.85));
            let camera = Camera::framing(min, max, 25.0, 28.0, 4.0 / 3.0);
            Sheet::new(drape).picture(&[], &camera, 960)?
        }
        "hang" => {
            let (min, max) = (DVec3::new(-0.5, -0.2, 0.0), DVec3::new(0.5, 0.2, 1.1));
            let camera = Camera::framing(min, max, -30.0, 14.0, 4.0 / 3.0);
            Sheet::new(|u, v| hang(u, v, 0.0)).picture(&corners, &camera, 960)?
        }
        "fold" => {
            let (min, max) = (DVec3::new(-0.55, -0.5, 0.0), DVec3::new(0.05, 0.5, 0.05));
            let camera = Camera::framing(min, max, 35.0, 35.0, 4.0 / 3.0);
            Sheet::new(fold).picture(&corners, &camera, 960)?
        }
        "ball" => {
            let sheet = Sheet::new(over_ball);
            let solids = [
                Solid::sphere(DVec3::Z * BALL_RADIUS, BALL_RADIUS),
                Solid::cuboid(DVec3::new(0.5, -0.45, 0.0), DVec3::new(0.75, -0.2, 0.25)).coloured(1),
                Solid::cylinder(DVec3::new(-0.66, 0.15, 0.0), 0.12, 0.55).coloured(2),
            ];
            let camera =
                Camera::framing_scene(sheet.positions.iter().copied(), &bodies(&solids), 15.0, 18.0, 4.0 / 3.0);
            sheet.picture_among(&solids, &[], &camera, 960)?
        }
        "table" => {
            let sheet = Sheet::new(on_table);
            let leg =
                |x: f64, y: f64| Solid::cuboid(DVec3::new(x, y, 0.0), DVec3::new(x + 0.06, y + 0.06, 0.66)).coloured(3);
            let solids = [
                Solid::cuboid(DVec3::new(-1.8, -0.6, 0.66), DVec3::new(-0.004, 0.6, 0.7)),
                leg(-0.12, -0.55),
                leg(-0.12, 0.49),
                Solid::sphere(DVec3::new(-0.3, -0.1, 0.8), 0.1).coloured(1),
            ];
            let camera =
                Camera::framing_scene(sheet.positions.iter().copied(), &bodies(&solids), 35.0, 25.0, 4.0 / 3.0);
            sheet.picture_among(&solids, &[], &camera, 960)?
        }
        "sheet" => {
            let (min, max) = (DVec3::new(-0.5, -0.1, 0.0), DVec3::new(0.5, 0.5, 1.1));
            let camera = Camera::framing(min, max, 35.0, 16.0, 4.0 / 3.0);
            let times = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
            let frame = |&time: &f64| Sheet::new(|u, v| hang(u, v, time)).picture(&corners, &camera, 400);
            let pictures = times.iter().map(frame).collect::<Result<Vec<_>, _>>()?;
            contact_sheet(&pictures, &times.map(|time| format!("t = {time:.2} s")), 3)
        }
        other => return Err(format!("no demo called {other}").into()),
    };
    println!("drawn in {:.0?}", start.elapsed());
    picture.write_png(path)?;
    println!("written in {:.0?} altogether", start.elapsed());
    Ok(())
}
