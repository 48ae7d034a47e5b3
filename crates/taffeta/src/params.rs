//! What may change from run to run, or from step to step, without rebuilding a [`Model`](crate::Model).

use glam::DVec3;

use crate::cloth::{Material, Published};

/// Material, surroundings and how the steps are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Params {
    /// The fabric.
    pub material: Material,
    /// `g`: acceleration of gravity, m/s².
    pub gravity: DVec3,
    /// Velocity of a uniform wind, m/s; `None` leaves the air out (`δ` and `α` stand for it in the paper).
    pub wind: Option<DVec3>,
    /// How the cloth meets itself; `None` lets it pass through itself.
    pub self_contact: Option<SelfContact>,
    /// How a step is solved.
    pub solver: Solver,
}

/// How the cloth meets itself: at the distance of its thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct SelfContact {
    /// `ω`: parts of the cloth are watched that are closer than `(1 + 2ω) τ₀`.
    pub proximity: f64,
    /// `μ` of the cloth on itself.
    pub friction: f64,
}

impl Default for SelfContact {
    /// The paper's `ω`, and the friction of woven fabric.
    fn default() -> Self {
        Self { proximity: 0.5, friction: 0.3 }
    }
}

impl Default for Params {
    /// Wool under gravity in still air.
    fn default() -> Self {
        Self {
            material: Material::with_density(0.1804),
            gravity: DVec3::new(0.0, 0.0, -9.81),
            wind: None,
            self_contact: Some(SelfContact::default()),
            solver: Solver::default(),
        }
    }
}

/// The time integrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Integrator {
    /// Implicit Euler, as in the paper: first order, damps, right for contact.
    #[default]
    ImplicitEuler,
    /// The second-order backward difference formula: for smooth motion.
    Bdf2,
}

/// Who solves the quadratic program of an iteration. They find the same solution: it has only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Method {
    /// Exchange of all wrong rows at once over a sparse factor whose pattern they do not change: the fast one.
    #[default]
    ActiveSet,
    /// The paper's Algorithm 1: exchange of one row at a time, the dense factor updated. For comparison.
    Paper,
    /// Clarabel's interior point method. For comparison; needs the feature `interior-point`.
    InteriorPoint,
}

impl Method {
    /// Whether this build has it.
    pub fn is_available(self) -> bool {
        self != Method::InteriorPoint || cfg!(feature = "interior-point")
    }
}

/// What becomes of a step that cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum OnFailure {
    /// It is an error, and the state stays as it was: for who needs to know that every step keeps its tolerances.
    #[default]
    Refuse,
    /// Parts of it that cannot be solved are taken as well as they can be: towards the best iterate, as far as nothing of the cloth
    /// passes through anything. [`StepReport::degraded`](crate::StepReport::degraded) counts them. For planners and learners, whose
    /// trials must go on.
    Degrade,
}

/// How a step is solved and when it counts as solved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Solver {
    /// The time integrator.
    pub integrator: Integrator,
    /// `ε₀`: largest relative strain a rigid condition may be left with. Rigid conditions give a little under load, so that
    /// rank loss is harmless: in sheets of a metre 1e-6 and less cannot be met at 10 ms, and the step is refused.
    pub strain_tolerance: f64,
    /// Largest root-mean-square acceleration that may be left unbalanced, m/s².
    pub acceleration_tolerance: f64,
    /// `ε₁`: largest depth of a point in what it touches, and largest distance of a point from what pushes it, m.
    pub gap_tolerance: f64,
    /// Largest distance of a friction force from Coulomb's law, of the point's normal force or the mean one, whichever is larger.
    pub friction_tolerance: f64,
    /// Iterations before a step is tried again in halves.
    pub max_iterations: usize,
    /// Smallest fraction of a step that is tried, as a power of two: 6 means dt/64.
    pub max_halvings: u32,
    /// Numeric factorisations that a step may take, all of its attempts included: a step that needs more counts as one that cannot be solved.
    pub max_factorisations: usize,
    /// What becomes of a step that cannot be solved.
    pub on_failure: OnFailure,
    /// Who solves the programs.
    pub method: Method,
    /// Step as one of the authors' codes does, instead.
    pub published: Option<Published>,
}

impl Default for Solver {
    fn default() -> Self {
        Self {
            integrator: Integrator::ImplicitEuler,
            // Half of the 0.1 % that a user can rely on.
            strain_tolerance: 5e-4,
            // A twentieth of gravity: the hem of a swung sheet moves by less than 0.3 mm between this and 0.001.
            acceleration_tolerance: 0.5,
            // A fifth of the 0.1 mm that a user can rely on.
            gap_tolerance: 2e-5,
            // At the worst point; coefficients of friction are seldom known to better than ten times this.
            friction_tolerance: 1e-2,
            max_iterations: 30,
            max_halvings: 6,
            // Easy steps take one to five; the hardest that was solved in some 700 random scenes took 1300.
            max_factorisations: 2000,
            on_failure: OnFailure::Refuse,
            method: Method::ActiveSet,
            published: None,
        }
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_as_they_were_written() {
        let mut params = Params { wind: Some(DVec3::X), self_contact: None, ..Params::default() };
        params.solver.method = Method::Paper;
        params.solver.published = Some(Published::ImplicitEuler2021);
        let written = serde_json::to_string(&params).expect("parameters");
        assert_eq!(serde_json::from_str::<Params>(&written).expect("parameters"), params, "{written}");
    }

    #[test]
    fn what_is_left_out_is_the_default_and_names_are_those_of_scenes() {
        let read: Params =
            serde_json::from_str(r#"{ "solver": { "integrator": "bdf2", "method": "interior-point" } }"#)
                .expect("parameters");
        let solver = Solver { integrator: Integrator::Bdf2, method: Method::InteriorPoint, ..Solver::default() };
        assert_eq!(read, Params { solver, ..Params::default() });
        let error = serde_json::from_str::<Params>(r#"{ "gravitation": 9.81 }"#).expect_err("no such parameter");
        assert!(error.to_string().contains("gravitation"), "{error}");
    }
}
