//! `[obstacle.<name>]`: the bodies of the world.

use serde::{Deserialize, Serialize};
use taffeta::Interpolation;

use super::Vector;

/// `[obstacle.<name>]`: a body, where it is and how it moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObstacleSettings {
    /// What it is.
    pub shape: ShapeName,
    /// Coefficient of friction with the cloth; 0.3 by default.
    pub friction: Option<f64>,
    /// Where its origin is, m; the world's by default.
    pub place_m: Option<Vector>,
    /// Direction of its own z axis in the world.
    pub axis: Option<Vector>,
    /// Axis about which it is turned instead, by `rotation_deg`.
    pub rotation_axis: Option<Vector>,
    /// By how much it is turned about `rotation_axis`, degrees.
    pub rotation_deg: Option<f64>,
    /// Floor: its height, m; 0 by default.
    pub height_m: Option<f64>,
    /// Sphere, cylinder, capsule, stick: radius, m.
    pub radius_m: Option<f64>,
    /// Cylinder: length, m; `inf` by default. Capsule: length of the part between its round ends, m.
    pub length_m: Option<f64>,
    /// Stick: the points of its chain of segments, m; at least two.
    pub points_m: Option<Vec<Vector>>,
    /// Box: sizes along x, y and z, m. Table: along x and y.
    pub size_m: Option<Vec<f64>>,
    /// Table: thickness, m; 0.03 by default.
    pub thickness_m: Option<f64>,
    /// Egg box: wave number, 1/m; 20 by default.
    #[serde(rename = "c1_1_m")]
    pub c1: Option<f64>,
    /// Egg box: one over its steepest slope; 0.075 by default.
    pub c2: Option<f64>,
    /// Mesh: an OBJ file, relative to the scene file.
    pub path: Option<String>,
    /// Mesh: metres per unit of the file; 1 by default.
    pub scale_m: Option<f64>,
    /// How it moves; `still` by default.
    pub motion: Option<TravelName>,
    /// Velocity: of its origin, m/s; 0 by default.
    pub velocity_m_s: Option<Vector>,
    /// Velocity: of its rotation about its origin, degrees/s, along axes of the world; 0 by default.
    pub angular_velocity_deg_s: Option<Vector>,
    /// Velocity: when it begins, s; 0 by default.
    pub from_s: Option<f64>,
    /// Velocity: when it ends, s; never (`inf`) by default.
    pub until_s: Option<f64>,
    /// Turn: direction of the axis in the world.
    pub turn_axis: Option<Vector>,
    /// Turn: a point on the axis, m; the body's place by default.
    pub through_m: Option<Vector>,
    /// Turn, keyframes: times in the run, s, each later than the one before.
    pub times_s: Option<Vec<f64>>,
    /// Turn: angles at these times, degrees.
    pub angles_deg: Option<Vec<f64>>,
    /// Keyframes: places of its origin at these times, m.
    pub places_m: Option<Vec<Vector>>,
    /// Keyframes: rotations at these times: an axis and an angle in degrees each.
    pub rotations_axis_deg: Option<Vec<[f64; 4]>>,
    /// Keyframes: the same as quaternions instead: w, x, y, z.
    pub rotations_wxyz: Option<Vec<[f64; 4]>>,
    /// Turn, keyframes: how it moves in between; `linear` by default.
    pub interpolation: Option<Interpolation>,
    /// CSV: a table with a column of times `t` or `t_s`, relative to the scene file.
    pub csv: Option<String>,
    /// CSV: the columns with x, y and z (m), and perhaps the quaternion's w, x, y and z.
    pub columns: Option<Vec<String>>,
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeName {
    /// All that is below its own xy plane.
    Plane,
    /// All that is below a height.
    Floor,
    /// A slab, its origin in the middle of its top.
    Table,
    /// A box about its origin.
    Box,
    /// A ball.
    Sphere,
    /// A cylinder about its own z axis.
    Cylinder,
    /// A cylinder with round ends.
    Capsule,
    /// A chain of segments with a radius.
    Stick,
    /// The paper's field of spikes.
    EggBox,
    /// The inside of a closed mesh.
    Mesh,
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TravelName {
    /// Not at all.
    Still,
    /// At constant velocity for some time.
    Velocity,
    /// About a fixed axis, to given angles.
    Turn,
    /// Through given poses.
    Keyframes,
    /// Through the poses in a table.
    Csv,
}
