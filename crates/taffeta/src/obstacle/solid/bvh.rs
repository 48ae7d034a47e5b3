//! A tree of boxes around triangles: who is nearest without asking all.

use glam::DVec3;

/// At most so many triangles are in a leaf: asking a few costs less than going down to each.
const LEAF: usize = 4;

/// A binary tree of boxes.
#[derive(Debug)]
pub(super) struct Bvh {
    nodes: Vec<Node>,
    /// The triangles, those of a leaf together.
    order: Vec<usize>,
}

#[derive(Debug)]
struct Node {
    low: DVec3,
    high: DVec3,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// A range of `order`.
    Leaf(usize, usize),
    /// Two nodes.
    Fork(usize, usize),
}

impl Node {
    fn distance_squared(&self, point: DVec3) -> f64 {
        (self.low - point).max(point - self.high).max(DVec3::ZERO).length_squared()
    }
}

impl Bvh {
    /// A tree over triangles given by their corners; its root is the last node.
    pub(super) fn new(triangles: &[[DVec3; 3]]) -> Self {
        let mut bvh = Self { nodes: Vec::with_capacity(triangles.len()), order: (0..triangles.len()).collect() };
        bvh.build(triangles, 0, triangles.len());
        bvh
    }

    fn build(&mut self, triangles: &[[DVec3; 3]], begin: usize, end: usize) -> usize {
        let part = &mut self.order[begin..end];
        let corners = || part.iter().flat_map(|&triangle| triangles[triangle]);
        let low = corners().fold(DVec3::INFINITY, DVec3::min);
        let high = corners().fold(DVec3::NEG_INFINITY, DVec3::max);
        let content = if end - begin <= LEAF {
            Content::Leaf(begin, end)
        } else {
            let axis = (high - low).max_position();
            let place = |triangle: usize| triangles[triangle].iter().map(|corner| corner[axis]).sum::<f64>();
            let half = part.len() / 2;
            // Equal places are told apart by the index, so that the tree is always the same.
            part.select_nth_unstable_by(half, |&a, &b| place(a).total_cmp(&place(b)).then(a.cmp(&b)));
            let first = self.build(triangles, begin, begin + half);
            Content::Fork(first, self.build(triangles, begin + half, end))
        };
        self.nodes.push(Node { low, high, content });
        self.nodes.len() - 1
    }

    /// Asks the triangles that may be nearer to the point than any before, near boxes first. `ask` is told a triangle and
    /// answers the least squared distance so far.
    pub(super) fn visit_near(&self, point: DVec3, mut ask: impl FnMut(usize) -> f64) {
        let mut least = f64::INFINITY;
        self.visit(self.nodes.len() - 1, point, &mut least, &mut ask);
    }

    fn visit(&self, node: usize, point: DVec3, least: &mut f64, ask: &mut impl FnMut(usize) -> f64) {
        match self.nodes[node].content {
            Content::Leaf(begin, end) => {
                for &triangle in &self.order[begin..end] {
                    *least = ask(triangle);
                }
            }
            Content::Fork(first, second) => {
                let children = [first, second].map(|child| (self.nodes[child].distance_squared(point), child));
                let nearer_last = children[1].0 < children[0].0;
                let [near, far] = if nearer_last { [children[1], children[0]] } else { children };
                for (distance_squared, child) in [near, far] {
                    if distance_squared < *least {
                        self.visit(child, point, least, ask);
                    }
                }
            }
        }
    }
}
