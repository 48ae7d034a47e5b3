//! The contacts of a step: where the cloth touches the world and itself, and what it feels there.

mod bounds;
mod cloth;
mod compliance;
mod cores;
mod coulomb;
mod detect;
mod edges;
mod meeting;
mod points;
mod rows;
mod tips;

use glam::DVec3;

use crate::collide::{FaceBoxes, Site, Stencil};
use crate::friction::{self, Law};
use crate::obstacle::{Core, Pose, Tip};
use crate::qp::Side;
use crate::state::Contact;

use meeting::Meetings;

pub(super) use compliance::Closeness;
pub(super) use detect::IterateView;

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

/// A point of the cloth near a body, or near another point of the cloth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// What touches what: it identifies a touch from one iterate to the next.
    pub site: Site,
    /// The point, or what separates the two.
    pub stencil: Stencil,
    /// Where the point is, m.
    place: DVec3,
    /// Distance to the body beyond half the thickness of the cloth, or of two parts of the cloth, m.
    pub gap: f64,
    /// Distance to the surface it must stay in front of, beyond what is allowed, m.
    pub slack: f64,
    /// Gap that is allowed, m: less than zero, or than the thickness, for what began the step too close.
    allowed: f64,
    /// Unit normal, out of the body or from one part of the cloth to the other.
    pub normal: DVec3,
    /// `u`: how far the point has slipped along the body in this step, m.
    pub slip: DVec3,
    /// The mass the point stands for, kg.
    pub mass: f64,
    /// `μ`.
    pub coefficient: f64,
    /// `γ`, scaled with h², and what it was at the start.
    pub gamma: f64,
    load: f64,
    /// Friction on the cloth, scaled with h².
    pub force: DVec3,
    /// What the last program was told of it.
    pub law: Option<Law>,
    /// Whether it slipped in the last program.
    pub side: Option<Side>,
    /// By how much the bound `μγ` of the program before the last was off, and the `μγ` that the last one led to, and the one before it.
    bound_residual: f64,
    bound_at_last: Option<f64>,
    bound_before: Option<f64>,
    /// `μγ` that would lead to itself, as far as the last program tells.
    led_bound: Option<f64>,
    /// Whether nothing pushes it any more, and its bound was too large already before the last program.
    released: bool,
    /// Whether it has lost its friction in this part of the step, because nothing pushed it.
    lost_friction: bool,
    /// Compliance of the contact to a change of its force in the last program, 1/kg.
    proximal_compliance: f64,
    /// Compliance of its friction to a change of the force in the last program, 1/kg.
    friction_compliance: f64,
    /// What is left of that in programs of a part of a step that was hard.
    firmness: f64,
    /// Its rows in the program at hand.
    rows: Option<TouchRows>,
}

/// The rows of a touch in a program.
#[derive(Clone, Copy, Debug)]
struct TouchRows {
    contact: usize,
    /// The first of the two rows of friction.
    friction: Option<usize>,
}

impl Touch {
    /// `μγ`.
    fn bound(&self) -> f64 {
        self.coefficient * self.gamma
    }

    /// `r`: how slip compares with force in Coulomb's law, kg. The mass of the point, or more where a light cloth is
    /// under a heavy load, so that slip at `CREEP` weighs as much as all of the friction.
    fn weight(&self, bound: f64, dt: f64) -> f64 {
        f64::max(self.mass, bound / (CREEP * dt))
    }
}

/// A body in a part of a step.
#[derive(Clone, Copy, Debug)]
struct BodySweep {
    from: Pose,
    to: Pose,
}

impl BodySweep {
    /// How far a node moves at most, seen from the body, m. `start` is where the nodes begin, seen from the body.
    fn farthest_travel(&self, start: &[DVec3], phi: &[DVec3]) -> f64 {
        let travel = |(from, to): (&DVec3, &DVec3)| from.distance_squared(self.to.to_local(*to));
        start.iter().zip(phi).map(travel).fold(0.0, f64::max).sqrt()
    }
}

/// The contacts of the step at hand.
#[derive(Default)]
pub(super) struct Contacts {
    /// In the order of their keys.
    touches: Vec<Touch>,
    before: Vec<Touch>,
    /// Where the nodes were when everything was looked at, and at the last iterate, m.
    seen_at: Vec<DVec3>,
    last_at: Vec<DVec3>,
    sweeps: Vec<BodySweep>,
    /// Where every point is at the start of the part, seen from the body, and its clearance, body by body, m.
    start_local: Vec<DVec3>,
    clearance: Vec<f64>,
    /// Smallest clearance of a node, body by body, m.
    nearest: Vec<f64>,
    /// Gap that a point may keep although it is inside, body by body, m: at most 0.
    allowed: Vec<f64>,
    /// How far a node has moved at most, seen from the body, body by body, m.
    farthest: Vec<f64>,
    edge_memory: edges::EdgeMemory,
    /// Normals of the nodes that are watched, for their elements.
    normals: Vec<Option<DVec3>>,
    half_thickness: f64,
    /// How often the friction bounds were changed since the part of the step began, and how much of a change is made.
    mixes: usize,
    relaxation: f64,
    /// Whether other attempts at the part of the step have failed: what costs more, or leads another way, is for these.
    was_hard: bool,
    /// Programs written since the part of the step began.
    programs: usize,
    /// Whether the touches were brought to the iterate by following the nodes, not by looking.
    followed: bool,
    /// Rows of the last program whose touches are gone.
    orphans: Vec<TouchRows>,
    /// Whether a point may touch a body within the part.
    close: bool,
    /// A body whose shape answers with something that is not a distance and a unit normal.
    invalid_shape: Option<usize>,
    /// Parts of the cloth near each other.
    meetings: Meetings,
    /// Touches of the cloth with itself before they are sorted out.
    candidates: Vec<cloth::Candidate>,
    ranking: cloth::Ranking,
    fresh: Vec<(usize, u32)>,
    /// Sharp points of the body at hand, and where the faces are that they may meet.
    tips: Vec<Tip>,
    /// Cores of the body at hand.
    cores: Vec<Core>,
    faces: Option<FaceBoxes>,
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
    /// Smallest gap, m; infinite if nothing is near.
    pub gap: f64,
    /// Points that are pushed.
    pub active: usize,
    /// Smallest distance of two parts of the cloth that are near each other, m; infinite if none are.
    pub self_gap: f64,
    /// Places where the cloth pushes itself.
    pub self_active: usize,
}

impl Contacts {
    /// A point that two bodies leave no room: one of its nodes, the bodies, and how deep it is in one of them, m.
    pub fn squeezed(&self) -> Option<(usize, [usize; 2], f64)> {
        let deep = |touch: &&Touch| touch.slack < -SQUEEZED;
        self.touches.iter().filter(deep).find_map(|touch| {
            let node = touch.stencil.nodes()[0];
            let opposed = |other: &&Touch| {
                other.site.obstacle() != touch.site.obstacle()
                    && other.stencil.nodes().contains(&node)
                    && other.gamma > 0.0
                    && other.normal.dot(touch.normal) < 0.0
            };
            let other = self.touches.iter().find(opposed)?;
            Some((node, [touch.site.obstacle()?, other.site.obstacle()?], -touch.gap))
        })
    }

    /// Subtracts what the bodies do to the cloth from the sum of forces.
    pub fn subtract_forces(&self, sum: &mut [DVec3]) {
        for touch in self.touches.iter().filter(|touch| touch.gamma > 0.0 || touch.force != DVec3::ZERO) {
            let force = touch.normal * touch.gamma + touch.force;
            touch.stencil.row(force).for_each(|(i, share)| sum[i] -= share);
        }
    }

    /// How far the contacts are from their laws.
    pub fn residual(&self, dt: f64, h: f64) -> ContactResidual {
        let mut residual =
            ContactResidual { gap: f64::INFINITY, self_gap: f64::INFINITY, ..ContactResidual::default() };
        let pushed = || self.touches.iter().map(|touch| touch.gamma).filter(|&gamma| gamma > 0.0);
        let mean = pushed().sum::<f64>() / f64::max(pushed().count() as f64, 1.0);
        for touch in &self.touches {
            let (gap, active) = match touch.site.obstacle() {
                Some(_) => (&mut residual.gap, &mut residual.active),
                None => (&mut residual.self_gap, &mut residual.self_active),
            };
            *gap = gap.min(touch.gap);
            residual.penetration = residual.penetration.max(touch.allowed - touch.gap).max(-touch.slack);
            if touch.gamma > 0.0 {
                *active += 1;
                residual.separation = residual.separation.max(touch.slack);
            }
            let weight = touch.weight(touch.bound(), dt);
            let off = friction::residual(weight, touch.slip, touch.force, touch.bound());
            let scale = touch.gamma.max(mean).max(NEGLIGIBLE * touch.mass * h * h);
            residual.friction = residual.friction.max(off / scale);
        }
        residual
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

    /// Whether a point may touch a body within the part of the step at hand.
    pub fn are_close(&self) -> bool {
        self.close
    }

    /// A body whose shape cannot be simulated.
    pub fn invalid_shape(&self) -> Option<usize> {
        self.invalid_shape
    }

    /// What the state keeps of the contacts.
    pub fn keep(&self, dt: f64, h: f64, contacts: &mut Vec<Contact>) {
        let per_h2 = 1.0 / (h * h);
        contacts.clear();
        contacts.extend(self.touches.iter().filter(|touch| touch.gamma > 0.0).map(|touch| Contact {
            site: touch.site,
            stencil: touch.stencil,
            normal: touch.normal,
            normal_force: touch.gamma * per_h2,
            friction: touch.force * per_h2,
            slipping: touch.side == Some(Side::High) && touch.coefficient * touch.slip.length() > SLIP * dt,
        }));
    }
}
