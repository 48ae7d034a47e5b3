//! The keys of a scene file. `docs/scenes.md` lists the same keys for whoever writes scenes.
//!
//! What is left out of a file is `None` here until the scene is resolved: then everything that has
//! a default has a value.

mod analytic;
mod garment;
mod goal;
mod gripper;
mod load;
mod obstacle;
mod seam;
mod travel;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taffeta::cloth::Scheme;
use taffeta::{Integrator, Interpolation, Method, OnFailure, Published};

pub use analytic::{AnalyticSettings, LawName};
pub use garment::{GarmentName, GarmentSettings};
pub use goal::GoalSettings;
pub use gripper::GripperSettings;
pub use load::LoadSettings;
pub use obstacle::{BodyName, ObstacleSettings, PerAxis, ShapeName};
pub use seam::{Chain, SeamSettings};
pub use travel::{TravelName, TravelSettings};

/// A vector in space.
pub type Vector = [f64; 3];

/// A scene file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// What happens, in one line.
    #[serde(default)]
    pub title: String,
    /// Simulated time, s: a multiple of `dt_s`.
    pub duration_s: f64,
    /// Length of a step, s.
    pub dt_s: f64,
    /// Time between recorded frames, s: a multiple of `dt_s`, which is the default.
    pub frame_interval_s: Option<f64>,
    /// Acceleration of gravity, m/s²; by default 9.81 down the z-axis.
    pub gravity_m_s2: Option<Vector>,
    /// Velocity of a uniform wind, m/s; left out, there is no air.
    pub wind_m_s: Option<Vector>,
    /// The cloth.
    pub cloth: ClothSettings,
    /// Who holds the cloth: any number of grasps, by name.
    #[serde(default)]
    pub held: BTreeMap<String, HeldSettings>,
    /// Forces on the cloth, by name.
    #[serde(default)]
    pub load: BTreeMap<String, LoadSettings>,
    /// The bodies of the world, by name.
    #[serde(default)]
    pub obstacle: BTreeMap<String, ObstacleSettings>,
    /// Hands with two fingers, by name.
    #[serde(default)]
    pub gripper: BTreeMap<String, GripperSettings>,
    /// Where the cloth is to be at the end.
    pub goal: Option<GoalSettings>,
    /// What the run is to be compared with.
    pub analytic: Option<AnalyticSettings>,
    /// How the steps are solved.
    #[serde(default)]
    pub solver: SolverSettings,
}

impl Settings {
    /// The paths of all files that the scene refers to.
    pub fn files(&self) -> impl Iterator<Item = &String> {
        let mesh = self.cloth.obj.iter().map(|obj| &obj.path);
        let trajectories = self.held.values().filter_map(|held| held.csv.as_ref());
        let bodies = self.obstacle.values().flat_map(|body| [&body.path, &body.csv]).flatten();
        let grippers = self.gripper.values().filter_map(|gripper| gripper.csv.as_ref());
        mesh.chain(trajectories).chain(bodies).chain(grippers)
    }
}

/// `[cloth]`: fabric and mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClothSettings {
    /// A fabric of the paper by name, `wool` by default; the keys below override it.
    pub fabric: Option<String>,
    /// Surface density, kg/m².
    pub density_kg_m2: Option<f64>,
    /// Virtual gravitational mass density, kg/m²; by default the fabric's, or a given density.
    pub virtual_density_kg_m2: Option<f64>,
    /// Damping of all motion, kg/(m²·s); by default 5/s times the density.
    pub damping_kg_m2_s: Option<f64>,
    /// Bending stiffness, N·m.
    #[serde(rename = "bending_N_m")]
    pub bending: Option<f64>,
    /// Damping of bending, N·m·s.
    #[serde(rename = "bending_damping_N_m_s")]
    pub bending_damping: Option<f64>,
    /// Compliance in shear, m/N; 0 is rigid.
    #[serde(rename = "shear_compliance_m_N")]
    pub shear_compliance: Option<f64>,
    /// Drag coefficient in the wind.
    pub drag: Option<f64>,
    /// Thickness, m: the middle surface keeps half of it from every obstacle, and all of it from itself; by default 0 for
    /// obstacles, and for the cloth itself 1 mm or a quarter of the shortest edge, whichever is less.
    pub thickness_m: Option<f64>,
    /// Stiffness against pressure, Pa: a slight pressure `p` takes `p/E` of the thickness; `inf` for none.
    #[serde(rename = "compression_Pa")]
    pub compression: Option<f64>,
    /// How much of the thickness no pressure takes.
    pub solid_fraction: Option<f64>,
    /// Whether the cloth meets itself; it does by default.
    pub self_collision: Option<bool>,
    /// Coefficient of friction of the cloth on itself; 0.3 by default.
    pub self_friction: Option<f64>,
    /// `ω`: parts of the cloth are watched that are closer than `1 + 2ω` times its thickness; 0.5 by default.
    pub proximity: Option<f64>,
    /// Velocity of the whole cloth at the start, m/s; at rest by default.
    pub velocity_m_s: Option<Vector>,
    /// How inextensibility is discretised; `edges` by default.
    pub scheme: Option<Scheme>,
    /// A rectangular sheet; exactly one of `grid`, `obj` and `garment` is needed.
    pub grid: Option<GridSettings>,
    /// A mesh from an OBJ file.
    pub obj: Option<ObjSettings>,
    /// A garment by its measures.
    pub garment: Option<GarmentSettings>,
    /// Sets of nodes by name, to be held; those of a garment are added.
    #[serde(default)]
    pub sets: BTreeMap<String, Vec<usize>>,
    /// Seams that close during the run, by name.
    #[serde(default)]
    pub seam: BTreeMap<String, SeamSettings>,
}

/// `[cloth.grid]`: a rectangular sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridSettings {
    /// Number of columns and rows of nodes, at least 2 each.
    pub nodes: [usize; 2],
    /// Length of the sheet along its rows and along its columns, m.
    pub size_m: [f64; 2],
    /// Place of the first node (column 0, row 0), m; the origin by default.
    pub corner_m: Option<Vector>,
    /// Direction in which the columns count; x by default.
    pub column_axis: Option<Vector>,
    /// Direction in which the rows count; z by default.
    pub row_axis: Option<Vector>,
    /// By how much the sheet is turned about the vertical through its middle, degrees; 0 by default.
    pub turned_deg: Option<f64>,
    /// How the quads are cut into triangles; `none` by default.
    pub triangles: Option<TrianglesName>,
    /// Radius of a cylinder along `row_axis` round which the sheet is bent, m; flat by default.
    pub cylinder_radius_m: Option<f64>,
    /// Number of such sheets, one above the other; 1 by default.
    pub sheets: Option<usize>,
    /// Height of each sheet above the one below, m; 0.05 by default.
    pub sheet_distance_m: Option<f64>,
    /// By how much each sheet is turned against the one below, degrees; 0 by default.
    pub sheet_turn_deg: Option<f64>,
}

/// How the quads of a grid are cut into triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrianglesName {
    /// They are not.
    None,
    /// From the first node of each quad.
    Forward,
    /// Along the other diagonal.
    Backward,
    /// Along one and the other by turns.
    Alternating,
}

/// `[cloth.obj]`: a mesh from a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjSettings {
    /// The file, relative to the scene file.
    pub path: String,
    /// Metres per unit of the file; 1 by default.
    pub scale_m: Option<f64>,
    /// Where the cloth is unstretched: in the mesh, by default, or in its texture coordinates.
    pub rest: Option<RestName>,
    /// Metres per unit of the texture coordinates, for `rest = "uv"`; 1 by default.
    pub uv_scale_m: Option<f64>,
}

/// Where the cloth is unstretched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestName {
    /// In the mesh.
    Mesh,
    /// In its texture coordinates, laid flat.
    Uv,
}

/// `[held.<name>]`: some nodes, held for some time and moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldSettings {
    /// A corner of a grid. Exactly one of `corner`, `side`, `set`, `nodes` and `near_m` is needed.
    pub corner: Option<String>,
    /// A side of a grid.
    pub side: Option<String>,
    /// A set of `[cloth.sets]`.
    pub set: Option<String>,
    /// Nodes, counted from 0.
    pub nodes: Option<Vec<usize>>,
    /// A place, m: the node that is nearest to it at the start of the run.
    pub near_m: Option<Vector>,
    /// With `near_m`: all nodes that are within this distance of it then instead, m.
    pub radius_m: Option<f64>,
    /// Whether they are held as by a hand, which gives, or exactly; `giving` by default.
    pub hold: Option<HoldName>,
    /// Giving: stiffness of the hand, N/m; 1e4 by default.
    #[serde(rename = "stiffness_N_m")]
    pub stiffness: Option<f64>,
    /// Giving: damping of the hand, N s/m; by default critical for the mass of the cloth.
    #[serde(rename = "damping_N_s_m")]
    pub damping: Option<f64>,
    /// Giving: the largest force of the hand, N; 100 by default, `inf` for no limit.
    #[serde(rename = "max_force_N")]
    pub max_force: Option<f64>,
    /// When the nodes are grasped, s; 0 by default.
    pub from_s: Option<f64>,
    /// When they are released, s; never (`inf`) by default.
    pub until_s: Option<f64>,
    /// How they are moved; `still` by default.
    pub motion: Option<MotionName>,
    /// Sinusoid: largest displacement, m.
    pub amplitude_m: Option<Vector>,
    /// Sinusoid: oscillations per second.
    pub frequency_hz: Option<f64>,
    /// Sinusoid: phase at t = 0; 0 by default.
    pub phase_rad: Option<f64>,
    /// Sinusoid: time over which it grows to its full amplitude, s; 0 by default.
    pub ramp_s: Option<f64>,
    /// Keyframes: their times in the run, s, each later than the one before.
    pub times_s: Option<Vec<f64>>,
    /// Keyframes: displacements, one per time, m.
    pub offsets_m: Option<Vec<Vector>>,
    /// Keyframes: places in space instead of displacements, m; for a single node.
    pub places_m: Option<Vec<Vector>>,
    /// Keyframes: angles about an axis, one per time, degrees, beside the displacements or instead of them.
    pub angles_deg: Option<Vec<f64>>,
    /// Keyframes: direction of that axis.
    pub turn_axis: Option<Vector>,
    /// Keyframes: a point on it, m.
    pub through_m: Option<Vector>,
    /// Keyframes: how the nodes move in between; `linear` by default.
    pub interpolation: Option<Interpolation>,
    /// CSV: a table with a column of times `t` or `t_s`, relative to the scene file.
    pub csv: Option<String>,
    /// CSV: the columns with the x, y and z of a single node, m.
    pub columns: Option<[String; 3]>,
}

/// How nodes are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HoldName {
    /// As by a hand: stiff, damped, and no stronger than it is.
    Giving,
    /// At their targets, whatever force that takes.
    Exact,
}

/// How held nodes are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MotionName {
    /// Not at all.
    Still,
    /// To and fro.
    Sinusoid,
    /// Through given displacements or places.
    Keyframes,
    /// Through the places in a table.
    Csv,
}

/// `[solver]`: how the steps are solved; the defaults are those of [`taffeta::Solver`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverSettings {
    /// The time integrator.
    pub integrator: Option<Integrator>,
    /// Largest relative strain a rigid condition may be left with.
    pub strain_tolerance: Option<f64>,
    /// Largest root mean square of the acceleration left unbalanced, m/s².
    pub acceleration_tolerance_m_s2: Option<f64>,
    /// Largest depth of a point inside an obstacle, and largest height of a point that is pushed by one, m.
    pub gap_tolerance_m: Option<f64>,
    /// Largest distance of a friction force from Coulomb's law, of the point's normal force or the mean one, whichever is larger.
    pub friction_tolerance: Option<f64>,
    /// How the quadratic programs of a step are solved.
    pub method: Option<Method>,
    /// Iterations before a step is tried again in halves.
    pub max_iterations: Option<usize>,
    /// How often a step may be halved.
    pub max_halvings: Option<u32>,
    /// Numeric factorisations that a step may take.
    pub max_factorisations: Option<usize>,
    /// What becomes of a step that cannot be solved.
    pub on_failure: Option<OnFailure>,
    /// Step as the authors' code of this year does instead; grids of quads only.
    pub published: Option<Published>,
}

/// What a scene calls a setting that is one of a list.
pub(super) fn name_of(setting: impl Serialize) -> String {
    match serde_json::to_value(setting) {
        Ok(serde_json::Value::String(name)) => name,
        other => format!("{other:?}"),
    }
}
