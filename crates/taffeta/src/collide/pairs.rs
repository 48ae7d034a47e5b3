//! How near two parts of a cloth come to each other in a motion: a node and a face, or two edges.

use glam::DVec3;

use super::distance::{point_triangle, segment_segment};
use super::{Site, Stencil};

/// Which parts a pair is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A node and a face: the node comes first.
    NodeFace,
    /// Two edges.
    Edges,
}

/// Two parts of a cloth that share no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub kind: Kind,
    /// In few bytes: there are many pairs.
    pub nodes: [u32; 4],
}

/// Places of the four points of a pair.
pub(crate) type Places = [DVec3; 4];

/// Where two parts are to each other at the end of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Approach {
    /// The weights whose sum over the four points leads from the second part's nearest point to the first's.
    pub weights: [f64; 4],
    /// `ν`: unit direction from the second part to the first, on the side where they began.
    pub normal: DVec3,
    /// Distance along `ν`, m: negative where they went through each other.
    pub gap: f64,
    /// Whether the motion brought them so close that they may have.
    pub crosses: bool,
}

/// Of the distance at the start: two parts that come closer than this are taken to meet, and `ν` is their direction then.
const MEETING: f64 = 0.1;

/// Steps of following a motion; one that needs more runs along the other part, and is taken to meet it.
const MAX_ADVANCES: usize = 100;

/// Squared sine of the angle between edges below which they count as parallel: their nearest points are anywhere, and
/// what they could do to each other their ends do.
const PARALLEL: f64 = 1e-6;

/// m. Parts that are this close touch: rounding says in which direction they are apart.
pub(crate) const TOUCHING: f64 = 1e-12;

impl Kind {
    /// The weights whose sum over the four points leads from the nearest point of the second part to that of the first.
    #[inline]
    pub fn nearest(self, x: &Places) -> [f64; 4] {
        match self {
            Kind::NodeFace => {
                let [u, v, w] = point_triangle(x[0], [x[1], x[2], x[3]]);
                [1.0, -u, -v, -w]
            }
            Kind::Edges => {
                let [alpha, beta] = segment_segment([x[0], x[1]], [x[2], x[3]]);
                [1.0 - alpha, alpha, beta - 1.0, -beta]
            }
        }
    }

    /// Distance of the two parts, m.
    #[inline]
    pub fn distance(self, x: &Places) -> f64 {
        combine(&self.nearest(x), x).length()
    }

    /// How far the two parts are apart along a unit direction, m: no more than their distance.
    #[inline]
    pub fn separation(self, x: &Places, direction: DVec3) -> f64 {
        let [a, b, c, d] = x.map(|x| x.dot(direction));
        match self {
            Kind::NodeFace => a - larger(larger(b, c), d),
            Kind::Edges => -larger(-a, -b) - larger(c, d),
        }
    }

    /// A bound of how much the two parts can approach each other when the four points move like this, m.
    #[inline]
    pub fn travel(self, from: &Places, to: &Places) -> f64 {
        let moves: [DVec3; 4] = std::array::from_fn(|k| to[k] - from[k]);
        let mean = (moves[0] + moves[1] + moves[2] + moves[3]) * 0.25;
        let beyond = |k: usize| (moves[k] - mean).length_squared();
        let (one, other) = match self {
            Kind::NodeFace => (beyond(0), larger(larger(beyond(1), beyond(2)), beyond(3))),
            Kind::Edges => (larger(beyond(0), beyond(1)), larger(beyond(2), beyond(3))),
        };
        one.sqrt() + other.sqrt()
    }

    /// Where the two parts are to each other after they moved, `distance` apart at the start and no more than `travel`
    /// towards each other.
    pub fn approach(self, from: &Places, to: &Places, distance: f64, travel: f64) -> Approach {
        let met = if distance > travel { None } else { self.met(from, to, distance, travel) };
        met.unwrap_or_else(|| self.at(to, from))
    }

    /// How two parts met that may have; `None` if they did not.
    pub fn met(self, from: &Places, to: &Places, distance: f64, travel: f64) -> Option<Approach> {
        let x = self.meeting(from, to, distance, travel)?;
        let weights = self.nearest(&x);
        let apart = combine(&weights, &x);
        let normal = apart.try_normalize().unwrap_or_else(|| self.across(from));
        Some(Approach { weights, normal, gap: normal.dot(combine(&weights, to)), crosses: true })
    }

    /// Where the two parts are to each other, if they have not crossed on the way from where they were.
    pub fn at(self, x: &Places, from: &Places) -> Approach {
        let weights = self.nearest(x);
        self.seen(weights, combine(&weights, x), || *from)
    }

    /// The same where the nearest points, and what leads from the second to the first, are known.
    #[inline]
    pub fn seen(self, weights: [f64; 4], apart: DVec3, from: impl FnOnce() -> Places) -> Approach {
        let gap = apart.length();
        let normal = if gap > TOUCHING { apart / gap } else { self.across(&from()) };
        Approach { weights, normal, gap, crosses: false }
    }

    /// Where the four points are when the two parts have all but met; `None` if they do not.
    fn meeting(self, from: &Places, to: &Places, distance: f64, travel: f64) -> Option<Places> {
        let near = MEETING * distance;
        let (mut t, mut x, mut apart) = (0.0, *from, distance);
        for _ in 0..MAX_ADVANCES {
            if apart <= near {
                return Some(x);
            }
            // In this time they cannot come closer than half of what counts as met.
            t += (apart - 0.5 * near) / travel;
            if t >= 1.0 {
                return None;
            }
            x = std::array::from_fn(|k| from[k].lerp(to[k], t));
            apart = self.distance(&x);
        }
        Some(x)
    }

    /// The direction in which two parts lie to each other that touch, up to its sign.
    fn across(self, x: &Places) -> DVec3 {
        let normal = match self {
            Kind::NodeFace => (x[2] - x[1]).cross(x[3] - x[1]),
            Kind::Edges => (x[1] - x[0]).cross(x[3] - x[2]),
        };
        normal.normalize_or(DVec3::Z)
    }

    /// Whether the nearest points of two edges could be anywhere.
    fn is_parallel(self, x: &Places) -> bool {
        let (a, b) = (x[1] - x[0], x[3] - x[2]);
        self == Kind::Edges && a.cross(b).length_squared() < PARALLEL * a.length_squared() * b.length_squared()
    }
}

/// The larger of two numbers, in one instruction: `f64::max` also knows what to do with what is not a number.
#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Σ w x.
#[inline]
pub(crate) fn combine(weights: &[f64; 4], x: &Places) -> DVec3 {
    x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2] + x[3] * weights[3]
}

impl Pair {
    /// Where its nodes are.
    #[inline]
    pub fn places(&self, x: &[DVec3]) -> Places {
        self.nodes.map(|i| x[i as usize])
    }

    /// A bound of how much the two parts can approach each other when every node moves so far, m.
    #[inline]
    pub fn drift(&self, drift: &[f64]) -> f64 {
        let [a, b, c, d] = self.nodes.map(|i| drift[i as usize]);
        match self.kind {
            Kind::NodeFace => a + larger(larger(b, c), d),
            Kind::Edges => larger(a, b) + larger(c, d),
        }
    }

    /// A bound of [`Kind::travel`] when every node moves so far, m: what a node moves by changes its own motion and the mean one.
    #[inline]
    pub fn travel_bound(&self, drift: &[f64]) -> f64 {
        self.drift(drift) + self.rise(drift)
    }

    /// By how much [`Pair::travel_bound`] exceeds [`Pair::drift`], m: what the mean of the nodes moves by counts on both sides.
    #[inline]
    pub fn rise(&self, drift: &[f64]) -> f64 {
        let [a, b, c, d] = self.nodes.map(|i| drift[i as usize]);
        0.5 * (a + b + c + d)
    }

    /// What touches what when the nearest points are these, the stencil of their difference, and the direction of it; `None`
    /// where that is left to another pair: the end of an edge belongs to the node there.
    pub fn site(&self, approach: &Approach, x: &Places) -> Option<(Site, Stencil, DVec3)> {
        let part = |k: usize| approach.weights[k] != 0.0;
        let own = self.nodes.map(|i| i as usize);
        let [i, a, b, c] = own;
        if self.kind == Kind::Edges {
            let between = (0..4).all(part) && (approach.crosses || !self.kind.is_parallel(x));
            let stencil = || Stencil::new(&own, &approach.weights);
            return between.then(|| (Site::Edges([i, a], [b, c]), stencil(), approach.normal));
        }
        let (mut nodes, mut weights, mut count) = (own, approach.weights, 1);
        for k in (1..4).filter(|&k| part(k)) {
            (nodes[count], weights[count]) = (own[k], approach.weights[k]);
            count += 1;
        }
        let site = match count {
            2 if nodes[1] < i => {
                // Two nodes meet in two pairs: both must tell it alike.
                let stencil = Stencil::new(&[nodes[1], i], &[1.0, -1.0]);
                return Some((Site::Nodes([nodes[1], i]), stencil, -approach.normal));
            }
            2 => Site::Nodes([i, nodes[1]]),
            3 => Site::NodeEdge(i, [nodes[1].min(nodes[2]), nodes[1].max(nodes[2])]),
            _ => Site::NodeFace(i, [a, b, c]),
        };
        Some((site, Stencil::new(&nodes[..count], &weights[..count]), approach.normal))
    }
}
