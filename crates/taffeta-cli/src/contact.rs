//! Forces of contact on the nodes.

use taffeta::mesh::Mesh;
use taffeta::{Contact, DVec3};

/// Normal force and friction on each node, N. What pushes on the centre of an element pushes on its corners alike.
pub fn on_nodes(contacts: &[Contact], mesh: &Mesh) -> [Vec<DVec3>; 2] {
    let nodes = mesh.node_count();
    let mut forces = [vec![DVec3::ZERO; nodes], vec![DVec3::ZERO; nodes]];
    for contact in contacts {
        let itself = [contact.point];
        let corners = match contact.point.checked_sub(nodes) {
            None => &itself[..],
            Some(element) => mesh.elements()[element].nodes(),
        };
        let weight = 1.0 / corners.len() as f64;
        for (forces, force) in forces.iter_mut().zip([contact.normal * contact.normal_force, contact.friction]) {
            corners.iter().for_each(|&node| forces[node] += weight * force);
        }
    }
    forces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_on_centres_are_shared_by_their_corners() {
        let mesh = Mesh::grid(3, 2, |s, t| DVec3::new(s, t, 0.0)).unwrap();
        let contact = |obstacle, point, normal_force| Contact {
            obstacle,
            point,
            normal: DVec3::Z,
            normal_force,
            friction: DVec3::X,
            slipping: true,
        };
        // Node 1, and the centre of the second quad, whose corners are 1, 2, 5 and 4.
        let contacts = [contact(1, 1, 2.0), contact(0, 6 + 1, 8.0)];
        let [normal, friction] = on_nodes(&contacts, &mesh);
        let heights: Vec<f64> = normal.iter().map(|force| force.z).collect();
        assert_eq!(heights, [0.0, 4.0, 2.0, 0.0, 2.0, 2.0]);
        assert_eq!(friction[1], DVec3::X * 1.25);
    }
}
