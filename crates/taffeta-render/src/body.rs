//! Solid things around the cloth.

use glam::DVec3;

use crate::bounds::Bounds;
use crate::{RenderError, Surface};

/// A solid body, such as a table or a ball, borrowed from whoever describes it.
///
/// Edges where the surface bends by more than 30° are drawn sharp, all others smooth. Nodes at the
/// same place, but for rounding, count as one. A surface without a border is taken to be solid, whichever way round
/// its triangles are; one with a border, such as a bumpy floor, is a sheet with the same colour on
/// both sides, and cloth that touches it is taken to lie on its front.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Where the nodes are; `z` is up.
    pub positions: &'a [DVec3],
    /// Triangles of nodes, anticlockwise as seen from outside.
    pub triangles: &'a [[usize; 3]],
    /// Its colour, sRGB.
    pub colour: [u8; 3],
}

impl Body<'_> {
    /// Quiet colours that are told apart from the cloth's and, just, from each other.
    pub const NEUTRALS: [[u8; 3]; 4] = [[186, 181, 171], [158, 163, 165], [201, 192, 174], [142, 138, 135]];

    /// Checks that every position can be drawn and every index refers to a node.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        Surface { positions: self.positions, triangles: self.triangles, edges: &[], marked: &[], colours: &[] }.check()
    }

    /// The box around the body, unless it has no nodes.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        Bounds::of(self.positions.iter().copied())
    }
}
