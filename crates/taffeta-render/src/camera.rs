//! Where the picture is taken from.

use glam::DVec3;

use crate::Body;
use crate::bounds::Bounds;

/// Around the cloth, as a share of its longest side, bodies are fitted into a picture.
const FRAMED_SHARE: f64 = 0.25;

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the camera is.
    pub eye: DVec3,
    /// The point in the middle of the picture.
    pub target: DVec3,
    /// A direction that appears upright in the picture; need not be a unit vector.
    pub up: DVec3,
    /// Angle between the top and the bottom of the picture, in degrees.
    pub fov_deg: f64,
}

impl Camera {
    /// A camera that fits the box between `min` and `max` into a picture of the given aspect
    /// (width over height), with a small margin.
    ///
    /// At azimuth 0 the camera looks along `+y`, with `x` running to the right; growing azimuths
    /// walk it anticlockwise around the box, seen from above. The elevation is its angle above the
    /// horizon; 90 looks straight down, with `y` upright at azimuth 0.
    pub fn framing(min: DVec3, max: DVec3, azimuth_deg: f64, elevation_deg: f64, aspect: f64) -> Self {
        const FOV_DEG: f64 = 30.0;
        const MARGIN: f64 = 1.08;

        let (azimuth_sin, azimuth_cos) = azimuth_deg.to_radians().sin_cos();
        let (elevation_sin, elevation_cos) = elevation_deg.to_radians().sin_cos();
        let outward = DVec3::new(azimuth_sin, -azimuth_cos, 0.0);
        let right = DVec3::new(azimuth_cos, azimuth_sin, 0.0);
        let back = outward * elevation_cos + DVec3::Z * elevation_sin;
        let up = DVec3::Z * elevation_cos - outward * elevation_sin;

        // Each side of the view pyramid is pushed out until it touches the box, which fixes both
        // the distance and the sideways shift of the apex.
        let centre = (min + max) / 2.0;
        let half = (max - min) / 2.0;
        let reach = |side: DVec3, slope: f64| {
            let direction = side + back * slope;
            direction.abs().dot(half.abs())
        };
        let half_angle_tan = (FOV_DEG / 2.0).to_radians().tan() / MARGIN;
        let distance_for = |axis: DVec3, slope: f64| (reach(axis, slope) + reach(-axis, slope)) / (2.0 * slope);
        let shift_for = |axis: DVec3, slope: f64| (reach(axis, slope) - reach(-axis, slope)) / 2.0;
        let (across, along) = (half_angle_tan * aspect, half_angle_tan);
        let mut distance = distance_for(right, across).max(distance_for(up, along));
        if distance <= 0.0 {
            distance = 1.0; // a box of a single point
        }
        let target = centre + right * shift_for(right, across) + up * shift_for(up, along);
        Self { eye: target + back * distance, target, up, fov_deg: FOV_DEG }
    }

    /// A camera as [`framing`](Self::framing) makes it, for every place the cloth gets to and as
    /// much of the bodies as there is near them: within a border of a quarter of the longest side
    /// of the box around those places. However large a table, the cloth fills the picture.
    ///
    /// If nothing is given as `path`, all of the bodies are framed.
    pub fn framing_scene(
        path: impl IntoIterator<Item = DVec3>,
        bodies: &[Body],
        azimuth_deg: f64,
        elevation_deg: f64,
        aspect: f64,
    ) -> Self {
        let bodies = bodies.iter().filter_map(|body| body.bounds());
        let nothing = Bounds { min: DVec3::ZERO, max: DVec3::ZERO };
        let framed = Bounds::in_focus(Bounds::of(path), bodies, FRAMED_SHARE).unwrap_or(nothing);
        Self::framing(framed.min, framed.max, azimuth_deg, elevation_deg, aspect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::Projection;

    #[test]
    fn a_framed_box_fills_the_picture_without_leaving_it() {
        let (min, max) = (DVec3::new(-1.0, 2.0, 0.0), DVec3::new(3.0, 2.5, 1.0));
        let (width, height) = (400, 300);
        for azimuth in [-120.0, 0.0, 35.0, 200.0] {
            for elevation in [-20.0, 0.0, 30.0, 90.0] {
                let camera = Camera::framing(min, max, azimuth, elevation, 4.0 / 3.0);
                let projection = Projection::new(&camera, width, height).unwrap();
                let mut widest = 0f64;
                for corner in 0..8 {
                    let pick = |axis: usize| [min, max][corner >> axis & 1][axis];
                    let corner = DVec3::new(pick(0), pick(1), pick(2));
                    let at = projection.project(projection.to_camera(corner)).unwrap();
                    let across = (2.0 * at.x / width as f64 - 1.0).abs();
                    let along = (2.0 * at.y / height as f64 - 1.0).abs();
                    widest = widest.max(across).max(along);
                }
                assert!((0.9..1.0).contains(&widest), "{azimuth} {elevation}");
            }
        }
    }

    #[test]
    fn bodies_near_the_cloth_are_framed_but_do_not_dwarf_it() {
        let framed = |cloth: &[DVec3], low: DVec3, high: DVec3| {
            let body = Body { positions: &[low, high], triangles: &[], colour: [0; 3] };
            Camera::framing_scene(cloth.iter().copied(), &[body], 20.0, 30.0, 1.5)
        };
        let boxed = |min: DVec3, max: DVec3| Camera::framing(min, max, 20.0, 30.0, 1.5);
        let cloth = [DVec3::ZERO, DVec3::new(2.0, 1.0, 0.0)];
        let (low, high) = (DVec3::new(0.5, 0.5, -0.4), DVec3::new(1.0, 1.2, 0.0));
        assert_eq!(framed(&cloth, low, high), boxed(DVec3::new(0.0, 0.0, -0.4), DVec3::new(2.0, 1.2, 0.0)));
        let vast = DVec3::splat(1e6);
        assert_eq!(framed(&cloth, -vast, vast), boxed(DVec3::splat(-0.5), DVec3::new(2.5, 1.5, 0.5)));
        assert_eq!(framed(&cloth, vast, 2.0 * vast), boxed(cloth[0], cloth[1]));
        assert_eq!(framed(&[], low, high), boxed(low, high));
    }

    #[test]
    fn at_azimuth_zero_x_runs_to_the_right_and_z_up() {
        let camera = Camera::framing(DVec3::ZERO, DVec3::ONE, 0.0, 0.0, 1.0);
        let projection = Projection::new(&camera, 100, 100).unwrap();
        let place = |point| projection.project(projection.to_camera(point)).unwrap();
        assert!(place(DVec3::X).x > place(DVec3::ZERO).x);
        assert!(place(DVec3::Z).y < place(DVec3::ZERO).y);
        assert!(place(DVec3::ZERO).z > place(DVec3::Y).z);
    }
}
