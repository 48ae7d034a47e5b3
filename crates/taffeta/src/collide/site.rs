//! Where two things touch, as a name that stays from one step to the next.

/// What touches what. Nodes of the cloth are told by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Site {
    /// A point of the cloth, on an obstacle: a node, or the number of nodes plus the index of an element, whose centre it is.
    Point {
        /// Index of the obstacle among the inputs of the step.
        obstacle: usize,
        /// The point.
        point: usize,
    },
    /// An edge of the cloth between its ends, on an obstacle.
    Edge {
        /// Index of the obstacle among the inputs of the step.
        obstacle: usize,
        /// The ends of the edge.
        edge: [usize; 2],
    },
    /// A face of the cloth, on a sharp point of an obstacle.
    Tip {
        /// Index of the obstacle among the inputs of the step.
        obstacle: usize,
        /// Index of the point among the obstacle's.
        tip: usize,
        /// The corners of the face.
        face: [usize; 3],
    },
    /// A sharp point of a body, or a round one, on another body.
    Bodies {
        /// Index of the obstacle whose surface it is on.
        obstacle: usize,
        /// Index of the obstacle that it is a point of.
        body: usize,
        /// Index of the point among that obstacle's.
        tip: usize,
    },
    /// Two nodes of the cloth.
    Nodes([usize; 2]),
    /// A node and an edge between its ends.
    NodeEdge(usize, [usize; 2]),
    /// A node and a face within its edges.
    NodeFace(usize, [usize; 3]),
    /// Two edges between their ends.
    Edges([usize; 2], [usize; 2]),
}

impl Site {
    /// A number that orders touches of the cloth with itself as their sites are ordered, and is faster to compare.
    pub(crate) fn key(&self) -> u128 {
        let pack = |kind: u128, nodes: [usize; 4]| nodes.iter().fold(kind, |key, &node| key << 30 | node as u128);
        match *self {
            Site::Nodes([i, j]) => pack(1, [i, j, 0, 0]),
            Site::NodeEdge(i, [a, b]) => pack(2, [i, a, b, 0]),
            Site::NodeFace(i, [a, b, c]) => pack(3, [i, a, b, c]),
            Site::Edges([a, b], [c, d]) => pack(4, [a, b, c, d]),
            Site::Point { .. } | Site::Edge { .. } | Site::Tip { .. } | Site::Bodies { .. } => 0,
        }
    }

    /// The obstacle whose surface is touched; `None` where the cloth touches itself.
    pub fn obstacle(&self) -> Option<usize> {
        match *self {
            Site::Point { obstacle, .. }
            | Site::Edge { obstacle, .. }
            | Site::Tip { obstacle, .. }
            | Site::Bodies { obstacle, .. } => Some(obstacle),
            _ => None,
        }
    }

    /// The obstacle a point of which touches another one; `None` where it is the cloth that touches.
    pub fn body(&self) -> Option<usize> {
        match *self {
            Site::Bodies { body, .. } => Some(body),
            _ => None,
        }
    }

    /// The points of the cloth that it names, and whether they can only be nodes: not so where the centre of an element
    /// would do.
    pub(crate) fn points(&self) -> impl Iterator<Item = (usize, bool)> {
        let (points, count) = match *self {
            Site::Bodies { .. } => ([0; 4], 0),
            Site::Point { point, .. } => ([point, 0, 0, 0], 1),
            Site::Edge { edge: [a, b], .. } | Site::Nodes([a, b]) => ([a, b, 0, 0], 2),
            Site::Tip { face: [a, b, c], .. } | Site::NodeEdge(a, [b, c]) => ([a, b, c, 0], 3),
            Site::NodeFace(a, [b, c, d]) | Site::Edges([a, b], [c, d]) => ([a, b, c, d], 4),
        };
        let only_nodes = !matches!(self, Site::Point { .. });
        points.into_iter().take(count).map(move |point| (point, only_nodes))
    }
}
