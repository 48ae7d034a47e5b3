//! The surface of a cloth in collision: flat triangles, and every edge of them.

use crate::cloth::{Rest, RestShape};
use crate::mesh::{Element, Mesh};

/// Diagonals whose lengths differ by less than this part are equally long: rounding must not split a rectangle.
const TIE: f64 = 1e-9;

/// The triangles of a cloth in collision and their edges; immutable.
///
/// Quads are split along their shorter rest diagonal, or between corners 0 and 2 when the diagonals are equally long. The
/// diagonals are edges like any other.
#[derive(Clone, Debug)]
pub struct Surface {
    node_count: usize,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    /// Triangles about every node, and beside every edge.
    about: Vec<u32>,
    beside: Vec<u32>,
}

impl Surface {
    /// The surface of a mesh with the given rest shape.
    pub fn new(mesh: &Mesh, rest: RestShape) -> Self {
        Self::cut(mesh, &Rest::new(mesh, rest))
    }

    /// The surface of a mesh whose rest shape is known.
    pub(crate) fn cut(mesh: &Mesh, rest: &Rest) -> Self {
        let mut triangles = Vec::with_capacity(2 * mesh.elements().len());
        for (e, element) in mesh.elements().iter().enumerate() {
            match element {
                Element::Triangle(nodes) => triangles.push(nodes.map(|node| node as u32)),
                Element::Quad(nodes) => {
                    let [a, b, c, d] = nodes.map(|node| node as u32);
                    let length = |p: usize, q: usize| rest.corner(e, p).distance(rest.corner(e, q));
                    if length(1, 3) < (1.0 - TIE) * length(0, 2) {
                        triangles.extend([[a, b, d], [b, c, d]]);
                    } else {
                        triangles.extend([[a, b, c], [a, c, d]]);
                    }
                }
            }
        }
        Self::from_triangles(mesh.node_count(), triangles)
    }

    /// Any triangles over `node_count` nodes, connected or not: a cloth in pieces, a soup.
    pub(crate) fn from_triangles(node_count: usize, triangles: Vec<[u32; 3]>) -> Self {
        let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[u32; 2]> = sides.map(|[p, q]| [p.min(q), p.max(q)]).collect();
        edges.sort_unstable();
        edges.dedup();
        let (mut about, mut beside) = (vec![0; node_count], vec![0; edges.len()]);
        for &[a, b, c] in &triangles {
            [a, b, c].into_iter().for_each(|i| about[i as usize] += 1);
            for [p, q] in [[a, b], [b, c], [c, a]] {
                beside[edges.partition_point(|edge| *edge < [p.min(q), p.max(q)])] += 1;
            }
        }
        Self { node_count, triangles, edges, about, beside }
    }

    /// Number of triangles about a node.
    pub(crate) fn faces_about(&self, node: usize) -> usize {
        self.about[node] as usize
    }

    /// Number of triangles beside an edge, lower node first; 0 if there is no such edge.
    pub(crate) fn faces_beside(&self, edge: [usize; 2]) -> usize {
        let edge = edge.map(|node| node as u32);
        self.edges.binary_search(&edge).map_or(0, |k| self.beside[k] as usize)
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.node_count
    }

    /// The triangles, in the order of the mesh's elements, with the front of the cloth in front.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The edges, each once, lower node first, in ascending order.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, DVec3};

    use super::*;

    fn quad(places: [[f64; 2]; 4], uv: Option<[[f64; 2]; 4]>) -> Mesh {
        let positions = places.map(|p| DVec3::new(p[0], p[1], 0.0)).to_vec();
        let uv = uv.map(|corners| vec![corners.map(DVec2::from)]);
        Mesh::new(positions, vec![Element::Quad([0, 1, 2, 3])], uv).expect("a quad")
    }

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    const LEANING: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.5, 1.0], [0.5, 1.0]];

    #[test]
    fn quads_are_cut_along_their_shorter_rest_diagonal() {
        assert_eq!(Surface::new(&quad(SQUARE, None), RestShape::Mesh).triangles(), [[0, 1, 2], [0, 2, 3]]);
        let leaning = quad(LEANING, None);
        let surface = Surface::new(&leaning, RestShape::Mesh);
        assert_eq!(surface.triangles(), [[0, 1, 3], [1, 2, 3]]);
        assert_eq!(surface.edges(), [[0, 1], [0, 3], [1, 2], [1, 3], [2, 3]]);
    }

    #[test]
    fn the_rest_shape_decides_not_the_pose() {
        let mesh = quad(LEANING, Some(SQUARE));
        assert_eq!(Surface::new(&mesh, RestShape::Uv { scale: 1.0 }).triangles(), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(Surface::new(&mesh, RestShape::Mesh).triangles(), [[0, 1, 3], [1, 2, 3]]);
    }

    #[test]
    fn a_surface_has_the_edges_of_its_mesh_and_one_diagonal_per_quad() {
        let mesh = Mesh::grid(5, 7, |s, t| DVec3::new(s, t, 0.0)).expect("a grid");
        let surface = Surface::new(&mesh, RestShape::Mesh);
        assert_eq!(surface.triangles().len(), 2 * mesh.elements().len());
        assert_eq!(surface.edges().len(), mesh.edges().len() + mesh.elements().len());
        let given: Vec<[u32; 3]> = mesh.triangles().iter().map(|t| t.map(|node| node as u32)).collect();
        assert_eq!(surface.triangles(), given);
    }
}
