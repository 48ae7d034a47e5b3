//! The hand that drags the cloth: it follows a pointer, but no faster than cloth can, and pulls no harder than cloth bears.

use taffeta::DVec3;

/// m/s. A pointer may jump; a hand that did would throw the cloth.
const SPEED: f64 = 3.0;

/// How many times the weight of the cloth, taken at a gravity of 10 m/s², the hand pulls at most.
const STRENGTH: f64 = 40.0;

/// s. How soon the hand is where the pointer is.
const DELAY: f64 = 0.03;

/// A node that follows a pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// The node.
    pub node: usize,
    /// Where the hand is, m.
    pub at: DVec3,
    /// Where the pointer is, m.
    pub pointer: DVec3,
}

impl Hand {
    /// Moves the hand for a step of `dt`, s.
    pub fn follow(&mut self, dt: f64) {
        let wish = (self.pointer - self.at) * (dt / DELAY).min(1.0);
        self.at += wish.clamp_length_max(SPEED * dt);
    }

    /// How it holds a cloth of this mass, kg.
    pub fn grip(mass: f64) -> taffeta::Hand {
        taffeta::Hand { max_force: STRENGTH * 10.0 * mass, ..taffeta::Hand::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_follows_no_faster_than_it_may() {
        let mut hand = Hand { node: 0, at: DVec3::ZERO, pointer: DVec3::X };
        hand.follow(0.01);
        assert!((hand.at.x - 0.03).abs() < 1e-12, "no faster than 3 m/s: {}", hand.at);
        for _ in 0..200 {
            hand.follow(0.01);
        }
        assert!(hand.at.distance(hand.pointer) < 1e-6);
    }
}
