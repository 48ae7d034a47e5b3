//! Grippers, bodies that answer to forces, and what is held by its place, as scenes describe them.

use std::fs;

use taffeta::obstacle::{Drive, Servo};
use taffeta::{DQuat, DVec3, Pad};
use taffeta_io::scene::{Scene, SceneError};

/// A level sheet of 4 by 5 nodes, 0.1 m apart, at a height of 1 m.
const SHEET: &str = r#"
duration_s = 1.0
dt_s = 0.01
cloth.grid = { nodes = [4, 5], size_m = [0.3, 0.4], row_axis = [0, 1, 0], corner_m = [0, 0, 1] }
"#;

fn scene(text: &str) -> Result<Scene, SceneError> {
    Scene::from_text("sheet", &format!("{SHEET}{text}"), None)
}

/// What is said of a scene that cannot be.
fn refusal(text: &str) -> String {
    scene(text).and_then(|scene| scene.build().map(drop)).expect_err(text).to_string()
}

#[test]
fn bodies_are_free_and_driven_as_their_keys_say() {
    let text = "[obstacle.glass]\nshape = 'box'\nsize_m = [0.2, 0.2, 0.4]\nplace_m = [0, 0, 3]\nbody = 'free'\nmass_kg = 0.6\n\
        velocity_m_s = [1, 0, 0]\nangular_velocity_deg_s = [0, 0, 180]\n\
        [obstacle.pad]\nshape = 'sphere'\nradius_m = 0.1\nbody = 'driven'\nmass_kg = 2\ninertia_kg_m2 = [1, 2, 2.5]\ncentre_m = [0, 0, 0.05]\n\
        motion = 'velocity'\nvelocity_m_s = [0, 0.5, 0]\nstiffness_N_m = [400, 0, 100]\nmax_force_N = inf\nturning_damping_N_m_s_rad = 0\n\
        max_torque_N_m = [1, 2, 3]\n\
        [obstacle.still]\nshape = 'floor'\nheight_m = -9\n[obstacle.turns]\nshape = 'sphere'\nradius_m = 0.1\nplace_m = [5, 5, 5]\n\
        motion = 'velocity'\n";
    let scene = scene(text).unwrap();
    let settings = scene.settings();
    let kinds: Vec<String> = settings.obstacle.values().map(|body| format!("{:?}", body.body.unwrap())).collect();
    assert_eq!(kinds, ["Free", "Driven", "Fixed", "Moved"]);

    let obstacles = scene.obstacles().unwrap();
    let glass = obstacles[0].dynamics.unwrap();
    assert_eq!((glass.servo, glass.inertia.mass, glass.velocity), (None, 0.6, DVec3::X));
    assert!((glass.inertia.moments.z_axis.z - 0.6 * (0.04 + 0.04) / 12.0).abs() < 1e-15);
    assert!((glass.angular_velocity - DVec3::Z * std::f64::consts::PI).length() < 1e-15);

    let pad = obstacles[1].dynamics.unwrap();
    assert_eq!((pad.inertia.centre, pad.inertia.moments.y_axis.y), (DVec3::Z * 0.05, 2.0));
    let Servo { linear, angular } = pad.servo.unwrap();
    // Critically damped: 2 √(k m).
    let damping = DVec3::new(2.0 * f64::sqrt(400.0 * 2.0), 0.0, 2.0 * f64::sqrt(100.0 * 2.0));
    assert!((linear.damping - damping).length() < 1e-12, "{linear:?}");
    assert_eq!((linear.stiffness, linear.limit), (DVec3::new(400.0, 0.0, 100.0), DVec3::INFINITY));
    let stiffness = DVec3::splat(300.0);
    assert_eq!(angular, Drive { stiffness, damping: DVec3::ZERO, limit: DVec3::new(1.0, 2.0, 3.0) });
    assert_eq!((obstacles[2].dynamics, obstacles[3].dynamics), (None, None));
}

#[test]
fn a_free_body_falls_and_a_driven_one_follows_its_motion_and_both_are_resumed_to_the_same_bits() {
    let text = "[obstacle.glass]\nshape = 'box'\nsize_m = [0.02, 0.02, 0.02]\nplace_m = [0.9, 0, 3]\nbody = 'free'\nmass_kg = 0.6\n\
        [obstacle.pad]\nshape = 'sphere'\nradius_m = 0.05\nbody = 'driven'\nmass_kg = 0.2\nmotion = 'keyframes'\ntimes_s = [0, 0.5]\n\
        places_m = [[0.15, 0.2, 1.1], [0.15, 0.2, 0.9]]\ninterpolation = 'smooth'\n";
    let scene = scene(text).unwrap();
    let mut simulation = scene.build().unwrap();
    let run = |simulation: &mut taffeta::Simulation, steps: usize| {
        for step in 0..steps {
            simulation.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
        }
    };
    run(&mut simulation, 30);
    let saved = simulation.progress().clone();
    run(&mut simulation, 30);
    let [glass, pad] = simulation.poses()[..] else { panic!("two bodies") };
    assert!((glass.translation.z - (3.0 - 0.5 * 9.81 * 0.01 * 0.01 * 60.0 * 61.0)).abs() < 1e-9, "{glass:?}");
    // The weight of the ball and of some cloth hangs from the arm of 1e4 N/m.
    assert!((pad.translation.z - 0.9).abs() < 1e-3, "{pad:?}");
    let mut again = scene.build().unwrap();
    again.restore(saved).unwrap();
    run(&mut again, 30);
    assert_eq!(again.progress(), simulation.progress());
    assert_eq!(again.poses(), simulation.poses());
}

#[test]
fn nonsense_about_bodies_is_refused_with_what_to_do() {
    let ball = "[obstacle.a]\nshape = 'sphere'\nradius_m = 0.1\n";
    for (keys, fragment) in [
        ("body = 'fixed'\nmotion = 'velocity'", "obstacle.a.body is \"fixed\", and it has a motion"),
        ("body = 'moved'", "obstacle.a.body is \"moved\", and it has no motion"),
        ("body = 'loose'", "cannot be \"loose\": use one of fixed, moved, driven, free"),
        ("body = 'free'", "obstacle.a.mass_kg is missing: body = \"free\" needs it"),
        ("body = 'free'\nmass_kg = -1", "obstacle.a.mass_kg is -1: it must be a positive number"),
        (
            "body = 'free'\nmass_kg = 1\nmotion = 'velocity'",
            "obstacle.a.motion is \"velocity\", and obstacle.a.body is \"free\"",
        ),
        ("body = 'free'\nmass_kg = 1\nstiffness_N_m = 3", "obstacle.a.stiffness_N_m is for body = \"driven\" only"),
        (
            "mass_kg = 1",
            "obstacle.a.mass_kg is for body = \"driven\" and body = \"free\" only, and this body is \"fixed\"",
        ),
        ("body = 'driven'\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 3]", "obstacle.a.inertia_kg_m2 is of no body"),
        (
            "body = 'driven'\nmass_kg = 1\nstiffness_N_m = [1, -1, 1]",
            "obstacle.a.stiffness_N_m must be 0 or a positive number",
        ),
        ("body = 'driven'\nmass_kg = 1\nstiffness_N_m = [1, 1]", "expected a number, or three"),
        ("body = 'driven'\nmass_kg = 1\nmax_torque_N_m = nan", "obstacle.a.max_torque_N_m must be 0 or"),
        ("velocity_m_s = [1, 0, 0]", "obstacle.a.velocity_m_s has no effect with motion = \"still\""),
    ] {
        let said = refusal(&format!("{ball}{keys}\n"));
        assert!(said.contains(fragment), "{keys}: {said}");
    }
    let said = refusal("[obstacle.a]\nshape = 'cylinder'\nradius_m = 0.1\nbody = 'free'\nmass_kg = 1\n");
    assert!(said.contains("a cylinder without bounds has no inertia"), "{said}");
}

#[test]
fn a_gripper_is_as_its_keys_say() {
    let text = "[gripper.left]\nplace_m = [0.15, 0.2, 1.0]\naxis = [0, 0, -1]\nopening_m = 0.03\nspeed_m_s = 0.2\nforce_N = 6\nfriction = 0.6\n\
        closed_s = [[0.2, 0.5], [0.8, inf]]\nstiffness_N_m = 2e3\ndamping_N_s_m = 7\nmax_force_N = inf\npad_m = [0.01, 0.02]\nfinger_m = 0.004\n\
        [gripper.right]\npad_radius_m = 0.015\nplace_m = [9, 9, 9]\n[obstacle.z]\nshape = 'floor'\n";
    let scene = scene(text).unwrap();
    let simulation = scene.build().unwrap();
    let [(left, fingers), (right, _)] = simulation.grippers() else { panic!("two grippers") };
    assert_eq!((left.name.as_str(), left.pad, right.pad), ("left", Pad::Rectangle([0.01, 0.02]), Pad::Disc(0.015)));
    assert_eq!((left.force, left.friction, left.finger, left.speed), (6.0, 0.6, 0.004, 0.2));
    assert_eq!((left.arm.stiffness, left.arm.damping, left.arm.max_force), (2e3, Some(7.0), f64::INFINITY));
    assert!((left.opening_at(0.25) - 0.02).abs() < 1e-15);
    assert_eq!(left.closed, [[0.2, 0.5], [0.8, f64::INFINITY]]);
    assert_eq!(right.opening, 0.04);
    // The same bodies in the same order as without the cloth.
    let names: Vec<String> = simulation.obstacles.iter().map(|obstacle| obstacle.name.clone()).collect();
    assert_eq!(names, ["z", "left.a", "left.b", "right.a", "right.b"]);
    let told: Vec<String> = scene.obstacles().unwrap().into_iter().map(|obstacle| obstacle.name).collect();
    assert_eq!(told, names);
    // It points down, and closes along y: the first finger is beyond half the opening and half a finger.
    let poses = simulation.poses();
    assert!((poses[fingers[0]].translation - DVec3::new(0.15, 0.217, 1.0)).length() < 1e-12, "{:?}", poses[1]);
    assert!((left.motion.at(0.0).rotate(DVec3::Z) - DVec3::NEG_Z).length() < 1e-12);
}

#[test]
fn a_gripper_follows_poses_in_a_table_and_keeps_its_way_when_the_scene_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let rows = "t,x,y,z,qw,qx,qy,qz\n0,0,0,2,0,1,0,0\n1,0,0,3,0,1,0,0\n";
    fs::write(dir.path().join("arm.csv"), rows).unwrap();
    let text = format!("{SHEET}[gripper.one]\nmotion = 'csv'\ncsv = 'arm.csv'\n");
    let scene = Scene::from_text("sheet", &text, Some(&dir.path().join("sheet.toml"))).unwrap();
    let again = Scene::from_text("sheet", &scene.to_toml().unwrap(), None).unwrap();
    assert_eq!(again.settings(), scene.settings());
    assert_eq!(scene.files().unwrap().len(), 1);
    for scene in [scene, again] {
        let simulation = scene.build().unwrap();
        let pose = simulation.grippers()[0].0.motion.at(0.5);
        assert!((pose.translation - DVec3::Z * 2.5).length() < 1e-12);
        assert!(pose.rotation.angle_between(DQuat::from_rotation_x(std::f64::consts::PI)) < 1e-7);
    }
}

#[test]
fn nonsense_about_grippers_is_refused_with_what_to_do() {
    for (keys, fragment) in [
        ("pad_m = [0.1, 0.1]\npad_radius_m = 0.1", "gripper.one has both pad_m and pad_radius_m: remove one"),
        ("pad_m = [0.1, 0]", "gripper.one.pad_m is 0: it must be a positive number"),
        ("force_N = 0", "gripper.one.force_N is 0"),
        ("opening_m = -1", "gripper.one.opening_m is -1: it must be 0 or"),
        ("closed_s = [[1, 0.5]]", "gripper.one.closed_s has 0.5 s after 1 s"),
        ("closed_s = [[0, 1], [1, 2]]", "gripper.one.closed_s has 1 s after 1 s"),
        ("closed_s = [[-1, 1]]", "a gripper starts open"),
        ("closed_s = [[0, nan]]", "gripper.one.closed_s has NaN s after 0 s"),
        ("closed_s = [0, 1]", "gripper.one.closed_s"),
        ("motion = 'keyframes'", "gripper.one.times_s is missing: motion = \"keyframes\" needs it"),
        ("motion = 'keyframes'\nplace_m = [0, 0, 0]", "gripper.one.place_m has no effect with motion = \"keyframes\""),
        ("mass_kg = 1", "gripper.one.mass_kg is not a key of a scene"),
        ("max_force_N = -5", "gripper.one.max_force_N is -5"),
        ("axis = [0, 0, 0]", "gripper.one.axis must not be zero"),
    ] {
        let said = refusal(&format!("[gripper.one]\n{keys}\n"));
        assert!(said.contains(fragment), "{keys}: {said}");
    }
}

#[test]
fn cloth_is_held_by_its_place_at_the_start() {
    let held = |keys: &str| {
        let scene = scene(&format!("[held.a]\n{keys}\n"))?;
        scene.held_at_start(&scene.build()?)
    };
    // Column 1, row 2, and with its neighbours.
    assert_eq!(held("near_m = [0.11, 0.19, 1.02]").unwrap(), [9]);
    assert_eq!(held("near_m = [0.1, 0.2, 1.0]\nradius_m = 0.1001").unwrap(), [5, 8, 9, 10, 13]);
    assert_eq!(held("near_m = [0.1, 0.2, 1.0]\nradius_m = 0.01").unwrap(), [9]);
    let said = held("near_m = [0.1, 0.2, 1.3]\nradius_m = 0.1").unwrap_err().to_string();
    assert!(said.contains("held.a.radius_m is 0.1 m") && said.contains("the nearest is node 9"), "{said}");
    assert!(said.contains("0.3000 m away"), "{said}");
    for (keys, fragment) in [
        ("radius_m = 0.1", "has 0 of the keys corner, side, set, nodes and near_m"),
        ("radius_m = 0.1\nnodes = [0]", "held.a.radius_m is about near_m"),
        ("near_m = [0, 0, 0]\nnodes = [0]", "has 2 of the keys"),
        ("near_m = [0, 0, inf]", "held.a.near_m is inf"),
        ("near_m = [0, 0, 1]\nradius_m = 0", "held.a.radius_m is 0"),
    ] {
        let said = held(keys).unwrap_err().to_string();
        assert!(said.contains(fragment), "{keys}: {said}");
    }
}

#[test]
fn keys_of_hands_can_be_overridden() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sheet.toml");
    let text = format!(
        "{SHEET}[gripper.one]\nforce_N = 5\n[obstacle.a]\nshape = 'sphere'\nradius_m = 0.1\nplace_m = [9, 9, 9]\n"
    );
    fs::write(&path, text).unwrap();
    let overrides = [
        ("gripper.one.force_N", "7"),
        ("gripper.one.closed_s", "[[0.1, 0.2]]"),
        ("obstacle.a.body", "free"),
        ("obstacle.a.mass_kg", "0.3"),
        ("held.b.near_m", "[0, 0, 1]"),
    ];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let simulation = Scene::load(path.to_str().unwrap(), &overrides).unwrap().build().unwrap();
    let (gripper, _) = &simulation.grippers()[0];
    assert_eq!((gripper.force, gripper.closed.as_slice()), (7.0, &[[0.1, 0.2]][..]));
    assert_eq!(simulation.obstacles[0].dynamics.unwrap().inertia.mass, 0.3);
}

#[test]
fn the_examples_of_hands_in_the_documentation_can_be_built() {
    let documentation = include_str!("../../../docs/scenes.md");
    let examples = documentation.split("```toml").skip(1).filter_map(|rest| rest.split("```").next());
    let hands: Vec<&str> =
        examples.filter(|example| example.contains("[gripper.") || example.contains("body = ")).collect();
    assert_eq!(hands.len(), 2);
    for example in hands {
        scene(example).and_then(|scene| scene.build()).unwrap();
    }
}

#[test]
fn goals_that_cannot_be_are_refused() {
    for (keys, fragment) in [
        ("", "goal says nothing"),
        ("polygon_m = [[0, 0], [1, 0]]", "goal.polygon_m has 2 corners: give three or more"),
        ("polygon_m = [[0, 0], [1, 0], [0, inf]]", "goal.polygon_m is inf"),
        ("corners_m = { upper-left = [0, 0, 0] }", "goal.corners_m.upper-left is no corner: name bottom-left"),
        ("corners_m = { top-left = [0, 0, nan] }", "goal.corners_m.top-left is NaN"),
        ("corner_m = [0, 0, 0]", "goal.corner_m is not a key of a scene: did you mean `corners_m`?"),
    ] {
        let said = refusal(&format!("[goal]\n{keys}\n"));
        assert!(said.contains(fragment), "{keys}: {said}");
    }
    let sheets = SHEET.replace("nodes = [4, 5]", "sheets = 2, nodes = [4, 5]");
    let text = format!("{sheets}[goal]\ncorners_m = {{ top-left = [0, 0, 0] }}\n");
    let said = Scene::from_text("sheets", &text, None).unwrap().build().map(drop).unwrap_err().to_string();
    assert!(said.contains("goal.corners_m needs a grid of one sheet: give polygon_m instead"), "{said}");
}
