//! What a picture is taken of.

use crate::{Body, RenderError, Surface};

/// A sheet of cloth among solid bodies.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The cloth.
    pub surface: Surface<'a>,
    /// Whatever it falls on, hangs from or is hidden by; may be empty.
    pub bodies: &'a [Body<'a>],
}

impl Scene<'_> {
    /// Checks that every position can be drawn and every index refers to a node.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        self.surface.check()?;
        for (index, body) in self.bodies.iter().enumerate() {
            body.check().map_err(|source| RenderError::Body { index, source: Box::new(source) })?;
        }
        Ok(())
    }
}
