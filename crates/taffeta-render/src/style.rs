//! How the cloth and its surroundings look.

use crate::RenderError;

/// Colours, lights and fineness of a picture. Colours are sRGB.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The side of the cloth whose triangles run anticlockwise.
    pub front: [u8; 3],
    /// The other side of the cloth.
    pub back: [u8; 3],
    /// What is behind the cloth; an unshadowed floor has the same colour.
    pub background: [u8; 3],
    /// The mesh lines.
    pub line: [u8; 3],
    /// How strongly the mesh lines cover the cloth, from 0 (not at all) to 1.
    pub line_opacity: f64,
    /// The dots on marked nodes.
    pub mark: [u8; 3],
    /// Height of a floor that catches shadows and carries a faint grid. It is a backdrop: it never
    /// hides the cloth, so that a sheet lying exactly on it stays whole, but it hides what of a
    /// body is below it. It is not drawn when the camera is below it. Scenes with a floor among
    /// their bodies need none.
    pub floor: Option<f64>,
    /// Where the key light stands around the camera, in degrees to the left of it as the camera
    /// sees the scene. Tied to the camera so that every viewpoint is lit from the side.
    pub light_azimuth_deg: f64,
    /// How high the key light stands above the horizon, in degrees.
    pub light_elevation_deg: f64,
    /// Samples along each side of a pixel, from 1 to 8.
    pub supersample: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            front: [206, 112, 96],
            back: [104, 138, 172],
            background: [238, 236, 232],
            line: [38, 24, 32],
            line_opacity: 0.3,
            mark: [250, 196, 40],
            floor: None,
            light_azimuth_deg: 42.0,
            light_elevation_deg: 48.0,
            supersample: 3,
        }
    }
}

impl Style {
    /// Checks that every setting is in its range.
    pub(crate) fn check(&self) -> Result<(), RenderError> {
        let wrong = |why| Err(RenderError::Style { why });
        if !(1..=8).contains(&self.supersample) {
            return wrong("supersample must be between 1 and 8");
        }
        if !(0.0..=1.0).contains(&self.line_opacity) {
            return wrong("line_opacity must be between 0 and 1");
        }
        if self.floor.is_some_and(|height| !height.is_finite()) {
            return wrong("the height of the floor must be finite");
        }
        if !self.light_azimuth_deg.is_finite() || !self.light_elevation_deg.is_finite() {
            return wrong("the angles of the light must be finite");
        }
        Ok(())
    }
}
