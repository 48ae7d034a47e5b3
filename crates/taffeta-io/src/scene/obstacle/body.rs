//! What a body is.

use std::path::Path;

use glam::DVec3;
use taffeta::obstacle::{self as bodies, Cuboid, Shape, Solid};

use crate::obj::parse_obj_surface;
use crate::scene::SceneError;
use crate::scene::document::Origin;
use crate::scene::keyframes::needed;
use crate::scene::number::{finite, finite_vector, positive};
use crate::scene::resolve::absolute;
use crate::scene::schema::ShapeName::{self, *};
use crate::scene::schema::{ObstacleSettings, name_of};
use crate::scene::travel::{no_effect, replaces_start};

/// m: a table top of planks.
const TABLE_THICKNESS: f64 = 0.03;

pub(super) fn resolve(
    body: &mut ObstacleSettings,
    table: &str,
    origin: &Origin,
    folder: &Path,
) -> Result<(), SceneError> {
    refuse_unused(body, table, origin)?;
    let key = |name: &str| format!("{table}.{name}");
    match body.shape {
        Floor => match (body.motion, body.height_m) {
            (Some(motion), Some(_)) if replaces_start(body.motion) => {
                return Err(no_effect("height_m", motion, table, origin));
            }
            (motion, _) if replaces_start(motion) => {}
            _ => {
                body.height_m.get_or_insert(0.0);
            }
        },
        Table => {
            body.thickness_m.get_or_insert(TABLE_THICKNESS);
        }
        Cylinder => {
            body.length_m.get_or_insert(f64::INFINITY);
        }
        EggBox => {
            let default = bodies::EggBox::default();
            body.c1.get_or_insert(default.c1);
            body.c2.get_or_insert(default.c2);
        }
        Mesh => {
            body.scale_m.get_or_insert(1.0);
            if let Some(path) = &mut body.path {
                *path = absolute(folder, path, origin, &key("path"))?;
            }
        }
        Plane | Box | Sphere | Capsule | Stick => {}
    }
    if body.shape != Floor && !replaces_start(body.motion) {
        body.place_m.get_or_insert([0.0; 3]);
    }
    for (name, size) in [
        ("radius_m", body.radius_m),
        ("length_m", body.length_m.filter(|&length| body.shape != Cylinder || length != f64::INFINITY)),
        ("thickness_m", body.thickness_m),
        ("c1_1_m", body.c1),
        ("c2", body.c2),
        ("scale_m", body.scale_m),
    ] {
        if let Some(size) = size {
            positive(origin, &key(name), size)?;
        }
    }
    body.height_m.map_or(Ok(()), |height| finite(origin, &key("height_m"), height))?;
    sizes(body, table, origin)?;
    let user = format!("shape = \"{}\"", name_of(body.shape));
    if matches!(body.shape, Sphere | Cylinder | Capsule | Stick) {
        needed(&body.radius_m, table, "radius_m", &user, origin)?;
    }
    if body.shape == Capsule {
        needed(&body.length_m, table, "length_m", &user, origin)?;
    }
    if body.shape == Stick {
        let points = needed(&body.points_m, table, "points_m", &user, origin)?;
        if points.len() < 2 {
            let why = format!("has {} points: give two or more", points.len());
            return Err(origin.fault(&key("points_m"), why));
        }
        points.iter().try_for_each(|point| finite_vector(origin, &key("points_m"), point))?;
    }
    if body.shape == Mesh {
        needed(&body.path, table, "path", &user, origin)?;
    }
    Ok(())
}

/// Refuses keys of another shape.
fn refuse_unused(body: &ObstacleSettings, table: &str, origin: &Origin) -> Result<(), SceneError> {
    const TURNED: &[ShapeName] = &[Plane, Table, Box, Cylinder, Capsule, Stick, EggBox, Mesh];
    const PLACED: &[ShapeName] = &[Plane, Table, Box, Sphere, Cylinder, Capsule, Stick, EggBox, Mesh];
    let keys: [(&str, bool, &[ShapeName]); 14] = [
        ("place_m", body.place_m.is_some(), PLACED),
        ("axis", body.axis.is_some(), TURNED),
        ("rotation_axis", body.rotation_axis.is_some(), TURNED),
        ("rotation_deg", body.rotation_deg.is_some(), TURNED),
        ("height_m", body.height_m.is_some(), &[Floor]),
        ("radius_m", body.radius_m.is_some(), &[Sphere, Cylinder, Capsule, Stick]),
        ("points_m", body.points_m.is_some(), &[Stick]),
        ("length_m", body.length_m.is_some(), &[Cylinder, Capsule]),
        ("size_m", body.size_m.is_some(), &[Box, Table]),
        ("thickness_m", body.thickness_m.is_some(), &[Table]),
        ("c1_1_m", body.c1.is_some(), &[EggBox]),
        ("c2", body.c2.is_some(), &[EggBox]),
        ("path", body.path.is_some(), &[Mesh]),
        ("scale_m", body.scale_m.is_some(), &[Mesh]),
    ];
    match keys.iter().find(|(_, given, users)| *given && !users.contains(&body.shape)) {
        None => Ok(()),
        Some((key, ..)) => {
            let why = format!("has no effect on shape = \"{}\": remove it", name_of(body.shape));
            Err(origin.fault(&format!("{table}.{key}"), why))
        }
    }
}

/// The sizes of a box or a table, m.
fn sizes(body: &ObstacleSettings, table: &str, origin: &Origin) -> Result<DVec3, SceneError> {
    let count = match body.shape {
        Box => 3,
        Table => 2,
        _ => return Ok(DVec3::ONE),
    };
    let sizes = needed(&body.size_m, table, "size_m", &format!("shape = \"{}\"", name_of(body.shape)), origin)?;
    let key = format!("{table}.size_m");
    if sizes.len() != count {
        let what = if count == 3 { "along x, y and z" } else { "along x and y, beside thickness_m" };
        let why = format!("has {} numbers: give {count}, the sizes {what}", sizes.len());
        return Err(origin.fault(&key, why));
    }
    sizes.iter().try_for_each(|&size| positive(origin, &key, size))?;
    let thickness = body.thickness_m.unwrap_or(TABLE_THICKNESS);
    Ok(DVec3::new(sizes[0], sizes[1], sizes.get(2).copied().unwrap_or(thickness)))
}

/// The shape of a resolved body.
pub(super) fn shape(body: &ObstacleSettings, table: &str, origin: &Origin) -> Result<Shape, SceneError> {
    let sizes = sizes(body, table, origin)?;
    let radius = body.radius_m.unwrap_or(0.0);
    let half_length = 0.5 * body.length_m.unwrap_or(f64::INFINITY);
    Ok(match body.shape {
        Plane | Floor => bodies::Plane.into(),
        Table => Cuboid::table(sizes.x, sizes.y, sizes.z).into(),
        Box => Cuboid::new(0.5 * sizes).into(),
        Sphere => bodies::Sphere::new(radius).into(),
        Cylinder => bodies::Cylinder::new(radius, half_length).into(),
        Capsule => bodies::Capsule::new(radius, half_length).into(),
        Stick => {
            let points = body.points_m.iter().flatten().map(|&point| DVec3::from_array(point));
            bodies::Stick::new(points.collect::<Vec<_>>(), radius).into()
        }
        EggBox => {
            let default = bodies::EggBox::default();
            bodies::EggBox::new(body.c1.unwrap_or(default.c1), body.c2.unwrap_or(default.c2)).into()
        }
        Mesh => solid(body, table, origin)?.into(),
    })
}

/// The inside of a mesh.
fn solid(body: &ObstacleSettings, table: &str, origin: &Origin) -> Result<Solid, SceneError> {
    let path = needed(&body.path, table, "path", "shape = \"mesh\"", origin)?;
    let unusable = |why: String| origin.fault(&format!("{table}.path"), format!("cannot be used: {why}"));
    let text = origin.text_of(path).map_err(|error| unusable(error.to_string()))?;
    let surface = parse_obj_surface(Path::new(path), &text);
    let (mut positions, triangles) = surface.map_err(|error| unusable(error.to_string()))?;
    let scale = body.scale_m.unwrap_or(1.0);
    positions.iter_mut().for_each(|position| *position *= scale);
    Solid::new(positions, triangles).map_err(|error| unusable(format!("{path}: {error}")))
}
