//! Edges of the cloth that bodies touch between their ends: what is thinner than the mesh, and what is sharper.

use glam::DVec3;

use super::Contacts;
use super::detect::{Found, IterateView, RECOVERY, at, makes_sense};
use crate::collide::{EdgeMotion, Site, Stencil, meet_edge, point_count};
use crate::obstacle::{Near, Shape};

/// Of the size of a cell: how close an edge must come, beyond its own motion, to be watched.
const REACH: f64 = 0.05;

/// An edge of the collision surface over the longest of the mesh: a diagonal, with room to spare.
pub(super) const LONGER: f64 = 2.0;

impl Contacts {
    /// Finds the edges near bodies.
    pub(super) fn detect_edges(&mut self, view: &IterateView) {
        let Self { touches, before, sweeps, clearance, nearest, half_thickness, invalid_shape, .. } = self;
        let IterateView { cloth, inputs, start, phi, dynamics, .. } = *view;
        let points = point_count(cloth.mesh());
        let bodies = inputs.bodies.iter().zip(&*sweeps).enumerate().filter(|(_, (body, _))| !body.shape.is_flat());
        for (b, (body, sweep)) in bodies {
            let known =
                &before[before.partition_point(|touch| touch.site < Site::Edge { obstacle: b, edge: [0; 2] })..];
            let known =
                &known[..known.partition_point(|touch| touch.site < Site::Edge { obstacle: b + 1, edge: [0; 2] })];
            let shape = &body.shape;
            let reach = REACH * cloth.cell_size() + *half_thickness;
            let farthest = sweep.farthest_travel(start, phi);
            if nearest[b] > farthest + 0.5 * LONGER * cloth.longest_edge() + reach {
                continue;
            }
            let (mut nears_from, mut nears_to) = (NodeNears::new(shape), NodeNears::new(shape));
            // In ascending order, as sites are.
            for edge in cloth.surface().edges() {
                let edge = edge.map(|i| i as usize);
                let [i, j] = edge;
                // Nothing on an edge is closer to the body than its ends let it be.
                let length = start[i].distance(start[j]);
                let clearance = edge.map(|i| clearance[b * points + i]);
                let least = 0.5 * (clearance[0] + clearance[1] - length);
                if least > farthest + reach {
                    continue;
                }
                let from = edge.map(|i| sweep.from.to_local(start[i]));
                let to = edge.map(|i| sweep.to.to_local(phi[i]));
                let travel = f64::max(from[0].distance(to[0]), from[1].distance(to[1]));
                if least > travel + reach {
                    continue;
                }
                let site = Site::Edge { obstacle: b, edge };
                let old = at(known, site);
                let motion = EdgeMotion { from, to, travel, clearance, known: old.is_some() };
                let at_start = |k: usize| nears_from.at(edge[k], from[k]);
                let at_end = |k: usize| nears_to.at(edge[k], to[k]);
                let Some(met) = meet_edge(&**shape, &motion, reach, at_start, at_end) else { continue };
                let (surface, along) = (met.surface, met.along);
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
                    let deep = shape.near(started).gap - *half_thickness;
                    if deep < -dynamics.gap_tolerance { (deep + RECOVERY * dynamics.dt).min(0.0) } else { 0.0 }
                } else {
                    0.0
                };
                let slip = (place - sweep.to.to_world(started)).reject_from_normalized(normal);
                let coefficient = body.friction;
                let slack = gap - allowed;
                // What it began the step with is what the mesh cuts off.
                let (gap, allowed) = (slack, 0.0);
                let found = Found { site, stencil, place, gap, slack, allowed, normal, slip, mass, coefficient };
                touches.push(found.felt_as(old));
            }
        }
    }
}

/// How many nodes are remembered at once: neighbours are not far from each other in the order of edges.
const REMEMBERED: usize = 256;

/// Where nodes are relative to a body. Many edges share a node, and the nearest surface may take long to find, so that the last
/// nodes that were asked for are remembered, in a place that a step need not allocate.
struct NodeNears<'a> {
    shape: &'a Shape,
    found: [Option<(usize, Near)>; REMEMBERED],
}

impl<'a> NodeNears<'a> {
    fn new(shape: &'a Shape) -> Self {
        Self { shape, found: [None; REMEMBERED] }
    }

    /// Where a node is; each has one place.
    fn at(&mut self, node: usize, place: DVec3) -> Near {
        let slot = &mut self.found[node % REMEMBERED];
        match *slot {
            Some((known, near)) if known == node => near,
            _ => slot.insert((node, self.shape.near(place))).1,
        }
    }
}
