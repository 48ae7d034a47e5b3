//! The equality problem of a working set, and its change by one row at a time.
//!
//! Rows `C` that stay for good are condensed into `K = H + Cᵀσ⁻¹C`, factorised once and sparsely. What is left of those that
//! come and go, `B`, is the dense matrix `S = B K⁻¹ Bᵀ + Σ`, the paper's `∇G M⁻¹ ∇Gᵀ` after the rows of the cloth have been
//! eliminated from it; its factor is updated as rows enter and leave.

use glam::DVec3;

use super::active_set::Side;
use super::assembly::Assembly;
use super::{Bounds, Program, Solution};
use crate::linalg::{Dependent, Factor, Growing, NotPositive};

/// Of its diagonal: a pivot of `S` that is not larger belongs to a row that depends on those before it. Below, it is rounding.
const DEPENDENT: f64 = 1e-12;

/// The multiplier of a row on a side; zero where it is yet to be found.
pub(super) fn bound(bounds: Bounds, side: Side) -> f64 {
    match side {
        Side::Within => 0.0,
        Side::Low => bounds.range().0,
        Side::High => bounds.range().1,
    }
}

/// Where corrections start: no increment, and every multiplier that is at a bound there.
pub(super) fn start(program: &Program, sides: &[Side]) -> Solution {
    Solution {
        delta: vec![DVec3::ZERO; program.nodes()],
        multipliers: sides.iter().enumerate().map(|(r, &side)| bound(program.rows.bounds(r), side)).collect(),
        exchanges: 0,
        factorisations: 1,
        passes: 0,
    }
}

/// A working set and the factors of its equality problem.
pub(super) struct WorkingSet<'a> {
    program: &'a Program,
    assembly: &'a Assembly,
    condensed: Factor,
    /// The rows that are in `K`.
    stay: Vec<usize>,
    /// The rows that are in `S`, in its order.
    working: Vec<usize>,
    schur: Growing,
    scratch: Vec<DVec3>,
}

impl<'a> WorkingSet<'a> {
    /// Condenses the cloth's rows and those that are within.
    pub fn condense(program: &'a Program, assembly: &'a Assembly, sides: &[Side]) -> Result<Self, NotPositive> {
        let mut condensed = Factor::new(&assembly.pattern);
        assembly.assemble(program, sides, &mut condensed);
        condensed.factorise(&assembly.pattern)?;
        let stays = |&r: &usize| r < program.cloth_rows || sides[r] == Side::Within;
        Ok(Self {
            program,
            assembly,
            condensed,
            stay: (0..program.rows.len()).filter(stays).collect(),
            working: Vec::new(),
            schur: Growing::default(),
            scratch: vec![DVec3::ZERO; program.nodes()],
        })
    }

    /// The rows that may leave, in the order in which they are kept.
    pub fn working(&self) -> &[usize] {
        &self.working
    }

    /// Lets row `r` in, or says how its gradient depends on those of [`WorkingSet::working`].
    pub fn enter(&mut self, r: usize) -> Result<(), Dependent> {
        let (rows, response) = (&self.program.rows, &mut self.scratch);
        response.fill(DVec3::ZERO);
        rows.add_to(r, 1.0, response);
        self.program.fix(response);
        self.condensed.solve(&self.assembly.pattern, response);
        let column: Vec<f64> = self.working.iter().map(|&s| rows.along(s, response)).collect();
        self.schur.append(&column, rows.along(r, response) + rows.compliance(r), DEPENDENT)?;
        self.working.push(r);
        Ok(())
    }

    /// Takes out the row at a position of [`WorkingSet::working`].
    pub fn leave(&mut self, position: usize) {
        self.schur.delete(position);
        self.working.remove(position);
    }

    /// Corrects `Δ` and the multipliers of the working set by one solve. From zero that is the solution but for rounding;
    /// again, it is refinement: multipliers are differences of nearly equal numbers over small compliances.
    pub fn correct(&mut self, solution: &mut Solution) {
        let Self { program, assembly, condensed, stay, working, schur, scratch } = self;
        let (rows, Solution { delta, multipliers, .. }) = (&program.rows, solution);
        program.stationarity(delta, multipliers, scratch);
        scratch.iter_mut().for_each(|r| *r = -*r);
        for &r in &*stay {
            let miss = rows.at(r, delta) / rows.compliance(r) - multipliers[r];
            rows.add_to(r, -miss, scratch);
            multipliers[r] += miss;
        }
        program.fix(scratch);
        let right_hand_side = scratch.clone();
        condensed.solve(&assembly.pattern, scratch);
        if !working.is_empty() {
            let miss = |&r: &usize| rows.at(r, delta) + rows.along(r, scratch) - rows.compliance(r) * multipliers[r];
            let mut change: Vec<f64> = working.iter().map(miss).collect();
            schur.solve(&mut change);
            scratch.copy_from_slice(&right_hand_side);
            for (&r, change) in working.iter().zip(change) {
                rows.add_to(r, -change, scratch);
                multipliers[r] += change;
            }
            program.fix(scratch);
            condensed.solve(&assembly.pattern, scratch);
        }
        for &r in &*stay {
            multipliers[r] += rows.along(r, scratch) / rows.compliance(r);
        }
        delta.iter_mut().zip(&*scratch).for_each(|(delta, correction)| *delta += *correction);
    }
}
