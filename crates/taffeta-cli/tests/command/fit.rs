//! Fits, sensitivity and twins, through the command.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::taffeta::Desk;

/// A desk with a twin of polyester that is laid on a table.
fn desk_with_twin() -> Desk {
    let desk = Desk::new();
    let told = desk.expect(&["twin", "twins", "--fabric", "polyester", "--scenario", "tablecloth-high", "--quiet"]);
    assert_eq!(told.trim(), "twins/polyester-tablecloth-high.toml");
    desk
}

/// Hardly any effort.
const HASTY: [&str; 5] = ["--generations", "1", "--replicates", "10", "--quiet"];
const TWIN: &str = "twins/polyester-tablecloth-high.toml";

#[test]
fn a_fit_leaves_a_summary_and_a_report() {
    let desk = desk_with_twin();
    let arguments = [&["fit", TWIN, "--json", "--out", "found"][..], &HASTY].concat();
    let told: serde_json::Value = serde_json::from_str(&desk.expect(&arguments)).expect("JSON");
    let names: Vec<&str> =
        told["parameters"].as_array().expect("a list").iter().filter_map(|p| p["name"].as_str()).collect();
    assert_eq!(names, ["alpha", "delta", "mu"]);
    for parameter in told["parameters"].as_array().expect("a list") {
        let number = |key: &str| parameter[key].as_f64().expect("a number");
        assert!(number("low") <= number("value") && number("value") <= number("high"), "{parameter}");
    }
    let density = told["all_parameters"]["density"].as_f64().expect("a number");
    assert_eq!(density, 0.1042, "of the fabric");
    let written = fs::read_to_string(desk.path("found/fit.json")).expect("a summary");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&written).expect("JSON"), told);
    let report = fs::read_to_string(desk.path("found/report.html")).expect("a report");
    assert!(
        report.contains("<svg") && report.contains("srcdoc=") && report.contains("α/ρ"),
        "the report lacks something"
    );
    // The viewer in it may well speak of NaN; what was found must not.
    let told_by_page: String = report.split("srcdoc=").next().into_iter().collect();
    assert!(!told_by_page.contains("NaN") && !written.contains("NaN"));
    // What the report shows can be played by itself.
    let info = desk.expect(&["info", "found/overlay/polyester-tablecloth-high/simulated"]);
    assert!(info.contains("63"), "{info}");

    // Another fit in the same folder is refused, unless it may begin anew.
    let other = [&["fit", TWIN, "--params", "alpha", "--out", "found"][..], &HASTY].concat();
    let refused = desk.run(&other);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("is of another fit") && refused.stderr.contains("--overwrite"),
        "{}",
        refused.stderr
    );
    desk.expect(&[&other[..], &["--overwrite"]].concat());
}

#[test]
fn a_killed_fit_goes_on() {
    let desk = desk_with_twin();
    let arguments = ["fit", TWIN, "--out", "found", "--generations", "12", "--replicates", "10", "--quiet"];
    let mut child = desk.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the command");
    let rows = || fs::read_to_string(desk.path("found/journal.csv")).map_or(0, |text| text.lines().count());
    let deadline = Instant::now() + Duration::from_secs(60);
    while rows() < 12 {
        assert!(Instant::now() < deadline, "nothing is noted");
        assert!(child.try_wait().expect("a child").is_none(), "the fit has ended: give it more to do");
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("a kill");
    child.wait().expect("an end");
    assert!(!desk.path("found/fit.json").exists());
    let loud: Vec<&str> = arguments[..arguments.len() - 1].to_vec();
    let resumed = desk.run(&loud);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert!(resumed.stderr.contains("going on with"), "{}", resumed.stderr);
    let whole = [&arguments[..3], &["whole"], &arguments[4..]].concat();
    desk.expect(&whole);
    let found = |folder: &str| {
        let text = fs::read_to_string(desk.path(folder).join("fit.json")).expect("a summary");
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["parameters"].clone()
    };
    assert_eq!(found("found"), found("whole"));
}

#[test]
fn the_error_is_least_near_the_truth() {
    let desk = desk_with_twin();
    let truth = ["--alpha", "3.6", "--delta", "0.6"];
    let one = [&["sensitivity", TWIN, "--over", "mu=0.5:1.5:5", "--json", "--quiet", "--svg", "map.svg"][..], &truth]
        .concat();
    let told: serde_json::Value = serde_json::from_str(&desk.expect(&one)).expect("JSON");
    let row: Vec<f64> =
        told["captures"][0]["rms_error_m"][0].as_array().expect("a row").iter().filter_map(|e| e.as_f64()).collect();
    assert_eq!(row.len(), 5);
    let least = (0..5).min_by(|&a, &b| row[a].total_cmp(&row[b])).expect("one");
    assert_eq!(told["across"]["values"][least], 1.0, "{row:?}");
    let map = fs::read_to_string(desk.path("map.svg")).expect("a picture");
    assert!(map.starts_with("<svg") && map.contains("polyester-tablecloth-high"));
    let two = [
        &["sensitivity", TWIN, "--over", "mu=0.9:1.1:2", "--over", "alpha=3:4:3", "--quiet", "--svg", "maps.svg"][..],
        &truth,
    ];
    let table = desk.expect(&two.concat());
    assert!(
        table.contains("alpha 3.5") && table.lines().count() == 6 && table.starts_with("with delta = 0.6, kappa = 0"),
        "{table}"
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let desk = desk_with_twin();
    let about = fs::read_to_string(desk.path(TWIN)).expect("a description");
    desk.write("twins/metres.toml", &about.replace("size_m = [0.42, 0.594]", "size_m = [0.00042, 0.000594]"));
    desk.write("twins/elsewhere.toml", &about.replace("id = \"polyester-tablecloth-high\"", "id = \"../../up\""));
    for (arguments, fragment) in [
        (&["fit", "nowhere.toml"][..], "cannot read nowhere.toml"),
        (&["fit", "twins/metres.toml"], "may be in millimetres"),
        (&["fit", TWIN, "--params", "alpha,alpha"], "alpha is named twice"),
        (&["fit", TWIN, "--replicates", "0"], "give 10 or more"),
        (&["fit", TWIN, "--alpha", "100"], "alpha is to begin at 100: give 0 to 25"),
        (&["fit", TWIN, TWIN], "two captures are called \"polyester-tablecloth-high\""),
        (&["fit", "twins/elsewhere.toml", "--delta", "2"], "delta is to begin at 2"),
        (&["sensitivity", TWIN, "--alpha", "-1"], "alpha must be 0 or"),
        (&["sensitivity", TWIN, "--svg", "map.png"], "is to be a .svg file"),
        (&["sensitivity", TWIN, "--over", "mu=0:1:2", "--over", "mu=0:1:2"], "two different ones"),
        (&["twin", "twins", "--fabric", "tin"], "there is no fabric \"tin\""),
        (&["twin", "twins", "--missing", "1"], "--missing is 1"),
        (&["validate", "--real", "nowhere", "--out", "docs"], "nowhere is not a folder"),
    ] {
        let outcome = desk.run(arguments);
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(fragment), "{arguments:?}: {}", outcome.stderr);
    }
    let outcome = desk.run(&["fit", TWIN, "--params", "gamma"]);
    assert!(
        outcome.code == Some(2) && outcome.stderr.contains("there is no parameter \"gamma\""),
        "{}",
        outcome.stderr
    );
}

#[test]
fn an_id_is_no_path() {
    let desk = desk_with_twin();
    let about = fs::read_to_string(desk.path(TWIN)).expect("a description");
    desk.write("twins/elsewhere.toml", &about.replace("id = \"polyester-tablecloth-high\"", "id = \"../../up\""));
    desk.expect(&[&["fit", "twins/elsewhere.toml"][..], &HASTY].concat());
    assert!(desk.path("fits/______up/report.html").is_file());
}
