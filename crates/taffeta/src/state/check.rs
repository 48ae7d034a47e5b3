//! What a state must be for a step to go on from it: one may be made by hand, or come from a file.

use super::{BodyState, Contact, State};
use crate::collide::{Site, point_count};
use crate::model::Model;

/// How far the length of a normal may be from 1: far more than rounding, and a millionth of every distance.
const UNIT: f64 = 1e-6;

const FORGET: &str = "call forget_history on a state made by hand";

impl State {
    /// What is wrong with the time and with what the state remembers of earlier steps, if anything, and what to do. That its
    /// arrays are as long as the model's is checked before.
    pub(crate) fn fault(&self, model: &Model) -> Option<String> {
        let nodes = model.node_count();
        if !self.time.is_finite() {
            return Some(format!("its time is {} s: give a finite time", self.time));
        }
        if !(self.previous_dt.is_finite() && self.previous_dt >= 0.0) {
            return Some(format!("its last step took {} s, which no step does: {FORGET}", self.previous_dt));
        }
        if let Some(row) = self.multipliers.iter().position(|multiplier| !multiplier.is_finite()) {
            return Some(format!("multiplier {row} is {}, not a finite number: {FORGET}", self.multipliers[row]));
        }
        let contact_fault = |(k, contact): (usize, &Contact)| {
            contact.fault(model).map(|fault| format!("contact {k} of it {fault}: {FORGET}"))
        };
        if let Some(fault) = self.contacts.iter().enumerate().find_map(contact_fault) {
            return Some(fault);
        }
        // After the nodes come two for each body that moves by the forces on it.
        let unknowns = nodes + 2 * self.bodies.iter().flatten().count();
        if let Some([a, b]) = self.coupled_pairs.iter().find(|[a, b]| a >= b || *b >= unknowns) {
            return Some(format!(
                "it couples nodes {a} and {b}, which are not two nodes of the {unknowns}, lower first: {FORGET}"
            ));
        }
        let body_fault = |(k, body): (usize, &Option<BodyState>)| Some((k, body.as_ref()?.fault()?));
        if let Some((k, fault)) = self.bodies.iter().enumerate().find_map(body_fault) {
            return Some(format!("body {k} of it {fault}: {FORGET}"));
        }
        let k = self.coupled_pairs.windows(2).position(|pair| pair[0] >= pair[1])?;
        Some(format!("pair {} of the nodes it couples is not after the one before: {FORGET}", k + 1))
    }
}

impl Contact {
    /// What is wrong with the contact, if anything.
    fn fault(&self, model: &Model) -> Option<String> {
        let (nodes, points) = (model.node_count(), point_count(model.cloth().mesh()));
        let of_site = self.site.points().find(|&(point, is_node)| point >= if is_node { nodes } else { points });
        if let Some((point, _)) = of_site {
            return Some(format!("is at point {point} of the cloth, which has {nodes} nodes and {points} points"));
        }
        if self.stencil.nodes().is_empty() && !matches!(self.site, Site::Bodies { .. }) {
            return Some("pushes no node of the cloth, and is not one of two bodies".to_owned());
        }
        if let Some(&node) = self.stencil.nodes().iter().find(|&&node| node >= nodes) {
            return Some(format!("pushes node {node} of a cloth of {nodes} nodes"));
        }
        if !self.stencil.weights().iter().all(|weight| weight.is_finite()) {
            return Some("shares its force by a weight that is not a finite number".to_owned());
        }
        let length = self.normal.length();
        if length.is_nan() || (length - 1.0).abs() > UNIT {
            return Some(format!("has a normal of length {length} instead of 1"));
        }
        if !(self.normal_force.is_finite() && self.normal_force >= 0.0) {
            return Some(format!("pushes with {} N, not with a finite force of 0 or more", self.normal_force));
        }
        if !self.friction.is_finite() {
            return Some("has friction that is not finite".to_owned());
        }
        let fine = |value: f64| value.is_finite() && value >= 0.0;
        let fault = || format!("is under {} Pa and gives {} m, not 0 or more of both", self.pressure, self.compressed);
        (!fine(self.pressure) || !fine(self.compressed)).then(fault)
    }
}

impl BodyState {
    /// What is wrong with it, if anything.
    fn fault(&self) -> Option<String> {
        let finite = [self.velocity, self.angular_velocity].iter().chain(&self.drive).all(|v| v.is_finite());
        self.pose.fault().or_else(|| (!finite).then(|| "has a velocity or a force that is not finite".to_owned()))
    }
}
