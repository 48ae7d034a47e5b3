//! Edges of the cloth that bodies touch between their ends: what is thinner than the mesh, and what is sharper.

use glam::DVec3;

use super::super::memory::Known;
use super::edge_places::{Place, SecondPlaces, Seen};
use super::{Detector, InOrder, IterateView, RECOVERY, Touch, makes_sense};
use crate::collide::{self, EdgeMeeting, EdgeMotion, Site, Stencil, meet_edge, point_count};
use crate::obstacle::Near;

/// Of the size of a cell: how close an edge must come, beyond its own motion, to be watched.
const REACH: f64 = 0.05;

/// An edge of the collision surface over the longest of the mesh: a diagonal, with room to spare.
pub(super) const LONGER: f64 = 2.0;

/// Programs of a part of a step after which edges are steadied: where on an edge a body is deepest, and whether that is between its
/// ends, can change from one iterate to the next and back for ever, and a force that was felt has no row in the program that follows.
const STEADY_PROGRAMS: usize = 8;

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
        let second_places = SecondPlaces::among(before.0);
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
            let first = touches.len();
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
                let sites = [[i, j], [j, i]].map(|edge| Site::Edge { obstacle: b, edge });
                let old = [before_in_order.at(sites[0]), second_places.at(sites[1])];
                let known_before = old.iter().any(Option::is_some);
                let motion = EdgeMotion { from, to, travel, clearance, known: known_before };
                let at_start = |k: usize| *nears_from[edge[k]].get_or_insert_with(|| shape.near(from[k]));
                let at_end = |k: usize| *nears_to[edge[k]].get_or_insert_with(|| shape.near(to[k]));
                let met = meet_edge(&**shape, &motion, reach, known, at_start, at_end);
                let old = if programs > 0 { old.map(|k| k.map(|k| (&before.0[k], &before.1[k]))) } else { [None; 2] };
                let seen = Seen {
                    shape: &**shape,
                    edge: to,
                    rotation: sweep.to.rotation,
                    late,
                    gap_tolerance: dynamics.gap_tolerance,
                };
                for (site, met) in sites.into_iter().zip(seen.places(met, old)) {
                    // What counts in the end is where it is deepest.
                    let Some(Place { met: EdgeMeeting { surface, along }, deepest }) = met else { continue };
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
                    let area = view.area(&stencil);
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
                        centre_distance: 0.0,
                        layer: view.layer_on_body(),
                        beside,
                        area,
                        coefficient,
                        most_friction: view.most_friction(coefficient, area),
                    });
                }
            }
            // Second places are named by the same ends the other way round, and come later.
            touches[first..].sort_unstable_by_key(|touch| touch.site);
        }
    }
}
