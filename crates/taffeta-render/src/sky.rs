//! Light from all around, less what is in its way.

use glam::DVec3;

use crate::depth_map::DepthMap;
use crate::props::Props;

/// Directions the sky is sampled in, evenly over the whole sphere.
const DIRECTIONS: usize = 64;

/// Coarse maps will do: their errors average out over the directions.
const MAP_SIZE: usize = 160;

/// Light that comes back up from the ground, as a share of the light of the sky.
const GROUND: f64 = 0.35;

/// A bright sky over a dimmer ground, each direction with its own map of what is in its way.
pub(crate) struct Sky {
    patches: Vec<Patch>,
    /// What an open surface facing up gathers.
    open: f64,
}

struct Patch {
    direction: DVec3,
    brightness: f64,
    map: DepthMap,
}

impl Sky {
    pub fn new(props: &Props) -> Self {
        let patch = |index| {
            let direction = spiral(index);
            let upward = 0.5 + 0.5 * direction.z;
            Patch {
                direction,
                brightness: GROUND + (1.0 - GROUND) * upward,
                map: DepthMap::new(props, props.bounds, direction, MAP_SIZE),
            }
        };
        let mut sky = Self { patches: (0..DIRECTIONS).map(patch).collect(), open: 1.0 };
        sky.open = sky.gather(DVec3::Z, |_| 1.0);
        sky
    }

    /// Light that falls on a surface facing along `normal`, as a share of what an open
    /// surface facing up would get.
    pub fn light(&self, point: DVec3, normal: DVec3) -> f64 {
        self.gather(normal, |patch| patch.map.lit(point, normal, 0)) / self.open
    }

    fn gather(&self, normal: DVec3, visible: impl Fn(&Patch) -> f64) -> f64 {
        self.patches
            .iter()
            .map(|patch| (patch, normal.dot(patch.direction)))
            .filter(|&(_, facing)| facing > 0.0)
            .map(|(patch, facing)| facing * patch.brightness * visible(patch))
            .sum()
    }
}

/// Points of a spiral that winds evenly over the sphere.
fn spiral(index: usize) -> DVec3 {
    let golden_angle = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let z = 1.0 - (2 * index + 1) as f64 / DIRECTIONS as f64;
    let (sin, cos) = (golden_angle * index as f64).sin_cos();
    let radius = (1.0 - z * z).sqrt();
    DVec3::new(radius * cos, radius * sin, z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Style, Surface};

    #[test]
    fn an_open_surface_gets_all_the_light_and_a_covered_one_less() {
        let positions = [DVec3::new(-9.0, -9.0, 1.0), DVec3::new(9.0, -9.0, 1.0), DVec3::new(0.0, 9.0, 1.0)];
        let surface = Surface { positions: &positions, triangles: &[[0, 1, 2]], edges: &[], marked: &[], colours: &[] };
        let sky = Sky::new(&Props::new(&Scene { surface, bodies: &[] }, &Style::default()));
        let above = sky.light(DVec3::new(0.0, 0.0, 2.0), DVec3::Z);
        let on_top = sky.light(DVec3::new(0.0, 0.0, 1.0), DVec3::Z);
        let underneath = sky.light(DVec3::new(0.0, 0.0, 0.0), DVec3::Z);
        assert!((above - 1.0).abs() < 1e-12);
        assert!((on_top - 1.0).abs() < 0.02);
        assert!(underneath < 0.2);
    }
}
