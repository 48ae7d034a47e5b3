//! A program in the form and the units of Clarabel, and what Clarabel finds.
//!
//! Clarabel knows equalities and variables that are not negative. A row becomes
//!
//! ```text
//! v + a·Δ = √σ q + w₊ − w₋     at the cost   ½ q² + high·w₊ − low·w₋,     w₊, w₋ ≥ 0
//! ```
//!
//! without `w₊` where there is no upper bound, and without `w₋` where there is no lower one; the multiplier of this equality is
//! the row's `λ`. Lengths are in units of the increment, masses in units of the heaviest node, and every row is divided by the
//! length of its gradient, so that all numbers are of order one.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use glam::DVec3;

use super::active_set::Side;
use super::working_set::{bound, start};
use super::{Program, Solution, SolveError};

/// What Clarabel is asked for, relative: two digits above rounding.
const TOLERANCE: f64 = 1e-12;

/// What Clarabel must reach: it says so when rounding keeps it from the above.
const ACCEPTABLE: f64 = 1e-7;

/// Regularisation of Clarabel's linear systems, which it takes back by refinement. With its own 1e-8 that stalls on one in
/// a hundred of our programs, mostly of cloth over an edge without friction.
const REGULARISATION: f64 = 1e-10;

/// Of the way to the boundary: how far a step goes. The first is Clarabel's own; once in a few hundred programs it comes too
/// close too early and stalls, and starts again more carefully.
const FRACTIONS: [f64; 3] = [0.99, 0.9, 0.7];

/// The program in Clarabel's form and units.
pub(super) struct Conic {
    /// Unit of length, m.
    pub length: f64,
    /// Unit of mass, kg.
    pub mass: f64,
    /// First coordinate of every node that is free.
    coordinate: Vec<Option<usize>>,
    coordinates: usize,
    /// Length of the gradient of every row; zero if it touches no free node.
    pub scale: Vec<f64>,
}

/// `min ½ xᵀPx + costᵀx` with `Ax = b` in its first rows and `Ax ≤ b` in the others.
struct Form {
    p: CscMatrix<f64>,
    cost: Vec<f64>,
    a: CscMatrix<f64>,
    b: Vec<f64>,
    /// The row of the program that each equality is: those that touch a free node.
    present: Vec<usize>,
    /// Of every `w`: its equality, the bound beyond which it is, and where it is in `x`.
    excesses: Vec<(usize, Side, usize)>,
}

/// Entries of a matrix: rows, columns, values.
#[derive(Default)]
struct Triplets(Vec<usize>, Vec<usize>, Vec<f64>);

impl Triplets {
    fn push(&mut self, row: usize, column: usize, value: f64) {
        self.0.push(row);
        self.1.push(column);
        self.2.push(value);
    }

    fn matrix(self, rows: usize, columns: usize) -> CscMatrix<f64> {
        CscMatrix::new_from_triplets(rows, columns, self.0, self.1, self.2)
    }
}

impl Conic {
    pub fn new(program: &Program) -> Self {
        let rows = &program.rows;
        let (mut coordinate, mut coordinates) = (vec![None; program.nodes()], 0);
        for (start, _) in coordinate.iter_mut().zip(&program.free).filter(|(_, free)| **free) {
            *start = Some(coordinates);
            coordinates += 3;
        }
        let free = |&(i, _): &(usize, DVec3)| program.free[i];
        let norm = |r| rows.entries(r).filter(free).map(|(_, a)| a.length_squared()).sum::<f64>().sqrt();
        let scale: Vec<f64> = (0..rows.len()).map(norm).collect();
        let weight = |i: usize| program.diagonal[i].col(0).x.abs();
        let nodes = || (0..program.nodes()).filter(|&i| program.free[i] && weight(i) > 0.0);
        let fall = nodes().map(|i| program.gradient[i].length() / weight(i)).fold(0.0, f64::max);
        let gaps = scale.iter().enumerate().filter(|(_, scale)| **scale > 0.0);
        let gap = gaps.map(|(r, scale)| rows.value(r).abs() / scale).fold(0.0, f64::max);
        let positive = |x: f64| if x > 0.0 && x.is_finite() { x } else { 1.0 };
        let mass = positive(nodes().map(weight).fold(0.0, f64::max));
        Self { length: positive(fall.max(gap)), mass, coordinate, coordinates, scale }
    }

    /// What a multiplier of row `r` is divided by.
    pub fn force(&self, r: usize) -> f64 {
        self.mass * self.length / self.scale[r]
    }

    /// `H` in our units, its upper triangle.
    fn quadratic(&self, program: &Program) -> Triplets {
        let mut p = Triplets::default();
        for (block, start) in program.diagonal.iter().zip(&self.coordinate) {
            let Some(start) = start else { continue };
            for column in 0..3 {
                let entries = block.col(column).to_array();
                (0..=column).for_each(|row| p.push(start + row, start + column, entries[row] / self.mass));
            }
        }
        for &([i, j], k) in &program.couplings {
            if let (Some(a), Some(b)) = (self.coordinate[i], self.coordinate[j]) {
                (0..3).for_each(|c| p.push(a.min(b) + c, a.max(b) + c, k / self.mass));
            }
        }
        p
    }

    /// The multiplier and the side of every row as if nothing moved: right for rows without a free node.
    fn decoupled(&self, program: &Program, sides: &mut [Side]) -> Solution {
        let rows = &program.rows;
        let mut solution = start(program, sides);
        for (r, side) in sides.iter_mut().enumerate() {
            solution.multipliers[r] = rows.multiplier(r, rows.value(r));
            *side = match rows.bounds(r).range() {
                (_, high) if solution.multipliers[r] >= high => Side::High,
                (low, _) if solution.multipliers[r] <= low => Side::Low,
                _ => Side::Within,
            };
        }
        solution
    }

    /// Writes the program in Clarabel's form.
    fn form(&self, program: &Program) -> Form {
        let rows = &program.rows;
        let present: Vec<usize> = (0..rows.len()).filter(|&r| self.scale[r] > 0.0).collect();
        let mut p = self.quadratic(program);
        let mut cost: Vec<f64> = vec![0.0; self.coordinates + present.len()];
        for (g, start) in program.gradient.iter().zip(&self.coordinate) {
            let Some(start) = start else { continue };
            cost[*start..start + 3].copy_from_slice(&(*g / (self.mass * self.length)).to_array());
        }
        let (mut a, mut b) = (Triplets::default(), Vec::new());
        let mut excesses = Vec::new();
        for (e, &r) in present.iter().enumerate() {
            for (i, gradient) in rows.entries(r) {
                let Some(start) = self.coordinate[i] else { continue };
                let entries = (gradient / self.scale[r]).to_array();
                (0..3).for_each(|c| a.push(e, start + c, entries[c]));
            }
            let root = (rows.compliance(r) * self.mass).sqrt() / self.scale[r];
            a.push(e, self.coordinates + e, -root);
            p.push(self.coordinates + e, self.coordinates + e, 1.0);
            b.push(-rows.value(r) / (self.scale[r] * self.length));
            let (low, high) = rows.bounds(r).range();
            for (bound, side, sign) in [(high, Side::High, 1.0), (low, Side::Low, -1.0)] {
                if bound.is_finite() {
                    excesses.push((e, side, cost.len()));
                    a.push(e, cost.len(), -sign);
                    cost.push(sign * bound / self.force(r));
                }
            }
        }
        for &(_, _, variable) in &excesses {
            a.push(b.len(), variable, -1.0);
            b.push(0.0);
        }
        let (p, a) = (p.matrix(cost.len(), cost.len()), a.matrix(b.len(), cost.len()));
        Form { p, cost, a, b, present, excesses }
    }

    /// Solves by Clarabel: sets the side of every row, and returns the solution as it is.
    pub fn solve(&self, program: &Program, sides: &mut [Side]) -> Result<Solution, SolveError> {
        // Clarabel panics where there is nothing for it to do.
        if self.scale.iter().all(|scale| *scale == 0.0) {
            return Ok(self.decoupled(program, sides));
        }
        let Form { p, cost, a, b, present, excesses } = self.form(program);
        let cones = [ZeroConeT(present.len()), NonnegativeConeT(excesses.len())];
        let attempt = |&fraction: &f64| {
            let mut solver = DefaultSolver::new(&p, &cost, &a, &b, &cones, settings(fraction)).ok()?;
            solver.solve();
            let solved = matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved);
            solved.then_some(solver.solution)
        };
        let found = FRACTIONS.iter().find_map(attempt).ok_or(SolveError::NotConverged)?;

        let mut solution = self.decoupled(program, sides);
        solution.factorisations = found.iterations as usize;
        let place =
            |start: &Option<usize>| start.map_or(DVec3::ZERO, |s| DVec3::from_slice(&found.x[s..]) * self.length);
        solution.delta = self.coordinate.iter().map(place).collect();
        for (e, &r) in present.iter().enumerate() {
            solution.multipliers[r] = found.z[e] * self.force(r);
            sides[r] = Side::Within;
        }
        for (k, &(e, side, variable)) in excesses.iter().enumerate() {
            // The two factors of a complementary pair: the larger is the one that is not zero.
            if found.x[variable] > found.z[present.len() + k] {
                let r = present[e];
                (sides[r], solution.multipliers[r]) = (side, bound(program.rows.bounds(r), side));
            }
        }
        Ok(solution)
    }
}

fn settings(fraction: f64) -> DefaultSettings<f64> {
    DefaultSettings {
        verbose: false,
        max_threads: 1,
        max_step_fraction: fraction,
        static_regularization_constant: REGULARISATION,
        tol_gap_abs: TOLERANCE,
        tol_gap_rel: TOLERANCE,
        tol_feas: TOLERANCE,
        reduced_tol_gap_abs: ACCEPTABLE,
        reduced_tol_gap_rel: ACCEPTABLE,
        reduced_tol_feas: ACCEPTABLE,
        ..DefaultSettings::default()
    }
}
