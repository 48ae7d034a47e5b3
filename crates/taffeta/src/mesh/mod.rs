//! The rest surface of the cloth: triangles and quads that form an oriented surface.
//!
//! A [`Mesh`] is validated once, when it is built, so that everything after can rely on it: it is
//! a manifold with a consistent front, no two nodes of a piece coincide, and no element is
//! degenerate. Surfaces may be open or closed, of any genus, and in several pieces.

mod error;
pub mod garment;
mod grid;
mod manifold;
mod shape;
mod topology;
mod validate;

#[cfg(test)]
mod tests;

use glam::{DVec2, DVec3};

pub use error::MeshError;
pub use grid::{Diagonal, GridCorner, GridShape, GridSide};
pub use topology::Edge;

use topology::Topology;

/// A face of the mesh: its nodes in cyclic order, counter-clockwise seen from the cloth's front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Three nodes.
    Triangle([usize; 3]),
    /// Four nodes, not necessarily in a plane.
    Quad([usize; 4]),
}

impl Element {
    /// The nodes at the corners.
    pub fn nodes(&self) -> &[usize] {
        match self {
            Element::Triangle(nodes) => nodes,
            Element::Quad(nodes) => nodes,
        }
    }

    /// The sides, each from one corner to the next.
    fn sides(&self) -> impl Iterator<Item = [usize; 2]> {
        let nodes = self.nodes();
        let following = nodes.iter().cycle().skip(1);
        nodes.iter().zip(following).map(|(&a, &b)| [a, b])
    }
}

/// A valid surface mesh with its topology; immutable.
///
/// Methods that take the index of a node or an element panic if there is no such node or element,
/// as slices do.
#[derive(Clone, Debug)]
pub struct Mesh {
    positions: Vec<DVec3>,
    elements: Vec<Element>,
    uv: Option<Vec<[DVec2; 4]>>,
    topology: Topology,
    corners: Vec<usize>,
    grid_shape: Option<GridShape>,
}

impl Mesh {
    /// Validates a mesh and works out its topology.
    ///
    /// `uv` gives, for each corner of each element, the place in the fabric, warp along u and weft
    /// along v; the fourth entry of a triangle is not used. Seams are allowed: elements that share
    /// a node need not agree on its UV.
    pub fn new(positions: Vec<DVec3>, elements: Vec<Element>, uv: Option<Vec<[DVec2; 4]>>) -> Result<Mesh, MeshError> {
        validate::check_positions(&positions)?;
        validate::check_indices(positions.len(), &elements)?;
        let topology = Topology::build(positions.len(), &elements)?;
        validate::check_distinct(&positions, &topology.components)?;
        shape::check_elements(&positions, &elements)?;
        if let Some(uv) = &uv {
            shape::check_uvs(uv, &elements)?;
        }
        let corners = shape::find_corners(&positions, &elements, &topology);
        Ok(Mesh { positions, elements, uv, topology, corners, grid_shape: None })
    }

    fn with_grid_shape(self, shape: GridShape) -> Mesh {
        Mesh { grid_shape: Some(shape), ..self }
    }

    /// The same mesh with its nodes elsewhere.
    pub fn with_positions(self, positions: Vec<DVec3>) -> Result<Mesh, MeshError> {
        let grid_shape = self.grid_shape;
        Ok(Mesh { grid_shape, ..Mesh::new(positions, self.elements, self.uv)? })
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.positions.len()
    }

    /// Where the nodes are at rest.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// The triangles and quads.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// The UVs of the corners of each element, if any were given.
    pub fn uv(&self) -> Option<&[[DVec2; 4]]> {
        self.uv.as_deref()
    }

    /// The shape of the grid, for a mesh built by [`Mesh::grid`] or [`Mesh::triangle_grid`].
    pub fn grid_shape(&self) -> Option<GridShape> {
        self.grid_shape
    }

    /// Whether the mesh was built by [`Mesh::grid`].
    pub fn is_quad_grid(&self) -> bool {
        self.grid_shape.is_some() && matches!(self.elements.first(), Some(Element::Quad(_)))
    }

    /// The edges, in order of first appearance in the elements.
    pub fn edges(&self) -> &[Edge] {
        &self.topology.edges
    }

    /// The edges of an element: edge k joins corners k and k + 1.
    pub fn element_edges(&self, element: usize) -> &[usize] {
        &self.topology.element_edges[element][..self.elements[element].nodes().len()]
    }

    /// The elements that have a node, ascending.
    pub fn node_elements(&self, node: usize) -> &[usize] {
        self.topology.node_elements.of(node)
    }

    /// The edges that end at a node, ascending.
    pub fn node_edges(&self, node: usize) -> &[usize] {
        self.topology.node_edges.of(node)
    }

    /// The boundary loops, as nodes in the direction in which the elements walk them: the cloth is
    /// on the left, seen from the front. Each starts at its lowest node.
    pub fn boundary_loops(&self) -> &[Vec<usize>] {
        &self.topology.boundary_loops
    }

    /// Whether a node is on a boundary loop.
    pub fn is_boundary_node(&self, node: usize) -> bool {
        self.topology.on_boundary[node]
    }

    /// The boundary nodes at which the angles of the elements sum to less than 3π/4, ascending.
    pub fn corners(&self) -> &[usize] {
        &self.corners
    }

    /// The connected component of each node, numbered from 0 in order of lowest node.
    pub fn components(&self) -> &[usize] {
        &self.topology.components
    }

    /// The number of connected components.
    pub fn component_count(&self) -> usize {
        self.topology.component_count
    }

    /// Nodes − edges + elements.
    pub fn euler_characteristic(&self) -> isize {
        let [nodes, edges, elements] = [self.node_count(), self.edges().len(), self.elements.len()].map(|n| n as isize);
        nodes - edges + elements
    }

    /// The number of handles, summed over the components.
    pub fn genus(&self) -> usize {
        // A component of genus g with b boundary loops has characteristic 2 − 2g − b.
        let without_handles = 2 * self.component_count() as isize - self.boundary_loops().len() as isize;
        ((without_handles - self.euler_characteristic()) / 2).unsigned_abs()
    }

    /// The elements as triangles in order, quads cut along their shorter diagonal, or between
    /// corners 0 and 2 when the diagonals are equally long.
    pub fn triangles(&self) -> Vec<[usize; 3]> {
        let mut triangles = Vec::with_capacity(2 * self.elements.len());
        for element in &self.elements {
            match *element {
                Element::Triangle(nodes) => triangles.push(nodes),
                Element::Quad([a, b, c, d]) => {
                    let distance = |p: usize, q: usize| self.positions[p].distance(self.positions[q]);
                    // The margin makes rounding irrelevant to rectangles.
                    if distance(b, d) < (1.0 - 1e-9) * distance(a, c) {
                        triangles.extend([[a, b, d], [b, c, d]]);
                    } else {
                        triangles.extend([[a, b, c], [a, c, d]]);
                    }
                }
            }
        }
        triangles
    }
}
