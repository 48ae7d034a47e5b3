//! The surface of a cloth in collision: flat triangles, and every edge of them.

use glam::DVec3;

use super::{Rest, RestShape};
use crate::mesh::{Element, Mesh};

/// Diagonals whose lengths differ by less than this part are equally long: rounding must not split a rectangle.
const TIE: f64 = 1e-9;

/// m. Nodes of a seam that are this close are sewn together: far less than a thread, far more than rounding.
const SEWN: f64 = 1e-6;

/// The triangles of a cloth in collision and their edges; immutable.
///
/// Quads are split along their shorter rest diagonal, or between corners 0 and 2 when the diagonals are equally long. The
/// diagonals are edges like any other.
#[derive(Clone, Debug)]
pub struct Surface {
    node_count: usize,
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    /// Triangles about every node, node by node, and where each node's begin.
    about: Vec<u32>,
    about_start: Vec<u32>,
    /// For every node one of those it can be sewn to, the same for all of them: itself if there are none.
    names: Vec<u32>,
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
        let corners = triangles.iter().zip(0u32..).flat_map(|(nodes, t)| nodes.map(|node| (node, t)));
        let mut about: Vec<(u32, u32)> = corners.collect();
        about.sort_unstable();
        let start = |node: usize| about.partition_point(|&(of, _)| (of as usize) < node) as u32;
        let about_start = (0..=node_count).map(start).collect();
        let about = about.into_iter().map(|(_, t)| t).collect();
        let names = (0..node_count as u32).collect();
        Self { node_count, triangles, edges, about, about_start, names }
    }

    /// Notes which pairs of nodes can be sewn together.
    pub(crate) fn sew(&mut self, pairs: &[[usize; 2]]) {
        fn named(names: &[u32], mut node: u32) -> u32 {
            while names[node as usize] != node {
                node = names[node as usize];
            }
            node
        }
        for pair in pairs {
            let [one, other] = pair.map(|node| named(&self.names, node as u32));
            self.names[one.max(other) as usize] = one.min(other);
        }
        // Names of names are lower, so that in this order they are final.
        for node in 0..self.names.len() {
            self.names[node] = self.names[self.names[node] as usize];
        }
    }

    /// One of the nodes that a node can be sewn to, the same for all of them: itself if there are none.
    pub(crate) fn name(&self, node: u32) -> u32 {
        self.names[node as usize]
    }

    /// Number of triangles that have all of some nodes, of which there is at least one, and not another.
    pub(crate) fn faces_with(&self, nodes: &[usize], without: usize) -> usize {
        let first = nodes[0];
        let (from, to) = (self.about_start[first] as usize, self.about_start[first + 1] as usize);
        let has = |t: u32, node: usize| self.triangles[t as usize].contains(&(node as u32));
        let counts = |t: &&u32| nodes.iter().all(|&node| has(**t, node)) && !has(**t, without);
        self.about[from..to].iter().filter(counts).count()
    }

    /// Whether two nodes are the same, or sewn together in this frame.
    pub(crate) fn are_one(&self, positions: &[DVec3], a: u32, b: u32) -> bool {
        let sewn = || positions[a as usize].distance(positions[b as usize]) <= SEWN;
        a == b || self.name(a) == self.name(b) && sewn()
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
    use glam::DVec2;

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
