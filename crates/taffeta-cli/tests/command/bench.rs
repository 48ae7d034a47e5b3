//! `taffeta bench scenes`; the other subjects take too long for a test.

use crate::taffeta::Desk;

#[test]
fn scenes_are_a_table_with_a_line_each() {
    let desk = Desk::new();
    let outcome = desk.run(&["bench", "scenes", "--only", "tablecloth,swing-7x9"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("tablecloth …") && outcome.stderr.contains("swing-7x9 …"), "{}", outcome.stderr);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", outcome.stdout);
    assert!(lines[0].contains("q") && lines[0].contains("largest strain"), "{}", lines[0]);
    assert!(lines[1].contains("tablecloth") && lines[2].contains("swing-7x9"), "{}", outcome.stdout);
}

#[test]
fn starts_differ_and_their_medians_are_printed() {
    let desk = Desk::new();
    let run = || -> serde_json::Value {
        let printed = desk.expect(&["bench", "scenes", "--only", "tablecloth", "--starts", "3", "--json"]);
        serde_json::from_str(&printed).unwrap()
    };
    let (first, second) = (run(), run());
    let figures = |table: &serde_json::Value| {
        ["iterations_per_step", "factorisations_per_step", "exchanges_per_step", "max_edge_strain"]
            .map(|key| table[0][key].as_f64().unwrap_or_else(|| panic!("{key} in {table}")))
    };
    assert_eq!(figures(&first), figures(&second), "the starts are always the same");
    let row = &first[0];
    let of = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key} in {row}"));
    assert_eq!(
        (row["name"].as_str(), row["starts"].as_u64(), row["refused"].as_u64()),
        (Some("tablecloth"), Some(3), Some(0))
    );
    assert_eq!(row["nodes"], 63);
    assert!(0.0 < of("q_least") && of("q_least") <= of("q") && of("q") <= of("q_largest"), "{row}");
    assert!(of("iterations_per_step") > 1.0 && of("max_edge_strain") < 1e-3, "{row}");
}

#[test]
fn shares_of_the_stages_are_a_second_table() {
    let desk = Desk::new();
    let printed = desk.expect(&["bench", "scenes", "--only", "tablecloth,swing-7x9", "--timings"]);
    let (_, shares) = printed.split_once("\n\n").expect("two tables");
    let lines: Vec<&str> = shares.lines().collect();
    assert_eq!(lines.len(), 3, "{printed}");
    assert!(lines[0].contains("detect") && lines[0].contains("factorise"), "{printed}");
    for line in &lines[1..] {
        let shares = line.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
        assert!((shares.sum::<f64>() - 100.0).abs() < 1.0, "{line}");
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let desk = Desk::new();
    for (arguments, message) in [
        (&["scenes", "--only", "fold,flod"][..], "bench scenes has no \"flod\": use some of fold, fold-fine"),
        (&["scenes", "--only", "shirt", "--skip-slow"], "no scene is left"),
        (&["scenes", "--largest", "20"], "bench scenes has no --largest"),
        (&["sheets", "--starts", "3"], "options of taffeta bench scenes"),
        (&["sheets", "--timings"], "options of taffeta bench scenes"),
        (&["scenes", "--starts", "0"], "0 is not in 1..=1000"),
    ] {
        let outcome = desk.run(&[&["bench"], arguments].concat());
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(message), "{arguments:?}: {}", outcome.stderr);
    }
}
