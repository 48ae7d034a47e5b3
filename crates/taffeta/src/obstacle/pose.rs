//! Where a rigid body is.

use glam::{DQuat, DVec3};

use crate::motion::Interpolate;

/// A rigid placement: from the body's frame to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// How the body is turned; of unit length.
    pub rotation: DQuat,
    /// Where the body's origin is, m.
    pub translation: DVec3,
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Pose {
    /// The body's frame is the world's.
    pub const IDENTITY: Pose = Pose { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// Turned about the body's origin, then moved (m). The rotation is brought to unit length; one that cannot be is
    /// kept as it is, for [`Obstacle::fault`](super::Obstacle::fault) to report.
    pub fn new(rotation: DQuat, translation: DVec3) -> Self {
        let unit = rotation.normalize();
        Self { rotation: if unit.is_finite() { unit } else { rotation }, translation }
    }

    /// Moved (m), not turned.
    pub fn from_translation(translation: DVec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Where a point of the body is in the world, m.
    pub fn to_world(&self, body_point: DVec3) -> DVec3 {
        self.rotation * body_point + self.translation
    }

    /// Which point of the body is at a point of the world, m: the inverse of [`Pose::to_world`].
    pub fn to_local(&self, world_point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (world_point - self.translation)
    }

    /// A direction of the body, in the world.
    pub fn rotate(&self, direction: DVec3) -> DVec3 {
        self.rotation * direction
    }

    /// The pose a fraction `s` of the way to another: turned along the shorter arc, moved straight. Below 0 it is this
    /// one and above 1 the other.
    pub fn between(&self, to: &Pose, s: f64) -> Pose {
        if s <= 0.0 {
            *self
        } else if s >= 1.0 {
            *to
        } else {
            Pose::new(self.rotation.slerp(to.rotation, s), self.translation.lerp(to.translation, s))
        }
    }

    /// This pose followed by another: what `self` places, `outer` places again.
    pub fn then(&self, outer: &Pose) -> Pose {
        Pose::new(outer.rotation * self.rotation, outer.to_world(self.translation))
    }

    /// Whether every number of the pose is finite.
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }

    /// What is wrong with the pose, if anything, and how to fix it.
    pub(crate) fn fault(&self) -> Option<String> {
        if !self.is_finite() {
            return Some("has a number that is not finite: give finite rotations and translations".into());
        }
        // A millionth in the quaternion is a millionth in every distance: a micrometre at a metre.
        let length = self.rotation.length();
        ((length - 1.0).abs() > 1e-6)
            .then(|| format!("has a rotation of length {length}: a quaternion that turns has length 1, normalise it"))
    }
}

impl Interpolate for Pose {
    fn between(&self, to: &Self, s: f64) -> Self {
        Pose::between(self, to, s)
    }
}
