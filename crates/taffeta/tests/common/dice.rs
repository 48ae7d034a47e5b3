//! Random numbers from a seed, the same on every machine.

use taffeta::DVec3;

/// Numbers from a seed: splitmix64.
pub struct Dice(u64);

impl Dice {
    /// Other numbers for every seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xD134_2543_DE82_EF95))
    }

    /// Between −1 and 1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + 0.5 * (self.number() + 1.0) * (high - low)
    }

    /// Between two positive numbers, as often from 1 to 2 as from 2 to 4.
    pub fn between_powers(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// Every coordinate between −1 and 1.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    /// True in this share of all cases.
    pub fn chance(&mut self, share: f64) -> bool {
        self.number() < 2.0 * share - 1.0
    }

    /// Below `count`.
    pub fn index(&mut self, count: usize) -> usize {
        ((0.5 * (self.number() + 1.0) * count as f64) as usize).min(count - 1)
    }
}
