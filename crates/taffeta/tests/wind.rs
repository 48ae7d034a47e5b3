//! Air pushes along the normal, with the square of the relative speed.

mod common;

use common::{Kind, largest, undamped};
use taffeta::{DVec3, Params, Simulation};

/// Density of air at 20 °C, kg/m³.
const AIR: f64 = 1.204;

/// A plate of 5 cm × 4 cm whose normal is `normal`.
fn plate(kind: Kind, normal: DVec3) -> taffeta::cloth::Cloth {
    let along = normal.any_orthonormal_vector();
    let across = normal.cross(along);
    kind.cloth(4, 3, |s, t| along * (0.05 * s) + across * (0.04 * t))
}

/// Weightless cloth in a wind.
fn in_wind(wind: DVec3) -> Params {
    Params { gravity: DVec3::ZERO, wind: Some(wind), ..undamped() }
}

/// Speed after `time` of a plate of density `rho` that starts at rest in a wind `w` and follows
/// `ρ dv/dt = c (w − v)|w − v|`: the relative speed is `w / (1 + c w t / ρ)`.
fn carried(w: f64, c: f64, rho: f64, time: f64) -> f64 {
    w - w / (1.0 + c * w * time / rho)
}

/// Largest error over `time` of the simulated speed against [`carried`], m/s.
fn error_of(kind: Kind, normal: DVec3, params: &Params, dt: f64, time: f64) -> f64 {
    let wind = params.wind.expect("a wind");
    let c = 0.5 * AIR * params.material.drag;
    let mut simulation = Simulation::new(plate(kind, normal), *params, dt);
    let mut worst = 0.0;
    for _ in 0..(time / dt).round() as usize {
        simulation.step().expect("a plate in the wind");
        let expected = wind.normalize() * carried(wind.length(), c, params.material.density, simulation.time());
        let errors: Vec<DVec3> = simulation.velocities().iter().map(|&v| v - expected).collect();
        worst = f64::max(worst, largest(&errors));
    }
    worst
}

#[test]
fn a_plate_across_the_wind_is_carried_up_to_its_speed() {
    let normal = DVec3::new(2.0, -1.0, 2.0) / 3.0;
    for kind in Kind::ALL {
        for (speed, drag) in [(5.0, 1.0), (-5.0, 1.0), (20.0, 0.3)] {
            let mut params = in_wind(normal * speed);
            params.material.drag = drag;
            // Time in which half of the wind's speed is reached, s.
            let half = params.material.density / (0.5 * AIR * drag * speed.abs());
            // A step that replaces |w−v|(w−v) by |w−v|(w−v') has a local error of at most ½dt²·max|v̈| +
            // dt²·(c|u|/ρ)|v̇|, with |v̈| = 2c²u³/ρ² and (c|u|/ρ)|v̇| = c²u³/ρ². With x = dt/half and the wind's speed
            // W that is 2·W·x²·(1 + t/half)⁻³; errors do not grow, so they sum up to less than 2·W·x·∫(1+τ)⁻³dτ = W·x.
            for x in [0.02, 0.002] {
                let error = error_of(kind, normal, &params, x * half, 10.0 * half);
                assert!(error < speed.abs() * x, "{kind:?}, {speed} m/s: {error} m/s off at dt = {x} half-times");
            }
        }
    }
}

#[test]
fn a_plate_never_overtakes_the_wind() {
    // 50 m/s on silk of 20 g/m² in steps of 0.1 s: 75 half-times per step.
    let mut params = in_wind(DVec3::new(0.0, 0.0, 50.0));
    (params.material.density, params.material.virtual_density) = (0.02, 0.02);
    let mut simulation = Simulation::new(plate(Kind::Quads, DVec3::Z), params, 0.1);
    let mut before = 0.0;
    for _ in 0..20 {
        simulation.step().expect("a plate in a storm");
        let speed = simulation.velocities()[0].z;
        assert!(speed >= before && speed <= 50.0, "{speed} m/s after {before} m/s");
        before = speed;
    }
    assert!(before > 49.0, "carried to {before} m/s only");
}

#[test]
fn wind_along_the_sheet_does_nothing() {
    let normal = DVec3::new(0.48, 0.64, 0.6);
    for kind in Kind::ALL {
        let wind = normal.any_orthonormal_vector() * 30.0;
        let mut simulation = Simulation::new(plate(kind, normal), in_wind(wind), 0.01);
        for _ in 0..100 {
            simulation.step().expect("a plate in the wind");
        }
        // The normal is rounded to 1e-16 per coordinate, so at most 30 m/s · 4e-16 of the wind is normal; its pressure
        // is the square of that. What is left is the rounding of 100 positions below 0.1 m over dt.
        let speed = largest(simulation.velocities());
        assert!(speed < 100.0 * 1.4e-17 * 2.0 / 0.01, "{kind:?} moves at {speed:e} m/s");
    }
}

#[test]
fn still_air_slows_a_fall_to_the_speed_at_which_drag_is_the_weight() {
    // ρ g = ½ ρ_air v²
    let params = Params { wind: Some(DVec3::ZERO), ..undamped() };
    let terminal = (params.material.density * common::G / (0.5 * AIR)).sqrt();
    let mut simulation = Simulation::new(plate(Kind::Quads, DVec3::Z), params, 0.01);
    // Approached as tanh(t/τ), τ = v/g = 0.17 s: within 2e-10 after 2 s, and dt does not move a fixed point. Default
    // tolerances leave 3e-8.
    for _ in 0..200 {
        simulation.step().expect("a falling plate");
    }
    let speed = -simulation.velocities()[0].z;
    assert!((speed / terminal - 1.0).abs() < 1e-6, "{speed} m/s, not {terminal} m/s");
}
