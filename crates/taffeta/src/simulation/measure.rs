//! What can be asked of a simulation after a step: forces, tensions, free space.

use glam::DVec3;

use super::Simulation;
use crate::cloth::RowKind;

impl Simulation {
    /// The force of the cloth and of other bodies on an obstacle at the end of the last step, N; zero if there is no such obstacle. What
    /// bodies that do not move by the forces on them do to each other is not known.
    pub fn obstacle_force(&self, obstacle: usize) -> DVec3 {
        -self.pushes_of(obstacle).map(|(contact, sign)| contact.force() * sign).sum::<DVec3>()
    }

    /// The force of the cloth and of other bodies on an obstacle at the end of the last step, N, and their torque about the origin of
    /// its frame, N m, both along axes of the world; zero if there is no such obstacle.
    pub fn obstacle_wrench(&self, obstacle: usize) -> [DVec3; 2] {
        let poses = self.poses();
        let Some(origin) = poses.get(obstacle).map(|pose| pose.translation) else { return [DVec3::ZERO; 2] };
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for (contact, sign) in self.pushes_of(obstacle) {
            let push = -contact.force() * sign;
            force += push;
            if let Some(place) = self.place_of(contact, &poses) {
                torque += (place - origin).cross(push);
            }
        }
        [force, torque]
    }

    /// Where each contact of the state acts, m; `None` for one at a point of a body that is not there.
    pub fn contact_places(&self) -> Vec<Option<DVec3>> {
        let poses = self.poses();
        self.progress.state.contacts.iter().map(|contact| self.place_of(contact, &poses)).collect()
    }

    /// Tension along the threads that are kept at length, N: the nodes of each, and the force that pulls them together
    /// (negative where they are pushed apart).
    pub fn tensions(&self) -> impl Iterator<Item = ([usize; 2], f64)> + '_ {
        let (cloth, state) = (self.model.cloth(), &self.progress.state);
        let lengths = cloth.groups().iter().filter(|group| matches!(group.kind, RowKind::Lengths));
        lengths.flat_map(|group| group.rows.clone()).filter_map(move |r| match *cloth.rows.nodes(r) {
            // The gradient of such a row at its nodes is the weight times their difference.
            [a, b] => {
                let length = state.positions[a].distance(state.positions[b]);
                Some(([a, b], state.multipliers[r] * cloth.rows.weights(r)[0] * length))
            }
            _ => None,
        })
    }

    /// The largest tension of the threads at each node, N; 0 where they are slack or pushed.
    pub fn node_tensions(&self) -> Vec<f64> {
        let mut largest = vec![0.0; self.positions().len()];
        for (ends, tension) in self.tensions() {
            ends.into_iter().for_each(|node| largest[node] = f64::max(largest[node], tension));
        }
        largest
    }

    /// Normal force and friction on each node, N, as the nodes share the points of contact.
    pub fn contact_forces(&self) -> [Vec<DVec3>; 2] {
        let mut forces = [(); 2].map(|()| vec![DVec3::ZERO; self.positions().len()]);
        for contact in &self.progress.state.contacts {
            for (forces, force) in forces.iter_mut().zip([contact.normal * contact.normal_force, contact.friction]) {
                contact.stencil.entries().for_each(|(node, weight)| forces[node] += weight * force);
            }
        }
        forces
    }

    /// The force of whoever holds it on each node in the last step, N.
    pub fn held_forces_on_nodes(&self) -> Vec<DVec3> {
        let mut forces = vec![DVec3::ZERO; self.positions().len()];
        for (held, &force) in self.held.iter().zip(self.held_forces()) {
            forces[held.node] = force;
        }
        forces
    }

    /// How far what a node belongs to was from touching an obstacle or another layer at the end of the last step, m: 0 where it
    /// touches, infinite where nothing is near.
    pub fn clearances(&self) -> Vec<f64> {
        let known = self.progress.state.clearances.iter().copied();
        known.chain(std::iter::repeat(f64::INFINITY)).take(self.positions().len()).collect()
    }
}
