//! Which parts of a cloth may come near each other, found anew only when it has moved enough.

use glam::DVec3;

use super::broad::{BroadPhase, Candidates};
use super::pairs::{Kind, Pair};
use super::rings::Rings;
use crate::cloth::Cloth;

/// Of the size of a cell: how far a node may move before the list is made anew, beyond what it moves in a step.
const SKIN: f64 = 0.1;

/// How much farther than in this step a node may move before the list is made anew.
const ONWARDS: f64 = 1.5;

/// The pairs that are closer than a cut-off, and maybe more. Which more depends on when the list was made, so nothing else
/// may: the pairs within the cut-off are always among them.
#[derive(Default)]
pub(crate) struct Neighbours {
    broad: Option<BroadPhase>,
    candidates: Candidates,
    pairs: Vec<Pair>,
    /// Distance of each pair in the mesh as given, m; infinite for those that are not close along the cloth.
    usual: Vec<f64>,
    rings: Rings,
    /// Where the nodes were when the list was made, the mean subtracted: what moves together comes no closer.
    reference: Vec<DVec3>,
    /// How far each may be from there, m.
    skin: Vec<f64>,
    cutoff: f64,
    made: usize,
}

impl Neighbours {
    /// The pairs.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Distance of a pair in the mesh as given, m; infinite if the two are not close along the cloth.
    pub fn usual(&self, pair: usize) -> f64 {
        self.usual[pair]
    }

    /// How many pairs there is room for.
    pub fn room(&self) -> usize {
        self.pairs.capacity()
    }

    /// How often the list was made: who keeps something per pair keeps it as long as this stays.
    pub fn made(&self) -> usize {
        self.made
    }

    /// Makes sure that every pair is listed that comes within the cut-off when the nodes move from `start` to `phi`.
    pub fn update(&mut self, cloth: &Cloth, start: &[DVec3], phi: &[DVec3], cutoff: f64) {
        let centre = |x: &[DVec3]| x.iter().sum::<DVec3>() / x.len() as f64;
        let (at_start, at_end) = (centre(start), centre(phi));
        let stays = |x: &[DVec3], centre: DVec3| {
            let mut nodes = x.iter().zip(self.reference.iter().zip(&self.skin));
            nodes.all(|(x, (reference, skin))| (*x - centre).distance_squared(*reference) <= skin * skin)
        };
        let listed = self.reference.len() == phi.len() && self.cutoff == cutoff;
        if listed && stays(start, at_start) && stays(phi, at_end) {
            return;
        }
        self.cutoff = cutoff;
        self.made += 1;
        self.reference.clear();
        self.reference.extend(phi.iter().map(|x| *x - at_end));
        self.skin.clear();
        let moved = start.iter().zip(&self.reference).map(|(from, to)| (*from - at_start).distance(*to));
        self.skin.extend(moved.map(|moved| SKIN * cloth.cell_size() + ONWARDS * moved));
        self.list(cloth);
    }

    /// Lists the pairs that are closer than the cut-off when each node is anywhere in its skin.
    fn list(&mut self, cloth: &Cloth) {
        let surface = cloth.surface();
        let Self { broad, candidates, pairs, usual, rings, reference, skin, cutoff, .. } = self;
        let broad = broad.get_or_insert_with(|| {
            // Room for what an uncrumpled cloth needs, so that steps allocate nothing.
            candidates.node_face.reserve(8 * surface.node_count());
            candidates.edge_edge.reserve(8 * surface.edges().len());
            pairs.reserve(32 * surface.node_count());
            usual.reserve(pairs.capacity());
            *rings = Rings::new(surface);
            BroadPhase::new(surface, reference)
        });
        let margin = 0.5 * *cutoff;
        broad.refit_each(reference, skin.iter().map(|skin| skin + margin));
        broad.self_pairs(candidates);
        // Trees remember where they were built: of equals the first is taken, and it must not depend on that.
        candidates.sort();
        pairs.clear();
        usual.clear();
        let mut add = |pair: Pair| {
            let largest = |nodes: &[usize]| nodes.iter().map(|&i| skin[i]).fold(0.0, f64::max);
            let (one, other) = pair.nodes.split_at(if pair.kind == Kind::NodeFace { 1 } else { 2 });
            let reach = *cutoff + largest(one) + largest(other);
            // What is sewn together is one, as what shares a node is.
            let sewn = one.iter().any(|&i| other.iter().any(|&j| surface.name(i as u32) == surface.name(j as u32)));
            if !sewn && pair.kind.distance(&pair.places(reference)) < reach {
                pairs.push(pair);
                let near = rings.join(one, other);
                let given = || pair.kind.distance(&pair.places(cloth.mesh().positions()));
                usual.push(if near { given() } else { f64::INFINITY });
            }
        };
        for &[node, face] in &candidates.node_face {
            let [a, b, c] = surface.triangles()[face as usize].map(|i| i as usize);
            add(Pair { kind: Kind::NodeFace, nodes: [node as usize, a, b, c] });
        }
        // The lower edge first, so that a pair has one name.
        for &[one, other] in &candidates.edge_edge {
            let [[a, b], [c, d]] = [one, other].map(|edge| surface.edges()[edge as usize].map(|i| i as usize));
            add(Pair { kind: Kind::Edges, nodes: [a, b, c, d] });
        }
    }
}
