//! Garments: from `[cloth.garment]` to a mesh.

use std::collections::BTreeMap;

use glam::DVec3;
use taffeta::mesh::Mesh;
use taffeta::mesh::garment::{Cut, Garment, GarmentError, Sewn, Shirt, Shorts, Skirt, Towel};

use super::SceneError;
use super::document::Origin;
use super::nearest::nearest;
use super::number::{finite_vector, positive};
use super::schema::{GarmentName, GarmentSettings};

/// m. Some 1300 nodes for a shirt.
const DEFAULT_CELL: f64 = 0.03;

/// Axes are perpendicular if their cosine is below this.
const PERPENDICULAR: f64 = 1e-6;

/// Fills in the defaults of a garment in cloth of some thickness (m), and adds its sets of nodes to those of the scene.
pub(super) fn resolve_garment(
    garment: &mut GarmentSettings,
    thickness: f64,
    sets: &mut BTreeMap<String, Vec<usize>>,
    origin: &Origin,
) -> Result<(), SceneError> {
    let cell = *garment.cell_m.get_or_insert(DEFAULT_CELL);
    positive(origin, "cloth.garment.cell_m", cell)?;
    let gap = *garment.gap_m.get_or_insert(Cut::with_cell(cell).gap);
    positive(origin, "cloth.garment.gap_m", gap)?;
    if gap <= thickness {
        let why = format!("is {gap}: it must be more than cloth.thickness_m, {thickness}");
        return Err(origin.fault("cloth.garment.gap_m", why));
    }
    finite_vector(origin, "cloth.garment.place_m", garment.place_m.get_or_insert([0.0; 3]))?;
    finite_vector(origin, "cloth.garment.across_axis", garment.across_axis.get_or_insert([1.0, 0.0, 0.0]))?;
    finite_vector(origin, "cloth.garment.up_axis", garment.up_axis.get_or_insert([0.0, 0.0, 1.0]))?;
    axes(garment, origin)?;
    for (measure, value) in made_to_measure(garment, origin)?.measures() {
        garment.measures_m.entry(measure.to_owned()).or_insert(value);
    }
    for (name, nodes) in sew(garment, origin)?.sets {
        sets.entry(name.to_owned()).or_insert(nodes);
    }
    Ok(())
}

/// The mesh of a resolved garment, where the scene has it.
pub(super) fn garment_mesh(garment: &GarmentSettings, origin: &Origin) -> Result<Mesh, SceneError> {
    let Sewn { mesh, .. } = sew(garment, origin)?;
    let (across, up) = axes(garment, origin)?;
    let place = DVec3::from_array(garment.place_m.unwrap_or_default());
    let behind = up.cross(across);
    let placed = mesh.positions().iter().map(|p| place + across * p.x + behind * p.y + up * p.z).collect();
    mesh.with_positions(placed).map_err(|error| origin.fault("cloth.garment", format!("makes no mesh: {error}")))
}

/// Unit vectors across the garment and up.
fn axes(garment: &GarmentSettings, origin: &Origin) -> Result<(DVec3, DVec3), SceneError> {
    let axis = |vector: Option<[f64; 3]>, default: DVec3, key: &str| {
        let unit = vector.map_or(default, DVec3::from_array).try_normalize();
        unit.ok_or_else(|| origin.fault(&format!("cloth.garment.{key}"), "must not be zero: give a direction"))
    };
    let across = axis(garment.across_axis, DVec3::X, "across_axis")?;
    let up = axis(garment.up_axis, DVec3::Z, "up_axis")?;
    if across.dot(up).abs() > PERPENDICULAR {
        let why = "is not perpendicular to cloth.garment.across_axis: turn one of them";
        return Err(origin.fault("cloth.garment.up_axis", why));
    }
    Ok((across, up))
}

fn made_to_measure(settings: &GarmentSettings, origin: &Origin) -> Result<Garment, SceneError> {
    let mut garment = match settings.kind {
        GarmentName::Towel => Garment::Towel(Towel::default()),
        GarmentName::Skirt => Garment::Skirt(Skirt::default()),
        GarmentName::Shorts => Garment::Shorts(Shorts::default()),
        GarmentName::Shirt => Garment::Shirt(Shirt::default()),
    };
    for (measure, &value) in &settings.measures_m {
        if garment.set_measure(measure, value).is_err() {
            let known: Vec<&str> = garment.measures().into_iter().map(|(name, _)| name).collect();
            let instead = match nearest(measure, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("use {}", known.join(", ")),
            };
            let why = format!("is no measure of a garment of this kind: {instead}");
            return Err(origin.fault(&format!("cloth.garment.measures_m.{measure}"), why));
        }
    }
    Ok(garment)
}

fn sew(settings: &GarmentSettings, origin: &Origin) -> Result<Sewn, SceneError> {
    let cell = settings.cell_m.unwrap_or(DEFAULT_CELL);
    let cut = Cut { gap: settings.gap_m.unwrap_or(Cut::with_cell(cell).gap), cell };
    made_to_measure(settings, origin)?.sew(cut).map_err(|error| {
        let key = match &error {
            GarmentError::BadMeasure { measure: "gap", .. } => "cloth.garment.gap_m".to_owned(),
            GarmentError::BadMeasure { measure, .. } => format!("cloth.garment.measures_m.{measure}"),
            GarmentError::CellTooLarge { .. } | GarmentError::CellTooSmall { .. } => "cloth.garment.cell_m".to_owned(),
            _ => "cloth.garment".to_owned(),
        };
        origin.fault(&key, format!("makes no garment: {error}"))
    })
}
