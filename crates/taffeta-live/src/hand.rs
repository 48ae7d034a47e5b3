//! The hand that drags the cloth: it follows a pointer, but no faster than cloth can, and no harder than cloth bears.

use taffeta::DVec3;

/// m/s. A pointer may jump; a hand that did would tear the cloth.
const SPEED: f64 = 3.0;

/// How many times the weight of the cloth, taken at a gravity of 10 m/s², the hand pulls before it yields. Cloth that does not
/// stretch, held elsewhere, would pull back with any force.
const STRENGTH: f64 = 40.0;

/// s. How soon the hand is where the pointer is, if nothing is in the way.
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
    /// Moves the hand for a step of `dt`, s, after one in which it pulled with a force, N, at a cloth of this mass, kg.
    pub fn follow(&mut self, dt: f64, force: DVec3, mass: f64) {
        let wish = (self.pointer - self.at) * (dt / DELAY).min(1.0);
        let most = SPEED * dt;
        let mut move_by = wish.clamp_length_max(most);
        let (pull, strength) = (force.length(), STRENGTH * 10.0 * mass);
        if pull > 0.5 * strength {
            let ahead = force / pull;
            let along = move_by.dot(ahead);
            // From half of its strength on it goes the less ahead, and back from all of it.
            let share = (2.0 - 2.0 * pull / strength).clamp(-1.0, 1.0);
            let allowed = if share < 0.0 { share * 0.5 * most } else { along.max(0.0) * share };
            move_by += ahead * (along.min(allowed) - along);
        }
        self.at += move_by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_follows_and_yields() {
        let mut hand = Hand { node: 0, at: DVec3::ZERO, pointer: DVec3::X };
        hand.follow(0.01, DVec3::ZERO, 0.1);
        assert!((hand.at.x - 0.03).abs() < 1e-12, "no faster than 3 m/s: {}", hand.at);
        for _ in 0..200 {
            hand.follow(0.01, DVec3::ZERO, 0.1);
        }
        assert!(hand.at.distance(hand.pointer) < 1e-6);
        // Pulled back with more than its strength it gives way, whatever the pointer wants.
        hand.pointer = DVec3::X * 2.0;
        let before = hand.at;
        hand.follow(0.01, DVec3::X * 100.0, 0.1);
        assert!(hand.at.x < before.x);
        // It may still go sideways, and where it is pulled.
        hand.pointer = before + DVec3::Y;
        hand.follow(0.01, DVec3::X * 30.0, 0.1);
        assert!(hand.at.y > 0.0);
        hand.pointer = DVec3::ZERO;
        let before = hand.at;
        hand.follow(0.01, DVec3::X * 39.0, 0.1);
        assert!(hand.at.x < before.x);
    }
}
