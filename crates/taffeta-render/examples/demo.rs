//! Draws a synthetic sheet draped, hanging or folded, or six frames of one that flaps.
//!
//! `cargo run --release -p taffeta-render --example demo -- drape|hang|fold|sheet out.png`

use std::time::Instant;

use glam::DVec3;
use taffeta_render::{Camera, Picture, RenderError, Style, Surface, contact_sheet, render};

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
        let style = Style { floor: Some(0.0), ..Style::default() };
        let surface = Surface { positions: &self.positions, triangles: &self.triangles, edges: &self.edges, marked };
        render(&surface, camera, &style, width, width * 3 / 4)
    }
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
        return Err("expected: drape|hang|fold|sheet out.png".into());
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
