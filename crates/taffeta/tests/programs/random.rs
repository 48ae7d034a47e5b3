//! Random programs, made harsh on purpose.

use proptest::prelude::*;
use taffeta::qp::{Bounds, Program, RowSet, Solution, solve};
use taffeta::{DVec3, Method};

use crate::cloth::longest;
use crate::dice::Dice;
use crate::methods;

/// A row before it is in a program.
#[derive(Clone, Debug)]
pub struct Row {
    pub value: f64,
    pub entries: Vec<(usize, DVec3)>,
}

impl Row {
    /// A gradient at two or three nodes.
    pub fn random(dice: &mut Dice, nodes: usize) -> Self {
        let (first, count) = (dice.index(nodes), 2 + dice.index(2));
        let entries = (0..count.min(nodes)).map(|k| ((first + k) % nodes, dice.vector())).collect();
        Self { value: dice.number(), entries }
    }

    /// The value at `delta`.
    pub fn at(&self, delta: &[DVec3]) -> f64 {
        self.value + self.entries.iter().map(|(i, a)| a.dot(delta[*i])).sum::<f64>()
    }
}

/// A program without rows: masses about one, some coupling.
pub fn bare(dice: &mut Dice, nodes: usize) -> Program {
    let mut program = Program {
        free: vec![true; nodes],
        diagonal: (0..nodes).map(|_| block(1.0 + 0.5 * dice.number(), dice.vector())).collect(),
        couplings: (1..nodes).map(|i| ([i, i - 1], 0.2 * dice.number())).collect(),
        gradient: (0..nodes).map(|_| dice.vector()).collect(),
        rows: RowSet::new(),
        cloth_rows: 0,
    };
    program.free[0] = !dice.chance(0.2);
    program
}

/// `d I + u uᵀ`.
fn block(d: f64, u: DVec3) -> glam::DMat3 {
    glam::DMat3::from_diagonal(DVec3::splat(d)) + glam::DMat3::from_cols(u * u.x, u * u.y, u * u.z)
}

/// What a random program is to be like.
#[derive(Clone, Debug)]
struct Case {
    nodes: usize,
    cloth: usize,
    bounded: usize,
    /// Exponents of the compliances, from and to.
    compliance: (f64, f64),
    seed: u64,
}

impl Case {
    /// A program with duplicated and dependent rows, and rows that just touch; but one that can be satisfied.
    fn degenerate(&self) -> Program {
        let mut dice = Dice::new(self.seed);
        let mut program = bare(&mut dice, self.nodes);
        let mut place: Vec<DVec3> = (0..self.nodes).map(|_| dice.vector()).collect();
        place.iter_mut().zip(&program.free).for_each(|(p, free)| *p *= f64::from(*free));
        let mut known: Vec<Row> = Vec::new();
        for k in 0..self.cloth + self.bounded {
            let mut row = Row::random(&mut dice, self.nodes);
            if !known.is_empty() && dice.chance(0.4) {
                row = known[dice.index(known.len())].clone();
                let factor = if dice.chance(0.5) { 1.0 } else { 0.5 + 0.4 * dice.number() };
                row.entries.iter_mut().for_each(|(_, a)| *a *= factor);
            }
            row.value = 0.0;
            row.value = -row.at(&place);
            known.push(row.clone());
            let compliance =
                10f64.powf(self.compliance.0 + (self.compliance.1 - self.compliance.0) * 0.5 * (1.0 + dice.number()));
            let bounds = if k < self.cloth {
                Bounds::Equality
            } else if dice.chance(0.6) {
                row.value += if dice.chance(0.5) { 0.0 } else { 0.5 * dice.number().abs() };
                Bounds::Contact
            } else {
                Bounds::Friction(if dice.chance(0.2) { 0.0 } else { dice.number().abs() })
            };
            program.rows.push(bounds, row.value, compliance, row.entries);
        }
        program.cloth_rows = self.cloth;
        program
    }
}

fn case(compliance: (f64, f64)) -> impl Strategy<Value = Case> {
    (2usize..6, 0usize..5, 1usize..14, any::<u64>()).prop_map(move |(nodes, cloth, bounded, seed)| Case {
        nodes,
        cloth,
        bounded,
        compliance,
        seed,
    })
}

/// Solves a program with every solver of the build.
fn solve_all(program: &Program) -> Vec<(Method, Program, Solution)> {
    methods()
        .map(|method| {
            let mut program = program.clone();
            let solution = solve(&mut program, method).unwrap_or_else(|e| panic!("{method:?}: {e}\n{program:?}"));
            (method, program, solution)
        })
        .collect()
}

/// Forces at the nodes that can move: `Σ a λ`.
fn forces(program: &Program, solution: &Solution) -> Vec<DVec3> {
    let mut forces = vec![DVec3::ZERO; program.nodes()];
    solution.multipliers.iter().enumerate().for_each(|(r, &lambda)| program.rows.add_to(r, lambda, &mut forces));
    forces.iter_mut().zip(&program.free).for_each(|(force, free)| *force *= f64::from(*free));
    forces
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Compares all solvers. How dependent rows share a force is told by what they give, gaps of `σλ`: where that is less than
/// what solvers take for no gap, only the sum is known. Then an interior point method may also be unable to tell the sides of
/// some rows (one program in a few hundred), and leaves gaps of the root of the 1e-12 at which it stops.
pub fn agree(program: &Program, shares: bool) {
    let solved = solve_all(program);
    let reference = &solved[0].2;
    let length = longest(reference);
    let force = reference.multipliers.iter().map(|l| l.abs()).fold(1e-9, f64::max);
    for (method, program, solution) in &solved {
        let open = if !shares && *method == Method::InteriorPoint { 1e-6 } else { 1e-7 };
        let delta = farthest(&reference.delta, &solution.delta);
        assert!(delta <= open * length, "{method:?}: Δ apart by {:e}", delta / length);
        let sums = farthest(&forces(program, reference), &forces(program, solution));
        assert!(sums <= open * force.max(1.0), "{method:?}: forces apart by {sums:e}");
        for (r, (a, b)) in reference.multipliers.iter().zip(&solution.multipliers).enumerate().filter(|_| shares) {
            let bar = 1e-7 * force;
            assert!((a - b).abs() <= bar, "{method:?}: λ of row {r} is {b}, not {a}; {bar:e} allowed");
        }
        let kkt = program.kkt(solution);
        assert!(kkt.stationarity <= 1e-7 * force.max(1.0), "{method:?}: {kkt:?}");
        assert!(kkt.feasibility <= open * length.max(1.0), "{method:?}: {kkt:?}");
        assert!(kkt.bounds <= 1e-7 * force, "{method:?}: {kkt:?}");
        assert!(kkt.complementarity <= 1e-7 * force * length.max(1.0), "{method:?}: {kkt:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_solvers_agree_on_degenerate_programs(case in case((-6.0, 0.0))) {
        agree(&case.degenerate(), true);
    }

    #[test]
    fn the_solvers_agree_where_rows_hardly_give(case in case((-12.0, -8.0))) {
        agree(&case.degenerate(), false);
    }

    #[test]
    fn contacts_that_contradict_each_other_share_the_gap(case in case((-6.0, -2.0)), width in 0.01f64..2.0) {
        let mut program = case.degenerate();
        let mut dice = Dice::new(case.seed ^ 1);
        // No friction that bounds could hold it with, and a node that can move.
        let (node, push) = (1, dice.vector().normalize_or(DVec3::Z));
        program.rows.push(Bounds::Contact, -0.5 * width, 1e-4, [(node, push)]);
        program.rows.push(Bounds::Contact, -0.5 * width, 1e-4, [(node, -push)]);
        agree(&program, true);
        for (method, program, solution) in solve_all(&program) {
            let count = program.rows.len();
            let gaps = [count - 2, count - 1].map(|r| program.rows.at(r, &solution.delta));
            prop_assert!(gaps[0].min(gaps[1]) < -0.4 * width, "{method:?}: the gap is hidden: {gaps:?}");
            prop_assert!(solution.multipliers[count - 2..].iter().any(|&l| l < 0.0), "{method:?}");
        }
    }

    #[test]
    fn friction_without_a_normal_force_is_no_friction(case in case((-4.0, 0.0))) {
        let program = case.degenerate();
        let (mut slippery, mut without) = (program.clone(), program.clone());
        (slippery.rows, without.rows) = (RowSet::new(), RowSet::new());
        for r in 0..program.rows.len() {
            let (bounds, entries) = (program.rows.bounds(r), program.rows.entries(r));
            let (value, compliance) = (program.rows.value(r), program.rows.compliance(r));
            if let Bounds::Friction(_) = bounds {
                slippery.rows.push(Bounds::Friction(0.0), value, compliance, entries);
            } else {
                slippery.rows.push(bounds, value, compliance, program.rows.entries(r));
                without.rows.push(bounds, value, compliance, entries);
            }
        }
        agree(&slippery, true);
        let expected = solve(&mut without, Method::ActiveSet).expect("a solution");
        for (method, program, solution) in solve_all(&slippery) {
            let off = farthest(&expected.delta, &solution.delta);
            prop_assert!(off <= 1e-9, "{method:?}: {off:e}");
            for r in (0..program.rows.len()).filter(|&r| program.rows.bounds(r) == Bounds::Friction(0.0)) {
                prop_assert_eq!(solution.multipliers[r], 0.0, "{:?}", method);
            }
        }
    }
}

#[test]
fn of_two_contacts_with_one_gradient_the_deeper_holds() {
    let mut program = Program {
        free: vec![true],
        diagonal: vec![glam::DMat3::IDENTITY],
        gradient: vec![DVec3::ZERO],
        ..Program::default()
    };
    // Next to no compliance: their gradients count as dependent, and one has to make room for the other.
    for (depth, scale) in [(1.0, 1.0), (3.0, 1.5), (0.5, 2.0)] {
        program.rows.push(Bounds::Contact, -depth, 1e-15, [(0, DVec3::Z * scale)]);
    }
    for (method, _, solution) in solve_all(&program) {
        assert!((solution.delta[0] - DVec3::Z * 2.0).length() < 1e-7, "{method:?}: {}", solution.delta[0]);
    }
}

#[test]
fn a_program_without_rows_is_solved() {
    let mut dice = Dice::new(7);
    agree(&bare(&mut dice, 3), true);
    agree(&bare(&mut dice, 1), true);
}
