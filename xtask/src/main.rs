//! The chores of taffeta: `cargo xtask test`, `cargo xtask prove`, `cargo xtask pictures`.

use std::process::{Command, ExitCode};

/// A command line that must succeed.
type Chore = &'static [&'static str];

/// Everything that can be turned on, so that it is tested: saved programs, and an interior point method to compare with.
const FEATURES: &str = "taffeta/serde,taffeta/interior-point";

/// Everything a change must pass, fastest first.
const TEST: &[Chore] = &[
    &["fmt", "--all", "--", "--check"],
    &["clippy", "--workspace", "--all-targets", "--features", FEATURES, "--", "-D", "warnings"],
    &["doc", "--workspace", "--no-deps", "--features", FEATURES],
    &["test", "--workspace", "--features", FEATURES],
];

/// The random tests, and how many cases each of them is to try: a hundred thousand, or fifty thousand steps of crumpling.
const PROVE: &[(Chore, [&str; 2])] = &[
    (&["test", "--release", "--package", "taffeta", "--test", "robustness"], ["PROPTEST_CASES", "100000"]),
    (&["test", "--release", "--package", "taffeta", "--test", "random_worlds"], ["PROPTEST_CASES", "100000"]),
    (&["test", "--release", "--package", "taffeta", "--test", "random_folds"], ["TAFFETA_FOLDS", "1000"]),
];

/// The README's pictures, from the shipped scenes.
const PICTURES: &[(&str, &[&str])] = &[
    ("swing-fine", &["--sheet", "6"]),
    ("flag", &["--sheet", "6"]),
    ("pegs", &["--sheet", "6"]),
    ("cylinder", &["--sheet", "6"]),
    ("sphere", &["--sheet", "6"]),
    ("tablecloth", &["--sheet", "6"]),
    ("hit", &["--sheet", "12"]),
    ("fold", &["--sheet", "6"]),
    ("shorts", &["--sheet", "6"]),
    ("twist", &["--sheet", "6"]),
];

fn main() -> ExitCode {
    let chore = std::env::args().nth(1);
    let done = match chore.as_deref() {
        Some("test") => set_up() && TEST.iter().all(|chore| cargo(chore)),
        Some("prove") => PROVE.iter().all(|(chore, cases)| run("cargo", chore, Some(*cases))),
        Some("pictures") => PICTURES.iter().all(|(scene, how)| picture(scene, how)),
        _ => {
            eprintln!("cargo xtask test       set up, then fmt, clippy, docs and tests");
            eprintln!(
                "cargo xtask prove      a hundred thousand random sheets and as many worlds, a thousand crumpled; half an hour"
            );
            eprintln!("cargo xtask pictures   make docs/pictures from the shipped scenes");
            false
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Fetches what a bare toolchain may lack.
fn set_up() -> bool {
    let has = |tool: &str| Command::new("cargo").args([tool, "--version"]).output().is_ok_and(|o| o.status.success());
    let missing: Vec<&str> = [("fmt", "rustfmt"), ("clippy", "clippy")]
        .into_iter()
        .filter(|(tool, _)| !has(tool))
        .map(|(_, component)| component)
        .collect();
    missing.is_empty() || run("rustup", &[&["component", "add"], missing.as_slice()].concat(), None)
}

fn picture(scene: &str, how: &[&str]) -> bool {
    let folder = format!("target/pictures/{scene}");
    let png = format!("docs/pictures/{scene}.png");
    let taffeta = ["run", "--release", "--quiet", "--package", "taffeta-cli", "--"];
    cargo(&[&taffeta[..], &["run", scene, "--out", &folder, "--overwrite"]].concat())
        && cargo(&[&taffeta[..], &["render", &folder, "--png", &png], how].concat())
}

fn cargo(arguments: &[&str]) -> bool {
    run("cargo", arguments, None)
}

/// Runs a program, with a variable of its environment set if one is given.
fn run(program: &str, arguments: &[&str], variable: Option<[&str; 2]>) -> bool {
    eprintln!("$ {program} {}", arguments.join(" "));
    let mut command = Command::new(program);
    command.args(arguments);
    if arguments.first() == Some(&"doc") {
        command.env("RUSTDOCFLAGS", "-D warnings");
    }
    if let Some([name, value]) = variable {
        command.env(name, value);
    }
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cannot run {program}: {error}");
            false
        }
    }
}
