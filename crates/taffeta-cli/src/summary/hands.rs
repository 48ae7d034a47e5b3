//! What came of grippers, and of bodies that answer to forces.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taffeta::{DVec3, GripReading, Simulation};

/// The running account of a gripper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GripTally {
    max_normal_force: f64,
    max_tangential_force: f64,
    max_slip: f64,
    pub max_layers: u64,
    slip: f64,
}

impl GripTally {
    /// Adds what a gripper feels after a step.
    pub fn add(&mut self, reading: &GripReading) {
        self.max_normal_force = reading.normal_force.iter().fold(self.max_normal_force, |most, &force| most.max(force));
        self.max_tangential_force = self.max_tangential_force.max(reading.tangential_force.length());
        self.max_slip = self.max_slip.max(reading.slip);
        self.max_layers = self.max_layers.max(reading.layers as u64);
        self.slip = reading.slip;
    }
}

/// What came of a gripper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GripSummary {
    /// Largest force of one pad along the axis along which they close, of all steps.
    pub max_normal_force_n: f64,
    /// Largest force of both pads across that axis, of all steps.
    pub max_tangential_force_n: f64,
    /// How far what it holds has slipped, at most and at the end.
    pub max_slip_m: f64,
    pub slip_m: f64,
    /// Most layers of cloth between the pads, of all steps.
    pub max_layers: u64,
}

/// What came of a body that is free or driven.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodySummary {
    /// Where its origin is at the end.
    pub place_m: [f64; 3],
    /// How far that is from where it started.
    pub way_m: f64,
    /// Speed of its centre of mass at the end.
    pub speed_m_s: f64,
}

/// What came of the grippers of a simulation, by their names.
pub fn grippers(simulation: &Simulation, tallies: &[GripTally]) -> BTreeMap<String, GripSummary> {
    let grippers = simulation.grippers().iter().zip(tallies);
    let summary = |tally: &GripTally| GripSummary {
        max_normal_force_n: tally.max_normal_force,
        max_tangential_force_n: tally.max_tangential_force,
        max_slip_m: tally.max_slip,
        slip_m: tally.slip,
        max_layers: tally.max_layers,
    };
    grippers.map(|((gripper, _), tally)| (gripper.name.clone(), summary(tally))).collect()
}

/// What came of the free and driven bodies of a simulation that are no fingers, by their names.
pub fn bodies(simulation: &Simulation) -> BTreeMap<String, BodySummary> {
    let is_finger = |k: usize| simulation.grippers().iter().any(|(_, fingers)| fingers.contains(&k));
    let states = simulation.state().bodies.iter().zip(&simulation.obstacles).enumerate();
    let free =
        states.filter(|&(k, _)| !is_finger(k)).filter_map(|(_, (state, obstacle))| Some((state.as_ref()?, obstacle)));
    free.map(|(state, obstacle)| {
        let (place, start): (DVec3, DVec3) = (state.pose.translation, obstacle.motion.at(0.0).translation);
        let summary =
            BodySummary { place_m: place.to_array(), way_m: place.distance(start), speed_m_s: state.velocity.length() };
        (obstacle.name.clone(), summary)
    })
    .collect()
}

/// Rows of a table about them.
pub fn rows(
    grippers: &BTreeMap<String, GripSummary>,
    bodies: &BTreeMap<String, BodySummary>,
) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    for (name, grip) in grippers {
        let layers = if grip.max_layers == 1 { "layer" } else { "layers" };
        let held = format!(
            "at most {:.2} N on a pad of {name}, {:.2} N across; {} {layers}, slip {:.2} mm",
            grip.max_normal_force_n,
            grip.max_tangential_force_n,
            grip.max_layers,
            1e3 * grip.max_slip_m
        );
        rows.push(("gripper", held));
    }
    for (name, body) in bodies {
        let [x, y, z] = body.place_m;
        let went = format!("{:.4} m to {x:.3}, {y:.3}, {z:.3}; {:.4} m/s at the end", body.way_m, body.speed_m_s);
        rows.push(("body", format!("{name} went {went}")));
    }
    rows
}
