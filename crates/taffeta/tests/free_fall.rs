//! A released sheet falls as one body: with (δ/ρ)·g while nothing damps it, up to δg/α when something does.

mod common;

use common::{Kind, largest, undamped};
use taffeta::cloth::{Cloth, RestShape, Scheme};
use taffeta::{DVec3, Integrator, Params, Simulation};

/// Step length, s.
const DT: f64 = 0.01;

/// Steps of the undamped falls: 0.2 m of falling, so that positions stay below 1 m.
const STEPS: usize = 20;

/// Acceleration that may be left unbalanced, m/s², so that a fall is exact. It is a root mean square over the cloth; at
/// a corner, which has 1/48 of its area, it may be 7 times as much: 1e-12 of gravity.
const UNBALANCED: f64 = 1e-12;

/// Relative error of an undamped fall: what is left unbalanced, and rounding. A position of up to 1 m is rounded to
/// 1.1e-16 m a few times per step, and the velocity is a difference over 0.01 s that hands its error on:
/// 20 steps · 4 · 1.1e-16 m / 0.01 s = 9e-13 m/s of 2 m/s.
const ROUNDING: f64 = 1e-12;

/// A sheet of 0.3 m × 0.4 m that is tilted against all axes.
fn tilted(s: f64, t: f64) -> DVec3 {
    let (along, across) = (DVec3::new(0.8, 0.36, 0.48), DVec3::new(-0.6, 0.48, 0.64));
    along * (0.3 * s) + across * (0.4 * t)
}

/// Every kind of mesh in every scheme that differs on it.
fn cloths() -> Vec<(String, Cloth)> {
    let schemes = [Scheme::Nodal, Scheme::EdgesNodalShear, Scheme::Edges];
    let quads = schemes.map(|scheme| {
        (format!("quads, {scheme:?}"), Cloth::new(Kind::Quads.mesh(4, 5, tilted), RestShape::Mesh, scheme))
    });
    let triangles = Kind::ALL.into_iter().skip(1).map(|kind| (format!("{kind:?}"), kind.cloth(4, 5, tilted)));
    quads.into_iter().chain(triangles).collect()
}

/// Largest change of the distance between any two nodes since the mesh was built, m.
fn deformation(simulation: &Simulation) -> f64 {
    let (rest, now) = (simulation.model().cloth().mesh().positions(), simulation.positions());
    let pairs = (0..now.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
    pairs.map(|(a, b)| (now[a].distance(now[b]) - rest[a].distance(rest[b])).abs()).fold(0.0, f64::max)
}

fn assert_falls_exactly(mut params: Params) {
    params.solver.acceleration_tolerance = UNBALANCED;
    let acceleration = params.gravity * (params.material.virtual_density / params.material.density);
    for (name, cloth) in cloths() {
        let mut simulation = Simulation::new(cloth, params, DT);
        for n in 1..=STEPS {
            simulation.step().unwrap_or_else(|error| panic!("{name}: {error}"));
            let expected = acceleration * (n as f64 * DT);
            for (node, &v) in simulation.velocities().iter().enumerate() {
                let error = v.distance(expected) / expected.length();
                assert!(error < ROUNDING, "{name}: node {node} is off by {error:e} after {n} steps");
            }
        }
        // The velocity error above, kept for the whole fall of 0.2 s.
        let allowed = ROUNDING * acceleration.length() * (STEPS as f64 * DT).powi(2);
        let found = deformation(&simulation);
        assert!(found < allowed, "{name}: deformed by {found:e} m");
    }
}

#[test]
fn an_undamped_sheet_falls_with_gravity() {
    assert_falls_exactly(undamped());
}

#[test]
fn a_sheet_whose_weight_is_less_than_its_inertia_falls_slower() {
    let mut params = undamped();
    params.material.virtual_density = 0.6 * params.material.density;
    assert_falls_exactly(params);
}

#[test]
fn a_stiff_sheet_falls_like_a_limp_one() {
    let mut params = undamped();
    params.material.bending = 1e-3;
    assert_falls_exactly(params);
}

#[test]
fn the_second_order_integrator_falls_as_exactly() {
    // A backward difference of second order is exact for a velocity linear in time, and so is the first step of
    // implicit Euler.
    let mut params = undamped();
    params.solver.integrator = Integrator::Bdf2;
    assert_falls_exactly(params);
}

#[test]
fn a_damped_sheet_approaches_its_terminal_velocity() {
    // Implicit Euler of ρ dv/dt = δg − αv, written down by hand.
    let mut params = undamped();
    params.solver.acceleration_tolerance = UNBALANCED;
    let material = &mut params.material;
    (material.virtual_density, material.damping) = (0.7 * material.density, 12.0 * material.density);
    let (rho, delta, alpha) = (material.density, material.virtual_density, material.damping);
    let terminal = params.gravity * (delta / alpha);
    // Each step leaves 1/(1 + dt·α/ρ) = 1/1.12 of what is missing: 1e-9 of it after 183 steps.
    let steps = 200;
    for (name, cloth) in cloths() {
        let mut simulation = Simulation::new(cloth, params, DT);
        let mut v = DVec3::ZERO;
        for n in 1..=steps {
            simulation.step().unwrap_or_else(|error| panic!("{name}: {error}"));
            v = (v * rho + params.gravity * (delta * DT)) / (rho + alpha * DT);
            let errors: Vec<DVec3> = simulation.velocities().iter().map(|&u| u - v).collect();
            // Positions up to 2 m, rounded as above; damping forgets errors within 1/0.12 steps.
            let allowed = 9.0 * 4.0 * 2.2e-16 / DT;
            let found = largest(&errors);
            assert!(found < allowed, "{name}: {found:e} m/s off the recurrence after {n} steps");
        }
        let missing = simulation.velocities()[0].distance(terminal) / terminal.length();
        assert!(missing < 1e-9, "{name}: {missing:e} of the terminal velocity is missing");
        // The last digits of positions of 2 m, in each of 200 steps.
        let found = deformation(&simulation);
        assert!(found < steps as f64 * 4.4e-16, "{name}: deformed by {found:e} m");
    }
}
