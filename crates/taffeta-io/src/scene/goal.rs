//! Where the cloth is to be: checks of `[goal]`.

use taffeta::mesh::{GridCorner, Mesh};

use super::SceneError;
use super::document::Origin;
use super::number::{finite, finite_vector};
use super::schema::{GoalSettings, Settings};

/// Checks whatever does not depend on the mesh.
pub(super) fn resolve_goal(goal: &GoalSettings, origin: &Origin) -> Result<(), SceneError> {
    if goal.polygon_m.is_none() && goal.corners_m.is_empty() {
        return Err(origin.fault("goal", "says nothing: give polygon_m or corners_m, or remove it"));
    }
    if let Some(polygon) = &goal.polygon_m {
        polygon.iter().flatten().try_for_each(|&number| finite(origin, "goal.polygon_m", number))?;
        if polygon.len() < 3 {
            let why = format!("has {} corners: give three or more, x and y of each", polygon.len());
            return Err(origin.fault("goal.polygon_m", why));
        }
    }
    for (name, place) in &goal.corners_m {
        let key = format!("goal.corners_m.{name}");
        if GridCorner::from_name(name).is_none() {
            return Err(origin.fault(&key, "is no corner: name bottom-left, bottom-right, top-left or top-right"));
        }
        finite_vector(origin, &key, place)?;
    }
    Ok(())
}

/// Refuses corners of cloth that is no grid.
pub(super) fn check_goal(settings: &Settings, mesh: &Mesh, origin: &Origin) -> Result<(), SceneError> {
    let corners = settings.goal.as_ref().is_some_and(|goal| !goal.corners_m.is_empty());
    if corners && mesh.grid_shape().is_none() {
        return Err(origin.fault("goal.corners_m", "needs a grid of one sheet: give polygon_m instead"));
    }
    Ok(())
}
