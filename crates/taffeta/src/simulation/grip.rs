//! What grippers feel, as the sensors of a hand would: forces on the pads, slip, and how many layers are between them.

use glam::{DMat3, DVec3};

use super::Simulation;
use crate::collide::Site;
use crate::gripper::{Gripper, Pad};
use crate::obstacle::Pose;
use crate::state::Contact;

/// Lines from pad to pad along which layers are counted, along each side of a pad.
const LINES: usize = 5;

/// What a gripper feels at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GripReading {
    /// Distance between the faces of the pads, m; below 0 by what rounding or a tolerance lets them overlap.
    pub opening: f64,
    /// How hard each finger pushes what it touches along the axis along which they close, N: the cloth, and whatever else is between.
    pub normal_force: [f64; 2],
    /// What both fingers exert across that axis, N: the friction of the pads, which carries what is held.
    pub tangential_force: DVec3,
    /// What both fingers exert about the middle between the pads, N m.
    pub torque: DVec3,
    /// How far what touches the pads has gone along them since both touch something, m: the length of its path, the mean of all points of
    /// contact by their normal forces. 0 while one of the pads touches nothing.
    pub slip: f64,
    /// Layers of cloth between the pads: the most that a line from one to the other meets.
    pub layers: usize,
    /// How far the middle between the fingers is from where it is to be, m.
    pub lag: f64,
}

/// Where everything is that grippers may touch when a step begins.
#[derive(Clone, Default)]
pub(super) struct GripStart {
    positions: Vec<DVec3>,
    poses: Vec<Pose>,
}

impl Simulation {
    /// What each gripper feels at the end of the last step, in the order in which they were added.
    pub fn grip_readings(&self) -> Vec<GripReading> {
        let poses = self.poses();
        (0..self.grippers.len()).map(|k| self.grip_reading(k, &poses)).collect()
    }

    fn grip_reading(&self, k: usize, poses: &[Pose]) -> GripReading {
        let (gripper, fingers) = &self.grippers[k];
        let target = gripper.motion.at(self.time());
        let (axis, slip) = (target.rotate(DVec3::Y), self.progress.slips.get(k).copied().unwrap_or(0.0));
        let Some([a, b]) = ends(fingers, poses) else { return GripReading::default() };
        let middle = 0.5 * (a.translation + b.translation);
        let mut reading = GripReading {
            opening: (a.translation - b.translation).dot(axis) - gripper.finger,
            slip,
            lag: middle.distance(target.translation),
            layers: self.layers_between(gripper, [a, b]),
            ..GripReading::default()
        };
        let mut sum = DVec3::ZERO;
        for (finger, (&obstacle, side)) in fingers.iter().zip([-1.0, 1.0]).enumerate() {
            for (contact, sign) in self.pushes_of(obstacle) {
                let force = contact.force() * sign;
                sum += force;
                reading.normal_force[finger] += side * force.dot(axis);
                if let Some(place) = self.place_of(contact, poses) {
                    reading.torque += (place - middle).cross(force);
                }
            }
        }
        reading.tangential_force = sum.reject_from_normalized(axis);
        reading
    }

    /// The contacts at which an obstacle pushes, with 1, or −1 where their forces are those on it.
    pub(super) fn pushes_of(&self, obstacle: usize) -> impl Iterator<Item = (&Contact, f64)> {
        self.progress.state.contacts.iter().filter_map(move |contact| match contact.site {
            site if site.obstacle() == Some(obstacle) => Some((contact, 1.0)),
            site if site.body() == Some(obstacle) => Some((contact, -1.0)),
            _ => None,
        })
    }

    /// Where a contact acts, m; `None` if that is a point of a body that it does not have.
    pub(super) fn place_of(&self, contact: &Contact, poses: &[Pose]) -> Option<DVec3> {
        let Site::Bodies { obstacle, body, tip } = contact.site else {
            return Some(contact.stencil.sum(self.positions()));
        };
        let [on, of] = [obstacle, body].map(|k| (&self.obstacles[k].shape, poses[k]));
        // A body without bounds is asked for what is near the other one.
        let (centre, reach) = match of.0.reach() {
            reach if reach.is_finite() => (DVec3::ZERO, reach),
            _ => (of.1.to_local(on.1.translation), on.0.reach()),
        };
        let (mut tips, room) = (Vec::new(), DVec3::splat(reach));
        of.0.tips(centre - room, centre + room, &mut tips);
        let tip = tips.iter().find(|found| found.name == tip)?;
        Some(of.1.to_world(tip.place) - contact.normal * tip.radius)
    }

    /// How many layers of the cloth lines from one pad to the other meet at most.
    fn layers_between(&self, gripper: &Gripper, [a, b]: [Pose; 2]) -> usize {
        // A frame in which the lines are along y.
        let middle = 0.5 * (a.translation + b.translation);
        let frame = DMat3::from_quat(gripper.motion.at(self.time()).rotation).transpose();
        let reach = 0.5 * (a.translation - b.translation).length();
        let [wide, long] = match gripper.pad {
            Pad::Rectangle([width, length]) => [0.5 * width, 0.5 * length],
            Pad::Disc(radius) => [radius; 2],
        };
        let positions = self.positions();
        let close = |x: DVec3| x.x.abs() <= wide && x.z.abs() <= long && x.y.abs() <= reach;
        let local: Vec<DVec3> = positions.iter().map(|&x| frame * (x - middle)).collect();
        // Triangles whose box meets that of the lines.
        let triangles = self.model.cloth().surface().triangles().iter().map(|nodes| nodes.map(|i| i as usize));
        let near: Vec<[usize; 3]> = triangles
            .filter(|nodes| {
                let [p, q, r] = nodes.map(|i| local[i]);
                let (low, high) = (p.min(q).min(r), p.max(q).max(r));
                close(DVec3::ZERO.clamp(low, high))
            })
            .collect();
        let place = |k: usize| (2 * k + 1) as f64 / LINES as f64 - 1.0;
        let lines = (0..LINES * LINES).map(|k| [place(k % LINES), place(k / LINES)]);
        let within = lines.filter(|[x, z]| match gripper.pad {
            Pad::Rectangle(_) => true,
            Pad::Disc(_) => x.hypot(*z) < 1.0,
        });
        let crossed = |[x, z]: [f64; 2]| {
            let line = [x * wide, z * long];
            near.iter().filter(|nodes| crosses(**nodes, &local, line, [-reach, reach])).count()
        };
        within.map(crossed).max().unwrap_or(0)
    }

    /// Notes where everything is before a step, if there is a gripper.
    pub(super) fn note_grip_start(&mut self) {
        if self.grippers.is_empty() {
            return;
        }
        let GripStart { positions, poses } = &mut self.grip_start;
        positions.clone_from(&self.progress.state.positions);
        poses.clear();
        let known = |k: usize| Some(self.progress.state.bodies.get(k).copied().flatten()?.pose);
        poses.extend(self.bodies.iter().enumerate().map(|(k, body)| known(k).unwrap_or(body.from)));
    }

    /// Adds how far what touches the pads has gone along them in the step that was taken.
    pub(super) fn add_slips(&mut self) {
        if self.grippers.is_empty() {
            return;
        }
        let poses = self.poses();
        for k in 0..self.grippers.len() {
            let slip = self.slip_in_step(self.grippers[k].1, &poses);
            let sum = &mut self.progress.slips[k];
            *sum = slip.map_or(0.0, |slip| *sum + slip);
        }
    }

    /// The mean way of what touches two fingers along them in the step that was taken, m; `None` if one of them touches nothing.
    fn slip_in_step(&self, fingers: [usize; 2], poses: &[Pose]) -> Option<f64> {
        let [mut way, mut weight] = [0.0; 2];
        for finger in fingers {
            let mut touches = false;
            for (contact, _) in self.pushes_of(finger) {
                touches = true;
                way += contact.normal_force * self.slip_at(contact, poses);
                weight += contact.normal_force;
            }
            if !touches {
                return None;
            }
        }
        Some(way / weight)
    }

    /// How far a point of contact with an obstacle has gone along it in the step that was taken, m; 0 if nothing is known of it.
    fn slip_at(&self, contact: &Contact, now: &[Pose]) -> f64 {
        let GripStart { positions, poses: start } = &self.grip_start;
        let (Some(obstacle), Some(place)) = (contact.site.obstacle(), self.place_of(contact, now)) else { return 0.0 };
        let material = match contact.site.body() {
            Some(body) => start[body].to_world(now[body].to_local(place)),
            None => contact.stencil.sum(positions),
        };
        let carried = now[obstacle].to_world(start[obstacle].to_local(material));
        (place - carried).reject_from_normalized(contact.normal).length()
    }
}

/// Where two fingers are; `None` if they are no obstacles any more.
fn ends(fingers: &[usize; 2], poses: &[Pose]) -> Option<[Pose; 2]> {
    Some([*poses.get(fingers[0])?, *poses.get(fingers[1])?])
}

/// Whether a line along y through a point of the plane of x and z meets a triangle between two heights. Of triangles with
/// a common edge or corner a line through it meets exactly as many as the surface has layers there.
pub(super) fn crosses(nodes: [usize; 3], places: &[DVec3], [x, z]: [f64; 2], [low, high]: [f64; 2]) -> bool {
    let mut inside = false;
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        // In an order that both triangles at the edge agree on.
        let (first, second) = (nodes[i].min(nodes[j]), nodes[i].max(nodes[j]));
        let [p, q] = [first, second].map(|node| [places[node].x - x, places[node].z - z]);
        if (p[1] > 0.0) != (q[1] > 0.0) && p[0] + (q[0] - p[0]) * (p[1] / (p[1] - q[1])) > 0.0 {
            inside = !inside;
        }
    }
    if !inside {
        return false;
    }
    let [p, q, r] = nodes.map(|i| places[i]);
    let normal = (q - p).cross(r - p);
    let height = p.y - (normal.x * (x - p.x) + normal.z * (z - p.z)) / normal.y;
    low <= height && height <= high
}
