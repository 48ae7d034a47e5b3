//! Bodies that answer to forces: what resists their motion, and what drives them.

use glam::{DMat3, DVec3};

use super::{Implicit, Outline};

/// What resists when a body is moved or turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// `m`: mass, kg.
    pub mass: f64,
    /// The centre of mass in the body's frame, m.
    pub centre: DVec3,
    /// `I`: moments of inertia about the centre of mass along the axes of the body's frame, kg m².
    pub moments: DMat3,
}

impl Inertia {
    /// That of a shape filled evenly with this mass, kg; `None` for a shape without bounds.
    pub fn of(shape: &dyn Implicit, mass: f64) -> Option<Self> {
        let mut unit = shape.inertia()?;
        unit.mass *= mass;
        unit.moments *= mass;
        Some(unit)
    }

    /// That of 1 kg spread evenly in a closed surface of triangles, counter-clockwise seen from outside; `None` if it encloses nothing.
    pub fn inside(surface: &Outline) -> Option<Self> {
        // Sums over the tetrahedra between the origin and each triangle.
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for triangle in &surface.triangles {
            let [a, b, c] = triangle.map(|i| surface.positions[i]);
            let six = a.dot(b.cross(c));
            volume += six / 6.0;
            first += (a + b + c) * (six / 24.0);
            // ∫ x xᵀ over a tetrahedron with one corner at the origin.
            let sum = a + b + c;
            let outer = |u: DVec3| DMat3::from_cols(u * u.x, u * u.y, u * u.z);
            second += (outer(a) + outer(b) + outer(c) + outer(sum)) * (six / 120.0);
        }
        if !(volume > 0.0 && volume.is_finite()) {
            return None;
        }
        let centre = first / volume;
        let about_origin = second * (1.0 / volume);
        let about_centre = about_origin - DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z);
        let trace = about_centre.x_axis.x + about_centre.y_axis.y + about_centre.z_axis.z;
        Some(Self { mass: 1.0, centre, moments: DMat3::from_diagonal(DVec3::splat(trace)) - about_centre })
    }

    /// The radius of gyration, m: at this distance from the centre its mass would resist turning as much, on average.
    pub(crate) fn gyration(&self) -> f64 {
        let DMat3 { x_axis, y_axis, z_axis } = self.moments;
        ((x_axis.x + y_axis.y + z_axis.z) / (3.0 * self.mass)).sqrt()
    }

    /// What is wrong with it, and how to fix it.
    fn fault(&self) -> Option<String> {
        let DMat3 { x_axis, y_axis, z_axis } = self.moments;
        let symmetric = (self.moments - self.moments.transpose()).abs_diff_eq(DMat3::ZERO, 1e-9 * x_axis.x.abs());
        let minors = [x_axis.x, x_axis.x * y_axis.y - x_axis.y * y_axis.x, self.moments.determinant()];
        if !(self.mass > 0.0 && self.mass.is_finite()) {
            Some(format!("its mass is {} kg: give a positive, finite mass", self.mass))
        } else if !self.centre.is_finite() {
            Some("its centre of mass is not finite: give a finite one".to_owned())
        } else if !(symmetric && minors.iter().all(|minor| *minor > 0.0 && minor.is_finite()) && z_axis.is_finite()) {
            Some("its moments of inertia are not those of a body: give a symmetric, positive matrix".to_owned())
        } else {
            None
        }
    }
}

/// What drives a body to where it is to be, as the motors of a robot do: springs and dampers along and about the axes of the frame in
/// which it is to be, each no stronger than it is. They act at its centre of mass.
///
/// An axis without stiffness follows the velocity of its target only, and one without damping either is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Servo {
    /// Along the axes: N/m, N s/m and N.
    pub linear: Drive,
    /// About the axes: N m/rad, N m s/rad and N m.
    pub angular: Drive,
}

/// Springs and dampers along or about three axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drive {
    /// `k`.
    pub stiffness: DVec3,
    /// `c`.
    pub damping: DVec3,
    /// The largest force or torque; infinity for none.
    pub limit: DVec3,
}

impl Servo {
    /// One that holds a body of this inertia as a robot's arm does: 1e4 N/m and 300 N m/rad, damped critically, and at most 100 N and
    /// 10 N m.
    pub fn arm(inertia: &Inertia) -> Self {
        let turned = inertia.moments.x_axis.x.max(inertia.moments.y_axis.y).max(inertia.moments.z_axis.z);
        Self { linear: Drive::critical(1e4, inertia.mass, 100.0), angular: Drive::critical(300.0, turned, 10.0) }
    }

    /// What is wrong with it, and how to fix it.
    fn fault(&self) -> Option<String> {
        let fine = |drive: &Drive| {
            let positive = |v: DVec3| v.cmpge(DVec3::ZERO).all();
            positive(drive.stiffness)
                && positive(drive.damping)
                && drive.stiffness.is_finite()
                && drive.damping.is_finite()
                && positive(drive.limit)
        };
        let fault = "its servo has a stiffness, damping or limit that is not 0 or a positive number: give such ones";
        (!(fine(&self.linear) && fine(&self.angular))).then(|| fault.to_owned())
    }
}

impl Drive {
    /// The same along all axes, damped critically for what it moves.
    pub fn critical(stiffness: f64, moved: f64, limit: f64) -> Self {
        let damping = 2.0 * (stiffness * moved).sqrt();
        Self { stiffness: DVec3::splat(stiffness), damping: DVec3::splat(damping), limit: DVec3::splat(limit) }
    }

    /// Nothing along an axis: it is free.
    #[must_use]
    pub fn without(mut self, axis: usize) -> Self {
        (self.stiffness[axis], self.damping[axis]) = (0.0, 0.0);
        self
    }
}

/// Two driven bodies that close on each other, as the fingers of a parallel gripper do: one motor moves both, the one as far as the other.
/// Where they are to be says how far they are to be open, and where the middle between them is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jaws {
    /// Their indices among the bodies of the step. Their own servos leave the axis free.
    pub bodies: [usize; 2],
    /// Unit direction in the world in which the first is opened, and against which the second is.
    pub axis: DVec3,
    /// What closes them, by the distance between the two: stiffness, N/m, damping, N s/m, and the grip force at most, N.
    pub grip: [f64; 3],
    /// What carries the middle between them along the axis, likewise: the arm.
    pub carriage: [f64; 3],
    /// How close their centres of mass come along the axis at most, m: there they touch each other, and they touch each other nowhere else.
    /// Negative infinity for bodies that touch each other as all do.
    pub closest: f64,
}

impl Jaws {
    /// Whether these two bodies touch each other at their stop only.
    pub(crate) fn stop(&self, a: usize, b: usize) -> bool {
        self.closest.is_finite() && (self.bodies == [a, b] || self.bodies == [b, a])
    }

    /// What is wrong with them, and how to fix it.
    pub(crate) fn fault(&self, bodies: &[super::Body]) -> Option<String> {
        let [a, b] = self.bodies;
        let stop = self.closest.is_nan() || self.closest == f64::INFINITY;
        let driven = |k: usize| bodies.get(k).is_some_and(|body| body.dynamics.is_some());
        let drives = self.grip.iter().chain(&self.carriage);
        if a == b || !(driven(a) && driven(b)) {
            Some(format!(
                "bodies {a} and {b} cannot close on each other: give two bodies that move by the forces on them"
            ))
        } else if !self.axis.is_normalized() {
            Some(format!("the axis is {}: give a direction of length 1", self.axis))
        } else if drives.clone().any(|value| value.is_nan() || *value < 0.0) || self.grip[0].is_infinite() {
            Some("a stiffness, damping or force is not 0 or a positive number: give such ones".to_owned())
        } else if stop {
            Some(format!("they come as close as {} m: give a finite length, or negative infinity", self.closest))
        } else {
            None
        }
    }
}

/// A body that moves by the forces on it: gravity, contact, and a servo if it has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dynamics {
    /// What resists.
    pub inertia: Inertia,
    /// What drives it to where its motion says it is; `None` for a free body, whose motion only says where it starts.
    pub servo: Option<Servo>,
    /// The velocity of its centre of mass at the start, m/s.
    pub velocity: DVec3,
    /// Its angular velocity at the start, rad/s, along axes of the world.
    pub angular_velocity: DVec3,
}

impl Dynamics {
    /// A free body that starts at rest.
    pub fn free(inertia: Inertia) -> Self {
        Self { inertia, servo: None, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }

    /// A driven one that starts at rest.
    pub fn driven(inertia: Inertia, servo: Servo) -> Self {
        Self { servo: Some(servo), ..Self::free(inertia) }
    }

    /// What is wrong with it, and how to fix it.
    pub(super) fn fault(&self) -> Option<String> {
        let moves = || {
            (!(self.velocity.is_finite() && self.angular_velocity.is_finite()))
                .then(|| "its velocity at the start is not finite: give a finite one".to_owned())
        };
        self.inertia.fault().or_else(|| self.servo.and_then(|servo| servo.fault())).or_else(moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obstacle::{Capsule, Cuboid, Cylinder, Sphere};

    #[test]
    fn shapes_resist_as_much_as_their_surfaces_say() {
        let shapes: [(&dyn Implicit, f64); 5] = [
            (&Cuboid::new(DVec3::new(0.1, 0.2, 0.3)), 1e-12),
            (&Cuboid { centre: DVec3::new(0.3, -0.1, 0.2), half_extents: DVec3::new(0.1, 0.05, 0.2) }, 1e-12),
            (&Sphere::new(0.2), 0.02),
            (&Cylinder::new(0.1, 0.3), 0.01),
            (&Capsule::new(0.1, 0.2), 0.02),
        ];
        for (shape, tolerance) in shapes {
            let own = shape.inertia().expect("a body with bounds");
            let seen = Inertia::inside(&shape.outline(1.0)).expect("a closed surface");
            assert!(own.centre.distance(seen.centre) < 1e-12, "{own:?}, {seen:?}");
            let scale = own.gyration().powi(2);
            assert!((own.moments - seen.moments).abs_diff_eq(DMat3::ZERO, tolerance * scale), "{own:?}, {seen:?}");
        }
        assert!(Inertia::of(&Cylinder::new(0.1, f64::INFINITY), 1.0).is_none());
    }

    #[test]
    fn a_box_and_a_ball_resist_as_textbooks_say() {
        let inertia = Inertia::of(&Cuboid::new(DVec3::new(0.5, 1.0, 1.5)), 12.0).expect("a box");
        assert!((inertia.moments.x_axis.x - (4.0 + 9.0)).abs() < 1e-12);
        assert!((inertia.moments.z_axis.z - (1.0 + 4.0)).abs() < 1e-12);
        let inertia = Inertia::of(&Sphere::new(0.5), 10.0).expect("a ball");
        assert!((inertia.moments.y_axis.y - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_body_is_refused() {
        let fine = Inertia::of(&Sphere::new(0.5), 10.0).expect("a ball");
        assert_eq!(Dynamics::free(fine).fault(), None);
        for (broken, what) in [
            (Inertia { mass: 0.0, ..fine }, "mass"),
            (Inertia { centre: DVec3::NAN, ..fine }, "centre"),
            (Inertia { moments: DMat3::ZERO, ..fine }, "moments"),
        ] {
            assert!(Dynamics::free(broken).fault().expect("a fault").contains(what));
        }
        let mut servo = Servo::arm(&fine);
        servo.angular.damping.y = -1.0;
        assert!(Dynamics::driven(fine, servo).fault().expect("a fault").contains("servo"));
    }
}
