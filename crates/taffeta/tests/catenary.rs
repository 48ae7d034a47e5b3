//! A strip hung from both ends takes the shape of the inextensible catenary.

mod common;

use common::{Kind, damped, largest, within};
use taffeta::mesh::{Diagonal, GridSide};
use taffeta::{DVec3, Grasp, Simulation};

/// Nodes along the strip.
const NODES: usize = 41;

/// Length of the strip and distance of its ends, m.
const LENGTH: f64 = 1.0;
const SPAN: f64 = 0.6;

/// The root of an increasing function between `low` and `high`.
fn bisect(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The catenary `z = a cosh(x/a)` of arc length [`LENGTH`] over [`SPAN`], lowest at x = 0, ends at z = 0.
struct Catenary {
    /// `a`, m.
    a: f64,
}

impl Catenary {
    fn new() -> Self {
        // Its length is 2a sinh(span/2a), which falls as a grows.
        Self { a: bisect(|a| LENGTH - 2.0 * a * (SPAN / (2.0 * a)).sinh(), 0.01, 10.0) }
    }

    fn sag(&self) -> f64 {
        self.a * ((SPAN / (2.0 * self.a)).cosh() - 1.0)
    }

    /// The point at arc length `s` from the left end.
    fn at(&self, s: f64) -> (f64, f64) {
        let x = self.a * ((s - LENGTH / 2.0) / self.a).asinh();
        (x, self.a * ((x / self.a).cosh() - 1.0) - self.sag())
    }
}

/// A strip along x that starts as a circular arc with the wanted span, its links all of one length.
fn arc(s: f64, t: f64) -> DVec3 {
    let links = (NODES - 1) as f64;
    // Links of length 2r sin(θ/2n) fill the length, and the chord of the whole is 2r sin(θ/2).
    let radius = |angle: f64| LENGTH / (2.0 * links * (angle / (2.0 * links)).sin());
    let angle = bisect(|angle| SPAN - 2.0 * radius(angle) * (angle / 2.0).sin(), 0.1, 6.0);
    let (r, here) = (radius(angle), angle * (s - 0.5));
    DVec3::new(r * here.sin(), 2.0 * LENGTH / links * t, r * ((angle / 2.0).cos() - here.cos()))
}

/// Largest distance of a node of the middle row from its place on the catenary, and error of the sag, both over the
/// sag.
fn errors_at_rest(kind: Kind, dt: f64) -> (f64, f64) {
    let cloth = kind.cloth(NODES, 3, arc);
    let shape = cloth.mesh().grid_shape().expect("a grid");
    // The slowest swing is that of a pendulum of about the sag's length, 6 rad/s: damping of 12/s is critical for it.
    let mut params = damped(12.0);
    params.solver = within(1e-6, 1e-4);
    let mut simulation = Simulation::new(cloth, params, dt);
    simulation.grasp(Grasp::pin([shape.side(GridSide::Left), shape.side(GridSide::Right)].concat()).exact());
    for _ in 0..(5.0 / dt).round() as usize {
        simulation.step().unwrap_or_else(|error| panic!("{kind:?}: {error}"));
    }
    // At 1e-4 m/s nothing moves by more than 2e-5 m, 6e-5 of the sag, in the time 1/(6 rad/s) it still has to go.
    let speed = largest(simulation.velocities());
    assert!(speed < 1e-4, "{kind:?} still moves at {speed} m/s");

    let catenary = Catenary::new();
    let row = (0..NODES).map(|col| simulation.positions()[shape.node(col, 1)]);
    let distance = row.enumerate().map(|(k, found)| {
        let (x, z) = catenary.at(LENGTH * k as f64 / (NODES - 1) as f64);
        (found.x - x).hypot(found.z - z)
    });
    let lowest = simulation.positions()[shape.node(NODES / 2, 1)].z;
    (distance.fold(0.0, f64::max) / catenary.sag(), (-lowest / catenary.sag() - 1.0).abs())
}

/// A chain of n links has tensions exact to second order in 1/n: with 40 links the shape is off by about the
/// (1/40)²·(curvature · length)²/8 of a polygon in its curve, and the curvature at the bottom is 1/a = 6.0 /m: 0.28 %.
const POLYGON: f64 = 0.005;

#[test]
fn quads_hang_as_a_catenary() {
    let (shape, sag) = errors_at_rest(Kind::Quads, 0.01);
    println!("quads: shape off by {shape:.2e}, sag by {sag:.2e}");
    assert!(shape < POLYGON && sag < POLYGON, "shape off by {shape}, sag by {sag}");
}

#[test]
fn triangles_hang_as_a_catenary() {
    for diagonal in [Diagonal::Forward, Diagonal::Backward, Diagonal::Alternating] {
        let (shape, sag) = errors_at_rest(Kind::Triangles(diagonal), 0.01);
        println!("{diagonal:?}: shape off by {shape:.2e}, sag by {sag:.2e}");
        assert!(shape < POLYGON && sag < POLYGON, "{diagonal:?}: shape off by {shape}, sag by {sag}");
    }
}

#[test]
fn the_shape_at_rest_does_not_depend_on_the_step_length() {
    let (fine, _) = errors_at_rest(Kind::Quads, 0.005);
    let (coarse, _) = errors_at_rest(Kind::Quads, 0.02);
    // Both within the 6e-5 of the sag that is left to go, and the 1e-4 m/s² of 9.81 m/s² that may be unbalanced.
    assert!((fine - coarse).abs() < 2e-4, "{fine} and {coarse} off the catenary");
}
