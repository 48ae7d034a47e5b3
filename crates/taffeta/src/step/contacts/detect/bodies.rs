//! Bodies that move by the forces on them, on the world and on each other: points of one on the surface of the other.

use glam::DVec3;

use super::super::carriers::{Carrier, Carriers};
use super::{Detector, EDGE, InOrder, IterateView, RECOVERY, Touch, makes_sense, turned};
use crate::collide::{Site, Stencil, meet};
use crate::obstacle::Tip;

/// m. How close a point of a body must come to another body, beyond its own motion, to be watched.
const REACH: f64 = 2e-3;

/// In cells: nodes that are this close to a body get room in the matrix for touching it.
const ROOM: f64 = 1.0;

impl Detector {
    /// Finds the points of bodies near other bodies, if one of the two moves by the forces on it.
    pub(super) fn detect_bodies(&mut self, view: &IterateView, before: &[Touch], touches: &mut Vec<Touch>) {
        if view.bodies.is_empty() {
            return;
        }
        let count = view.inputs.bodies.len();
        let mut before_in_order = InOrder::new(before);
        let mut tips = std::mem::take(&mut self.tips);
        for (obstacle, body) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
            let free = [obstacle, body].map(|k| view.bodies.carrier(k));
            let jaws = view.inputs.jaws.iter().any(|jaws| jaws.stop(obstacle, body));
            if obstacle == body || jaws || free.iter().all(Option::is_none) {
                continue;
            }
            tips.clear();
            self.tips_near(obstacle, body, view, &mut tips);
            // In ascending order, as sites are.
            tips.sort_unstable_by_key(|tip| tip.name);
            for tip in &tips {
                let site = Site::Bodies { obstacle, body, tip: tip.name };
                let old = before_in_order.at(site).map(|k| &before[k]);
                touches.extend(self.body_touch(site, tip, free, old, view));
            }
        }
        self.tips = tips;
    }

    /// The points of `body` that may be near `obstacle`.
    fn tips_near(&self, obstacle: usize, body: usize, view: &IterateView, tips: &mut Vec<Tip>) {
        let [on, of] = [obstacle, body].map(|k| &view.inputs.bodies[k].shape);
        // Seen from the one of the two that ends: all of a body that does, or what of another one is near such.
        let (centre, reach) = if of.reach().is_finite() {
            (DVec3::ZERO, of.reach())
        } else {
            (self.sweeps[body].to.to_local(self.sweeps[obstacle].to.translation), on.reach())
        };
        if reach.is_finite() {
            let room = DVec3::splat(reach + REACH);
            of.tips(centre - room, centre + room, tips);
        }
    }

    /// How a point of a body meets another one, if the two are near.
    fn body_touch(
        &mut self,
        site: Site,
        tip: &Tip,
        free: [Option<Carrier>; 2],
        old: Option<&Touch>,
        view: &IterateView,
    ) -> Option<Touch> {
        let [obstacle, body] = [site.obstacle()?, site.body()?];
        let [on, of] = [obstacle, body].map(|k| self.sweeps[k]);
        let shape = &view.inputs.bodies[obstacle].shape;
        let [from, to] = [on.from.to_local(of.from.to_world(tip.place)), on.to.to_local(of.to.to_world(tip.place))];
        let met = meet(&**shape, [from, to], shape.clearance(from), tip.radius + REACH, || shape.near(to))?;
        if !makes_sense(&met.surface) {
            self.invalid_shape.get_or_insert(obstacle);
            return None;
        }
        let centre = of.to.to_world(tip.place);
        let mut normal = on.to.rotate(met.surface.normal);
        if let Some(old) = old {
            normal = turned(old.normal, normal, old.place.distance(centre - normal * tip.radius) / EDGE);
        }
        let place = centre - normal * tip.radius;
        let gap = met.surface.gap - tip.radius;
        let started = shape.near(from).gap - tip.radius;
        let deep = started < -view.dynamics.gap_tolerance;
        let allowed = if deep { (started + RECOVERY * view.dynamics.dt).min(0.0) } else { 0.0 };
        // Seen from the surface, the material point goes from where the step found it.
        let material = of.to.to_local(place);
        let start = on.from.to_local(of.from.to_world(material));
        let slip = (place - on.to.to_world(start)).reject_from_normalized(normal);
        let mass = free.into_iter().flatten().map(|carrier| carrier.mass).fold(f64::INFINITY, f64::min);
        let friction = [obstacle, body].map(|k| view.inputs.bodies[k].friction);
        Some(Touch {
            site,
            stencil: Stencil::new(&[], &[]),
            place,
            gap: f64::min(met.gap - tip.radius, gap),
            slack: gap - allowed,
            allowed,
            normal,
            slip,
            mass,
            centre_distance: 0.0,
            layer: 0.0,
            area: 1.0,
            beside: 0.0,
            coefficient: (friction[0] * friction[1]).sqrt(),
            most_friction: f64::INFINITY,
        })
    }

    /// Tells of the nodes, of so many, that are near bodies with unknowns.
    pub(super) fn near_carriers(&self, nodes: usize, carriers: &Carriers, mut tell: impl FnMut(usize, Carrier)) {
        for b in 0..self.sweeps.len() {
            let Some(carrier) = carriers.at(b) else { continue };
            let points = self.clearance.len() / self.sweeps.len();
            let (clearance, travel) =
                (&self.clearance[b * points..][..nodes], self.farthest.get(b).copied().unwrap_or(0.0));
            let near =
                clearance.iter().enumerate().filter(|(_, c)| **c < ROOM * self.cell + self.half_thickness + travel);
            near.for_each(|(node, _)| tell(node, carrier));
        }
    }
}
