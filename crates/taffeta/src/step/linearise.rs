//! Linearise: values and gradients of all conditions at `φ_j`, the contacts, and how far from solved the step is.

use super::contacts::ContactResidual;
use super::give_up::GiveUp;
use super::sources::{RowResidual, changing_sources};
use super::{Attempt, Failure, Workspace};
use crate::model::Layout;
use crate::params::Solver;
use crate::timing::Stage;

/// What an iterate leaves to be done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Residual {
    /// Largest |C| of the rigid rows.
    pub strain: f64,
    /// Largest |C − σλ| of the compliant rows.
    pub error: f64,
    /// Root mean square of the unbalanced acceleration of the cloth, m/s², or that of a body, if it is larger.
    pub acceleration: f64,
    /// What the contacts leave to be done.
    pub contact: ContactResidual,
}

impl Residual {
    /// Whether the step is solved. A first guess is taken only if it is that nothing moves, and if it is much better than the
    /// tolerances: errors of other guesses would not average out but lead on in one direction.
    ///
    /// A part of a step may be off by as much more as it is shorter: it adds up to the same.
    pub fn is_solved(&self, solver: &Solver, iteration: usize, resting: bool, part: f64) -> bool {
        if iteration == 0 { resting && self.is_within(1e-4, solver) } else { self.is_within(1.0 / part, solver) }
    }

    /// The largest of what is left but friction, in tolerances.
    pub fn apart_from_friction(&self, solver: &Solver) -> f64 {
        let gap = f64::max(self.contact.penetration, self.contact.separation) / solver.gap_tolerance;
        let strain = f64::max(self.strain, self.error) / solver.strain_tolerance;
        (self.acceleration / solver.acceleration_tolerance).max(gap).max(strain)
    }

    /// The largest of what is left, in tolerances.
    pub fn left(&self, solver: &Solver) -> f64 {
        f64::max(self.apart_from_friction(solver), self.contact.friction / solver.friction_tolerance)
    }

    /// Whether places are within their tolerances, and forces within so many times theirs.
    fn is_within(&self, forces: f64, solver: &Solver) -> bool {
        f64::max(self.strain, self.error) <= solver.strain_tolerance
            && self.acceleration <= forces * solver.acceleration_tolerance
            && f64::max(self.contact.penetration, self.contact.separation) <= solver.gap_tolerance
            && self.contact.friction <= forces * solver.friction_tolerance
    }

    /// How far places are off, in cells of this size.
    pub fn off(&self, cell: f64) -> f64 {
        f64::max(self.contact.penetration, self.contact.separation) / cell + f64::max(self.strain, self.error)
    }

    pub fn is_finite(&self) -> bool {
        let Self { strain, error, acceleration, contact } = self;
        [*strain, *error, *acceleration, contact.friction].iter().all(|x| x.is_finite())
    }

    /// What is to be said when it is given up here and nothing better was found.
    pub fn failure(&self, reason: GiveUp) -> Failure {
        let ContactResidual { penetration, friction, .. } = self.contact;
        Failure {
            reason,
            strain: self.strain,
            acceleration: self.acceleration,
            penetration,
            friction,
            crossing: None,
            pierced: None,
        }
    }
}

/// Evaluates `C`, `∇C`, the contacts, and the residual `A φ − b + ∇Cᵀ λ − ∇Hᵀ γ − f_μ`.
pub(super) fn linearise(attempt: &Attempt, layout: &Layout, follow: bool, workspace: &mut Workspace) -> Residual {
    let Attempt { model, dynamics, .. } = *attempt;
    let Workspace {
        phi,
        rhs,
        lambda,
        gradient,
        value,
        sources,
        drive,
        residual,
        normals,
        drag,
        contacts,
        hands,
        bodies,
        program,
        watch,
        ..
    } = workspace;
    let (rows, free) = (&layout.rows, &program.free);
    sources.evaluate(rows, phi, gradient, value);
    let RowResidual { strain, error } = sources.residual(lambda, value, &program.rows.compliance);

    let cloth = model.cloth();
    for (i, d) in drive[..phi.len()].iter_mut().enumerate() {
        *d = phi[i] * (cloth.node_areas()[i] * dynamics.inertia) - rhs[i];
        if dynamics.stiffness > 0.0 {
            *d += cloth.bending.times(i, phi) * dynamics.stiffness;
        }
        if dynamics.windy {
            *d += normals[i] * (drag[i] * normals[i].dot(phi[i]));
        }
    }
    bodies.write_drive(drive);
    residual.copy_from_slice(drive);
    for r in 0..rows.len() {
        for (&i, g) in rows.nodes(r).iter().zip(&gradient[rows.span(r)]) {
            residual[i] += *g * lambda[r];
        }
    }
    watch.lap(Stage::Linearise);
    contacts.detect(&attempt.view(phi, free, bodies), follow);
    watch.lap(Stage::Detect);
    changing_sources(contacts, hands, bodies).iter().for_each(|source| source.subtract_forces(phi, residual));

    let (mut squares, mut total) = (0.0, 0.0);
    for (i, r) in residual[..phi.len()].iter().enumerate() {
        let a = cloth.node_areas()[i] * dynamics.inertia;
        if free[i] {
            squares += r.length_squared() / a;
            total += a;
        }
    }
    let of_cloth = (squares / f64::max(total, f64::MIN_POSITIVE)).sqrt() / (dynamics.h * dynamics.h);
    let residual = Residual {
        strain,
        error,
        acceleration: f64::max(of_cloth, bodies.unbalanced(residual)),
        contact: contacts.residual(dynamics.dt, dynamics.h),
    };
    watch.lap(Stage::Linearise);
    residual
}
