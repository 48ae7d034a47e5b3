//! The quadratic program of one iteration of a step.
//!
//! ```text
//! HΔ + g + Σ a λ = 0,     λ = clamp((v + a·Δ)/σ, low, high) of every row,     Δ = 0 at fixed nodes
//! ```
//!
//! are its conditions of optimality, all of them. A row of the cloth has no bounds and is the equality `v + a·Δ = σλ`. A contact
//! has `λ ≤ 0` (the paper's `γ` is `−λ`) and is the inequality `v + a·Δ ≥ σλ` with its complementarity. A row of friction
//! has `|λ| ≤ μγ`: it holds a point still up to that force, and lets it go beyond. They are the conditions of
//!
//! ```text
//! min ½ ΔᵀHΔ + gᵀΔ + ½ Σ σλ²   s.t.   v + a·Δ = σλ,   v + a·Δ ≥ σλ,   and  μγ |slip| added for friction
//! ```
//!
//! The compliances `σ` make it strictly convex in its multipliers as well, however the rows depend on each other: it always
//! has one solution, and a program that asks for the impossible shows it by gaps that stay open.

use glam::{DMat3, DVec3};

use super::{Bounds, RowSet};

/// A quadratic program over the nodes of a cloth.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Program {
    /// Which nodes may move.
    pub free: Vec<bool>,
    /// Diagonal blocks of `H`.
    pub diagonal: Vec<DMat3>,
    /// Blocks of `H` below the diagonal: of nodes `[i, j]`, this multiple of the identity. A pair may be listed more than
    /// once: its blocks add up.
    pub couplings: Vec<([usize; 2], f64)>,
    /// `g`.
    pub gradient: Vec<DVec3>,
    /// All rows, first those of the cloth.
    pub rows: RowSet,
    /// How many of the rows are the cloth's: inextensibility and shear. They are equalities.
    pub cloth_rows: usize,
}

/// What a solver found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solution {
    /// `Δ`: the increment.
    pub delta: Vec<DVec3>,
    /// `λ` of every row.
    pub multipliers: Vec<f64>,
    /// Rows that entered or left the working set.
    pub exchanges: usize,
    /// Numeric factorisations.
    pub factorisations: usize,
    /// Equality problems solved, one for each working set; 0 by the interior point method, which solves others.
    pub passes: usize,
}

/// How far a solution is from satisfying the conditions of Karush, Kuhn and Tucker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kkt {
    /// Largest entry of `HΔ + g + Σ a λ`.
    pub stationarity: f64,
    /// Largest `|v + a·Δ − σλ|` of rows whose multiplier is within its bounds, and violation of the inequality of those
    /// at a bound.
    pub feasibility: f64,
    /// Largest excess of a multiplier over its bounds.
    pub bounds: f64,
    /// Largest product of a contact force and the gap it acts across.
    pub complementarity: f64,
}

impl Program {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.gradient.len()
    }

    /// `H x`, of free nodes.
    pub fn times(&self, x: &[DVec3], product: &mut [DVec3]) {
        for ((y, block), x) in product.iter_mut().zip(&self.diagonal).zip(x) {
            *y = *block * *x;
        }
        for &([i, j], k) in &self.couplings {
            product[i] += x[j] * k;
            product[j] += x[i] * k;
        }
    }

    /// `HΔ + g + Σ a λ`, zero at fixed nodes.
    pub fn stationarity(&self, delta: &[DVec3], multipliers: &[f64], residual: &mut [DVec3]) {
        self.times(delta, residual);
        for (r, g) in residual.iter_mut().zip(&self.gradient) {
            *r += *g;
        }
        for (r, &multiplier) in multipliers.iter().enumerate() {
            self.rows.add_to(r, multiplier, residual);
        }
        self.fix(residual);
    }

    /// Sets what belongs to fixed nodes to zero.
    pub(super) fn fix(&self, x: &mut [DVec3]) {
        for (x, _) in x.iter_mut().zip(&self.free).filter(|(_, free)| !**free) {
            *x = DVec3::ZERO;
        }
    }

    /// How far a solution is from the conditions of optimality.
    pub fn kkt(&self, solution: &Solution) -> Kkt {
        let mut residual = vec![DVec3::ZERO; self.nodes()];
        self.stationarity(&solution.delta, &solution.multipliers, &mut residual);
        let stationarity = residual.iter().map(|r| r.abs().max_element()).fold(0.0, f64::max);
        let mut kkt = Kkt { stationarity, feasibility: 0.0, bounds: 0.0, complementarity: 0.0 };
        for (r, &lambda) in solution.multipliers.iter().enumerate() {
            let (low, high) = self.rows.bounds(r).range();
            let slack = self.rows.at(r, &solution.delta) - self.rows.compliance(r) * lambda;
            let miss = match (lambda <= low, lambda >= high) {
                // Friction without a normal force: any slip will do.
                (true, true) => 0.0,
                (false, true) => -slack,
                (true, false) => slack,
                (false, false) => slack.abs(),
            };
            kkt.feasibility = kkt.feasibility.max(miss);
            kkt.bounds = kkt.bounds.max(lambda - high).max(low - lambda);
            if self.rows.bounds(r) == Bounds::Contact {
                kkt.complementarity = kkt.complementarity.max((lambda * slack).abs());
            }
        }
        kkt
    }

    /// Whether the arrays fit together and every number is finite: to be asked of a program that was read from somewhere.
    pub fn is_sound(&self) -> bool {
        let n = self.nodes();
        self.free.len() == n
            && self.diagonal.len() == n
            && self.diagonal.iter().all(|block| block.is_finite())
            && self.gradient.iter().all(|g| g.is_finite())
            && self.couplings.iter().all(|&([i, j], k)| i < n && j < n && i != j && k.is_finite())
            && self.rows.is_sound(n)
            && self.cloth_rows <= self.rows.len()
            && (0..self.cloth_rows).all(|r| self.rows.bounds(r) == Bounds::Equality)
    }
}
