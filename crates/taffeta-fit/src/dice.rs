//! Chance.

use fastrand::Rng;

/// A normally distributed number, by the method of Box and Muller.
pub fn normal(dice: &mut Rng) -> f64 {
    let (radius, angle) = (dice.f64().max(f64::MIN_POSITIVE), dice.f64());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_normal() {
        let dice = &mut Rng::with_seed(11);
        let numbers: Vec<f64> = (0..100_000).map(|_| normal(dice)).collect();
        let mean = |power: i32| numbers.iter().map(|x| x.powi(power)).sum::<f64>() / numbers.len() as f64;
        // Moments 0, 1, 0, 3, to five standard errors.
        for (power, moment, spread) in [(1, 0.0, 1.0), (2, 1.0, 1.41), (3, 0.0, 3.87), (4, 3.0, 9.8)] {
            assert!((mean(power) - moment).abs() < 5.0 * spread / 100_000f64.sqrt(), "{power}: {}", mean(power));
        }
    }
}
