//! Nodes, and centres of elements, near bodies.

use glam::DVec3;

use super::{Detector, EDGE, InOrder, IterateView, Touch, makes_sense, turned};
use crate::collide::{Site, Stencil, meet, point_count};
use crate::mesh::Mesh;
use crate::obstacle::Body;

/// Of the size of a node's cell: how close a point must come, beyond its own motion, to be watched.
const REACH: f64 = 0.1;

/// m. The centre of an element is watched where it could sink into a body by more than this between its nodes.
const SAG: f64 = 5e-5;

/// m. What is saved by not looking must not change what is found: bounds of distances count from here on, beyond rounding.
const SURE: f64 = 1e-9;

impl Detector {
    /// Finds the points near bodies.
    pub(super) fn detect_points(&mut self, view: &IterateView, before: &[Touch], touches: &mut Vec<Touch>) {
        let Self { sweeps, start_local, clearance, allowed, normals, .. } = self;
        let Self { farthest, half_thickness, invalid_shape, end_local, nears_at_end, pressed, .. } = self;
        let IterateView { cloth, inputs, phi, dynamics, .. } = *view;
        let (mesh, areas) = (cloth.mesh(), cloth.node_areas());
        let (nodes, points) = (mesh.node_count(), point_count(mesh));
        let widest = REACH * areas.iter().copied().fold(0.0, f64::max).sqrt();
        let mut before_in_order = InOrder::new(before);
        for (b, (body, sweep)) in inputs.bodies.iter().zip(&*sweeps).enumerate() {
            normals.clear();
            normals.resize(nodes, None);
            // More than any point can do.
            let far = widest + *half_thickness + 2.0 * farthest[b] + SURE;
            for point in 0..watched(body, mesh) {
                let index = b * points + point;
                if clearance[index] > far {
                    continue;
                }
                let stencil = Stencil::of_point(mesh, point);
                let (from, place) = (start_local[index], stencil.sum(phi));
                let to = if point < nodes { end_local[b * nodes + point] } else { sweep.to.to_local(place) };
                let reach = REACH * areas[stencil.nodes()[0]].sqrt() + from.distance(to) + *half_thickness;
                let at_end = || {
                    let near = body.shape.near(to);
                    if point < nodes {
                        nears_at_end[b * nodes + point] = Some(near);
                    }
                    near
                };
                let Some(met) = meet(&*body.shape, [from, to], clearance[index], reach, at_end) else { continue };
                let Some(mass) = view.mass(&stencil) else { continue };
                let surface = met.surface;
                if !makes_sense(&surface) {
                    invalid_shape.get_or_insert(b);
                    continue;
                }
                let site = Site::Point { obstacle: b, point };
                let old = before_in_order.at(site).map(|k| &before[k]);
                let mut normal = sweep.to.rotate(surface.normal);
                if let Some(old) = old {
                    normal = turned(old.normal, normal, old.place.distance(place) / EDGE);
                }
                if stencil.is_node() {
                    normals[point] = Some(normal);
                } else if !could_sink(&stencil, normal, place, phi, normals) {
                    continue;
                }
                let out = |gap: f64| gap - *half_thickness;
                let beside = if stencil.is_node() { 0.0 } else { pressed.of_bodies_on(&stencil) };
                let ease = pressed.ease(beside, dynamics.gap_tolerance);
                let area = view.area(&stencil);
                touches.push(Touch {
                    site,
                    stencil,
                    place,
                    gap: f64::min(out(met.gap), out(surface.gap)),
                    slack: out(surface.gap) - allowed[index] + ease,
                    allowed: allowed[index],
                    normal,
                    slip: (place - sweep.to.to_world(from)).reject_from_normalized(normal),
                    mass,
                    centre_distance: 0.0,
                    layer: view.layer_on_body(),
                    beside,
                    area,
                    coefficient: body.friction,
                    most_friction: view.most_friction(body.friction, area),
                });
            }
        }
    }
}

/// How many of the points are watched: on a half-space the centre of an element is where its nodes are, it cannot sink.
pub(super) fn watched(body: &Body, mesh: &Mesh) -> usize {
    if body.shape.is_flat() { mesh.node_count() } else { point_count(mesh) }
}

/// Whether the centre of an element can sink into a body although its nodes do not.
fn could_sink(stencil: &Stencil, normal: DVec3, place: DVec3, phi: &[DVec3], normals: &[Option<DVec3>]) -> bool {
    stencil.nodes().iter().any(|&i| match normals[i] {
        // Over half the turn of the surface between the two.
        Some(at_node) => 0.5 * (at_node - normal).length() * phi[i].distance(place) > SAG,
        None => true,
    })
}
