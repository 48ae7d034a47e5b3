//! What a run is to be compared with: checks of `[analytic]`.

use super::SceneError;
use super::document::Origin;
use super::number::positive;
use super::schema::{LawName, Settings, ShapeName};

/// m/s. Far above the creep of a strip that holds, far below the speed that a slipping one gains at once.
const SLIP_SPEED: f64 = 0.01;

/// Fills in the defaults of the table and checks that what it names is there.
pub(super) fn resolve_analytic(settings: &mut Settings, origin: &Origin) -> Result<(), SceneError> {
    let Some(analytic) = &mut settings.analytic else { return Ok(()) };
    let fault = |key: &str, why: String| Err(origin.fault(&format!("analytic.{key}"), why));
    let Some(obstacle) = settings.obstacle.get(&analytic.obstacle) else {
        return fault("obstacle", missing(&analytic.obstacle, "obstacle", settings.obstacle.keys()));
    };
    let (fits, needed) = match analytic.law {
        LawName::Capstan => (obstacle.shape == ShapeName::Cylinder, "a cylinder"),
        LawName::Incline | LawName::Stopping => {
            let flat = [ShapeName::Plane, ShapeName::Floor, ShapeName::Table, ShapeName::Box];
            (flat.contains(&obstacle.shape), "flat")
        }
    };
    if !fits {
        let why = format!("names {:?}, which is not {needed}: this law needs one that is", analytic.obstacle);
        return fault("obstacle", why);
    }
    let capstan = [
        ("angle_deg", analytic.angle_deg.is_some(), true),
        ("pulling", analytic.pulling.is_some(), true),
        ("holding", analytic.holding.is_some(), true),
        ("slip_speed_m_s", analytic.slip_speed_m_s.is_some(), false),
    ];
    for (key, given, needed) in capstan {
        match (analytic.law, given) {
            (LawName::Capstan, false) if needed => {
                return fault(key, "is missing: law = \"capstan\" needs it".to_owned());
            }
            (LawName::Incline | LawName::Stopping, true) => {
                return fault(key, "is used by law = \"capstan\" only: remove it".to_owned());
            }
            _ => {}
        }
    }
    for (key, load) in [("pulling", &analytic.pulling), ("holding", &analytic.holding)] {
        if let Some(load) = load.as_ref().filter(|load| !settings.load.contains_key(*load)) {
            return fault(key, missing(load, "load", settings.load.keys()));
        }
    }
    if analytic.law == LawName::Capstan {
        positive(origin, "analytic.slip_speed_m_s", *analytic.slip_speed_m_s.get_or_insert(SLIP_SPEED))?;
    }
    if let Some(angle) = analytic.angle_deg {
        positive(origin, "analytic.angle_deg", angle)?;
    }
    if analytic.law == LawName::Stopping && settings.cloth.velocity_m_s.unwrap_or_default() == [0.0; 3] {
        let why = "is \"stopping\", and the cloth starts at rest: give cloth.velocity_m_s";
        return fault("law", why.to_owned());
    }
    Ok(())
}

fn missing<'a>(name: &str, kind: &str, known: impl Iterator<Item = &'a String>) -> String {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    format!("names {name:?}, and the scene has of [{kind}] {known}: name one of them")
}
