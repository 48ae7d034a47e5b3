//! From resolved settings to a simulation.

use std::path::Path;

use glam::{DQuat, DVec3};
use taffeta::cloth::{Cloth, RestShape};
use taffeta::mesh::{Diagonal, Element, Mesh, MeshError};
use taffeta::{Params, SelfContact, Simulation, Solver, State};

use super::SceneError;
use super::document::Origin;
use super::garment::garment_mesh;
use super::goal::check_goal;
use super::grasp::grasps;
use super::gripper::grippers;
use super::load::loads;
use super::obstacle::obstacles;
use super::resolve::material;
use super::schema::{ClothSettings, GridSettings, ObjSettings, RestName, Settings, SolverSettings, TrianglesName};
use super::seam::sew;
use crate::obj::parse_obj;

/// More nodes than this would need more memory than there is, and longer than anybody waits.
const MOST_NODES: usize = 1_000_000;

/// Axes are parallel if their sine is below this, and perpendicular if their cosine is.
const PARALLEL: f64 = 1e-6;

/// Builds the simulation of resolved settings.
pub(super) fn build(settings: &Settings, origin: &Origin) -> Result<Simulation, SceneError> {
    let cloth = &settings.cloth;
    let (mesh, rest) = match (&cloth.grid, &cloth.obj, &cloth.garment) {
        (Some(grid), ..) => (grid_mesh(grid, origin)?, RestShape::Mesh),
        (None, Some(obj), _) => obj_mesh(obj, origin)?,
        (None, None, Some(garment)) => (garment_mesh(garment, origin)?, RestShape::Uv { scale: 1.0 }),
        (None, None, None) => return Err(origin.fault("cloth", "has no mesh: add [cloth.grid]")),
    };
    if settings.solver.published.is_some() && !mesh.is_quad_grid() {
        let why = "works on grids of quads only: use [cloth.grid] without triangles, or remove this key";
        return Err(origin.fault("solver.published", why));
    }
    if settings.solver.published.is_some() && !settings.gripper.is_empty() {
        return Err(origin.fault("solver.published", "knows no grippers: remove [gripper] or this key"));
    }
    if settings.solver.published.is_some() && !cloth.seam.is_empty() {
        return Err(origin.fault("solver.published", "knows no seams: remove [cloth.seam] or this key"));
    }
    check_goal(settings, &mesh, origin)?;
    let grasps = grasps(settings, &mesh, origin)?;
    let loads = loads(settings, &mesh, origin)?;
    let (obstacles, grippers) = (obstacles(settings, origin)?, grippers(settings, origin)?);
    let params = Params {
        material: material(cloth, origin)?,
        gravity: settings.gravity_m_s2.map_or(Params::default().gravity, DVec3::from_array),
        wind: settings.wind_m_s.map(DVec3::from_array),
        self_contact: self_contact(cloth),
        solver: solver(&settings.solver),
    };
    let (sewable, seams) = sew(settings, Cloth::new(mesh, rest, cloth.scheme.unwrap_or_default()), origin)?;
    let mut simulation = Simulation::new(sewable, params, settings.dt_s);
    for seam in seams {
        simulation.sew(seam);
    }
    for grasp in grasps {
        simulation.grasp(grasp);
    }
    for load in loads {
        simulation.add_load(load);
    }
    for obstacle in obstacles {
        simulation.add_obstacle(obstacle);
    }
    for gripper in grippers {
        let table = format!("gripper.{}", gripper.name);
        let refused = |error| origin.fault(&table, format!("cannot be made: {error}"));
        simulation.add_gripper(gripper).map_err(refused)?;
    }
    if let Some(velocity) = cloth.velocity_m_s {
        let (model, positions) = (simulation.model().clone(), simulation.positions().to_vec());
        let velocities = vec![DVec3::from_array(velocity); positions.len()];
        *simulation.state_mut() = State::moving(&model, positions, velocities);
    }
    Ok(simulation)
}

fn self_contact(cloth: &ClothSettings) -> Option<SelfContact> {
    let usual = SelfContact::default();
    cloth.self_collision.unwrap_or(true).then_some(SelfContact {
        proximity: cloth.proximity.unwrap_or(usual.proximity),
        friction: cloth.self_friction.unwrap_or(usual.friction),
    })
}

fn solver(settings: &SolverSettings) -> Solver {
    let default = Solver::default();
    Solver {
        integrator: settings.integrator.unwrap_or(default.integrator),
        strain_tolerance: settings.strain_tolerance.unwrap_or(default.strain_tolerance),
        acceleration_tolerance: settings.acceleration_tolerance_m_s2.unwrap_or(default.acceleration_tolerance),
        gap_tolerance: settings.gap_tolerance_m.unwrap_or(default.gap_tolerance),
        friction_tolerance: settings.friction_tolerance.unwrap_or(default.friction_tolerance),
        method: settings.method.unwrap_or(default.method),
        max_iterations: settings.max_iterations.unwrap_or(default.max_iterations),
        max_halvings: settings.max_halvings.unwrap_or(default.max_halvings),
        max_factorisations: settings.max_factorisations.unwrap_or(default.max_factorisations),
        on_failure: settings.on_failure.unwrap_or(default.on_failure),
        published: settings.published,
    }
}

fn grid_mesh(grid: &GridSettings, origin: &Origin) -> Result<Mesh, SceneError> {
    let fault = |key: &str, why: String| origin.fault(&format!("cloth.grid.{key}"), why);
    let [columns, rows] = grid.nodes;
    let sheets = grid.sheets.unwrap_or(1);
    if columns.saturating_mul(rows).saturating_mul(sheets) > MOST_NODES {
        let why = format!("makes more than {MOST_NODES} nodes: use fewer");
        return Err(fault("nodes", why));
    }
    let [width, height] = grid.size_m;
    let corner = DVec3::from_array(grid.corner_m.unwrap_or_default());
    let axis = |vector: Option<[f64; 3]>, default: DVec3, key: &str| {
        let unit = vector.map_or(default, DVec3::from_array).try_normalize();
        unit.ok_or_else(|| fault(key, "must not be zero: give a direction".to_owned()))
    };
    let column_axis = axis(grid.column_axis, DVec3::X, "column_axis")?;
    let row_axis = axis(grid.row_axis, DVec3::Z, "row_axis")?;
    let normal = row_axis.cross(column_axis);
    if normal.length() < PARALLEL {
        let why = "is parallel to cloth.grid.column_axis: turn one of them".to_owned();
        return Err(fault("row_axis", why));
    }

    let across = match grid.cylinder_radius_m {
        None => None,
        Some(radius) => {
            if row_axis.dot(column_axis).abs() > PARALLEL {
                let why = "needs perpendicular axes: turn cloth.grid.row_axis".to_owned();
                return Err(fault("cylinder_radius_m", why));
            }
            let half = width / (2.0 * radius);
            if half >= std::f64::consts::PI {
                let why = format!(
                    "is {radius}, and the sheet of {width} m would go all the way round: use more than {:.4}",
                    width / std::f64::consts::TAU
                );
                return Err(fault("cylinder_radius_m", why));
            }
            Some((radius, half))
        }
    };
    let middle = corner + 0.5 * (width * column_axis + height * row_axis);
    let turn = DQuat::from_rotation_z(grid.turned_deg.unwrap_or(0.0).to_radians());
    let place = |s: f64, t: f64| {
        let along_row = match across {
            None => column_axis * (s * width),
            Some((radius, half)) => {
                let angle = (2.0 * s - 1.0) * half;
                column_axis * (radius * (angle.sin() + half.sin())) + normal * (radius * (angle.cos() - half.cos()))
            }
        };
        let place = corner + along_row + row_axis * (t * height);
        // Not to be rounded where nothing is turned.
        if turn == DQuat::IDENTITY { place } else { middle + turn * (place - middle) }
    };
    let mesh = match grid.triangles {
        None | Some(TrianglesName::None) => Mesh::grid(columns, rows, place),
        Some(TrianglesName::Forward) => Mesh::triangle_grid(columns, rows, Diagonal::Forward, place),
        Some(TrianglesName::Backward) => Mesh::triangle_grid(columns, rows, Diagonal::Backward, place),
        Some(TrianglesName::Alternating) => Mesh::triangle_grid(columns, rows, Diagonal::Alternating, place),
    };
    let mesh = mesh.and_then(|mesh| if sheets == 1 { Ok(mesh) } else { stacked(&mesh, grid, sheets, middle) });
    mesh.map_err(|error| origin.fault("cloth.grid", format!("makes no mesh: {error}")))
}

/// Copies of a sheet, each above the last and turned against it about the vertical through the middle.
fn stacked(sheet: &Mesh, grid: &GridSettings, sheets: usize, middle: DVec3) -> Result<Mesh, MeshError> {
    let (mut positions, mut elements) = (Vec::new(), Vec::new());
    let (distance, turn) = (grid.sheet_distance_m.unwrap_or(0.0), grid.sheet_turn_deg.unwrap_or(0.0).to_radians());
    for k in 0..sheets {
        let first = positions.len();
        let (turn, lift) = (DQuat::from_rotation_z(k as f64 * turn), DVec3::Z * (k as f64 * distance));
        positions.extend(sheet.positions().iter().map(|&place| middle + turn * (place - middle) + lift));
        elements.extend(sheet.elements().iter().map(|element| match *element {
            Element::Triangle(nodes) => Element::Triangle(nodes.map(|i| i + first)),
            Element::Quad(nodes) => Element::Quad(nodes.map(|i| i + first)),
        }));
    }
    Mesh::new(positions, elements, None)
}

fn obj_mesh(obj: &ObjSettings, origin: &Origin) -> Result<(Mesh, RestShape), SceneError> {
    let unusable = |why: String| origin.fault("cloth.obj.path", format!("cannot be used: {why}"));
    let text = origin.text_of(&obj.path).map_err(|error| unusable(error.to_string()))?;
    let mesh = parse_obj(Path::new(&obj.path), &text).map_err(|error| unusable(error.to_string()))?;
    if mesh.node_count() > MOST_NODES {
        let why = format!("{} has more than {MOST_NODES} nodes: use fewer", obj.path);
        return Err(unusable(why));
    }
    let rest = match obj.rest {
        Some(RestName::Uv) if mesh.uv().is_none() => {
            let why = format!(
                "is \"uv\", and not every face of {} has texture coordinates: export them, or use \"mesh\"",
                obj.path
            );
            return Err(origin.fault("cloth.obj.rest", why));
        }
        Some(RestName::Uv) => RestShape::Uv { scale: obj.uv_scale_m.unwrap_or(1.0) },
        _ => RestShape::Mesh,
    };
    let scale = obj.scale_m.unwrap_or(1.0);
    let scaled = mesh.positions().iter().map(|&place| place * scale).collect();
    let mesh = mesh
        .with_positions(scaled)
        .map_err(|error| origin.fault("cloth.obj.scale_m", format!("makes no mesh: {error}")))?;
    Ok((mesh, rest))
}
