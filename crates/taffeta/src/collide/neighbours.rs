//! Which parts of a cloth may come near each other, found anew only when it has moved enough.

use glam::DVec3;

use super::broad::{BroadPhase, Candidates};
use super::pairs::{Kind, Pair};
use super::rings::Rings;
use crate::cloth::Cloth;

/// Of the size of a cell: how far a node may stray from the motion that the list was made for.
const SKIN: f64 = 0.2;

/// How many steps like this one that motion goes on.
const ONWARDS: f64 = 4.0;

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
    /// The motion that the list was made for: where the nodes begin, m, and how far they go, m; both without what all do. What moves
    /// together comes no closer.
    origin: Vec<DVec3>,
    motion: Vec<DVec3>,
    ends: Vec<DVec3>,
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
        let skin = SKIN * cloth.cell_size();
        if self.cutoff == cutoff && self.is_underway(start, skin) && self.is_underway(phi, skin) {
            return;
        }
        let (at_start, at_end) = (centre(start), centre(phi));
        self.cutoff = cutoff;
        self.made += 1;
        self.origin.clear();
        self.origin.extend(start.iter().map(|x| *x - at_start));
        self.motion.clear();
        self.motion.extend(phi.iter().zip(&self.origin).map(|(to, from)| (*to - at_end - *from) * ONWARDS));
        self.list(cloth, skin);
    }

    /// Whether the nodes are where they are at some time of the motion that the list was made for, all of them to within their
    /// skin. Between two such places they are, too.
    fn is_underway(&self, x: &[DVec3], skin: f64) -> bool {
        if self.origin.len() != x.len() {
            return false;
        }
        let centre = centre(x);
        let gone = || x.iter().zip(&self.origin).map(|(x, origin)| *x - centre - *origin);
        let (along, square) = gone()
            .zip(&self.motion)
            .fold((0.0, 0.0), |(along, square), (gone, way)| (along + gone.dot(*way), square + way.length_squared()));
        let t = if square > 0.0 { (along / square).clamp(0.0, 1.0) } else { 0.0 };
        gone().zip(&self.motion).all(|(gone, way)| gone.distance_squared(*way * t) <= skin * skin)
    }

    /// Lists the pairs that come within the cut-off when each node is anywhere in its skin.
    fn list(&mut self, cloth: &Cloth, skin: f64) {
        let surface = cloth.surface();
        let Self { broad, candidates, pairs, usual, rings, origin, motion, ends, cutoff, .. } = self;
        let broad = broad.get_or_insert_with(|| {
            // Room for what an uncrumpled cloth needs, so that steps allocate nothing.
            candidates.node_face.reserve(8 * surface.node_count());
            candidates.edge_edge.reserve(8 * surface.edges().len());
            pairs.reserve(32 * surface.node_count());
            usual.reserve(pairs.capacity());
            *rings = Rings::new(surface);
            BroadPhase::new(surface, cloth.mesh().positions())
        });
        ends.clear();
        ends.extend(origin.iter().zip(&*motion).map(|(from, way)| *from + *way));
        broad.refit(origin, ends, 0.5 * *cutoff + skin);
        broad.self_pairs(candidates);
        // Trees remember where they were built: of equals the first is taken, and it must not depend on that.
        candidates.sort();
        pairs.clear();
        usual.clear();
        let mut add = |pair: Pair| {
            let (one, other) = pair.nodes.split_at(if pair.kind == Kind::NodeFace { 1 } else { 2 });
            let (from, to) = (pair.places(origin), pair.places(ends));
            let closest = pair.kind.distance(&from) - pair.kind.travel(&from, &to);
            // What is sewn together is one, as what shares a node is.
            let name = |&i: &usize| surface.name(i as u32);
            let sewn = || one.iter().any(|i| other.iter().any(|j| name(i) == name(j)));
            if closest < *cutoff + 2.0 * skin && !sewn() {
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

/// The mean of some places.
fn centre(x: &[DVec3]) -> DVec3 {
    x.iter().sum::<DVec3>() / x.len() as f64
}
