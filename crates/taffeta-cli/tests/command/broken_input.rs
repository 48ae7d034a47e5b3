//! Whatever is wrong with the input is said, and nothing is written.

use crate::taffeta::{Desk, SHEET};

/// Runs the command and asserts that it refuses its input with this message and writes nothing.
fn assert_refused(desk: &Desk, arguments: &[&str], fragment: &str) {
    let before = desk.entries();
    let outcome = desk.run(arguments);
    let said = &outcome.stderr;
    assert_eq!(outcome.code, Some(2), "{arguments:?}: {said}");
    assert!(said.contains(fragment), "{arguments:?}: {fragment:?} is not in {said:?}");
    assert!(!said.contains("panicked"), "{said}");
    assert_eq!(outcome.stdout, "", "{arguments:?}");
    assert_eq!(desk.entries(), before, "{arguments:?}");
}

#[test]
fn broken_scenes_are_refused() {
    let desk = Desk::new();
    let grid = "nodes = [5, 6]";
    let amplitude = "amplitude_m = [0.0, 0.1, 0.0]";
    let moved = "corner = \"top-left\"\nmotion = \"keyframes\"\ntimes_s = ";
    let plain_sinusoid = "corner = \"top-left\"\nmotion = \"sinusoid\"";
    let cases: &[(&str, &str, &str)] = &[
        // The scene.
        ("duration_s = 0.5", "duration_s = 0.505", "use 0.51"),
        (
            "duration_s = 0.5",
            "duration_s = 0.001",
            "duration_s is 0.001, which is not a multiple of dt_s = 0.01: use 0.01",
        ),
        ("duration_s = 0.5", "duration_s = -1", "duration_s is -1: it must be a positive number"),
        ("duration_s = 0.5", "duration_s = nan", "duration_s is NaN"),
        ("duration_s = 0.5", "duration_s = 1e300", "steps"),
        (
            "duration_s = 0.5",
            "duration_s = \"long\"",
            "line 2: duration_s is wrong: invalid type: string \"long\", expected a number",
        ),
        ("duration_s = 0.5", "", "duration_s is missing"),
        ("duration_s = 0.5", "duration = 0.5", "line 2: duration is not a key of a scene: did you mean `duration_s`?"),
        ("duration_s = 0.5", "duration_s = 0.5\nduration_s = 1", "line 3: duplicate key"),
        ("dt_s = 0.01", "dt_s = 0", "dt_s is 0: it must be a positive number"),
        ("dt_s = 0.01", "dt_s = 0.01 s", "line 3: "),
        (
            "frame_interval_s = 0.02",
            "frame_interval_s = 0.015",
            "frame_interval_s is 0.015, which is not a multiple of dt_s",
        ),
        (
            "frame_interval_s = 0.02",
            "gravity_m_s2 = [0, 0]",
            "gravity_m_s2 is wrong: invalid length 2, expected a list of length 3",
        ),
        ("frame_interval_s = 0.02", "wind_m_s = [0, inf, 0]", "wind_m_s is inf"),
        ("frame_interval_s = 0.02", "solver = 3", "solver is wrong: invalid type: integer `3`, expected a table"),
        // The cloth.
        (
            "[cloth.grid]",
            "[cloth]\nfabric = \"denin\"\n[cloth.grid]",
            "cloth.fabric cannot be \"denin\": did you mean \"denim\"?",
        ),
        ("[cloth.grid]", "[cloth]\ndensity_kg_m2 = -1\n[cloth.grid]", "cloth.density_kg_m2 must be a positive number"),
        ("[cloth.grid]", "[cloth]\nvirtual_density_kg_m2 = 9\n[cloth.grid]", "cloth.virtual_density_kg_m2"),
        ("[cloth.grid]", "[cloth]\nbending_N_m = -1e-6\n[cloth.grid]", "cloth.bending_N_m must be 0 or"),
        (
            "[cloth.grid]",
            "[cloth]\nscheme = \"edge\"\n[cloth.grid]",
            "cloth.scheme cannot be \"edge\": did you mean `edges`?",
        ),
        (
            "[cloth.grid]",
            "[cloth]\nobj = { path = \"a.obj\" }\n[cloth.grid]",
            "cloth.obj and cloth.grid are both given",
        ),
        (
            "[cloth.grid]",
            "[cloth.sets]\nhem = [0, 99]\n[cloth.grid]",
            "cloth.sets.hem has node 99, and the cloth has the nodes 0 to 29",
        ),
        (grid, "nodes = [1, 6]", "cloth.grid.nodes must be at least 2"),
        (grid, "nodes = [-5, 6]", "cloth.grid.nodes is wrong"),
        (grid, "nodes = [100000, 100000]", "cloth.grid.nodes makes more than"),
        (grid, "nodes = [5, 6]\nsise_m = 1", "did you mean `size_m`?"),
        (grid, "nodes = [5, 6]\nrow_axis = [-2, 0, 0]", "cloth.grid.row_axis is parallel"),
        (grid, "nodes = [5, 6]\ncolumn_axis = [0, 0, 0]", "cloth.grid.column_axis must not be zero"),
        (grid, "nodes = [5, 6]\ncylinder_radius_m = 0.01", "all the way round"),
        (grid, "nodes = [5, 6]\ntriangles = \"left\"", "use one of none, forward, backward, alternating"),
        ("size_m = [0.4, 0.5]", "size_m = [0.4, 0.0]", "cloth.grid.size_m is 0"),
        (
            "size_m = [0.4, 0.5]",
            "size_m = [0.4, 0.5]\n[solver]\nmax_iterations = 0",
            "solver.max_iterations must be at least 1",
        ),
        (
            "size_m = [0.4, 0.5]",
            "size_m = [0.4, 0.5]\ntriangles = \"forward\"\n[solver]\npublished = \"euler-2021\"",
            "solver.published works on grids of quads only",
        ),
        // Who holds it.
        ("corner = \"top-left\"", "corner = \"top-left\"\nfrom_s = 50", "held.left holds in no step"),
        ("corner = \"top-left\"", "corner = \"upper-left\"", "held.left.corner must be bottom-left"),
        (
            "corner = \"top-left\"",
            "corner = \"top-left\"\nside = \"top\"",
            "held.left has 2 of the keys corner, side, set, nodes and near_m",
        ),
        ("corner = \"top-left\"", "", "held.left has 0 of the keys"),
        ("corner = \"top-left\"", "set = \"hem\"", "held.left.set names \"hem\", and [cloth.sets] has none"),
        ("corner = \"top-left\"", "nodes = [30]", "line 11: held.left.nodes has node 30"),
        ("corner = \"top-left\"", "nodes = [3, 3]", "held.left.nodes has node 3 twice"),
        ("corner = \"top-left\"", "nodes = []", "held.left.nodes is empty"),
        ("corner = \"top-left\"", "corner = \"top-right\"", "held.right and held.left both hold node 29 at 0 s"),
        (
            "corner = \"top-left\"",
            "corner = \"top-left\"\nfrom_s = 2\nuntil_s = 1",
            "held.left.until_s is 1: it must be later than held.left.from_s = 2",
        ),
        (plain_sinusoid, "corner = \"top-left\"", "held.left.amplitude_m is used by motion = \"sinusoid\" only"),
        (plain_sinusoid, "corner = \"top-left\"\nmotion = \"wobble\"", "held.left.motion cannot be \"wobble\""),
        (amplitude, "", "held.left.amplitude_m is missing"),
    ];
    for (from, to, fragment) in cases {
        assert!(SHEET.contains(from), "{from:?} is not in the scene");
        desk.write("broken.toml", &SHEET.replacen(from, to, 1));
        assert_refused(&desk, &["run", "broken.toml"], fragment);
        assert_refused(&desk, &["check", "broken.toml"], "broken.toml");
    }

    let sheet = SHEET.split("[held").next().unwrap();
    for (held, fragment) in [
        (format!("{moved}[0, 1, 1]\noffsets_m = [[0,0,0],[0,0,0],[0,0,0]]"), "held.a.times_s has 1 s after 1 s"),
        (format!("{moved}[0, 1]\noffsets_m = [[0,0,0]]"), "held.a.offsets_m has 1 vectors for the 2 times"),
        (format!("{moved}[0, 1]"), "held.a needs exactly one of the keys offsets_m and places_m"),
        (format!("{moved}[]\nplaces_m = []"), "at least one"),
        (
            format!("{moved}[0]\nplaces_m = [[0,0,0]]").replace("corner = \"top-left\"", "side = \"top\""),
            "held.a moves 5 nodes to the same places",
        ),
        (
            "corner = \"top-left\"\nmotion = \"csv\"\ncsv = \"no.csv\"\ncolumns = [\"x\",\"y\",\"z\"]".to_owned(),
            "no.csv",
        ),
        (
            "corner = \"top-left\"\nmotion = \"csv\"\ncsv = \"hand.csv\"\ncolumns = [\"x\",\"y\",\"w\"]".to_owned(),
            "held.a.columns names \"w\"",
        ),
        (
            "corner = \"top-left\"\nmotion = \"csv\"\ncsv = \"hand.csv\"\ncolumns = [\"x\",\"y\"]".to_owned(),
            "held.a.columns is wrong",
        ),
    ] {
        desk.write("hand.csv", "t,x,y,z\n0,0,0,0.5\n");
        desk.write("broken.toml", &format!("{sheet}[held.a]\n{held}\n"));
        assert_refused(&desk, &["run", "broken.toml"], fragment);
    }
}

#[test]
fn broken_worlds_are_refused() {
    let desk = Desk::new();
    let sheet = SHEET.split("[held").next().unwrap();
    desk.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    desk.write("path.csv", "t,x,y,z\n0,0,0,0\n");
    desk.write("zero.csv", "t,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,0,0\n");
    let ball = "[obstacle.a]\nshape = 'sphere'\nradius_m = 1\n";
    let cases: &[(&str, &str)] = &[
        // Bodies.
        ("[obstacle.a]\nradius_m = 1", "obstacle.a.shape is missing"),
        ("[obstacle.a]\nshape = 'ball'", "obstacle.a.shape cannot be \"ball\""),
        ("[obstacle.a]\nshape = 'sphere'", "obstacle.a.radius_m is missing: shape = \"sphere\" needs it"),
        ("[obstacle.a]\nshape = 'sphere'\nradius_m = 0", "obstacle.a.radius_m is 0: it must be a positive number"),
        ("[obstacle.a]\nshape = 'sphere'\nradius = 1", "did you mean `radius_m`?"),
        (
            "[obstacle.a]\nshape = 'sphere'\nradius_m = 1\naxis = [0, 0, 1]",
            "obstacle.a.axis has no effect on shape = \"sphere\"",
        ),
        ("[obstacle.a]\nshape = 'floor'\nplace_m = [0, 0, 1]", "obstacle.a.place_m has no effect on shape = \"floor\""),
        (
            "[obstacle.a]\nshape = 'floor'\nfriction = -0.1",
            "obstacle.a.friction is -0.1: it must be 0 or a positive number",
        ),
        ("[obstacle.a]\nshape = 'floor'\nheight_m = nan", "obstacle.a.height_m is NaN"),
        ("[obstacle.a]\nshape = 'plane'\naxis = [0, 0, 0]", "obstacle.a.axis must not be zero"),
        ("[obstacle.a]\nshape = 'plane'\nrotation_axis = [0, 0, 1]", "rotation_axis and rotation_deg together"),
        ("[obstacle.a]\nshape = 'table'\nsize_m = [1, 2, 3]", "obstacle.a.size_m has 3 numbers: give 2"),
        ("[obstacle.a]\nshape = 'box'\nsize_m = [1, 2, -3]", "obstacle.a.size_m is -3"),
        ("[obstacle.a]\nshape = 'capsule'\nradius_m = 1", "obstacle.a.length_m is missing"),
        ("[obstacle.a]\nshape = 'capsule'\nradius_m = 1\nlength_m = inf", "obstacle.a.length_m is inf"),
        ("[obstacle.a]\nshape = 'egg-box'\nc2 = 1e-9", "its c2 is 0.000000001"),
        ("[obstacle.a]\nshape = 'mesh'\npath = 'gone.obj'", "gone.obj"),
        ("[obstacle.a]\nshape = 'mesh'\npath = 'open.obj'", "the surface is open"),
        ("obstacle = 3", "obstacle is wrong"),
        // How they move.
        ("velocity_m_s = [1, 0, 0]", "obstacle.a.velocity_m_s has no effect with motion = \"still\""),
        ("motion = 'velocity'\nfrom_s = 1\nuntil_s = 1", "obstacle.a.until_s is 1: it must be later than"),
        ("motion = 'turn'\ntimes_s = [0]\nangles_deg = [0]", "obstacle.a.turn_axis is missing"),
        (
            "motion = 'turn'\nturn_axis = [0, 0, 1]\ntimes_s = [0, 1]\nangles_deg = [0]",
            "obstacle.a.angles_deg has 1 angles for the 2 times",
        ),
        (
            "motion = 'turn'\nturn_axis = [0, 0, 1]\ntimes_s = [1, 0]\nangles_deg = [0, 1]",
            "obstacle.a.times_s has 0 s after 1 s",
        ),
        (
            "place_m = [0, 0, 1]\nmotion = 'keyframes'\ntimes_s = [0]\nplaces_m = [[0, 0, 0]]",
            "obstacle.a.place_m has no effect with motion",
        ),
        ("motion = 'keyframes'\ntimes_s = [0]\nplaces_m = [[0, 0, 0]]\nrotations_wxyz = [[0, 0, 0, 0]]", "not all 0"),
        ("motion = 'csv'\ncsv = 'gone.csv'", "gone.csv"),
        ("motion = 'csv'\ncsv = 'zero.csv'", "not all 0"),
        ("motion = 'csv'\ncsv = 'path.csv'\ncolumns = ['x']", "obstacle.a.columns has 1 names"),
        ("motion = 'csv'\ncsv = 'path.csv'\ncolumns = ['x', 'y', 'w']", "obstacle.a.columns needs the column \"w\""),
        // Forces, laws, solvers.
        ("[load.a]\ncorner = 'top-left'", "load.a needs either force_N alone, or times_s and forces_N"),
        ("[load.a]\nforce_N = [0, 0, 1]", "load.a has 0 of the keys corner, side, set and nodes"),
        ("[load.a]\nnodes = [99]\nforce_N = [0, 0, 1]", "load.a.nodes has node 99"),
        ("[load.a]\nnodes = [9]\nforce_N = [0, 0, inf]", "load.a.force_N is inf"),
        ("[load.a]\nnodes = [9]\ntimes_s = [0]\nforces_N = []", "load.a.forces_N has 0 vectors for the 1 times"),
        (
            "[analytic]\nlaw = 'incline'\nobstacle = 'b'",
            "analytic.obstacle names \"b\", and the scene has of [obstacle] none",
        ),
        (
            "[obstacle.b]\nshape = 'floor'\n[analytic]\nlaw = 'stopping'\nobstacle = 'b'",
            "analytic.law is \"stopping\", and the cloth starts at rest",
        ),
        (
            "[obstacle.b]\nshape = 'floor'\n[analytic]\nlaw = 'capstan'\nobstacle = 'b'",
            "analytic.obstacle names \"b\", which is not a cylinder",
        ),
        ("[solver]\nmethod = 'simplex'", "solver.method cannot be \"simplex\""),
        ("[solver]\ngap_tolerance_m = 0", "solver.gap_tolerance_m is 0"),
    ];
    for (world, fragment) in cases {
        let world = if world.starts_with('[') || world.starts_with("obstacle") {
            world.to_string()
        } else {
            format!("{ball}{world}")
        };
        let (above, below) = if world.starts_with('[') { (sheet.to_owned(), world) } else { (world, sheet.to_owned()) };
        desk.write("broken.toml", &format!("{above}\n{below}\n"));
        assert_refused(&desk, &["run", "broken.toml"], fragment);
    }
}

#[test]
fn broken_meshes_are_refused() {
    let desk = Desk::new();
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 0 1\n";
    let scene = "duration_s = 1\ndt_s = 0.01\n[cloth.obj]\npath = \"mesh.obj\"\n";
    for (mesh, more, fragment) in [
        (format!("{triangle}f 1 2 9\n"), "", "mesh.obj, line 4"),
        (format!("{triangle}f 1 2 2\n"), "", "mesh.obj, line 4"),
        (triangle.to_owned(), "", "has no faces"),
        (format!("{triangle}v nan 0 0\nf 1 2 3\n"), "", "mesh.obj, line 4"),
        (format!("{triangle}v 0 1 0\nf 1 2 3\n"), "", "mesh.obj, line 4"),
        (format!("{triangle}f 1 2 3\n"), "rest = \"uv\"", "cloth.obj.rest is \"uv\", and not every face"),
        (format!("{triangle}f 1 2 3\n"), "uv_scale_m = 2", "cloth.obj.uv_scale_m is not used unless"),
        (format!("{triangle}f 1 2 3\n"), "scale_m = 0", "cloth.obj.scale_m is 0"),
        (format!("{triangle}f 1 2 3\n"), "[held.a]\ncorner = \"top-left\"", "held.a.corner needs a grid of one sheet"),
        (format!("{triangle}f 1 2 3\n"), "[solver]\npublished = \"imex-2019\"", "solver.published"),
    ] {
        desk.write("mesh.obj", &mesh);
        desk.write("broken.toml", &format!("{scene}{more}\n"));
        assert_refused(&desk, &["run", "broken.toml"], fragment);
    }
    desk.write("broken.toml", &scene.replace("mesh.obj", "gone.obj"));
    assert_refused(&desk, &["run", "broken.toml"], "gone.obj");
}

#[test]
fn broken_options_are_refused() {
    let desk = Desk::new();
    desk.expect(&["run", "sheet.toml", "--out", "done", "--quiet"]);
    for (arguments, fragment) in [
        (&["run", "swnig"][..], "did you mean \"swing\"?"),
        (&["run", "nothing"], "give the path of a scene file, or one of swing,"),
        (&["run", "no/such.toml"], "cannot read no/such.toml"),
        (&["run", "--set", "duration_s"], "write KEY=VALUE"),
        (&["run", "--set", "held.left.ramp=1"], "held.left.ramp is not a key of a scene: did you mean `ramp_s`?"),
        (&["run", "--set", "dt_s=-1"], "overridden by --set: dt_s is -1"),
        (&["run", "--set", "title.x=1"], "title is a value and not a table"),
        (&["run", "--out", "done"], "done already holds a recording"),
        (&["run", "sheet.toml", "--out", "."], "is not empty and not a recording"),
        (&["run", "--resume", "done"], "done is finished"),
        (&["run", "--resume", "gone"], "gone is not a recording"),
        (&["run", "--resume", "done", "--set", "dt_s=1"], "cannot be used with"),
        (&["run", "--fast"], "--fast"),
        (&["swing"], "swing"),
        (&["info", "gone"], "gone is not a recording"),
        (&["render", "done"], "--png"),
        (&["render", "done", "--frame", "99", "--png", "x.png"], "has the frames 0 to 25"),
        (&["render", "done", "--frame", "-27", "--png", "x.png"], "has the frames 0 to 25"),
        (&["render", "done", "--sheet", "0", "--png", "x.png"], "ask for 1 to 100 frames"),
        (&["render", "done", "--width", "0", "--png", "x.png"], "picture"),
        (&["render", "done", "--azimuth", "nan", "--png", "x.png"], "camera"),
        (&["render", "done", "--sheet", "2", "--frame", "1", "--png", "x.png"], "cannot be used with"),
    ] {
        assert_refused(&desk, arguments, fragment);
    }
}

/// A sheet in the air.
const LYING: &str = r#"
duration_s = 0.5
dt_s = 0.01
[cloth.grid]
nodes = [11, 11]
size_m = [0.3, 0.3]
corner_m = [-0.15, -0.15, 0.3]
row_axis = [0, 1, 0]
"#;

/// Two sheets of four quads through each other.
const CROSSED: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.2 -0.5\nv 0.5 0.8 -0.5\nv 0.5 0.8 0.5\nv 0.5 0.2 0.5\n\
                       f 1 2 3 4\nf 5 6 7 8\n";

#[test]
fn starts_from_which_no_good_can_come_are_refused_before_anything_is_written() {
    let desk = Desk::new();
    desk.write("crossed.obj", CROSSED);
    let lying = |more: &str| format!("{LYING}{more}");
    let crossed = "duration_s = 0.5\ndt_s = 0.01\n[cloth.obj]\npath = \"crossed.obj\"\n".to_owned();
    let keyframes = "motion = \"keyframes\"\ntimes_s = [0.1, 0.5]\nplaces_m = [[0, 0, 0.3], [0, 0, 0.5]]";
    for (scene, fragment) in [
        (
            lying("[obstacle.crate]\nshape = \"box\"\nsize_m = [0.2, 0.2, 0.2]\nplace_m = [0, 0, 0.3]"),
            "node 60 is 100.0 mm deep, half the thickness of the cloth included; start it outside (obstacle 0 is \"crate\")",
        ),
        (
            lying(&format!("[held.hand]\ncorner = \"top-left\"\n{keyframes}")),
            "node 110 is held 0.212 m from where it is",
        ),
        (crossed, "the cloth passes through itself from the start, in 4 places"),
    ] {
        desk.write("start.toml", &scene);
        for command in ["check", "run"] {
            assert_refused(&desk, &[command, "start.toml"], fragment);
        }
    }
    desk.write("thick.toml", LYING);
    let thick = ["check", "thick.toml", "--set", "cloth.thickness_m=0.1"];
    assert_refused(&desk, &thick, "or leave self-contact out (self_collision = false in a scene)");
    // What is through itself may be so, if nobody is to mind.
    desk.write(
        "start.toml",
        "duration_s = 0.01\ndt_s = 0.01\n[cloth]\nself_collision = false\n[cloth.obj]\npath = \"crossed.obj\"\n",
    );
    desk.expect(&["run", "start.toml", "--out", "through"]);
}

#[test]
fn what_stopped_a_run_is_told_by_info_until_it_goes_on() {
    let desk = Desk::new();
    let sewn = "[cloth.seam.tube]\nfirst = \"left\"\nsecond = \"right\"\nuntil_s = 0.4\n[held.left]\nhold = \"exact\"\nside = \"left\"\n[held.right]\nhold = \"exact\"\nside = \"right\"";
    desk.write("sewn.toml", &format!("{LYING}{sewn}"));
    let outcome = desk.run(&["run", "sewn.toml", "--out", "out"]);
    let why = "step 1 of 50 failed: nodes 0 and 10 are to be sewn together and are held 0.3000 m apart";
    assert!(outcome.code == Some(1) && outcome.stderr.contains(why), "{}", outcome.stderr);
    let told = desk.expect(&["info", "out"]);
    assert!(told.contains(why), "{told}");
    // A run that goes on is not one that has stopped: it fails again, and says so again.
    let again = desk.run(&["run", "--resume", "out"]);
    assert!(again.code == Some(1) && again.stderr.contains(why), "{}", again.stderr);
}
