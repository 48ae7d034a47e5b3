//! What the cloth is: rest shape, mass, inextensibility, bending, fabric.

mod bending;
mod compression;
mod fabric;
mod groups;
mod published;
mod rest;
mod rows;
mod scheme;
mod seam;
mod surface;
mod triangles;
mod unfold;
mod warp;

pub use fabric::{FABRICS, Material};
pub use published::Published;
pub use rest::RestShape;
pub use scheme::Scheme;
pub use seam::SeamError;
pub use surface::Surface;

pub(crate) use bending::NodeMatrix;
pub(crate) use compression::Compression;
pub(crate) use groups::{MetricRows, RowGroup, RowKind, RowLaw};
pub(crate) use published::PublishedCloth;
pub(crate) use rest::Rest;
pub(crate) use rows::Rows;

use glam::DVec3;

use crate::mesh::{Element, Mesh};

/// A cloth: a mesh, its rest shape and everything that follows from them and never changes.
#[derive(Clone, Debug)]
pub struct Cloth {
    mesh: Mesh,
    rest: Rest,
    scheme: Scheme,
    area: Vec<f64>,
    pub(crate) rows: Rows,
    groups: Vec<RowGroup>,
    pub(crate) bending: NodeMatrix,
    rest_lengths: Vec<f64>,
    rigid_edges: Vec<bool>,
    rest_area: f64,
    surface: Surface,
    cell_size: f64,
    shortest_edge: f64,
    longest_edge: f64,
    seams: Vec<[usize; 2]>,
}

/// m. How thick a cloth is to itself that has no thickness of its own: a light woven fabric, twice.
const USUAL_THICKNESS: f64 = 1e-3;

/// Of the shortest edge: how thick such a cloth is at most.
const USUAL_PART: f64 = 0.25;

impl Cloth {
    /// A cloth with the given rest shape and discretisation.
    pub fn new(mesh: Mesh, rest: RestShape, scheme: Scheme) -> Self {
        let rest = Rest::new(&mesh, rest);
        let area = lumped_areas(&mesh, &rest);
        let (rows, groups) = scheme::rows(&mesh, &rest, scheme);
        let bending = bending::stiffness(&mesh, &rest);
        let rest_lengths: Vec<f64> = (0..mesh.edges().len()).map(|k| scheme::rest_length(&mesh, &rest, k)).collect();
        let rigid_edges = scheme::rigid_edges(&mesh, &rest, scheme);
        let rest_area = rest.area(&mesh);
        let surface = Surface::cut(&mesh, &rest);
        let cell_size = (rest_area / mesh.node_count() as f64).sqrt();
        let shortest_edge = rest_lengths.iter().copied().fold(f64::INFINITY, f64::min);
        let longest_edge = rest_lengths.iter().copied().fold(0.0, f64::max);
        Self {
            mesh,
            rest,
            scheme,
            area,
            rows,
            groups,
            bending,
            rest_lengths,
            rigid_edges,
            rest_area,
            surface,
            cell_size,
            shortest_edge,
            longest_edge,
            seams: Vec::new(),
        }
    }

    /// The triangles and edges of the cloth in collision.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Side of the square that a node stands for on average, m.
    pub(crate) fn cell_size(&self) -> f64 {
        self.cell_size
    }

    /// `τ₀`: the distance at which the cloth meets itself, m. Without a thickness of the material it is 1 mm, or a quarter
    /// of the shortest edge if that is less.
    pub fn thickness(&self, material: &Material) -> f64 {
        match material.thickness {
            given if given > 0.0 => given,
            _ => USUAL_THICKNESS.min(USUAL_PART * self.shortest_edge),
        }
    }

    /// Rest length of the longest mesh edge, m.
    pub(crate) fn longest_edge(&self) -> f64 {
        self.longest_edge
    }

    /// Rest length of the shortest mesh edge, m.
    pub fn shortest_edge(&self) -> f64 {
        self.shortest_edge
    }

    /// The mesh, with the positions a run starts from.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// How inextensibility is discretised.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// `m_i = Σ_q w_q N_i(q)`: the rest area each node stands for, m².
    pub fn node_areas(&self) -> &[f64] {
        &self.area
    }

    /// What the rows are, in their order.
    pub(crate) fn groups(&self) -> &[RowGroup] {
        &self.groups
    }

    /// Number of inextensibility conditions (rigid rows, and shear rows, which a material may make compliant).
    pub fn condition_count(&self) -> usize {
        self.groups.iter().map(RowGroup::conditions).sum()
    }

    /// Rest area of the whole cloth, m², measured as [`area_at`](Self::area_at) does.
    pub fn rest_area(&self) -> f64 {
        self.rest_area
    }

    /// Area of the cloth at `positions`, m²; a quad counts half the cross product of its diagonals.
    pub fn area_at(&self, positions: &[DVec3]) -> f64 {
        0.5 * self.mesh.elements().iter().map(|e| doubled_area(e, positions).length()).sum::<f64>()
    }

    /// Strain `l/l₀ − 1` of every mesh edge at `positions`, in the order of the mesh's edges.
    pub fn edge_strains<'a>(&'a self, positions: &'a [DVec3]) -> impl Iterator<Item = f64> + 'a {
        self.mesh.edges().iter().zip(&self.rest_lengths).map(move |(edge, rest)| {
            let [a, b] = edge.nodes;
            positions[a].distance(positions[b]) / rest - 1.0
        })
    }

    /// Whether the length of each mesh edge is a rigid condition.
    pub(crate) fn rigid_edges(&self) -> &[bool] {
        &self.rigid_edges
    }

    /// Rest length of every mesh edge, m.
    pub fn rest_lengths(&self) -> &[f64] {
        &self.rest_lengths
    }

    /// The conditions of one of the authors' codes; `None` unless the mesh is a grid of quads.
    pub(crate) fn published(&self, code: Published) -> Option<PublishedCloth> {
        let grid = self.mesh.grid_shape().filter(|grid| self.mesh.is_quad_grid() && grid.nx > 2 && grid.ny > 2)?;
        Some(PublishedCloth::new(&self.mesh, grid, &self.rest, &self.area, code))
    }

    /// Unit normals at the nodes, area-weighted.
    pub(crate) fn node_normals(&self, positions: &[DVec3], normals: &mut [DVec3]) {
        normals.fill(DVec3::ZERO);
        for element in self.mesh.elements() {
            let normal = doubled_area(element, positions);
            element.nodes().iter().for_each(|&i| normals[i] += normal);
        }
        normals.iter_mut().for_each(|n| *n = n.normalize_or_zero());
    }
}

/// Normal of an element, twice its area long.
fn doubled_area(element: &Element, positions: &[DVec3]) -> DVec3 {
    match *element {
        Element::Triangle([a, b, c]) => (positions[b] - positions[a]).cross(positions[c] - positions[a]),
        Element::Quad([a, b, c, d]) => (positions[c] - positions[a]).cross(positions[d] - positions[b]),
    }
}

fn lumped_areas(mesh: &Mesh, rest: &Rest) -> Vec<f64> {
    let mut area = vec![0.0; mesh.node_count()];
    for (e, element) in mesh.elements().iter().enumerate() {
        for q in rest.quadrature(e, element) {
            for (&i, n) in element.nodes().iter().zip(q.shape) {
                area[i] += q.weight * n;
            }
        }
    }
    area
}
