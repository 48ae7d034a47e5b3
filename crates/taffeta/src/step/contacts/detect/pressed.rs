//! Where the cloth is pressed, and thinner than at rest: what is close there is not too close.

use super::super::compliance::Squeeze;
use super::super::memory::Known;
use crate::cloth::{Compression, Material};
use crate::collide::{Site, Stencil};
use crate::state::Contact;

/// Of the tolerance for gaps: edges, middles of elements and faces may be deeper in a body than the nodes that it presses. Where cloth
/// lies flat on it these keep it out, and whether what is between them is deeper is chance.
const EASE: f64 = 0.3;

/// What pressure does to the cloth at its nodes.
#[derive(Default)]
pub(super) struct Pressed {
    law: Compression,
    /// How much thinner it makes the cloth at the start of a part of a step, m: on bodies, and between layers.
    on_bodies: Vec<f64>,
    between_layers: Vec<f64>,
    /// The pressure between layers at the last iterate, and of bodies on nodes, Pa.
    pressure: Vec<f64>,
    node_pressure: Vec<f64>,
}

impl Pressed {
    /// Notes what presses a cloth of so many nodes at the start of a part of a step.
    pub fn begin(&mut self, nodes: usize, material: &Material, contacts: &[Contact]) {
        self.law = Compression::of(material);
        let Self { on_bodies, between_layers, pressure, node_pressure, .. } = self;
        for list in [&mut *on_bodies, between_layers, pressure, node_pressure] {
            list.clear();
            list.resize(nodes, 0.0);
        }
        for contact in contacts {
            let thinner = if contact.site.obstacle().is_some() { &mut *on_bodies } else { &mut *between_layers };
            note(thinner, &contact.stencil, contact.compressed);
            if presses_layers(&contact.site) {
                note(pressure, &contact.stencil, contact.pressure);
            }
            if presses_node(&contact.site, &contact.stencil) {
                note(node_pressure, &contact.stencil, contact.pressure);
            }
        }
    }

    /// Notes what pressed the cloth at the last iterate.
    pub fn see(&mut self, (touches, felt): Known, squeeze: &Squeeze) {
        self.pressure.fill(0.0);
        self.node_pressure.fill(0.0);
        for (touch, felt) in touches.iter().zip(felt).filter(|(_, felt)| felt.gamma > 0.0) {
            if presses_layers(&touch.site) {
                note(&mut self.pressure, &touch.stencil, squeeze.pressure(touch, felt.gamma));
            }
            if presses_node(&touch.site, &touch.stencil) {
                note(&mut self.node_pressure, &touch.stencil, squeeze.pressure(touch, felt.gamma));
            }
        }
    }

    /// How much thinner the cloth was on a body at the start, m.
    pub fn on_bodies(&self, stencil: &Stencil) -> f64 {
        most(&self.on_bodies, stencil.nodes().iter().copied())
    }

    /// The same between two of its parts.
    pub fn between_layers(&self, nodes: [u32; 4]) -> f64 {
        most(&self.between_layers, nodes.iter().map(|&i| i as usize))
    }

    /// The largest pressure of bodies on the nodes of a stencil, Pa. What touches a body between its nodes adds only what it is pressed beyond
    /// them: it is of their areas.
    pub fn of_bodies_on(&self, stencil: &Stencil) -> f64 {
        most(&self.node_pressure, stencil.nodes().iter().copied())
    }

    /// By how much what touches a body between nodes that it presses with `beside` may be deeper than they are, m.
    pub fn ease(&self, beside: f64, gap_tolerance: f64) -> f64 {
        if beside > 0.0 { EASE * gap_tolerance } else { 0.0 }
    }

    /// The largest pressure that nodes and faces make at some nodes, Pa.
    pub fn at(&self, nodes: [u32; 4]) -> f64 {
        most(&self.pressure, nodes.iter().map(|&i| i as usize))
    }

    /// How much thinner that makes a layer that is so thick at rest, m.
    pub fn thinner_at(&self, nodes: [u32; 4], layer: f64) -> f64 {
        layer * self.law.at(self.at(nodes))
    }
}

/// Whether a touch is of layers and stands for an area of the cloth, as nodes do: edges that cross between them add no area.
fn presses_layers(site: &Site) -> bool {
    matches!(site, Site::Nodes(_) | Site::NodeEdge(..) | Site::NodeFace(..))
}

/// Whether a touch is of a node on a body.
fn presses_node(site: &Site, stencil: &Stencil) -> bool {
    matches!(site, Site::Point { .. }) && stencil.is_node()
}

fn note(list: &mut [f64], stencil: &Stencil, value: f64) {
    for &node in stencil.nodes() {
        if let Some(most) = list.get_mut(node) {
            *most = f64::max(*most, value);
        }
    }
}

fn most(list: &[f64], nodes: impl Iterator<Item = usize>) -> f64 {
    nodes.map(|i| list[i]).fold(0.0, f64::max)
}
