//! What the paper proves of its exchange of rows, on random working sets: rows held as equalities, `γ = −λ`.

use proptest::prelude::*;
use taffeta::qp::{Bounds, Program, solve};
use taffeta::{DVec3, Method};

use crate::dice::Dice;
use crate::methods;
use crate::random::{Row, agree, bare};

/// A working set over a random program.
#[derive(Clone, Debug)]
struct Working {
    program: Program,
    rows: Vec<Row>,
}

impl Working {
    fn new(nodes: usize, count: usize, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let program = bare(&mut dice, nodes);
        Self { program, rows: (0..count).map(|_| Row::random(&mut dice, nodes)).collect() }
    }

    fn without(&self, k: usize) -> Self {
        let mut fewer = self.clone();
        fewer.rows.remove(k);
        fewer
    }

    /// `Δ` and `γ` of the equality problem.
    fn solve(&self, compliance: f64) -> (Vec<DVec3>, Vec<f64>) {
        let mut program = self.program.clone();
        for row in &self.rows {
            program.rows.push(Bounds::Equality, row.value, compliance, row.entries.iter().copied());
        }
        program.cloth_rows = self.rows.len();
        let solution = solve(&mut program, Method::ActiveSet).expect("an equality problem");
        (solution.delta, solution.multipliers.iter().map(|l| -l).collect())
    }
}

/// A working set, one of its rows, and the exponent of the compliance.
fn working() -> impl Strategy<Value = (Working, usize, f64)> {
    (2usize..6, 1usize..7, any::<u64>(), any::<prop::sample::Index>(), -6.0f64..-1.0).prop_map(
        |(nodes, count, seed, index, exponent)| {
            (Working::new(nodes, count.min(2 * nodes), seed), index.index(count.min(2 * nodes)), 10f64.powf(exponent))
        },
    )
}

/// Rounding of values and multipliers of order one over the smallest compliance.
const ROUNDING: f64 = 1e-8;

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// The Proposition: `Δγ_k · (H_k + ∇H_k Δφ̃) ≤ 0`.
    #[test]
    fn what_is_removed_has_the_sign_opposite_to_its_multiplier((working, k, compliance) in working()) {
        let gamma = working.solve(compliance).1[k];
        let gap = working.rows[k].at(&working.without(k).solve(compliance).0);
        prop_assert!(gamma * gap <= ROUNDING, "γ {gamma}, gap {gap}");
    }

    /// The Corollary, first half.
    #[test]
    fn a_row_that_pulls_is_feasible_once_it_is_out((working, k, compliance) in working()) {
        let gamma = working.solve(compliance).1[k];
        let gap = working.rows[k].at(&working.without(k).solve(compliance).0);
        prop_assert!(gamma >= -ROUNDING || gap >= -ROUNDING, "γ {gamma}, gap {gap}");
    }

    /// The Corollary, second half.
    #[test]
    fn a_row_that_is_violated_pushes_once_it_is_in((working, k, compliance) in working()) {
        let gap = working.rows[k].at(&working.without(k).solve(compliance).0);
        let gamma = working.solve(compliance).1[k];
        prop_assert!(gap >= -ROUNDING || gamma > 0.0, "gap {gap}, γ {gamma}");
    }

    /// The Lemma: a row that is a combination of working rows is feasible, so that it has nothing to do in the program.
    #[test]
    fn a_row_that_depends_on_working_rows_changes_nothing((working, _, _) in working(), seed in any::<u64>()) {
        let (hard, mut dice) = (1e-9, Dice::new(seed));
        let delta = working.solve(hard).0;
        // Rows on fixed nodes alone, or in contradiction to each other, cannot be kept in the first place.
        prop_assume!(working.rows.iter().all(|row| row.at(&delta).abs() < 1e-7));
        let mut program = working.program.clone();
        let (mut value, mut entries) = (0.0, vec![DVec3::ZERO; program.nodes()]);
        for row in &working.rows {
            program.rows.push(Bounds::Equality, row.value, hard, row.entries.iter().copied());
            let alpha = dice.number();
            value += alpha * row.value;
            row.entries.iter().for_each(|&(i, a)| entries[i] += a * alpha);
        }
        program.cloth_rows = working.rows.len();
        let dependent = |value: f64| {
            let mut program = program.clone();
            program.rows.push(Bounds::Contact, value, hard, entries.iter().copied().enumerate());
            program
        };
        for method in methods() {
            let mut with = dependent(value);
            let solution = solve(&mut with, method).expect("a program with a dependent row");
            let apart = solution.delta.iter().zip(&delta).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            prop_assert!(apart < 1e-6, "{:?}: Δ apart by {}", method, apart);
            let gap = with.rows.at(with.rows.len() - 1, &solution.delta);
            prop_assert!(gap > -1e-6, "{:?}: violated by {}", method, gap);
        }
        // Were it not that combination but lay below it, it could not be kept.
        let mut below = dependent(value - 1.0);
        let solution = solve(&mut below, Method::ActiveSet).expect("a program that asks for the impossible");
        prop_assert!(below.rows.at(below.rows.len() - 1, &solution.delta) < -1e-3, "kept although it contradicts");
    }
}

/// What does not follow from the Proposition: that the exchange ends. Seven contacts, reduced from those of a sheet over the edge
/// of a table, on which "the most negative multiplier leaves, else the most violated row enters" comes back to the working
/// set it had ten exchanges before, for ever.
#[test]
fn a_program_on_which_the_worst_rows_go_in_circles_is_solved() {
    let contacts = [
        (-0.64, [0.38, -0.27, -0.21, 0.42, 0.0]),
        (-1.0, [0.58, -0.41, 0.32, -0.63, 0.0]),
        (-0.67, [0.4, 0.56, 0.0, 0.0, 0.0]),
        (-0.75, [0.14, -0.1, -0.08, 0.16, 0.5]),
        (-0.75, [0.43, 0.0, 0.0, 0.0, 0.0]),
        (-1.0, [0.29, 0.1, 0.4, 0.0, 0.0]),
        (-0.5, [0.0, 0.0, 0.32, 0.16, 0.0]),
    ];
    let mut program = Program {
        free: vec![true; 2],
        diagonal: vec![glam::DMat3::IDENTITY; 2],
        gradient: vec![DVec3::ZERO; 2],
        ..Program::default()
    };
    for (value, [a, b, c, d, e]) in contacts {
        program.rows.push(Bounds::Contact, value, 1e-3, [(0, DVec3::new(a, b, c)), (1, DVec3::new(d, e, 0.0))]);
    }
    agree(&program, true);
    let solution = solve(&mut program, Method::Paper).expect("another rule after a while");
    assert!(solution.exchanges > 4 * contacts.len(), "only {} exchanges: no circle", solution.exchanges);
    assert!(solution.exchanges < 10 * contacts.len(), "{} exchanges", solution.exchanges);
}
