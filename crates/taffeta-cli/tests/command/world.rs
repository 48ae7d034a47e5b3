//! Runs with obstacles: what is recorded and said of them, and when a strict run stops.

use std::fs;

use taffeta_io::recording::Recording;

use crate::taffeta::Desk;

/// A sheet that falls 2 cm on a table, beside which there is a ball that moves.
const LANDING: &str = r#"
duration_s = 0.5
dt_s = 0.01
frame_interval_s = 0.02

[cloth.grid]
nodes = [6, 5]
size_m = [0.5, 0.4]
corner_m = [-0.25, -0.2, 0.72]
row_axis = [0.0, 1.0, 0.0]

[obstacle.table]
shape = "table"
place_m = [0.0, 0.0, 0.7]
size_m = [1.0, 0.6]
friction = 0.5

[obstacle.ball]
shape = "sphere"
radius_m = 0.1
place_m = [2.0, 0.0, 0.0]
motion = "velocity"
velocity_m_s = [0.0, 2.0, 0.0]
"#;

/// Its weight: wool, N.
const WEIGHT: f64 = 0.1804 * 0.5 * 0.4 * 9.81;

/// The arrays of a world with obstacles.
const WORLD: [&str; 3] = ["contact_normal.npy", "contact_friction.npy", "obstacle_pose.npy"];

fn landing() -> Desk {
    let desk = Desk::new();
    desk.write("landing.toml", LANDING);
    desk
}

#[test]
fn the_table_feels_the_weight_and_the_summary_says_how_well_it_went() {
    let desk = landing();
    let printed = desk.expect(&["run", "landing.toml", "--json", "--out", "out", "--strict"]);
    let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let number = |key: &str| summary[key].as_f64().unwrap();
    let pressed = summary["obstacle_forces"]["table"][2].as_f64().unwrap();
    assert!((pressed / -WEIGHT - 1.0).abs() < 1e-3, "{pressed} and not {}", -WEIGHT);
    assert_eq!(summary["obstacle_forces"]["ball"], serde_json::json!([0.0, 0.0, 0.0]));
    assert!((-1e-4..=0.0).contains(&number("min_obstacle_gap_m").min(0.0)));
    assert_eq!(number("active_contacts_max"), 30.0);
    assert!(number("complementarity_m") < 1e-4 && number("friction_residual") < 1e-2);
    assert!(summary["min_self_gap_m"].is_null() && number("self_intersections") == 0.0);
    assert!(summary.get("analytic").is_none());

    let info = desk.expect(&["info", "out"]);
    for fragment in ["smallest gap", "at most 30", "N on table"] {
        assert!(info.contains(fragment), "{info}");
    }
}

#[test]
fn forces_and_poses_are_recorded_frame_by_frame() {
    let desk = landing();
    desk.expect(&["run", "landing.toml", "--quiet", "--out", "out"]);
    let recording = Recording::open(&desk.path("out")).unwrap();
    let last = recording.frames() - 1;
    let [normal, friction] = recording.contact_forces(last).unwrap().unwrap();
    let lifted: f64 = normal.iter().map(|force| force.z).sum();
    assert!((lifted / WEIGHT - 1.0).abs() < 1e-3, "{lifted} and not {WEIGHT}");
    assert!(friction.iter().all(|force| force.length() < 1e-3 * WEIGHT));
    let [normal, _] = recording.contact_forces(0).unwrap().unwrap();
    assert!(normal.iter().all(|force| force.length() == 0.0), "nothing is touched at the start");
    for (frame, y) in [(0, 0.0), (10, 0.4), (last, 1.0)] {
        let [ball, table] = recording.obstacle_poses(frame).unwrap()[..] else { panic!("two obstacles") };
        assert!((ball.translation.y - y).abs() < 1e-12 && ball.translation.x == 2.0, "{ball:?}");
        assert_eq!(table.translation.to_array(), [0.0, 0.0, 0.7]);
    }
    let gaps = recording.report_field("min_gap_m").unwrap();
    assert!(gaps.iter().all(|gap| gap.is_finite()));
    assert!(gaps.last().unwrap().abs() < 1e-4);
    let contacts = recording.report_field("active_contacts").unwrap();
    assert_eq!((contacts[0], *contacts.last().unwrap()), (0.0, 30.0));
}

#[test]
fn a_scene_without_obstacles_has_no_arrays_of_them() {
    let desk = Desk::new();
    desk.expect(&["run", "sheet.toml", "--quiet", "--out", "out"]);
    assert!(WORLD.iter().all(|name| !desk.path("out").join(name).exists()));
    let recording = Recording::open(&desk.path("out")).unwrap();
    assert_eq!(recording.contact_forces(0).unwrap(), None);
    assert!(recording.report_field("min_gap_m").unwrap().iter().all(|&gap| gap == 1e9));
}

#[test]
fn a_resumed_run_continues_the_arrays_of_the_world() {
    let desk = landing();
    desk.expect(&["run", "landing.toml", "--quiet", "--out", "whole"]);
    desk.expect(&["run", "landing.toml", "--quiet", "--out", "cut", "--set", "cloth.fabric=wool"]);
    // As if the run had been killed after its first flush, with everything on disk that came after.
    fs::remove_file(desk.path("cut").join("summary.json")).unwrap();
    desk.expect(&["run", "--quiet", "--resume", "cut"]);
    desk.assert_same_arrays("whole", "cut");
    for array in WORLD {
        let bytes = |folder: &str| fs::read(desk.path(folder).join(array)).unwrap();
        assert!(bytes("whole") == bytes("cut"), "{array}");
    }
    assert_eq!(desk.summary("whole"), desk.summary("cut"));
}

#[test]
fn a_strict_run_stops_before_the_step_that_leaves_its_tolerances() {
    let desk = Desk::new();
    // The authors' code leaves edges several per cent off.
    let published = ["run", "swing", "--quiet", "--set", "solver.published=euler-2021", "--out", "out"];
    let outcome = desk.run(&[&published[..], &["--strict"]].concat());
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("left its tolerances: an edge is"), "{}", outcome.stderr);
    let step: usize = outcome.stderr.split_whitespace().nth(2).unwrap().parse().unwrap();
    {
        let recording = Recording::open(&desk.path("out")).unwrap();
        let strains = recording.report_field("max_edge_strain").unwrap();
        assert_eq!(strains.len(), step - 1);
        assert!(strains.iter().all(|&strain| strain <= 0.01), "the last good state is the last on disk");
    }
    // Who does not mind goes on from there.
    desk.expect(&["run", "--quiet", "--resume", "out"]);
    desk.expect(&[&published[..6], &["free"]].concat());
    desk.assert_same_arrays("out", "free");
}

#[test]
fn the_solver_is_chosen_like_any_key() {
    let desk = Desk::new();
    for solver in ["active-set", "paper", "interior-point"] {
        desk.expect(&["run", "sheet.toml", "--quiet", "--solver", solver, "--out", solver]);
        let scene = fs::read_to_string(desk.path(solver).join("scene.toml")).unwrap();
        assert!(scene.contains(&format!("method = \"{solver}\"")), "{scene}");
    }
    let outcome = desk.run(&["run", "sheet.toml", "--solver", "simplex"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("solver.method cannot be \"simplex\""), "{}", outcome.stderr);
}

#[test]
fn scenes_with_a_law_state_it_and_their_error() {
    let desk = Desk::new();
    for (scene, analytic, most) in [("incline", 0.1288, 0.01), ("slide", 0.2548, 0.01), ("capstan", 2.5663, 0.03)] {
        let printed = desk.expect(&["run", scene, "--json", "--out", scene]);
        let summary: serde_json::Value = serde_json::from_str(&printed).unwrap();
        let number = |key: &str| summary[key].as_f64().unwrap_or(f64::NAN);
        assert!((number("analytic") - analytic).abs() < 1e-4, "{scene}: {printed}");
        let error = number("measured") / number("analytic") - 1.0;
        assert!((number("relative_error") - error).abs() < 1e-12, "{scene}: {printed}");
        assert!(error.abs() < most, "{scene}: {printed}");
    }
}

#[test]
fn scenes_of_contact_keep_their_tolerances_to_the_end() {
    let desk = Desk::new();
    for scene in ["drop-floor", "drop-sphere", "cylinder", "sphere", "needles"] {
        desk.expect(&["run", scene, "--strict", "--quiet", "--out", scene]);
    }
}

#[test]
fn obstacles_are_drawn_where_they_are() {
    let desk = landing();
    desk.expect(&["run", "landing.toml", "--quiet", "--out", "out"]);
    let draw = |name: &str| {
        desk.expect(&["render", "out", "--sheet", "2", "--png", name, "--width", "60"]);
        fs::read(desk.path(name)).unwrap()
    };
    let drawn = draw("drawn.png");
    // Without its scene the recording is drawn, too, but the table is not.
    let scene = desk.path("out").join("scene.toml");
    let text = fs::read_to_string(&scene).unwrap();
    fs::write(&scene, text.replace("shape = \"table\"", "shape = \"tabel\"")).unwrap();
    let outcome = desk.run(&["render", "out", "--sheet", "2", "--png", "bare.png", "--width", "60"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("the obstacles are not drawn"), "{}", outcome.stderr);
    assert!(drawn != fs::read(desk.path("bare.png")).unwrap());
    // And a larger table is another picture.
    fs::write(&scene, text.replace("size_m = [1.0, 0.6]", "size_m = [1.0, 0.4]")).unwrap();
    assert!(drawn != draw("narrow.png"));
}

/// A sheet between the pads of a gripper, beside a ball that falls.
const HANDS: &str = r#"
duration_s = 0.4
dt_s = 0.01

[cloth]
thickness_m = 0.001

[cloth.grid]
nodes = [5, 6]
size_m = [0.1, 0.12]

[held.top]
near_m = [0.05, 0.0, 0.12]
radius_m = 0.06

[gripper.hand]
place_m = [0.05, 0.0, 0.05]
axis = [1.0, 0.0, 0.0]
opening_m = 0.01
force_N = 4.0
closed_s = [[0.05, inf]]

[obstacle.ball]
shape = "sphere"
radius_m = 0.01
place_m = [1.0, 0.0, 2.0]
body = "free"
mass_kg = 0.1

[goal]
polygon_m = [[0.0, -1.0], [0.1, -1.0], [0.1, 1.0], [0.0, 1.0]]
corners_m = { top-left = [0.0, 0.0, 0.12], top-right = [0.1, 0.0, 0.13], bottom-left = [0.0, 0.0, 0.1] }
"#;

#[test]
fn what_grippers_feel_where_bodies_go_and_how_far_the_goal_is_are_in_the_summary() {
    let desk = Desk::new();
    desk.write("hands.toml", HANDS);
    let checked = desk.expect(&["check", "hands.toml"]);
    for row in ["obstacles       1", "free or driven  1", "grippers        1"] {
        assert!(checked.contains(row), "{checked}");
    }
    let table = desk.expect(&["run", "hands.toml", "--out", "run", "--quiet", "--strict"]);
    for row in ["N on a pad of hand", "1 layer,", "ball went", "goal, corners", "covered area"] {
        assert!(table.contains(row), "{row}: {table}");
    }
    let summary = desk.summary("run");
    let number = |path: &str| {
        summary.pointer(path).and_then(serde_json::Value::as_f64).unwrap_or_else(|| panic!("{path}: {summary:#}"))
    };
    assert!((number("/grippers/hand/max_normal_force_n") / 4.0 - 1.0).abs() < 0.2, "{summary:#}");
    assert_eq!(number("/grippers/hand/max_layers"), 1.0);
    // Implicit Euler: g h² n (n + 1)/2.
    let fallen = 9.81 * 1e-4 * 40.0 * 41.0 / 2.0;
    assert!((number("/bodies/ball/way_m") - fallen).abs() < 1e-6, "{summary:#}");
    assert!((number("/goal/corner_distance_m/top-right") - 0.01).abs() < 1e-3, "{summary:#}");
    assert!((number("/goal/side_distance_m/top") - 0.005).abs() < 1e-3, "{summary:#}");
    // Its left side is to be folded, which is no straight line.
    assert!(summary.pointer("/goal/corner_distance_m/bottom-left").is_some(), "{summary:#}");
    assert!(summary.pointer("/goal/side_distance_m/left").is_none(), "{summary:#}");
    // It hangs: seen from above it covers next to nothing.
    assert!(number("/goal/overlap") < 0.02 && number("/covered_area_m2") < 0.002, "{summary:#}");
    assert!(number("/max_body_lag_m") > 0.0, "{summary:#}");
}

#[test]
fn moved_bodies_that_leave_the_cloth_no_room_are_warned_of() {
    let desk = Desk::new();
    let pads = |gap: f64, body: &str| {
        format!(
            "{HANDS}[obstacle.still]\nshape = 'box'\nsize_m = [0.02, 0.02, 0.02]\nplace_m = [0.0, -0.03, 0.05]\n\
             [obstacle.pad]\nshape = 'box'\nsize_m = [0.02, 0.02, 0.02]\nmotion = 'keyframes'\ntimes_s = [0.0, 0.3]\n{body}\n\
             places_m = [[0.0, 0.05, 0.05], [0.0, {}, 0.05]]\n",
            gap - 0.01
        )
    };
    for (gap, body, warned) in
        [(1e-4, "", true), (5e-4, "", false), (-2e-3, "", true), (1e-4, "body = 'driven'\nmass_kg = 0.1", false)]
    {
        desk.write("pads.toml", &pads(gap, body));
        let outcome = desk.run(&["check", "pads.toml"]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let said = outcome.stderr.contains("pad and still, which no force stops") && outcome.stderr.contains("0.15 mm");
        assert_eq!(said, warned, "{gap} m, {body}: {}", outcome.stderr);
    }
}
