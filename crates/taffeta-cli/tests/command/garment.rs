//! `taffeta garment`.

use crate::taffeta::Desk;

#[test]
fn a_garment_is_written_as_a_mesh_that_a_scene_can_use() {
    let desk = Desk::new();
    for (garment, openings) in [("towel", 1), ("skirt", 2), ("shorts", 3), ("shirt", 4)] {
        let table = desk.expect(&["garment", garment, "--cell", "0.05", "-o", "garment.obj"]);
        assert!(table.contains(&format!("openings  {openings}\n")), "{table}");
        desk.write(
            "garment.toml",
            "duration_s = 0.05\ndt_s = 0.01\n[cloth.obj]\npath = \"garment.obj\"\nrest = \"uv\"\n[held.a]\nnodes = [0]\n",
        );
        let summary = desk.expect(&["run", "garment.toml", "--json", "--out", garment]);
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        assert!(summary["max_edge_strain"].as_f64().unwrap() < 1e-3, "{garment}: {summary}");
    }
}

#[test]
fn measures_are_taken_from_the_command_line() {
    let desk = Desk::new();
    let table = desk.expect(&["garment", "shorts", "--waist", "0.9", "--length", "0.5", "-o", "shorts.obj"]);
    assert!(table.contains("waist 0.9, hip 0.94, length 0.5,"), "{table}");
    let text = std::fs::read_to_string(desk.path("shorts.obj")).unwrap();
    let heights = text.lines().filter_map(|line| line.strip_prefix("vt ")?.split_once(' ')?.1.parse().ok());
    assert_eq!(heights.fold(0.0, f64::max), 0.5);
}

#[test]
fn bad_measures_are_refused_and_nothing_is_written() {
    let desk = Desk::new();
    for (arguments, complaint) in [
        (["shorts", "--waist", "-1"], "shorts: waist is -1: it must be a positive number of metres"),
        (["shorts", "--sleeve", "0.2"], "shorts has no measure \"sleeve\": use waist, hip"),
        (["shorts", "--cell", "0.5"], "make the cell at most"),
        (["sock", "--cell", "0.05"], "there is no garment \"sock\": use one of towel, skirt, shorts, shirt"),
    ] {
        let outcome = desk.run(&[&["garment"], &arguments[..], &["-o", "out.obj"]].concat());
        assert_eq!(outcome.code, Some(2), "{arguments:?}");
        assert!(outcome.stderr.contains(complaint), "{arguments:?}: {}", outcome.stderr);
        assert!(!desk.path("out.obj").exists());
    }
}
