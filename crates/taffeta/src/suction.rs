//! Suction cups and needles: grips that take the layer that is nearest to them, and leave what is below.

use glam::DVec3;

use crate::motion::Hand;
use crate::obstacle::Motion;

/// A grip that holds the cloth in front of it by its surface. The z axis of its frame points from the hand to the cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct SuctionCup {
    /// What messages call it.
    pub name: String,
    /// Where its frame is at every time: its origin is the middle of its mouth.
    pub motion: Motion,
    /// How wide its mouth is, m: it takes the nodes that are no farther from its axis.
    pub radius: f64,
    /// How far in front of its mouth it takes cloth, or behind, m.
    pub reach: f64,
    /// The force at which it loses what it holds, N; infinity for a needle, which never does.
    pub holding_force: f64,
    /// How it holds on.
    pub hand: Hand,
    /// When it is on: from when until when, s, in order. It takes what is there when it is switched on.
    pub on: Vec<[f64; 2]>,
}

impl SuctionCup {
    /// A cup of 1 cm radius that holds 5 N, and takes cloth up to 2 mm away, at rest and off.
    pub fn new(name: impl Into<String>, motion: Motion) -> Self {
        Self {
            name: name.into(),
            motion,
            radius: 0.01,
            reach: 2e-3,
            holding_force: 5.0,
            hand: Hand::default(),
            on: Vec::new(),
        }
    }

    /// Which of the times at which it is on holds in a step that ends at `t`, with a millionth of `dt` of slack.
    pub(crate) fn switched_on(&self, t: f64, dt: f64) -> Option<usize> {
        let slack = 1e-6 * dt;
        self.on.iter().position(|&[from, until]| t - dt >= from - slack && t <= until + slack)
    }

    /// What is wrong with it, if anything, and how to fix it.
    pub fn fault(&self) -> Option<String> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let hand = self.hand.share(1.0, 1.0, DVec3::ZERO).fault();
        let faults = [
            (positive(self.radius), "its radius must be positive and finite"),
            (positive(self.reach), "its reach must be positive and finite"),
            (self.holding_force > 0.0, "its holding force must be positive, or infinite"),
            (self.on.iter().flatten().is_sorted_by(|a, b| a < b), "the times at which it is on must be in order"),
            (hand.is_none(), hand.unwrap_or_default()),
        ];
        let own = || faults.iter().find(|(fine, _)| !fine).map(|(_, rule)| (*rule).to_owned());
        let fault = own().or_else(|| self.motion.fault())?;
        Some(format!("suction cup \"{}\": {fault}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obstacle::Pose;

    #[test]
    fn what_is_no_cup_is_refused() {
        let fine = SuctionCup::new("cup", Motion::still(Pose::IDENTITY));
        assert_eq!(fine.fault(), None);
        assert_eq!(SuctionCup { holding_force: f64::INFINITY, ..fine.clone() }.fault(), None);
        for (broken, what) in [
            (SuctionCup { radius: 0.0, ..fine.clone() }, "radius"),
            (SuctionCup { reach: f64::NAN, ..fine.clone() }, "reach"),
            (SuctionCup { holding_force: -1.0, ..fine.clone() }, "force"),
            (SuctionCup { on: vec![[1.0, 0.5]], ..fine.clone() }, "order"),
            (SuctionCup { hand: Hand { stiffness: 0.0, ..Hand::default() }, ..fine }, "stiffness"),
        ] {
            assert!(broken.fault().expect("a fault").contains(what), "{what}");
        }
    }
}
