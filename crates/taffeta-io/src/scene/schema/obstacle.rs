//! `[obstacle.<name>]`: the bodies of the world.

use serde::{Deserialize, Serialize};

use super::Vector;
use super::travel::{TravelSettings, travel_apart, with_travel};

with_travel! {
    /// `[obstacle.<name>]`: a body, where it is and how it moves.
    pub struct ObstacleSettings {
        /// What it is.
        pub shape: ShapeName,
        /// Coefficient of friction with the cloth; 0.3 by default.
        pub friction: Option<f64>,
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
        /// What moves it; by default `moved` if it has a motion, else `fixed`.
        pub body: Option<BodyName>,
        /// Driven, free: its mass, kg.
        pub mass_kg: Option<f64>,
        /// Driven, free: moments of inertia about its centre of mass along its own axes, kg m²; by default those of its shape filled evenly.
        pub inertia_kg_m2: Option<Vector>,
        /// Driven, free: its centre of mass in its own frame, m; by default that of its shape.
        pub centre_m: Option<Vector>,
        /// Driven: stiffness along the axes of its target, N/m; 1e4 by default.
        #[serde(rename = "stiffness_N_m")]
        pub stiffness: Option<PerAxis>,
        /// Driven: damping along them, N s/m; critical by default.
        #[serde(rename = "damping_N_s_m")]
        pub damping: Option<PerAxis>,
        /// Driven: the largest force along each of them, N; 100 by default, `inf` for no limit.
        #[serde(rename = "max_force_N")]
        pub max_force: Option<PerAxis>,
        /// Driven: stiffness about them, N m/rad; 300 by default.
        #[serde(rename = "turning_stiffness_N_m_rad")]
        pub turning_stiffness: Option<PerAxis>,
        /// Driven: damping about them, N m s/rad; critical by default.
        #[serde(rename = "turning_damping_N_m_s_rad")]
        pub turning_damping: Option<PerAxis>,
        /// Driven: the largest torque about each of them, N m; 10 by default, `inf` for no limit.
        #[serde(rename = "max_torque_N_m")]
        pub max_torque: Option<PerAxis>,
    }
}

travel_apart!(ObstacleSettings);

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

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BodyName {
    /// Nothing.
    Fixed,
    /// Its motion, whatever force that takes.
    Moved,
    /// Springs and dampers that pull it to where its motion says, and all else that acts on it.
    Driven,
    /// All that acts on it.
    Free,
}

/// One number for all axes, or one for each.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PerAxis {
    /// The same along all of them.
    All(f64),
    /// Along x, y and z.
    Each(Vector),
}

impl PerAxis {
    /// The numbers along x, y and z.
    pub fn each(self) -> Vector {
        match self {
            PerAxis::All(number) => [number; 3],
            PerAxis::Each(numbers) => numbers,
        }
    }
}
