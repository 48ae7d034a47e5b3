//! What suction cups take, hold, feel and lose.

use glam::DVec3;

use super::{Simulation, grip::crosses};
use crate::state::State;
use crate::step::{Held, StepError};
use crate::suction::SuctionCup;

/// What a suction cup holds.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CupState {
    /// Which of its times it is on for: then it has taken what was there.
    pub switched_on: Option<usize>,
    /// The nodes, and where they are held in its frame, m; none when it has lost them.
    pub nodes: Vec<(usize, DVec3)>,
}

/// What a suction cup feels at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SuctionReading {
    /// How hard it pulls along its axis, N; below 0 where it pushes.
    pub normal_force: f64,
    /// What it exerts across its axis, N.
    pub tangential_force: DVec3,
    /// How many nodes it holds.
    pub nodes: usize,
}

impl Simulation {
    /// Adds a suction cup, or a needle.
    ///
    /// # Errors
    ///
    /// If it cannot be; then nothing is added.
    pub fn add_suction(&mut self, cup: SuctionCup) -> Result<(), StepError> {
        if let Some(rule) = cup.fault() {
            return Err(StepError::BadJaws { rule });
        }
        self.cups.push(cup);
        self.progress.cups.push(CupState::default());
        Ok(())
    }

    /// The suction cups, to be moved and switched.
    pub fn cups_mut(&mut self) -> impl Iterator<Item = &mut SuctionCup> {
        self.cups.iter_mut()
    }

    /// What each suction cup feels at the end of the last step, in the order in which they were added.
    pub fn suction_readings(&self) -> Vec<SuctionReading> {
        let cups = self.cups.iter().zip(&self.progress.cups);
        cups.map(|(cup, state)| {
            let force = self.force_on(state);
            let pull = cup.motion.at(self.time()).rotate(DVec3::NEG_Z);
            SuctionReading {
                normal_force: force.dot(pull),
                tangential_force: force.reject_from_normalized(pull),
                nodes: state.nodes.len(),
            }
        })
        .collect()
    }

    /// The force of a cup on what it holds in the last step, N.
    fn force_on(&self, state: &CupState) -> DVec3 {
        let held = self.held.iter().zip(self.held_forces());
        held.filter(|(held, _)| state.nodes.iter().any(|(node, _)| *node == held.node)).map(|(_, force)| *force).sum()
    }

    /// Lets cups take and release cloth for a step that ends at a time, and collects what they hold of what nobody else does.
    pub(super) fn suck_for_step_ending_at(&mut self, time: f64) {
        let Self { model, progress, held, taken, last_targets, dt, params, cups, .. } = self;
        let areas = model.cloth().node_areas();
        let mass = params.material.density * areas.iter().sum::<f64>();
        for (cup, state) in cups.iter().zip(&mut progress.cups) {
            let on = cup.switched_on(time, *dt);
            if on != state.switched_on {
                let triangles = model.cloth().surface().triangles();
                state.nodes =
                    if on.is_some() { reached(cup, time - *dt, triangles, &progress.state) } else { Vec::new() };
                state.switched_on = on;
            }
            let whole: f64 = state.nodes.iter().map(|&(node, _)| areas[node]).sum();
            let pose = cup.motion.at(time);
            for &(node, place) in &state.nodes {
                if std::mem::replace(&mut taken[node], true) {
                    continue;
                }
                let from = last_targets[node].unwrap_or(progress.state.positions[node]);
                let spring = Some(cup.hand.share(areas[node] / whole, mass, from));
                held.push(Held { node, target: pose.to_world(place), spring });
            }
        }
    }

    /// Lets cups lose what pulls harder than they hold.
    pub(super) fn lose_from_cups(&mut self) {
        for k in 0..self.cups.len() {
            if self.force_on(&self.progress.cups[k]).length() > self.cups[k].holding_force {
                self.progress.cups[k].nodes.clear();
            }
        }
    }
}

/// The nodes that a cup reaches, and where they are in its frame: no other part of the cloth is between them and the cup.
fn reached(cup: &SuctionCup, time: f64, triangles: &[[u32; 3]], state: &State) -> Vec<(usize, DVec3)> {
    let pose = cup.motion.at(time);
    let local: Vec<DVec3> = state.positions.iter().map(|&x| pose.to_local(x)).collect();
    // With the axis of the cup along y, as lines from pad to pad are.
    let turned: Vec<DVec3> = local.iter().map(|x| DVec3::new(x.x, x.z, x.y)).collect();
    let free = |&(node, x): &(usize, &DVec3)| {
        let covers = |nodes: &[u32; 3]| {
            let nodes = nodes.map(|i| i as usize);
            !nodes.contains(&node) && crosses(nodes, &turned, [x.x, x.y], [-cup.reach, x.z])
        };
        !triangles.iter().any(covers)
    };
    let near = |(_, x): &(usize, &DVec3)| x.x.hypot(x.y) <= cup.radius && x.z.abs() <= cup.reach;
    local.iter().enumerate().filter(near).filter(free).map(|(node, x)| (node, *x)).collect()
}
