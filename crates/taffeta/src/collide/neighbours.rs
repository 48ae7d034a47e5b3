//! Which parts of a cloth may come near each other, found anew only when it has moved enough.

use std::array::from_fn;

use glam::DVec3;
use pulp::{Arch, Simd, WithSimd};

use super::bounds::bounds;
use super::broad::{BroadPhase, Candidates};
use super::lanes::LANES;
use super::pairs::{Kind, Pair};
use super::rings::Rings;
use crate::cloth::{Cloth, Surface};
use crate::cores::Cores;

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
    /// Those of one kind that come near enough, with what is known of them; and their names, which are put in order, with the share
    /// that each is in and where.
    shares: Vec<Share>,
    order: Vec<(u64, [u32; 2])>,
    pairs: Vec<Pair>,
    /// How far apart each pair was at the start of the motion that the list was made for, m, or less, and in which direction.
    apart: Vec<f64>,
    normals: Vec<DVec3>,
    /// Distance of each pair in the mesh as given, m; infinite for those that are not close along the cloth, and not a number as
    /// long as nobody has asked.
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

/// Into how many shares the candidates of a kind are divided: more than there are cores, so that they are done at the same time.
const SHARES: usize = 16;

/// Those of a share of the candidates that come near enough.
struct Share {
    number: usize,
    chosen: Vec<Chosen>,
}

/// A pair that comes near enough to be listed.
#[derive(Clone, Copy)]
struct Chosen {
    /// Its two parts in one number, by which pairs are ordered.
    name: u64,
    nodes: [u32; 4],
    apart: f64,
    normal: DVec3,
}

impl Neighbours {
    /// The pairs.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// How far apart the pairs were at the start of the motion that the list was made for, m, or less.
    pub fn apart(&self) -> &[f64] {
        &self.apart
    }

    /// The unit direction along which each pair was so far apart; zero where none is known.
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// Distance of a pair in the mesh as given, m; infinite if the two are not close along the cloth.
    pub fn usual(&mut self, index: usize, cloth: &Cloth) -> f64 {
        let usual = &mut self.usual[index];
        if usual.is_nan() {
            let pair = &self.pairs[index];
            let nodes = pair.nodes.map(|i| i as usize);
            let (one, other) = nodes.split_at(if pair.kind == Kind::NodeFace { 1 } else { 2 });
            let near = self.rings.join(one, other);
            let given = || pair.kind.distance(&pair.places(cloth.mesh().positions()));
            *usual = if near { given() } else { f64::INFINITY };
        }
        *usual
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
    pub fn update(&mut self, cloth: &Cloth, start: &[DVec3], phi: &[DVec3], cutoff: f64, cores: Cores) {
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
        self.list(cloth, skin, cores);
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
    fn list(&mut self, cloth: &Cloth, skin: f64, cores: Cores) {
        let surface = cloth.surface();
        if self.broad.is_none() {
            self.make_room(cloth);
        }
        let Self { broad, candidates, shares, order, pairs, apart, normals, usual, .. } = self;
        let Self { origin, motion, ends, cutoff, .. } = self;
        let Some(broad) = broad else { return };
        ends.clear();
        ends.extend(origin.iter().zip(&*motion).map(|(from, way)| *from + *way));
        broad.refit_by(cores, origin, ends, 0.5 * *cutoff + skin);
        broad.self_pairs_by(cores, candidates);
        pairs.clear();
        apart.clear();
        normals.clear();
        usual.clear();
        let near = *cutoff + 2.0 * skin;
        for (kind, candidates) in [(Kind::NodeFace, &candidates.node_face), (Kind::Edges, &candidates.edge_edge)] {
            let choice = Choice { surface, kind, candidates, origin, motion, near };
            cores.each(shares, &|share: &mut Share| choice.of(share));
            order.clear();
            for (number, share) in (0..).zip(&*shares) {
                order.extend((0..).zip(&share.chosen).map(|(k, chosen)| (chosen.name, [number, k])));
            }
            // Trees remember where they were built: of equals the first is taken, and it must not depend on that.
            order.sort_unstable();
            for chosen in order.iter().map(|&(_, [share, k])| &shares[share as usize].chosen[k as usize]) {
                pairs.push(Pair { kind, nodes: chosen.nodes });
                apart.push(chosen.apart);
                normals.push(chosen.normal);
            }
        }
        usual.resize(pairs.len(), f64::NAN);
    }

    /// Room for what an uncrumpled cloth needs, so that steps allocate nothing.
    fn make_room(&mut self, cloth: &Cloth) {
        let surface = cloth.surface();
        let Self { broad, candidates, shares, order, pairs, apart, normals, usual, rings, .. } = self;
        candidates.node_face.reserve(8 * surface.node_count());
        candidates.edge_edge.reserve(8 * surface.edges().len());
        pairs.reserve(32 * surface.node_count());
        order.reserve(pairs.capacity());
        apart.reserve(pairs.capacity());
        normals.reserve(pairs.capacity());
        usual.reserve(pairs.capacity());
        shares
            .extend((0..SHARES).map(|number| Share { number, chosen: Vec::with_capacity(pairs.capacity() / SHARES) }));
        *rings = Rings::new(surface);
        *broad = Some(BroadPhase::new(surface, cloth.mesh().positions()));
    }
}

/// What candidates of one kind are chosen by: those that come nearer than `near`, m, in a motion.
struct Choice<'a> {
    surface: &'a Surface,
    kind: Kind,
    candidates: &'a [[u32; 2]],
    origin: &'a [DVec3],
    motion: &'a [DVec3],
    near: f64,
}

impl Choice<'_> {
    /// Chooses among the candidates of one share.
    fn of(&self, share: &mut Share) {
        let count = self.candidates.len();
        // Whole groups of lanes for all shares but the last.
        let border = |number: usize| (number * count / SHARES).next_multiple_of(LANES).min(count);
        let candidates = &self.candidates[border(share.number)..border(share.number + 1)];
        share.chosen.clear();
        Arch::new().dispatch(ChoiceOfShare { choice: self, candidates, chosen: &mut share.chosen });
    }

    /// The nodes of a candidate.
    #[inline(always)]
    fn nodes_of(&self, [one, other]: [u32; 2]) -> [u32; 4] {
        match self.kind {
            Kind::NodeFace => {
                let [a, b, c] = self.surface.triangles()[other as usize];
                [one, a, b, c]
            }
            // The lower edge first, so that a pair has one name.
            Kind::Edges => {
                let [[a, b], [c, d]] = [one, other].map(|edge| self.surface.edges()[edge as usize]);
                [a, b, c, d]
            }
        }
    }

    /// Whether the two share a node, or are sewn together, which is the same.
    fn are_sewn(&self, nodes: &[u32; 4]) -> bool {
        let (one, other) = nodes.split_at(if self.kind == Kind::NodeFace { 1 } else { 2 });
        one.iter().any(|&i| other.iter().any(|&j| self.surface.name(i) == self.surface.name(j)))
    }
}

struct ChoiceOfShare<'a> {
    choice: &'a Choice<'a>,
    candidates: &'a [[u32; 2]],
    chosen: &'a mut Vec<Chosen>,
}

impl WithSimd for ChoiceOfShare<'_> {
    type Output = ();

    /// All of it is in one function, which is compiled for the vectors of the processor.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { choice, candidates, chosen } = self;
        for some in candidates.chunks(LANES) {
            // The last one fills the lanes that are left.
            let nodes = from_fn(|k| choice.nodes_of(some[k.min(some.len() - 1)]));
            let bounds = bounds(simd, choice.kind, &nodes, choice.origin, choice.motion);
            for (k, (&[one, other], bound)) in some.iter().zip(&bounds).enumerate() {
                if bound.apart - bound.travel < choice.near && !choice.are_sewn(&nodes[k]) {
                    let name = u64::from(one) << 32 | u64::from(other);
                    chosen.push(Chosen { name, nodes: nodes[k], apart: bound.apart, normal: bound.normal });
                }
            }
        }
    }
}

/// The mean of some places.
fn centre(x: &[DVec3]) -> DVec3 {
    x.iter().sum::<DVec3>() / x.len() as f64
}
