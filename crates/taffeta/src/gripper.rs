//! Grippers: a hand with two fingers, whose pads close on the cloth with a force.
//!
//! A gripper is two bodies that are driven, and that one motor closes on each other ([`Jaws`]): what is between the pads is held by friction
//! alone, and slips when it must. The frame of the gripper lies in the middle between its pads. They close along its own y axis, and its z axis
//! points from the hand to the tips.

use glam::{DQuat, DVec3};

use crate::motion::Hand;
use crate::obstacle::{Body, Cuboid, Cylinder, Drive, Dynamics, Inertia, Jaws, Motion, Obstacle, Pose, Servo, Shape};

/// kg. What a finger of a small gripper weighs, with what moves it.
const FINGER: f64 = 0.1;

/// N/m. Stiffness with which the fingers of a gripper close: at 10 N they are driven by less than a millimetre.
const GRIP_STIFFNESS: f64 = 2e4;

/// A closed gripper is driven beyond closed by as many times what its force takes, so that it grips with all of it.
const OVERDRIVE: f64 = 2.0;

/// N m/rad and N m: how a wrist resists turning.
const WRIST_STIFFNESS: f64 = 300.0;
const WRIST_TORQUE: f64 = 10.0;

/// The pads of a gripper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pad {
    /// A rectangle, this wide (along x) and this long (along z), m.
    Rectangle([f64; 2]),
    /// A disc of this radius, m.
    Disc(f64),
}

/// A gripper with two fingers.
#[derive(Clone, Debug, PartialEq)]
pub struct Gripper {
    /// What messages call it.
    pub name: String,
    /// Where its frame is to be at every time.
    pub motion: Motion,
    /// Its pads.
    pub pad: Pad,
    /// How thick a finger is behind its pad, m.
    pub finger: f64,
    /// How far apart the pads are when it is open, m.
    pub opening: f64,
    /// How fast that changes, m/s.
    pub speed: f64,
    /// The grip force at most, N: each pad presses with it.
    pub force: f64,
    /// `μ` of the pads.
    pub friction: f64,
    /// When it is closed: from when until when, s, in order.
    pub closed: Vec<[f64; 2]>,
    /// The arm that carries it.
    pub arm: Hand,
}

impl Gripper {
    /// A gripper with pads of 2 cm × 2 cm that opens by 4 cm at 0.1 m/s and grips with 10 N, at rest.
    pub fn new(name: impl Into<String>, motion: Motion) -> Self {
        Self {
            name: name.into(),
            motion,
            pad: Pad::Rectangle([0.02, 0.02]),
            finger: 8e-3,
            opening: 0.04,
            speed: 0.1,
            force: 10.0,
            friction: 0.8,
            closed: Vec::new(),
            arm: Hand::default(),
        }
    }

    /// How far apart the pads are to be at a time, m: closed, they are driven into each other by what it takes to press with all of the
    /// force.
    pub fn opening_at(&self, time: f64) -> f64 {
        let shut = -OVERDRIVE * self.force / GRIP_STIFFNESS;
        let (mut opening, mut since) = (self.opening, f64::NEG_INFINITY);
        for (at, goal) in self.closed.iter().flat_map(|&[from, until]| [(from, shut), (until, self.opening)]) {
            if at > time {
                break;
            }
            // Until then it went where it was sent before.
            let other = if goal == shut { self.opening } else { shut };
            opening = self.towards(other, opening, at - since);
            since = at;
        }
        let closes = self.closed.iter().any(|&[from, until]| from <= time && time < until);
        self.towards(if closes { shut } else { self.opening }, opening, time - since)
    }

    /// The opening after it went from one to another for some seconds.
    fn towards(&self, goal: f64, opening: f64, seconds: f64) -> f64 {
        let way = self.speed * seconds;
        if way >= (goal - opening).abs() { goal } else { opening + way.copysign(goal - opening) }
    }

    /// Its fingers as they are to be at a time.
    fn poses(&self, time: f64) -> [Pose; 2] {
        let frame = self.motion.at(time);
        let away = 0.5 * (self.opening_at(time) + self.finger);
        let turn = match self.pad {
            Pad::Rectangle(_) => DQuat::IDENTITY,
            Pad::Disc(_) => DQuat::from_rotation_arc(DVec3::Z, DVec3::Y),
        };
        [1.0, -1.0].map(|side| Pose::new(turn, DVec3::Y * (side * away)).then(&frame))
    }

    fn shape(&self) -> Shape {
        match self.pad {
            Pad::Rectangle([width, length]) => Cuboid::new(0.5 * DVec3::new(width, self.finger, length)).into(),
            Pad::Disc(radius) => Cylinder::new(radius, 0.5 * self.finger).into(),
        }
    }

    /// The axis of a finger's own frame along which it closes.
    fn closing_axis(&self) -> usize {
        match self.pad {
            Pad::Rectangle(_) => 1,
            Pad::Disc(_) => 2,
        }
    }

    /// Its two fingers, as bodies of the world; the first is the one towards y. `None` if its sizes are none.
    pub fn fingers(&self) -> Option<[Obstacle; 2]> {
        let shape = self.shape();
        let inertia = Inertia::of(&*shape, FINGER)?;
        // Each finger has half of the arm.
        let [stiffness, damping, limit] = self.carriage().map(|whole| DVec3::splat(0.5 * whole));
        let arm = Drive { stiffness, damping, limit };
        let turned = inertia.moments.x_axis.x.max(inertia.moments.y_axis.y).max(inertia.moments.z_axis.z);
        let wrist = Drive::critical(0.5 * WRIST_STIFFNESS, turned, 0.5 * WRIST_TORQUE);
        let servo = Servo { linear: arm.without(self.closing_axis()), angular: wrist };
        let poses = self.poses(0.0);
        Some([(0, "a"), (1, "b")].map(|(k, suffix)| {
            Obstacle::new(format!("{}.{suffix}", self.name), shape.clone())
                .with_friction(self.friction)
                .at(poses[k])
                .with_dynamics(Dynamics::driven(inertia, servo))
        }))
    }

    /// Where its fingers are to go in a step from one time to another, and how they close on each other.
    pub(crate) fn drive(&self, fingers: [usize; 2], from: f64, to: f64, bodies: &mut [Body]) -> Jaws {
        for ((finger, from), to) in fingers.into_iter().zip(self.poses(from)).zip(self.poses(to)) {
            (bodies[finger].from, bodies[finger].to) = (from, to);
        }
        let damped = |stiffness: f64, mass: f64| 2.0 * (stiffness * mass).sqrt();
        Jaws {
            bodies: fingers,
            axis: self.motion.at(to).rotate(DVec3::Y),
            grip: [GRIP_STIFFNESS, damped(GRIP_STIFFNESS, 0.5 * FINGER), self.force],
            carriage: self.carriage(),
            closest: self.finger,
        }
    }

    /// The arm: stiffness, N/m, damping, N s/m, by default critical for both fingers, and the largest force, N.
    fn carriage(&self) -> [f64; 3] {
        let Hand { stiffness, damping, max_force } = self.arm;
        [stiffness, damping.unwrap_or_else(|| 2.0 * (stiffness * 2.0 * FINGER).sqrt()), max_force]
    }

    /// What is wrong with it, if anything, and how to fix it.
    pub fn fault(&self) -> Option<String> {
        let sizes = match self.pad {
            Pad::Rectangle(sizes) => sizes,
            Pad::Disc(radius) => [radius; 2],
        };
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let ordered = self.closed.iter().flatten().is_sorted_by(|a, b| a < b);
        let damped = self.arm.damping.is_none_or(|damping| damping >= 0.0 && damping.is_finite());
        let arm = self.arm.stiffness > 0.0 && self.arm.stiffness.is_finite() && self.arm.max_force > 0.0 && damped;
        let faults = [
            (sizes.into_iter().all(positive), "its pads must have positive, finite sizes"),
            (positive(self.finger), "its fingers must have a positive, finite thickness"),
            (self.opening >= 0.0 && self.opening.is_finite(), "its opening must be 0 or a positive, finite length"),
            (positive(self.speed), "its speed must be positive and finite"),
            (positive(self.force), "its grip force must be positive and finite"),
            (self.friction >= 0.0 && self.friction.is_finite(), "its friction must be 0 or a positive, finite number"),
            (ordered, "the times at which it is closed and opened must be in order"),
            (arm, "its arm must have a positive, finite stiffness, a damping of 0 or more and a positive force"),
        ];
        let own = || faults.iter().find(|(fine, _)| !fine).map(|(_, rule)| (*rule).to_owned());
        let fault = own().or_else(|| self.motion.fault())?;
        Some(format!("gripper \"{}\": {fault}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_closes_and_opens_at_its_speed() {
        let mut gripper = Gripper::new("left", Motion::still(Pose::IDENTITY));
        gripper.closed = vec![[1.0, 2.0], [2.1, 3.0]];
        let shut = -OVERDRIVE * gripper.force / GRIP_STIFFNESS;
        for (time, opening) in [
            (0.0, 0.04),
            (1.0, 0.04),
            (1.1, 0.03),
            (1.9, shut),
            (2.05, shut + 0.005),
            (2.1, shut + 0.01),
            (2.15, shut + 0.005),
            (2.5, shut),
            (9.0, 0.04),
        ] {
            let found = gripper.opening_at(time);
            assert!((found - opening).abs() < 1e-12, "{time} s: {found} m, not {opening} m");
        }
    }

    #[test]
    fn what_is_no_gripper_is_refused() {
        let fine = Gripper::new("left", Motion::still(Pose::IDENTITY));
        assert_eq!(fine.fault(), None);
        let broken = Gripper { force: 0.0, ..fine.clone() };
        assert!(broken.fault().expect("a fault").contains("force"));
        let broken = Gripper { closed: vec![[2.0, 1.0]], ..fine };
        assert!(broken.fault().expect("a fault").contains("order"));
    }
}
