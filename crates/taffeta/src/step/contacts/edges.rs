//! Edges of the cloth that bodies touch between their ends: what is thinner than the mesh, and what is sharper.

use super::Contacts;
use super::detect::{Found, RECOVERY, Sight, at, makes_sense};
use crate::collide::{Site, Stencil, meet_edge, point_count};

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
            let far = stage.farthest_travel(start, phi) + 0.5 * LONGER * cloth.longest_edge();
            let reach = REACH * cloth.cell_size() + *half_thickness;
            if nearest[b] > far + reach {
                continue;
            }
            // In ascending order, as sites are.
            for edge in cloth.surface().edges() {
                let edge = edge.map(|i| i as usize);
                let [i, j] = edge;
                let at_start = edge.map(|i| start[i]);
                // Nothing on an edge is closer to the body than its ends let it be.
                let least =
                    0.5 * (clearance[b * points + i] + clearance[b * points + j] - at_start[0].distance(at_start[1]));
                let from = at_start.map(|x| stage.from.to_local(x));
                let to = edge.map(|i| stage.to.to_local(phi[i]));
                let site = Site::Edge { obstacle: b, edge };
                let old = at(known, site);
                let Some(met) = meet_edge(&*body.shape, from, to, least, reach, old.is_some()) else { continue };
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
