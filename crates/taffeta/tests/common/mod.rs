//! What several of the tests share: kinds of mesh, materials without surprises, figures of a pose.

#![allow(dead_code, reason = "every test binary uses its own part of this")]

pub mod delaunay;
pub mod dice;
pub mod grip;
pub mod layers;

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::mesh::{Diagonal, Mesh};
use taffeta::{DVec3, Params, Solver};

/// Acceleration of gravity of the default parameters, m/s².
pub const G: f64 = 9.81;

/// Surface density of the wool of the paper's table, kg/m².
pub const WOOL: f64 = 0.1804;

/// How a grid of nodes is cut into elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Quads.
    Quads,
    /// Each quad cut in two.
    Triangles(Diagonal),
}

impl Kind {
    /// Every kind there is.
    pub const ALL: [Kind; 4] = [
        Kind::Quads,
        Kind::Triangles(Diagonal::Forward),
        Kind::Triangles(Diagonal::Backward),
        Kind::Triangles(Diagonal::Alternating),
    ];

    /// The grid of `nx` × `ny` nodes at `place(s, t)`, s and t from 0 to 1.
    pub fn mesh(self, nx: usize, ny: usize, place: impl Fn(f64, f64) -> DVec3) -> Mesh {
        let mesh = match self {
            Kind::Quads => Mesh::grid(nx, ny, place),
            Kind::Triangles(diagonal) => Mesh::triangle_grid(nx, ny, diagonal, place),
        };
        mesh.expect("a valid grid")
    }

    /// A cloth of that grid in the default scheme, at rest as placed.
    pub fn cloth(self, nx: usize, ny: usize, place: impl Fn(f64, f64) -> DVec3) -> Cloth {
        Cloth::new(self.mesh(nx, ny, place), RestShape::Mesh, Scheme::default())
    }
}

/// Wool that is only heavy: no damping, no bending, no air.
pub fn undamped() -> Params {
    Params { material: Material { damping: 0.0, ..Material::with_density(WOOL) }, ..Params::default() }
}

/// The same with damping `rate` in 1/s: `α = rate · ρ`.
pub fn damped(rate: f64) -> Params {
    let mut params = undamped();
    params.material.damping = rate * params.material.density;
    params
}

/// The default solver with other tolerances: strain, and acceleration in m/s².
pub fn within(strain_tolerance: f64, acceleration_tolerance: f64) -> Solver {
    Solver { strain_tolerance, acceleration_tolerance, ..Solver::default() }
}

/// Largest magnitude of a field of vectors.
pub fn largest(field: &[DVec3]) -> f64 {
    field.iter().map(|v| v.length()).fold(0.0, f64::max)
}
