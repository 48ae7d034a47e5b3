//! What is felt where things touch, and how it is carried: from iterate to iterate, and from step to step.

use std::borrow::Cow;

use glam::DVec3;

use super::CREEP;
use super::detect::{Detector, EDGE, Touch};
use super::friction::BoundHistory;
use super::rows::TouchRows;
use crate::cloth::{Cloth, Material};
use crate::collide::{Site, Stencil, point_count};
use crate::friction::Law;
use crate::qp::Side;
use crate::state::{Contact, State};
use crate::step::Inputs;
use crate::step::predict::Dynamics;

/// What is felt at a touch, and what the solver remembers of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Felt {
    /// `γ`, scaled with h², and what it was at the start.
    pub gamma: f64,
    pub load: f64,
    /// Friction on the cloth, scaled with h².
    pub force: DVec3,
    /// What the last program was told of the friction.
    pub law: Option<Law>,
    /// Whether it slipped in the last program.
    pub side: Option<Side>,
    /// How the bound of its friction has changed.
    pub history: BoundHistory,
    /// Its rows in the program at hand.
    pub rows: Option<TouchRows>,
}

impl Felt {
    /// Whether there is any force.
    pub fn exerts(&self) -> bool {
        self.gamma > 0.0 || self.force != DVec3::ZERO
    }

    /// `μγ`, as far as friction grows.
    pub fn bound(&self, touch: &Touch) -> f64 {
        f64::min(touch.coefficient * self.gamma, touch.most_friction)
    }

    /// `r`: how slip compares with force in Coulomb's law, kg. The mass of the point, or more where a light cloth is
    /// under a heavy load, so that slip at `CREEP` weighs as much as all of the friction.
    pub fn weight(&self, touch: &Touch, bound: f64, dt: f64) -> f64 {
        f64::max(touch.mass, bound / (CREEP * dt))
    }

    /// A touch without rows exerts nothing. What it took over from another one is gone: no program would ever balance it.
    pub fn lose_forces(&mut self) {
        (self.gamma, self.force, self.law, self.side) = (0.0, DVec3::ZERO, None, None);
    }

    /// What was felt at the last iterate is felt where the normal is this now.
    fn turn_to(&mut self, normal: DVec3) {
        self.force = self.force.reject_from_normalized(normal);
        self.history.carry();
    }
}

/// Touches, and what is felt at them.
pub(super) type Known<'a> = (&'a [Touch], &'a [Felt]);

/// The edges of the cloth that push each other.
pub(super) fn pushed_edges((touches, felt): Known) -> impl Iterator<Item = [usize; 4]> {
    // Of all sites those of two edges are the last.
    let edges = touches.iter().zip(felt).rev().map_while(|(touch, felt)| match touch.site {
        Site::Edges([a, b], [c, d]) => Some((felt, [a, b, c, d])),
        _ => None,
    });
    edges.filter(|(felt, _)| felt.gamma > 0.0).map(|(_, edges)| edges)
}

/// Room for carrying what was felt.
#[derive(Default)]
pub(super) struct Transfer {
    /// Which touches of before are still there.
    kept: Vec<bool>,
    /// New touches of the cloth with itself, by their nodes.
    fresh: Vec<(usize, u32)>,
}

impl Transfer {
    /// Hands what was felt at the last iterate to the touches of this one. Both are in the order of sites. `orphans` are the rows of
    /// touches that are gone.
    pub fn carry(&mut self, before: Known, touches: &[Touch], felt: &mut Vec<Felt>, orphans: &mut Vec<TouchRows>) {
        let Self { kept, fresh } = self;
        let (touches_before, felt_before) = before;
        felt.clear();
        fresh.clear();
        kept.clear();
        kept.resize(touches_before.len(), false);
        let mut old = 0;
        for (touch, k) in touches.iter().zip(0..) {
            while touches_before.get(old).is_some_and(|before| before.site < touch.site) {
                old += 1;
            }
            if touches_before.get(old).is_some_and(|before| before.site == touch.site) {
                kept[old] = true;
                felt.push(felt_before[old]);
                felt[k as usize].turn_to(touch.normal);
            } else {
                felt.push(Felt::default());
                if touch.site.obstacle().is_none() {
                    fresh.extend(touch.stencil.nodes().iter().map(|&node| (node, k)));
                }
            }
        }
        let gone = || felt_before.iter().zip(&*kept).filter(|(_, kept)| !**kept);
        orphans.extend(gone().filter_map(|(felt, _)| felt.rows));
        self.hand_over(before, touches, felt);
    }

    /// Hands what was felt where nothing touches any more to new touches of the same parts. A node that slides from one face to the
    /// next has a new site, and feels what it felt. Two nodes that meet feel as one what each of them feels where it is beside the other.
    fn hand_over(&mut self, (touches_before, felt_before): Known, touches: &[Touch], felt: &mut [Felt]) {
        let Self { kept, fresh } = self;
        if fresh.is_empty() {
            return;
        }
        fresh.sort_unstable();
        for ((old, felt_old), kept) in touches_before.iter().zip(felt_before).zip(kept) {
            if *kept || old.site.obstacle().is_some() || !felt_old.exerts() {
                continue;
            }
            let (points, share) = match old.site {
                Site::Nodes([i, j]) => ([Some(i), Some(j)], 0.5),
                Site::NodeEdge(i, _) | Site::NodeFace(i, _) => ([Some(i), None], 1.0),
                _ => ([None; 2], 1.0),
            };
            for point in &points[..if share < 1.0 { 2 } else { 1 }] {
                if let Some((k, sign)) = successor(old, *point, fresh, touches) {
                    let (touch, felt) = (&touches[k], &mut felt[k]);
                    felt.gamma += share * felt_old.gamma;
                    felt.force += (felt_old.force * (share * sign)).reject_from_normalized(touch.normal);
                    felt.side = felt.side.or(felt_old.side);
                }
            }
        }
    }
}

/// The new touch of the same parts as one that is gone: if there is one, that of a node that is in both, the nearest of them. And 1, or −1
/// if the sides are swapped.
fn successor(old: &Touch, point: Option<usize>, fresh: &[(usize, u32)], touches: &[Touch]) -> Option<(usize, f64)> {
    let sharing = old.stencil.nodes().iter().flat_map(|&node| {
        let of_node = &fresh[fresh.partition_point(|&(other, _)| other < node)..];
        of_node.iter().take_while(move |&&(other, _)| other == node)
    });
    let related = sharing.filter_map(|&(_, k)| {
        let touch = &touches[k as usize];
        let of_point = match touch.site {
            Site::Nodes([i, j]) => point == Some(i) || point == Some(j),
            Site::NodeEdge(i, _) | Site::NodeFace(i, _) => point == Some(i),
            _ => false,
        };
        relation(&old.stencil, &touch.stencil).map(|(common, sign)| (of_point, common, sign, touch.slack, k))
    });
    let nearest = |a: &(bool, usize, f64, f64, u32), b: &(bool, usize, f64, f64, u32)| {
        (a.0, a.1).cmp(&(b.0, b.1)).then(b.3.total_cmp(&a.3)).then(a.4.cmp(&b.4))
    };
    related.max_by(nearest).map(|(.., sign, _, k)| (k as usize, sign))
}

/// How many nodes two touches have in common, if they have some on both sides, and 1, or −1 if the sides are swapped.
fn relation(old: &Stencil, new: &Stencil) -> Option<(usize, f64)> {
    let common = |swap: f64, side: f64| {
        let on = |weight: f64| weight * side > 0.0;
        let mut old = old.entries().filter(|&(_, weight)| on(weight)).map(|(i, _)| i);
        let has = |i: usize| new.entries().any(|(j, weight)| i == j && on(weight * swap));
        old.by_ref().filter(|&i| has(i)).count()
    };
    [1.0, -1.0].into_iter().find_map(|swap| {
        let (one, other) = (common(swap, 1.0), common(swap, -1.0));
        (one > 0 && other > 0).then_some((one + other, swap))
    })
}

/// Writes the touches at the end of the last step as a part of a step finds them, and what was felt there, in the order of sites.
pub(super) fn recall(detector: &Detector, part: &PartStart, touches: &mut Vec<Touch>, felt: &mut Vec<Felt>) {
    let PartStart { cloth, inputs, dynamics, state, .. } = *part;
    let points = point_count(cloth.mesh());
    touches.clear();
    felt.clear();
    // A step leaves them in order, but a caller may change them.
    let mut contacts = Cow::from(&state.contacts);
    if !contacts.is_sorted_by_key(|contact| contact.site) {
        contacts.to_mut().sort_unstable_by_key(|contact| contact.site);
    }
    for contact in &*contacts {
        touches.push(match contact.site {
            site if site.obstacle().is_some_and(|obstacle| obstacle >= inputs.bodies.len()) => continue,
            Site::Point { point, .. } if point >= points => continue,
            Site::Point { obstacle, .. } => by_its_body(contact, inputs, obstacle, detector, &state.positions),
            _ => as_it_was(contact),
        });
        let h2 = dynamics.h * dynamics.h;
        let gamma = contact.normal_force * h2;
        let side = Some(if contact.slipping { Side::High } else { Side::Within });
        felt.push(Felt { gamma, load: gamma, force: contact.friction * h2, side, ..Felt::default() });
    }
}

/// What a part of a step starts from.
#[derive(Clone, Copy)]
pub(in crate::step) struct PartStart<'a> {
    pub cloth: &'a Cloth,
    pub material: &'a Material,
    pub inputs: &'a Inputs<'a>,
    pub dynamics: &'a Dynamics,
    pub state: &'a State,
}

/// A contact of the last step, as it was.
fn as_it_was(contact: &Contact) -> Touch {
    Touch {
        site: contact.site,
        stencil: contact.stencil,
        place: DVec3::ZERO,
        gap: 0.0,
        slack: 0.0,
        allowed: 0.0,
        normal: contact.normal,
        slip: DVec3::ZERO,
        mass: 0.0,
        centre_distance: 0.0,
        layer: 0.0,
        area: 1.0,
        beside: 0.0,
        coefficient: 0.0,
        most_friction: 0.0,
    }
}

/// A contact of a point with a body in the last step as this one finds it: carried along by its body.
fn by_its_body(contact: &Contact, inputs: &Inputs, obstacle: usize, detector: &Detector, positions: &[DVec3]) -> Touch {
    let (shape, sweep) = (&inputs.bodies[obstacle].shape, &detector.sweeps[obstacle]);
    let from = sweep.from.to_local(contact.stencil.sum(positions));
    // On an edge the last normal stays; anywhere else, and if the cloth or the body was moved by hand, it is what it is.
    let last = sweep.from.rotation.inverse() * contact.normal;
    let near = shape.near(from);
    let leads_away = shape.near(from + last * EDGE).gap > near.gap + 0.9 * EDGE;
    let normal = if leads_away && last.is_normalized() { last } else { near.normal };
    Touch { place: sweep.to.to_world(from), normal: sweep.to.rotate(normal), ..as_it_was(contact) }
}
