//! Sharp points of bodies, and round ones smaller than the mesh, under faces of the cloth.

use glam::{DMat3, DVec3};

use super::edges::LONGER;
use super::{BodySweep, Detector, IterateView, Pressed, Touch};
use crate::collide::{FaceBoxes, Kind, Site, Stencil, TOUCHING};
use crate::obstacle::{Pose, Tip};

/// m. A point without a radius is kept this far from the cloth, so that it has a side to be on.
const SHARP: f64 = 2.5e-4;

/// Speed at which a tip that starts too close to a face leaves it, m/s: slow enough not to throw the cloth.
const RECOVERY: f64 = 0.05;

/// m. How close a face must come, beyond its own motion, to be watched.
const REACH: f64 = 2e-3;

/// Of the size of a cell: how far nodes may go before the boxes of the faces are fitted again. From the second iterate of a step on they
/// hardly move.
const MARGIN: f64 = 0.05;

impl Detector {
    /// Finds the faces near tips.
    pub(super) fn detect_tips(&mut self, view: &IterateView, touches: &mut Vec<Touch>) {
        let Self { sweeps, nearest, farthest, half_thickness, tips, faces, faces_fit, pressed, .. } = self;
        let IterateView { cloth, inputs, start, phi, .. } = *view;
        let (low, high) = bounds(start, phi);
        let mut fitted = false;
        let margin = MARGIN * cloth.cell_size();
        for (b, (body, sweep)) in inputs.bodies.iter().zip(&*sweeps).enumerate() {
            let far = farthest[b] + LONGER * cloth.longest_edge();
            if nearest[b] > far + *half_thickness + SHARP + REACH {
                continue;
            }
            tips.clear();
            let (body_low, body_high) = seen_from(&sweep.from, low, high);
            body.shape.tips(body_low - far, body_high + far, tips);
            let first = touches.len();
            for tip in tips.drain(..).filter(|tip| tip.roundness < cloth.cell_size()) {
                let least = f64::max(tip.radius + *half_thickness, SHARP);
                let near = NearTip { view, sweep, obstacle: b, friction: body.friction, tip, least, pressed };
                let (from, to) = near.places();
                let room = least + REACH;
                if !((from.min(to) - room).cmple(high) & (from.max(to) + room).cmpge(low)).all() {
                    continue;
                }
                let faces = faces.get_or_insert_with(|| FaceBoxes::new(cloth.surface(), cloth.mesh().positions()));
                if !std::mem::replace(&mut fitted, true) && !are_near(faces_fit, phi, margin) {
                    faces.refit(start, phi, margin);
                    faces_fit.clear();
                    faces_fit.extend_from_slice(phi);
                }
                faces.near(from, to, room, |face| {
                    let face = cloth.surface().triangles()[face as usize].map(|i| i as usize);
                    touches.extend(near.touch(face));
                });
            }
            touches[first..].sort_unstable_by_key(|touch| touch.site);
        }
    }
}

/// Whether all nodes are within `margin` of these places, m.
fn are_near(places: &[DVec3], phi: &[DVec3], margin: f64) -> bool {
    let near = |(place, x): (&DVec3, &DVec3)| place.distance_squared(*x) <= margin * margin;
    places.len() == phi.len() && places.iter().zip(phi).all(near)
}

/// A tip that is near the cloth.
struct NearTip<'a> {
    view: &'a IterateView<'a>,
    sweep: &'a BodySweep,
    obstacle: usize,
    friction: f64,
    tip: Tip,
    /// How far it is kept from the cloth, m.
    least: f64,
    pressed: &'a Pressed,
}

impl NearTip<'_> {
    /// Where it is at the start of the part and at its end, m.
    fn places(&self) -> (DVec3, DVec3) {
        (self.sweep.from.to_world(self.tip.place), self.sweep.to.to_world(self.tip.place))
    }

    /// How a face meets it, if the two are near.
    fn touch(&self, face: [usize; 3]) -> Option<Touch> {
        let IterateView { start, phi, dynamics, .. } = *self.view;
        let (tip_from, tip_to) = self.places();
        let corners = |x: &[DVec3], tip: DVec3| [tip, x[face[0]], x[face[1]], x[face[2]]];
        let (from, to) = (corners(start, tip_from), corners(phi, tip_to));
        let travel = Kind::NodeFace.travel(&from, &to);
        let distance = Kind::NodeFace.distance(&from);
        if distance > travel + self.least + REACH {
            return None;
        }
        let approach = Kind::NodeFace.approach(&from, &to, distance, travel);
        if approach.gap > self.least + REACH {
            return None;
        }
        let weights: [f64; 3] = std::array::from_fn(|k| -approach.weights[k + 1]);
        let stencil = Stencil::new(&face, &weights);
        let mass = self.view.mass(&stencil)?;
        // A tip that touches at the start is told by its body on which side the cloth is.
        let outward = self.sweep.from.rotate(self.tip.outward);
        let inside = distance <= TOUCHING && approach.normal.dot(outward) > 0.0;
        let normal = if inside { approach.normal } else { -approach.normal };
        let moved = (stencil.sum(phi) - tip_to) - (stencil.sum(start) - tip_from);
        let gap = if inside { -approach.gap } else { approach.gap } - self.least;
        let pressed = self.pressed.on_bodies(&stencil);
        let beside = self.pressed.of_bodies_on(&stencil);
        let ease = self.pressed.ease(beside, dynamics.gap_tolerance);
        // What it is kept away beyond the thickness gives as the cloth does, to nothing.
        let sharp = self.least - self.tip.radius - self.view.layer_on_body();
        let gives = sharp / (1.0 - self.view.params.material.solid_fraction);
        let allowed = f64::min(distance + pressed + RECOVERY * dynamics.dt - self.least, 0.0);
        let area = self.view.area(&stencil);
        Some(Touch {
            site: Site::Tip { obstacle: self.obstacle, tip: self.tip.name, face },
            stencil,
            place: stencil.sum(phi),
            gap,
            slack: gap - allowed + ease,
            allowed,
            normal,
            slip: moved.reject_from_normalized(normal),
            mass,
            centre_distance: if inside { 0.0 } else { approach.gap },
            layer: self.view.layer_on_body() + gives,
            beside,
            area,
            coefficient: self.friction,
            most_friction: self.view.most_friction(self.friction, area),
        })
    }
}

/// The box around all places of a motion.
fn bounds(start: &[DVec3], phi: &[DVec3]) -> (DVec3, DVec3) {
    let all = || start.iter().chain(phi).copied();
    (all().fold(DVec3::INFINITY, DVec3::min), all().fold(DVec3::NEG_INFINITY, DVec3::max))
}

/// The box around a box, seen from a body.
fn seen_from(pose: &Pose, low: DVec3, high: DVec3) -> (DVec3, DVec3) {
    let half = 0.5 * (high - low);
    let turned = DMat3::from_quat(pose.rotation.inverse());
    let reach = turned.x_axis.abs() * half.x + turned.y_axis.abs() * half.y + turned.z_axis.abs() * half.z;
    let centre = pose.to_local(0.5 * (low + high));
    (centre - reach, centre + reach)
}
