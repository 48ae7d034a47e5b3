//! The broad phase: which parts of a moving cloth may meet.
//!
//! Every node, edge and triangle has a box that moves. Edges are in one tree, nodes in another, triangles in a third;
//! pairs of boxes that may overlap are found by walking a tree against itself or two against each other.

use glam::DVec3;

use super::boxes::Bounds;
use super::tree::Tree;
use crate::cloth::Surface;
use crate::cores::Cores;

/// Pairs of features that may meet and share no node, each pair once.
///
/// Which pairs there are depends on the motion alone; their order also on the places the trees were built on. Where the
/// order matters, [`sort`](Self::sort) makes it depend on the motion alone too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// A node, and a triangle of the surface.
    pub node_face: Vec<[u32; 2]>,
    /// Two edges of the surface, the lower first.
    pub edge_edge: Vec<[u32; 2]>,
}

impl Candidates {
    /// Puts the pairs in ascending order.
    pub fn sort(&mut self) {
        self.node_face.sort_unstable();
        self.edge_edge.sort_unstable();
    }
}

/// The boxes of a surface in motion.
#[derive(Clone, Debug)]
pub struct BroadPhase {
    bounds: Vec<Bounds>,
    nodes: Tree<1>,
    edges: Tree<2>,
    triangles: Tree<3>,
}

impl BroadPhase {
    /// Trees built on given positions of the nodes; the rest shape, or the cloth laid flat, is as good as any. Nothing
    /// meets until the first [`refit`](Self::refit).
    pub fn new(surface: &Surface, positions: &[DVec3]) -> Self {
        let nodes = own_nodes(surface);
        Self {
            bounds: vec![Bounds::EMPTY; surface.node_count()],
            nodes: Tree::new(&nodes, positions),
            edges: Tree::new(surface.edges(), positions),
            triangles: Tree::new(surface.triangles(), positions),
        }
    }

    /// Fits the boxes to a motion in straight lines from `from` to `to`, all at the same time, inflated by `margin` (m) on all
    /// sides: pairs that come closer than twice the margin are candidates.
    pub fn refit(&mut self, from: &[DVec3], to: &[DVec3], margin: f64) {
        self.refit_by(Cores::One, from, to, margin);
    }

    /// The same, by several cores.
    pub(crate) fn refit_by(&mut self, cores: Cores, from: &[DVec3], to: &[DVec3], margin: f64) {
        fit(&mut self.bounds, from, to, margin);
        let Self { bounds, nodes, edges, triangles } = self;
        let others = || {
            nodes.refit(bounds);
            triangles.refit(bounds);
        };
        cores.join(|| edges.refit(bounds), others);
    }

    /// Every pair of features whose boxes overlap and that share no node, once. What was in `out` is lost.
    pub fn self_pairs(&self, out: &mut Candidates) {
        self.self_pairs_by(Cores::One, out);
    }

    /// The same, by several cores.
    pub(crate) fn self_pairs_by(&self, cores: Cores, out: &mut Candidates) {
        let Candidates { node_face, edge_edge } = out;
        node_face.clear();
        edge_edge.clear();
        cores.join(
            || self.edges.self_pairs(&mut |pair| edge_edge.push(pair)),
            || self.nodes.pairs(&self.triangles, &mut |node, triangle| node_face.push([node, triangle])),
        );
    }
}

/// The boxes of the triangles of a surface in motion, to be asked by what is not of the surface.
#[derive(Clone, Debug)]
pub struct FaceBoxes {
    bounds: Vec<Bounds>,
    triangles: Tree<3>,
}

impl FaceBoxes {
    /// A tree built on given positions of the nodes. Nothing is near until the first [`refit`](Self::refit).
    pub fn new(surface: &Surface, positions: &[DVec3]) -> Self {
        Self { bounds: vec![Bounds::EMPTY; surface.node_count()], triangles: Tree::new(surface.triangles(), positions) }
    }

    /// Fits the boxes around motions in straight lines from `from` to places within `margin` (m) of `to`.
    pub fn refit(&mut self, from: &[DVec3], to: &[DVec3], margin: f64) {
        fit(&mut self.bounds, from, to, margin);
        self.triangles.refit(&self.bounds);
    }

    /// Every triangle that may come within `margin` (m) of a point that moves from one place to another meanwhile, in no order to
    /// rely on.
    pub fn near(&self, from: DVec3, to: DVec3, margin: f64, mut visit: impl FnMut(u32)) {
        self.triangles.overlapping(&Bounds::around(from, to, margin), &mut visit);
    }
}

/// Puts boxes around motions in straight lines, inflated by a margin.
fn fit(bounds: &mut [Bounds], from: &[DVec3], to: &[DVec3], margin: f64) {
    for (bounds, (&from, &to)) in bounds.iter_mut().zip(from.iter().zip(to)) {
        *bounds = Bounds::around(from, to, margin);
    }
}

/// The nodes of the surface, as features of one node.
fn own_nodes(surface: &Surface) -> Vec<[u32; 1]> {
    (0..surface.node_count() as u32).map(|node| [node]).collect()
}
