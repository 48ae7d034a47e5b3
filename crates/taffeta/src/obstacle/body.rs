//! A body as a step meets it: a shape, its friction, and where it goes.

use super::{Dynamics, Pose, Shape};

/// A body of the world during one step.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its shape, in its own frame.
    pub shape: Shape,
    /// `μ`: its coefficient of friction with the cloth.
    pub friction: f64,
    /// Where it is at the start of the step. If it moves by the forces on it: where it is to be then, and where it starts if the state
    /// does not say where it is.
    pub from: Pose,
    /// Where it is at the end of the step; or is to be.
    pub to: Pose,
    /// How it answers to forces; `None` for a body that is where it is to be, whatever force that takes.
    pub dynamics: Option<Dynamics>,
}

impl Body {
    /// What is wrong with the body, if anything, and how to fix it.
    pub fn fault(&self) -> Option<String> {
        if !(self.friction.is_finite() && self.friction >= 0.0) {
            return Some(format!("its friction is {}: give a finite number, 0 or more", self.friction));
        }
        let sound = |pose: &Pose| pose.is_finite() && (pose.rotation.length_squared() - 1.0).abs() < 1e-6;
        if !(sound(&self.from) && sound(&self.to)) {
            return Some("its pose must be finite, with a rotation of length 1".to_owned());
        }
        self.shape.fault().or_else(|| self.dynamics.and_then(|dynamics| dynamics.fault()))
    }
}
