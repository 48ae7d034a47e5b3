//! The fast solver: block exchange over one condensed matrix whose pattern contacts do not change.
//!
//! With the working set given (the rows whose multipliers are within their bounds), the program is one positive definite
//! system over the nodes. Rows whose side turns out wrong are exchanged all at once; that settles in a few passes but may
//! cycle. The safeguard: the program is the minimisation of a convex function that is smooth and piecewise quadratic, and
//! every pass is a Newton step for it, so an exact line search along the steps makes each one a descent, and since
//! there are finitely many working sets, that ends.

use std::ops::Range;

use glam::DVec3;

use super::assembly::Assembly;
use super::{Bounds, Program, Solution, SolveError};
use crate::cores::Cores;
use crate::linalg::{Change, Factor, NotPositive};
use crate::timing::{Stage, Stopwatch};

/// Where the multiplier of a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Within its bounds: the row is in the working set.
    Within,
    /// At its lower bound.
    Low,
    /// At its upper bound.
    High,
}

/// Passes of exchanging everything after which steps are searched along.
const MAX_BLOCK_EXCHANGES: usize = 6;

/// Passes after which a program is given up: none that came from a cloth has needed a tenth of them.
const MAX_PASSES: usize = 400;

/// Halvings of the interval in which a line search looks for its minimum.
const BISECTIONS: usize = 60;

/// Room for the fast solver, and the working set it starts from.
pub(crate) struct ActiveSet {
    factor: Factor,
    /// The side of every row: `W` is those within.
    pub sides: Vec<Side>,
    /// The sides of the factor at hand.
    factored: Vec<Side>,
    /// Whether `factored` describes a factor.
    valid: bool,
    residual: Vec<DVec3>,
    /// What the gradient of the program and the cloth's rows, which are always within, bring to the right-hand side.
    pull_of_cloth: Vec<DVec3>,
    /// Where the line search stands.
    best: Vec<DVec3>,
    /// Values of the bounded rows along it: at its start, and their change.
    path: Vec<(f64, f64)>,
    /// Where the time of the last solve went.
    pub watch: Stopwatch,
    /// Rows that the factor is changed by.
    exchanged: Vec<usize>,
}

/// How precisely, and from what, a program is to be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effort {
    /// Whether the factor at hand may be used again: the matrices of the program are those it was made of.
    pub reuse: bool,
    /// Sweeps of iterative refinement per pass.
    pub refinements: usize,
    /// Violations of a row count from here on: of its value, in the longest increment, and of the bounds of its multiplier, in
    /// the largest of them.
    pub tolerance: f64,
    /// Numeric factorisations that it may take.
    pub factorisations: usize,
}

impl Effort {
    /// As precise as numbers allow: rounding of places a metre from the origin is 1e-13 of an increment of a millimetre.
    pub const PRECISE: Self = Self { reuse: false, refinements: 3, tolerance: 1e-11, factorisations: usize::MAX };

    /// What a step needs, which looks at the laws themselves at the next iterate, and may take so many factorisations more.
    pub fn of_step(reuse: bool, factorisations: usize) -> Self {
        Self { reuse, refinements: 0, tolerance: 1e-7, factorisations }
    }
}

impl ActiveSet {
    pub fn new(assembly: &Assembly) -> Self {
        let nodes = assembly.pattern.order().len();
        Self {
            factor: Factor::new(&assembly.pattern),
            sides: Vec::new(),
            factored: Vec::new(),
            valid: false,
            residual: vec![DVec3::ZERO; nodes],
            pull_of_cloth: vec![DVec3::ZERO; nodes],
            best: vec![DVec3::ZERO; nodes],
            path: Vec::new(),
            watch: Stopwatch::default(),
            exchanged: Vec::new(),
        }
    }

    /// Says who factorises and solves.
    pub fn set_cores(&mut self, cores: Cores) {
        self.factor.cores = cores;
    }

    /// Makes it room for another assembly.
    pub fn reset(&mut self, assembly: &Assembly) {
        self.factor.reset(&assembly.pattern);
        let nodes = assembly.pattern.order().len();
        for list in [&mut self.residual, &mut self.pull_of_cloth, &mut self.best] {
            list.resize(nodes, DVec3::ZERO);
        }
        self.sides.clear();
        self.factored.clear();
        self.valid = false;
    }

    /// Starts from the side of every row at `Δ = 0`.
    pub fn start(&mut self, program: &Program) {
        self.sides.clear();
        self.sides.extend((0..program.rows.len()).map(|r| match program.rows.bounds(r) {
            Bounds::Contact if program.rows.value(r) >= 0.0 => Side::High,
            _ => Side::Within,
        }));
    }

    /// Makes the last matrix and its factor once more: what benchmarks compare a step with.
    pub fn refactorise(&mut self, program: &Program, assembly: &Assembly) -> bool {
        self.valid = false;
        assembly.assemble(program, &self.sides, &mut self.factor);
        self.factor.factorise(&assembly.pattern).is_ok()
    }

    /// Takes row `r` out of the factor at hand, before it changes.
    pub fn withdraw(&mut self, program: &Program, assembly: &Assembly, r: usize) {
        if !self.valid || self.factored.get(r) != Some(&Side::Within) {
            return;
        }
        self.factored[r] = Side::High;
        let change = (Change::Remove, condensed_entries(program, r));
        self.valid = self.factor.modify(&assembly.pattern, std::iter::once(change)).is_ok();
    }

    /// Solves the program from the working set at hand and leaves the one of the solution.
    pub fn solve(
        &mut self,
        program: &Program,
        assembly: &Assembly,
        effort: Effort,
        solution: &mut Solution,
    ) -> Result<(), SolveError> {
        solution.exchanges = 0;
        solution.factorisations = 0;
        solution.passes = 0;
        self.watch.restart();
        self.valid &= effort.reuse;
        self.gather_pull_of_cloth(program);
        for pass in 0..MAX_PASSES {
            if solution.factorisations >= effort.factorisations {
                return Err(SolveError::Exhausted);
            }
            self.solve_equalities(program, assembly, effort.refinements, solution)?;
            self.watch.lap(Stage::Solve);
            solution.passes += 1;
            let wrong = self.exchange_wrong(program, effort.tolerance, solution);
            if wrong == 0 {
                let Solution { delta, multipliers, .. } = solution;
                if effort.refinements == 0 {
                    read_multipliers(program, 0..program.cloth_rows, &self.sides, delta, multipliers);
                }
                self.watch.lap(Stage::Exchange);
                return Ok(());
            }
            solution.exchanges += wrong;
            if pass + 1 == MAX_BLOCK_EXCHANGES {
                self.best.copy_from_slice(&solution.delta);
            } else if pass + 1 > MAX_BLOCK_EXCHANGES {
                self.descend(program, &solution.delta);
            }
            self.watch.lap(Stage::Exchange);
        }
        Err(SolveError::Stalled)
    }

    /// Brings together what does not change from pass to pass.
    fn gather_pull_of_cloth(&mut self, program: &Program) {
        let Self { pull_of_cloth, sides, .. } = self;
        pull_of_cloth.clear();
        pull_of_cloth.extend(program.gradient.iter().map(|g| -*g));
        sides[..program.cloth_rows].fill(Side::Within);
        for r in 0..program.cloth_rows {
            program.rows.add_to(r, -program.rows.value(r) / program.rows.compliance(r), pull_of_cloth);
        }
    }

    /// Solves the program as if its multipliers were where the working set says.
    fn solve_equalities(
        &mut self,
        program: &Program,
        assembly: &Assembly,
        refinements: usize,
        solution: &mut Solution,
    ) -> Result<(), NotPositive> {
        let modified = self.modify(program, assembly);
        self.watch.lap(Stage::Change);
        if !modified {
            self.valid = false;
            assembly.assemble(program, &self.sides, &mut self.factor);
            self.watch.lap(Stage::Assemble);
            self.factor.factorise(&assembly.pattern)?;
            self.watch.lap(Stage::Factorise);
            self.factored.clone_from(&self.sides);
            self.valid = true;
            solution.factorisations += 1;
        }
        let Self { factor, sides, residual, pull_of_cloth, .. } = self;
        let (rows, Solution { delta, multipliers, .. }) = (&program.rows, solution);
        let within = || (0..rows.len()).filter(|&r| sides[r] == Side::Within);
        delta.clone_from(pull_of_cloth);
        multipliers.clear();
        multipliers.resize(program.cloth_rows, 0.0);
        for (r, side) in sides.iter().enumerate().skip(program.cloth_rows) {
            let pull = match side {
                Side::Within => rows.value(r) / rows.compliance(r),
                Side::Low => rows.bounds(r).range().0,
                Side::High => rows.bounds(r).range().1,
            };
            if pull != 0.0 {
                rows.add_to(r, -pull, delta);
            }
            multipliers.push(pull);
        }
        program.fix(delta);
        factor.solve(&assembly.pattern, delta);
        // Which sides are wrong is told by the rows with bounds: those of the cloth are read when there are none.
        let read = if refinements > 0 { 0 } else { program.cloth_rows };
        read_multipliers(program, read..rows.len(), sides, delta, multipliers);
        // Multipliers are differences of nearly equal numbers over small compliances: refinement restores their digits.
        for _ in 0..refinements {
            program.stationarity(delta, multipliers, residual);
            residual.iter_mut().for_each(|r| *r = -*r);
            for r in within() {
                let miss = rows.at(r, delta) / rows.compliance(r) - multipliers[r];
                rows.add_to(r, -miss, residual);
                multipliers[r] += miss;
            }
            program.fix(residual);
            factor.solve(&assembly.pattern, residual);
            for r in within() {
                multipliers[r] += rows.along(r, residual) / rows.compliance(r);
            }
            for (delta, correction) in delta.iter_mut().zip(&*residual) {
                *delta += *correction;
            }
        }
        Ok(())
    }

    /// How the increment answers to a growing bound of row `r`, which is at a bound; false if there is no factor of the working set.
    pub fn respond(&mut self, program: &Program, assembly: &Assembly, r: usize, response: &mut [DVec3]) -> bool {
        if !self.valid || self.factored != self.sides {
            return false;
        }
        response.fill(DVec3::ZERO);
        program.rows.add_to(r, if self.sides[r] == Side::Low { 1.0 } else { -1.0 }, response);
        program.fix(response);
        self.factor.solve(&assembly.pattern, response);
        true
    }

    /// Brings the factor at hand to the working set by changes of low rank; false if there is none, or if that does not pay.
    fn modify(&mut self, program: &Program, assembly: &Assembly) -> bool {
        if !self.valid {
            return false;
        }
        let Self { factor, sides, factored, exchanged, .. } = self;
        // Rows that are new are not in the factor.
        factored.resize(sides.len(), Side::High);
        let enters = |r: usize| sides[r] == Side::Within;
        exchanged.clear();
        exchanged.extend((program.cloth_rows..sides.len()).filter(|&r| enters(r) != (factored[r] == Side::Within)));
        let pattern = &assembly.pattern;
        let cost: f64 = exchanged.iter().map(|&r| pattern.change_cost(program.rows.nodes(r).iter().copied())).sum();
        if cost > pattern.factorisation_cost() {
            return false;
        }
        // What enters comes first, so that the matrix stays positive definite; what is close in the factor goes together.
        let rank = |r: usize| program.rows.nodes(r).iter().map(|&i| pattern.rank()[i]).min();
        exchanged.sort_unstable_by_key(|&r| (!enters(r), rank(r), r));
        let changes = exchanged.iter().map(|&r| {
            let change = if enters(r) { Change::Add } else { Change::Remove };
            (change, condensed_entries(program, r))
        });
        if factor.modify(pattern, changes).is_err() {
            return false;
        }
        factored.clone_from(sides);
        true
    }

    /// Moves every row whose side is wrong, and counts them.
    fn exchange_wrong(&mut self, program: &Program, tolerance: f64, solution: &Solution) -> usize {
        let rows = &program.rows;
        let longest = solution.delta.iter().map(|d| d.length_squared()).fold(0.0, f64::max).sqrt();
        let bounded = program.cloth_rows..rows.len();
        let largest = bounded.clone().map(|r| solution.multipliers[r].abs()).fold(0.0, f64::max);
        let (off, over) = (tolerance * longest, tolerance * largest);
        let mut wrong = 0;
        for r in bounded {
            let (low, high) = rows.bounds(r).range();
            let right = match self.sides[r] {
                Side::Within if solution.multipliers[r] > high + over => Side::High,
                Side::Within if solution.multipliers[r] < low - over => Side::Low,
                Side::High if rows.at(r, &solution.delta) < rows.compliance(r) * high - off => Side::Within,
                Side::Low if rows.at(r, &solution.delta) > rows.compliance(r) * low + off => Side::Within,
                side => side,
            };
            wrong += usize::from(right != self.sides[r]);
            self.sides[r] = right;
        }
        wrong
    }

    /// Goes from the best increment towards a newer one as far as that descends, and takes the sides found there.
    fn descend(&mut self, program: &Program, towards: &[DVec3]) {
        let Self { sides, residual, best, path, .. } = self;
        let (rows, bounded) = (&program.rows, program.cloth_rows..program.rows.len());
        let direction = |i: usize| towards[i] - best[i];
        // dᵀ(HΔ + g + Σ a λ(Δ)) at Δ = best + t d is linear in t but for the bounded rows.
        program.times(best, residual);
        let mut start: f64 = (0..best.len()).map(|i| (residual[i] + program.gradient[i]).dot(direction(i))).sum();
        let along_best: f64 = (0..best.len()).map(|i| residual[i].dot(direction(i))).sum();
        program.times(towards, residual);
        let mut growth = (0..best.len()).map(|i| residual[i].dot(direction(i))).sum::<f64>() - along_best;
        for r in 0..program.cloth_rows {
            let along = rows.at(r, towards) - rows.at(r, best);
            start += along * rows.at(r, best) / rows.compliance(r);
            growth += along * along / rows.compliance(r);
        }
        path.clear();
        path.extend(bounded.clone().map(|r| (rows.at(r, best), rows.at(r, towards) - rows.at(r, best))));
        let slope = |t: f64| {
            let kinked = |(r, &(from, along)): (usize, &(f64, f64))| rows.multiplier(r, from + t * along) * along;
            start + t * growth + bounded.clone().zip(&*path).map(kinked).sum::<f64>()
        };
        let (mut short, mut long) = (0.0, 1.0);
        if slope(1.0) <= 0.0 {
            short = 1.0;
        } else {
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (short + long);
                *(if slope(middle) > 0.0 { &mut long } else { &mut short }) = middle;
            }
        }
        for (from, to) in best.iter_mut().zip(towards) {
            *from += (*to - *from) * short;
        }
        for ((r, side), &(from, along)) in sides.iter_mut().enumerate().skip(program.cloth_rows).zip(&*path) {
            let (low, high) = rows.bounds(r).range();
            *side = match (from + short * along) / rows.compliance(r) {
                multiplier if multiplier >= high => Side::High,
                multiplier if multiplier <= low => Side::Low,
                _ => Side::Within,
            };
        }
    }
}

/// Reads the multipliers of those rows of a range that are within their bounds.
fn read_multipliers(program: &Program, range: Range<usize>, sides: &[Side], delta: &[DVec3], multipliers: &mut [f64]) {
    for r in range.filter(|&r| sides[r] == Side::Within) {
        multipliers[r] = program.rows.at(r, delta) / program.rows.compliance(r);
    }
}

/// The entries `a/√σ` of row `r` at nodes that may move: their products are what it adds to the condensed matrix.
fn condensed_entries(program: &Program, r: usize) -> impl Iterator<Item = (usize, DVec3)> {
    let root = program.rows.compliance(r).sqrt().recip();
    program.rows.entries(r).filter(|&(i, _)| program.free[i]).map(move |(i, a)| (i, a * root))
}
