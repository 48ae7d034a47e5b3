//! The differences of two primitives: a triangle for a node and a face, a parallelogram for two edges.

use glam::DVec3;

use super::real::{Real, Vector};
use crate::collide::distance::{point_triangle, segment_segment};

/// All differences of points of two primitives at one time: a flat polygon, that meets the origin where they meet. Its distance
/// from the origin is theirs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet<R, const K: usize> {
    /// Its corners, m. Of a parallelogram the second and third are the neighbours of the first.
    pub corners: [Vector<R>; K],
    /// From the first corner to the second and third, m: sides of the primitives, not differences of differences.
    pub spans: [Vector<R>; 2],
}

impl<R: Real, const K: usize> Facet<R, K> {
    /// Between two facets, at a part `t` of the way.
    #[inline]
    pub fn between(&self, to: &Self, t: R) -> Self {
        let before = R::new(1.0) - t;
        let mix = |from: Vector<R>, to: Vector<R>| from * before + to * t;
        Self {
            corners: std::array::from_fn(|k| mix(self.corners[k], to.corners[k])),
            spans: std::array::from_fn(|k| mix(self.spans[k], to.spans[k])),
        }
    }

    /// A vector at a right angle to the facet, as long as its sides span area.
    #[inline]
    pub fn normal(&self) -> Vector<R> {
        self.spans[0].cross(self.spans[1])
    }
}

/// The part of a facet that is nearest to the origin, by the numbers of its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Feature {
    Corner(usize),
    Edge(usize, usize),
    /// A point inside, whose part of the way to each side is at least `depth`.
    Inside {
        depth: f64,
    },
}

/// What makes facets of one number of corners.
pub(super) trait Polygon<const K: usize> {
    /// The edges, as pairs of corners.
    const EDGES: [(usize, usize); K];

    /// The facet of the four points of a query.
    fn facet<R: Real>(x: &[DVec3; 4]) -> Facet<R, K>;

    /// The part of a facet nearest to the origin, as far as doubles can tell.
    fn nearest<R: Real>(facet: &Facet<R, K>) -> Feature;
}

/// The differences of a node and a face.
pub(super) struct NodeFace;

impl Polygon<3> for NodeFace {
    const EDGES: [(usize, usize); 3] = [(0, 1), (1, 2), (2, 0)];

    #[inline]
    fn facet<R: Real>(&[v, f0, f1, f2]: &[DVec3; 4]) -> Facet<R, 3> {
        Facet { corners: [f0, f1, f2].map(|f| Vector::between(f, v)), spans: [f1, f2].map(|f| Vector::between(f, f0)) }
    }

    #[inline]
    fn nearest<R: Real>(facet: &Facet<R, 3>) -> Feature {
        let weights = point_triangle(DVec3::ZERO, facet.corners.map(Vector::value));
        match weights.map(|weight| weight > 0.0) {
            [true, true, true] => Feature::Inside { depth: weights.into_iter().fold(1.0, f64::min) },
            [true, true, false] => Feature::Edge(0, 1),
            [false, true, true] => Feature::Edge(1, 2),
            [true, false, true] => Feature::Edge(2, 0),
            [_, false, false] => Feature::Corner(0),
            [false, true, false] => Feature::Corner(1),
            [false, false, true] => Feature::Corner(2),
        }
    }
}

/// The differences of two edges.
pub(super) struct EdgeEdge;

impl Polygon<4> for EdgeEdge {
    const EDGES: [(usize, usize); 4] = [(0, 1), (1, 3), (3, 2), (2, 0)];

    #[inline]
    fn facet<R: Real>(&[ea0, ea1, eb0, eb1]: &[DVec3; 4]) -> Facet<R, 4> {
        Facet {
            corners: [(eb0, ea0), (eb0, ea1), (eb1, ea0), (eb1, ea1)].map(|(b, a)| Vector::between(b, a)),
            spans: [Vector::between(ea0, ea1), Vector::between(eb1, eb0)],
        }
    }

    #[inline]
    fn nearest<R: Real>(facet: &Facet<R, 4>) -> Feature {
        let [start, end] = [0, 1].map(|k| facet.corners[k].value());
        let [alpha, beta] = segment_segment([start, end], [DVec3::ZERO, -facet.spans[1].value()]);
        let end = |part: f64| (part <= 0.0 || part >= 1.0).then_some(usize::from(part >= 1.0));
        match (end(alpha), end(beta)) {
            (None, None) => Feature::Inside { depth: alpha.min(1.0 - alpha).min(beta).min(1.0 - beta) },
            (Some(i), None) => Feature::Edge(i, i + 2),
            (None, Some(j)) => Feature::Edge(2 * j, 2 * j + 1),
            (Some(i), Some(j)) => Feature::Corner(i + 2 * j),
        }
    }
}
