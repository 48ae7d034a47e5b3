//! Everything that stands in the studio, as one mesh.

use std::ops::Range;

use glam::DVec3;

use crate::bounds::Bounds;
use crate::colour::linear;
use crate::lighting::Finish;
use crate::shell::Shell;
use crate::{Scene, Style};

/// Around the cloth, as a share of its longest side, bodies get fine shadows. All around a vast
/// table they would leave nothing of the shadow maps for the cloth.
const LIT_SHARE: f64 = 1.0;
/// The same for coarse shadows. Beyond, bodies cast none.
const FAR_SHARE: f64 = 8.0;
/// The same for bodies with many nodes, which show the light of the sky in detail.
const FINE_SHARE: f64 = 0.25;
/// Nodes of a body that fit into the longest side of the cloth.
const BODY_FINENESS: f64 = 32.0;

/// The mesh of the cloth, followed by those of the bodies. Nodes and triangles of the cloth keep
/// their indices.
pub(crate) struct Props {
    pub positions: Vec<DVec3>,
    /// Unit normals of the front at the nodes; zero where no triangle has any.
    pub normals: Vec<DVec3>,
    pub triangles: Vec<[usize; 3]>,
    /// Linear colours of the nodes of the cloth, if they have their own.
    pub colours: Vec<DVec3>,
    /// In the order of their triangles; the first one is the cloth.
    pub parts: Vec<Part>,
    /// Where shadows are fine.
    pub bounds: Bounds,
    /// Where there are shadows from the key light at all.
    pub far_bounds: Bounds,
}

/// A thing in the studio.
pub(crate) struct Part {
    pub nodes: Range<usize>,
    pub triangles: Range<usize>,
    /// Linear colours of the front and of the back.
    pub albedo: [DVec3; 2],
    pub finish: Finish,
    /// Whether its back is never seen.
    pub closed: bool,
}

impl Props {
    pub fn new(scene: &Scene, style: &Style) -> Self {
        let surface = &scene.surface;
        let cloth = Part {
            nodes: 0..surface.positions.len(),
            triangles: 0..surface.triangles.len(),
            albedo: [linear(style.front), linear(style.back)],
            finish: Finish::CLOTH,
            closed: false,
        };
        let around_cloth = Bounds::of(surface.positions.iter().copied());
        let around_bodies = scene.bodies.iter().filter_map(|body| body.bounds());
        let nothing = Bounds { min: DVec3::ZERO, max: DVec3::ZERO };
        let in_focus = |share| Bounds::in_focus(around_cloth, around_bodies.clone(), share).unwrap_or(nothing);
        let mut props = Self {
            positions: surface.positions.to_vec(),
            normals: surface.node_normals(),
            triangles: surface.triangles.to_vec(),
            colours: surface.colours.iter().map(|&colour| linear(colour)).collect(),
            parts: vec![cloth],
            bounds: in_focus(LIT_SHARE),
            far_bounds: in_focus(FAR_SHARE),
        };
        let side = around_cloth.unwrap_or(props.bounds).extent().max_element();
        // A cloth without any size must not ask for nodes without end.
        let side = if side > 0.0 { side } else { f64::INFINITY };
        let fine = in_focus(FINE_SHARE);
        for body in scene.bodies {
            let mut shell = Shell::new(body);
            shell.refine(fine, side / BODY_FINENESS);
            props.add(shell, linear(body.colour));
        }
        props
    }

    fn add(&mut self, shell: Shell, colour: DVec3) {
        let (nodes, triangles) = (self.positions.len(), self.triangles.len());
        self.positions.extend(shell.positions);
        self.normals.extend(shell.normals);
        self.triangles.extend(shell.triangles.iter().map(|corners| corners.map(|node| nodes + node)));
        self.parts.push(Part {
            nodes: nodes..self.positions.len(),
            triangles: triangles..self.triangles.len(),
            albedo: [colour; 2],
            finish: Finish::SOLID,
            closed: shell.closed,
        });
    }

    /// The part that a triangle belongs to.
    pub fn part(&self, triangle: usize) -> &Part {
        let place = self.parts.partition_point(|part| part.triangles.end <= triangle);
        &self.parts[place]
    }

    /// The three corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|node| self.positions[node])
    }
}
