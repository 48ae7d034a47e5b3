//! The points of a cloth that can touch something: its nodes, and the centres of its elements.

use glam::DVec3;

use crate::mesh::Mesh;

/// Number of points: first the nodes, then the elements.
pub(crate) fn point_count(mesh: &Mesh) -> usize {
    mesh.node_count() + mesh.elements().len()
}

/// A point as the mean of a few nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stencil {
    nodes: [usize; 4],
    count: usize,
}

impl Stencil {
    /// The stencil of a point.
    pub fn new(mesh: &Mesh, point: usize) -> Self {
        match point.checked_sub(mesh.node_count()) {
            None => Self { nodes: [point, 0, 0, 0], count: 1 },
            Some(element) => {
                let of = mesh.elements()[element].nodes();
                let mut nodes = [0; 4];
                nodes[..of.len()].copy_from_slice(of);
                Self { nodes, count: of.len() }
            }
        }
    }

    /// The nodes.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes[..self.count]
    }

    /// The part each node has in the point.
    pub fn weight(&self) -> f64 {
        1.0 / self.count as f64
    }

    /// Whether the point is a node.
    pub fn is_node(&self) -> bool {
        self.count == 1
    }

    /// The point's place, or any other mean over its nodes.
    pub fn mean(&self, values: &[DVec3]) -> DVec3 {
        if self.count == 1 {
            return values[self.nodes[0]];
        }
        self.nodes().iter().map(|&i| values[i]).sum::<DVec3>() * self.weight()
    }

    /// A row that acts along `direction` at the point: its gradient at each node.
    pub fn row(&self, direction: DVec3) -> impl Iterator<Item = (usize, DVec3)> {
        let share = direction * self.weight();
        self.nodes().iter().map(move |&i| (i, share))
    }
}
