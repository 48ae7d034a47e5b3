//! The modules of the library are in layers: none imports one that imports it, by however many others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which of the top-level modules each of them imports, and a file that does.
type Imports = BTreeMap<String, BTreeMap<String, PathBuf>>;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            // Tests may look at everything.
            if path.file_name().is_some_and(|name| name != "tests") {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file without comments and without its tests, which are at the end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The module path of a file: `step::contacts` of `step/contacts/mod.rs`.
fn module(file: &Path) -> Vec<String> {
    let parts = file.with_extension("");
    let parts = parts.iter().map(|part| part.to_string_lossy().into_owned());
    parts.filter(|part| part != "mod").collect()
}

/// What a module names in the root of the library: modules, and what the root exports of them.
fn named_in_root(code: &str, depth: usize) -> Vec<String> {
    let roots = ["crate::".to_owned(), "super::".repeat(depth)];
    let starts = roots.iter().flat_map(|root| {
        code.match_indices(root.as_str()).filter_map(move |(at, _)| {
            let before = code[..at].chars().next_back();
            let whole = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':');
            whole.then_some(&code[at + root.len()..])
        })
    });
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    starts
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or_default().split(',').map(|item| name(item.trim())).collect(),
            None => vec![name(rest)],
        })
        .filter(|name| !name.is_empty() && name != "super")
        .collect()
}

fn imports(src: &Path) -> Imports {
    let mut files = Vec::new();
    sources(src, &mut files);
    let mut imports = Imports::new();
    for file in files {
        let inside = file.strip_prefix(src).expect("a file of the library").to_path_buf();
        let path = module(&inside);
        if path == ["lib"] {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source");
        let of_module = imports.entry(path[0].clone()).or_default();
        for name in named_in_root(&code(&text), path.len()) {
            if name != path[0] {
                of_module.entry(name).or_insert_with(|| inside.clone());
            }
        }
    }
    imports
}

/// A way from a module back to itself.
fn cycle(imports: &Imports) -> Option<Vec<String>> {
    fn search(at: &str, imports: &Imports, way: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        if let Some(k) = way.iter().position(|module| module == at) {
            way.drain(..k);
            way.push(at.to_owned());
            return true;
        }
        if done.contains(at) {
            return false;
        }
        way.push(at.to_owned());
        if imports.get(at).is_some_and(|next| next.keys().any(|next| search(next, imports, way, done))) {
            return true;
        }
        way.pop();
        done.insert(at.to_owned());
        false
    }
    let (mut way, mut done) = (Vec::new(), BTreeSet::new());
    imports.keys().any(|module| search(module, imports, &mut way, &mut done)).then_some(way)
}

#[test]
fn no_module_of_the_library_imports_one_that_imports_it() {
    let imports = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(imports.len() > 5, "the sources are elsewhere: {imports:?}");
    for (module, named) in &imports {
        for (name, file) in named {
            let known = imports.contains_key(name);
            assert!(known, "{} imports crate::{name}, which is not a module: name the module it is in", file.display());
        }
        assert!(!named.contains_key(module));
    }
    if let Some(way) = cycle(&imports) {
        let steps = way.windows(2).map(|pair| {
            let file = &imports[&pair[0]][&pair[1]];
            format!("{} imports {} in {}", pair[0], pair[1], file.display())
        });
        panic!("the modules go in a circle: {}", steps.collect::<Vec<_>>().join("; "));
    }
}

#[test]
fn a_cycle_is_found_however_it_is_written() {
    let graph = |edges: &[(&str, &str, usize)]| {
        let mut imports = Imports::new();
        for (module, text, depth) in edges {
            let named = named_in_root(&code(text), *depth).into_iter().map(|name| (name, PathBuf::new()));
            imports.entry((*module).to_owned()).or_default().extend(named);
        }
        imports
    };
    let layers =
        [("a", "use crate::b::X;", 1), ("b", "use crate::{c, d::Y};", 1), ("c", "// crate::a", 1), ("d", "", 1)];
    assert_eq!(cycle(&graph(&layers)), None);
    for (module, text, depth) in [("c", "fn f() { crate::a::g() }", 1), ("d", "use super::super::a::X;", 2)] {
        let graph = graph(&[&layers[..], &[(module, text, depth)]].concat());
        let way = cycle(&graph).unwrap_or_else(|| panic!("{text}: no cycle"));
        assert_eq!((way.first(), way.contains(&"a".to_owned())), (way.last(), true), "{text}: {way:?}");
    }
    let tested = [("d", "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use crate::a::X;\n}", 1)];
    assert_eq!(cycle(&graph(&[&layers[..], &tested].concat())), None);
}
