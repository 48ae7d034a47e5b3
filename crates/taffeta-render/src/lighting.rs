//! The lamps of the studio and how surfaces answer to them.

use glam::DVec3;

use crate::Style;
use crate::depth_map::DepthMap;
use crate::projection::Projection;
use crate::props::Props;
use crate::sky::Sky;

const KEY_COLOUR: DVec3 = DVec3::new(1.0, 0.965, 0.91);
const SKY_COLOUR: DVec3 = DVec3::new(0.93, 0.965, 1.0);
const KEY: f64 = 0.78;
const SKY: f64 = 0.56;
/// Lustre is broad, as on a woven surface.
const SHEEN_EXPONENT: i32 = 14;

const KEY_MAP_SIZE: usize = 1024;
const SHADOW_REACH: i64 = 4;
const FLOOR_SHADOW_REACH: i64 = 6;

/// What a surface does with light apart from its colour.
#[derive(Clone, Copy)]
pub(crate) struct Finish {
    /// Share of the key light that shines through.
    transmitted: f64,
    /// Share of the sky's light that gets around what hides the sky.
    bounced: f64,
    /// Strength of the lustre.
    sheen: f64,
    /// Brightening towards the outline, which sets folds off from what is behind them.
    rim: f64,
}

impl Finish {
    pub const CLOTH: Self = Self { transmitted: 0.14, bounced: 0.0, sheen: 0.10, rim: 0.14 };
    /// Dull, so that bodies stay in the background.
    pub const SOLID: Self = Self { transmitted: 0.0, bounced: 0.18, sheen: 0.03, rim: 0.05 };
}

/// A key light with shadows, and the sky.
pub(crate) struct Lighting {
    key: DVec3,
    key_map: DepthMap,
    /// A coarser map of what is far from the cloth, if there is anything.
    far_map: Option<DepthMap>,
    sky: Sky,
}

/// A spot of a surface about to be lit.
pub(crate) struct Spot {
    pub point: DVec3,
    /// Unit normal of the side that is seen, smooth across triangles.
    pub normal: DVec3,
    /// Unit normal of the flat triangle, on the same side.
    pub flat_normal: DVec3,
    /// Unit vector towards the eye.
    pub toward_eye: DVec3,
    pub albedo: DVec3,
    pub finish: Finish,
    /// Light of the sky, as [`Lighting::sky_light`] measures it.
    pub sky: f64,
}

impl Lighting {
    pub fn new(props: &Props, style: &Style, projection: &Projection) -> Self {
        // The lamp turns around the vertical with the camera.
        let right = projection.right;
        let toward_camera = right.cross(DVec3::Z).normalize_or(projection.back);
        let (azimuth_sin, azimuth_cos) = style.light_azimuth_deg.to_radians().sin_cos();
        let (elevation_sin, elevation_cos) = style.light_elevation_deg.to_radians().sin_cos();
        let around = toward_camera * azimuth_cos - right * azimuth_sin;
        let key = (around * elevation_cos + DVec3::Z * elevation_sin).normalize_or(DVec3::Z);
        let map = |region| DepthMap::new(props, region, key, KEY_MAP_SIZE);
        let far_map = (props.far_bounds != props.bounds).then(|| map(props.far_bounds));
        Self { key, key_map: map(props.bounds), far_map, sky: Sky::new(props) }
    }

    /// Light of the sky on a surface facing along `normal`, as a share of that in the open.
    pub fn sky_light(&self, point: DVec3, normal: DVec3) -> f64 {
        self.sky.light(point, normal)
    }

    /// How much of the key light reaches a point, by the best map that knows about it.
    fn reached(&self, point: DVec3, normal: DVec3, reach: i64) -> f64 {
        let far_map = self.far_map.as_ref().filter(|_| !self.key_map.covers(point, reach));
        far_map.unwrap_or(&self.key_map).lit(point, normal, reach)
    }

    /// Light that a spot sends to the eye.
    pub fn shade(&self, spot: &Spot) -> DVec3 {
        let facing = spot.normal.dot(self.key);
        // Flat triangles that turn away from the light on the lit side of a fold would shade
        // themselves; there the smooth surface decides.
        let turned_away = facing * spot.flat_normal.dot(self.key) <= 0.0;
        let plane = if turned_away { spot.normal } else { spot.flat_normal };
        let reached = self.reached(spot.point, plane, SHADOW_REACH);
        let sky = spot.sky + spot.finish.bounced * (1.0 - spot.sky);
        let direct = KEY * reached * facing.max(0.0);
        let through = KEY * reached * spot.finish.transmitted * (-facing).max(0.0);
        let diffuse = spot.albedo * (KEY_COLOUR * (direct + through) + SKY_COLOUR * (SKY * sky));

        let halfway = (self.key + spot.toward_eye).normalize_or_zero();
        let glance = spot.normal.dot(halfway).max(0.0).powi(SHEEN_EXPONENT);
        let sheen = spot.finish.sheen * reached * facing.clamp(0.0, 1.0) * glance;
        let edge_on = 1.0 - spot.normal.dot(spot.toward_eye).clamp(0.0, 1.0);
        let rim = spot.finish.rim * spot.sky * edge_on.powi(3);
        let gloss_colour = DVec3::ONE.lerp(spot.albedo, 0.5);
        diffuse + gloss_colour * (KEY_COLOUR * sheen + SKY_COLOUR * rim)
    }

    /// Light on the floor as a share of what it gets in the open, given its share of the sky.
    pub fn floor_light(&self, point: DVec3, sky: f64) -> f64 {
        let key = KEY * self.key.z.max(0.0);
        let reached = self.reached(point, DVec3::Z, FLOOR_SHADOW_REACH);
        (key * reached + SKY * sky) / (key + SKY)
    }
}
