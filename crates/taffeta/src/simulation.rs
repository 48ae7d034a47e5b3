//! What a caller holds: a model, its parameters, its state, and who moves it.

mod copy;
mod grip;
mod measure;
mod restore;
#[cfg(feature = "serde")]
mod saved;
mod suction;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::DVec3;

use crate::cloth::Cloth;
use crate::cores::Cores;
use crate::gripper::Gripper;
use crate::model::Model;
use crate::motion::{Grasp, Hand, Path, Seam};
use crate::obstacle::{Body, Jaws, Obstacle, Pose};
use crate::params::Params;
use crate::state::State;
use crate::step::{Held, Inputs, StepError, StepReport, Workspace, check_start, step};
use crate::suction::SuctionCup;
use crate::timing::Clock;
use grip::GripStart;

pub use grip::GripReading;
pub use suction::{CupState, SuctionReading};

/// A running simulation with a fixed step length.
pub struct Simulation {
    model: Arc<Model>,
    /// Material, surroundings, solver: may be changed between steps.
    pub params: Params,
    /// The bodies of the world: friction may be changed between steps. Who adds, removes or moves one by hand calls
    /// [`State::forget_history`], because the state knows them by their places in this list.
    pub obstacles: Vec<Obstacle>,
    dt: f64,
    grasps: Vec<Grasp>,
    loads: Vec<Load>,
    seams: Vec<Seam>,
    /// Nodes that the caller holds.
    in_hand: BTreeMap<usize, InHand>,
    /// Nodes that no grasp holds any more.
    let_go: BTreeSet<usize>,
    progress: Progress,
    workspace: Workspace,
    bodies: Vec<Body>,
    held: Vec<Held>,
    /// Force of all loads on every node, N; empty without loads.
    forces: Vec<DVec3>,
    /// Distance of every pair of the cloth's seams at the end of the step, m.
    distances: Vec<Option<f64>>,
    jaws: Vec<Jaws>,
    /// Grippers, and which obstacles their fingers are.
    grippers: Vec<(Gripper, [usize; 2])>,
    /// Where everything was when the last step began, for what grippers feel.
    grip_start: GripStart,
    cups: Vec<SuctionCup>,
    /// Which nodes are in `held`.
    taken: Vec<bool>,
    /// Where they were to be at the end of the last step, m.
    last_targets: Vec<Option<DVec3>>,
}

/// How the caller holds a node.
#[derive(Clone, Copy)]
struct InHand {
    /// Where, m.
    target: DVec3,
    /// With what; `None` for exactly.
    hand: Option<Hand>,
}

/// A force on some nodes: a weight that hangs from them, a pull.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// The nodes, which share the force equally.
    pub nodes: Vec<usize>,
    /// The force on all of them together at every time, N.
    pub force: Path,
}

/// All that changes as a simulation runs: save it, and a simulation built alike continues from it to the same bits.
/// What is not of such a simulation, or damaged, is refused by [`Simulation::restore`].
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Steps taken.
    pub steps: u64,
    /// The cloth's state.
    pub state: State,
    /// Where the nodes of each grasp were when it began, m; empty while it does not hold.
    pub anchors: Vec<Vec<DVec3>>,
    /// Who was held in the last step, and where it was to be at its end, m.
    pub targets: Vec<(usize, DVec3)>,
    /// How far what touches the pads of each gripper has gone along them since both touch something, m.
    pub slips: Vec<f64>,
    /// What each suction cup holds.
    pub cups: Vec<CupState>,
}

impl Progress {
    /// The number of the format in which it is saved; what was saved in another one is refused.
    pub const FORMAT: u32 = 3;
}

impl Simulation {
    /// A cloth at rest, stepped by `dt` seconds.
    pub fn new(cloth: Cloth, params: Params, dt: f64) -> Self {
        Self::of_model(Arc::new(Model::new(cloth)), params, dt)
    }

    /// The same for a model shared with other simulations.
    pub fn of_model(model: Arc<Model>, params: Params, dt: f64) -> Self {
        let state = State::at_rest(&model);
        let progress =
            Progress { steps: 0, state, anchors: Vec::new(), targets: Vec::new(), slips: Vec::new(), cups: Vec::new() };
        let workspace = Workspace::new(&model);
        let (taken, last_targets) = (vec![false; model.node_count()], vec![None; model.node_count()]);
        Self {
            model,
            params,
            obstacles: Vec::new(),
            dt,
            grasps: Vec::new(),
            loads: Vec::new(),
            seams: Vec::new(),
            in_hand: BTreeMap::new(),
            let_go: BTreeSet::new(),
            progress,
            workspace,
            bodies: Vec::new(),
            held: Vec::new(),
            forces: Vec::new(),
            distances: Vec::new(),
            jaws: Vec::new(),
            grippers: Vec::new(),
            grip_start: GripStart::default(),
            cups: Vec::new(),
            taken,
            last_targets,
        }
    }

    /// Adds a grasp.
    pub fn grasp(&mut self, grasp: Grasp) {
        self.grasps.push(grasp);
        self.progress.anchors.push(Vec::new());
    }

    /// Holds a node by a hand of its own, that gives: it follows `target`, m, until another is given or it is [let go](Self::let_go).
    /// It wins over grasps, and is not part of the [progress](Self::progress).
    pub fn hold(&mut self, node: usize, target: DVec3) {
        self.hold_with(Hand::default(), node, target);
    }

    /// The same with a hand of one's own.
    pub fn hold_with(&mut self, hand: Hand, node: usize, target: DVec3) {
        self.in_hand.insert(node, InHand { target, hand: Some(hand) });
    }

    /// The same, but exactly: at the end of every step the node is at the target, whatever force that takes.
    pub fn hold_exactly(&mut self, node: usize, target: DVec3) {
        self.in_hand.insert(node, InHand { target, hand: None });
    }

    /// Opens the hand that holds a node; a grasp that holds it, or will, is not concerned.
    pub fn open_hand(&mut self, node: usize) {
        self.in_hand.remove(&node);
    }

    /// Lets go of a node, by whomever it is held: from now on only a hand can hold it.
    pub fn let_go(&mut self, node: usize) {
        self.in_hand.remove(&node);
        self.let_go.insert(node);
    }

    /// Whether one of the grasps held a node in the last step, unless a hand did.
    pub fn is_grasped(&self, node: usize) -> bool {
        let holding = self.grasps.iter().zip(&self.progress.anchors).filter(|(_, anchors)| !anchors.is_empty());
        !self.let_go.contains(&node) && holding.into_iter().any(|(grasp, _)| grasp.nodes.contains(&node))
    }

    /// Puts a body into the world.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) {
        self.obstacles.push(obstacle);
    }

    /// Adds a gripper. Its fingers are obstacles, named `name.a` and `name.b`.
    ///
    /// # Errors
    ///
    /// If it cannot be; then nothing is added.
    pub fn add_gripper(&mut self, gripper: Gripper) -> Result<(), StepError> {
        let fault = gripper.fault();
        let rule = || fault.unwrap_or_else(|| format!("gripper \"{}\" has no size", gripper.name));
        let Some(fingers) = gripper.fingers().filter(|_| gripper.fault().is_none()) else {
            return Err(StepError::BadJaws { rule: rule() });
        };
        let first = self.obstacles.len();
        self.obstacles.extend(fingers);
        self.grippers.push((gripper, [first, first + 1]));
        self.progress.slips.push(0.0);
        Ok(())
    }

    /// The grippers, and the indices of their fingers among the obstacles.
    pub fn grippers(&self) -> &[(Gripper, [usize; 2])] {
        &self.grippers
    }

    /// The grippers, to be moved, closed and opened; sizes that are changed have no effect.
    pub fn grippers_mut(&mut self) -> impl Iterator<Item = &mut Gripper> {
        self.grippers.iter_mut().map(|(gripper, _)| gripper)
    }

    /// Where the obstacles are.
    pub fn poses(&self) -> Vec<Pose> {
        let known = |k: usize| Some(self.progress.state.bodies.get(k).copied().flatten()?.pose);
        let obstacles = self.obstacles.iter().enumerate();
        obstacles.map(|(k, obstacle)| known(k).unwrap_or_else(|| obstacle.motion.at(self.time()))).collect()
    }

    /// Adds a load.
    pub fn add_load(&mut self, load: Load) {
        self.loads.push(load);
    }

    /// Adds a seam.
    pub fn sew(&mut self, seam: Seam) {
        self.seams.push(seam);
    }

    /// Looks at where the simulation is: whether the cloth is inside a body, through itself, off its rest shape or thicker than
    /// its mesh is fine, or held nodes are to start elsewhere. Steps do not ask; a run that begins so seldom ends well.
    ///
    /// # Errors
    ///
    /// The first of these that is found.
    pub fn check_start(&mut self) -> Result<(), StepError> {
        let time = (self.progress.steps + 1) as f64 * self.dt;
        // Fresh grasps begin with the first step.
        let anchors = self.progress.anchors.clone();
        self.prepare_step_ending_at(time)?;
        self.progress.anchors = anchors;
        let Self { model, params, progress, dt, held, forces, bodies, distances: seams, jaws, .. } = self;
        check_start(model, params, &progress.state, &Inputs { dt: *dt, held, forces, bodies, seams, jaws })
    }

    /// Takes one step.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let time = (self.progress.steps + 1) as f64 * self.dt;
        self.prepare_step_ending_at(time)?;
        self.note_grip_start();
        let Self { model, params, progress, workspace, dt, held, forces, bodies, distances: seams, jaws, .. } = self;
        let inputs = Inputs { dt: *dt, held, forces, bodies, seams, jaws };
        let report = step(model, params, &mut progress.state, &inputs, workspace)?;
        self.progress.steps += 1;
        self.progress.targets.clear();
        self.progress.targets.extend(held.iter().map(|held| (held.node, held.target)));
        // Multiples of dt, not sums: a day of steps ends on the second.
        self.progress.state.time = time;
        self.add_slips();
        self.lose_from_cups();
        Ok(report)
    }

    /// Collects all that the world decides of a step.
    fn prepare_step_ending_at(&mut self, time: f64) -> Result<(), StepError> {
        self.hold_for_step_ending_at(time);
        if let Some(rule) = self.cups.iter().find_map(SuctionCup::fault) {
            return Err(StepError::BadJaws { rule });
        }
        self.suck_for_step_ending_at(time);
        self.load_for_step_ending_at(time)?;
        self.sew_for_step_ending_at(time);
        self.bodies.clear();
        self.bodies.extend(self.obstacles.iter().map(|obstacle| obstacle.during(time - self.dt, time)));
        self.jaws.clear();
        for (gripper, fingers) in &self.grippers {
            if let Some(rule) = gripper.fault() {
                return Err(StepError::BadJaws { rule });
            }
            if fingers.iter().all(|&finger| finger < self.bodies.len()) {
                self.jaws.push(gripper.drive(*fingers, time - self.dt, time, &mut self.bodies));
            }
        }
        Ok(())
    }

    /// Collects who is held in a step, anchoring fresh grasps and letting go of ended ones. Of two grasps on one node the
    /// one listed first wins, and a hand over all of them.
    fn hold_for_step_ending_at(&mut self, time: f64) {
        let Self { model, progress, held, taken, last_targets, .. } = self;
        let (areas, positions) = (model.cloth().node_areas(), &progress.state.positions);
        let mass = self.params.material.density * areas.iter().sum::<f64>();
        held.clear();
        taken.fill(false);
        last_targets.fill(None);
        for &(node, target) in &progress.targets {
            if let Some(last) = last_targets.get_mut(node) {
                *last = Some(target);
            }
        }
        // A hand that takes a node begins where the node is. One that the cloth does not have is left to the step, which names it.
        let from = |node: usize| last_targets.get(node).copied().flatten().or_else(|| positions.get(node).copied());
        let spring = |hand: Hand, part: f64, node: usize| Some(hand.share(part, mass, from(node)?));
        for (&node, &InHand { target, hand }) in &self.in_hand {
            held.push(Held { node, target, spring: hand.and_then(|hand| spring(hand, 1.0, node)) });
            if let Some(taken) = taken.get_mut(node) {
                *taken = true;
            }
        }
        for (grasp, anchors) in self.grasps.iter().zip(&mut progress.anchors) {
            if !grasp.holds(time, self.dt) {
                anchors.clear();
                continue;
            }
            if anchors.is_empty() {
                anchors.extend(grasp.nodes.iter().map(|&i| positions.get(i).copied().unwrap_or(DVec3::ZERO)));
            }
            let area = |node: usize| areas.get(node).copied().unwrap_or(0.0);
            let whole: f64 = grasp.nodes.iter().map(|&node| area(node)).sum();
            for (&node, &anchor) in grasp.nodes.iter().zip(&*anchors) {
                if self.let_go.contains(&node) {
                    continue;
                }
                let taken = taken.get_mut(node).is_some_and(|taken| std::mem::replace(taken, true));
                if !taken {
                    let spring = grasp.hand.and_then(|hand| spring(hand, area(node) / whole, node));
                    held.push(Held { node, target: grasp.target(anchor, time), spring });
                }
            }
        }
    }

    /// Adds up the loads at the end of a step, which is where its forces are balanced.
    fn load_for_step_ending_at(&mut self, time: f64) -> Result<(), StepError> {
        if self.loads.is_empty() {
            return Ok(());
        }
        let nodes = self.model.node_count();
        self.forces.clear();
        self.forces.resize(nodes, DVec3::ZERO);
        for load in &self.loads {
            let share = load.force.at(time) / load.nodes.len() as f64;
            for &node in &load.nodes {
                *self.forces.get_mut(node).ok_or(StepError::NoSuchNode { node, nodes })? += share;
            }
        }
        Ok(())
    }

    /// Collects how far the seams are closed at the end of a step.
    fn sew_for_step_ending_at(&mut self, time: f64) {
        let (pairs, positions) = (self.model.cloth().seams(), &self.progress.state.positions);
        self.distances.clear();
        self.distances.resize(pairs.len(), None);
        for seam in &self.seams {
            let Some(left) = seam.left_open(time, self.dt) else { continue };
            for pair in seam.pairs.clone() {
                // A state with too few nodes is left to the step, which says so.
                let ends = pairs.get(pair).and_then(|&[a, b]| Some((positions.get(a)?, positions.get(b)?)));
                if let (Some(distance), Some((a, b))) = (self.distances.get_mut(pair), ends) {
                    *distance = Some(a.distance(*b) * left);
                }
            }
        }
    }

    /// Gives it a clock, or takes it away: with one, reports say where the time of their steps went. Nothing else depends on it.
    pub fn set_clock(&mut self, clock: Option<Clock>) {
        self.workspace.set_clock(clock);
    }

    /// Says how many cores compute its steps: one, unless something else is said. Nothing else depends on it.
    pub fn set_cores(&mut self, cores: Cores) {
        self.workspace.set_cores(cores);
    }

    /// The loads, in the order in which they were added.
    pub fn loads(&self) -> &[Load] {
        &self.loads
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Step length, s.
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.progress.steps
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.progress.state.time
    }

    /// Node positions, m.
    pub fn positions(&self) -> &[DVec3] {
        &self.progress.state.positions
    }

    /// Node velocities, m/s.
    pub fn velocities(&self) -> &[DVec3] {
        &self.progress.state.velocities
    }

    /// The state, to be looked at.
    pub fn state(&self) -> &State {
        &self.progress.state
    }

    /// The state, to be changed by hand; follow with [`State::forget_history`].
    pub fn state_mut(&mut self) -> &mut State {
        &mut self.progress.state
    }

    /// The nodes held in the last step and their targets.
    pub fn held(&self) -> &[Held] {
        &self.held
    }

    /// The force on the cloth at each of the [`held`](Self::held) nodes in the last step, N: what a gripper exerts.
    pub fn held_forces(&self) -> &[DVec3] {
        &self.progress.state.held_forces
    }

    /// A copy of all that changes as the simulation runs.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }
}
