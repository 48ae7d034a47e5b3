//! Points of a cloth as weighted sums over a few nodes.

use glam::DVec3;

use crate::mesh::Mesh;

/// Number of points that are watched against every obstacle: first the nodes, then the centres of the elements.
pub(crate) fn point_count(mesh: &Mesh) -> usize {
    mesh.node_count() + mesh.elements().len()
}

/// A weighted sum over at most four nodes: a point of the cloth, where the weights add up to 1, or the difference of two
/// points, where they add up to 0. Of no nodes at all, where bodies touch each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Saved"))]
pub struct Stencil {
    nodes: [usize; 4],
    weights: [f64; 4],
    count: usize,
}

/// A stencil as it is saved, which may be anything.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename = "Stencil")]
struct Saved {
    nodes: [usize; 4],
    weights: [f64; 4],
    count: usize,
}

#[cfg(feature = "serde")]
impl TryFrom<Saved> for Stencil {
    type Error = String;

    fn try_from(Saved { nodes, weights, count }: Saved) -> Result<Self, String> {
        match count {
            0..=4 => Ok(Self { nodes, weights, count }),
            _ => Err(format!("a point of the cloth is made of {count} nodes: it must be from 0 to 4")),
        }
    }
}

impl Stencil {
    /// The stencil of a watched point.
    pub(crate) fn of_point(mesh: &Mesh, point: usize) -> Self {
        match point.checked_sub(mesh.node_count()) {
            None => Self::new(&[point], &[1.0]),
            Some(element) => {
                let nodes = mesh.elements()[element].nodes();
                Self::new(nodes, &[1.0 / nodes.len() as f64; 4][..nodes.len()])
            }
        }
    }

    /// These nodes with these weights; as many of one as of the other, and at most four.
    pub(crate) fn new(nodes: &[usize], weights: &[f64]) -> Self {
        let count = nodes.len();
        let mut stencil = Self { nodes: [0; 4], weights: [0.0; 4], count };
        stencil.nodes[..count].copy_from_slice(nodes);
        stencil.weights[..count].copy_from_slice(weights);
        stencil
    }

    /// The nodes.
    pub fn nodes(&self) -> &[usize] {
        &self.nodes[..self.count]
    }

    /// The weight of each of them.
    pub fn weights(&self) -> &[f64] {
        &self.weights[..self.count]
    }

    /// Node and weight of each entry.
    pub fn entries(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.nodes().iter().copied().zip(self.weights().iter().copied())
    }

    /// Whether the point is a node.
    pub(crate) fn is_node(&self) -> bool {
        self.count == 1
    }

    /// The weighted sum of these values of all nodes: of positions, the place of the point, or what separates two.
    pub fn sum(&self, values: &[DVec3]) -> DVec3 {
        if self.count == 1 {
            return values[self.nodes[0]] * self.weights[0];
        }
        self.entries().map(|(i, weight)| values[i] * weight).sum()
    }

    /// A row that acts along `direction` at the point: its gradient at each node.
    pub(crate) fn row(self, direction: DVec3) -> impl Iterator<Item = (usize, DVec3)> {
        (0..self.count).map(move |k| (self.nodes[k], direction * self.weights[k]))
    }
}
