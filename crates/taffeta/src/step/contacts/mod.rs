//! The contacts of a step: where the cloth touches the world and itself, and what it feels there.
//!
//! Four modules, each with its own data: `detect` finds touches, which are geometry and nothing else; `memory` carries what is felt at
//! them from iterate to iterate and from step to step; `friction` iterates Coulomb's law; `rows` writes what touches and forces say to
//! a program, and takes the forces back (`compliance` says how much they give). Here is what a step asks of them.

mod carriers;
mod compliance;
mod detect;
mod friction;
mod led_bounds;
mod memory;
mod rows;
mod tilt;

use glam::DVec3;

use crate::friction::residual;
use crate::linalg::BlockPattern;
use crate::qp::Side;
use crate::state::Contact;

use carriers::Carriers;
use compliance::Squeeze;
use detect::{Detector, Touch};
use friction::BoundIteration;
use memory::Felt;
use rows::TouchRows;

pub(super) use carriers::Carrier;
pub(super) use compliance::Closeness;
pub(super) use detect::{IterateView, StartView};
pub(super) use memory::PartStart;

/// m. A point that is this deep in a body although another pushes it there has no room.
const SQUEEZED: f64 = 1e-5;

/// m/s. Slip at this speed counts as much against a point that should stick as if all of its friction were missing: with a
/// tolerance of 1 % it creeps at less than 0.05 mm/s over `μ`.
const CREEP: f64 = 0.005;

/// m/s. A point whose friction is at its bound slips if it is faster than this over `μ`; slower it may as well stick, and creep
/// within the tolerance.
const SLIP: f64 = 0.01 * CREEP;

/// m/s². Forces on a point that is hardly pushed are compared with those that would accelerate it so.
const NEGLIGIBLE: f64 = 5.0;

/// The contacts of the step at hand.
#[derive(Default)]
pub(super) struct Contacts {
    detector: Detector,
    /// Where the cloth touches something, in the order of sites, and what is felt there.
    touches: Vec<Touch>,
    felt: Vec<Felt>,
    /// The same at the last look.
    touches_before: Vec<Touch>,
    felt_before: Vec<Felt>,
    transfer: memory::Transfer,
    bounds: BoundIteration,
    squeeze: Squeeze,
    carriers: Carriers,
    /// Rows of the last program whose touches are gone.
    orphans: Vec<TouchRows>,
}

/// How far the contacts are from their laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ContactResidual {
    /// Largest violation of a gap, m.
    pub penetration: f64,
    /// Largest distance of a point that is pushed from the body that pushes it, m.
    pub separation: f64,
    /// Largest distance from Coulomb's law, of the point's normal force or of the mean one, if that is larger.
    pub friction: f64,
    /// Smallest gap to a body of what the pressure leaves of the cloth, m; infinite if nothing is near.
    pub gap: f64,
    /// Points that are pushed.
    pub active: usize,
    /// Smallest distance of two parts of the cloth that are near each other, m; infinite if none are.
    pub self_gap: f64,
    /// Places where the cloth pushes itself.
    pub self_active: usize,
    /// Largest pressure on the cloth, Pa, and how much of its thickness that takes at most where it is pressed.
    pub pressure: f64,
    pub compression: f64,
    /// What the cloth stores where it is pressed, J.
    pub energy: f64,
}

impl Contacts {
    /// Notes where everything is at the start of a part of a step.
    pub fn survey(&mut self, start: &StartView) {
        self.detector.survey(start);
    }

    /// Takes what was felt at the end of the last step for a first guess.
    pub fn warm_start(&mut self, part: &PartStart) {
        self.bounds.restart();
        self.squeeze = Squeeze::new(part.material, part.dynamics.h);
        self.detector.forget_look();
        memory::recall(&self.detector, part, &mut self.touches, &mut self.felt);
    }

    /// Finds what is near what at `phi`, or follows what was near at the last iterate; what was felt there stays.
    pub fn detect(&mut self, view: &IterateView, follow: bool) {
        self.carriers.see(view.bodies);
        if self.detector.begin(view, follow) {
            self.detector.follow(view, &mut self.touches);
        } else {
            std::mem::swap(&mut self.touches, &mut self.touches_before);
            std::mem::swap(&mut self.felt, &mut self.felt_before);
            let before = (&self.touches_before[..], &self.felt_before[..]);
            self.detector.look(view, before, &self.squeeze, self.bounds.programs(), &mut self.touches);
            self.orphans.clear();
            self.transfer.carry(before, &self.touches, &mut self.felt, &mut self.orphans);
        }
        self.detector.end(view);
    }

    /// Whether what touches what was followed so far that it must be looked at.
    pub fn need_a_look(&self, view: &IterateView) -> bool {
        self.detector.need_a_look(view)
    }

    /// How far the contacts are from their laws.
    pub fn residual(&self, dt: f64, h: f64) -> ContactResidual {
        let mut sum = ContactResidual { gap: f64::INFINITY, self_gap: f64::INFINITY, ..ContactResidual::default() };
        let pushed = || self.felt.iter().map(|felt| felt.gamma).filter(|&gamma| gamma > 0.0);
        let mean = pushed().sum::<f64>() / f64::max(pushed().count() as f64, 1.0);
        for (touch, felt) in self.touches.iter().zip(&self.felt) {
            let taken = self.squeeze.taken(touch, felt.gamma);
            let active = match touch.site.obstacle() {
                Some(_) => {
                    sum.gap = sum.gap.min(touch.gap + taken);
                    &mut sum.active
                }
                None => {
                    sum.self_gap = sum.self_gap.min(touch.gap);
                    &mut sum.self_active
                }
            };
            sum.penetration = sum.penetration.max(touch.allowed - touch.gap - taken).max(-touch.slack - taken);
            if felt.gamma > 0.0 {
                *active += 1;
                sum.separation = sum.separation.max(touch.slack + taken);
                sum.pressure = sum.pressure.max(self.squeeze.pressure(touch, felt.gamma));
                sum.energy += self.squeeze.energy(touch, felt.gamma);
                sum.compression = sum.compression.max(self.squeeze.fraction(touch, felt.gamma));
            } else if felt.force == DVec3::ZERO {
                continue;
            }
            let bound = felt.bound(touch);
            let off = residual(felt.weight(touch, bound, dt), touch.slip, felt.force, bound);
            let scale = felt.gamma.max(mean).max(NEGLIGIBLE * touch.mass * h * h);
            sum.friction = sum.friction.max(off / scale);
        }
        sum
    }

    /// A point that two bodies leave no room: one of its nodes, the bodies, how deep it is in one of them, m, and the pressure that would
    /// make room for it, Pa.
    pub fn squeezed(&self) -> Option<(usize, [usize; 2], f64, f64)> {
        let deep = |(touch, felt): &(&Touch, &Felt)| self.squeeze.slack(touch, felt.gamma) < -SQUEEZED;
        self.touches.iter().zip(&self.felt).filter(deep).find_map(|(touch, _)| {
            let node = touch.stencil.nodes()[0];
            let opposed = |(other, felt): &(&Touch, &Felt)| {
                other.site.obstacle() != touch.site.obstacle()
                    && other.stencil.nodes().contains(&node)
                    && felt.gamma > 0.0
                    && other.normal.dot(touch.normal) < 0.0
            };
            let (other, _) = self.touches.iter().zip(&self.felt).find(opposed)?;
            let bodies = [touch.site.obstacle()?, other.site.obstacle()?];
            Some((node, bodies, -touch.gap, self.squeeze.pressure_for(touch)))
        })
    }

    /// The two parts of the cloth that are farthest from being kept apart, by a node of each, and their distance, m.
    pub fn tangled(&self) -> Option<([usize; 2], f64)> {
        let slack = |(touch, felt): &(&Touch, &Felt)| self.squeeze.slack(touch, felt.gamma);
        let layers = self.touches.iter().zip(&self.felt).filter(|(touch, _)| touch.site.obstacle().is_none());
        let (worst, _) = layers.filter(|at| slack(at) < -SQUEEZED).min_by(|a, b| slack(a).total_cmp(&slack(b)))?;
        let nodes = worst.stencil.nodes();
        Some(([nodes[0], nodes[nodes.len() - 1]], worst.gap))
    }

    /// Two parts of the cloth that may have gone through each other in the part of the step: a node of each, and their distance at
    /// the start, m.
    pub fn passing(&self, view: &IterateView) -> Option<([usize; 2], f64)> {
        self.detector.passing(view)
    }

    /// A body that went through the cloth in the part of the step.
    pub fn pierced(&mut self, view: &IterateView) -> Option<usize> {
        self.detector.pierced(view)
    }

    /// Whether a point may touch a body within the part of the step at hand.
    pub fn are_close(&self) -> bool {
        self.detector.close
    }

    /// A body whose shape cannot be simulated.
    pub fn invalid_shape(&self) -> Option<usize> {
        self.detector.invalid_shape
    }

    /// Whether a matrix has room for the rows of all contacts.
    pub fn fit(&self, pattern: &BlockPattern) -> bool {
        let undecided = |(touch, felt): &(&Touch, &Felt)| felt.gamma > 0.0 || touch.is_undecided();
        let all = self.touches.iter().zip(&self.felt);
        all.filter(undecided).all(|(touch, _)| self.carriers.fits(touch, pattern))
    }

    /// Whether parts of the cloth or bodies are so near each other that the room they have in the matrix is kept.
    pub fn rooms_are_needed(&self, phi: &[DVec3]) -> bool {
        self.touches.iter().any(|touch| self.carriers.couple(touch)) || self.detector.layers_are_near(phi)
    }

    /// Pairs of nodes that the rows of contacts couple, or will soon.
    pub fn coupled_pairs(&self, phi: &[DVec3]) -> Vec<[usize; 2]> {
        self.detector.coupled_pairs(phi, &self.touches, &self.carriers)
    }

    /// Writes how far what each of so many nodes belongs to is from touching something, m; infinite where nothing is near.
    pub fn write_clearances(&self, nodes: usize, free: &mut Vec<f64>) {
        free.clear();
        free.resize(nodes, f64::INFINITY);
        for touch in &self.touches {
            let slack = touch.slack.max(0.0);
            touch.stencil.nodes().iter().for_each(|&node| free[node] = f64::min(free[node], slack));
        }
    }

    /// What the state keeps of the contacts.
    pub fn keep(&self, dt: f64, h: f64, contacts: &mut Vec<Contact>) {
        let per_h2 = 1.0 / (h * h);
        contacts.clear();
        // Some have only what is left of their friction, within its tolerance: without it forces would not balance.
        let exerting = self.touches.iter().zip(&self.felt).filter(|(_, felt)| felt.exerts());
        contacts.extend(exerting.map(|(touch, felt)| Contact {
            site: touch.site,
            stencil: touch.stencil,
            normal: touch.normal,
            normal_force: felt.gamma * per_h2,
            friction: felt.force * per_h2,
            slipping: felt.side == Some(Side::High) && touch.coefficient * touch.slip.length() > SLIP * dt,
            pressure: self.squeeze.pressure(touch, felt.gamma),
            compressed: self.squeeze.taken(touch, felt.gamma),
        }));
    }
}
