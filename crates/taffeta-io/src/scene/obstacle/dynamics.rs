//! What moves a body, and what resists.

use glam::{DMat3, DVec3};
use taffeta::obstacle::{Drive, Dynamics, Inertia, Servo, Shape};

use crate::scene::SceneError;
use crate::scene::document::Origin;
use crate::scene::keyframes::needed;
use crate::scene::number::{finite_vector, positive};
use crate::scene::schema::BodyName::{self, *};
use crate::scene::schema::{ObstacleSettings, PerAxis, TravelName, name_of};
use crate::scene::travel::velocities;

/// Fills in the defaults and checks whatever does not depend on the shape.
pub(super) fn resolve(body: &mut ObstacleSettings, table: &str, origin: &Origin) -> Result<(), SceneError> {
    let still = body.motion.is_none_or(|motion| motion == TravelName::Still);
    let kind = *body.body.get_or_insert(if still { Fixed } else { Moved });
    let fault = |key: &str, why: &str| Err(origin.fault(&format!("{table}.{key}"), why));
    if kind == Fixed && !still {
        return fault(
            "body",
            "is \"fixed\", and it has a motion: make it \"moved\" or \"driven\", or remove the motion",
        );
    }
    if kind == Moved && still {
        return fault("body", "is \"moved\", and it has no motion: give one, or make it \"fixed\"");
    }
    refuse_unused(body, kind, table, origin)?;
    if matches!(kind, Fixed | Moved) {
        return Ok(());
    }
    let mass = *needed(&body.mass_kg, table, "mass_kg", &format!("body = \"{}\"", name_of(kind)), origin)?;
    positive(origin, &format!("{table}.mass_kg"), mass)?;
    if let Some(moments) = body.inertia_kg_m2 {
        let key = format!("{table}.inertia_kg_m2");
        moments.iter().try_for_each(|&moment| positive(origin, &key, moment))?;
        // A flat body has one that is the sum of the others, and none has one that is more.
        let (sum, most) = (moments.iter().sum::<f64>(), moments.iter().fold(0.0, |most: f64, &m| most.max(m)));
        if most > (sum - most) * (1.0 + 1e-9) {
            return fault("inertia_kg_m2", "is of no body: each moment is at most the sum of the other two");
        }
    }
    if let Some(centre) = &body.centre_m {
        finite_vector(origin, &format!("{table}.centre_m"), centre)?;
    }
    for (key, drive, limits) in drive_keys(body) {
        let fine = |&number: &f64| number >= 0.0 && (number.is_finite() || limits);
        if drive.is_some_and(|drive| !drive.each().iter().all(fine)) {
            return fault(key, "must be 0 or a positive number, or three of these: along x, y and z");
        }
    }
    if kind == Driven {
        let arm = Servo::arm(&Inertia { mass, centre: DVec3::ZERO, moments: DMat3::IDENTITY });
        body.stiffness.get_or_insert(PerAxis::All(arm.linear.stiffness.x));
        body.max_force.get_or_insert(PerAxis::All(arm.linear.limit.x));
        body.turning_stiffness.get_or_insert(PerAxis::All(arm.angular.stiffness.x));
        body.max_torque.get_or_insert(PerAxis::All(arm.angular.limit.x));
    }
    Ok(())
}

/// The keys of a servo, and whether each is a limit, which may be infinite.
fn drive_keys(body: &ObstacleSettings) -> [(&'static str, Option<PerAxis>, bool); 6] {
    [
        ("stiffness_N_m", body.stiffness, false),
        ("damping_N_s_m", body.damping, false),
        ("max_force_N", body.max_force, true),
        ("turning_stiffness_N_m_rad", body.turning_stiffness, false),
        ("turning_damping_N_m_s_rad", body.turning_damping, false),
        ("max_torque_N_m", body.max_torque, true),
    ]
}

/// Refuses keys of another kind of body.
fn refuse_unused(body: &ObstacleSettings, kind: BodyName, table: &str, origin: &Origin) -> Result<(), SceneError> {
    const RESISTS: &[BodyName] = &[Driven, Free];
    let inertia: [(&str, bool, &[BodyName]); 3] = [
        ("mass_kg", body.mass_kg.is_some(), RESISTS),
        ("inertia_kg_m2", body.inertia_kg_m2.is_some(), RESISTS),
        ("centre_m", body.centre_m.is_some(), RESISTS),
    ];
    let servo = drive_keys(body).map(|(key, drive, _)| (key, drive.is_some(), &[Driven][..]));
    match inertia.into_iter().chain(servo).find(|(_, given, users)| *given && !users.contains(&kind)) {
        None => Ok(()),
        Some((key, _, users)) => {
            let users: Vec<String> = users.iter().map(|&kind| format!("body = \"{}\"", name_of(kind))).collect();
            let why = format!(
                "is for {} only, and this body is \"{}\": change that or remove it",
                users.join(" and "),
                name_of(kind)
            );
            Err(origin.fault(&format!("{table}.{key}"), why))
        }
    }
}

/// How a resolved body answers to forces; `None` if it does not.
pub(super) fn dynamics(
    body: &ObstacleSettings,
    shape: &Shape,
    table: &str,
    origin: &Origin,
) -> Result<Option<Dynamics>, SceneError> {
    let (Some(kind @ (Driven | Free)), Some(mass)) = (body.body, body.mass_kg) else { return Ok(None) };
    let Some(mut inertia) = Inertia::of(&**shape, mass) else {
        let why = format!(
            "is \"{}\", and a {} without bounds has no inertia: give it bounds, or take a box",
            name_of(kind),
            name_of(body.shape)
        );
        return Err(origin.fault(&format!("{table}.body"), why));
    };
    if let Some(moments) = body.inertia_kg_m2 {
        inertia.moments = DMat3::from_diagonal(DVec3::from_array(moments));
    }
    inertia.centre = body.centre_m.map_or(inertia.centre, DVec3::from_array);
    if kind == Driven {
        return Ok(Some(Dynamics::driven(inertia, servo(body, &inertia))));
    }
    let [velocity, angular_velocity] = velocities(&body.travel(), table, origin)?;
    Ok(Some(Dynamics { velocity, angular_velocity, ..Dynamics::free(inertia) }))
}

/// The servo of a driven body: what is not given is that of an arm, damped critically for the stiffness.
fn servo(body: &ObstacleSettings, inertia: &Inertia) -> Servo {
    let arm = Servo::arm(inertia);
    let drive = |usual: Drive, [stiffness, damping, limit]: [Option<PerAxis>; 3]| {
        let given = |numbers: Option<PerAxis>| numbers.map(|numbers| DVec3::from_array(numbers.each()));
        let stiff = given(stiffness).unwrap_or(usual.stiffness);
        // Critical damping goes with the root of the stiffness.
        let critical = usual.damping * (stiff / usual.stiffness).map(f64::sqrt);
        Drive {
            stiffness: stiff,
            damping: given(damping).unwrap_or(critical),
            limit: given(limit).unwrap_or(usual.limit),
        }
    };
    Servo {
        linear: drive(arm.linear, [body.stiffness, body.damping, body.max_force]),
        angular: drive(arm.angular, [body.turning_stiffness, body.turning_damping, body.max_torque]),
    }
}
