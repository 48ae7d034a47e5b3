//! The areas that touches of layers stand for.
//!
//! Where layers lie on each other the nodes of both touch the faces of the other, and each stands for half of its area. Three things keep the
//! whole area what it is wherever nodes are. A node above a node of the other layer touches that node, and not one or more of the faces around
//! it, as the last micrometre would have it. A node above an edge touches one of the faces there. And a node that touches nothing of its own,
//! because the other layer is bent away from it, leaves its half to the one above it.

use glam::DVec3;

use super::super::memory::Known;
use super::layers::Layers;
use super::{IterateView, Touch};
use crate::collide::{Site, Stencil};

/// Of the thickness: nodes that are this close to each other, but for their distance from layer to layer, touch each other; and those that
/// did so at the last iterate.
const BESIDE: f64 = 0.1;
const STILL_BESIDE: f64 = 0.2;

/// Of the thickness: touches of a node are one whose places on the other layer are closer than this.
const SAME_PLACE: f64 = 0.3;

/// Programs of a part of a step after which touches keep their areas.
const SETTLED_PROGRAMS: usize = 6;

/// Cosine of the angle between two directions that lead out of a layer on the same side of it.
const SAME_SIDE: f64 = 0.5;

/// Room for sharing areas.
#[derive(Default)]
pub(super) struct Shares {
    points: Vec<PointTouch>,
    dropped: Vec<bool>,
}

/// A node that touches another layer.
#[derive(Clone, Copy)]
struct PointTouch {
    node: usize,
    /// Its touch.
    touch: usize,
    /// From the other layer to the node, m, and of unit length.
    away: DVec3,
    outwards: DVec3,
}

impl Shares {
    /// Leaves one of the touches from `first` on that are the same, and gives them their areas. `before` was found at the last iterate,
    /// after so many programs: what was felt there stays.
    pub fn share(
        &mut self,
        first: usize,
        before: Known,
        programs: usize,
        view: &IterateView,
        layers: &Layers,
        touches: &mut Vec<Touch>,
    ) {
        let known = |site: Site| before.0.binary_search_by(|old| old.site.cmp(&site)).ok();
        let beside = |pair| if known(Site::Nodes(pair)).is_some() { STILL_BESIDE } else { BESIDE } * layers.thickness;
        touches[first..].iter_mut().for_each(|touch| meet_nodes(touch, view, beside));
        // Of the same nodes the nearest comes first.
        touches[first..].sort_unstable_by(|a, b| a.site.cmp(&b.site).then(a.gap.total_cmp(&b.gap)));
        touches.dedup_by_key(|touch| touch.site);
        self.note_points(first, view, touches);
        let Self { points, dropped } = self;
        dropped.clear();
        dropped.resize(touches.len(), false);
        let felt = |touch: &Touch| known(touch.site).is_some_and(|k| before.1[k].gamma > 0.0);
        let near = SAME_PLACE * layers.thickness;
        for same in points.chunk_by(|a, b| a.node == b.node) {
            for (k, one) in same.iter().enumerate() {
                for other in &same[k + 1..] {
                    let apart = one.away.distance(other.away) > near;
                    if apart || dropped[one.touch] || dropped[other.touch] || one.touch == other.touch {
                        continue;
                    }
                    let [a, b] = [one, other].map(|point| &touches[point.touch]);
                    let first_stays = match (felt(a), felt(b)) {
                        (true, false) => true,
                        (false, true) => false,
                        _ => a.gap <= b.gap,
                    };
                    dropped[if first_stays { other.touch } else { one.touch }] = true;
                }
            }
        }
        points.retain(|point| !dropped[point.touch]);
        for touch in &mut touches[first..] {
            if let Some(node) = point_of(&touch.site) {
                // In the end what touches keeps its area: nodes beside it may come and go.
                touch.area = match known(touch.site).filter(|_| programs > SETTLED_PROGRAMS) {
                    Some(k) => before.0[k].area,
                    None => area(node, touch, points, view.cloth.node_areas()),
                };
            }
        }
        let mut k = 0;
        touches.retain(|_| {
            k += 1;
            !dropped[k - 1]
        });
    }

    /// Notes which nodes touch another layer, in order.
    fn note_points(&mut self, first: usize, view: &IterateView, touches: &[Touch]) {
        self.points.clear();
        for (k, touch) in touches.iter().enumerate().skip(first) {
            let nodes = match touch.site {
                Site::Nodes(nodes) => &touch.stencil.nodes()[..nodes.len()],
                Site::NodeEdge(..) | Site::NodeFace(..) => &touch.stencil.nodes()[..1],
                _ => continue,
            };
            let between = touch.stencil.sum(view.phi);
            for (&node, weight) in nodes.iter().zip(touch.stencil.weights()) {
                let side = weight.signum();
                let (away, outwards) = (between * side, touch.normal * side);
                self.points.push(PointTouch { node, touch: k, away, outwards });
            }
        }
        self.points.sort_unstable_by_key(|point| (point.node, point.touch));
    }
}

/// A node that touches an edge or a face where a node of it is touches that one.
fn meet_nodes(touch: &mut Touch, view: &IterateView, beside: impl Fn([usize; 2]) -> f64) {
    if !matches!(touch.site, Site::NodeEdge(..) | Site::NodeFace(..)) {
        return;
    }
    let (nodes, weights) = (touch.stencil.nodes(), touch.stencil.weights());
    let place: DVec3 = nodes.iter().zip(weights).skip(1).map(|(&i, w)| view.phi[i] * w.abs()).sum();
    let above = nodes[0];
    let pair = |below: usize| [above.min(below), above.max(below)];
    let is_beside = |&&below: &&usize| view.phi[below].distance(place) < beside(pair(below));
    let Some(&below) = nodes[1..].iter().find(is_beside) else { return };
    let (pair, side) = (pair(below), if above < below { 1.0 } else { -1.0 });
    let stencil = Stencil::new(&pair, &[1.0, -1.0]);
    let Some(mass) = view.mass(&stencil) else { return };
    let normal = touch.normal * side;
    let moved = stencil.sum(view.phi) - stencil.sum(view.start);
    *touch =
        Touch { site: Site::Nodes(pair), stencil, normal, mass, slip: moved.reject_from_normalized(normal), ..*touch };
}

/// The node of a touch that stands for its own area.
fn point_of(site: &Site) -> Option<usize> {
    match *site {
        Site::Nodes([i, _]) | Site::NodeEdge(i, _) | Site::NodeFace(i, _) => Some(i),
        _ => None,
    }
}

/// The area that the touch of a node stands for: half of its own, and half of that of a node below it that touches nothing there.
fn area(node: usize, touch: &Touch, points: &[PointTouch], areas: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (other, weight) in touch.stencil.entries() {
        let share = if other == node || matches!(touch.site, Site::Nodes(_)) {
            1.0
        } else {
            let outwards = touch.normal * weight.signum();
            let own = &points[points.partition_point(|point| point.node < other)..];
            let mut own = own.iter().take_while(|point| point.node == other);
            let touches_itself = own.any(|point| point.outwards.dot(outwards) > SAME_SIDE);
            if touches_itself { 0.0 } else { f64::max(2.0 * weight.abs() - 1.0, 0.0) }
        };
        sum += 0.5 * share * areas[other];
    }
    sum
}
