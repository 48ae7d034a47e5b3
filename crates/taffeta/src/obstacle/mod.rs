//! The world: bodies that the cloth cannot enter, and how they move.
//!
//! A shape is a signed distance in a frame of its own; an [`Obstacle`] is a shape that moves and rubs. A shape that is
//! not here is written by implementing [`Implicit`]; it is put into the world like the others.
//!
//! ```
//! use taffeta::DVec3;
//! use taffeta::obstacle::{Obstacle, Pose, Sphere};
//!
//! let ball = Obstacle::new("ball", Sphere::new(0.1)).at(Pose::from_translation(DVec3::new(0.0, 0.0, 1.0)));
//! let pose = ball.motion.at(0.0);
//! let near = ball.shape.near(pose.to_local(DVec3::new(0.0, 0.3, 1.0)));
//! assert!((near.gap - 0.2).abs() < 1e-12);
//! assert_eq!(pose.rotate(near.normal), DVec3::Y);
//! ```

mod body;
mod capsule;
mod cuboid;
mod cylinder;
mod dynamics;
mod egg_box;
mod motion;
mod outline;
mod plane;
mod pose;
mod shape;
mod solid;
mod sphere;
mod stick;

#[cfg(test)]
mod tests;

use glam::DVec3;

pub use body::Body;
pub use capsule::Capsule;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use dynamics::{Drive, Dynamics, Inertia, Jaws, Servo};
pub use egg_box::EggBox;
pub use glam::DQuat;
pub use motion::{Motion, Travel};
pub use outline::Outline;
pub use plane::Plane;
pub use pose::Pose;
pub use shape::Shape;
pub use solid::{Solid, SolidError};
pub use sphere::Sphere;
pub use stick::Stick;

/// Where a point is relative to a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Signed distance to the surface, m, positive outside.
    pub gap: f64,
    /// Unit outward normal at the nearest point of the surface.
    pub normal: DVec3,
}

/// A body the cloth cannot enter, in its own frame.
pub trait Implicit: std::fmt::Debug + Send + Sync {
    /// Where a point (m) is relative to the surface. Finite for finite points; the normal has unit length everywhere,
    /// also where several points of the surface are nearest: there it is that of one of them, always the same.
    fn near(&self, point: DVec3) -> Near;

    /// A lower bound of the distance from an outside point to the body, m: at most the true distance, changing by at
    /// most a metre per metre, negative or zero inside. It is what fast motion is followed with.
    fn clearance(&self, point: DVec3) -> f64 {
        self.near(point).gap
    }

    /// Whether every normal is the same: a half-space.
    fn is_flat(&self) -> bool {
        false
    }

    /// Points of the body that a face of the cloth could miss between its nodes: corners, spikes, small balls. Adds those
    /// that may be within a box from `low` to `high`, m, in the body's frame, to the list.
    fn tips(&self, low: DVec3, high: DVec3, tips: &mut Vec<Tip>) {
        let _ = (low, high, tips);
    }

    /// Lines inside the body that show whether it went through the cloth: an edge or a face of the cloth that the body goes through
    /// between its nodes goes through one of them, and what rests on it does not touch them. The axis of a rod, the rim of the middle of a
    /// plate. Adds them to the list; those beyond `reach` of its frame's origin, m, may be left out.
    fn spines(&self, reach: f64, spines: &mut Vec<Spine>) {
        let _ = (reach, spines);
    }

    /// How far a point of the body is from its frame's origin at most, m; infinite for one without bounds.
    fn reach(&self) -> f64 {
        f64::INFINITY
    }

    /// What resists when it is moved, if it is filled evenly with 1 kg; `None` for a body without bounds.
    fn inertia(&self) -> Option<Inertia> {
        Inertia::inside(&self.outline(0.0))
    }

    /// What is wrong with the sizes of the body, if anything, and how to fix it; a step refuses such a body.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Triangles of the surface for pictures, in the body's frame. Of a body without bounds it is what has coordinates
    /// of at most `extent`, m, in the directions in which it goes on.
    fn outline(&self, extent: f64) -> Outline {
        let _ = extent;
        Outline::default()
    }
}

/// A sharp point of a body, or a round one that is small.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tip {
    /// What tells it from the other tips of the body.
    pub name: usize,
    /// Where it is in the body's frame, m.
    pub place: DVec3,
    /// Radius of the ball about it that is in the body, m: 0 for a corner.
    pub radius: f64,
    /// How round the body is there, m: 0 for a corner, the radius for a ball. Cloth with smaller cells feels it at its nodes and
    /// edges, and needs no telling.
    pub roundness: f64,
    /// A direction that leads out of the body there.
    pub outward: DVec3,
}

/// A line inside a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spine {
    /// Its ends in the body's frame, m; the same for a point.
    pub ends: [DVec3; 2],
    /// How far it is from the surface of the body at least, m.
    pub depth: f64,
}

/// A body in the world.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// What messages call it.
    pub name: String,
    /// Its shape, in its own frame.
    pub shape: Shape,
    /// Where it is at every time; where it starts, if it is free, and where it is to be, if it is driven.
    pub motion: Motion,
    /// How it answers to forces; `None` for a body that is where its motion says, whatever force that takes.
    pub dynamics: Option<Dynamics>,
    /// `μ`: Coulomb's coefficient of friction between the body and the cloth.
    pub friction: f64,
}

impl Obstacle {
    /// A body at rest, its frame that of the world, with a friction of 0.3: woven fabric on something hard and smooth.
    pub fn new(name: impl Into<String>, shape: impl Into<Shape>) -> Self {
        Self {
            name: name.into(),
            shape: shape.into(),
            motion: Motion::still(Pose::IDENTITY),
            dynamics: None,
            friction: 0.3,
        }
    }

    /// With another coefficient of friction.
    pub fn with_friction(self, friction: f64) -> Self {
        Self { friction, ..self }
    }

    /// Free, or driven: it moves by the forces on it.
    pub fn with_dynamics(self, dynamics: Dynamics) -> Self {
        Self { dynamics: Some(dynamics), ..self }
    }

    /// Free, and filled evenly with this mass, kg.
    ///
    /// # Panics
    ///
    /// If its shape has no bounds.
    pub fn free(self, mass: f64) -> Self {
        let inertia = Inertia::of(&*self.shape, mass).expect("a shape with bounds");
        self.with_dynamics(Dynamics::free(inertia))
    }

    /// With another motion, its start included.
    pub fn with_motion(self, motion: Motion) -> Self {
        Self { motion, ..self }
    }

    /// With another [`Motion::start`]; keyframes do not heed it.
    pub fn at(self, start: Pose) -> Self {
        Self { motion: Motion { start, ..self.motion }, ..self }
    }

    /// The body in a step that goes from one time to another, s.
    pub fn during(&self, from: f64, to: f64) -> Body {
        Body {
            shape: self.shape.clone(),
            friction: self.friction,
            from: self.motion.at(from),
            to: self.motion.at(to),
            dynamics: self.dynamics,
        }
    }

    /// What is wrong with the obstacle, if anything, and how to fix it.
    pub fn fault(&self) -> Option<String> {
        let friction = || {
            (!(self.friction >= 0.0 && self.friction.is_finite()))
                .then(|| format!("its friction is {}: give a finite number, 0 or more", self.friction))
        };
        let dynamics = || self.dynamics.and_then(|dynamics| dynamics.fault());
        let fault = self.shape.fault().or_else(friction).or_else(|| self.motion.fault()).or_else(dynamics)?;
        Some(format!("obstacle \"{}\": {fault}", self.name))
    }
}

/// Length and direction of a vector. Unlike the square root of a sum of squares this is finite for all finite vectors
/// and exact for the shortest; the direction of the zero vector is the one given.
fn polar(vector: DVec3, otherwise: DVec3) -> (f64, DVec3) {
    let largest = vector.abs().max_element();
    if largest == 0.0 {
        return (0.0, otherwise);
    }
    let scaled = vector / largest;
    let length = scaled.length();
    ((largest * length).min(f64::MAX), scaled / length)
}

/// What is wrong with a size, which must be positive and finite.
fn length_fault(what: &str, length: f64) -> Option<String> {
    (!(length > 0.0 && length.is_finite())).then(|| format!("its {what} is {length} m: give a positive, finite length"))
}
