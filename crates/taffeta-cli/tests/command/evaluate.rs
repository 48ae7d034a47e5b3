//! Captures of real cloth, through the command.

use crate::taffeta::Desk;

/// A capture of a cloth that hangs still: 3×3 markers seen four times, exactly where they are.
fn write_capture(desk: &Desk) {
    std::fs::create_dir(desk.path("captures")).expect("a folder");
    let about = r#"{"id": "still", "cloth": {"width_m": 0.2, "height_m": 0.2}, "grid": {"rows": 3, "cols": 3},
        "held": {"nodes": [6, 8]}}"#;
    desk.write("captures/still.json", about);
    desk.write("captures/still_held.csv", "t,xL,yL,zL,xR,yR,zR\n0,0,0,1,0.2,0,1\n1,0,0,1,0.2,0,1\n");
    let places: Vec<String> =
        (0..9).map(|k| format!("{:.3},0,{:.3}", 0.1 * f64::from(k % 3), 0.8 + 0.1 * f64::from(k / 3))).collect();
    let rows: String = (0..4).map(|k| format!("{:.2},{}\n", 0.25 * f64::from(k), places.join(","))).collect();
    desk.write("captures/still_mesh.csv", &format!("t\n{rows}"));
}

#[test]
fn cloth_that_hangs_still_is_where_it_was_seen() {
    let desk = Desk::new();
    write_capture(&desk);
    let told = desk.expect(&["evaluate", "captures", "--json", "--quiet"]);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let capture = &told["captures"][0];
    assert_eq!(capture["id"], "still");
    // It sags by what the hands leave it in slack, which is little.
    let off = capture["mean_error_m"].as_f64().expect("a number");
    assert!(off < 0.004, "{off}");
    assert_eq!(capture["rms_error_by_frame_m"].as_array().map(Vec::len), Some(4));
    let table = desk.expect(&["evaluate", "captures", "--quiet"]);
    assert!(table.contains("still") && table.contains("hem correlation"), "{table}");
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    let desk = Desk::new();
    write_capture(&desk);
    for (arguments, fragment) in [
        (&["evaluate", "nowhere"][..], "cannot read nowhere"),
        (&["evaluate", "."], "there is no capture in it"),
        (&["evaluate", "captures", "--delta", "1.5"], "delta must be positive"),
        (&["evaluate", "captures", "--alpha=-1"], "alpha must be 0 or"),
        (&["evaluate", "captures", "--dt", "0"], "dt must be a positive number"),
        (&["evaluate", "captures", "--refinement", "0"], "refinement must be 1 or more"),
    ] {
        let outcome = desk.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(fragment), "{arguments:?}: {}", outcome.stderr);
    }
}
