//! Scenes: keys, documentation, defaults, overrides and the round trip through a file.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use taffeta::DVec3;
use taffeta_io::scene::schema::Settings;
use taffeta_io::scene::{Scene, SceneError, shipped};

const DOCUMENTATION: &str = include_str!("../../../docs/scenes.md");

/// Every key there is, if not in a way that could be run.
const EVERY_KEY: &str = r#"
title = "all"
duration_s = 1
dt_s = 0.01
frame_interval_s = 0.02
gravity_m_s2 = [0, 0, -9.81]
wind_m_s = [0, 1, 0]
[cloth]
fabric = "wool"
density_kg_m2 = 0.2
virtual_density_kg_m2 = 0.1
damping_kg_m2_s = 0.5
bending_N_m = 1e-6
bending_damping_N_m_s = 1e-8
shear_compliance_m_N = 0.01
drag = 1
thickness_m = 0.001
compression_Pa = 3e4
solid_fraction = 0.2
self_collision = true
self_friction = 0.3
proximity = 0.5
velocity_m_s = [0, 0, 1]
scheme = "nodal"
grid = { nodes = [3, 3], size_m = [1, 1], corner_m = [0, 0, 0], column_axis = [1, 0, 0], row_axis = [0, 0, 1], turned_deg = 20, triangles = "forward", cylinder_radius_m = 1, sheets = 2, sheet_distance_m = 0.1, sheet_turn_deg = 5 }
obj = { path = "a.obj", scale_m = 1, rest = "uv", uv_scale_m = 1 }
sets = { hem = [0, 1] }
[cloth.garment]
kind = "shorts"
cell_m = 0.03
gap_m = 0.01
measures_m = { waist = 0.8 }
place_m = [0, 0, 0]
across_axis = [1, 0, 0]
up_axis = [0, 0, 1]
[cloth.seam.one]
first = "left"
second = [0, 1]
from_s = 0
until_s = 1
[held.one]
corner = "top-left"
side = "top"
set = "hem"
nodes = [0]
near_m = [0, 0, 0]
radius_m = 0.1
hold = "giving"
stiffness_N_m = 5e3
damping_N_s_m = 20
max_force_N = 50
from_s = 0
until_s = 1
motion = "csv"
amplitude_m = [0, 0, 0]
frequency_hz = 1
phase_rad = 0
ramp_s = 1
times_s = [0]
offsets_m = [[0, 0, 0]]
places_m = [[0, 0, 0]]
angles_deg = [0]
turn_axis = [0, 0, 1]
through_m = [0, 0, 0]
interpolation = "smooth"
csv = "a.csv"
columns = ["x", "y", "z"]
[load.one]
corner = "top-left"
side = "top"
set = "hem"
nodes = [0]
force_N = [0, 0, 1]
times_s = [0]
forces_N = [[0, 0, 1]]
interpolation = "smooth"
[obstacle.one]
shape = "egg-box"
friction = 1
place_m = [0, 0, 0]
axis = [0, 0, 1]
rotation_axis = [0, 0, 1]
rotation_deg = 10
height_m = 0
radius_m = 1
length_m = 1
points_m = [[0, 0, 0], [1, 0, 0]]
size_m = [1, 1]
thickness_m = 1
c1_1_m = 20
c2 = 0.1
path = "a.obj"
scale_m = 1
body = "driven"
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
centre_m = [0, 0, 0]
stiffness_N_m = 1e3
damping_N_s_m = [1, 1, 0]
max_force_N = inf
turning_stiffness_N_m_rad = 10
turning_damping_N_m_s_rad = 1
max_torque_N_m = [1, 2, 3]
motion = "turn"
velocity_m_s = [0, 0, 0]
angular_velocity_deg_s = [0, 0, 0]
from_s = 0
until_s = 1
turn_axis = [0, 0, 1]
through_m = [0, 0, 0]
times_s = [0]
angles_deg = [0]
places_m = [[0, 0, 0]]
rotations_axis_deg = [[0, 0, 1, 10]]
rotations_wxyz = [[1, 0, 0, 0]]
interpolation = "smooth"
csv = "a.csv"
columns = ["x", "y", "z"]
[gripper.one]
pad_m = [0.02, 0.03]
pad_radius_m = 0.01
finger_m = 0.01
opening_m = 0.05
speed_m_s = 0.2
force_N = 20
friction = 1
closed_s = [[0.5, 1]]
stiffness_N_m = 5e3
damping_N_s_m = 20
max_force_N = 50
place_m = [0, 0, 0]
axis = [0, 0, 1]
rotation_axis = [0, 0, 1]
rotation_deg = 10
motion = "turn"
velocity_m_s = [0, 0, 0]
angular_velocity_deg_s = [0, 0, 0]
from_s = 0
until_s = 1
turn_axis = [0, 0, 1]
through_m = [0, 0, 0]
times_s = [0]
angles_deg = [0]
places_m = [[0, 0, 0]]
rotations_axis_deg = [[0, 0, 1, 10]]
rotations_wxyz = [[1, 0, 0, 0]]
interpolation = "smooth"
csv = "a.csv"
columns = ["x", "y", "z"]
[goal]
polygon_m = [[0, 0], [1, 0], [0, 1]]
corners_m = { top-left = [0, 0, 0] }
[analytic]
law = "capstan"
obstacle = "one"
angle_deg = 180
pulling = "one"
holding = "one"
slip_speed_m_s = 0.1
[solver]
integrator = "bdf2"
strain_tolerance = 1e-3
acceleration_tolerance_m_s2 = 1
gap_tolerance_m = 1e-5
friction_tolerance = 1e-3
method = "paper"
max_iterations = 10
max_halvings = 3
max_factorisations = 500
on_failure = "degrade"
published = "euler-2021"
"#;

const SHEET: &str = r#"
duration_s = 0.1
dt_s = 0.01
cloth.grid = { nodes = [4, 5], size_m = [0.3, 0.4] }
"#;

fn leaves(table: &toml::Table, path: &str, found: &mut BTreeSet<String>) {
    for (key, value) in table {
        // Names are free to choose in some places.
        let named = [
            "held.",
            "load.",
            "obstacle.",
            "gripper.",
            "goal.corners_m.",
            "cloth.sets.",
            "cloth.seam.",
            "cloth.garment.measures_m.",
        ]
        .contains(&path);
        let key = if named { "<name>" } else { key };
        let path = format!("{path}{key}");
        match value {
            toml::Value::Table(table) => leaves(table, &format!("{path}."), found),
            _ => {
                found.insert(path);
            }
        }
    }
}

#[test]
fn every_key_is_documented_and_every_documented_key_is_there() {
    let full: Settings = toml::from_str(EVERY_KEY).unwrap();
    assert!(!format!("{full:?}").contains("None"), "a key is not listed in this test");
    let mut keys = BTreeSet::new();
    leaves(&toml::Table::try_from(&full).unwrap(), "", &mut keys);
    let documented: BTreeSet<String> = DOCUMENTATION
        .lines()
        .filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned()))
        .collect();
    assert_eq!(keys, documented);
}

#[test]
fn the_example_in_the_documentation_is_a_scene() {
    let example = DOCUMENTATION.split("```toml").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    let scene = Scene::from_text("towel", example, None).unwrap();
    let mut simulation = scene.build().unwrap();
    simulation.step().unwrap();
}

#[test]
fn the_documented_defaults_of_the_solver_are_the_solvers() {
    let solver = taffeta::Solver::default();
    for (key, value) in [
        ("strain_tolerance", format!("{:e}", solver.strain_tolerance)),
        ("acceleration_tolerance_m_s2", solver.acceleration_tolerance.to_string()),
        ("gap_tolerance_m", format!("{:e}", solver.gap_tolerance)),
        ("friction_tolerance", format!("{:e}", solver.friction_tolerance)),
        ("max_iterations", solver.max_iterations.to_string()),
        ("max_halvings", solver.max_halvings.to_string()),
        ("max_factorisations", solver.max_factorisations.to_string()),
    ] {
        let start = format!("| `solver.{key}`");
        let row = DOCUMENTATION.lines().find(|line| line.starts_with(&start)).unwrap();
        assert!(row.ends_with(&format!("| {value} |")), "{row} and not {value}");
    }
}

/// Asserts that two scenes run alike to the bit for some steps.
fn assert_alike(a: &Scene, b: &Scene) {
    assert_eq!(a.settings(), b.settings());
    assert_eq!((a.steps(), a.steps_per_frame()), (b.steps(), b.steps_per_frame()));
    let (mut a, mut b) = (a.build().unwrap(), b.build().unwrap());
    assert_eq!(a.params, b.params);
    for _ in 0..3 {
        a.step().unwrap();
        b.step().unwrap();
        assert_eq!(a.progress(), b.progress());
    }
}

#[test]
fn shipped_scenes_survive_being_written_and_read_again() {
    for &(name, _) in shipped() {
        let scene = Scene::load(name, &[]).unwrap();
        assert!(!scene.settings().title.is_empty(), "{name}");
        let text = scene.to_toml().unwrap();
        let again = Scene::from_text(name, &text, None).unwrap();
        assert_alike(&scene, &again);
        assert_eq!(again.to_toml().unwrap(), text);
    }
}

#[test]
fn files_are_found_beside_the_scene_and_from_everywhere_once_resolved() {
    let dir = tempfile::tempdir().unwrap();
    let quad = "v 0 0 0\nv 10 0 0\nv 10 0 10\nv 0 0 10\nf 1 2 3 4\n";
    fs::write(dir.path().join("quad.obj"), quad).unwrap();
    fs::write(dir.path().join("hand.csv"), "t,x,y,z\n0,1,0,1\n1,0.9,0,1\n").unwrap();
    let text = "duration_s = 1\ndt_s = 0.01\ncloth.obj = { path = \"quad.obj\", scale_m = 0.1 }\n\
        held.hand = { nodes = [2], motion = \"csv\", csv = \"hand.csv\", columns = [\"x\", \"y\", \"z\"] }\n\
        held.peg = { nodes = [0], from_s = 0.5 }\n";
    let path = dir.path().join("quad.toml");
    fs::write(&path, text).unwrap();
    let scene = Scene::load(path.to_str().unwrap(), &[]).unwrap();
    assert_eq!(scene.name(), "quad");
    let elsewhere = Scene::from_text("quad", &scene.to_toml().unwrap(), None).unwrap();
    assert_alike(&scene, &elsewhere);

    let mut simulation = scene.build().unwrap();
    assert_eq!(scene.held_at_start(&simulation).unwrap(), [2]);
    simulation.step().unwrap();
    let target = simulation.held().iter().find(|held| held.node == 2).unwrap().target;
    assert!(target.distance(DVec3::new(0.999, 0.0, 1.0)) < 1e-12);
}

#[test]
fn a_bent_sheet_is_the_published_surface() {
    let mut text = SHEET.replace("[0.3, 0.4]", "[0.3, 0.4], cylinder_radius_m = 0.5");
    text = text.replace("[4, 5]", "[31, 5], corner_m = [0, 0, -0.4]");
    let simulation = Scene::from_text("bent", &text, None).unwrap().build().unwrap();
    let most = 0.15 / 0.5;
    for (node, place) in simulation.positions().iter().enumerate() {
        let (column, row) = (node % 31, node / 31);
        let s = -most + 2.0 * most * column as f64 / 30.0;
        let expected = DVec3::new(
            0.5 * (f64::sin(s) + f64::sin(most)),
            0.5 * (f64::cos(s) - f64::cos(most)),
            -0.4 + 0.1 * row as f64,
        );
        assert!(place.distance(expected) < 1e-14, "{node}");
    }
    let length = simulation.positions()[..31].windows(2).map(|pair| pair[0].distance(pair[1]));
    assert!((length.sum::<f64>() / 0.3 - 1.0).abs() < 1e-4);
}

fn load_sheet(overrides: &[(&str, &str)]) -> Result<Scene, SceneError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sheet.toml");
    fs::write(&path, SHEET).unwrap();
    let overrides: Vec<(String, String)> =
        overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Scene::load(path.to_str().unwrap(), &overrides)
}

#[test]
fn overrides_are_toml_or_words_and_make_tables() {
    let scene = load_sheet(&[
        ("cloth.fabric", "denim"),
        ("cloth.scheme", "\"nodal\""),
        ("wind_m_s", "[1, 2.5, 0]"),
        ("held.new.corner", "top-left"),
        ("title", "two words"),
        ("duration_s", "0.2"),
    ])
    .unwrap();
    let settings = scene.settings();
    assert_eq!(settings.cloth.density_kg_m2, Some(0.3046));
    assert_eq!(settings.wind_m_s, Some([1.0, 2.5, 0.0]));
    assert_eq!(settings.held["new"].corner.as_deref(), Some("top-left"));
    assert_eq!(settings.title, "two words");
    assert_eq!(scene.steps(), 20);
}

#[test]
fn mistakes_in_overrides_are_named() {
    for (key, value, fragment) in [
        ("held.new.cornr", "top-left", "held.new.cornr is not a key of a scene: did you mean `corner`?"),
        ("title.x", "1", "title"),
        ("", "1", "--set"),
        ("cloth..x", "1", "--set cloth..x"),
        ("dt_s", "[0,1", "dt_s is wrong"),
        ("dt_s", "1\nduration_s = 3", "dt_s is wrong"),
    ] {
        let overrides = [("title", "text"), (key, value)];
        let error = load_sheet(&overrides).unwrap_err().to_string();
        assert!(error.contains(fragment), "{key}={value}: {error}");
    }
}

#[test]
fn the_line_of_a_mistake_is_named() {
    for (text, line, fragment) in [
        (SHEET.replace("[4, 5]", "[4, 1]"), 4, "cloth.grid.nodes must be at least 2"),
        (SHEET.replace("dt_s = 0.01", "dt_s = 'x'"), 3, "dt_s is wrong"),
        (format!("{SHEET}\n[held.a]\ncorner = 'top-left'\nramp_s = 1"), 8, "held.a.ramp_s"),
        (format!("{SHEET}\n[held.a]\nnodes = [20]"), 7, "held.a.nodes has node 20"),
        (format!("{SHEET}\nwind = ["), 6, "array"),
    ] {
        let scene = Scene::from_text("sheet", &text, Some(Path::new("my/sheet.toml")));
        let error = scene.and_then(|scene| scene.build().map(drop)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("my/sheet.toml, line {line}: ")), "{error}");
        assert!(error.contains(fragment), "{error}");
    }
}

#[test]
fn a_node_may_change_hands_but_not_be_in_two() {
    let two = |until: &str, from: &str| {
        let text = format!(
            "{SHEET}\n[held.a]\nside = 'top'\nuntil_s = {until}\n[held.b]\ncorner = 'top-left'\nfrom_s = {from}\n"
        );
        Scene::from_text("sheet", &text, None).unwrap().build().map(drop)
    };
    two("0.05", "0.05").unwrap();
    two("0.05", "0.07").unwrap();
    let error = two("0.06", "0.05").unwrap_err().to_string();
    assert!(error.contains("held.b and held.a both hold node 16"), "{error}");
}
