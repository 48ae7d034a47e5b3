//! Bending: a clamped strip sags as a beam does, whatever it is meshed with; a flat sheet stays flat.

mod common;

use common::{G, Kind, WOOL, damped, largest, within};
use taffeta::cloth::Cloth;
use taffeta::{DVec3, Grasp, Params, Simulation};

/// Free length and width of the strip, m.
const LENGTH: f64 = 0.3;
const WIDTH: f64 = 0.06;

/// A horizontal strip that is held at its first two columns of nodes.
#[derive(Clone, Copy, Debug)]
struct Cantilever {
    kind: Kind,
    /// Links along the free length, and nodes across.
    links: usize,
    across: usize,
    /// Whether the columns of the grid run along the strip, instead of its rows.
    turned: bool,
    /// Tip deflection of the linear beam over the length: sets the stiffness.
    deflection: f64,
    /// Compliance in shear, m/N.
    shear: f64,
}

impl Cantilever {
    fn link(&self) -> f64 {
        LENGTH / self.links as f64
    }

    fn cloth(&self) -> Cloth {
        let place =
            |along: f64, across: f64| DVec3::new((LENGTH + self.link()) * along - self.link(), WIDTH * across, 0.0);
        if self.turned {
            self.kind.cloth(self.across, self.links + 2, |s, t| place(t, 1.0 - s))
        } else {
            self.kind.cloth(self.links + 2, self.across, place)
        }
    }

    fn node(&self, along: usize, across: usize) -> usize {
        if self.turned { along * self.across + self.across - 1 - across } else { across * (self.links + 2) + along }
    }

    /// `κ = q L⁴ / (8 w)`, N·m: the stiffness at which the linear beam sags by `w`. The held link stays horizontal, so
    /// the beam is clamped where that link has its mean direction, in its middle: at the second column plus half a
    /// link.
    fn stiffness(&self) -> f64 {
        let q = WOOL * G;
        q * (LENGTH + self.link() / 2.0).powi(4) / (8.0 * self.deflection * LENGTH)
    }

    /// Material and solver. Damping of 5/s on the mass and of κ·10 ms on bending bring everything to rest within 3 s;
    /// forces balanced to 1e-4 of gravity.
    fn params(&self) -> Params {
        let mut params = Params { solver: within(1e-5, 1e-3), ..damped(5.0) };
        params.material.bending = self.stiffness();
        params.material.bending_damping = 0.01 * self.stiffness();
        params.material.shear_compliance = self.shear;
        params
    }

    /// Positions at rest after `time` in steps of `dt`, m.
    fn at_rest(&self, dt: f64, time: f64) -> Vec<DVec3> {
        let mut simulation = Simulation::new(self.cloth(), self.params(), dt);
        let held: Vec<usize> = (0..self.across).flat_map(|j| [self.node(0, j), self.node(1, j)]).collect();
        simulation.grasp(Grasp::pin(held).exact());
        for _ in 0..(time / dt).round() as usize {
            simulation.step().unwrap_or_else(|error| panic!("{self:?}: {error}"));
        }
        // What is left of the slowest motion decays with about 5/s: 1e-3 m/s is 2e-4 m, 7e-4 of the length, to go.
        let speed = largest(simulation.velocities());
        assert!(speed < 1e-3, "{self:?} still moves at {speed} m/s");
        simulation.positions().to_vec()
    }

    /// Mean sag of the tip over the length.
    fn sag(&self, positions: &[DVec3]) -> f64 {
        let tip = (0..self.across).map(|j| -positions[self.node(self.links + 1, j)].z);
        tip.sum::<f64>() / self.across as f64 / LENGTH
    }
}

/// Quads, two nodes across, as compliant in shear as cloth is by default, deflected by 1 % of the length: the shape of a
/// linear beam to (1 %)².
const BEAM: Cantilever =
    Cantilever { kind: Kind::Quads, links: 8, across: 2, turned: false, deflection: 0.01, shear: 0.01 };

#[test]
fn a_clamped_strip_sags_as_a_beam() {
    for turned in [false, true] {
        let errors = [8, 16, 32].map(|links| {
            let beam = Cantilever { links, turned, ..BEAM };
            beam.sag(&beam.at_rest(0.01, 1.5)) / beam.deflection - 1.0
        });
        println!("turned {turned}: tip off by {errors:.4?} with 8, 16, 32 links");
        assert!(errors[2].abs() < 0.02, "the finest strip's tip is off by {}", errors[2]);
        // Second order: a quarter of the error with half the links, a third being sure.
        assert!(errors[1].abs() < errors[0].abs() / 3.0 && errors[2].abs() < errors[1].abs() / 3.0, "{errors:?}");
    }
}

#[test]
fn a_strip_that_hangs_down_far_does_not_depend_on_its_mesh() {
    // A linear beam would sag by its length; this one by two thirds of it. There the sheet is curved enough along its
    // length that inextensibility keeps it straight across.
    let hanging = Cantilever { links: 16, deflection: 1.0, ..BEAM };
    let reference = hanging.sag(&hanging.at_rest(0.01, 3.0));
    for kind in Kind::ALL {
        for across in [3, 5, 9] {
            for turned in [false, true] {
                let strip = Cantilever { kind, across, turned, ..hanging };
                let sag = strip.sag(&strip.at_rest(0.01, 3.0));
                println!(
                    "{kind:?}, {across} across, turned {turned}: sags by {sag:.4}, a row of quads by {reference:.4}"
                );
                // A twentieth: the links are 1/16 of the length, and triangles are of first order where they are
                // clamped.
                assert!((sag / reference - 1.0).abs() < 0.05, "{strip:?} sags by {sag}, not {reference}");
            }
        }
    }
}

#[test]
fn a_strip_that_does_not_shear_is_as_stiff_in_any_mesh() {
    // A sheet that is rigid in shear cannot curve across where it curves along, so it is a beam however wide it is. A
    // sag of a tenth of the length is short of the linear beam's by about (1/10)²; a twentieth leaves room for links of
    // 1/16 of the length, at whose clamped end triangles are of first order.
    for kind in Kind::ALL {
        for across in [3, 5] {
            let strip = Cantilever { kind, links: 16, across, deflection: 0.1, shear: 0.0, ..BEAM };
            let sag = strip.sag(&strip.at_rest(0.01, 1.5)) / strip.deflection;
            println!("{kind:?}, {across} across, rigid in shear: sags by {sag:.3} of a beam's");
            assert!((sag - 1.0).abs() < 0.05, "{strip:?} sags by {sag} of a beam's");
        }
    }
}

#[test]
fn rest_shapes_do_not_depend_on_the_step_length() {
    for across in [2, 3] {
        let strip = Cantilever { links: 12, across, deflection: 1.0, ..BEAM };
        let (coarse, fine) = (strip.at_rest(0.01, 4.0), strip.at_rest(0.001, 4.0));
        let apart: Vec<DVec3> = coarse.iter().zip(&fine).map(|(a, b)| *a - *b).collect();
        println!(
            "{across} across: rest shapes at 10 ms and 1 ms differ by {:.1e} of the length",
            largest(&apart) / LENGTH
        );
        assert!(largest(&apart) < 1e-3 * LENGTH, "rest shapes differ by {} m", largest(&apart));
    }
}

/// A sheet of 0.2 m × 0.3 m in a plane given by two orthonormal directions.
fn flat(kind: Kind, along: DVec3, across: DVec3) -> Cloth {
    kind.cloth(6, 8, |s, t| along * (0.2 * (s - 0.5)) + across * (0.3 * (t - 0.5)))
}

#[test]
fn a_flat_sheet_with_free_edges_stays_flat() {
    let normal = DVec3::new(2.0, -3.0, 6.0) / 7.0;
    for kind in Kind::ALL {
        // Turned in its plane by angles that have nothing to do with the mesh, rad, and spinning at 1 rad/s.
        for angle in [0.0f64, 0.7, 2.1] {
            let (u, v) = (normal.any_orthonormal_vector(), normal.cross(normal.any_orthonormal_vector()));
            let along = u * angle.cos() + v * angle.sin();
            let mut params = Params { gravity: DVec3::ZERO, ..damped(0.0) };
            params.material.bending = 1e-3;
            let mut simulation = Simulation::new(flat(kind, along, normal.cross(along)), params, 0.01);
            let state = simulation.state_mut();
            state.velocities = state.positions.iter().map(|&x| normal.cross(x)).collect();
            for _ in 0..100 {
                simulation.step().unwrap_or_else(|error| panic!("{kind:?}: {error}"));
            }
            let height = simulation.positions().iter().map(|x| x.dot(normal).abs()).fold(0.0, f64::max);
            // Rounding of 0.2 m is 3e-17 m; the stiffness is 1e3 of the inertia's at most, and 100 steps may add up.
            assert!(height < 1e-9, "{kind:?}, turned by {angle}: {height:e} m out of its plane");
        }
    }
}

#[test]
fn a_rolled_sheet_unrolls() {
    for kind in Kind::ALL {
        let cloth = flat(kind, DVec3::X, DVec3::Y);
        let mut params = Params { gravity: DVec3::ZERO, solver: within(1e-5, 1e-2), ..damped(2.0) };
        params.material.bending = 1e-3;
        let mut simulation = Simulation::new(cloth, params, 0.01);
        // A cylinder about y with links of the same length: angles of 0.4 rad between neighbours, 2 rad in all.
        let (link, angle) = (0.04f64, 0.4f64);
        let radius = link / (2.0 * (angle / 2.0).sin());
        let state = simulation.state_mut();
        for x in &mut state.positions {
            let around = x.x / link * angle;
            (x.x, x.z) = (radius * around.sin(), radius * (around.cos() - 1.0));
        }
        state.forget_history();
        let mut energies = Vec::new();
        for _ in 0..500 {
            energies.push(simulation.step().unwrap_or_else(|error| panic!("{kind:?}: {error}")).bending_energy);
        }
        // A plate of 0.2 m with κ/ρ = 0.0055 m⁴/s² swings at (4.73/0.2 m)²·√0.0055 = 41 rad/s; implicit Euler takes
        // away ω²dt/2 = 8/s of its amplitude, so 5 s leave e^(−80) of its energy; a thousandth is asked for.
        let (first, last) = (energies[0], energies[499]);
        assert!(first > 0.0 && last < 1e-3 * first, "{kind:?}: bending energy goes from {first} J to {last} J");
        let rest = simulation.model().cloth().mesh().positions();
        let span = |at: &[DVec3]| at[0].distance(at[47]);
        let opened = span(simulation.positions()) / span(rest);
        // A sheet bent with a thousandth of the energy of 2 rad has turned by 0.06 rad: it spans 1 − 0.06²/24 of its
        // length.
        assert!(opened > 1.0 - 2e-3, "{kind:?}: opened to {opened} of its diagonal");
    }
}

#[test]
fn the_stiffness_of_a_strip_does_not_depend_on_its_mesh() {
    for kind in Kind::ALL {
        for across in [2, 3, 5, 9] {
            for deflection in [0.01, 0.1] {
                let strip = Cantilever { kind, links: 16, across, deflection, ..BEAM };
                let sag = strip.sag(&strip.at_rest(0.01, 3.0)) / deflection;
                // The mesh is off by 0.2 % at 16 links, and a deflection of a tenth is 0.8 % short of the linear beam.
                assert!((sag - 1.0).abs() < 0.02, "{strip:?} sags by {sag} of a beam's");
            }
        }
    }
}
