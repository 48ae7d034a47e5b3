//! Hands that give, as a robot's arm does: stiff, damped, and no stronger than they are.

/// How a hand holds on to its target. All of it is for the hand as a whole: its nodes share it by their areas, so that it does not
/// depend on the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// `k`: stiffness, N/m.
    pub stiffness: f64,
    /// `c`: damping, N s/m; `None` for critical damping of the mass of the whole cloth, `2√(k m)`.
    pub damping: Option<f64>,
    /// `F`: the largest force, N: what asks for more stays behind. Infinity for none.
    pub max_force: f64,
}

impl Default for Hand {
    /// A robot's arm: 1e4 N/m and 100 N.
    fn default() -> Self {
        Self { stiffness: 1e4, damping: None, max_force: 100.0 }
    }
}

impl Hand {
    /// What a node has of the hand that stands for this part of its area; `mass` is that of the cloth, kg, and `from` where the
    /// target is when the step begins, m.
    pub(crate) fn share(&self, part: f64, mass: f64, from: glam::DVec3) -> Spring {
        let damping = self.damping.unwrap_or_else(|| 2.0 * (self.stiffness * mass).sqrt());
        Spring { from, stiffness: part * self.stiffness, damping: part * damping, max_force: part * self.max_force }
    }
}

/// What ties a held node to its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Where the target is when the step begins, m.
    pub from: glam::DVec3,
    /// `k`: stiffness, N/m.
    pub stiffness: f64,
    /// `c`: damping of the node's velocity against that of its target, N s/m.
    pub damping: f64,
    /// `F`: the largest force, N; infinity for none.
    pub max_force: f64,
}

impl Spring {
    /// What is wrong with it, and how to mend it.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        if !(self.stiffness > 0.0 && self.stiffness.is_finite()) {
            Some("its stiffness must be a positive number of N/m")
        } else if !(self.damping >= 0.0 && self.damping.is_finite()) {
            Some("its damping must be 0 or a positive number of N s/m")
        } else if self.max_force.is_nan() || self.max_force <= 0.0 {
            Some("its largest force must be a positive number of N, or infinite")
        } else if !self.from.is_finite() {
            Some("its target must begin at a finite place")
        } else {
            None
        }
    }
}
