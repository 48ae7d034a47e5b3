//! `[obstacle.*]`: what was in the way of the cloth, where, and by which markers that is known.

use std::collections::BTreeMap;

use glam::DVec3;
use serde::Deserialize;
use taffeta::obstacle::{Cuboid, Cylinder, Motion, Obstacle, Plane, Pose, Shape, Sphere, Stick};

use crate::capture::CapturedObstacle;
use crate::markers::Trajectories;
use crate::world::{plane, rigid_body, rod};

/// m: a table top of planks.
const TABLE_THICKNESS: f64 = 0.03;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObstaclePart {
    shape: ShapeName,
    /// Markers on it: the two ends of a stick, three or more on a plane.
    markers: Option<Vec<String>>,
    /// The rigid body of the file that it is.
    body: Option<String>,
    /// Where it is, if it has no markers: the middle of a table's top, or of the body.
    place_m: Option<[f64; 3]>,
    size_m: Option<Vec<f64>>,
    radius_m: Option<f64>,
    length_m: Option<f64>,
    /// If it is not known, it is one of the parameters.
    friction: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ShapeName {
    Plane,
    Table,
    Box,
    Sphere,
    Cylinder,
    Stick,
}

/// The obstacles of a capture, in the order of their names.
pub fn captured(
    parts: &BTreeMap<String, ObstaclePart>,
    seen: &Trajectories,
    cloth: &[usize],
    cutoff: f64,
) -> Result<Vec<CapturedObstacle>, String> {
    let sights = || seen.frames.iter().flat_map(|frame| cloth.iter().filter_map(|&column| frame[column]));
    let middle = sights().sum::<DVec3>() / sights().count().max(1) as f64;
    let build = |(name, part): (&String, &ObstaclePart)| {
        let (motion, length) = part.motion(name, seen, middle, cutoff)?;
        let body = Obstacle::new(name, part.body(name, length)?).with_motion(motion);
        let body = body.with_friction(part.friction.unwrap_or(0.5));
        match body.fault() {
            None => Ok(CapturedObstacle { body, friction_known: part.friction.is_some() }),
            Some(fault) => Err(fault),
        }
    };
    parts.iter().map(build).collect()
}

impl ObstaclePart {
    /// How it moves, and how long it is, if its markers tell that.
    fn motion(
        &self,
        name: &str,
        seen: &Trajectories,
        cloth: DVec3,
        cutoff: f64,
    ) -> Result<(Motion, Option<f64>), String> {
        let still = |pose| (Motion::still(pose), None);
        match (&self.markers, &self.body, self.place_m) {
            (None, None, Some(place)) => Ok(still(Pose::from_translation(DVec3::from_array(place)))),
            (None, None, None) => Err(format!("obstacle.{name} is nowhere: give it markers, a body or place_m")),
            (None, Some(body), None) => {
                let track = seen.bodies.iter().find(|track| track.name == *body).ok_or_else(|| {
                    let known: Vec<&str> = seen.bodies.iter().map(|track| track.name.as_str()).collect();
                    format!("obstacle.{name}.body is {body:?}, and the rigid bodies are: {}", known.join(", "))
                })?;
                let motion = rigid_body(&seen.times, &track.poses);
                Ok((motion.ok_or_else(|| format!("obstacle.{name}: the body {body:?} was never seen"))?, None))
            }
            (Some(markers), None, None) => self.by_markers(name, markers, seen, cloth, cutoff),
            _ => Err(format!("obstacle.{name} has more than one of markers, body and place_m: give one of them")),
        }
    }

    fn by_markers(
        &self,
        name: &str,
        markers: &[String],
        seen: &Trajectories,
        cloth: DVec3,
        cutoff: f64,
    ) -> Result<(Motion, Option<f64>), String> {
        let path = |marker: &String| {
            let column = seen.marker(marker).ok_or_else(|| {
                format!("obstacle.{name}.markers has {marker:?}, and the markers are: {}", seen.names.join(", "))
            })?;
            Ok(seen.frames.iter().map(|frame| frame[column]).collect::<Vec<_>>())
        };
        let paths = markers.iter().map(path).collect::<Result<Vec<_>, String>>()?;
        match (self.shape, &paths[..]) {
            (ShapeName::Stick, [a, b]) => {
                let found = rod(&seen.times, [a, b], cutoff);
                let (motion, length) = found.ok_or_else(|| {
                    format!("obstacle.{name}: markers {} were never seen in the same frame", markers.join(" and "))
                })?;
                Ok((motion, Some(length)))
            }
            (ShapeName::Plane, [_, _, _, ..]) => {
                let mean = |path: &Vec<Option<DVec3>>| {
                    let (sum, count) = path.iter().flatten().fold((DVec3::ZERO, 0), |(sum, n), x| (sum + *x, n + 1));
                    (count > 0).then(|| sum / f64::from(count))
                };
                let places: Vec<DVec3> = paths.iter().filter_map(mean).collect();
                let pose = plane(&places, cloth).ok_or_else(|| {
                    format!("obstacle.{name}: its markers are on a line, or too few were seen: give three that span it")
                })?;
                Ok((Motion::still(pose), None))
            }
            (ShapeName::Stick, _) => Err(format!("obstacle.{name}.markers has {}: give its two ends", markers.len())),
            (ShapeName::Plane, _) => Err(format!("obstacle.{name}.markers has {}: give three or more", markers.len())),
            _ => Err(format!("obstacle.{name} cannot be told by markers: give it a body, or place_m")),
        }
    }

    fn body(&self, name: &str, found_length: Option<f64>) -> Result<Shape, String> {
        let need = |key: &str, value: Option<f64>| value.ok_or_else(|| format!("obstacle.{name}.{key} is missing"));
        let size = |count: usize| match &self.size_m {
            Some(size) if size.len() == count => Ok(size.clone()),
            _ => Err(format!("obstacle.{name}.size_m must have {count} numbers")),
        };
        Ok(match self.shape {
            ShapeName::Plane => Plane.into(),
            ShapeName::Table => {
                let size = size(2)?;
                Cuboid::table(size[0], size[1], TABLE_THICKNESS).into()
            }
            ShapeName::Box => Cuboid::new(0.5 * DVec3::from_slice(&size(3)?)).into(),
            ShapeName::Sphere => Sphere::new(need("radius_m", self.radius_m)?).into(),
            ShapeName::Cylinder => {
                let (radius, length) = (need("radius_m", self.radius_m)?, need("length_m", self.length_m)?);
                Cylinder::new(radius, 0.5 * length).into()
            }
            ShapeName::Stick => {
                let length = need("length_m", self.length_m.or(found_length))?;
                Stick::straight(length, need("radius_m", self.radius_m)?).into()
            }
        })
    }
}
