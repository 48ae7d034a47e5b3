//! What hands and stick do in the scenarios, each time a little differently.

use glam::{DQuat, DVec3};
use taffeta::Keyframes;
use taffeta::obstacle::{Motion, Obstacle, Plane, Pose, Stick, Travel};

use super::{FABRICS, RATE, Recipe, Scenario};
use crate::capture::{Capture, CaptureFrame, CapturedObstacle, HeldMarker};
use crate::spline::Spline;

/// DIN A2, m.
const SIZE: [f64; 2] = [0.42, 0.594];

/// The markers on it, and those that are held.
pub const GRID: [usize; 2] = [4, 5];
pub const HELD: [usize; 2] = [16, 19];

/// m. The height of the table; the hem begins 10 cm above it.
const TABLE: f64 = 0.7;

/// m. The paper's stick.
const STICK: (f64, f64) = (0.75, 0.0075);

/// The hands' way to the table, from where they hold the sheet: they draw it back over the table while they let it down, as one lays a
/// tablecloth, until half of it lies. Times in s, places in m.
const LAYING: [(f64, f64, f64); 11] = [
    (0.0, 0.0, 0.0),
    (0.25, 0.0, 0.0),
    (0.5, -0.0625, -0.05),
    (0.75, -0.25, -0.14),
    (1.05, -0.5266, -0.24),
    (1.4, -0.7965, -0.33),
    (1.9, -1.1022, -0.42),
    (2.5, -1.3738, -0.47),
    (3.2, -1.5956, -0.495),
    (3.6, -1.6889, -0.50),
    (4.0, -1.7638, -0.50),
];

/// Where the stick hits: along the sheet and up, m; how deep it goes, m; how long it takes to come, s; its slant, degrees.
const HITS: [[f64; 5]; 4] = [
    [0.10, -0.42, 0.07, 0.60, 0.0],
    [-0.08, -0.22, 0.05, 0.80, 10.0],
    [0.10, -0.34, 0.06, 0.65, 15.0],
    [0.0, -0.30, 0.06, 0.50, -8.0],
];

/// s. How long the hits of each fabric are captured.
const DURATIONS: [f64; 4] = [12.0, 14.0, 16.0, 18.0];

/// The capture before anything was simulated: hands, obstacles, times, and the cloth as it hangs at first.
pub fn script(recipe: &Recipe) -> Capture {
    let laid = recipe.scenario != Scenario::Hits;
    let duration = if laid { LAYING[LAYING.len() - 1].0 } else { DURATIONS[recipe.fabric] };
    let times: Vec<f64> = (0..=(duration * RATE).round() as u32).map(|k| f64::from(k) / RATE).collect();
    let top = if laid { TABLE + 0.1 + SIZE[1] } else { 0.0 };
    let obstacle = if laid {
        let table = Obstacle::new("table", Plane).at(Pose::from_translation(DVec3::Z * TABLE));
        CapturedObstacle { body: table, friction_known: false }
    } else {
        let stick = Obstacle::new("stick", Stick::straight(STICK.0, STICK.1)).with_motion(stick(recipe, &times));
        CapturedObstacle { body: stick.with_friction(0.0), friction_known: true }
    };
    let held = HELD.map(|marker| {
        let side = if marker == HELD[0] { -0.5 } else { 0.5 };
        // A hair closer than the cloth is wide, as hands are.
        let anchor = DVec3::new(side * (SIZE[0] - 0.0002), 0.0, top);
        let places = times.iter().map(|&t| anchor + if laid { laying(recipe, t) } else { tremor(recipe, t) });
        let path = Spline::new(times.clone(), places.collect());
        HeldMarker {
            marker,
            path: path.unwrap_or_else(|| unreachable!("times ascend")),
            noise: 0.0,
            cutoff: f64::INFINITY,
        }
    });
    let part = |k: usize, count: usize| k as f64 / (count - 1) as f64;
    let hanging = |k: usize| {
        let (column, row) = (part(k % GRID[0], GRID[0]), part(k / GRID[0], GRID[1]));
        Some(DVec3::new((column - 0.5) * SIZE[0], 0.0, top + (row - 1.0) * SIZE[1]))
    };
    let markers = GRID[0] * GRID[1];
    let frame = |&time: &f64| CaptureFrame { time, markers: (0..markers).map(hanging).collect(), bad: false };
    Capture {
        id: recipe.id(),
        grid: GRID,
        size: SIZE,
        held: held.to_vec(),
        frames: times.iter().map(frame).collect(),
        counted: (0..markers).map(|marker| !HELD.contains(&marker)).collect(),
        density: Some(recipe.truth().density),
        obstacles: vec![obstacle],
        truth: Some(recipe.truth()),
        discretisation: recipe.discretisation,
    }
}

/// A number between −1 and 1 that differs from fabric to fabric.
fn habit(recipe: &Recipe, which: usize) -> f64 {
    let all = FABRICS.len();
    (((recipe.fabric * 7 + which * 5) % (2 * all + 1)) as f64 - all as f64) / all as f64
}

/// How far both hands have gone on their way to the table.
fn laying(recipe: &Recipe, t: f64) -> DVec3 {
    let knots: Vec<f64> = LAYING.iter().map(|key| key.0).collect();
    let place = |(k, &(_, y, z)): (usize, &(f64, f64, f64))| {
        // By up to a centimetre everyone does it differently, but not before beginning.
        let own = if k < 2 { 0.0 } else { 0.01 };
        DVec3::new(0.3 * own * habit(recipe, k), y + own * habit(recipe, k + 1), z + 0.5 * own * habit(recipe, k + 2))
    };
    let spline = Spline::new(knots, LAYING.iter().enumerate().map(place).collect());
    spline.map_or(DVec3::ZERO, |spline| spline.at(t))
}

/// Hands that hold something for seconds are never quite still.
fn tremor(recipe: &Recipe, t: f64) -> DVec3 {
    let wave = |which: usize, frequency: f64| {
        let phase = 3.0 * habit(recipe, which);
        let frequency = frequency * (1.0 + 0.2 * habit(recipe, which + 1));
        0.006 * (1.0 - (-t).exp()) * (std::f64::consts::TAU * frequency * t + phase).sin()
    };
    DVec3::new(wave(0, 0.31), wave(2, 0.47), wave(4, 0.23))
}

/// The stick's way: it waits in front of the sheet, comes, and draws back, four times.
fn stick(recipe: &Recipe, times: &[f64]) -> Motion {
    let every = DURATIONS[recipe.fabric] / HITS.len() as f64;
    let mut keys: Vec<(f64, DVec3)> = Vec::new();
    for (k, [along, _, depth, coming, slant]) in HITS.into_iter().enumerate() {
        let hit = every * (k as f64 + 0.35);
        let coming = coming * (1.0 + 0.2 * habit(recipe, k));
        // The slant in place of the height, which follows: one spline tells three numbers.
        let at = |y: f64| DVec3::new(along, y, slant.to_radians());
        keys.extend([
            (hit - 2.0 * coming, at(-0.45)),
            (hit - coming, at(-0.40)),
            (hit, at(depth)),
            (hit + 0.35, at(-0.45)),
            (hit + 0.8, at(-0.50)),
        ]);
    }
    let heights: Vec<(f64, DVec3)> = HITS
        .iter()
        .enumerate()
        .flat_map(|(k, hit)| [-0.9, 0.9].map(|s| (every * (k as f64 + 0.35) + s, DVec3::Z * hit[1])))
        .collect();
    let spline = |keys: Vec<(f64, DVec3)>| {
        let (times, places) = keys.into_iter().unzip();
        Spline::new(times, places)
    };
    let (way, height) = (spline(keys), spline(heights));
    let pose = |&t: &f64| {
        let at = |path: &Option<Spline>| path.as_ref().map_or(DVec3::ZERO, |path| path.at(t));
        let (way, height) = (at(&way), at(&height));
        Pose::new(DQuat::from_rotation_y(way.z), DVec3::new(way.x, way.y, height.z))
    };
    let poses: Vec<Pose> = times.iter().map(pose).collect();
    Motion { start: Pose::IDENTITY, travel: Travel::Keyframes(Keyframes::linear(times, poses)) }
}

/// A place at every time, m.
type Way = Box<dyn Fn(f64) -> DVec3>;

/// The markers that are not on the cloth: three on the table, or at the two ends of the stick.
pub fn other_markers(capture: &Capture) -> Vec<(String, Way)> {
    let body = &capture.obstacles[0].body;
    let motion = body.motion.clone();
    if body.name == "stick" {
        let ends = [("stick-a", -0.5), ("stick-b", 0.5)];
        return ends
            .map(|(name, side)| {
                let motion = motion.clone();
                let way: Way = Box::new(move |t| motion.at(t).to_world(DVec3::X * (side * STICK.0)));
                (name.to_owned(), way)
            })
            .into();
    }
    let corners = [("table-1", -0.4, 0.3), ("table-2", 0.4, 0.3), ("table-3", 0.0, -0.8)];
    corners
        .map(|(name, x, y)| {
            let way: Way = Box::new(move |_| DVec3::new(x, y, TABLE));
            (name.to_owned(), way)
        })
        .into()
}
