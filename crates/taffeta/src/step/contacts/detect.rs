//! Who is near whom, at the start of a part of a step and at every iterate.

use glam::{DQuat, DVec3};

use super::points::watched;
use super::{BodySweep, Contacts, Touch};
use crate::cloth::Cloth;
use crate::collide::{Site, Stencil, point_count};
use crate::cores::Cores;
use crate::obstacle::Near;
use crate::params::Params;
use crate::qp::Side;
use crate::state::{Contact, State};
use crate::step::predict::Dynamics;
use crate::step::{Inputs, Part};

/// Speed at which cloth that starts inside a body comes out of it, m/s: slow enough not to be thrown.
pub(super) const RECOVERY: f64 = 0.25;

/// m. On an edge the normal may be that of either side, and of all in between: between iterates it turns by no more than on
/// an edge of this radius, so that a point which stays has one.
pub(super) const EDGE: f64 = 1e-3;

/// Of the tolerance for gaps: nodes that have moved by less have not moved.
const SETTLED: f64 = 0.25;

/// What an iterate looks like.
#[derive(Clone, Copy)]
pub(in crate::step) struct IterateView<'a> {
    pub cloth: &'a Cloth,
    pub inputs: &'a Inputs<'a>,
    pub params: &'a Params,
    pub dynamics: &'a Dynamics,
    /// `φⁿ`, m.
    pub start: &'a [DVec3],
    /// `φ_j`, m.
    pub phi: &'a [DVec3],
    /// Nodes that are not held.
    pub free: &'a [bool],
    /// Who looks.
    pub cores: Cores,
}

impl IterateView<'_> {
    /// The mass that a stencil stands for, kg; `None` if all of its nodes are held.
    pub fn mass(&self, stencil: &Stencil) -> Option<f64> {
        let free = stencil.entries().filter(|&(i, _)| self.free[i]);
        let compliance: f64 = free.map(|(i, weight)| weight * weight / self.cloth.node_areas()[i]).sum();
        (compliance > 0.0).then(|| self.dynamics.inertia / compliance)
    }
}

/// Where a touch was found; what was felt there stays from the last iterate.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub site: Site,
    pub stencil: Stencil,
    pub place: DVec3,
    pub gap: f64,
    pub slack: f64,
    pub allowed: f64,
    pub normal: DVec3,
    pub slip: DVec3,
    pub mass: f64,
    pub coefficient: f64,
}

impl Found {
    pub fn felt_as(&self, old: Option<&Touch>) -> Touch {
        let Found { site, stencil, place, gap, slack, allowed, normal, slip, mass, coefficient } = *self;
        Touch {
            site,
            stencil,
            place,
            gap,
            slack,
            allowed,
            normal,
            slip,
            mass,
            coefficient,
            gamma: old.map_or(0.0, |old| old.gamma),
            load: old.map_or(0.0, |old| old.load),
            force: old.map_or(DVec3::ZERO, |old| old.force.reject_from_normalized(normal)),
            law: old.and_then(|old| old.law),
            side: old.and_then(|old| old.side),
            bound_residual: old.map_or(0.0, |old| old.bound_residual),
            bound_at_last: old.and_then(|old| old.bound_at_last),
            bound_before: None,
            released: false,
            lost_friction: old.is_some_and(|old| old.lost_friction),
            proximal_compliance: old.map_or(0.0, |old| old.proximal_compliance),
            friction_compliance: old.map_or(0.0, |old| old.friction_compliance),
            rows: old.and_then(|old| old.rows),
        }
    }
}

/// The touch at a site, in a list in the order of sites.
pub(super) fn at(touches: &[Touch], site: Site) -> Option<&Touch> {
    touches.binary_search_by_key(&site, |touch| touch.site).ok().map(|k| &touches[k])
}

/// Finds touches in a list in the order of sites, of sites that are asked for in their order.
pub(super) struct InOrder<'a>(pub &'a [Touch]);

impl<'a> InOrder<'a> {
    /// The touch at a site that is not before the last one.
    pub fn at(&mut self, site: Site) -> Option<&'a Touch> {
        while let Some((first, rest)) = self.0.split_first() {
            if first.site >= site {
                return (first.site == site).then_some(first);
            }
            self.0 = rest;
        }
        None
    }
}

impl Contacts {
    /// Notes where everything is at the start of a part of a step.
    pub fn survey(&mut self, cloth: &Cloth, params: &Params, inputs: &Inputs, part: Part, start: &State) {
        let (mesh, dt) = (cloth.mesh(), inputs.dt * part.fraction);
        self.half_thickness = 0.5 * params.material.thickness;
        self.close = false;
        self.invalid_shape = None;
        self.sweeps.clear();
        self.start_local.clear();
        self.clearance.clear();
        self.edge_memory.forget();
        self.nearest.clear();
        self.allowed.clear();
        let points = point_count(mesh);
        for (b, body) in inputs.bodies.iter().enumerate() {
            let at = |s| body.from.between(&body.to, s);
            let sweep = BodySweep { from: at(part.goal - part.fraction), to: at(part.goal) };
            self.sweeps.push(sweep);
            for point in 0..watched(body, mesh) {
                let stencil = Stencil::of_point(mesh, point);
                let place = stencil.sum(&start.positions);
                let from = sweep.from.to_local(place);
                let clearance = body.shape.clearance(from);
                let inside = clearance < self.half_thickness;
                let gap = if inside { body.shape.near(from).gap - self.half_thickness } else { 0.0 };
                if !(clearance.is_finite() && gap.is_finite()) {
                    self.invalid_shape.get_or_insert(b);
                }
                // What the last step left within its tolerance is not a start inside.
                let deep = gap < -params.solver.gap_tolerance;
                self.allowed.push(if deep { (gap + RECOVERY * dt).min(0.0) } else { 0.0 });
                self.clearance.push(clearance);
                self.start_local.push(from);
                let onwards = sweep.to.to_local(place + stencil.sum(&start.velocities) * dt);
                self.close |= clearance < self.half_thickness + EDGE + 1.5 * from.distance(onwards);
            }
            let nodes = &self.clearance[b * points..b * points + mesh.node_count()];
            self.nearest.push(nodes.iter().copied().fold(f64::INFINITY, f64::min));
            self.allowed.resize((b + 1) * points, 0.0);
            self.clearance.resize((b + 1) * points, 0.0);
            self.start_local.resize((b + 1) * points, DVec3::ZERO);
        }
    }

    /// Takes what was felt at the end of the last step for a first guess.
    pub fn warm_start(&mut self, cloth: &Cloth, inputs: &Inputs, dynamics: &Dynamics, start: &State) {
        let points = point_count(cloth.mesh());
        self.programs = 0;
        (self.mixes, self.relaxation) = (0, 1.0);
        self.seen_at.clear();
        self.touches.clear();
        for felt in &start.contacts {
            let known = match felt.site {
                Site::Point { obstacle, point } if obstacle < inputs.bodies.len() && point < points => {
                    remembered(felt, inputs, obstacle, &self.sweeps, dynamics, &start.positions)
                }
                _ if felt.site.obstacle().is_none_or(|obstacle| obstacle < inputs.bodies.len()) => {
                    carried(felt, dynamics)
                }
                _ => continue,
            };
            self.touches.push(known);
        }
        self.touches.sort_unstable_by_key(|touch| touch.site);
    }

    /// Finds what is near what at `phi`, or follows what was near at the last iterate; what was felt there stays.
    pub fn detect(&mut self, view: &IterateView, follow: bool) {
        self.followed = follow || self.is_settled(view);
        if self.followed {
            self.follow(view);
        } else {
            std::mem::swap(&mut self.touches, &mut self.before);
            self.touches.clear();
            self.note_travel(view);
            self.detect_points(view);
            self.detect_edges(view);
            self.detect_tips(view);
            self.detect_cloth(view);
            self.orphans.clear();
            let mut now = InOrder(&self.touches);
            let gone = |old: &&Touch| now.at(old.site).is_none();
            self.orphans.extend(self.before.iter().filter(gone).filter_map(|old| old.rows));
            self.seen_at.clear();
            // Before the first program nobody looks at edges of the cloth.
            if self.programs > 0 {
                self.seen_at.extend_from_slice(view.phi);
            }
        }
        self.last_at.clear();
        self.last_at.extend_from_slice(view.phi);
    }

    /// Notes how far nodes have moved, seen from every body.
    fn note_travel(&mut self, view: &IterateView) {
        let points = point_count(view.cloth.mesh());
        let travel = |(b, sweep): (usize, &BodySweep)| {
            sweep.farthest_travel(&self.start_local[b * points..][..view.phi.len()], view.phi)
        };
        self.farthest.clear();
        self.farthest.extend(self.sweeps.iter().enumerate().map(travel));
    }

    /// Whether what touches what was followed so far that it must be looked at.
    pub fn need_a_look(&self, view: &IterateView) -> bool {
        self.followed && !self.is_settled(view)
    }

    /// Whether all nodes are where they were when everything was looked at, but for a part of the tolerance. Then nothing
    /// worth knowing is new; and where cloth lies flat on something it is chance which of its points is said to touch it.
    fn is_settled(&self, view: &IterateView) -> bool {
        // No more than what the lists of parts that may touch allow for.
        let thickness = view.cloth.thickness(&view.params.material);
        let still = SETTLED * f64::min(view.dynamics.gap_tolerance, thickness);
        let near = |(seen, x): (&DVec3, &DVec3)| seen.distance_squared(*x) <= still * still;
        self.seen_at.len() == view.phi.len() && self.seen_at.iter().zip(view.phi).all(near)
    }

    /// Brings the touches of the last iterate to this one: what touches what stays, and in which direction.
    fn follow(&mut self, view: &IterateView) {
        self.meetings.follow(view.phi);
        for touch in &mut self.touches {
            let moved = touch.stencil.sum(view.phi) - touch.stencil.sum(&self.last_at);
            let away = moved.dot(touch.normal);
            touch.place += moved;
            touch.gap += away;
            touch.slack += away;
            touch.slip += moved - touch.normal * away;
        }
    }
}

pub(super) fn makes_sense(near: &Near) -> bool {
    near.gap.is_finite() && (near.normal.length_squared() - 1.0).abs() < 1e-6
}

/// A contact of the last step, as it was.
fn carried(felt: &Contact, dynamics: &Dynamics) -> Touch {
    let h2 = dynamics.h * dynamics.h;
    Touch {
        site: felt.site,
        stencil: felt.stencil,
        place: DVec3::ZERO,
        gap: 0.0,
        slack: 0.0,
        allowed: 0.0,
        normal: felt.normal,
        slip: DVec3::ZERO,
        mass: 0.0,
        coefficient: 0.0,
        gamma: felt.normal_force * h2,
        load: felt.normal_force * h2,
        force: felt.friction * h2,
        law: None,
        side: Some(if felt.slipping { Side::High } else { Side::Within }),
        bound_residual: 0.0,
        bound_at_last: None,
        bound_before: None,
        released: false,
        lost_friction: false,
        proximal_compliance: 0.0,
        friction_compliance: 0.0,
        rows: None,
    }
}

/// A contact of a point with a body in the last step as this one finds it: carried along by its body.
fn remembered(
    felt: &Contact,
    inputs: &Inputs,
    obstacle: usize,
    sweeps: &[BodySweep],
    dynamics: &Dynamics,
    positions: &[DVec3],
) -> Touch {
    let (shape, sweep) = (&inputs.bodies[obstacle].shape, &sweeps[obstacle]);
    let from = sweep.from.to_local(felt.stencil.sum(positions));
    // On an edge the last normal stays; anywhere else, and if the cloth or the body was moved by hand, it is what it is.
    let last = sweep.from.rotation.inverse() * felt.normal;
    let near = shape.near(from);
    let leads_away = shape.near(from + last * EDGE).gap > near.gap + 0.9 * EDGE;
    let normal = if leads_away && last.is_normalized() { last } else { near.normal };
    Touch { place: sweep.to.to_world(from), normal: sweep.to.rotate(normal), ..carried(felt, dynamics) }
}

/// The unit vector `from` turned towards `to` by at most `limit` radians.
pub(super) fn turned(from: DVec3, to: DVec3, limit: f64) -> DVec3 {
    let angle = from.angle_between(to);
    if angle <= limit {
        to
    } else {
        DQuat::from_rotation_arc(from, to).slerp(DQuat::IDENTITY, 1.0 - limit / angle) * from
    }
}
