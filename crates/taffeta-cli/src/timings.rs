//! Where the time of steps goes: a clock for the simulator, and shares of its stages.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Instant;

use taffeta::Timings;

/// Seconds since the clock was first asked.
pub fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Seconds of every stage by its name.
pub fn by_name(timings: &Timings) -> BTreeMap<String, f64> {
    timings.iter().map(|(stage, seconds)| (stage.name().to_owned(), seconds)).collect()
}

/// Seconds and shares of all stages, largest first, as a person reads them.
pub fn shares(seconds: &BTreeMap<String, f64>) -> Vec<(&str, String)> {
    let total = f64::max(seconds.values().sum(), f64::MIN_POSITIVE);
    let mut stages: Vec<(&str, f64)> = seconds.iter().map(|(name, &seconds)| (name.as_str(), seconds)).collect();
    stages.sort_by(|a, b| b.1.total_cmp(&a.1));
    stages.into_iter().map(|(name, s)| (name, format!("{s:>9.3} s {:>5.1} %", 100.0 * s / total))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_sum_and_largest_first() {
        let seconds = BTreeMap::from([("solve".to_owned(), 1.0), ("write".to_owned(), 3.0)]);
        let rows = shares(&seconds);
        assert_eq!(rows[0], ("write", "    3.000 s  75.0 %".to_owned()));
        assert_eq!(rows[1], ("solve", "    1.000 s  25.0 %".to_owned()));
        assert!(shares(&by_name(&Timings::default())).iter().all(|(_, text)| text.ends_with("0.0 %")));
    }
}
