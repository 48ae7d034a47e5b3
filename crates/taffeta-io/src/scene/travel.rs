//! How a body is placed and how it moves.

use std::path::Path;

use glam::{DQuat, DVec3};
use taffeta::Interpolation;
use taffeta::obstacle::{Motion, Pose, Travel};

use super::SceneError;
use super::document::Origin;
use super::keyframes::{KeyTimes, TimedRows, needed};
use super::number::{finite, finite_vector};
use super::resolve::absolute;
use super::schema::TravelName::{self, *};
use super::schema::{TravelSettings, Vector, name_of};

/// Fills in the defaults and checks whatever does not depend on files. `otherwise` is where the body's origin is without `place_m`; a free
/// body has no motion, but may have velocities at the start.
pub(super) fn resolve(
    body: &mut TravelSettings,
    otherwise: Vector,
    free: bool,
    table: &str,
    origin: &Origin,
    folder: &Path,
) -> Result<(), SceneError> {
    body.place_m.map_or(Ok(()), |place| finite_vector(origin, &format!("{table}.place_m"), &place))?;
    rotation(body, table, origin)?;
    let motion = *body.motion.get_or_insert(Still);
    refuse_unused(body, motion, free, table, origin)?;
    if motion == Velocity || free {
        body.velocity_m_s.get_or_insert([0.0; 3]);
        body.angular_velocity_deg_s.get_or_insert([0.0; 3]);
        velocities(body, table, origin)?;
    }
    match motion {
        Still => {}
        Velocity => {
            body.from_s.get_or_insert(0.0);
            body.until_s.get_or_insert(f64::INFINITY);
        }
        Turn => {
            body.through_m.get_or_insert(body.place_m.unwrap_or(otherwise));
            body.interpolation.get_or_insert(Interpolation::Linear);
        }
        Keyframes => {
            body.interpolation.get_or_insert(Interpolation::Linear);
        }
        Csv => {
            if let Some(csv) = &mut body.csv {
                *csv = absolute(folder, csv, origin, &format!("{table}.csv"))?;
            }
        }
    }
    Ok(())
}

/// Whether a motion gives the places itself.
pub(super) fn replaces_start(motion: Option<TravelName>) -> bool {
    matches!(motion, Some(Keyframes | Csv))
}

/// Refuses keys of another motion, and a start where the motion has its own.
fn refuse_unused(
    body: &TravelSettings,
    motion: TravelName,
    free: bool,
    table: &str,
    origin: &Origin,
) -> Result<(), SceneError> {
    if free && motion != Still {
        let why = format!(
            "is \"{}\", and {table}.body is \"free\", which goes where forces take it: remove it, or make it \"driven\"",
            name_of(motion)
        );
        return Err(origin.fault(&format!("{table}.motion"), why));
    }
    let has_rotations = body.rotations_axis_deg.is_some() || body.rotations_wxyz.is_some();
    let turned = body.axis.is_some() || body.rotation_axis.is_some();
    let started: &[TravelName] = &[Still, Velocity, Turn];
    let keys: [(&str, bool, &[TravelName]); 16] = [
        ("place_m", body.place_m.is_some(), started),
        ("axis", has_rotations && turned, started),
        ("velocity_m_s", body.velocity_m_s.is_some() && !free, &[Velocity]),
        ("angular_velocity_deg_s", body.angular_velocity_deg_s.is_some() && !free, &[Velocity]),
        ("from_s", body.from_s.is_some(), &[Velocity]),
        ("until_s", body.until_s.is_some(), &[Velocity]),
        ("turn_axis", body.turn_axis.is_some(), &[Turn]),
        ("through_m", body.through_m.is_some(), &[Turn]),
        ("angles_deg", body.angles_deg.is_some(), &[Turn]),
        ("times_s", body.times_s.is_some(), &[Turn, Keyframes]),
        ("interpolation", body.interpolation.is_some(), &[Turn, Keyframes]),
        ("places_m", body.places_m.is_some(), &[Keyframes]),
        ("rotations_axis_deg", body.rotations_axis_deg.is_some(), &[Keyframes]),
        ("rotations_wxyz", body.rotations_wxyz.is_some(), &[Keyframes]),
        ("csv", body.csv.is_some(), &[Csv]),
        ("columns", body.columns.is_some(), &[Csv]),
    ];
    match keys.iter().find(|(_, given, users)| *given && !users.contains(&motion)) {
        None => Ok(()),
        Some((key, ..)) => Err(no_effect(key, motion, table, origin)),
    }
}

/// The complaint about a key that a motion does not use.
pub(super) fn no_effect(key: &str, motion: TravelName, table: &str, origin: &Origin) -> SceneError {
    let why = format!("has no effect with motion = \"{}\": change that or remove it", name_of(motion));
    origin.fault(&format!("{table}.{key}"), why)
}

/// Where a body is before it moves; `otherwise` is where its origin is without `place_m`.
pub(super) fn start(
    body: &TravelSettings,
    otherwise: Vector,
    table: &str,
    origin: &Origin,
) -> Result<Pose, SceneError> {
    let place = DVec3::from_array(body.place_m.unwrap_or(otherwise));
    Ok(Pose::new(rotation(body, table, origin)?, place))
}

/// How a body is turned before it moves.
fn rotation(body: &TravelSettings, table: &str, origin: &Origin) -> Result<DQuat, SceneError> {
    match (body.axis, body.rotation_axis, body.rotation_deg) {
        (None, None, None) => Ok(DQuat::IDENTITY),
        (Some(axis), None, None) => Ok(DQuat::from_rotation_arc(DVec3::Z, direction(axis, table, "axis", origin)?)),
        (None, Some(axis), Some(angle)) => {
            finite(origin, &format!("{table}.rotation_deg"), angle)?;
            Ok(DQuat::from_axis_angle(direction(axis, table, "rotation_axis", origin)?, angle.to_radians()))
        }
        _ => {
            let why =
                "must be turned either by axis, or by rotation_axis and rotation_deg together: give one or the other";
            Err(origin.fault(table, why))
        }
    }
}

/// A direction of unit length.
fn direction(vector: [f64; 3], table: &str, key: &str, origin: &Origin) -> Result<DVec3, SceneError> {
    let key = format!("{table}.{key}");
    finite_vector(origin, &key, &vector)?;
    let unit = DVec3::from_array(vector).try_normalize();
    unit.ok_or_else(|| origin.fault(&key, "must not be zero: give a direction"))
}

/// The motion of a resolved body that starts somewhere.
pub(super) fn motion(body: &TravelSettings, start: Pose, table: &str, origin: &Origin) -> Result<Motion, SceneError> {
    let travel = match body.motion.unwrap_or(Still) {
        Still => Travel::Still,
        Velocity => velocity(body, table, origin)?,
        Turn => turn(body, table, origin)?,
        Keyframes => keyframes(body, start.rotation, table, origin)?,
        Csv => poses_in_table(body, start.rotation, table, origin)?,
    };
    Ok(Motion { start, travel })
}

/// Its velocity, m/s, and its angular velocity, rad/s.
pub(super) fn velocities(body: &TravelSettings, table: &str, origin: &Origin) -> Result<[DVec3; 2], SceneError> {
    let velocity = body.velocity_m_s.unwrap_or_default();
    finite_vector(origin, &format!("{table}.velocity_m_s"), &velocity)?;
    let angular = body.angular_velocity_deg_s.unwrap_or_default();
    finite_vector(origin, &format!("{table}.angular_velocity_deg_s"), &angular)?;
    Ok([DVec3::from_array(velocity), DVec3::from_array(angular.map(f64::to_radians))])
}

fn velocity(body: &TravelSettings, table: &str, origin: &Origin) -> Result<Travel, SceneError> {
    let key = |name: &str| format!("{table}.{name}");
    let [velocity, angular_velocity] = velocities(body, table, origin)?;
    let (from, until) = (body.from_s.unwrap_or(0.0), body.until_s.unwrap_or(f64::INFINITY));
    finite(origin, &key("from_s"), from)?;
    // A NaN must be refused, too.
    if !matches!(until.partial_cmp(&from), Some(std::cmp::Ordering::Greater)) {
        let why = format!("is {until}: it must be later than {table}.from_s = {from}");
        return Err(origin.fault(&key("until_s"), why));
    }
    Ok(Travel::Uniform { velocity, angular_velocity, from, until })
}

fn turn(body: &TravelSettings, table: &str, origin: &Origin) -> Result<Travel, SceneError> {
    let user = "motion = \"turn\"";
    let axis = *needed(&body.turn_axis, table, "turn_axis", user, origin)?;
    let times =
        KeyTimes::new(needed(&body.times_s, table, "times_s", user, origin)?, body.interpolation, table, origin)?;
    let angle = times.angles("angles_deg", needed(&body.angles_deg, table, "angles_deg", user, origin)?)?;
    let through = body.through_m.unwrap_or_default();
    finite_vector(origin, &format!("{table}.through_m"), &through)?;
    let axis = direction(axis, table, "turn_axis", origin)?;
    Ok(Travel::Turn(taffeta::Turn { axis, through: DVec3::from_array(through), angle }))
}

fn keyframes(body: &TravelSettings, rotation: DQuat, table: &str, origin: &Origin) -> Result<Travel, SceneError> {
    let user = "motion = \"keyframes\"";
    let times =
        KeyTimes::new(needed(&body.times_s, table, "times_s", user, origin)?, body.interpolation, table, origin)?;
    let places = times.vectors("places_m", "places", needed(&body.places_m, table, "places_m", user, origin)?)?;
    let rotations = match (&body.rotations_axis_deg, &body.rotations_wxyz) {
        (None, None) => vec![rotation; places.values.len()],
        (Some(turns), None) => {
            let turn = |key: &str, &[x, y, z, angle]: &[f64; 4]| {
                finite(origin, key, angle)?;
                let axis = direction([x, y, z], table, "rotations_axis_deg", origin)?;
                Ok(DQuat::from_axis_angle(axis, angle.to_radians()))
            };
            times.of("rotations_axis_deg", "rotations", turns, turn)?.values
        }
        (None, Some(rotations)) => {
            let rotation = |key: &str, wxyz: &[f64; 4]| quaternion(*wxyz, key, origin);
            times.of("rotations_wxyz", "rotations", rotations, rotation)?.values
        }
        (Some(_), Some(_)) => {
            let why = "has both rotations_axis_deg and rotations_wxyz: remove one of them";
            return Err(origin.fault(table, why));
        }
    };
    let poses = rotations.into_iter().zip(places.values).map(|(rotation, place)| Pose::new(rotation, place));
    let (times, interpolation) = (places.times, places.interpolation);
    Ok(Travel::Keyframes(taffeta::Keyframes { times, values: poses.collect(), interpolation }))
}

/// A quaternion, which need not be of unit length.
fn quaternion([w, x, y, z]: [f64; 4], key: &str, origin: &Origin) -> Result<DQuat, SceneError> {
    let unit = DQuat::from_xyzw(x, y, z, w).normalize();
    if unit.is_finite() {
        return Ok(unit);
    }
    let why = format!("has the quaternion [{w}, {x}, {y}, {z}]: give four finite numbers that are not all 0");
    Err(origin.fault(key, why))
}

/// The names of the columns of a pose, unless the scene has others.
const COLUMNS: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

fn poses_in_table(body: &TravelSettings, rotation: DQuat, table: &str, origin: &Origin) -> Result<Travel, SceneError> {
    let key = format!("{table}.csv");
    let csv = needed(&body.csv, table, "csv", "motion = \"csv\"", origin)?;
    let rows = TimedRows::read(csv, table, origin)?;
    let names: Vec<&str> = match &body.columns {
        Some(names) => names.iter().map(String::as_str).collect(),
        None if rows.names().iter().any(|name| name.starts_with('q')) => COLUMNS.to_vec(),
        None => COLUMNS[..3].to_vec(),
    };
    if !matches!(names.len(), 3 | 7) {
        let why =
            format!("has {} names: give those of x, y, z, or of x, y, z and the quaternion's w, x, y, z", names.len());
        return Err(origin.fault(&format!("{table}.columns"), why));
    }
    if names.len() == 7 && rotation != DQuat::IDENTITY {
        let why = format!("has a quaternion in every row, and {table} is turned by its own keys, too: remove one");
        return Err(origin.fault(&key, why));
    }
    let pose = |row: &[f64]| {
        let rotation = match *row {
            [_, _, _, w, x, y, z] => quaternion([w, x, y, z], &key, origin)?,
            _ => rotation,
        };
        Ok(Pose::new(rotation, DVec3::from_slice(row)))
    };
    Ok(Travel::Keyframes(rows.keyframes(&names, "needs the column", pose)?))
}
