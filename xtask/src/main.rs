//! The chores of taffeta: `cargo xtask` lists them.

mod python;

use std::process::{Command, ExitCode};

/// A command line that must succeed.
type Chore = &'static [&'static str];

/// Everything that can be turned on, so that it is tested: saved programs, an interior point method to compare with, and several cores.
const FEATURES: &str = "taffeta/serde,taffeta/interior-point,taffeta/parallel";

/// Everything a change must pass, fastest first.
const TEST: &[Chore] = &[
    &["fmt", "--all", "--", "--check"],
    &["clippy", "--workspace", "--all-targets", "--features", FEATURES, "--", "-D", "warnings"],
    &["clippy", "--package", "taffeta", "--", "-D", "warnings"],
    &["doc", "--workspace", "--no-deps", "--features", FEATURES],
    &["test", "--workspace", "--features", FEATURES],
];

/// The random tests, and how many cases each of them is to try: as many as an hour has room for, beside the validation.
const PROVE: &[(Chore, [&str; 2])] = &[
    (&["test", "--release", "--package", "taffeta", "--test", "robustness"], ["PROPTEST_CASES", "15000"]),
    (&["test", "--release", "--package", "taffeta", "--test", "random_worlds"], ["PROPTEST_CASES", "10000"]),
    (
        &["test", "--release", "--package", "taffeta", "--features", "serde", "--test", "saved_states"],
        ["PROPTEST_CASES", "50000"],
    ),
    (&["test", "--release", "--package", "taffeta", "--test", "random_folds"], ["TAFFETA_FOLDS", "1000"]),
    (&["test", "--release", "--package", "taffeta", "--test", "robot_scenes"], ["TAFFETA_SCENES", "100"]),
    (&["test", "--release", "--package", "taffeta-cli", "--test", "command", "viewers"], ["TAFFETA_VIEWERS_S", "60"]),
    (&["test", "--release", "--package", "taffeta-cli", "--test", "command", "garbage"], ["TAFFETA_GARBAGE", "100000"]),
];

/// A picture of every shipped scene, and how it is drawn: those of the README larger than the others.
const PICTURES: &[(&str, &[&str])] = &[
    ("swing", SMALL),
    ("swing-fine", &["--sheet", "6"]),
    ("triangles", SMALL),
    ("flag", &["--sheet", "6"]),
    ("catenary", SMALL),
    ("cantilever", SMALL),
    ("drop-and-catch", SMALL),
    ("crumple", SMALL),
    ("pegs", &["--sheet", "6"]),
    ("incline", SMALL),
    ("slide", SMALL),
    ("capstan", SMALL),
    ("drop-floor", SMALL),
    ("drop-sphere", SMALL),
    ("cylinder", &["--sheet", "6"]),
    ("sphere", &["--sheet", "6"]),
    ("tablecloth", &["--sheet", "6"]),
    ("needles", SMALL),
    ("hit", &["--sheet", "12"]),
    ("fold", &["--sheet", "6"]),
    ("fold-fine", SMALL),
    ("shorts", &["--sheet", "6"]),
    ("shirt", &["--sheet", "6"]),
    ("pile", SMALL),
    ("twist", &["--sheet", "6"]),
    ("stack", SMALL),
    ("pinch", &["--sheet", "6"]),
    ("slip", SMALL),
    ("pull-from-under", &["--sheet", "6"]),
    ("hook", &["--sheet", "6"]),
    ("wipe", SMALL),
    ("press", SMALL),
    ("hang", SMALL),
    ("fold-gripper", &["--sheet", "6"]),
];

/// Three moments in a row.
const SMALL: &[&str] = &["--sheet", "3", "--width", "320"];

/// And those that move.
const ANIMATIONS: &[(&str, &[&str])] = &[("shorts", &["--width", "400", "--height", "260"])];

fn main() -> ExitCode {
    let chore = std::env::args().nth(1);
    let done = match chore.as_deref() {
        Some("test") => {
            set_up() && with_validators(|tools| TEST.iter().all(|chore| run("cargo", chore, tools))) && python::test()
        }
        Some("prove") => {
            validate() && PROVE.iter().all(|(chore, cases)| run("cargo", chore, &[*cases])) && python::prove()
        }
        Some("python") => python::build(),
        Some("wheel") => python::wheel(),
        Some("web") => web(),
        Some("bench-page") => cargo(&["build", "--release"]) && run("node", &["web/bench.mjs"], &[]),
        Some("pictures") => {
            PICTURES.iter().all(|(scene, how)| picture(scene, "--png", "", how))
                && ANIMATIONS.iter().all(|(scene, how)| picture(scene, "--apng", "-moving", how))
        }
        _ => {
            eprintln!(
                "cargo xtask test       set up, then fmt, clippy, docs and tests, those of the Python module included"
            );
            eprintln!("cargo xtask python     build the Python module for use from the sources: PYTHONPATH=python");
            eprintln!("cargo xtask wheel      build its wheel, into target/wheels");
            eprintln!("cargo xtask prove      docs/validation.md, and the random tests many times; an hour");
            eprintln!("cargo xtask web        build the viewer's page, and the simulator in it, with Node");
            eprintln!("cargo xtask bench-page compare the simulator of the page with the native one, with Node");
            eprintln!("cargo xtask pictures   make docs/pictures from the shipped scenes");
            false
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Where captures of real cloth may be; they are not part of the project.
const REAL: &str = "../shared/data/real";

/// Fits twins, and real captures where there are some, and writes docs/validation.md.
fn validate() -> bool {
    let taffeta = ["run", "--release", "--quiet", "--package", "taffeta-cli", "--", "validate", "--out", "docs"];
    if !std::path::Path::new(REAL).is_dir() {
        eprintln!("{REAL} is not there: docs/validation.md is written without real cloth");
        return cargo(&taffeta);
    }
    cargo(&[&taffeta[..], &["--real", REAL]].concat())
}

/// Fetches what a bare toolchain may lack.
fn set_up() -> bool {
    let has = |tool: &str| Command::new("cargo").args([tool, "--version"]).output().is_ok_and(|o| o.status.success());
    let missing: Vec<&str> = [("fmt", "rustfmt"), ("clippy", "clippy")]
        .into_iter()
        .filter(|(tool, _)| !has(tool))
        .map(|(_, component)| component)
        .collect();
    missing.is_empty() || run("rustup", &[&["component", "add"], missing.as_slice()].concat(), &[])
}

/// Where tools are put that read what taffeta writes: a Python environment, and a package of Node.
const VALIDATORS: &str = "target/validators";

/// What they are. Tests that need one which is not there say so and pass.
const PYTHON_PACKAGES: &[&str] = &["numpy", "trimesh", "usd-core", "ezc3d"];
const NODE_PACKAGES: &[&str] = &["gltf-validator", "playwright-core"];

/// Fetches the validators where there is a Python or a Node to run them, and tells the tests of them.
fn with_validators(chores: impl FnOnce(&[[&str; 2]]) -> bool) -> bool {
    let here = std::env::current_dir().unwrap_or_default().join(VALIDATORS);
    let (folder, python) = (here.display().to_string(), here.join("bin/python").display().to_string());
    let imports = "import numpy, trimesh, pxr, ezc3d";
    let has_python = || succeeds(&python, &["-c", imports]);
    if !has_python()
        && succeeds("python3", &["-m", "venv", &folder])
        && !run(&python, &[&["-m", "pip", "install", "--quiet"], PYTHON_PACKAGES].concat(), &[])
    {
        eprintln!("without them the tests that read exports with Python are skipped");
    }
    let modules = here.join("node_modules");
    let has_modules = || NODE_PACKAGES.iter().all(|package| modules.join(package).exists());
    if !has_modules()
        && succeeds("npm", &["--version"])
        && !run("npm", &[&["install", "--silent", "--no-save", "--prefix", &folder], NODE_PACKAGES].concat(), &[])
    {
        eprintln!("without them the tests of glTF and of the page are skipped");
    }
    install_browser();
    let tools =
        [("TAFFETA_PYTHON", python.clone(), has_python()), ("NODE_PATH", modules.display().to_string(), has_modules())];
    let found: Vec<[&str; 2]> =
        tools.iter().filter(|(.., there)| *there).map(|(name, value, _)| [*name, value.as_str()]).collect();
    chores(&found)
}

/// Installs Debian's Chromium where that is possible without asking: as root, with apt.
fn install_browser() {
    let is_root = || Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if succeeds("chromium", &["--version"]) || std::env::var_os("TAFFETA_BROWSER").is_some() || !is_root() {
        return;
    }
    let apt = |arguments: &[&str]| run("apt-get", arguments, &[["DEBIAN_FRONTEND", "noninteractive"]]);
    let install = ["install", "-y", "-qq", "--no-install-recommends", "chromium"];
    if succeeds("apt-get", &["--version"]) && !apt(&install) && !(apt(&["update", "-qq"]) && apt(&install)) {
        eprintln!("without it the test of the page is skipped");
    }
}

/// The version of the tool that turns what is built for WebAssembly into a module; that of the crate.
const WASM_BINDGEN: &str = "0.2.130";

/// Builds the viewer's page from `web/` and the simulator in it, to be committed with its sources.
fn web() -> bool {
    const TARGET: &str = "wasm32-unknown-unknown";
    let tool = "target/tools/bin/wasm-bindgen";
    let is_current = || {
        let version = Command::new(tool).arg("--version").output();
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(WASM_BINDGEN))
    };
    let install = ["install", "wasm-bindgen-cli", "--version", WASM_BINDGEN, "--root", "target/tools", "--locked"];
    let module = format!("target/{TARGET}/page/taffeta_live.wasm");
    // What panics say names sources, which are to be found by others, too.
    let (home, here) = (std::env::var("HOME").unwrap_or_default(), std::env::current_dir().unwrap_or_default());
    let registry = std::env::var("CARGO_HOME").unwrap_or_else(|_| format!("{home}/.cargo"));
    let names = format!("--remap-path-prefix={registry}=cargo --remap-path-prefix={}=taffeta", here.display());
    let flags = format!("-C target-feature=+simd128 {names}");
    let variables = [["CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags.as_str()]];
    let build = ["build", "--package", "taffeta-live", "--profile", "page", "--target", TARGET];
    let simulator = run("rustup", &["target", "add", TARGET], &[])
        && run("cargo", &build, &variables)
        && (is_current() || cargo(&install))
        && run(tool, &[&module, "--target", "web", "--out-dir", "web/live"], &[]);
    let npm = |arguments: &[&str]| run("npm", &[&["--prefix", "web"], arguments].concat(), &[]);
    simulator && npm(&["ci", "--silent"]) && npm(&["run", "--silent", "check"]) && npm(&["run", "--silent", "build"])
}

/// Whether a program is there and does what it is asked, silently.
fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}

fn picture(scene: &str, kind: &str, suffix: &str, how: &[&str]) -> bool {
    let folder = format!("target/pictures/{scene}");
    let png = format!("docs/pictures/{scene}{suffix}.png");
    let taffeta = ["run", "--release", "--quiet", "--package", "taffeta-cli", "--"];
    cargo(&[&taffeta[..], &["run", scene, "--out", &folder, "--overwrite"]].concat())
        && cargo(&[&taffeta[..], &["render", &folder, kind, &png], how].concat())
}

fn cargo(arguments: &[&str]) -> bool {
    run("cargo", arguments, &[])
}

/// Runs a program, with these variables in its environment.
fn run(program: &str, arguments: &[&str], variables: &[[&str; 2]]) -> bool {
    eprintln!("$ {program} {}", arguments.join(" "));
    let mut command = Command::new(program);
    command.args(arguments);
    if arguments.first() == Some(&"doc") {
        command.env("RUSTDOCFLAGS", "-D warnings");
    }
    command.envs(variables.iter().map(|[name, value]| (name, value)));
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("cannot run {program}: {error}");
            false
        }
    }
}
