//! Shear: a sheet held at one upright side sags as its compliance says, however it is meshed.

mod common;

use common::Kind;
use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::{DVec3, Grasp, Params, Simulation};

/// Rest sag of the free side of a square sheet, m, held along its left side.
fn sag(kind: Kind, scheme: Scheme, compliance: f64) -> f64 {
    let n = 17;
    let mesh = kind.mesh(n, n, |s, t| DVec3::new(SIDE * s, 0.0, SIDE * t));
    let material = Material { shear_compliance: compliance, damping: 4.0, ..Material::with_density(DENSITY) };
    let params = Params { material, ..Params::default() };
    let mut simulation = Simulation::new(Cloth::new(mesh, RestShape::Mesh, scheme), params, 0.01);
    simulation.grasp(Grasp::pin((0..n).map(|row| row * n).collect::<Vec<_>>()).exact());
    for _ in 0..300 {
        simulation.step().expect("a sheet that sags");
    }
    let middle = n * (n / 2) + n - 1;
    SIDE / 2.0 - simulation.positions()[middle].z
}

/// m.
const SIDE: f64 = 0.5;
/// kg/m².
const DENSITY: f64 = 0.18;

#[test]
fn the_sag_of_a_sheet_is_that_of_its_shear_compliance() {
    // Force per length ρ g (L − x) over 1/c integrates to c ρ g L²/2; upright threads and level ones stay straight.
    let compliance = 0.1;
    let expected = compliance * DENSITY * common::G * SIDE * SIDE / 2.0;
    for kind in Kind::ALL {
        let found = sag(kind, Scheme::Edges, compliance);
        // Shear of 9 % makes the threads lean by 0.4 % of their length; nodes at the free side share the last column.
        assert!((found / expected - 1.0).abs() < 0.02, "{kind:?} sags by {found} m, not {expected} m");
    }
}
