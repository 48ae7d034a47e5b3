//! Garments and seams in scenes.

use taffeta::DVec3;
use taffeta::mesh::garment::{Cut, Garment};
use taffeta_io::scene::Scene;

fn scene(cloth: &str) -> String {
    format!("duration_s = 0.1\ndt_s = 0.01\n[cloth]\nthickness_m = 0.001\n{cloth}\n")
}

fn load(cloth: &str) -> Result<Scene, String> {
    Scene::from_text("garment", &scene(cloth), None).map_err(|error| error.to_string())
}

#[test]
fn a_garment_of_a_scene_is_the_one_of_its_measures_with_its_panels_at_rest() {
    let scene =
        load("[cloth.garment]\nkind = \"shorts\"\ncell_m = 0.04\n[cloth.garment.measures_m]\nwaist = 0.7").unwrap();
    let simulation = scene.build().unwrap();
    let mut shorts = Garment::named("shorts").unwrap();
    shorts.set_measure("waist", 0.7).unwrap();
    let expected = shorts.sew(Cut::with_cell(0.04)).unwrap();
    assert_eq!(simulation.positions(), expected.mesh.positions());
    let cloth = simulation.model().cloth();
    let rest = cloth.mesh().uv().unwrap()[0];
    assert!((cloth.rest_lengths()[0] - rest[0].distance(rest[1])).abs() < 1e-15);
}

#[test]
fn the_sets_of_a_garment_can_be_held_and_replaced() {
    let held = "[cloth.garment]\nkind = \"skirt\"\n[held.a]\nset = \"waist\"";
    let scene = load(held).unwrap();
    let simulation = scene.build().unwrap();
    let nodes = scene.held_at_start(&simulation).unwrap();
    let top = simulation.positions().iter().fold(0.0, |z: f64, p| z.max(p.z));
    assert_eq!(nodes.len(), 28);
    assert!(nodes.iter().all(|&node| simulation.positions()[node].z > top - 1e-3));

    let own = load(&format!("sets = {{ waist = [3, 4] }}\n{held}")).unwrap();
    assert_eq!(own.held_at_start(&own.build().unwrap()).unwrap(), [3, 4]);
}

#[test]
fn a_garment_is_laid_where_the_scene_says() {
    let laid = "place_m = [1.0, 2.0, 3.0]\nacross_axis = [0, 2, 0]\nup_axis = [1, 0, 0]";
    let scene = load(&format!("[cloth.garment]\nkind = \"shirt\"\n{laid}")).unwrap();
    let simulation = scene.build().unwrap();
    let upright = Garment::named("shirt").unwrap().sew(Cut::with_cell(0.03)).unwrap();
    for (p, q) in simulation.positions().iter().zip(upright.mesh.positions()) {
        // Across is y and up is x, so that what was in front is below: x × y is down.
        assert!(p.distance(DVec3::new(1.0 + q.z, 2.0 + q.x, 3.0 + q.y)) < 1e-12, "{p} {q}");
    }
}

#[test]
fn a_scene_with_a_garment_is_the_same_when_all_its_defaults_are_written_out() {
    let scene = load("[cloth.garment]\nkind = \"shirt\"\n[held.a]\nset = \"neck-left\"").unwrap();
    let text = scene.to_toml().unwrap();
    assert!(text.contains("neck_depth = 0.06"), "{text}");
    let again = Scene::from_text("again", &text, None).unwrap();
    assert_eq!(again.settings(), scene.settings());
    assert_eq!(again.build().unwrap().positions(), scene.build().unwrap().positions());
}

#[test]
fn a_towel_is_a_grid_with_corners_and_sides() {
    let scene = load("[cloth.garment]\nkind = \"towel\"\n[held.a]\nside = \"top\"").unwrap();
    let simulation = scene.build().unwrap();
    assert_eq!(scene.held_at_start(&simulation).unwrap().len(), 18);
}

#[test]
fn nonsense_is_refused_with_its_key() {
    for (lines, complaint) in [
        ("kind = \"sock\"", "cloth.garment.kind cannot be \"sock\""),
        ("kind = \"short\"", "did you mean `shorts`?"),
        ("kind = \"shorts\"\ncell_m = 0", "cloth.garment.cell_m"),
        ("kind = \"shorts\"\ncell_m = 0.3", "cloth.garment.cell_m makes no garment"),
        ("kind = \"shorts\"\ngap_m = 0.05", "cloth.garment.gap_m makes no garment"),
        ("kind = \"shorts\"\ngap_m = 0.0005", "must be more than cloth.thickness_m, 0.001"),
        ("kind = \"shorts\"\nmeasures_m = { waits = 0.7 }", "did you mean `waist`?"),
        ("kind = \"shorts\"\nmeasures_m = { waist = -0.7 }", "cloth.garment.measures_m.waist makes no garment"),
        ("kind = \"shorts\"\nup_axis = [1, 0, 1]", "cloth.garment.up_axis is not perpendicular"),
        ("kind = \"shorts\"\n[cloth.grid]\nnodes = [3, 3]\nsize_m = [1, 1]", "cloth.grid are both given"),
    ] {
        let error = load(&format!("[cloth.garment]\n{lines}")).expect_err(lines);
        assert!(error.contains(complaint), "{lines:?}: {error}");
    }
}

#[test]
fn the_garment_in_the_documentation_can_be_made() {
    let documentation = include_str!("../../../docs/scenes.md");
    let mut examples = documentation.split("```toml").skip(1).filter_map(|rest| rest.split("```").next());
    let example = examples.find(|example| example.contains("[cloth.garment]")).unwrap();
    let scene = load(example).unwrap();
    assert_eq!(scene.settings().cloth.garment.as_ref().unwrap().measures_m["length"], 0.42);
    assert_eq!(scene.held_at_start(&scene.build().unwrap()).unwrap().len(), 1);
}

const STRIP: &str = "[cloth.grid]\nnodes = [13, 4]\nsize_m = [0.6, 0.15]\ncylinder_radius_m = 0.13\n";

#[test]
fn a_strip_is_sewn_to_a_tube_by_its_sides() {
    let seam = "[cloth.seam.back]\nfirst = \"left\"\nsecond = \"right\"\nuntil_s = 0.3\n";
    let scene = load(&format!("{STRIP}{seam}")).unwrap();
    let mut simulation = scene.build().unwrap();
    simulation.params.gravity = DVec3::ZERO;
    for _ in 0..40 {
        simulation.step().unwrap();
    }
    for row in 0..4 {
        let [a, b] = [13 * row, 13 * row + 12].map(|node| simulation.positions()[node]);
        assert!(a.distance(b) < 1e-5, "{a} {b}");
    }
    let text = scene.to_toml().unwrap();
    assert_eq!(Scene::from_text("again", &text, None).unwrap().settings(), scene.settings());
}

#[test]
fn nonsense_about_seams_is_refused_with_its_key() {
    for (lines, complaint) in [
        ("first = \"left\"\nsecond = \"right\"", "cloth.seam.back.until_s is missing"),
        ("first = \"left\"\nsecond = \"right\"\nfrom_s = 2\nuntil_s = 1", "must not be before cloth.seam.back.from_s"),
        ("first = \"left\"\nsecond = \"top\"\nuntil_s = 1", "cloth.seam.back.second has 13 nodes"),
        ("first = \"lost\"\nsecond = \"top\"\nuntil_s = 1", "cloth.seam.back.first is \"lost\""),
        ("first = [0, 99]\nsecond = [3, 4]\nuntil_s = 1", "cloth.seam.back.first has node 99"),
        ("first = [0, 1]\nsecond = [13, 26]\nuntil_s = 1", "an element keeps apart"),
        ("first = 3\nsecond = [13, 26]\nuntil_s = 1", "expected a name or a list of nodes"),
    ] {
        let scene = load(&format!("{STRIP}[cloth.seam.back]\n{lines}\n"));
        let error = scene.and_then(|scene| scene.build().map_err(|e| e.to_string())).err().expect(lines);
        assert!(error.contains(complaint), "{lines:?}: {error}");
    }
    let text = "solver.published = \"euler-2021\"\nduration_s = 1\ndt_s = 0.01\n[cloth.grid]\nnodes = [4, 4]\nsize_m = [1, 1]\n\
                [cloth.seam.a]\nfirst = \"left\"\nsecond = \"right\"\nuntil_s = 1\n";
    let scene = Scene::from_text("published", text, None).unwrap();
    assert!(scene.build().err().unwrap().to_string().contains("knows no seams"));
}
