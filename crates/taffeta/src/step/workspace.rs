//! Scratch of a step. A fresh one gives the same bits: what carries over from step to step only says what need not be done again.

use std::sync::Arc;

use glam::DVec3;

use super::bodies::Bodies;
use super::contacts::Contacts;
use super::degrade::BestIterate;
use super::hands::Hands;
use super::sources::Sources;
use super::swing::Swing;
use super::{Inputs, StepError, predict};
use crate::cores::Cores;
use crate::model::{Layout, Model, Reach};
use crate::params::Params;
use crate::qp::{ActiveSet, Program, Solution};
use crate::state::State;
use crate::timing::{Clock, Stopwatch};

/// ns. Steps whose matrices are factorised faster, by the estimate, are left to one core: with less the second one has hardly woken
/// when there is nothing left for it.
const WORTH_SHARING: f64 = 400_000.0;

/// Room in which a step is computed; allocated once, used for every step of one model.
pub struct Workspace {
    /// The model this is room for.
    model: Arc<()>,
    /// The state at the start of the step.
    pub(super) start: State,
    /// `ψ`: what the backward difference subtracts, m.
    pub(super) psi: Vec<DVec3>,
    /// `b`.
    pub(super) rhs: Vec<DVec3>,
    /// `φ_j`, m.
    pub(super) phi: Vec<DVec3>,
    /// `λ`, scaled with h².
    pub(super) lambda: Vec<f64>,
    /// `∇C`, one vector per row and node.
    pub(super) gradient: Vec<DVec3>,
    /// `C`.
    pub(super) value: Vec<f64>,
    /// Where the rows of the cloth come from.
    pub(super) sources: Sources,
    /// `κ`: multipliers as far as they are tension.
    pub(super) curvature: Vec<f64>,
    /// `A φ − b`.
    pub(super) drive: Vec<DVec3>,
    /// `A φ − b + ∇Cᵀ λ − ∇Hᵀ γ − f_μ`.
    pub(super) residual: Vec<DVec3>,
    /// Node normals at the start of the step, for the wind.
    pub(super) normals: Vec<DVec3>,
    /// Drag of the wind along the normals, as it stands in `A`, kg.
    pub(super) drag: Vec<f64>,
    /// Where the cloth touches the world.
    pub(super) contacts: Contacts,
    /// The springs of hands that give.
    pub(super) hands: Hands,
    /// The bodies that move by the forces on them.
    pub(super) bodies: Bodies,
    /// The program of the iteration, and its solution.
    pub(super) program: Program,
    pub(super) solution: Solution,
    /// Whether its iterates swing to and fro.
    pub(super) swing: Swing,
    /// The iterate of the attempt at hand that leaves least to be done, where steps are not refused.
    pub(super) best: BestIterate,
    /// The solver with its factor.
    pub(super) active_set: Option<ActiveSet>,
    /// Where everything goes in its matrix: how far bending reaches in it, and with room for these pairs of nodes.
    layout: Option<Arc<Layout>>,
    /// Whether program and solver are arranged for it.
    is_arranged: bool,
    bending: Reach,
    coupled_pairs: Vec<[usize; 2]>,
    /// How many bodies it has room for.
    rigid: usize,
    /// Measures the stages of a step.
    pub(super) watch: Stopwatch,
    /// How many cores may compute a step, and how many compute the one at hand.
    cores: Cores,
    pub(super) at_work: Cores,
}

impl Workspace {
    /// Room for the steps of a model.
    pub fn new(model: &Model) -> Self {
        let (n, rows) = (model.node_count(), &model.cloth().rows);
        let nodes = || vec![DVec3::ZERO; n];
        let scalars = || vec![0.0; rows.len()];
        Self {
            model: model.identity().clone(),
            start: State::at_rest(model),
            psi: nodes(),
            rhs: nodes(),
            phi: nodes(),
            lambda: scalars(),
            gradient: vec![DVec3::ZERO; rows.incidences()],
            value: scalars(),
            sources: Sources::new(model.cloth()),
            curvature: scalars(),
            drive: nodes(),
            residual: nodes(),
            normals: nodes(),
            drag: vec![0.0; n],
            contacts: Contacts::default(),
            hands: Hands::default(),
            bodies: Bodies::default(),
            program: Program::default(),
            solution: Solution::default(),
            swing: Swing::default(),
            best: BestIterate::default(),
            active_set: None,
            layout: None,
            is_arranged: false,
            bending: Reach::None,
            coupled_pairs: Vec::new(),
            rigid: 0,
            watch: Stopwatch::default(),
            cores: Cores::One,
            at_work: Cores::One,
        }
    }

    /// Has it begin where another one is, whose matrices then need not be analysed again: nothing else depends on it.
    pub(crate) fn follow(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.model, &other.model) {
            return;
        }
        let pairs_differ = self.coupled_pairs != other.coupled_pairs;
        if self.layout.is_none() || pairs_differ || self.bending != other.bending || self.rigid != other.rigid {
            self.layout.clone_from(&other.layout);
            self.coupled_pairs.clone_from(&other.coupled_pairs);
            (self.bending, self.rigid) = (other.bending, other.rigid);
            self.is_arranged = false;
        }
    }

    /// Gives it a clock, or takes it away: with one, reports of steps say where their time went. Nothing else depends on it.
    pub fn set_clock(&mut self, clock: Option<Clock>) {
        self.watch.clock = clock;
        if let Some(active_set) = &mut self.active_set {
            active_set.watch.clock = clock;
        }
    }

    /// Says how many cores compute steps: one, unless something else is said. Nothing else depends on it.
    pub fn set_cores(&mut self, cores: Cores) {
        self.cores = cores;
    }

    /// How many cores may compute steps.
    pub(crate) fn cores(&self) -> Cores {
        self.cores
    }

    /// The last program that was solved, or could not be: to be saved, and solved apart from its step.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Writes the matrix of the last step once more and factorises it: what benchmarks compare a step with. False if there was no step
    /// or the factorisation failed.
    pub fn refactorise(&mut self) -> bool {
        let (Some(active_set), Some(layout)) = (&mut self.active_set, &self.layout) else { return false };
        active_set.refactorise(&self.program, &layout.assembly)
    }

    /// Notes where the step starts and which nodes are held. Room made for another model is made anew.
    pub(super) fn begin(
        &mut self,
        model: &Model,
        params: &Params,
        state: &State,
        inputs: &Inputs,
    ) -> Result<(), StepError> {
        if !Arc::ptr_eq(&self.model, model.identity()) {
            *self = Self { watch: self.watch, cores: self.cores, at_work: self.at_work, ..Self::new(model) };
        }
        let bending = model.reach(predict::stiffness(params, inputs.dt), predict::inertia(params, inputs.dt));
        let rigid = Bodies::count(inputs);
        if self.bending != bending || self.rigid != rigid {
            (self.bending, self.rigid) = (bending, rigid);
            self.layout = None;
        }
        if self.layout.is_none() || !self.is_arranged {
            let unknowns = model.node_count() + 2 * rigid;
            self.drive.resize(unknowns, DVec3::ZERO);
            self.residual.resize(unknowns, DVec3::ZERO);
            self.make_room(model, &state.coupled_pairs);
        }
        let cost = self.layout.as_ref().map_or(0.0, |layout| layout.assembly.pattern.factorisation_cost());
        self.at_work = self.cores.if_it_pays(cost >= WORTH_SHARING);
        if let Some(active_set) = &mut self.active_set {
            active_set.set_cores(self.at_work);
        }
        self.start.copy_from(state);
        self.program.free.fill(true);
        for held in inputs.held {
            if !std::mem::replace(&mut self.program.free[held.node], false) {
                return Err(StepError::HeldTwice { node: held.node });
            }
        }
        for held in inputs.held.iter().filter(|held| held.spring.is_some()) {
            self.program.free[held.node] = true;
        }
        Ok(())
    }

    /// The layout of the matrix with room for what the state needs.
    pub(super) fn layout(&mut self, model: &Model, state: &State) -> Arc<Layout> {
        match &self.layout {
            Some(layout) if self.is_arranged && self.coupled_pairs == state.coupled_pairs => layout.clone(),
            _ => self.make_room(model, &state.coupled_pairs),
        }
    }

    /// Makes room in the matrix for rows that couple these pairs of nodes, and for no others.
    pub(super) fn make_room(&mut self, model: &Model, coupled_pairs: &[[usize; 2]]) -> Arc<Layout> {
        let known = self.layout.take().filter(|_| self.coupled_pairs == coupled_pairs);
        let layout = known.unwrap_or_else(|| model.layout_with(self.bending, self.rigid, coupled_pairs));
        let unknowns = model.node_count() + 2 * self.rigid;
        if self.program.nodes() == unknowns {
            layout.rearrange(&mut self.program);
        } else {
            self.program = layout.program(unknowns);
        }
        match &mut self.active_set {
            Some(active_set) => active_set.reset(&layout.assembly),
            None => {
                let active_set = self.active_set.insert(ActiveSet::new(&layout.assembly));
                active_set.watch.clock = self.watch.clock;
            }
        }
        self.coupled_pairs.clear();
        self.coupled_pairs.extend_from_slice(coupled_pairs);
        self.layout = Some(layout.clone());
        self.is_arranged = true;
        layout
    }

    /// Notes the iterate if none of the attempt has left less to be done.
    pub(super) fn note_iterate(&mut self, left: f64) {
        self.best.note(left, &self.phi, &self.bodies);
    }

    /// Pairs of nodes that the matrix has room for.
    pub(super) fn coupled_pairs(&self) -> &[[usize; 2]] {
        &self.coupled_pairs
    }
}
