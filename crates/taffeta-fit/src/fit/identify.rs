//! What is known of the parameters, and what is not.

use nalgebra::DMatrix;

use super::Estimate;
use super::polish::{Bottom, normal_equations};
use super::problem::{Problem, rms};

/// A parameter is not told by the captures if its interval reaches farther than this part of its value, or of its range if it is small.
const LOOSE: f64 = 0.5;
const LOOSE_OF_RANGE: f64 = 0.1;

/// Two parameters that trade off more than this cannot be told apart.
const CORRELATED: f64 = 0.95;

/// m. A parameter that moves the cloth by less over a tenth of its range moves nothing that cameras see.
const UNSEEN: f64 = 1e-5;

/// The estimates, and what must be said of them.
pub fn estimates(problem: &Problem, bottom: &Bottom, moved: &DMatrix<f64>) -> (Vec<Estimate>, Vec<String>) {
    let mut warnings = Vec::new();
    let parameters = problem.parameters();
    let mut estimates: Vec<Estimate> = Vec::new();
    for (k, &parameter) in parameters.iter().enumerate() {
        let ([low, high], value) = (parameter.range(), bottom.values[k]);
        let column: Vec<f64> =
            bottom.slopes.jacobian.column(k).iter().map(|slope| slope * 0.1 * (high - low)).collect();
        let half = half_width(moved.column(k).iter().copied());
        let unseen = rms(&column) < UNSEEN;
        let interval = if unseen { [low, high] } else { [(value - half).max(low), (value + half).min(high)] };
        let loose = half > f64::max(LOOSE * value.abs(), LOOSE_OF_RANGE * (high - low));
        if unseen {
            warnings.push(format!("{} changes nothing that was captured: any value is as good", parameter.name()));
        } else if loose {
            warnings.push(format!(
                "{} is hardly told by what was captured: anything from {:.3} to {:.3} is about as good",
                parameter.name(),
                interval[0],
                interval[1]
            ));
        }
        if value <= low && low > 0.0 || value >= high {
            warnings.push(format!("{} is at the end of its range, {value}: the truth may be beyond", parameter.name()));
        }
        estimates.push(Estimate { parameter, value, interval, identified: !unseen && !loose });
    }
    warnings.extend(trade_offs(problem, bottom));
    (estimates, warnings)
}

/// Half of the interval in which a number is 95 times in a hundred, by replicates of how far it is off.
fn half_width(off: impl Iterator<Item = f64>) -> f64 {
    let mut off: Vec<f64> = off.map(f64::abs).collect();
    off.sort_by(f64::total_cmp);
    let n = off.len();
    if n == 0 {
        return 0.0;
    }
    let by_rank = off[((0.95 * n as f64).ceil() as usize).clamp(1, n) - 1];
    // Few replicates tell their spread better than their ends.
    let by_spread = 1.96 * (off.iter().map(|x| x * x).sum::<f64>() / n as f64).sqrt();
    by_rank.max(by_spread)
}

/// Which parameters can be traded for each other.
fn trade_offs(problem: &Problem, bottom: &Bottom) -> Vec<String> {
    let (normal, _) = normal_equations(&bottom.slopes.jacobian, &bottom.residuals);
    let names = problem.parameters();
    let correlation = |i: usize, j: usize| -normal[(i, j)] / (normal[(i, i)] * normal[(j, j)]).sqrt();
    let pairs = (0..names.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs
        .filter(|&(i, j)| correlation(i, j).abs() > CORRELATED)
        .map(|(i, j)| {
            let way = if correlation(i, j) > 0.0 { "more" } else { "less" };
            format!(
                "{} and {} can hardly be told apart: more of one is as good as {way} of the other",
                names[i].name(),
                names[j].name()
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_as_wide_as_the_spread() {
        // A hundred numbers from −1 to 1, evenly: 95 are within 0.95, and their spread is 1/√3.
        let even = (0..100).map(|k| (f64::from(k) - 49.5) / 49.5);
        assert!((half_width(even) - 1.96 / 3f64.sqrt()).abs() < 0.02);
        // One of twenty is far out.
        let far = (0..20).map(|k| if k == 7 { 10.0 } else { 0.1 });
        assert!(half_width(far) > 4.0);
        assert_eq!(half_width(std::iter::empty()), 0.0);
    }
}
