//! Contacts with bodies that move by the forces on them act on both sides.

use glam::DVec3;

use super::detect::Touch;
use crate::linalg::BlockPattern;
use crate::step::bodies::Bodies;

/// The unknowns of a body, and where it is at the iterate.
#[derive(Clone, Copy, Debug)]
pub(in crate::step) struct Carrier {
    /// The node of its centre; that of its rotation is the next.
    pub node: usize,
    /// Its centre, m.
    pub centre: DVec3,
    /// `L`: what rotations are multiplied with, m.
    pub length: f64,
    /// kg.
    pub mass: f64,
}

/// The unknowns of the obstacles, by their indices; `None` of those that are where they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Carriers {
    list: Vec<Option<Carrier>>,
}

impl Carriers {
    /// Notes where bodies are at an iterate.
    pub fn see(&mut self, bodies: &Bodies) {
        self.list.clear();
        if !bodies.is_empty() {
            self.list.extend((0..bodies.obstacles()).map(|obstacle| bodies.carrier(obstacle)));
        }
    }

    /// The bodies that a touch acts on, the one whose surface is touched against its normal.
    fn of(&self, touch: &Touch) -> [Option<(Carrier, f64)>; 2] {
        if self.list.is_empty() {
            return [None; 2];
        }
        let find = |obstacle: Option<usize>, sign: f64| Some((self.list.get(obstacle?).copied().flatten()?, sign));
        [find(touch.site.obstacle(), -1.0), find(touch.site.body(), 1.0)]
    }

    /// A row that acts along a direction at a touch: its gradient at each node of the cloth and of the bodies.
    pub fn row(&self, touch: &Touch, direction: DVec3) -> impl Iterator<Item = (usize, DVec3)> + use<'_> {
        let (stencil, place) = (touch.stencil, touch.place);
        let entries = self.of(touch).into_iter().flatten().flat_map(move |(carrier, sign)| {
            let arm = (place - carrier.centre) / carrier.length;
            [(carrier.node, direction * sign), (carrier.node + 1, arm.cross(direction) * sign)]
        });
        stencil.row(direction).chain(entries)
    }

    /// Whether a touch acts on one of them.
    pub fn couple(&self, touch: &Touch) -> bool {
        self.of(touch).iter().any(Option::is_some)
    }

    /// The unknowns of an obstacle.
    pub fn at(&self, obstacle: usize) -> Option<Carrier> {
        self.list.get(obstacle).copied().flatten()
    }

    /// All unknowns that a touch couples.
    pub fn nodes<'a>(&self, touch: &'a Touch) -> impl Iterator<Item = usize> + use<'a> {
        let carriers = self.of(touch).into_iter().flatten();
        touch.stencil.nodes().iter().copied().chain(carriers.flat_map(|(carrier, _)| [carrier.node, carrier.node + 1]))
    }

    /// Whether a matrix has room for the rows of a touch.
    pub fn fits(&self, touch: &Touch, pattern: &BlockPattern) -> bool {
        // The nodes of the cloth that touch an obstacle are in one element, and meet anyhow.
        if self.list.is_empty() && touch.site.obstacle().is_some() {
            return true;
        }
        let mut nodes = [0; 8];
        let count = self.nodes(touch).zip(&mut nodes).map(|(node, place)| *place = node).count();
        pattern.has(&nodes[..count])
    }
}
