//! Exact segments and triangles against linear programming in rational numbers.

use glam::DVec3;
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, Zero};
use proptest::prelude::*;

use crate::collide::exact::{segment_from_corner_meets_triangle, segment_meets_triangle};

type Row = Vec<BigRational>;

/// `row · (x, 1) ≤ 0`, or `< 0` if strict.
#[derive(Clone, Debug)]
struct Inequality {
    row: Row,
    strict: bool,
}

/// Whether some x fulfils equalities `row · (x, 1) = 0` and inequalities: Gauss for the ones, Fourier and Motzkin for the others.
fn feasible(mut equalities: Vec<Row>, mut inequalities: Vec<Inequality>, unknowns: usize) -> bool {
    let minus = |row: &Row, factor: &BigRational, other: &Row| -> Row {
        row.iter().zip(other).map(|(x, y)| x - factor * y).collect()
    };
    while let Some(row) = equalities.pop() {
        let Some(k) = (0..unknowns).find(|&k| !row[k].is_zero()) else {
            if !row[unknowns].is_zero() {
                return false;
            }
            continue;
        };
        let eliminate = |other: &mut Row| *other = minus(other, &(&other[k] / &row[k]), &row);
        equalities.iter_mut().for_each(eliminate);
        inequalities.iter_mut().for_each(|inequality| eliminate(&mut inequality.row));
    }
    for k in 0..unknowns {
        let (bounds, mut kept): (Vec<_>, Vec<_>) = inequalities.into_iter().partition(|i| !i.row[k].is_zero());
        let (above, below): (Vec<_>, Vec<_>) = bounds.into_iter().partition(|i| i.row[k] > BigRational::zero());
        for upper in &above {
            for lower in &below {
                let factor = &lower.row[k] / &upper.row[k];
                let strict = upper.strict || lower.strict;
                kept.push(Inequality { row: minus(&lower.row, &factor, &upper.row), strict });
            }
        }
        inequalities = kept;
    }
    let zero = BigRational::zero();
    inequalities.iter().all(|i| if i.strict { i.row[unknowns] < zero } else { i.row[unknowns] <= zero })
}

/// Whether `p + t (q − p) = a + u (b − a) + v (c − a)` for t in [0, 1] (or ]0, 1]), u, v ≥ 0, u + v ≤ 1.
fn reference([p, q]: [DVec3; 2], [a, b, c]: [DVec3; 3], beyond_start: bool) -> bool {
    let number = |x: f64| BigRational::from_f64(x).expect("finite");
    let equalities = (0..3)
        .map(|k| {
            vec![
                number(q[k]) - number(p[k]),
                number(a[k]) - number(b[k]),
                number(a[k]) - number(c[k]),
                number(p[k]) - number(a[k]),
            ]
        })
        .collect();
    let row = |coefficients: [i32; 4]| -> Row { coefficients.map(|x| BigRational::one() * number(x.into())).to_vec() };
    let inequalities = [
        ([-1, 0, 0, 0], beyond_start),
        ([1, 0, 0, -1], false),
        ([0, -1, 0, 0], false),
        ([0, 0, -1, 0], false),
        ([0, 1, 1, -1], false),
    ];
    let inequalities = inequalities.map(|(coefficients, strict)| Inequality { row: row(coefficients), strict });
    feasible(equalities, inequalities.to_vec(), 3)
}

/// Few places, so that points fall together, on lines and in planes; dyadic, so that they are what they seem.
fn place() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(0i32..4).prop_map(|k| DVec3::from(k.map(|x| f64::from(x) / 4.0 - 0.25)))
}

/// Places that are anything but special, and next to a plane by no more than rounding.
fn skewed() -> impl Strategy<Value = DVec3> {
    (-1.0..1.0f64, -1.0..1.0f64).prop_map(|(x, y)| DVec3::new(x, y, 0.1 * x + 0.7 * y))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn a_segment_meets_a_triangle_as_in_rational_numbers(s in [place(), place()], t in [place(), place(), place()]) {
        prop_assert_eq!(segment_meets_triangle(s, t), reference(s, t, false));
    }

    #[test]
    fn a_segment_meets_a_triangle_it_hardly_leaves_as_in_rational_numbers(s in [skewed(), skewed()], t in [skewed(), skewed(), skewed()]) {
        prop_assert_eq!(segment_meets_triangle(s, t), reference(s, t, false));
    }

    #[test]
    fn a_segment_from_a_corner_goes_over_the_triangle_as_in_rational_numbers(q in place(), t in [place(), place(), place()]) {
        prop_assert_eq!(segment_from_corner_meets_triangle(q, t), reference([t[0], q], t, true));
    }
}

#[test]
fn the_reference_knows_what_everybody_knows() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let through = |x: f64, y: f64| [DVec3::new(x, y, -1.0), DVec3::new(x, y, 1.0)];
    assert!(reference(through(0.25, 0.25), triangle, false));
    assert!(reference(through(0.5, 0.5), triangle, false));
    assert!(!reference(through(0.5, 0.5 + 1e-15), triangle, false));
    assert!(reference([DVec3::ZERO, DVec3::Z], triangle, false));
    assert!(!reference([DVec3::ZERO, DVec3::Z], triangle, true));
}
