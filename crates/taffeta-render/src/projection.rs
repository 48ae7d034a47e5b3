//! The camera's mapping between space and the raster.

use glam::DVec3;

use crate::{Camera, RenderError};

/// Points closer than this share of the distance to the target are cut away.
const NEAR: f64 = 1e-3;

/// A camera made ready for a raster. Raster points are `(x, y, nearness)`: the nearness is one
/// over the distance along the line of sight, which varies linearly across a flat triangle's image.
pub(crate) struct Projection {
    pub eye: DVec3,
    pub right: DVec3,
    /// From the scene towards the viewer.
    pub back: DVec3,
    up: DVec3,
    /// Raster lengths per unit of slope.
    pub focal: f64,
    /// Distance between the eye and its target.
    pub distance: f64,
    middle: (f64, f64),
    near: f64,
}

impl Projection {
    /// Prepares a camera for a raster of `width` by `height`.
    pub fn new(camera: &Camera, width: usize, height: usize) -> Result<Self, RenderError> {
        let wrong = |why| Err(RenderError::Camera { why });
        let finite = camera.eye.is_finite() && camera.target.is_finite() && camera.up.is_finite();
        if !finite {
            return wrong("its eye, target and up must be finite");
        }
        if !(camera.fov_deg > 0.0 && camera.fov_deg < 180.0) {
            return wrong("its angle must be between 0 and 180 degrees");
        }
        let Some(back) = (camera.eye - camera.target).try_normalize() else {
            return wrong("its eye must be away from its target");
        };
        let sideways = camera.up.normalize_or_zero().cross(back);
        if sideways.length() < 1e-9 {
            return wrong("its up must not lie along the line of sight");
        }
        let right = sideways.normalize();
        let distance = camera.eye.distance(camera.target);
        Ok(Self {
            eye: camera.eye,
            right,
            back,
            up: back.cross(right),
            focal: height as f64 / 2.0 / (camera.fov_deg / 2.0).to_radians().tan(),
            distance,
            middle: (width as f64 / 2.0, height as f64 / 2.0),
            near: NEAR * distance,
        })
    }

    /// The point in the middle of the raster that the camera looks at.
    pub fn target(&self) -> DVec3 {
        self.eye - self.back * self.distance
    }

    /// The direction through a raster point, scaled to advance by one along the line of sight.
    pub fn ray(&self, x: f64, y: f64) -> DVec3 {
        let (across, down) = (x - self.middle.0, y - self.middle.1);
        self.right * (across / self.focal) - self.up * (down / self.focal) - self.back
    }

    /// A point in the camera's axes: right, up, and distance along the line of sight.
    pub fn to_camera(&self, point: DVec3) -> DVec3 {
        let offset = point - self.eye;
        DVec3::new(offset.dot(self.right), offset.dot(self.up), -offset.dot(self.back))
    }

    /// The raster point of a point in the camera's axes, if it is far enough in front.
    pub fn project(&self, point: DVec3) -> Option<DVec3> {
        (point.z >= self.near).then(|| self.project_unclipped(point))
    }

    fn project_unclipped(&self, point: DVec3) -> DVec3 {
        let nearness = 1.0 / point.z;
        DVec3::new(
            self.middle.0 + self.focal * point.x * nearness,
            self.middle.1 - self.focal * point.y * nearness,
            nearness,
        )
    }

    /// Raster images of the part of a triangle in front of the camera, up to two triangles.
    pub fn project_triangle(&self, corners: [DVec3; 3]) -> impl Iterator<Item = [DVec3; 3]> {
        let mut outline = [DVec3::ZERO; 4];
        let mut count = 0;
        let mut push = |point: DVec3| {
            outline[count] = self.project_unclipped(point);
            count += 1;
        };
        for i in 0..3 {
            let (from, to) = (corners[i], corners[(i + 1) % 3]);
            if from.z >= self.near {
                push(from);
            }
            if (from.z >= self.near) != (to.z >= self.near) {
                push(self.cut(from, to));
            }
        }
        (2..count).map(move |last| [outline[0], outline[last - 1], outline[last]])
    }

    /// Raster image of the part of a segment in front of the camera.
    pub fn project_segment(&self, from: DVec3, to: DVec3) -> Option<[DVec3; 2]> {
        let ends = match (from.z >= self.near, to.z >= self.near) {
            (true, true) => [from, to],
            (true, false) => [from, self.cut(from, to)],
            (false, true) => [self.cut(from, to), to],
            (false, false) => return None,
        };
        Some(ends.map(|end| self.project_unclipped(end)))
    }

    /// Where a segment crosses the near plane.
    fn cut(&self, from: DVec3, to: DVec3) -> DVec3 {
        let mut point = from.lerp(to, (self.near - from.z) / (to.z - from.z));
        point.z = self.near;
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ahead() -> Projection {
        let camera = Camera { eye: DVec3::ZERO, target: DVec3::Y, up: DVec3::Z, fov_deg: 90.0 };
        Projection::new(&camera, 200, 100).unwrap()
    }

    #[test]
    fn a_ray_meets_the_point_that_projects_onto_it() {
        let projection = ahead();
        let point = DVec3::new(0.4, 2.0, -0.3);
        let raster = projection.project(projection.to_camera(point)).unwrap();
        let met = projection.eye + projection.ray(raster.x, raster.y) / raster.z;
        assert!((met - point).length() < 1e-12);
    }

    #[test]
    fn a_triangle_across_the_near_plane_keeps_its_front_part() {
        let projection = ahead();
        let front = DVec3::new(0.0, 0.0, 1.0);
        let (left, right) = (DVec3::new(-1.0, 0.0, -1.0), DVec3::new(1.0, 0.0, -1.0));
        let side = DVec3::new(1.0, 0.0, 1.0);
        assert_eq!(projection.project_triangle([front, left, right]).count(), 1);
        assert_eq!(projection.project_triangle([front, left, side]).count(), 2);
        assert_eq!(projection.project_triangle([left, left, right]).count(), 0);
        assert!(projection.project_segment(left, right).is_none());
        assert!(projection.project_segment(front, right).is_some());
    }
}
