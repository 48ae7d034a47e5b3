//! The bodies of the world: from `[obstacle.*]` to obstacles.

mod body;
mod travel;

use std::path::Path as FilePath;

use taffeta::obstacle::Obstacle;

use super::SceneError;
use super::document::Origin;
use super::number::not_negative;
use super::schema::{ObstacleSettings, Settings};

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
    travel::resolve(settings, table, origin, folder)
}

/// The obstacles of a resolved scene, in the order of their names.
pub(super) fn obstacles(settings: &Settings, origin: &Origin) -> Result<Vec<Obstacle>, SceneError> {
    let build = |(name, settings): (&String, &ObstacleSettings)| {
        let table = format!("obstacle.{name}");
        let motion = travel::motion(settings, body::start(settings, &table, origin)?, &table, origin)?;
        let mut obstacle = Obstacle::new(name, body::shape(settings, &table, origin)?).with_motion(motion);
        obstacle.friction = settings.friction.unwrap_or(obstacle.friction);
        match obstacle.fault() {
            None => Ok(obstacle),
            Some(fault) => Err(origin.fault(&table, format!("cannot be made: {fault}"))),
        }
    };
    settings.obstacle.iter().map(build).collect()
}
