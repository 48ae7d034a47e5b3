//! The same program by an interior point method, Clarabel's.
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
//!
//! An interior point method ends a little inside: products of forces and gaps are small, not zero, and a row that is just
//! touched is off by the root of that. So the sides that it shows are taken from it, and the equality problem of those is
//! solved to all digits; if that is further from optimal (a side was not clear), its own solution stays.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT};
use glam::DVec3;

use super::active_set::Side;
use super::assembly::Assembly;
use super::working_set::{WorkingSet, bound, start};
use super::{Bounds, Program, Solution, SolveError};

/// What Clarabel is asked for, relative: two digits above rounding.
const TOLERANCE: f64 = 1e-12;

/// What Clarabel must reach: it says so when rounding keeps it from the above.
const ACCEPTABLE: f64 = 1e-7;

/// Regularisation of Clarabel's linear systems, which it takes back by refinement. With its own 1e-8 that stalls on one in
/// a hundred of our programs, mostly of cloth over an edge without friction.
const REGULARISATION: f64 = 1e-10;

/// Solves of the equality problem after Clarabel: one, and two of refinement.
const POLISH: usize = 3;

/// Solves the program and leaves the sides of the solution. The method cannot use a start.
pub(super) fn solve(
    program: &Program,
    assembly: &Assembly,
    sides: &mut [Side],
    solution: &mut Solution,
) -> Result<(), SolveError> {
    let conic = Conic::new(program);
    let mut inside = conic.solve(program, sides)?;
    let mut polished = start(program, sides);
    for (r, &side) in sides.iter().enumerate() {
        // What is at a bound is there exactly.
        polished.multipliers[r] =
            if side == Side::Within { inside.multipliers[r] } else { bound(program.rows.bounds(r), side) };
    }
    polished.delta.clone_from(&inside.delta);
    let mut set = WorkingSet::condense(program, assembly, sides).map_err(|_| SolveError::NotSolved)?;
    (0..POLISH).for_each(|_| set.correct(&mut polished));
    polished.factorisations += inside.factorisations;
    inside.factorisations = polished.factorisations;
    let better = conic.error(program, &polished) <= conic.error(program, &inside);
    *solution = if better { polished } else { inside };
    Ok(())
}

/// The program in Clarabel's form and units.
struct Conic {
    /// Unit of length, m.
    length: f64,
    /// Unit of mass, kg.
    mass: f64,
    /// First coordinate of every node that is free.
    coordinate: Vec<Option<usize>>,
    coordinates: usize,
    /// Length of the gradient of every row; zero if it touches no free node.
    scale: Vec<f64>,
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
    fn new(program: &Program) -> Self {
        let (rows, mut coordinates) = (&program.rows, 0);
        let coordinate: Vec<Option<usize>> = program
            .free
            .iter()
            .map(|free| {
                free.then(|| {
                    coordinates += 3;
                    coordinates - 3
                })
            })
            .collect();
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
    fn force(&self, r: usize) -> f64 {
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

    /// Solves by Clarabel: sets the side of every row, and returns the solution as it is.
    fn solve(&self, program: &Program, sides: &mut [Side]) -> Result<Solution, SolveError> {
        let rows = &program.rows;
        // A row without a free node has the value it has.
        let present: Vec<usize> = (0..rows.len()).filter(|&r| self.scale[r] > 0.0).collect();
        let mut p = self.quadratic(program);
        let mut cost: Vec<f64> = vec![0.0; self.coordinates + present.len()];
        for (g, start) in program.gradient.iter().zip(&self.coordinate) {
            let Some(start) = start else { continue };
            cost[*start..start + 3].copy_from_slice(&(*g / (self.mass * self.length)).to_array());
        }
        let (mut a, mut b) = (Triplets::default(), Vec::new());
        // Where the excesses over the bounds are: row, side, variable.
        let mut excesses: Vec<(usize, Side, usize)> = Vec::new();
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
        let cones = [ZeroConeT(present.len()), NonnegativeConeT(excesses.len())];
        let (p, a) = (p.matrix(cost.len(), cost.len()), a.matrix(b.len(), cost.len()));
        let mut solver =
            DefaultSolver::new(&p, &cost, &a, &b, &cones, settings()).map_err(|_| SolveError::NotSolved)?;
        solver.solve();
        let found = &solver.solution;
        if !matches!(found.status, SolverStatus::Solved | SolverStatus::AlmostSolved) {
            return Err(SolveError::NotSolved);
        }

        let mut solution = Solution { factorisations: found.iterations as usize, ..Solution::default() };
        let place =
            |start: &Option<usize>| start.map_or(DVec3::ZERO, |s| DVec3::from_slice(&found.x[s..]) * self.length);
        solution.delta.extend(self.coordinate.iter().map(place));
        solution.multipliers.extend((0..rows.len()).map(|r| rows.multiplier(r, rows.value(r))));
        for (r, side) in sides.iter_mut().enumerate() {
            *side = side_of(rows.bounds(r), solution.multipliers[r]);
        }
        for (e, &r) in present.iter().enumerate() {
            solution.multipliers[r] = found.z[e] * self.force(r);
            sides[r] = Side::Within;
        }
        for (k, &(e, side, variable)) in excesses.iter().enumerate() {
            // The two factors of a complementary pair: the larger is the one that is not zero.
            if found.x[variable] > found.z[present.len() + k] {
                sides[present[e]] = side;
            }
        }
        Ok(solution)
    }

    /// How far a solution is from optimal, all conditions in units of order one.
    fn error(&self, program: &Program, solution: &Solution) -> f64 {
        let (rows, mut residual) = (&program.rows, vec![DVec3::ZERO; program.nodes()]);
        program.stationarity(&solution.delta, &solution.multipliers, &mut residual);
        let forces = residual.iter().map(|r| r.length() / (self.mass * self.length)).fold(0.0, f64::max);
        let law = |(r, &multiplier): (usize, &f64)| {
            let (low, high) = rows.bounds(r).range();
            // In a measure in which gaps and forces weigh alike: λ is the clamped λ + (v + a·Δ − σλ) of the scaled row.
            let force = self.force(r);
            let slack = rows.at(r, &solution.delta) - rows.compliance(r) * multiplier;
            let target = (multiplier + force * slack / (self.scale[r] * self.length)).clamp(low, high);
            (target - multiplier).abs() / force
        };
        let present = solution.multipliers.iter().enumerate().filter(|(r, _)| self.scale[*r] > 0.0);
        let worst = present.map(law).fold(forces, f64::max);
        // A maximum passes over what is not a number.
        if solution.delta.iter().all(|d| d.is_finite()) { worst } else { f64::INFINITY }
    }
}

fn settings() -> DefaultSettings<f64> {
    DefaultSettings {
        verbose: false,
        max_threads: 1,
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

fn side_of(bounds: Bounds, multiplier: f64) -> Side {
    match bounds.range() {
        (_, high) if multiplier >= high => Side::High,
        (low, _) if multiplier <= low => Side::Low,
        _ => Side::Within,
    }
}
