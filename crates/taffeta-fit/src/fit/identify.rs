//! What is known of the parameters, and what is not.

use nalgebra::{DMatrix, DVector};

use super::Estimate;
use super::bootstrap::Replicates;
use super::polish::{Bottom, normal_equations};
use super::problem::{Problem, rms};
use crate::parameter::Parameter;

/// Of the way from one end of the range to the other, as a search sees it: a parameter whose interval is wider is not told.
const LOOSE: f64 = 0.3;

/// Two parameters that trade off more than this cannot be told apart.
const CORRELATED: f64 = 0.95;

/// m. A parameter that moves the cloth by less over a tenth of its range moves nothing that cameras see.
const UNSEEN: f64 = 1e-5;

/// The estimates, and what must be said of them.
pub fn estimates(problem: &Problem, bottom: &Bottom, moved: &Replicates) -> (Vec<Estimate>, Vec<String>) {
    let (mut estimates, mut warnings) = (Vec::new(), Vec::new());
    for (k, &parameter) in problem.parameters().iter().enumerate() {
        let ([low, high], value) = (parameter.range(), bottom.values[k]);
        let felt = bottom.slopes.jacobian.column(k) * (0.1 * (high - low));
        let unseen = rms(felt.as_slice()) < UNSEEN;
        let interval = match half_width(moved.off.column(k).iter().copied()) {
            Some(half) if !unseen => [(value - half).max(low), (value + half).min(high)],
            _ => [low, high],
        };
        let name = parameter.name();
        if unseen {
            warnings.push(format!("{name} changes nothing that was captured: any value is as good"));
        } else if is_loose(parameter, interval) && moved.off.nrows() > 0 {
            let [from, to] = interval.map(brief);
            warnings.push(format!(
                "{name} is hardly told by what was captured: anything from {from} to {to} is about as good"
            ));
        }
        if value <= low && low > 0.0 || value >= high {
            warnings.push(format!("{name} is at the end of its range, {value}: the truth may be beyond"));
        }
        estimates.push(Estimate { parameter, value, interval, identified: !unseen && !is_loose(parameter, interval) });
    }
    warnings.extend(trade_offs(problem, bottom));
    if moved.off.nrows() == 0 {
        warnings.push("nothing was drawn again, so the intervals are those of the search".to_owned());
    } else if moved.failed > 0 {
        let (failed, all) = (moved.failed, moved.off.nrows());
        warnings.push(format!("{failed} of {all} replicates could not be simulated: the intervals may be too narrow"));
    }
    (estimates, warnings)
}

/// Whether an interval is so wide that the parameter is as good as unknown.
fn is_loose(parameter: Parameter, [from, to]: [f64; 2]) -> bool {
    parameter.place(to) - parameter.place(from) > LOOSE
}

/// Three digits.
fn brief(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-2 { format!("{value:.2e}") } else { format!("{value:.3}") }
}

/// Half of the interval in which a number is 95 times in a hundred, by replicates of how far it is off; `None` of none.
fn half_width(off: impl Iterator<Item = f64>) -> Option<f64> {
    let mut off: Vec<f64> = off.map(f64::abs).collect();
    off.sort_by(f64::total_cmp);
    let n = off.len();
    let by_rank = *off.get((0.95 * n as f64).ceil() as usize - usize::from(n > 0))?;
    // Few replicates tell their spread better than their ends.
    let by_spread = 1.96 * (off.iter().map(|x| x * x).sum::<f64>() / n as f64).sqrt();
    Some(by_rank.max(by_spread))
}

/// Which parameters can be traded for each other.
fn trade_offs(problem: &Problem, bottom: &Bottom) -> Vec<String> {
    let (normal, _) = normal_equations(&bottom.slopes.jacobian, &bottom.residuals);
    let correlations = correlations(&normal);
    let names = problem.parameters();
    let pairs = (0..names.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs
        .filter(|&pair| correlations[pair].abs() > CORRELATED)
        .map(|(i, j)| {
            let way = if correlations[(i, j)] > 0.0 { "more" } else { "less" };
            let [one, other] = [i, j].map(|k| names[k].name());
            format!("{one} and {other} can hardly be told apart: more of one is made up for by {way} of the other")
        })
        .collect()
}

/// How the errors of estimates go together, whose covariance is the inverse of this matrix; 0 for what it does not know.
fn correlations(normal: &DMatrix<f64>) -> DMatrix<f64> {
    let count = normal.nrows();
    // Scaled, because parameters have units.
    let scale = DVector::from_fn(count, |i, _| if normal[(i, i)] > 0.0 { 1.0 / normal[(i, i)].sqrt() } else { 0.0 });
    let scaled = DMatrix::from_fn(count, count, |i, j| normal[(i, j)] * scale[i] * scale[j]);
    let inverse = scaled.pseudo_inverse(1e-12).unwrap_or_else(|_| DMatrix::zeros(count, count));
    DMatrix::from_fn(count, count, |i, j| {
        let both = (inverse[(i, i)] * inverse[(j, j)]).sqrt();
        if both > 0.0 { inverse[(i, j)] / both } else { 0.0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_as_wide_as_the_spread() {
        // A hundred numbers from −1 to 1, evenly: 95 are within 0.95, and their spread is 1/√3.
        let even = (0..100).map(|k| (f64::from(k) - 49.5) / 49.5);
        assert!((half_width(even).unwrap() - 1.96 / 3f64.sqrt()).abs() < 0.02);
        // One of twenty is far out.
        let far = (0..20).map(|k| if k == 7 { 10.0 } else { 0.1 });
        assert!(half_width(far).unwrap() > 4.0);
        assert_eq!(half_width(std::iter::empty()), None);
        assert!(half_width(std::iter::once(0.5)).unwrap() >= 0.5);
    }

    #[test]
    fn parameters_that_do_alike_make_up_for_each_other_by_less() {
        // Two columns that point nearly the same way, and one across.
        let jacobian = DMatrix::from_row_slice(3, 3, &[1.0, 2.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 5.0]);
        let found = correlations(&(jacobian.transpose() * &jacobian));
        assert!(found[(0, 1)] < -0.99 && found[(0, 2)].abs() < 1e-9, "{found}");
        let flat = correlations(&DMatrix::zeros(2, 2));
        assert!(flat.iter().all(|entry| *entry == 0.0));
    }

    #[test]
    fn wide_is_judged_as_a_search_sees_it() {
        assert!(!is_loose(Parameter::Mu, [0.0, 0.02]) && !is_loose(Parameter::Alpha, [2.8, 3.2]));
        assert!(is_loose(Parameter::Alpha, [0.0, 2.5]) && is_loose(Parameter::Kappa, [0.0, 1e-3]));
    }
}
