//! Who holds the cloth: from `[held.*]` to grasps.

use std::path::Path as FilePath;

use glam::DVec3;
use taffeta::mesh::Mesh;
use taffeta::{Grasp, Hand, Interpolation, Path, Turn};

use super::SceneError;
use super::document::Origin;
use super::keyframes::{KeyTimes, TimedRows, needed, path};
use super::number::{finite, finite_vector, not_negative};
use super::resolve::absolute;
use super::schema::{HeldSettings, HoldName, MotionName, Settings, name_of};
use super::selection::{Selection, check_nodes};

/// Fills in the defaults of a grasp and checks whatever does not depend on the mesh.
pub(super) fn resolve_held(
    held: &mut HeldSettings,
    table: &str,
    origin: &Origin,
    folder: &FilePath,
) -> Result<(), SceneError> {
    let fault = |key: &str, why: &str| origin.fault(&format!("{table}.{key}"), why);
    Selection::of_held(held).check(table, "what is held", origin)?;
    let from = *held.from_s.get_or_insert(0.0);
    not_negative(origin, &format!("{table}.from_s"), from)?;
    let until = *held.until_s.get_or_insert(f64::INFINITY);
    // Not the negation of `until <= from`: a NaN must be refused, too.
    if !matches!(until.partial_cmp(&from), Some(std::cmp::Ordering::Greater)) {
        let why = format!("is {until}: it must be later than {table}.from_s = {from}");
        return Err(fault("until_s", &why));
    }
    resolve_hand(held, table, origin)?;
    let motion = *held.motion.get_or_insert(MotionName::Still);
    refuse_unused(held, motion, table, origin)?;
    match motion {
        MotionName::Still => {}
        MotionName::Sinusoid => {
            held.phase_rad.get_or_insert(0.0);
            held.ramp_s.get_or_insert(0.0);
        }
        MotionName::Keyframes => {
            held.interpolation.get_or_insert(Interpolation::Linear);
        }
        MotionName::Csv => {
            if let Some(csv) = &mut held.csv {
                *csv = absolute(folder, csv, origin, &format!("{table}.csv"))?;
            }
        }
    }
    Ok(())
}

/// Fills in what a hand is by default.
fn resolve_hand(held: &mut HeldSettings, table: &str, origin: &Origin) -> Result<(), SceneError> {
    let given = [("stiffness_N_m", held.stiffness), ("damping_N_s_m", held.damping), ("max_force_N", held.max_force)];
    let fault = |key: &str, why: &str| Err(origin.fault(&format!("{table}.{key}"), why));
    if *held.hold.get_or_insert(HoldName::Giving) == HoldName::Exact {
        return match given.iter().find(|(_, value)| value.is_some()) {
            Some((key, _)) => fault(key, "is for a hand that gives, and hold is \"exact\": remove one of the two"),
            None => Ok(()),
        };
    }
    for (key, value) in given {
        let least = if key == "damping_N_s_m" { 0.0 } else { f64::MIN_POSITIVE };
        let fine = |value: f64| value >= least && (value.is_finite() || key == "max_force_N");
        if value.is_some_and(|value| !fine(value)) {
            let zero = if least == 0.0 { "0 or " } else { "" };
            return fault(key, &format!("must be {zero}a positive number"));
        }
    }
    let usual = Hand::default();
    held.stiffness.get_or_insert(usual.stiffness);
    held.max_force.get_or_insert(usual.max_force);
    Ok(())
}

/// The hand of a grasp, `None` for one that is exact.
fn hand(held: &HeldSettings) -> Option<Hand> {
    let usual = Hand::default();
    (held.hold != Some(HoldName::Exact)).then(|| Hand {
        stiffness: held.stiffness.unwrap_or(usual.stiffness),
        damping: held.damping,
        max_force: held.max_force.unwrap_or(usual.max_force),
    })
}

/// Refuses keys of another motion.
fn refuse_unused(held: &HeldSettings, motion: MotionName, table: &str, origin: &Origin) -> Result<(), SceneError> {
    use MotionName::{Csv, Keyframes, Sinusoid};
    let keys = [
        ("amplitude_m", held.amplitude_m.is_some(), Sinusoid),
        ("frequency_hz", held.frequency_hz.is_some(), Sinusoid),
        ("phase_rad", held.phase_rad.is_some(), Sinusoid),
        ("ramp_s", held.ramp_s.is_some(), Sinusoid),
        ("times_s", held.times_s.is_some(), Keyframes),
        ("offsets_m", held.offsets_m.is_some(), Keyframes),
        ("places_m", held.places_m.is_some(), Keyframes),
        ("angles_deg", held.angles_deg.is_some(), Keyframes),
        ("turn_axis", held.turn_axis.is_some(), Keyframes),
        ("through_m", held.through_m.is_some(), Keyframes),
        ("interpolation", held.interpolation.is_some(), Keyframes),
        ("csv", held.csv.is_some(), Csv),
        ("columns", held.columns.is_some(), Csv),
    ];
    match keys.iter().find(|(_, given, user)| *given && *user != motion) {
        None => Ok(()),
        Some((key, _, user)) => {
            let why = format!(
                "is used by motion = \"{}\" only, and {table}.motion is \"{}\": change that or remove it",
                name_of(*user),
                name_of(motion)
            );
            Err(origin.fault(&format!("{table}.{key}"), why))
        }
    }
}

/// The grasps of a resolved scene, in the order of their names.
pub(super) fn grasps(settings: &Settings, mesh: &Mesh, origin: &Origin) -> Result<Vec<Grasp>, SceneError> {
    for (name, nodes) in &settings.cloth.sets {
        check_nodes(nodes, mesh, &format!("cloth.sets.{name}"), origin)?;
    }
    let mut grasps: Vec<(String, Grasp)> = Vec::new();
    for (name, held) in &settings.held {
        let table = format!("held.{name}");
        let nodes = Selection::of_held(held).nodes(&settings.cloth, mesh, &table, origin)?;
        let (path, absolute) = path_of(held, &table, origin)?;
        if absolute && nodes.len() != 1 {
            let why = format!(
                "moves {} nodes to the same places: give places to one node at a time, or offsets_m to many",
                nodes.len()
            );
            return Err(origin.fault(&table, why));
        }
        let grasp = Grasp {
            nodes,
            path,
            hand: hand(held),
            turn: turn(held, &table, origin)?,
            absolute,
            from: held.from_s.unwrap_or(0.0),
            until: held.until_s.unwrap_or(f64::INFINITY),
        };
        // The first whole step that begins once the nodes are grasped.
        let first = (grasp.from / settings.dt_s - 1e-6).ceil() * settings.dt_s;
        if first + settings.dt_s > grasp.until.min(settings.duration_s) + 1e-6 * settings.dt_s {
            let why = format!(
                "holds in no step: from {} s to {} s there is no whole step of {} s of the {} s of the run",
                grasp.from, grasp.until, settings.dt_s, settings.duration_s
            );
            return Err(origin.fault(&table, why));
        }
        for (other_table, other) in &grasps {
            let shared = grasp.nodes.iter().find(|node| other.nodes.contains(node));
            let (start, end) = (grasp.from.max(other.from), grasp.until.min(other.until));
            if let Some(node) = shared.filter(|_| end - start > 1e-6 * settings.dt_s) {
                let why = format!(
                    "and {other_table} both hold node {node} at {start} s: let one begin when the other has ended, or leave the node to one"
                );
                return Err(origin.fault(&table, why));
            }
        }
        grasps.push((table, grasp));
    }
    Ok(grasps.into_iter().map(|(_, grasp)| grasp).collect())
}

/// The path of a grasp, and whether it gives places instead of displacements.
fn path_of(held: &HeldSettings, table: &str, origin: &Origin) -> Result<(Path, bool), SceneError> {
    match held.motion.unwrap_or(MotionName::Still) {
        MotionName::Still => Ok((Path::Still, false)),
        MotionName::Sinusoid => Ok((sinusoid(held, table, origin)?, false)),
        MotionName::Keyframes => moved_through(held, table, origin),
        MotionName::Csv => Ok((trajectory(held, table, origin)?, true)),
    }
}

fn sinusoid(held: &HeldSettings, table: &str, origin: &Origin) -> Result<Path, SceneError> {
    let (key, user) = (|name: &str| format!("{table}.{name}"), "motion = \"sinusoid\"");
    let amplitude = needed(&held.amplitude_m, table, "amplitude_m", user, origin)?;
    finite_vector(origin, &key("amplitude_m"), amplitude)?;
    let frequency = *needed(&held.frequency_hz, table, "frequency_hz", user, origin)?;
    not_negative(origin, &key("frequency_hz"), frequency)?;
    let phase = held.phase_rad.unwrap_or(0.0);
    finite(origin, &key("phase_rad"), phase)?;
    let ramp = held.ramp_s.unwrap_or(0.0);
    not_negative(origin, &key("ramp_s"), ramp)?;
    Ok(Path::Sinusoid { amplitude: DVec3::from_array(*amplitude), frequency, phase, ramp })
}

fn moved_through(held: &HeldSettings, table: &str, origin: &Origin) -> Result<(Path, bool), SceneError> {
    let times = needed(&held.times_s, table, "times_s", "motion = \"keyframes\"", origin)?;
    let (name, places, absolute) = match (&held.offsets_m, &held.places_m) {
        (Some(offsets), None) => ("offsets_m", offsets, false),
        (None, Some(places)) if held.angles_deg.is_none() => ("places_m", places, true),
        (None, None) if held.angles_deg.is_some() => return Ok((Path::Still, false)),
        _ => {
            let why = "needs exactly one of the keys offsets_m and places_m, to say where to move, or angles_deg, which \
                       goes with offsets_m";
            return Err(origin.fault(table, why));
        }
    };
    Ok((path(times, places, held.interpolation, name, table, origin)?, absolute))
}

/// About what the nodes are turned.
fn turn(held: &HeldSettings, table: &str, origin: &Origin) -> Result<Option<Turn>, SceneError> {
    let (key, user) = (|name: &str| format!("{table}.{name}"), "angles_deg");
    let Some(angles) = &held.angles_deg else {
        let given = [("turn_axis", held.turn_axis.is_some()), ("through_m", held.through_m.is_some())];
        return match given.iter().find(|(_, given)| *given) {
            None => Ok(None),
            Some((name, _)) => {
                Err(origin.fault(&key(name), "turns nothing without angles_deg: give it, or remove this"))
            }
        };
    };
    let vector = |name: &str, vector: &Option<[f64; 3]>| -> Result<DVec3, SceneError> {
        let vector = needed(vector, table, name, user, origin)?;
        finite_vector(origin, &key(name), vector)?;
        Ok(DVec3::from_array(*vector))
    };
    let Some(axis) = vector("turn_axis", &held.turn_axis)?.try_normalize() else {
        return Err(origin.fault(&key("turn_axis"), "must not be zero: give a direction"));
    };
    let times = needed(&held.times_s, table, "times_s", user, origin)?;
    let angle = KeyTimes::new(times, held.interpolation, table, origin)?.angles("angles_deg", angles)?;
    Ok(Some(Turn { axis, through: vector("through_m", &held.through_m)?, angle }))
}

fn trajectory(held: &HeldSettings, table: &str, origin: &Origin) -> Result<Path, SceneError> {
    let user = "motion = \"csv\"";
    let csv = needed(&held.csv, table, "csv", user, origin)?;
    let columns = needed(&held.columns, table, "columns", user, origin)?;
    let place = |row: &[f64]| Ok(DVec3::from_slice(row));
    let rows = TimedRows::read(csv, table, origin)?;
    Ok(Path::Keyframes(rows.keyframes(&columns.each_ref().map(String::as_str), "names", place)?))
}
