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
    /// The obstacle; `None` where the cloth touches itself.
    pub fn obstacle(&self) -> Option<usize> {
        match *self {
            Site::Point { obstacle, .. } | Site::Edge { obstacle, .. } | Site::Tip { obstacle, .. } => Some(obstacle),
            _ => None,
        }
    }
}
