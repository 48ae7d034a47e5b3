//! Forces on the cloth: from `[load.*]` to loads.

use taffeta::mesh::Mesh;
use taffeta::{Interpolation, Load};

use super::SceneError;
use super::document::Origin;
use super::keyframes;
use super::schema::{LoadSettings, Settings};
use super::selection::Selection;

/// Fills in the defaults of a load and checks whatever does not depend on the mesh.
pub(super) fn resolve_load(load: &mut LoadSettings, table: &str, origin: &Origin) -> Result<(), SceneError> {
    Selection::of_load(load).check(table, "what is loaded", origin)?;
    if load.forces.is_some() {
        load.interpolation.get_or_insert(Interpolation::Linear);
    }
    match (&load.force, &load.times_s, &load.forces, &load.interpolation) {
        (Some(_), None, None, None) | (None, Some(_), Some(_), _) => Ok(()),
        _ => {
            let why = "needs either force_N alone, or times_s and forces_N: give one or the other";
            Err(origin.fault(table, why))
        }
    }
}

/// The loads of a resolved scene, in the order of their names.
pub(super) fn loads(settings: &Settings, mesh: &Mesh, origin: &Origin) -> Result<Vec<Load>, SceneError> {
    let build = |(name, load): (&String, &LoadSettings)| {
        let table = format!("load.{name}");
        let nodes = Selection::of_load(load).nodes(&settings.cloth, mesh, &table, origin)?;
        let force = match (&load.force, &load.times_s, &load.forces) {
            (Some(force), ..) => keyframes::path(&[0.0], &[*force], None, "force_N", &table, origin)?,
            (None, times, forces) => {
                let (times, forces) = (times.as_deref().unwrap_or_default(), forces.as_deref().unwrap_or_default());
                keyframes::path(times, forces, load.interpolation, "forces_N", &table, origin)?
            }
        };
        Ok(Load { nodes, force })
    };
    settings.load.iter().map(build).collect()
}
