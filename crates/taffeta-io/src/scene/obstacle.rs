//! The bodies of the world: from `[obstacle.*]` to obstacles.

mod body;
mod dynamics;

use std::path::Path as FilePath;

use taffeta::obstacle::Obstacle;

use super::SceneError;
use super::document::Origin;
use super::number::not_negative;
use super::schema::{BodyName, ObstacleSettings, Settings, Vector};
use super::travel;

/// Fills in the defaults of an obstacle and checks its keys.
pub(super) fn resolve_obstacle(
    settings: &mut ObstacleSettings,
    table: &str,
    origin: &Origin,
    folder: &FilePath,
) -> Result<(), SceneError> {
    // Any body: its friction is what the library gives to all.
    let default = Obstacle::new("", taffeta::obstacle::Plane).friction;
    not_negative(origin, &format!("{table}.friction"), *settings.friction.get_or_insert(default))?;
    body::resolve(settings, table, origin, folder)?;
    dynamics::resolve(settings, table, origin)?;
    let mut travel = settings.travel();
    let free = settings.body == Some(BodyName::Free);
    travel::resolve(&mut travel, origin_without_place(settings), free, table, origin, folder)?;
    settings.set_travel(travel);
    Ok(())
}

/// Where the origin of a body is that has no `place_m`, m.
fn origin_without_place(settings: &ObstacleSettings) -> Vector {
    [0.0, 0.0, settings.height_m.unwrap_or(0.0)]
}

/// The obstacles of a resolved scene, in the order of their names.
pub(super) fn obstacles(settings: &Settings, origin: &Origin) -> Result<Vec<Obstacle>, SceneError> {
    let build = |(name, settings): (&String, &ObstacleSettings)| {
        let table = format!("obstacle.{name}");
        let travel = settings.travel();
        let start = travel::start(&travel, origin_without_place(settings), &table, origin)?;
        let motion = travel::motion(&travel, start, &table, origin)?;
        let shape = body::shape(settings, &table, origin)?;
        let mut obstacle = Obstacle::new(name, shape).with_motion(motion);
        obstacle.dynamics = dynamics::dynamics(settings, &obstacle.shape, &table, origin)?;
        obstacle.friction = settings.friction.unwrap_or(obstacle.friction);
        match obstacle.fault() {
            None => Ok(obstacle),
            Some(fault) => Err(origin.fault(&table, format!("cannot be made: {fault}"))),
        }
    };
    settings.obstacle.iter().map(build).collect()
}
