//! The constants of a step and of its programs are all in the table of `docs/constants.md`, with their values.

use std::fs;
use std::path::Path;

/// Name and value of every constant in the Rust files of a folder and below, tests left out.
fn constants(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a file").path();
        if path.is_dir() {
            constants(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines().filter(|line| line.ends_with(';')) {
            let Some((_, rest)) = line.split_once("const ") else { continue };
            if let (Some((name, _)), Some((_, value))) = (rest.split_once(':'), rest.split_once(" = ")) {
                found.push((name.to_owned(), value.trim_end_matches(';').to_owned()));
            }
        }
    }
}

#[test]
fn the_table_of_constants_is_complete_and_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = fs::read_to_string(root.join("../../docs/constants.md")).expect("docs/constants.md");
    let mut found = Vec::new();
    ["src/step", "src/qp"].iter().for_each(|folder| constants(&root.join(folder), &mut found));
    assert!(found.len() > 50, "only {} constants were found", found.len());
    let rows = |name: &str, value: &str| table.matches(&format!("| `{name}` | {value} |")).count();
    for (name, value) in &found {
        let same = found.iter().filter(|other| (&other.0, &other.1) == (name, value)).count();
        assert_eq!(rows(name, value), same, "docs/constants.md should have | `{name}` | {value} |");
    }
    let listed = table.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(listed, found.len(), "docs/constants.md lists constants that are not there");
}
