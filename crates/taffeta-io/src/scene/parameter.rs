//! The numbers of a scene that may be changed while it runs, by the names of their keys: one list for whatever changes them.

use glam::DVec3;
use taffeta::{Params, Simulation};
use thiserror::Error;

use super::nearest::nearest;

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterValue {
    /// A number.
    Number(f64),
    /// A vector in space.
    Vector([f64; 3]),
}

impl ParameterValue {
    /// The numbers that it is made of: one, or three.
    pub fn numbers(&self) -> &[f64] {
        match self {
            ParameterValue::Number(number) => std::slice::from_ref(number),
            ParameterValue::Vector(vector) => vector,
        }
    }
}

/// A parameter that cannot be had, or cannot be changed so.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ParameterError {
    /// There is none of this name.
    #[error(
        "there is no parameter {name:?} in this scene{}: it has {}",
        .nearest.as_ref().map(|nearest| format!(" (did you mean {nearest:?}?)")).unwrap_or_default(),
        .known.join(", ")
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// The one whose name is much like it, if any.
        nearest: Option<String>,
        /// All that there are.
        known: Vec<String>,
    },
    /// A value that it cannot have.
    #[error("{name} cannot be {value}: it {rule}")]
    Value {
        /// The parameter.
        name: String,
        /// The value.
        value: String,
        /// What it must be.
        rule: String,
    },
}

/// What a number must be.
type Rule = (fn(f64) -> bool, &'static str);

const POSITIVE: Rule = (|x| x > 0.0 && x.is_finite(), "must be a positive, finite number");
const NOT_NEGATIVE: Rule = (|x| x >= 0.0 && x.is_finite(), "must be 0 or a positive, finite number");
/// Of the material, whose rules are its own.
const MATERIAL: Rule = (|_| true, "");
const PROXIMITY: Rule = (|x| (0.0..=10.0).contains(&x), "must be from 0 to 10");

/// Where a number is among the parameters; `None` if the scene leaves out what it belongs to.
type Number = fn(&mut Params) -> Option<&mut f64>;

macro_rules! material {
    ($field:ident) => {
        |params: &mut Params| Some(&mut params.material.$field)
    };
}

macro_rules! solver {
    ($field:ident) => {
        |params: &mut Params| Some(&mut params.solver.$field)
    };
}

macro_rules! self_contact {
    ($field:ident) => {
        |params: &mut Params| params.self_contact.as_mut().map(|contact| &mut contact.$field)
    };
}

/// The numbers that every scene has, and what they must be.
const NUMBERS: [(&str, Number, Rule); 16] = [
    ("cloth.density_kg_m2", material!(density), MATERIAL),
    ("cloth.virtual_density_kg_m2", material!(virtual_density), MATERIAL),
    ("cloth.damping_kg_m2_s", material!(damping), MATERIAL),
    ("cloth.bending_N_m", material!(bending), MATERIAL),
    ("cloth.bending_damping_N_m_s", material!(bending_damping), MATERIAL),
    ("cloth.shear_compliance_m_N", material!(shear_compliance), MATERIAL),
    ("cloth.drag", material!(drag), MATERIAL),
    ("cloth.thickness_m", material!(thickness), MATERIAL),
    ("cloth.compression_Pa", material!(compression), MATERIAL),
    ("cloth.solid_fraction", material!(solid_fraction), MATERIAL),
    ("cloth.self_friction", self_contact!(friction), NOT_NEGATIVE),
    ("cloth.proximity", self_contact!(proximity), PROXIMITY),
    ("solver.strain_tolerance", solver!(strain_tolerance), POSITIVE),
    ("solver.acceleration_tolerance_m_s2", solver!(acceleration_tolerance), POSITIVE),
    ("solver.gap_tolerance_m", solver!(gap_tolerance), POSITIVE),
    ("solver.friction_tolerance", solver!(friction_tolerance), POSITIVE),
];

/// Where a vector is among the parameters.
type Vector = fn(&mut Params) -> Option<&mut DVec3>;

const VECTORS: [(&str, Vector); 2] =
    [("gravity_m_s2", |params| Some(&mut params.gravity)), ("wind_m_s", |params| params.wind.as_mut())];

/// What a name leads to.
enum Place {
    Number(Number, Rule),
    Vector(Vector),
    /// The friction of some obstacles: one, or the fingers of a gripper.
    Friction(Vec<usize>),
    /// The grip force of a gripper, N.
    Force(usize),
}

/// All places of a simulation, by their names.
fn places(simulation: &Simulation) -> Vec<(String, Place)> {
    let mut params = simulation.params;
    let mut places = Vec::new();
    for (name, number, rule) in NUMBERS {
        if number(&mut params).is_some() {
            places.push((name.to_owned(), Place::Number(number, rule)));
        }
    }
    for (name, vector) in VECTORS {
        if vector(&mut params).is_some() {
            places.push((name.to_owned(), Place::Vector(vector)));
        }
    }
    let is_finger = |k: usize| simulation.grippers().iter().any(|(_, fingers)| fingers.contains(&k));
    for (k, obstacle) in simulation.obstacles.iter().enumerate().filter(|(k, _)| !is_finger(*k)) {
        places.push((format!("obstacle.{}.friction", obstacle.name), Place::Friction(vec![k])));
    }
    for (k, (gripper, fingers)) in simulation.grippers().iter().enumerate() {
        places.push((format!("gripper.{}.friction", gripper.name), Place::Friction(fingers.to_vec())));
        places.push((format!("gripper.{}.force_N", gripper.name), Place::Force(k)));
    }
    places
}

fn find(simulation: &Simulation, name: &str) -> Result<Place, ParameterError> {
    let mut places = places(simulation);
    match places.iter().position(|(known, _)| known == name) {
        Some(k) => Ok(places.swap_remove(k).1),
        None => {
            let known: Vec<String> = places.into_iter().map(|(known, _)| known).collect();
            let nearest = closest(name, &known);
            Err(ParameterError::Unknown { name: name.to_owned(), nearest, known })
        }
    }
}

/// The name that is much like another, the table that it is in included or not.
fn closest(name: &str, known: &[String]) -> Option<String> {
    let in_full = known.iter().find(|known| known.rsplit('.').next() == Some(name)).cloned();
    in_full.or_else(|| nearest(name, known.iter().map(String::as_str)).map(str::to_owned))
}

/// The names of all parameters of a simulation: keys of scenes.
pub fn parameters(simulation: &Simulation) -> Vec<String> {
    places(simulation).into_iter().map(|(name, _)| name).collect()
}

/// The value of a parameter.
///
/// # Errors
///
/// If there is none of this name.
pub fn parameter(simulation: &Simulation, name: &str) -> Result<ParameterValue, ParameterError> {
    let mut params = simulation.params;
    Ok(match find(simulation, name)? {
        Place::Number(number, _) => ParameterValue::Number(number(&mut params).copied().unwrap_or_default()),
        Place::Vector(vector) => ParameterValue::Vector(vector(&mut params).copied().unwrap_or_default().to_array()),
        Place::Friction(obstacles) => ParameterValue::Number(simulation.obstacles[obstacles[0]].friction),
        Place::Force(k) => ParameterValue::Number(simulation.grippers()[k].0.force),
    })
}

/// Changes a parameter, from the next step on. Nothing else changes with it: in a scene file a density also decides what the fabric
/// is damped by, unless that is given, and here it does not.
///
/// # Errors
///
/// If there is none of this name, or it cannot have this value; then nothing is changed.
pub fn set_parameter(simulation: &mut Simulation, name: &str, value: ParameterValue) -> Result<(), ParameterError> {
    let place = find(simulation, name)?;
    let refused = |rule: &str| {
        let value = match value {
            ParameterValue::Number(number) => number.to_string(),
            ParameterValue::Vector(vector) => format!("{vector:?}"),
        };
        Err(ParameterError::Value { name: name.to_owned(), value, rule: rule.to_owned() })
    };
    match (place, value) {
        (Place::Vector(vector), ParameterValue::Vector(numbers)) => {
            if !numbers.iter().all(|x| x.is_finite()) {
                return refused("must be three finite numbers");
            }
            if let Some(place) = vector(&mut simulation.params) {
                *place = DVec3::from_array(numbers);
            }
        }
        (Place::Vector(_), ParameterValue::Number(_)) => return refused("is a vector: give three numbers"),
        (_, ParameterValue::Vector(_)) => return refused("is one number"),
        (Place::Number(number, (allowed, rule)), ParameterValue::Number(value)) => {
            let mut params = simulation.params;
            if let Some(place) = number(&mut params) {
                *place = value;
            }
            if !allowed(value) {
                return refused(rule);
            }
            if let Some((_, rule)) = params.material.fault() {
                return refused(rule);
            }
            simulation.params = params;
        }
        (Place::Friction(obstacles), ParameterValue::Number(value)) => {
            if !NOT_NEGATIVE.0(value) {
                return refused(NOT_NEGATIVE.1);
            }
            for k in obstacles {
                simulation.obstacles[k].friction = value;
            }
        }
        (Place::Force(k), ParameterValue::Number(value)) => {
            if !POSITIVE.0(value) {
                return refused(POSITIVE.1);
            }
            if let Some(gripper) = simulation.grippers_mut().nth(k) {
                gripper.force = value;
            }
        }
    }
    Ok(())
}

/// Whether numbers of a simulation, of whatever origin, are such as [`set_parameter`] would allow: the first rule that is broken.
pub fn params_fault(params: &Params) -> Option<String> {
    let mut params = *params;
    for (name, number, (allowed, rule)) in NUMBERS {
        if let Some(value) = number(&mut params).filter(|value| !allowed(**value)) {
            return Some(format!("{name} is {value}: it {rule}"));
        }
    }
    let Params { material, gravity, wind, self_contact: _, solver: _ } = params;
    let vectors = gravity.is_finite() && wind.is_none_or(|wind| wind.is_finite());
    let of_material = |(field, rule): (&str, &str)| format!("{field} of the material {rule}");
    material.fault().map(of_material).or_else(|| (!vectors).then(|| "gravity or wind is not finite".to_owned()))
}

#[cfg(test)]
mod tests {
    use taffeta::cloth::Material;
    use taffeta::{SelfContact, Solver};

    use super::super::Scene;
    use super::*;

    /// A scene that leaves nothing out.
    const EVERYTHING: &str = r#"
        duration_s = 1
        dt_s = 0.01
        wind_m_s = [1, 0, 0]
        [cloth.grid]
        nodes = [4, 4]
        size_m = [0.3, 0.3]
        [obstacle.table]
        shape = "table"
        size_m = [1, 1]
        place_m = [0, 0, -1]
        [gripper.left]
        place_m = [0, 0, 1]
    "#;

    fn simulation(overrides: &[(&str, &str)]) -> Simulation {
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let scene = Scene::with_overrides("all", EVERYTHING, Default::default(), &overrides).expect("a scene");
        scene.build().expect("a simulation")
    }

    #[test]
    fn every_parameter_is_a_key_of_scenes_and_sets_what_the_key_does() {
        let mut changed = simulation(&[]);
        let names = parameters(&changed);
        assert_eq!(names.len(), NUMBERS.len() + VECTORS.len() + 3);
        for name in &names {
            let before = parameter(&changed, name).expect("a value");
            // Within all ranges, and unlike any default.
            let (value, text) = match before {
                ParameterValue::Number(number) => {
                    let share = if name == "cloth.density_kg_m2" { 1.1 } else { 0.9 };
                    let number = if number == 0.0 { 1e-3 } else { share * number };
                    (ParameterValue::Number(number), number.to_string())
                }
                ParameterValue::Vector(_) => (ParameterValue::Vector([0.5, 1.5, -2.5]), "[0.5, 1.5, -2.5]".to_owned()),
            };
            set_parameter(&mut changed, name, value).expect("a value in range");
            assert_eq!(parameter(&changed, name), Ok(value), "{name}");
            let from_scene = simulation(&[(name, &text)]);
            assert_eq!(parameter(&from_scene, name), Ok(value), "{name} by its key");
            set_parameter(&mut changed, name, before).expect("what it was");
        }
        assert_eq!(changed.params, simulation(&[]).params);
        assert_eq!(params_fault(&changed.params), None);
    }

    #[test]
    fn the_friction_of_a_gripper_is_that_of_both_its_pads() {
        let mut simulation = simulation(&[]);
        set_parameter(&mut simulation, "gripper.left.friction", ParameterValue::Number(0.25)).expect("a friction");
        let [a, b] = simulation.grippers()[0].1;
        assert_eq!([a, b].map(|k| simulation.obstacles[k].friction), [0.25; 2]);
    }

    #[test]
    fn what_is_not_there_or_out_of_range_is_refused_by_name_and_changes_nothing() {
        let mut simulation = simulation(&[]);
        let before = simulation.params;
        let number = ParameterValue::Number;
        let vector = ParameterValue::Vector([f64::NAN, 0.0, 0.0]);
        for (name, value, said) in [
            ("cloth.densty_kg_m2", number(1.0), "did you mean \"cloth.density_kg_m2\""),
            ("thickness_m", number(1.0), "did you mean \"cloth.thickness_m\""),
            ("obstacle.chair.friction", number(1.0), "obstacle.table.friction"),
            ("cloth.density_kg_m2", number(-1.0), "cloth.density_kg_m2 cannot be -1: it must be a positive"),
            ("cloth.virtual_density_kg_m2", number(9.0), "no larger than the density"),
            ("cloth.self_friction", number(f64::NAN), "must be 0 or a positive"),
            ("cloth.proximity", number(11.0), "from 0 to 10"),
            ("solver.gap_tolerance_m", number(0.0), "positive"),
            ("obstacle.table.friction", number(-0.1), "must be 0 or a positive"),
            ("gripper.left.force_N", number(0.0), "positive"),
            ("gravity_m_s2", number(1.0), "give three numbers"),
            ("gravity_m_s2", vector, "finite"),
            ("cloth.drag", ParameterValue::Vector([0.0; 3]), "is one number"),
        ] {
            let error = set_parameter(&mut simulation, name, value).expect_err(name).to_string();
            assert!(error.contains(said), "{error}");
        }
        assert_eq!(simulation.params, before);
        assert!(parameter(&simulation, "wind").is_err());
    }

    #[test]
    fn faults_of_parameters_are_named() {
        let broken = Params { gravity: DVec3::NAN, ..Params::default() };
        assert!(params_fault(&broken).expect("a fault").contains("gravity"));
        let solver = Solver { gap_tolerance: -1.0, ..Solver::default() };
        assert!(params_fault(&Params { solver, ..Params::default() }).expect("a fault").contains("gap_tolerance_m"));
        let self_contact = Some(SelfContact { friction: -1.0, ..SelfContact::default() });
        assert!(params_fault(&Params { self_contact, ..Params::default() }).expect("a fault").contains("friction"));
        let material = Material { density: 0.0, ..Material::with_density(0.2) };
        assert!(params_fault(&Params { material, ..Params::default() }).expect("a fault").contains("density"));
    }
}
