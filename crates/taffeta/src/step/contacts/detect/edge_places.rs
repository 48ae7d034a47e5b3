//! Where an edge of the cloth is touched by a body: at the place where it is deepest, and at one more where it was touched before.
//!
//! Which place is the deepest can change from one iterate to the next and back for ever: of an edge that goes over two rims of a box, or
//! that lies flat on one and is deeper at an end. A force that was felt at one of them would have no row in the program that follows, and
//! the next one would have too much at the other. So a place stays as long as it is pushed there. Of the two places of an edge the second
//! is named by its ends the other way round.

use glam::{DQuat, DVec3};

use super::super::memory::Felt;
use super::Touch;
use crate::collide::{EdgeMeeting, Site, near_edge};
use crate::obstacle::Implicit;

/// Cosine of the angle up to which the surface that an edge meets is the one nearest to it.
const SAME_SIDE: f64 = 0.5;

/// Of the length of an edge: places that are closer to each other are one place that moves.
const SAME_PLACE: f64 = 0.25;

/// Of the tolerance for gaps: how much deeper an edge must be elsewhere for a place that is to be slowed down to move at all. On an edge
/// that lies nearly flat the deepest place can be anywhere.
const DEEPER: f64 = 0.5;

/// The same of a place where the edge is pushed and does not slide: with every move of it the forces there would have to be found again.
const LEVEL: f64 = 0.1;

/// What an edge meets at one of its places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub met: EdgeMeeting,
    /// The smallest distance from the body beside it, m.
    pub deepest: f64,
}

/// An edge at an iterate, seen from a body that is turned like this.
pub(super) struct Seen<'a> {
    pub shape: &'a dyn Implicit,
    pub edge: [DVec3; 2],
    pub rotation: DQuat,
    /// Whether places that move are to be slowed down.
    pub late: bool,
    /// Tolerance for gaps, m.
    pub gap_tolerance: f64,
}

/// A touch of the last iterate, and what was felt there.
type Old<'a> = Option<(&'a Touch, &'a Felt)>;

impl Seen<'_> {
    /// Where it is touched that meets the body like this, and was touched at these places at the last iterate.
    pub fn places(&self, met: Option<EdgeMeeting>, old: [Old; 2]) -> [Option<Place>; 2] {
        let kept = old.map(|old| old.filter(|(_, felt)| felt.gamma > 0.0).and_then(|(touch, _)| self.kept(touch)));
        let Some(met) = met else { return kept };
        let far = |old: Old| old.is_none_or(|(touch, _)| (place_on_edge(touch) - met.along).abs() > SAME_PLACE);
        let first_stays = kept[0].is_some() && far(old[0]);
        let second_moves = !far(old[1]) && far(old[0]) || first_stays && kept[1].is_none();
        let moves = usize::from(second_moves);
        let mut places = kept;
        let level = |kept: &Place| kept.deepest - met.surface.gap <= LEVEL * self.gap_tolerance;
        let still = |touch: &Touch| touch.slip.length_squared() <= self.gap_tolerance * self.gap_tolerance;
        places[moves] = Some(match (old[moves].filter(|_| !far(old[moves])), kept[moves]) {
            (Some((touch, _)), _) if self.late => self.steadied(touch, met),
            (Some((touch, _)), Some(kept)) if still(touch) && level(&kept) => {
                Place { deepest: f64::min(kept.deepest, met.surface.gap), ..kept }
            }
            _ => Place { met, deepest: met.surface.gap },
        });
        places
    }

    /// The place of an edge that was pushed there, unless another side of the body is nearest to it now.
    fn kept(&self, old: &Touch) -> Option<Place> {
        let along = place_on_edge(old);
        let surface = near_edge(self.shape, self.edge, along);
        let stays = (self.rotation * surface.normal).dot(old.normal) >= SAME_SIDE;
        stays.then_some(Place { met: EdgeMeeting { surface, along }, deepest: surface.gap })
    }

    /// Halfway between the place where it was touched and the one where it is deepest now, or where it was touched, if that is as deep.
    fn steadied(&self, old: &Touch, met: EdgeMeeting) -> Place {
        let before = place_on_edge(old);
        let near = |along: f64| near_edge(self.shape, self.edge, along);
        let nearest = |along: f64| near(along).normal.dot(met.surface.normal) >= SAME_SIDE;
        if !(nearest(met.along) && nearest(before)) {
            // It went in by another side, or is on the way to one.
            return Place { met, deepest: met.surface.gap };
        }
        let is_deeper = near(before).gap - met.surface.gap > DEEPER * self.gap_tolerance;
        let along = if is_deeper { 0.5 * (met.along + before) } else { before };
        let surface = near(along);
        Place { met: EdgeMeeting { surface, along }, deepest: f64::min(met.surface.gap, surface.gap) }
    }
}

/// Where an edge was touched, from 0 to 1.
fn place_on_edge(touch: &Touch) -> f64 {
    touch.stencil.entries().nth(1).map_or(0.0, |(_, weight)| weight)
}

/// Finds second places of edges among touches that are in the order of their sites.
pub(super) struct SecondPlaces<'a> {
    touches: &'a [Touch],
    any: bool,
}

impl<'a> SecondPlaces<'a> {
    pub fn among(touches: &'a [Touch]) -> Self {
        let is_second = |touch: &Touch| matches!(touch.site, Site::Edge { edge: [i, j], .. } if i > j);
        Self { touches, any: touches.iter().any(is_second) }
    }

    /// Which of the touches is at a site.
    pub fn at(&self, site: Site) -> Option<usize> {
        if !self.any {
            return None;
        }
        self.touches.binary_search_by_key(&site, |touch| touch.site).ok()
    }
}
