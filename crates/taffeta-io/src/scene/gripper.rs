//! Hands with two fingers: from `[gripper.*]` to grippers.

use std::path::Path as FilePath;

use taffeta::obstacle::{Motion, Pose};
use taffeta::{Gripper, Hand, Pad};

use super::SceneError;
use super::document::Origin;
use super::number::{not_negative, positive};
use super::schema::{GripperSettings, Settings};
use super::travel::{self, replaces_start};

/// Fills in the defaults of a gripper and checks its keys.
pub(super) fn resolve_gripper(
    settings: &mut GripperSettings,
    table: &str,
    origin: &Origin,
    folder: &FilePath,
) -> Result<(), SceneError> {
    let key = |name: &str| format!("{table}.{name}");
    let usual = Gripper::new("", Motion::still(Pose::IDENTITY));
    if settings.pad_m.is_some() && settings.pad_radius_m.is_some() {
        return Err(origin.fault(table, "has both pad_m and pad_radius_m: remove one of them"));
    }
    if let (None, Pad::Rectangle(sizes)) = (settings.pad_radius_m, usual.pad) {
        settings.pad_m.get_or_insert(sizes);
    }
    settings.pad_m.iter().flatten().try_for_each(|&size| positive(origin, &key("pad_m"), size))?;
    settings.pad_radius_m.map_or(Ok(()), |radius| positive(origin, &key("pad_radius_m"), radius))?;
    positive(origin, &key("finger_m"), *settings.finger_m.get_or_insert(usual.finger))?;
    not_negative(origin, &key("opening_m"), *settings.opening_m.get_or_insert(usual.opening))?;
    positive(origin, &key("speed_m_s"), *settings.speed_m_s.get_or_insert(usual.speed))?;
    positive(origin, &key("force_N"), *settings.force.get_or_insert(usual.force))?;
    not_negative(origin, &key("friction"), *settings.friction.get_or_insert(usual.friction))?;
    closings(settings.closed_s.get_or_insert_default(), &key("closed_s"), origin)?;
    positive(origin, &key("stiffness_N_m"), *settings.stiffness.get_or_insert(usual.arm.stiffness))?;
    settings.damping.map_or(Ok(()), |damping| not_negative(origin, &key("damping_N_s_m"), damping))?;
    let most = *settings.max_force.get_or_insert(usual.arm.max_force);
    if most != f64::INFINITY {
        positive(origin, &key("max_force_N"), most)?;
    }
    let mut travel = settings.travel();
    if !replaces_start(travel.motion) {
        travel.place_m.get_or_insert([0.0; 3]);
    }
    travel::resolve(&mut travel, [0.0; 3], false, table, origin, folder)?;
    settings.set_travel(travel);
    Ok(())
}

/// Refuses times of closing and opening that are not in order, or before the run.
fn closings(closed: &[[f64; 2]], key: &str, origin: &Origin) -> Result<(), SceneError> {
    if let Some(from) = closed.iter().map(|times| times[0]).find(|from| !(*from >= 0.0 && from.is_finite())) {
        let why = format!("closes at {from} s: a gripper starts open, give a time of the run, 0 s or later");
        return Err(origin.fault(key, why));
    }
    let times: Vec<f64> = closed.iter().flatten().copied().collect();
    match times.windows(2).find(|pair| !matches!(pair[0].partial_cmp(&pair[1]), Some(std::cmp::Ordering::Less))) {
        None => Ok(()),
        Some(pair) => {
            let why = format!(
                "has {} s after {} s: give pairs of when it closes and when it opens, each time later than the one before",
                pair[1], pair[0]
            );
            Err(origin.fault(key, why))
        }
    }
}

/// The grippers of a resolved scene, in the order of their names.
pub(super) fn grippers(settings: &Settings, origin: &Origin) -> Result<Vec<Gripper>, SceneError> {
    let build = |(name, settings): (&String, &GripperSettings)| {
        let table = format!("gripper.{name}");
        let travel = settings.travel();
        let start = travel::start(&travel, [0.0; 3], &table, origin)?;
        let usual = Gripper::new(name, travel::motion(&travel, start, &table, origin)?);
        let pad = match (settings.pad_m, settings.pad_radius_m) {
            (_, Some(radius)) => Pad::Disc(radius),
            (Some(sizes), None) => Pad::Rectangle(sizes),
            (None, None) => usual.pad,
        };
        let arm = Hand {
            stiffness: settings.stiffness.unwrap_or(usual.arm.stiffness),
            damping: settings.damping,
            max_force: settings.max_force.unwrap_or(usual.arm.max_force),
        };
        let gripper = Gripper {
            pad,
            arm,
            finger: settings.finger_m.unwrap_or(usual.finger),
            opening: settings.opening_m.unwrap_or(usual.opening),
            speed: settings.speed_m_s.unwrap_or(usual.speed),
            force: settings.force.unwrap_or(usual.force),
            friction: settings.friction.unwrap_or(usual.friction),
            closed: settings.closed_s.clone().unwrap_or_default(),
            ..usual
        };
        match gripper.fault() {
            None => Ok(gripper),
            Some(fault) => Err(origin.fault(&table, format!("cannot be made: {fault}"))),
        }
    };
    settings.gripper.iter().map(build).collect()
}
