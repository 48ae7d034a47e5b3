//! A simulation, and whoever moves it from outside: what all classes of the module are made of. Nothing of Python is in here.

mod saved;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use taffeta::obstacle::{Motion, Pose};
use taffeta::{Interpolation, Simulation, StepError, StepReport};
use taffeta_io::scene::{Scene, SceneError};

use crate::account::Account;
use crate::glide::Glide;

/// What is asked for and cannot be, in words for the caller.
pub type Refusal = String;

/// How a node is held.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Hold {
    /// At its target, whatever force that takes.
    Exact,
    /// As by a robot's arm.
    Giving {
        /// N/m.
        stiffness: f64,
        /// N s/m; `None` for critical damping.
        damping: Option<f64>,
        /// N.
        max_force: f64,
    },
}

/// A node that the caller holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hand {
    /// The node.
    pub node: usize,
    hold: Hold,
    way: Glide<DVec3>,
}

/// How the caller leads a gripper; what is not led goes on as in the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct LedGripper {
    way: Option<Glide<Pose>>,
    closed: Option<Vec<[f64; 2]>>,
}

/// What the scene does with bodies that the caller does not lead.
#[derive(Debug)]
struct SceneMotions {
    obstacles: Vec<Motion>,
    grippers: Vec<(Motion, Vec<[f64; 2]>)>,
}

/// Why a step was not taken.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// The library refused it; the state is as it was.
    Refused(StepError),
    /// The library failed in a way that it should not.
    Panicked(String),
}

/// How many steps something takes, and how it moves meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How many steps; at least one.
    pub steps: u64,
    /// How it moves.
    pub interpolation: Interpolation,
}

/// A simulation that is moved from outside.
pub struct World {
    scene: Arc<Scene>,
    motions: Arc<SceneMotions>,
    /// The simulation.
    pub simulation: Simulation,
    /// In the order in which they were taken.
    hands: Vec<Hand>,
    released: BTreeSet<usize>,
    led_obstacles: BTreeMap<usize, Glide<Pose>>,
    led_grippers: BTreeMap<usize, LedGripper>,
    /// What the last call for steps came to.
    pub account: Account,
}

impl Clone for World {
    fn clone(&self) -> Self {
        Self {
            scene: self.scene.clone(),
            motions: self.motions.clone(),
            simulation: self.simulation.clone(),
            hands: self.hands.clone(),
            released: self.released.clone(),
            led_obstacles: self.led_obstacles.clone(),
            led_grippers: self.led_grippers.clone(),
            account: self.account,
        }
    }

    /// The same in the memory that is there already.
    fn clone_from(&mut self, source: &Self) {
        self.scene.clone_from(&source.scene);
        self.motions.clone_from(&source.motions);
        self.simulation.clone_from(&source.simulation);
        self.hands.clone_from(&source.hands);
        self.released.clone_from(&source.released);
        self.led_obstacles.clone_from(&source.led_obstacles);
        self.led_grippers.clone_from(&source.led_grippers);
        self.account = source.account;
    }
}

impl World {
    /// The start of a scene.
    pub fn new(scene: Scene) -> Result<Self, SceneError> {
        let simulation = scene.build()?;
        let grippers = simulation.grippers().iter();
        let motions = SceneMotions {
            obstacles: simulation.obstacles.iter().map(|obstacle| obstacle.motion.clone()).collect(),
            grippers: grippers.map(|(gripper, _)| (gripper.motion.clone(), gripper.closed.clone())).collect(),
        };
        Ok(Self {
            scene: Arc::new(scene),
            motions: Arc::new(motions),
            simulation,
            hands: Vec::new(),
            released: BTreeSet::new(),
            led_obstacles: BTreeMap::new(),
            led_grippers: BTreeMap::new(),
            account: Account::default(),
        })
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.simulation.positions().len()
    }

    /// The time after so many further steps, s.
    fn time_after(&self, steps: u64) -> f64 {
        // As the simulation counts it, so that ways end with steps to the bit.
        (self.simulation.steps() + steps) as f64 * self.simulation.dt()
    }

    /// Takes a step.
    pub fn step(&mut self) -> Result<StepReport, Trouble> {
        let end = self.time_after(1);
        for &Hand { node, hold, way } in &self.hands {
            match hold {
                Hold::Exact => self.simulation.hold_exactly(node, way.at(end)),
                Hold::Giving { stiffness, damping, max_force } => {
                    self.simulation.hold_with(taffeta::Hand { stiffness, damping, max_force }, node, way.at(end));
                }
            }
        }
        // A defect of the library must not end the interpreter, nor the other simulations of a batch.
        match catch_unwind(AssertUnwindSafe(|| self.simulation.step())) {
            Ok(outcome) => outcome.map_err(Trouble::Refused),
            Err(cause) => {
                let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| cause.downcast_ref::<String>().cloned());
                Err(Trouble::Panicked(text.unwrap_or_else(|| "a defect of taffeta".to_owned())))
            }
        }
    }

    /// The nodes that the caller holds, in the order in which they were taken.
    pub fn hands(&self) -> impl ExactSizeIterator<Item = usize> {
        self.hands.iter().map(|hand| hand.node)
    }

    /// Where the hands are now, m.
    pub fn hand_targets(&self) -> Vec<DVec3> {
        let now = self.time_after(0);
        self.hands.iter().map(|hand| hand.way.at(now)).collect()
    }

    /// The nodes held in the last step by anybody, or from the start before the first.
    pub fn held(&self) -> Vec<usize> {
        let held = match self.simulation.steps() {
            0 => self.scene.held_at_start(&self.simulation).unwrap_or_default(),
            _ => self.simulation.progress().targets.iter().map(|(node, _)| *node).collect(),
        };
        let grasped = held.into_iter().filter(|node| !self.released.contains(node));
        let all: BTreeSet<usize> = grasped.chain(self.hands()).collect();
        all.into_iter().collect()
    }

    /// Refuses nodes that are not there, or that are named twice.
    pub fn check_nodes(&self, nodes: &[usize]) -> Result<(), Refusal> {
        let count = self.nodes();
        let mut seen = BTreeSet::new();
        for &node in nodes {
            if node >= count {
                return Err(format!("there is no node {node}: the cloth has nodes 0 to {}", count - 1));
            }
            if !seen.insert(node) {
                return Err(format!("node {node} is named twice: name every node once"));
            }
        }
        Ok(())
    }

    /// Takes nodes where they are, or where their targets are, if they are held already.
    pub fn hold(&mut self, nodes: &[usize], hold: Hold) -> Result<(), Refusal> {
        self.check_nodes(nodes)?;
        check_hold(hold)?;
        let last: BTreeMap<usize, DVec3> = self.simulation.progress().targets.iter().copied().collect();
        for &node in nodes {
            match self.hands.iter_mut().find(|hand| hand.node == node) {
                Some(hand) => hand.hold = hold,
                None => {
                    let held = last.get(&node).filter(|_| !self.released.contains(&node));
                    let place = held.copied().unwrap_or_else(|| self.simulation.positions()[node]);
                    self.hands.push(Hand { node, hold, way: Glide::resting(place) });
                }
            }
        }
        Ok(())
    }

    /// Moves hands to targets, one for each hand in their order, m.
    pub fn move_hands(&mut self, targets: &[DVec3], pace: Pace) -> Result<(), Refusal> {
        if targets.len() != self.hands.len() {
            return Err(format!(
                "there are {} targets for {} hands: give one for each node of `hands`, in its order",
                targets.len(),
                self.hands.len()
            ));
        }
        let times = [self.time_after(0), self.time_after(pace.steps)];
        for (hand, &target) in self.hands.iter_mut().zip(targets) {
            hand.way = Glide::new(hand.way.at(times[0]), target, times, pace.interpolation);
        }
        Ok(())
    }

    /// Moves the hands of some nodes only.
    pub fn move_nodes(&mut self, nodes: &[usize], targets: &[DVec3], pace: Pace) -> Result<(), Refusal> {
        let times = [self.time_after(0), self.time_after(pace.steps)];
        for (&node, &target) in nodes.iter().zip(targets) {
            let Some(hand) = self.hands.iter_mut().find(|hand| hand.node == node) else {
                return Err(format!("node {node} is not in a hand: call hold first"));
            };
            hand.way = Glide::new(hand.way.at(times[0]), target, times, pace.interpolation);
        }
        Ok(())
    }

    /// Lets go of nodes, by whomever they are held.
    pub fn release(&mut self, nodes: &[usize]) -> Result<(), Refusal> {
        self.check_nodes(nodes)?;
        self.hands.retain(|hand| !nodes.contains(&hand.node));
        for &node in nodes {
            self.simulation.let_go(node);
            self.released.insert(node);
        }
        Ok(())
    }

    /// The index of an obstacle that is no finger.
    pub fn obstacle(&self, name: &str) -> Result<usize, Refusal> {
        let found = self.simulation.obstacles.iter().position(|obstacle| obstacle.name == name);
        found.ok_or_else(|| {
            let names: Vec<String> = self.obstacles().map(|name| format!("{name:?}")).collect();
            format!("there is no obstacle {name:?} in this scene: {}", listed("it has", &names))
        })
    }

    /// The names of the obstacles, fingers included.
    pub fn obstacles(&self) -> impl Iterator<Item = &str> {
        self.simulation.obstacles.iter().map(|obstacle| obstacle.name.as_str())
    }

    /// The index of a gripper.
    pub fn gripper(&self, name: &str) -> Result<usize, Refusal> {
        let grippers = self.simulation.grippers();
        let found = grippers.iter().position(|(gripper, _)| gripper.name == name);
        found.ok_or_else(|| {
            let names: Vec<String> = grippers.iter().map(|(gripper, _)| format!("{:?}", gripper.name)).collect();
            format!("there is no gripper {name:?} in this scene: {}", listed("it has", &names))
        })
    }

    /// Where an obstacle is to be now.
    pub fn obstacle_target(&self, k: usize) -> Pose {
        self.simulation.obstacles[k].motion.at(self.time_after(0))
    }

    /// Moves an obstacle from where it is, or is to be, to a pose; from now on the scene's own motion of it does not count.
    pub fn move_obstacle(&mut self, name: &str, to: Pose, pace: Pace) -> Result<(), Refusal> {
        let k = self.obstacle(name)?;
        if self.simulation.grippers().iter().any(|(_, fingers)| fingers.contains(&k)) {
            return Err(format!("obstacle {name:?} is a finger of a gripper: move the gripper"));
        }
        let obstacle = &self.simulation.obstacles[k];
        if obstacle.dynamics.is_some_and(|dynamics| dynamics.servo.is_none()) {
            return Err(format!(
                "obstacle {name:?} is free and goes where forces take it: make it \"driven\" in the scene"
            ));
        }
        let times = [self.time_after(0), self.time_after(pace.steps)];
        let way = Glide::new(obstacle.motion.at(times[0]), to, times, pace.interpolation);
        self.simulation.obstacles[k].motion = way.motion();
        self.led_obstacles.insert(k, way);
        Ok(())
    }

    /// Where the frame of a gripper is to be now.
    pub fn gripper_target(&self, k: usize) -> Pose {
        self.simulation.grippers()[k].0.motion.at(self.time_after(0))
    }

    /// Moves a gripper from where it is to be now to a pose; from now on the scene's own motion of it does not count.
    pub fn move_gripper(&mut self, name: &str, to: Pose, pace: Pace) -> Result<(), Refusal> {
        let k = self.gripper(name)?;
        let times = [self.time_after(0), self.time_after(pace.steps)];
        let way = Glide::new(self.gripper_target(k), to, times, pace.interpolation);
        self.led_grippers.entry(k).or_default().way = Some(way);
        self.lead_gripper(k);
        Ok(())
    }

    /// Closes or opens a gripper; from now on the times of the scene at which it does so do not count.
    pub fn set_closed(&mut self, name: &str, close: bool) -> Result<(), Refusal> {
        let k = self.gripper(name)?;
        let now = self.time_after(0);
        let gripper = &self.simulation.grippers()[k].0;
        // What it did until now stays: where its fingers are follows from it.
        let mut closed: Vec<[f64; 2]> = gripper.closed.iter().copied().filter(|[from, _]| *from < now).collect();
        match (closed.last_mut(), close) {
            (Some([_, until]), true) if *until >= now => *until = f64::INFINITY,
            (_, true) => closed.push([now, f64::INFINITY]),
            (Some([_, until]), false) => *until = until.min(now),
            (None, false) => {}
        }
        self.led_grippers.entry(k).or_default().closed = Some(closed);
        self.lead_gripper(k);
        Ok(())
    }

    /// Whether a gripper is told to be closed in the next step.
    pub fn is_closed(&self, k: usize) -> bool {
        let now = self.time_after(0);
        self.simulation.grippers()[k].0.closed.iter().any(|&[from, until]| from <= now && now < until)
    }

    /// Has a gripper do what it is led to, and all else as in the scene.
    fn lead_gripper(&mut self, k: usize) {
        let led = self.led_grippers.get(&k).cloned().unwrap_or_default();
        let (motion, closed) = &self.motions.grippers[k];
        if let Some(gripper) = self.simulation.grippers_mut().nth(k) {
            gripper.motion = led.way.map_or_else(|| motion.clone(), |way| way.motion());
            gripper.closed = led.closed.unwrap_or_else(|| closed.clone());
        }
    }

    /// Puts all nodes somewhere, at once, m.
    pub fn set_positions(&mut self, positions: Vec<DVec3>) {
        let state = self.simulation.state_mut();
        state.positions = positions;
        state.forget_history();
    }

    /// Gives all nodes velocities, m/s.
    pub fn set_velocities(&mut self, velocities: Vec<DVec3>) {
        let state = self.simulation.state_mut();
        state.velocities = velocities;
        state.forget_history();
    }
}

/// What a list holds, in words.
fn listed(what: &str, names: &[String]) -> String {
    if names.is_empty() { format!("{what} none") } else { format!("{what} {}", names.join(", ")) }
}

fn check_hold(hold: Hold) -> Result<(), Refusal> {
    let Hold::Giving { stiffness, damping, max_force } = hold else { return Ok(()) };
    if !(stiffness > 0.0 && stiffness.is_finite()) {
        return Err(format!("stiffness is {stiffness} N/m: give a positive, finite number"));
    }
    if let Some(damping) = damping.filter(|damping| !(*damping >= 0.0 && damping.is_finite())) {
        return Err(format!("damping is {damping} N s/m: give 0 or a positive, finite number"));
    }
    if max_force.is_nan() || max_force <= 0.0 {
        return Err(format!("max_force is {max_force} N: give a positive number, or infinity"));
    }
    Ok(())
}
