//! Edges of the cloth that bodies touch between their ends: what is thinner than the mesh, and what is sharper.

use glam::DVec3;

use super::super::memory::Known;
use super::{Detector, InOrder, IterateView, RECOVERY, Touch, makes_sense};
use crate::collide::{self, EdgeMeeting, EdgeMotion, Site, Stencil, meet_edge, near_edge, point_count};
use crate::obstacle::{Implicit, Near};

/// Of the size of a cell: how close an edge must come, beyond its own motion, to be watched.
const REACH: f64 = 0.05;

/// An edge of the collision surface over the longest of the mesh: a diagonal, with room to spare.
pub(super) const LONGER: f64 = 2.0;

/// Of the tolerance for gaps: where an edge is less deep than that beside its deepest place it is as deep.
const AS_DEEP: f64 = 0.2;

/// Programs of a part of a step after which edges are steadied: where on an edge a body is deepest, and whether that is between its
/// ends, can change from one iterate to the next and back for ever, and a force that was felt has no row in the program that follows.
const STEADY_PROGRAMS: usize = 8;

/// Cosine of the angle up to which the surface that an edge meets is the one nearest to it.
const SAME_SIDE: f64 = 0.5;

/// What edges need of their ends and of earlier looks. Many edges share a node, and the nearest surface may take long to find.
#[derive(Default)]
pub(super) struct EdgeMemory {
    /// How far the nodes have come, seen from the body at hand, m.
    travel: Vec<f64>,
    /// What of the body is nearest to the nodes at the start of the part, body by body.
    nears_from: Vec<Option<Near>>,
    /// How close an edge can be at the start of the part, as far as its ends tell, m, and what else is known of it there, body by body.
    least: Vec<f64>,
    known: Vec<collide::Known>,
}

impl EdgeMemory {
    /// Another part of a step begins.
    pub fn forget(&mut self) {
        self.nears_from.clear();
        self.least.clear();
        self.known.clear();
    }

    /// How close every edge can be to body `b` at the start of the part, m; not a number where that was not asked.
    pub fn least(&self, b: usize, edges: usize) -> Option<&[f64]> {
        self.least.get(b * edges..(b + 1) * edges)
    }

    /// Sees the iterate from body `b`: `from` is where the nodes begin, seen from there, and `to` where they are.
    fn see(&mut self, b: usize, from: &[DVec3], to: &[DVec3], edges: usize) {
        let (nodes, bodies) = (to.len(), b + 1);
        self.travel.clear();
        self.travel.extend(from.iter().zip(to).map(|(from, to)| from.distance(*to)));
        // Bodies that no edge is near need none.
        self.nears_from.resize(usize::max(self.nears_from.len(), bodies * nodes), None);
        self.least.resize(usize::max(self.least.len(), bodies * edges), f64::NAN);
        self.known.resize(usize::max(self.known.len(), bodies * edges), collide::Known::NOTHING);
    }
}

impl Detector {
    /// Finds the edges near bodies, after so many programs; `before` was found at the last iterate.
    pub(super) fn detect_edges(
        &mut self,
        view: &IterateView,
        before: Known,
        programs: usize,
        touches: &mut Vec<Touch>,
    ) {
        let late = self.was_hard && programs > STEADY_PROGRAMS;
        let Self { sweeps, start_local, clearance, nearest, farthest, .. } = self;
        let Self { half_thickness, invalid_shape, edge_memory, end_local, nears_at_end, pressed, .. } = self;
        let IterateView { cloth, inputs, start, phi, dynamics, .. } = *view;
        let points = point_count(cloth.mesh());
        let edges = cloth.surface().edges();
        let mut before_in_order = InOrder::new(before.0);
        let bodies = inputs.bodies.iter().zip(&*sweeps).enumerate().filter(|(_, (body, _))| !body.shape.is_flat());
        for (b, (body, sweep)) in bodies {
            let shape = &body.shape;
            let reach = REACH * cloth.cell_size() + *half_thickness;
            let farthest = farthest[b];
            if nearest[b] > farthest + 0.5 * LONGER * cloth.longest_edge() + reach {
                continue;
            }
            let start_local = &start_local[b * points..][..phi.len()];
            let of_body = b * phi.len()..(b + 1) * phi.len();
            let (to, nears_to) = (&end_local[of_body.clone()], &mut nears_at_end[of_body]);
            edge_memory.see(b, start_local, to, edges.len());
            let EdgeMemory { travel, nears_from, least, known } = &mut *edge_memory;
            let known = least[b * edges.len()..].iter_mut().zip(&mut known[b * edges.len()..]);
            let nears_from = &mut nears_from[b * phi.len()..];
            // In ascending order, as sites are.
            for (edge, (least, known)) in edges.iter().zip(known) {
                let edge = edge.map(|i| i as usize);
                let [i, j] = edge;
                let clearance = edge.map(|i| clearance[b * points + i]);
                if least.is_nan() {
                    // Nothing on an edge is closer to the body than its ends let it be.
                    *least = 0.5 * (clearance[0] + clearance[1] - start[i].distance(start[j]));
                }
                let travel = f64::max(travel[i], travel[j]);
                if *least > travel + reach {
                    continue;
                }
                let from = edge.map(|i| start_local[i]);
                let to = edge.map(|i| to[i]);
                let site = Site::Edge { obstacle: b, edge };
                let old = before_in_order.at(site);
                let motion = EdgeMotion { from, to, travel, clearance, known: old.is_some() };
                let at_start = |k: usize| *nears_from[edge[k]].get_or_insert_with(|| shape.near(from[k]));
                let at_end = |k: usize| *nears_to[edge[k]].get_or_insert_with(|| shape.near(to[k]));
                let mut met = meet_edge(&**shape, &motion, reach, known, at_start, at_end);
                // What counts in the end is where it is deepest.
                let mut deepest = met.map_or(f64::INFINITY, |met| met.surface.gap);
                if let Some(old) = old {
                    met = as_before(&**shape, to, &before.0[old], met, AS_DEEP * dynamics.gap_tolerance, reach);
                }
                if let Some(old) = old.filter(|_| late) {
                    let pushed = before.1[old].gamma > 0.0;
                    met = steadied(&**shape, to, (&before.0[old], pushed), met, reach);
                }
                let Some(met) = met else { continue };
                let (surface, along) = (met.surface, met.along);
                deepest = deepest.min(surface.gap);
                if !makes_sense(&surface) {
                    invalid_shape.get_or_insert(b);
                    continue;
                }
                let stencil = Stencil::new(&[i, j], &[1.0 - along, along]);
                let Some(mass) = view.mass(&stencil) else { continue };
                let place = stencil.sum(phi);
                let normal = sweep.to.rotate(surface.normal);
                let gap = surface.gap - *half_thickness;
                let started = from[0].lerp(from[1], along);
                // What starts inside comes out slowly.
                let allowed = if gap < -dynamics.gap_tolerance {
                    let deep = shape.near(started).gap - *half_thickness + pressed.on_bodies(&stencil);
                    if deep < -dynamics.gap_tolerance { (deep + RECOVERY * dynamics.dt).min(0.0) } else { 0.0 }
                } else {
                    0.0
                };
                let slip = (place - sweep.to.to_world(started)).reject_from_normalized(normal);
                let coefficient = body.friction;
                let beside = pressed.of_bodies_on(&stencil);
                let slack = gap - allowed + pressed.ease(beside, dynamics.gap_tolerance);
                // What it began the step with is what the mesh cuts off.
                let (gap, allowed) = (deepest - *half_thickness - allowed, 0.0);
                touches.push(Touch {
                    site,
                    stencil,
                    place,
                    gap,
                    slack,
                    allowed,
                    normal,
                    slip,
                    mass,
                    layer: view.layer_on_body(),
                    beside,
                    area: view.area(&stencil),
                    coefficient,
                });
            }
        }
    }
}

/// Where an edge touched the body at the last iterate, if it is as deep there, but for so much, as where it is deepest, or is deepest at
/// its ends now. What lies flat on a pad is deepest anywhere on it, and what is let go at its rim comes back: forces that go to and fro
/// along an edge, or come and go, never settle.
fn as_before(
    shape: &dyn Implicit,
    edge: [DVec3; 2],
    old: &Touch,
    met: Option<EdgeMeeting>,
    much: f64,
    reach: f64,
) -> Option<EdgeMeeting> {
    let along = old.stencil.entries().nth(1).map_or(0.5, |(_, weight)| weight);
    let surface = near_edge(shape, edge, along);
    let stays = match &met {
        Some(met) => surface.gap <= met.surface.gap + much && surface.normal.dot(met.surface.normal) >= SAME_SIDE,
        None => surface.gap <= reach,
    };
    if stays { Some(EdgeMeeting { surface, along }) } else { met }
}

/// What an edge meets that touched the body at the last iterate, and pushed it or not: it is looked at halfway between the place where it was touched and the one
/// where it is deepest now, and goes on to be looked at where its ends meet the body first.
fn steadied(
    shape: &dyn Implicit,
    edge: [DVec3; 2],
    (old, pushed): (&Touch, bool),
    met: Option<EdgeMeeting>,
    reach: f64,
) -> Option<EdgeMeeting> {
    let before = old.stencil.entries().nth(1).map_or(0.0, |(_, weight)| weight);
    let along = match met {
        Some(met) => {
            let nearest = |along: f64| near_edge(shape, edge, along).normal.dot(met.surface.normal) >= SAME_SIDE;
            if !(nearest(met.along) && nearest(before)) {
                // It went in by another side, or is on the way to one.
                return Some(met);
            }
            0.5 * (met.along + before)
        }
        None if pushed => before,
        None => return None,
    };
    let surface = near_edge(shape, edge, along);
    (met.is_some() || surface.gap <= reach).then_some(EdgeMeeting { surface, along })
}
