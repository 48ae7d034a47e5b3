//! Edges of the cloth that bodies touch between their ends: what is thinner than the mesh, and what is sharper.

use std::cell::Cell;

use glam::DVec3;

use super::detect::{Found, RECOVERY, Sight, at, makes_sense};
use super::{Contacts, Stage};
use crate::collide::{EdgeMotion, Site, Stencil, meet_edge, point_count};
use crate::obstacle::{Implicit, Near};

/// Of the size of a cell: how close an edge must come, beyond its own motion, to be watched.
const REACH: f64 = 0.05;

/// An edge of the collision surface over the longest of the mesh: a diagonal, with room to spare.
pub(super) const LONGER: f64 = 2.0;

impl Contacts {
    /// Finds the edges near bodies.
    pub(super) fn detect_edges(&mut self, sight: &Sight) {
        let Self { touches, before, stages, clearance, nearest, half_thickness, nonsense, .. } = self;
        let Sight { cloth, inputs, start, phi, dynamics, .. } = *sight;
        let points = point_count(cloth.mesh());
        let bodies = inputs.bodies.iter().zip(&*stages).enumerate().filter(|(_, (body, _))| !body.shape.is_flat());
        for (b, (body, stage)) in bodies {
            let known =
                &before[before.partition_point(|touch| touch.site < Site::Edge { obstacle: b, edge: [0; 2] })..];
            let known =
                &known[..known.partition_point(|touch| touch.site < Site::Edge { obstacle: b + 1, edge: [0; 2] })];
            let reach = REACH * cloth.cell_size() + *half_thickness;
            let far = stage.farthest_travel(start, phi) + 0.5 * LONGER * cloth.longest_edge();
            if nearest[b] > far + reach {
                continue;
            }
            let nodes: Vec<Node> = start.iter().zip(phi).map(|(&from, &to)| Node::new(stage, from, to)).collect();
            // In ascending order, as sites are.
            for edge in cloth.surface().edges() {
                let edge = edge.map(|i| i as usize);
                let [i, j] = edge;
                // Nothing on an edge is closer to the body than its ends let it be.
                let length = start[i].distance(start[j]);
                let least = 0.5 * (clearance[b * points + i] + clearance[b * points + j] - length);
                let travel = f64::max(nodes[i].travel, nodes[j].travel);
                if least > travel + reach {
                    continue;
                }
                let site = Site::Edge { obstacle: b, edge };
                let old = at(known, site);
                let from = edge.map(|i| nodes[i].from);
                let motion = EdgeMotion { from, to: edge.map(|i| nodes[i].to), travel, known: old.is_some() };
                let shape = &body.shape;
                let at_start = |k: usize| nodes[edge[k]].near_from(shape);
                let at_end = |k: usize| nodes[edge[k]].near_to(shape);
                let Some(met) = meet_edge(shape, &motion, reach, at_start, at_end) else { continue };
                let (surface, along) = (met.surface, met.along);
                if !makes_sense(&surface) {
                    nonsense.get_or_insert(b);
                    continue;
                }
                let stencil = Stencil::new(&[i, j], &[1.0 - along, along]);
                let Some(mass) = sight.mass(&stencil) else { continue };
                let place = stencil.sum(phi);
                let normal = stage.to.rotate(surface.normal);
                let gap = surface.gap - *half_thickness;
                let started = from[0].lerp(from[1], along);
                // What starts inside comes out slowly.
                let allowed = if gap < -dynamics.gap_tolerance {
                    let deep = body.shape.near(started).gap - *half_thickness;
                    if deep < -dynamics.gap_tolerance { (deep + RECOVERY * dynamics.dt).min(0.0) } else { 0.0 }
                } else {
                    0.0
                };
                let slip = (place - stage.to.to_world(started)).reject_from_normalized(normal);
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

/// A node, seen from a body.
struct Node {
    /// Where it is at the start of the part and at its end, m, and how far that is, m.
    from: DVec3,
    to: DVec3,
    travel: f64,
    /// Where these are relative to the body, once that was asked for.
    near_from: Cell<Option<Near>>,
    near_to: Cell<Option<Near>>,
}

impl Node {
    fn new(stage: &Stage, from: DVec3, to: DVec3) -> Self {
        let (from, to) = (stage.from.to_local(from), stage.to.to_local(to));
        Self { from, to, travel: from.distance(to), near_from: Cell::new(None), near_to: Cell::new(None) }
    }

    fn near_from(&self, shape: &dyn Implicit) -> Near {
        once(&self.near_from, || shape.near(self.from))
    }

    fn near_to(&self, shape: &dyn Implicit) -> Near {
        once(&self.near_to, || shape.near(self.to))
    }
}

/// What is in a cell; if nothing is, it is found and put there.
fn once(cell: &Cell<Option<Near>>, find: impl FnOnce() -> Near) -> Near {
    let near = cell.get().unwrap_or_else(find);
    cell.set(Some(near));
    near
}
