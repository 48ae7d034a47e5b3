//! Steps that several threads share have the bits of steps of one thread.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::Kind;
use common::layers::{THICKNESS, self_contacts, thick, two_sheets};
use taffeta::mesh::Diagonal;
use taffeta::obstacle::{Capsule, Obstacle, Plane, Sphere};
use taffeta::{Cores, DVec3, Params, Simulation};

/// Length of a step, s.
const DT: f64 = 0.01;

/// Steps of a run: enough for contacts to come and go.
const STEPS: usize = 12;

/// How often the time was asked for by a thread of a pool.
static IN_POOL: AtomicUsize = AtomicUsize::new(0);

/// A clock that stands still, and notes who asks.
fn witness() -> f64 {
    IN_POOL.fetch_add(usize::from(rayon::current_thread_index().is_some()), Ordering::Relaxed);
    0.0
}

/// A sheet that falls on a ball, and has just met it.
fn on_a_ball() -> Simulation {
    let cloth = Kind::Quads.cloth(40, 40, |s, t| DVec3::new(s - 0.5, t - 0.5, 0.2515));
    let mut simulation = Simulation::new(cloth, Params::default(), DT);
    simulation.add_obstacle(Obstacle::new("ball", Sphere::new(0.25)).with_friction(0.4));
    simulation
}

/// A sheet of triangles that bends over the end of a pole.
fn over_a_pole() -> Simulation {
    let cloth =
        Kind::Triangles(Diagonal::Alternating).cloth(40, 36, |s, t| DVec3::new(s - 0.5, 0.9 * t - 0.45, 0.2515));
    let mut params = Params::default();
    params.material.bending = 1e-5;
    let mut simulation = Simulation::new(cloth, params, DT);
    simulation.add_obstacle(Obstacle::new("pole", Capsule::new(0.1, 0.15)).with_friction(0.3));
    simulation
}

/// Two sheets on a floor, the upper of which lands on the lower.
fn two_layers() -> Simulation {
    let sheet = |height: f64| move |s: f64, t: f64| DVec3::new(s - 0.5, t - 0.5, height + 0.004 * (9.0 * s).sin());
    let cloth = two_sheets((30, 30), sheet(0.005), (30, 30), sheet(0.005 + 1.2 * THICKNESS));
    let mut simulation = Simulation::new(cloth, thick(), DT);
    simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(0.5));
    simulation
}

/// The bits of all places and velocities after every step, and how many contacts there were.
fn run(mut simulation: Simulation, cores: Cores) -> (Vec<Vec<u64>>, usize) {
    simulation.set_cores(cores);
    simulation.set_clock(Some(witness));
    let mut contacts = 0;
    let mut bits = || {
        contacts += simulation.step().expect("a sheet that falls").active_contacts;
        let vectors = simulation.positions().iter().chain(simulation.velocities());
        vectors.flat_map(|v| v.to_array()).map(f64::to_bits).collect()
    };
    let bits = (0..STEPS).map(|_| bits()).collect();
    (bits, contacts + self_contacts(&simulation).count())
}

/// Runs with one thread, with pools of several, and with the pool that there is anyway.
fn assert_same_bits(name: &str, build: fn() -> Simulation) {
    let (alone, contacts) = run(build(), Cores::One);
    assert!(contacts > 20, "{name}: only {contacts} contacts");
    for count in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a pool");
        let (shared, _) = pool.install(|| run(build(), Cores::All));
        assert!(shared == alone, "{name}: other bits with {count} threads");
    }
    let before = IN_POOL.load(Ordering::Relaxed);
    let (shared, _) = run(build(), Cores::All);
    assert!(shared == alone, "{name}: other bits with the pool of rayon");
    // The steps themselves were in the pool, so that there was enough to share.
    let several = rayon::current_num_threads() > 1;
    assert_eq!(IN_POOL.load(Ordering::Relaxed) > before, several, "{name}");
}

#[test]
fn threads_leave_the_bits_as_they_are() {
    assert_same_bits("ball", on_a_ball);
    assert_same_bits("pole", over_a_pole);
    assert_same_bits("layers", two_layers);
}

#[test]
fn small_sheets_are_left_to_the_thread_that_asks() {
    // The clock of this one is asked in no pool, whatever the other test does meanwhile.
    fn outside() -> f64 {
        assert!(rayon::current_thread_index().is_none());
        0.0
    }
    let cloth = Kind::Quads.cloth(7, 9, |s, t| DVec3::new(s - 0.5, t - 0.5, 0.0));
    let mut simulation = Simulation::new(cloth, Params::default(), DT);
    simulation.set_cores(Cores::All);
    simulation.set_clock(Some(outside));
    simulation.step().expect("a sheet that falls");
}
