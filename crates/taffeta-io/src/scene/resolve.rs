//! Filling in the defaults, and refusing numbers that make no sense whatever the mesh is.

use std::path::Path;

use taffeta::cloth::{FABRICS, Material};
use taffeta::{Params, SelfContact, Solver};

use super::SceneError;
use super::analytic::resolve_analytic;
use super::document::Origin;
use super::garment::resolve_garment;
use super::goal::resolve_goal;
use super::grasp::resolve_held;
use super::gripper::resolve_gripper;
use super::load::resolve_load;
use super::nearest::nearest;
use super::number::{finite, finite_vector, positive};
use super::obstacle::resolve_obstacle;
use super::schema::{ClothSettings, GridSettings, ObjSettings, RestName, Settings, SolverSettings, TrianglesName};
use super::seam::resolve_seam;
use super::timing::Timing;

const DEFAULT_FABRIC: &str = "wool";

/// Fills in every default. Paths become absolute: they are relative to `folder` in the file.
pub(super) fn resolve(settings: &mut Settings, origin: &Origin, folder: &Path) -> Result<(), SceneError> {
    settings.frame_interval_s.get_or_insert(settings.dt_s);
    Timing::new(settings, origin)?;
    let gravity = settings.gravity_m_s2.get_or_insert(Params::default().gravity.to_array());
    finite_vector(origin, "gravity_m_s2", gravity)?;
    if let Some(wind) = &settings.wind_m_s {
        finite_vector(origin, "wind_m_s", wind)?;
    }
    resolve_fabric(&mut settings.cloth, origin)?;
    settings.cloth.scheme.get_or_insert_default();
    resolve_mesh(&mut settings.cloth, origin, folder)?;
    for (name, seam) in &mut settings.cloth.seam {
        resolve_seam(seam, &format!("cloth.seam.{name}"), origin)?;
    }
    for (name, held) in &mut settings.held {
        resolve_held(held, &format!("held.{name}"), origin, folder)?;
    }
    for (name, load) in &mut settings.load {
        resolve_load(load, &format!("load.{name}"), origin)?;
    }
    for (name, obstacle) in &mut settings.obstacle {
        resolve_obstacle(obstacle, &format!("obstacle.{name}"), origin, folder)?;
    }
    for (name, gripper) in &mut settings.gripper {
        resolve_gripper(gripper, &format!("gripper.{name}"), origin, folder)?;
    }
    settings.goal.as_ref().map_or(Ok(()), |goal| resolve_goal(goal, origin))?;
    resolve_analytic(settings, origin)?;
    resolve_solver(&mut settings.solver, origin)
}

fn resolve_fabric(cloth: &mut ClothSettings, origin: &Origin) -> Result<(), SceneError> {
    cloth.fabric.get_or_insert_with(|| DEFAULT_FABRIC.to_owned());
    let material = material(cloth, origin)?;
    cloth.density_kg_m2 = Some(material.density);
    cloth.virtual_density_kg_m2 = Some(material.virtual_density);
    cloth.damping_kg_m2_s = Some(material.damping);
    cloth.bending = Some(material.bending);
    cloth.bending_damping = Some(material.bending_damping);
    cloth.shear_compliance = Some(material.shear_compliance);
    cloth.drag = Some(material.drag);
    cloth.thickness_m = Some(material.thickness);
    cloth.compression = Some(material.compression);
    cloth.solid_fraction = Some(material.solid_fraction);
    let usual = SelfContact::default();
    if cloth.self_collision == Some(false) {
        let given = [("self_friction", cloth.self_friction.is_some()), ("proximity", cloth.proximity.is_some())];
        if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
            return Err(origin.fault(&format!("cloth.{key}"), "has no effect with self_collision = false: remove it"));
        }
        return finite_vector(origin, "cloth.velocity_m_s", cloth.velocity_m_s.get_or_insert([0.0; 3]));
    }
    cloth.self_collision = Some(true);
    for (key, given, usual) in [
        ("self_friction", &mut cloth.self_friction, usual.friction),
        ("proximity", &mut cloth.proximity, usual.proximity),
    ] {
        let value = *given.get_or_insert(usual);
        if !(value >= 0.0 && value.is_finite()) {
            let why = format!("is {value}: give a finite number, 0 or more");
            return Err(origin.fault(&format!("cloth.{key}"), why));
        }
    }
    let velocity = cloth.velocity_m_s.get_or_insert([0.0; 3]);
    finite_vector(origin, "cloth.velocity_m_s", velocity)
}

/// The material: a fabric's, and what is given instead.
pub(super) fn material(cloth: &ClothSettings, origin: &Origin) -> Result<Material, SceneError> {
    let fabric = cloth.fabric.as_deref().unwrap_or(DEFAULT_FABRIC);
    let Some(mut material) = Material::named(fabric) else {
        let names = FABRICS.map(|(name, _)| name);
        let instead = match nearest(fabric, names) {
            Some(meant) => format!("did you mean {meant:?}?"),
            None => format!("use one of {}", names.join(", ")),
        };
        let why = format!("cannot be {fabric:?}: {instead}");
        return Err(origin.fault("cloth.fabric", why));
    };
    if let Some(density) = cloth.density_kg_m2 {
        let plain = Material::with_density(density);
        material.density = plain.density;
        material.virtual_density = plain.virtual_density;
        material.damping = plain.damping;
    }
    for (constant, given) in [
        (&mut material.virtual_density, cloth.virtual_density_kg_m2),
        (&mut material.damping, cloth.damping_kg_m2_s),
        (&mut material.bending, cloth.bending),
        (&mut material.bending_damping, cloth.bending_damping),
        (&mut material.shear_compliance, cloth.shear_compliance),
        (&mut material.drag, cloth.drag),
        (&mut material.thickness, cloth.thickness_m),
        (&mut material.compression, cloth.compression),
        (&mut material.solid_fraction, cloth.solid_fraction),
    ] {
        *constant = given.unwrap_or(*constant);
    }
    match material.fault() {
        None => Ok(material),
        Some((field, rule)) => {
            let key = match field {
                "density" => "density_kg_m2",
                "virtual_density" => "virtual_density_kg_m2",
                "damping" => "damping_kg_m2_s",
                "bending" => "bending_N_m",
                "bending_damping" => "bending_damping_N_m_s",
                "shear_compliance" => "shear_compliance_m_N",
                "thickness" => "thickness_m",
                "compression" => "compression_Pa",
                other => other,
            };
            Err(origin.fault(&format!("cloth.{key}"), rule))
        }
    }
}

/// Fills in the defaults of the one mesh there must be.
fn resolve_mesh(cloth: &mut ClothSettings, origin: &Origin, folder: &Path) -> Result<(), SceneError> {
    let ClothSettings { grid, obj, garment, sets, thickness_m, .. } = cloth;
    match (grid, obj, garment) {
        (Some(grid), None, None) => resolve_grid(grid, origin),
        (None, Some(obj), None) => resolve_obj(obj, origin, folder),
        (None, None, Some(garment)) => resolve_garment(garment, thickness_m.unwrap_or(0.0), sets, origin),
        (None, None, None) => {
            let why = "has no mesh: add a table [cloth.grid], [cloth.obj] or [cloth.garment]";
            Err(origin.fault("cloth", why))
        }
        (Some(_), Some(_), _) => Err(origin.fault("cloth.obj", "and cloth.grid are both given: remove one of them")),
        (grid, ..) => {
            let other = if grid.is_some() { "grid" } else { "obj" };
            let why = format!("and cloth.{other} are both given: remove one of them");
            Err(origin.fault("cloth.garment", why))
        }
    }
}

fn resolve_grid(grid: &mut GridSettings, origin: &Origin) -> Result<(), SceneError> {
    if grid.nodes.iter().any(|&count| count < 2) {
        let why = "must be at least 2 columns and 2 rows of nodes";
        return Err(origin.fault("cloth.grid.nodes", why));
    }
    for size in grid.size_m {
        positive(origin, "cloth.grid.size_m", size)?;
    }
    let corner = grid.corner_m.get_or_insert([0.0; 3]);
    finite_vector(origin, "cloth.grid.corner_m", corner)?;
    let column = grid.column_axis.get_or_insert([1.0, 0.0, 0.0]);
    finite_vector(origin, "cloth.grid.column_axis", column)?;
    let row = grid.row_axis.get_or_insert([0.0, 0.0, 1.0]);
    finite_vector(origin, "cloth.grid.row_axis", row)?;
    finite(origin, "cloth.grid.turned_deg", *grid.turned_deg.get_or_insert(0.0))?;
    if *grid.sheets.get_or_insert(1) == 0 {
        return Err(origin.fault("cloth.grid.sheets", "must be 1 or more"));
    }
    positive(origin, "cloth.grid.sheet_distance_m", *grid.sheet_distance_m.get_or_insert(0.05))?;
    finite(origin, "cloth.grid.sheet_turn_deg", *grid.sheet_turn_deg.get_or_insert(0.0))?;
    grid.triangles.get_or_insert(TrianglesName::None);
    if let Some(radius) = grid.cylinder_radius_m {
        positive(origin, "cloth.grid.cylinder_radius_m", radius)?;
    }
    Ok(())
}

fn resolve_obj(obj: &mut ObjSettings, origin: &Origin, folder: &Path) -> Result<(), SceneError> {
    obj.path = absolute(folder, &obj.path, origin, "cloth.obj.path")?;
    let scale = *obj.scale_m.get_or_insert(1.0);
    positive(origin, "cloth.obj.scale_m", scale)?;
    match *obj.rest.get_or_insert(RestName::Mesh) {
        RestName::Uv => {
            let scale = *obj.uv_scale_m.get_or_insert(1.0);
            positive(origin, "cloth.obj.uv_scale_m", scale)
        }
        RestName::Mesh if obj.uv_scale_m.is_some() => {
            let why = "is not used unless cloth.obj.rest is \"uv\": remove it or set that";
            Err(origin.fault("cloth.obj.uv_scale_m", why))
        }
        RestName::Mesh => Ok(()),
    }
}

/// The absolute path of a file that a scene in `folder` refers to.
pub(super) fn absolute(folder: &Path, path: &str, origin: &Origin, key: &str) -> Result<String, SceneError> {
    if origin.has_file(path) {
        return Ok(path.to_owned());
    }
    let absolute = std::path::absolute(folder.join(path))
        .map_err(|error| origin.fault(key, format!("is not the path of a file: {error}")))?;
    absolute.into_os_string().into_string().map_err(|path| {
        let why = format!("leads to {path:?}, which is not Unicode: rename the folder");
        origin.fault(key, why)
    })
}

fn resolve_solver(solver: &mut SolverSettings, origin: &Origin) -> Result<(), SceneError> {
    let default = Solver::default();
    solver.integrator.get_or_insert(default.integrator);
    let strain = solver.strain_tolerance.get_or_insert(default.strain_tolerance);
    positive(origin, "solver.strain_tolerance", *strain)?;
    let acceleration = solver.acceleration_tolerance_m_s2.get_or_insert(default.acceleration_tolerance);
    positive(origin, "solver.acceleration_tolerance_m_s2", *acceleration)?;
    let gap = solver.gap_tolerance_m.get_or_insert(default.gap_tolerance);
    positive(origin, "solver.gap_tolerance_m", *gap)?;
    let friction = solver.friction_tolerance.get_or_insert(default.friction_tolerance);
    positive(origin, "solver.friction_tolerance", *friction)?;
    if !solver.method.get_or_insert(default.method).is_available() {
        let why = "is not part of this build of taffeta: use \"active-set\" or \"paper\"";
        return Err(origin.fault("solver.method", why));
    }
    if *solver.max_iterations.get_or_insert(default.max_iterations) == 0 {
        return Err(origin.fault("solver.max_iterations", "must be at least 1"));
    }
    if *solver.max_halvings.get_or_insert(default.max_halvings) > 20 {
        return Err(origin.fault("solver.max_halvings", "must be at most 20"));
    }
    if *solver.max_factorisations.get_or_insert(default.max_factorisations) == 0 {
        return Err(origin.fault("solver.max_factorisations", "must be at least 1"));
    }
    solver.on_failure.get_or_insert(default.on_failure);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Scene;

    fn cloth(lines: &str) -> super::ClothSettings {
        let text =
            format!("duration_s = 1\ndt_s = 0.01\n[cloth]\n{lines}\ngrid = {{ nodes = [3, 3], size_m = [1, 1] }}");
        let scene = Scene::from_text("test", &text, None).unwrap();
        scene.settings().cloth.clone()
    }

    #[test]
    fn weight_and_damping_follow_the_density_unless_they_are_given() {
        let denim = cloth("fabric = \"denim\"");
        assert_eq!(denim.density_kg_m2, Some(0.3046));
        assert_eq!(denim.virtual_density_kg_m2, Some(0.3046));

        let heavy = cloth("fabric = \"denim\"\ndensity_kg_m2 = 0.5");
        assert_eq!(heavy.virtual_density_kg_m2, Some(0.5));
        assert_eq!(heavy.damping_kg_m2_s, Some(2.5));
        assert_eq!(heavy.shear_compliance, denim.shear_compliance);

        let given = cloth("density_kg_m2 = 0.5\nvirtual_density_kg_m2 = 0.4\ndamping_kg_m2_s = 0");
        assert_eq!(given.virtual_density_kg_m2, Some(0.4));
        assert_eq!(given.damping_kg_m2_s, Some(0.0));
    }
}
