//! Sharp points of bodies, and round ones smaller than the mesh, under faces of the cloth.

use glam::DVec3;

use super::Contacts;
use super::detect::{Found, Sight, at};
use super::edges::LONGER;
use crate::collide::{Kind, Site, Stencil};
use crate::obstacle::{Implicit, Tip};

/// m. A point without a radius is kept this far from the cloth, so that it has a side to be on.
const SHARP: f64 = 2.5e-4;

/// m. How close a face must come, beyond its own motion, to be watched.
const REACH: f64 = 2e-3;

impl Contacts {
    /// Finds the faces near tips.
    pub(super) fn detect_tips(&mut self, sight: &Sight) {
        let Self { touches, before, stages, nearest, half_thickness, tips, .. } = self;
        let Sight { cloth, inputs, start, phi, dynamics, .. } = *sight;
        let (low, high) = bounds(start, phi);
        for (b, (body, stage)) in inputs.bodies.iter().zip(&*stages).enumerate() {
            let far = stage.farthest_travel(start, phi) + LONGER * cloth.longest_edge();
            if nearest[b] > far + *half_thickness + SHARP + REACH {
                continue;
            }
            tips.clear();
            let (centre, radius) = (0.5 * (low + high), 0.5 * low.distance(high));
            body.shape.tips(stage.from.body(centre), radius, tips);
            let first = touches.len();
            // What is rounder than the mesh its nodes and the centres of its elements feel.
            for Tip { name, place, radius, outward } in tips.drain(..).filter(|tip| tip.radius < cloth.cell_size()) {
                let (tip_from, tip_to) = (stage.from.place(place), stage.to.place(place));
                let least = f64::max(radius + *half_thickness, SHARP);
                let room = DVec3::splat(least + REACH);
                let passes = (tip_from.min(tip_to) - room).cmple(high) & (tip_from.max(tip_to) + room).cmpge(low);
                if !passes.all() {
                    continue;
                }
                for face in cloth.surface().triangles() {
                    let face = face.map(|i| i as usize);
                    let corners = |x: &[DVec3], tip: DVec3| [tip, x[face[0]], x[face[1]], x[face[2]]];
                    let (from, to) = (corners(start, tip_from), corners(phi, tip_to));
                    let travel = Kind::NodeFace.travel(&from, &to);
                    let size = from[1].distance(from[2]).max(from[1].distance(from[3]));
                    if from[0].distance(from[1]) > size + travel + least + REACH {
                        continue;
                    }
                    let distance = Kind::NodeFace.distance(&from);
                    if distance > travel + least + REACH {
                        continue;
                    }
                    let approach = Kind::NodeFace.approach(&from, &to, distance, travel);
                    if approach.gap > least + REACH {
                        continue;
                    }
                    let weights: [f64; 3] = std::array::from_fn(|k| -approach.weights[k + 1]);
                    let stencil = Stencil::new(&face, &weights);
                    let Some(mass) = sight.mass(&stencil) else { continue };
                    // A tip that touches at the start is told by its body on which side the cloth is.
                    let outward = stage.from.turn(outward);
                    let inside = distance == 0.0 && approach.normal.dot(outward) > 0.0;
                    let normal = if inside { approach.normal } else { -approach.normal };
                    let site = Site::Tip { obstacle: b, tip: name, face };
                    let moved = (stencil.sum(phi) - tip_to) - (stencil.sum(start) - tip_from);
                    let gap = approach.gap - least;
                    let allowed = f64::min(distance + 0.05 * dynamics.dt - least, 0.0);
                    let found = Found {
                        site,
                        stencil,
                        place: stencil.sum(phi),
                        gap,
                        slack: gap - allowed,
                        allowed,
                        normal,
                        slip: moved.reject_from_normalized(normal),
                        mass,
                        coefficient: body.friction,
                    };
                    touches.push(found.felt_as(at(before, site)));
                }
            }
            touches[first..].sort_by_key(|touch| touch.site);
        }
    }
}

/// The box around all places of a motion.
fn bounds(start: &[DVec3], phi: &[DVec3]) -> (DVec3, DVec3) {
    let all = || start.iter().chain(phi).copied();
    (all().fold(DVec3::INFINITY, DVec3::min), all().fold(DVec3::NEG_INFINITY, DVec3::max))
}
