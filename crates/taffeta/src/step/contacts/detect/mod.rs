//! Who is near whom, at the start of a part of a step and at every iterate: geometry, and nothing of forces.

mod bodies;
mod edge_places;
mod edges;
mod layers;
mod meeting;
mod points;
mod pressed;
mod shares;
mod spines;
mod tips;

use std::cmp::Ordering;

use glam::{DQuat, DVec3};

use super::compliance::Squeeze;
use super::memory::Known;
use crate::cloth::Cloth;
use crate::collide::{FaceBoxes, Site, Stencil, point_count};
use crate::cores::Cores;
use crate::obstacle::{Near, Pose, Spine, Tip};
use crate::params::Params;
use crate::state::State;
use crate::step::bodies::Bodies;
use crate::step::predict::Dynamics;
use crate::step::{Inputs, Part};
use meeting::Meetings;
use points::watched;
use pressed::Pressed;

/// Speed at which cloth that starts inside a body comes out of it, m/s: slow enough not to be thrown.
const RECOVERY: f64 = 0.25;

/// m. On an edge the normal may be that of either side, and of all in between: between iterates it turns by no more than on
/// an edge of this radius, so that a point which stays has one.
pub(super) const EDGE: f64 = 1e-3;

/// Of the tolerance for gaps: nodes that have moved by less have not moved.
const SETTLED: f64 = 0.25;

/// Of how far apart they are kept: two parts that are farther apart than that, and do not push each other, need no room in the matrix.
const UNDECIDED: f64 = 0.25;

/// Pa. Pressure up to which friction grows: what presses harder is held by no more. Fabrics are not made for more, and what stands upright
/// between two exact bodies would else jam for ever.
const FRICTION_PRESSURE: f64 = 1e6;

/// A point of the cloth near a body, or near another point of the cloth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// What touches what: it identifies a touch from one iterate to the next.
    pub site: Site,
    /// The point, or what separates the two.
    pub stencil: Stencil,
    /// Where the point is, m.
    pub place: DVec3,
    /// Distance to the body beyond half the thickness of the cloth, or of two parts of the cloth, m.
    pub gap: f64,
    /// Distance to the surface it must stay in front of, beyond what is allowed, m.
    pub slack: f64,
    /// Gap that is allowed, m: less than zero, or than the thickness, for what began the step too close.
    pub allowed: f64,
    /// Unit normal, out of the body or from one part of the cloth to the other.
    pub normal: DVec3,
    /// `u`: how far the point has slipped along the body in this step, m.
    pub slip: DVec3,
    /// The mass the point stands for, kg.
    pub mass: f64,
    /// Where the point is the foot of what is round, how far away the centre of that is, m; or 0.
    pub centre_distance: f64,
    /// The thickness of cloth that is pressed here, m, and the area that the point stands for, m².
    pub layer: f64,
    pub area: f64,
    /// The pressure that others make here, Pa.
    pub beside: f64,
    /// `μ`.
    pub coefficient: f64,
    /// The largest friction that cloth carries on this area, scaled with h².
    pub most_friction: f64,
}

impl Touch {
    /// Whether it may soon be pushed, if it is not.
    pub fn is_undecided(&self) -> bool {
        self.slack < UNDECIDED * self.allowed
    }
}

/// What a part of a step starts from.
#[derive(Clone, Copy)]
pub(in crate::step) struct StartView<'a> {
    pub cloth: &'a Cloth,
    pub params: &'a Params,
    pub inputs: &'a Inputs<'a>,
    pub part: Part,
    pub state: &'a State,
    /// Those that move by the forces on them.
    pub bodies: &'a Bodies,
}

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
    /// The bodies that move by the forces on them.
    pub bodies: &'a Bodies,
    /// Who looks.
    pub cores: Cores,
}

impl IterateView<'_> {
    /// Whether anything of a stencil can move.
    pub fn is_free(&self, stencil: &Stencil) -> bool {
        stencil.entries().any(|(i, weight)| weight != 0.0 && self.free[i])
    }

    /// The area that a point of a stencil stands for on a body, m².
    pub fn area(&self, stencil: &Stencil) -> f64 {
        stencil.entries().map(|(i, weight)| weight.abs() * self.cloth.node_areas()[i]).sum()
    }

    /// The thickness of cloth that a body presses, m: half of it, the other half is on the other side. None, if the middle surface itself
    /// meets bodies.
    pub fn layer_on_body(&self) -> f64 {
        0.5 * self.params.material.thickness
    }

    /// The largest friction that cloth carries on an area, m², scaled with h².
    pub fn most_friction(&self, coefficient: f64, area: f64) -> f64 {
        coefficient * FRICTION_PRESSURE * area * self.dynamics.h * self.dynamics.h
    }

    /// The mass that a stencil stands for, kg; `None` if all of its nodes are held.
    pub fn mass(&self, stencil: &Stencil) -> Option<f64> {
        let free = stencil.entries().filter(|&(i, _)| self.free[i]);
        let compliance: f64 = free.map(|(i, weight)| weight * weight / self.cloth.node_areas()[i]).sum();
        (compliance > 0.0).then(|| self.dynamics.inertia / compliance)
    }
}

/// Finds touches in a list in the order of sites, of sites that are asked for in their order.
struct InOrder<'a> {
    touches: &'a [Touch],
    next: usize,
}

impl<'a> InOrder<'a> {
    fn new(touches: &'a [Touch]) -> Self {
        Self { touches, next: 0 }
    }

    /// Where in the list the touch at a site is that is not before the last one.
    fn at(&mut self, site: Site) -> Option<usize> {
        while let Some(touch) = self.touches.get(self.next) {
            match touch.site.cmp(&site) {
                Ordering::Less => self.next += 1,
                Ordering::Equal => return Some(self.next),
                Ordering::Greater => return None,
            }
        }
        None
    }
}

/// A body in a part of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodySweep {
    pub from: Pose,
    pub to: Pose,
}

/// What is known of a part of a step before its iterates, and what was seen of them.
#[derive(Default)]
pub(super) struct Detector {
    pub sweeps: Vec<BodySweep>,
    /// Whether a point may touch a body within the part.
    pub close: bool,
    /// A body whose shape answers with something that is not a distance and a unit normal.
    pub invalid_shape: Option<usize>,
    /// Whether the step is taken in smaller parts, because other attempts have failed: what costs more, or leads another way, is for these.
    pub was_hard: bool,
    /// Where the nodes were when everything was looked at, and at the last iterate, m.
    seen_at: Vec<DVec3>,
    last_at: Vec<DVec3>,
    /// Where bodies were then.
    poses_seen: Vec<Pose>,
    poses_before: Vec<Pose>,
    /// Whether the touches were brought to the iterate by following the nodes, not by looking.
    followed: bool,
    /// Where every point is at the start of the part, seen from the body, and its clearance, body by body, m.
    start_local: Vec<DVec3>,
    clearance: Vec<f64>,
    /// Smallest clearance of a node, body by body, m.
    nearest: Vec<f64>,
    /// Gap that a point may keep although it is inside, body by body, m: at most 0.
    allowed: Vec<f64>,
    /// Where the nodes are at the iterate, seen from the body, and what of it is nearest to them, as far as that was asked, body by body;
    /// and how far a node has moved at most, m.
    end_local: Vec<DVec3>,
    nears_at_end: Vec<Option<Near>>,
    farthest: Vec<f64>,
    edge_memory: edges::EdgeMemory,
    /// Normals of the nodes that are watched, for their elements.
    normals: Vec<Option<DVec3>>,
    half_thickness: f64,
    /// Size of the cloth's cells, m.
    cell: f64,
    pressed: Pressed,
    /// Parts of the cloth near each other, and touches of the cloth with itself before they are sorted out.
    meetings: Meetings,
    doubtful: Vec<meeting::Doubtful>,
    seen: Vec<meeting::Meeting>,
    candidates: layers::Candidates,
    shares: shares::Shares,
    /// Sharp points of the body at hand, and where the faces are that they may meet.
    tips: Vec<Tip>,
    faces: Option<FaceBoxes>,
    /// The iterate that these boxes fit, if they fit one of this part, m.
    faces_fit: Vec<DVec3>,
    /// Spines of the body at hand.
    spines: Vec<Spine>,
}

impl Detector {
    /// Notes where everything is at the start of a part of a step.
    pub fn survey(&mut self, view: &StartView) {
        let StartView { cloth, params, inputs, part, state: start, bodies } = *view;
        let (mesh, dt) = (cloth.mesh(), inputs.dt * part.fraction);
        self.half_thickness = 0.5 * params.material.thickness;
        self.cell = cloth.cell_size();
        self.pressed.begin(mesh.node_count(), &params.material, &start.contacts);
        self.close = false;
        self.was_hard = part.manner.is_perturbed();
        self.invalid_shape = None;
        self.sweeps.clear();
        self.start_local.clear();
        self.clearance.clear();
        self.edge_memory.forget();
        self.faces_fit.clear();
        self.nearest.clear();
        self.allowed.clear();
        let points = point_count(mesh);
        for (b, body) in inputs.bodies.iter().enumerate() {
            let at = |s| body.from.between(&body.to, s);
            let prescribed = || [at(part.goal - part.fraction), at(part.goal)];
            let [from, to] = bodies.sweep(b).unwrap_or_else(prescribed);
            let sweep = BodySweep { from, to };
            self.sweeps.push(sweep);
            for point in 0..watched(body, mesh) {
                let stencil = Stencil::of_point(mesh, point);
                let place = stencil.sum(&start.positions);
                let from = sweep.from.to_local(place);
                let clearance = body.shape.clearance(from);
                let inside = clearance < self.half_thickness;
                // What pressed it in has made it thinner.
                let out = |gap: f64| gap - self.half_thickness + self.pressed.on_bodies(&stencil);
                let gap = if inside { out(body.shape.near(from).gap) } else { 0.0 };
                if !(clearance.is_finite() && gap.is_finite()) {
                    self.invalid_shape.get_or_insert(b);
                }
                // What the last step left within its tolerance is not a start inside.
                let deep = gap < -params.solver.gap_tolerance;
                self.allowed.push(if deep { (gap + RECOVERY * dt).min(0.0) } else { 0.0 });
                self.clearance.push(clearance);
                self.start_local.push(from);
                let onwards = || sweep.to.to_local(place + stencil.sum(&start.velocities) * dt);
                self.close = self.close || clearance < self.half_thickness + EDGE + 1.5 * from.distance(onwards());
            }
            let nodes = &self.clearance[b * points..b * points + mesh.node_count()];
            self.nearest.push(nodes.iter().copied().fold(f64::INFINITY, f64::min));
            self.allowed.resize((b + 1) * points, 0.0);
            self.clearance.resize((b + 1) * points, 0.0);
            self.start_local.resize((b + 1) * points, DVec3::ZERO);
        }
    }

    /// Another part of a step begins, of which nothing was looked at.
    pub fn forget_look(&mut self) {
        self.seen_at.clear();
    }

    /// Whether touches are to be followed to an iterate, because that is asked for or because nothing has moved.
    pub fn begin(&mut self, view: &IterateView, follow: bool) -> bool {
        self.poses_before.clear();
        self.poses_before.extend(self.sweeps.iter().map(|sweep| sweep.to));
        for (b, sweep) in self.sweeps.iter_mut().enumerate() {
            if let Some([_, to]) = view.bodies.sweep(b) {
                sweep.to = to;
            }
        }
        self.followed = follow || self.is_settled(view);
        self.followed
    }

    /// Finds what is near what at an iterate, after so many programs. `before` was found at the last one; of what was felt there it matters
    /// only who pushed.
    pub fn look(
        &mut self,
        view: &IterateView,
        before: Known,
        squeeze: &Squeeze,
        programs: usize,
        touches: &mut Vec<Touch>,
    ) {
        touches.clear();
        if programs > 0 {
            self.pressed.see(before, squeeze);
        }
        self.note_travel(view);
        self.detect_points(view, before.0, touches);
        self.detect_edges(view, before, programs, touches);
        self.detect_tips(view, touches);
        self.detect_bodies(view, before.0, touches);
        self.detect_layers(view, before, programs, touches);
        self.seen_at.clear();
        // Before the first program nobody looks at edges of the cloth.
        if programs > 0 {
            self.seen_at.extend_from_slice(view.phi);
            self.poses_seen.clear();
            self.poses_seen.extend(self.sweeps.iter().map(|sweep| sweep.to));
        }
    }

    /// The touches are those of this iterate now.
    pub fn end(&mut self, view: &IterateView) {
        self.last_at.clear();
        self.last_at.extend_from_slice(view.phi);
    }

    /// Notes where the nodes are, seen from every body, and how far they have moved.
    fn note_travel(&mut self, view: &IterateView) {
        let Self { sweeps, start_local, end_local, nears_at_end, farthest, .. } = self;
        let points = point_count(view.cloth.mesh());
        end_local.clear();
        farthest.clear();
        for (b, sweep) in sweeps.iter().enumerate() {
            end_local.extend(view.phi.iter().map(|x| sweep.to.to_local(*x)));
            let travels = start_local[b * points..].iter().zip(&end_local[b * view.phi.len()..]);
            let square = travels.map(|(from, to)| from.distance_squared(*to)).fold(0.0, f64::max);
            farthest.push(square.sqrt());
        }
        nears_at_end.clear();
        nears_at_end.resize(end_local.len(), None);
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
        self.seen_at.len() == view.phi.len()
            && self.seen_at.iter().zip(view.phi).all(near)
            && self.bodies_stay(view, still)
    }

    /// Whether no body that moves by the forces on it has moved by more than this since everything was looked at, m, where it may touch something.
    fn bodies_stay(&self, view: &IterateView, still: f64) -> bool {
        view.bodies.is_empty()
            || self.sweeps.iter().zip(&self.poses_seen).enumerate().all(|(b, (sweep, seen))| {
                let reach = || view.inputs.bodies[b].shape.reach();
                sweep.to == *seen
                    || sweep.to.translation.distance(seen.translation)
                        + sweep.to.rotation.angle_between(seen.rotation) * reach()
                        <= still
            })
    }

    /// How far the point of a body that is at a place now has moved since the last iterate, m.
    fn carried(&self, obstacle: Option<usize>, place: DVec3) -> DVec3 {
        let Some(b) = obstacle else { return DVec3::ZERO };
        let (now, before) = (&self.sweeps[b].to, &self.poses_before[b]);
        if now == before { DVec3::ZERO } else { now.to_world(before.to_local(place)) - place }
    }

    /// Brings the touches of the last iterate to this one: what touches what stays, and in which direction.
    pub fn follow(&mut self, view: &IterateView, touches: &mut [Touch]) {
        self.meetings.follow(view.phi);
        for touch in touches {
            let own = touch.stencil.sum(view.phi) - touch.stencil.sum(&self.last_at)
                + self.carried(touch.site.body(), touch.place);
            let moved = own - self.carried(touch.site.obstacle(), touch.place);
            let away = moved.dot(touch.normal);
            touch.place += own;
            touch.gap += away;
            touch.slack += away;
            touch.slip += moved - touch.normal * away;
        }
    }
}

fn makes_sense(near: &Near) -> bool {
    near.gap.is_finite() && (near.normal.length_squared() - 1.0).abs() < 1e-6
}

/// The unit vector `from` turned towards `to` by at most `limit` radians.
fn turned(from: DVec3, to: DVec3, limit: f64) -> DVec3 {
    let angle = from.angle_between(to);
    if angle <= limit {
        to
    } else {
        DQuat::from_rotation_arc(from, to).slerp(DQuat::IDENTITY, 1.0 - limit / angle) * from
    }
}
