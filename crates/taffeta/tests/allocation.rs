//! A step allocates nothing once the workspace is there.

// Counting what is allocated takes an allocator, and those are unsafe by nature.
#![allow(unsafe_code)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::Kind;
use taffeta::cloth::RestShape;
use taffeta::collide::{BroadPhase, Candidates, Surface};
use taffeta::mesh::{GridCorner, Mesh};
use taffeta::obstacle::{Obstacle, Plane, Sphere};
use taffeta::{DVec3, Grasp, Integrator, Params, Path, Simulation};

thread_local! {
    /// Allocations of this thread: tests run side by side.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting.
struct Counting;

fn count() {
    // A thread that is ending has no counter any more, and nobody asks for it.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is handed to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations and retries in 50 steps of a sheet swung at `frequency` Hz, after 5 to warm up.
fn allocations(kind: Kind, params: Params, frequency: f64) -> (usize, usize) {
    let cloth = kind.cloth(7, 9, |s, t| DVec3::new(0.42 * s, 0.0, 0.594 * t));
    let shape = cloth.mesh().grid_shape().expect("a grid");
    let corners = [shape.corner(GridCorner::TopLeft), shape.corner(GridCorner::TopRight)];
    let mut simulation = Simulation::new(cloth, params, 0.01);
    let amplitude = DVec3::new(0.0, 0.1, 0.0);
    simulation.grasp(Grasp::moving(corners, Path::Sinusoid { amplitude, frequency, phase: 0.0, ramp: 0.5 }));
    // Until it swings, the list of neighbours grows.
    for _ in 0..50 {
        simulation.step().expect("a swung sheet");
    }
    let (before, mut retries) = (COUNT.get(), 0);
    for _ in 0..50 {
        retries += simulation.step().expect("a swung sheet").retries;
    }
    (COUNT.get() - before, retries)
}

#[test]
fn steps_allocate_nothing() {
    for kind in Kind::ALL {
        for integrator in [Integrator::ImplicitEuler, Integrator::Bdf2] {
            let mut params = Params { wind: Some(DVec3::new(0.0, 3.0, 0.0)), ..Params::default() };
            params.solver.integrator = integrator;
            assert_eq!(allocations(kind, params, 1.0).0, 0, "{kind:?}, {integrator:?}");
            (params.material.bending, params.material.bending_damping) = (1e-4, 1e-5);
            assert_eq!(allocations(kind, params, 1.0).0, 0, "{kind:?}, {integrator:?}, bending");
        }
    }
}

#[test]
fn a_step_that_is_tried_again_allocates_nothing() {
    // 10 cm at 12 Hz is 58 g at the corners: some steps need sub-steps when 15 iterations are all they may take.
    // Where layers of the cloth meet, room is made for them: they are left out.
    let mut params = Params { self_contact: None, ..Params::default() };
    params.solver.max_iterations = 15;
    let (count, retries) = allocations(Kind::Quads, params, 12.0);
    assert!(retries > 0, "nothing was tried again");
    assert_eq!(count, 0);
}

#[test]
fn steps_in_contact_allocate_nothing() {
    let cloth = Kind::Quads.cloth(12, 12, |s, t| DVec3::new(0.6 * s - 0.3, 0.6 * t - 0.3, 0.26));
    let mut simulation = Simulation::new(cloth, Params::default(), 0.01);
    simulation.add_obstacle(Obstacle::new("ball", Sphere::new(0.25)).with_friction(0.4));
    simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(0.4));
    // Until it lies, the list of contacts grows.
    for _ in 0..150 {
        simulation.step().expect("a sheet on a ball");
    }
    let (before, mut contacts) = (COUNT.get(), 0);
    for _ in 0..50 {
        contacts += simulation.step().expect("a sheet on a ball").active_contacts;
    }
    assert!(contacts > 500, "hardly in contact");
    assert_eq!(COUNT.get() - before, 0);
}

#[test]
fn finding_who_may_meet_allocates_nothing() {
    // Two layers 1 mm apart, that move through each other.
    let layer = |x: DVec3| DVec3::new((x.x - 0.25).abs(), x.y, 0.001 * (x.x - 0.25).signum());
    let mesh = Mesh::grid(20, 20, |s, t| DVec3::new(0.5 * s, 0.5 * t, 0.0)).expect("a grid");
    let surface = Surface::new(&mesh, RestShape::Mesh);
    let from: Vec<DVec3> = mesh.positions().iter().map(|&x| layer(x)).collect();
    let to: Vec<DVec3> = from.iter().map(|x| DVec3::new(x.x, x.y, -x.z)).collect();
    let mut broad = BroadPhase::new(&surface, mesh.positions());
    let mut candidates = Candidates::default();
    broad.refit(&from, &to, 0.001);
    broad.self_pairs(&mut candidates);
    assert!(candidates.node_face.len() > 400, "the layers were to meet");
    let before = COUNT.get();
    for _ in 0..5 {
        broad.refit(&from, &to, 0.001);
        broad.self_pairs(&mut candidates);
    }
    assert_eq!(COUNT.get() - before, 0);
}

#[test]
fn the_counter_counts() {
    let before = COUNT.get();
    let heap = std::hint::black_box(vec![1u8; 100]);
    assert_eq!(COUNT.get(), before + 1);
    drop(heap);
}
