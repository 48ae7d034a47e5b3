//! The rest shape: what the metric of every element is when nobody pulls.
//!
//! Everything the model knows about rest is intrinsic: at each quadrature point the two tangent vectors `X_ξ`, `X_η`
//! of the undeformed element, hence `E₀, F₀, G₀` and the area element. Where the rest shape comes from (the mesh as
//! given, or its UVs laid flat) is decided here and nowhere else.

use glam::DVec3;

use super::warp;
use crate::mesh::{Element, Mesh};

/// Where the rest lengths of a cloth come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RestShape {
    /// The mesh as given.
    Mesh,
    /// The UVs of the mesh, laid flat; one UV unit is this many metres. A mesh without UVs is taken as given.
    Uv {
        /// Metres per UV unit.
        scale: f64,
    },
}

/// A quadrature point of an element at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quadrature {
    /// Shape functions `N_a` of the corners (the fourth is 0 on a triangle).
    pub shape: [f64; 4],
    /// `∂N_a/∂ξ`.
    pub d_xi: [f64; 4],
    /// `∂N_a/∂η`.
    pub d_eta: [f64; 4],
    /// Quadrature weight times area element, m².
    pub weight: f64,
    /// `X_ξ`, the rest tangent along ξ.
    pub x_xi: DVec3,
    /// `X_η`, the rest tangent along η.
    pub x_eta: DVec3,
}

impl Quadrature {
    fn new(corners: &[DVec3; 4], (shape, d_xi, d_eta): Shape, weight: f64) -> Self {
        let along = |d: &[f64; 4]| (0..4).map(|a| corners[a] * d[a]).sum::<DVec3>();
        let (x_xi, x_eta) = (along(&d_xi), along(&d_eta));
        let weight = weight * x_xi.cross(x_eta).length();
        Self { shape, d_xi, d_eta, weight, x_xi, x_eta }
    }

    /// The centre of an element with these corners, weighted with the area element there.
    pub fn centre(corners: &[DVec3; 4], element: &Element) -> Self {
        match element {
            Element::Quad(_) => Self::new(corners, bilinear(0.0, 0.0), 4.0),
            Element::Triangle(_) => Self::new(corners, LINEAR, 0.5),
        }
    }

    /// `(E₀, F₀, G₀)` of the reference coordinates.
    pub fn metric(&self) -> (f64, f64, f64) {
        (self.x_xi.length_squared(), self.x_xi.dot(self.x_eta), self.x_eta.length_squared())
    }

    /// Surface gradient of shape function `a`, 1/m.
    pub fn gradient(&self, a: usize) -> DVec3 {
        let (e, f, g) = self.metric();
        let (xi, eta) = (self.d_xi[a], self.d_eta[a]);
        (self.x_xi * (g * xi - f * eta) + self.x_eta * (e * eta - f * xi)) / (e * g - f * f)
    }

    /// Derivatives of the shape functions along a tangent vector `t` of the rest surface, per metre if `t` is a unit
    /// vector.
    pub fn along(&self, t: DVec3) -> [f64; 4] {
        let (e, f, g) = self.metric();
        let (p, q) = (t.dot(self.x_xi), t.dot(self.x_eta));
        let det = e * g - f * f;
        let (a, b) = ((p * g - q * f) / det, (q * e - p * f) / det);
        std::array::from_fn(|k| a * self.d_xi[k] + b * self.d_eta[k])
    }
}

/// Shape functions of the corners and their derivatives along ξ and η.
type Shape = ([f64; 4], [f64; 4], [f64; 4]);

/// Bilinear shape functions on [−1,1]², corners in cyclic order.
fn bilinear(xi: f64, eta: f64) -> Shape {
    let (l, r, b, t) = ((1.0 - xi) / 2.0, (1.0 + xi) / 2.0, (1.0 - eta) / 2.0, (1.0 + eta) / 2.0);
    ([l * b, r * b, r * t, l * t], [-b / 2.0, b / 2.0, t / 2.0, -t / 2.0], [-l / 2.0, -r / 2.0, r / 2.0, l / 2.0])
}

/// Linear shape functions at the centroid of the triangle (0,0), (1,0), (0,1).
const LINEAR: Shape = ([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0], [-1.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0]);

/// Abscissa of the two-point Gauss rule on [−1,1].
const GAUSS: f64 = 0.577_350_269_189_625_8;

/// The rest geometry of every element of a mesh.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    corners: Vec<[DVec3; 4]>,
    warp: Vec<DVec3>,
    flat: bool,
}

impl Rest {
    pub fn new(mesh: &Mesh, shape: RestShape) -> Self {
        let (corners, flat): (Vec<[DVec3; 4]>, bool) = match (shape, mesh.uv()) {
            (RestShape::Uv { scale }, Some(uv)) => {
                (uv.iter().map(|c| c.map(|p| (p * scale).extend(0.0))).collect(), true)
            }
            _ => (mesh.elements().iter().map(|e| corner_positions(mesh, e)).collect(), false),
        };
        let warp = warp::directions(mesh, &corners);
        Self { corners, warp, flat }
    }

    /// Whether elements lie in the xy-plane, each panel on its own: neighbours across a seam do not agree where they meet.
    pub fn is_flat(&self) -> bool {
        self.flat
    }

    /// Rest position of corner `a` of element `e`, in the element's own rest space.
    pub fn corner(&self, e: usize, a: usize) -> DVec3 {
        self.corners[e][a]
    }

    /// Area of the whole, m²; a quad counts half the cross product of its diagonals.
    pub fn area(&self, mesh: &Mesh) -> f64 {
        let doubled = mesh.elements().iter().zip(&self.corners).map(|(element, c)| match element {
            Element::Triangle(_) => (c[1] - c[0]).cross(c[2] - c[0]).length(),
            Element::Quad(_) => (c[2] - c[0]).cross(c[3] - c[1]).length(),
        });
        0.5 * doubled.sum::<f64>()
    }

    /// The warp direction of element `e`: a unit tangent.
    pub fn warp(&self, e: usize) -> DVec3 {
        self.warp[e]
    }

    /// The quadrature points of element `e`: 2×2 Gauss points of a quad, the centroid of a triangle.
    pub fn quadrature(&self, e: usize, element: &Element) -> impl Iterator<Item = Quadrature> {
        let corners = self.corners[e];
        let (count, quad) = match element {
            Element::Quad(_) => (4, true),
            Element::Triangle(_) => (1, false),
        };
        (0..count).map(move |k| {
            if quad {
                let sign = |bit: usize| if k & bit == 0 { -GAUSS } else { GAUSS };
                Quadrature::new(&corners, bilinear(sign(1), sign(2)), 1.0)
            } else {
                Quadrature::new(&corners, LINEAR, 0.5)
            }
        })
    }

    /// The one-point rule: the centre of element `e`, weighted with the element's area there.
    pub fn centre(&self, e: usize, element: &Element) -> Quadrature {
        Quadrature::centre(&self.corners[e], element)
    }

    /// The unit normal at the centre of element `e`.
    pub fn normal(&self, e: usize, element: &Element) -> DVec3 {
        let q = self.centre(e, element);
        q.x_xi.cross(q.x_eta).normalize()
    }

    /// The two Gauss points on side `a` (from corner `a` to the next): the shape data there, half the side's length,
    /// and the outward unit conormal, tangent to the element.
    pub fn side(&self, e: usize, element: &Element, a: usize) -> [(Quadrature, f64, DVec3); 2] {
        let corners = &self.corners[e];
        let n = element.nodes().len();
        let along = corners[(a + 1) % n] - corners[a];
        [-GAUSS, GAUSS].map(|s| {
            let point = match element {
                Element::Quad(_) => {
                    let (xi, eta) = [(s, -1.0), (1.0, s), (-s, 1.0), (-1.0, -s)][a];
                    Quadrature::new(corners, bilinear(xi, eta), 1.0)
                }
                Element::Triangle(_) => Quadrature::new(corners, side_of_triangle(a, (1.0 + s) / 2.0), 0.5),
            };
            let normal = point.x_xi.cross(point.x_eta).normalize();
            (point, along.length() / 2.0, along.cross(normal).normalize())
        })
    }
}

fn side_of_triangle(a: usize, s: f64) -> Shape {
    let mut shape = [0.0; 4];
    shape[a] = 1.0 - s;
    shape[(a + 1) % 3] = s;
    (shape, LINEAR.1, LINEAR.2)
}

fn corner_positions(mesh: &Mesh, element: &Element) -> [DVec3; 4] {
    let mut corners = [DVec3::ZERO; 4];
    for (corner, &node) in corners.iter_mut().zip(element.nodes()) {
        *corner = mesh.positions()[node];
    }
    corners
}
