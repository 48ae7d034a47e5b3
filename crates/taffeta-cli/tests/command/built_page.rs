//! The page that the program embeds is of the sources beside it.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

/// All files below a folder of `web`, but for tests.
fn below(web: &Path, folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(web.join(folder)).expect(folder) {
        let entry = entry.expect("a file");
        let name = entry.file_name().into_string().expect("a plain name");
        let path = format!("{folder}/{name}");
        if !entry.path().is_dir() {
            found.push(path);
        } else if name != "tests" {
            below(web, &path, found);
        }
    }
}

#[test]
fn the_built_page_is_of_these_sources() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    // As `web/build.mjs` lists them.
    let single = ["build.mjs", "package-lock.json", "package.json", "page.html", "tsconfig.json", "../Cargo.lock"];
    let mut sources = single.map(str::to_owned).to_vec();
    for folder in
        ["src", "../scenes", "../crates/taffeta/src", "../crates/taffeta-io/src", "../crates/taffeta-live/src"]
    {
        below(&web, folder, &mut sources);
    }
    sources.sort();
    let mut hash = Sha256::new();
    for name in &sources {
        hash.update(format!("{name}\n"));
        hash.update(fs::read(web.join(name)).expect(name));
    }
    let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let built = fs::read_to_string(web.join("dist/sources.sha256")).expect("a build");
    let why = "web/dist is not of these sources: run `cargo xtask web` and commit what it builds";
    assert_eq!(built.trim(), found, "{why}");
}
