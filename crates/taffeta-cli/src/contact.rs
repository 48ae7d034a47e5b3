//! Forces of contact on the nodes.

use taffeta::{Contact, DVec3};

/// Normal force and friction on each of so many nodes, N, as the nodes share the points of contact.
pub fn on_nodes(contacts: &[Contact], nodes: usize) -> [Vec<DVec3>; 2] {
    let mut forces = [vec![DVec3::ZERO; nodes], vec![DVec3::ZERO; nodes]];
    for contact in contacts {
        for (forces, force) in forces.iter_mut().zip([contact.normal * contact.normal_force, contact.friction]) {
            contact.stencil.entries().for_each(|(node, weight)| forces[node] += weight * force);
        }
    }
    forces
}
