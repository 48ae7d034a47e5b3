//! Obstacles, loads and the start of the cloth, as scenes describe them.

use std::fs;
use std::path::Path;

use taffeta::obstacle::Obstacle;
use taffeta::{DVec3, Simulation};
use taffeta_io::scene::Scene;

const SHEET: &str = r#"
duration_s = 1.0
dt_s = 0.01
cloth.grid = { nodes = [4, 5], size_m = [0.3, 0.4], row_axis = [0, 1, 0], corner_m = [-0.15, -0.2, 5.0] }
"#;

fn scene(text: &str, dir: &Path) -> Scene {
    Scene::from_text("sheet", &format!("{SHEET}{text}"), Some(&dir.join("sheet.toml"))).unwrap()
}

fn build(text: &str) -> Simulation {
    scene(text, Path::new("")).build().unwrap()
}

fn obstacle(text: &str) -> Obstacle {
    build(&format!("[obstacle.a]\n{text}")).obstacles.remove(0)
}

/// Distance of a point of the world from an obstacle at a time.
fn gap(obstacle: &Obstacle, point: [f64; 3], time: f64) -> f64 {
    obstacle.shape.near(obstacle.motion.at(time).to_local(DVec3::from_array(point))).gap
}

#[test]
fn every_shape_is_where_its_keys_say() {
    for (keys, point, expected) in [
        ("shape = 'plane'\nplace_m = [0, 0, 1]\naxis = [0, 2, 0]", [7.0, 3.0, 9.0], 3.0),
        ("shape = 'plane'\nrotation_axis = [1, 0, 0]\nrotation_deg = -90", [7.0, 3.0, 9.0], 3.0),
        ("shape = 'floor'", [1.0, 1.0, 0.5], 0.5),
        ("shape = 'floor'\nheight_m = -0.5", [1.0, 1.0, 0.5], 1.0),
        ("shape = 'table'\nplace_m = [0, 0, 1]\nsize_m = [2, 4]", [0.9, 1.9, 1.2], 0.2),
        ("shape = 'table'\nplace_m = [0, 0, 1]\nsize_m = [2, 4]", [0.9, 1.9, 0.77], 0.2),
        ("shape = 'table'\nsize_m = [2, 4]\nthickness_m = 0.5", [0.0, 2.5, -0.3], 0.5),
        ("shape = 'box'\nsize_m = [2, 4, 6]", [0.0, 0.0, 3.5], 0.5),
        ("shape = 'sphere'\nradius_m = 0.25\nplace_m = [0, 1, 0]", [0.0, 2.0, 0.0], 0.75),
        ("shape = 'cylinder'\nradius_m = 0.1\naxis = [1, 0, 0]", [99.0, 0.0, 0.3], 0.2),
        ("shape = 'cylinder'\nradius_m = 0.1\nlength_m = 2", [0.0, 0.0, 1.3], 0.3),
        ("shape = 'capsule'\nradius_m = 0.1\nlength_m = 2", [0.0, 0.0, 1.3], 0.2),
        ("shape = 'egg-box'\nc1_1_m = 1\nc2 = 2", [0.0, 0.0, 0.0], 0.0),
        ("shape = 'egg-box'", [0.07853981633974483, 0.07853981633974483, 1.0 / 1.5 + 0.1], 0.1),
    ] {
        let got = gap(&obstacle(keys), point, 0.0);
        assert!((got - expected).abs() < 1e-9, "{keys}: {got} and not {expected}");
    }
}

#[test]
fn every_motion_goes_where_its_keys_say() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("ball.csv"), "t,x,y,z\n0,0,0,0\n2,0,0,4\n").unwrap();
    fs::write(dir.path().join("tilt.csv"), "t,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,0,0,0,0,1,0,0\n").unwrap();
    let ball = "shape = 'sphere'\nradius_m = 1";
    for (keys, time, point, expected) in [
        (format!("{ball}\nmotion = 'velocity'\nvelocity_m_s = [0, 0, 2]\nfrom_s = 1\nuntil_s = 2"), 0.5, [0.0; 3], -1.0),
        (format!("{ball}\nmotion = 'velocity'\nvelocity_m_s = [0, 0, 2]\nfrom_s = 1\nuntil_s = 2"), 9.0, [0.0; 3], 1.0),
        (
            "shape = 'plane'\nmotion = 'velocity'\nangular_velocity_deg_s = [90, 0, 0]".to_owned(),
            1.0,
            [0.0, -3.0, 0.0],
            3.0,
        ),
        (
            format!("{ball}\nplace_m = [2, 0, 0]\nmotion = 'turn'\nturn_axis = [0, 0, 3]\nthrough_m = [0, 0, 0]\ntimes_s = [0, 1]\nangles_deg = [0, 90]"),
            1.0,
            [0.0, 2.0, 0.0],
            -1.0,
        ),
        (
            format!("{ball}\nplace_m = [2, 0, 0]\nmotion = 'turn'\nturn_axis = [0, 0, 3]\ntimes_s = [0, 1]\nangles_deg = [0, 90]"),
            1.0,
            [2.0, 0.0, 0.0],
            -1.0,
        ),
        (
            format!("{ball}\nmotion = 'keyframes'\ntimes_s = [0, 1]\nplaces_m = [[0, 0, 0], [0, 0, 4]]\ninterpolation = 'smooth'"),
            0.25,
            [0.0, 0.0, 0.625],
            -1.0,
        ),
        (
            "shape = 'plane'\nmotion = 'keyframes'\ntimes_s = [0]\nplaces_m = [[0, 0, 1]]\nrotations_axis_deg = [[1, 0, 0, 90]]".to_owned(),
            1.0,
            [0.0, -3.0, 0.0],
            3.0,
        ),
        (
            "shape = 'plane'\nmotion = 'keyframes'\ntimes_s = [0]\nplaces_m = [[0, 0, 1]]\nrotations_wxyz = [[0, 2, 0, 0]]".to_owned(),
            1.0,
            [0.0, 0.0, 0.0],
            1.0,
        ),
        (
            "shape = 'plane'\naxis = [0, 0, -1]\nmotion = 'keyframes'\ntimes_s = [0]\nplaces_m = [[0, 0, 1]]".to_owned(),
            1.0,
            [0.0, 0.0, 0.0],
            1.0,
        ),
        (format!("{ball}\nmotion = 'csv'\ncsv = 'ball.csv'"), 0.5, [0.0, 0.0, 1.0], -1.0),
        (format!("{ball}\nmotion = 'csv'\ncsv = 'ball.csv'\ncolumns = ['z', 'y', 'x']"), 0.5, [1.0, 0.0, 0.0], -1.0),
        ("shape = 'plane'\nmotion = 'csv'\ncsv = 'tilt.csv'".to_owned(), 0.5, [0.0, -3.0, 0.0], 3.0),
    ] {
        let obstacle = scene(&format!("[obstacle.a]\n{keys}"), dir.path()).obstacles().unwrap().remove(0);
        let got = gap(&obstacle, point, time);
        assert!((got - expected).abs() < 1e-9, "{keys}: {got} and not {expected}");
    }
}

#[test]
fn a_mesh_is_a_body() {
    let dir = tempfile::tempdir().unwrap();
    let corners: String = (0..8).map(|k| format!("v {} {} {}\n", k & 1, k >> 1 & 1, k >> 2 & 1)).collect();
    let cube = "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    fs::write(dir.path().join("cube.obj"), format!("{corners}{cube}")).unwrap();
    let text = "[obstacle.a]\nshape = 'mesh'\npath = 'cube.obj'\nscale_m = 0.1\nplace_m = [0, 0, 1]\nfriction = 0.9\n";
    let resolved = scene(text, dir.path()).to_toml().unwrap();
    let obstacles = Scene::from_text("again", &resolved, None).unwrap().obstacles().unwrap();
    assert!((gap(&obstacles[0], [0.05, 0.05, 1.3], 0.0) - 0.2).abs() < 1e-12);
    assert_eq!(obstacles[0].friction, 0.9);
}

#[test]
fn obstacles_come_in_the_order_of_their_names_and_can_be_overridden() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("two.toml");
    fs::write(&path, format!("{SHEET}[obstacle.roof]\nshape = 'plane'\n[obstacle.floor]\nshape = 'floor'\n")).unwrap();
    let overrides =
        [("obstacle.roof.friction", "0.2"), ("obstacle.ball.shape", "sphere"), ("obstacle.ball.radius_m", "1")];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let simulation = Scene::load(path.to_str().unwrap(), &overrides).unwrap().build().unwrap();
    let found: Vec<(&str, f64)> = simulation.obstacles.iter().map(|o| (o.name.as_str(), o.friction)).collect();
    assert_eq!(found, [("ball", 0.3), ("floor", 0.3), ("roof", 0.2)]);
}

#[test]
fn cloth_lands_on_what_is_below_it() {
    let mut simulation = build("[obstacle.floor]\nshape = 'floor'\nheight_m = 4.9\n");
    for _ in 0..60 {
        simulation.step().unwrap();
    }
    for place in simulation.positions() {
        assert!((place.z - 4.9).abs() < 1e-4, "{place}");
    }
}

#[test]
fn a_sheet_is_turned_about_its_middle_and_thrown() {
    let text = SHEET.replace("corner_m", "turned_deg = 90, corner_m")
        + "cloth.velocity_m_s = [1, 2, 3]\ncloth.thickness_m = 0.002\n";
    let simulation = Scene::from_text("turned", &text, None).unwrap().build().unwrap();
    let first = simulation.positions()[0];
    assert!(first.distance(DVec3::new(0.2, -0.15, 5.0)) < 1e-12, "{first}");
    assert!(simulation.velocities().iter().all(|&v| v == DVec3::new(1.0, 2.0, 3.0)));
    assert_eq!(simulation.params.material.thickness, 0.002);
}

#[test]
fn loads_pull_as_their_keys_say() {
    let text = "gravity_m_s2 = [0, 0, 0]\n".to_owned()
        + SHEET
        + "[load.pull]\nside = 'top'\nforce_N = [0, 4, 0]\n[load.grow]\nnodes = [0]\ntimes_s = [0, 1]\nforces_N = [[0, 0, 0], [2, 0, 0]]\n";
    let simulation = Scene::from_text("loads", &text, None).unwrap().build().unwrap();
    let [grow, pull] = simulation.loads() else { panic!("two loads") };
    assert_eq!((grow.nodes.as_slice(), pull.nodes.as_slice()), (&[0][..], &[16, 17, 18, 19][..]));
    assert_eq!((grow.force.at(0.25), pull.force.at(0.25)), (DVec3::X * 0.5, DVec3::Y * 4.0));
}

#[test]
fn the_obstacles_in_the_documentation_can_be_built() {
    let documentation = include_str!("../../../docs/scenes.md");
    let mut examples = documentation.split("```toml").skip(1).filter_map(|rest| rest.split("```").next());
    let example = examples.find(|example| example.contains("[obstacle.")).unwrap();
    let names: Vec<String> = build(example).obstacles.into_iter().map(|obstacle| obstacle.name).collect();
    assert_eq!(names, ["roller", "table"]);
}
