//! The obstacles of a recording, as they are drawn.

use glam::DVec3;
use taffeta::obstacle::{Obstacle, Pose};
use taffeta_io::export::Prop;
use taffeta_io::recording::Recording;
use taffeta_page::film::obstacles;
use taffeta_render::Body;

/// What stands around the cloth in all frames.
#[derive(Debug, Default)]
pub struct Stage {
    /// Height of a floor that is painted rather than drawn: it goes on for ever.
    pub floor: Option<f64>,
    props: Vec<Prop>,
}

impl Stage {
    /// The stage of a recording whose cloth stays between two corners of a box, m.
    pub fn of(recording: &Recording, min: DVec3, max: DVec3) -> Result<Self, String> {
        Ok(Self::new(&obstacles(recording)?, min, max))
    }

    fn new(obstacles: &[Obstacle], min: DVec3, max: DVec3) -> Self {
        let floor = obstacles.iter().position(is_floor);
        let bodies = obstacles.iter().enumerate().filter(|&(index, _)| Some(index) != floor);
        Self {
            floor: floor.map(|index| obstacles[index].motion.at(0.0).translation.z),
            props: bodies.map(|(index, obstacle)| Prop::new(index, obstacle, min, max)).collect(),
        }
    }

    /// Where the corners of all bodies are in a frame, m.
    pub fn placed(&self, poses: &[Pose]) -> Vec<Vec<DVec3>> {
        let place = |prop: &Prop| {
            let pose = poses.get(prop.obstacle).copied().unwrap_or_default();
            prop.outline.positions.iter().map(|&corner| pose.to_world(corner)).collect()
        };
        self.props.iter().map(place).collect()
    }

    /// The bodies, their corners where [`Stage::placed`] has put them.
    pub fn bodies<'a>(&'a self, placed: &'a [Vec<DVec3>]) -> Vec<Body<'a>> {
        let colours = Body::NEUTRALS.into_iter().cycle();
        let body = |((prop, positions), colour): ((&'a Prop, &'a Vec<DVec3>), [u8; 3])| Body {
            positions,
            triangles: &prop.outline.triangles,
            colour,
        };
        self.props.iter().zip(placed).zip(colours).map(body).collect()
    }
}

/// Whether an obstacle is level and at rest, with nothing above it.
fn is_floor(obstacle: &Obstacle) -> bool {
    let still = matches!(obstacle.motion.travel, taffeta::obstacle::Travel::Still);
    obstacle.shape.is_flat() && still && obstacle.motion.at(0.0).rotate(DVec3::Z).z > 1.0 - 1e-12
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffeta::DQuat;
    use taffeta::obstacle::{Cuboid, Plane, Sphere};

    #[test]
    fn a_level_plane_is_painted_and_all_else_is_placed() {
        let up = Pose::from_translation(DVec3::Z * 0.5);
        let wall = Pose::new(DQuat::from_rotation_x(1.0), DVec3::ZERO);
        let obstacles = [
            Obstacle::new("ball", Sphere::new(0.2)),
            Obstacle::new("floor", Plane).at(up),
            Obstacle::new("wall", Plane).at(wall),
            Obstacle::new("box", Cuboid::new(DVec3::ONE)),
        ];
        let stage = Stage::new(&obstacles, -DVec3::ONE, DVec3::ONE);
        assert_eq!(stage.floor, Some(0.5));
        let away = DVec3::new(7.0, 0.0, 0.0);
        let placed = stage.placed(&[Pose::from_translation(away), up, wall, up]);
        let bodies = stage.bodies(&placed);
        assert_eq!(bodies.len(), 3);
        assert!(bodies[0].positions.iter().all(|place| (place.distance(away) - 0.2).abs() < 1e-12));
        assert!(bodies[1].positions.iter().all(|&place| (wall.to_local(place).z).abs() < 1e-12));
        assert!(bodies[2].positions.iter().any(|place| place.z == 1.5));
        assert_ne!(bodies[0].colour, bodies[1].colour);
    }
}
