//! The shapes there are.

use std::sync::Arc;

use glam::DVec3;

use super::{Capsule, Cuboid, Cylinder, EggBox, Implicit, Near, Outline, Plane, Solid, Sphere, Stick, Tip};

/// A shape of any kind.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A half-space.
    Plane(Plane),
    /// A box.
    Cuboid(Cuboid),
    /// A ball.
    Sphere(Sphere),
    /// A cylinder.
    Cylinder(Cylinder),
    /// A cylinder with round ends.
    Capsule(Capsule),
    /// A chain of segments with a radius.
    Stick(Stick),
    /// The paper's field of spikes.
    EggBox(EggBox),
    /// A closed triangle mesh.
    Solid(Solid),
    /// A shape of the caller's.
    Custom(Arc<dyn Implicit>),
}

impl Shape {
    fn body(&self) -> &dyn Implicit {
        match self {
            Shape::Plane(body) => body,
            Shape::Cuboid(body) => body,
            Shape::Sphere(body) => body,
            Shape::Cylinder(body) => body,
            Shape::Capsule(body) => body,
            Shape::Stick(body) => body,
            Shape::EggBox(body) => body,
            Shape::Solid(body) => body,
            Shape::Custom(body) => body.as_ref(),
        }
    }

    /// What is wrong with the sizes, if anything, and how to mend it. Of a custom shape nothing is known, and a solid
    /// was checked when it was made.
    pub(crate) fn fault(&self) -> Option<String> {
        match self {
            Shape::Cuboid(body) => body.fault(),
            Shape::Sphere(body) => body.fault(),
            Shape::Cylinder(body) => body.fault(),
            Shape::Capsule(body) => body.fault(),
            Shape::Stick(body) => body.fault(),
            Shape::EggBox(body) => body.fault(),
            Shape::Plane(_) | Shape::Solid(_) | Shape::Custom(_) => None,
        }
    }
}

impl Implicit for Shape {
    fn near(&self, point: DVec3) -> Near {
        self.body().near(point)
    }

    fn clearance(&self, point: DVec3) -> f64 {
        self.body().clearance(point)
    }

    fn is_flat(&self) -> bool {
        self.body().is_flat()
    }

    fn tips(&self, low: DVec3, high: DVec3, tips: &mut Vec<Tip>) {
        self.body().tips(low, high, tips);
    }

    fn outline(&self, extent: f64) -> Outline {
        self.body().outline(extent)
    }
}

impl From<Plane> for Shape {
    fn from(body: Plane) -> Self {
        Shape::Plane(body)
    }
}

impl From<Cuboid> for Shape {
    fn from(body: Cuboid) -> Self {
        Shape::Cuboid(body)
    }
}

impl From<Sphere> for Shape {
    fn from(body: Sphere) -> Self {
        Shape::Sphere(body)
    }
}

impl From<Cylinder> for Shape {
    fn from(body: Cylinder) -> Self {
        Shape::Cylinder(body)
    }
}

impl From<Capsule> for Shape {
    fn from(body: Capsule) -> Self {
        Shape::Capsule(body)
    }
}

impl From<Stick> for Shape {
    fn from(body: Stick) -> Self {
        Shape::Stick(body)
    }
}

impl From<EggBox> for Shape {
    fn from(body: EggBox) -> Self {
        Shape::EggBox(body)
    }
}

impl From<Solid> for Shape {
    fn from(body: Solid) -> Self {
        Shape::Solid(body)
    }
}

impl From<Arc<dyn Implicit>> for Shape {
    fn from(body: Arc<dyn Implicit>) -> Self {
        Shape::Custom(body)
    }
}
