//! The chores of the Python module: to build it, to test it, to pack it.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX, EXE_SUFFIX};
use std::path::{Path, PathBuf};

use crate::{FEATURES, cargo, run, succeeds};

/// An environment with what tests and packs the module.
const ENVIRONMENT: &str = "target/python";

/// What is in it, and how it is imported. The versions are those that `pyproject.toml` asks for.
const PACKAGES: &[&str] = &[
    "numpy>=1.24",
    "pytest>=8",
    "mypy>=1.13",
    "hypothesis>=6",
    "gymnasium>=1.0",
    "maturin>=1.9,<2",
    "cma>=4",
    "nbclient>=0.10",
    "ipykernel>=6",
];
const IMPORTS: &str = "import numpy, pytest, mypy, hypothesis, gymnasium, maturin, cma, nbclient, ipykernel";

/// What is too large to be fetched for every test: a cluster, of which a machine is killed; a peer; tables and plots.
const LARGE_PACKAGES: &[&str] = &["ray>=2.40", "mujoco>=3.3", "matplotlib", "pyarrow"];

/// Why Python may be too old.
const NEW_ENOUGH: &str = "import sys, venv; sys.exit(sys.version_info < (3, 10))";

/// Where the module is looked for.
const SOURCES: &str = "python";

/// Builds the module with the profile of the tests and tests it; where there is no Python, or nothing can be installed, says so.
pub fn test() -> bool {
    let Some(python) = environment() else {
        eprintln!("the Python module is not tested");
        return true;
    };
    let command = command("debug");
    let variables = [["PYTHONPATH", SOURCES], ["MYPYPATH", SOURCES], ["TAFFETA_COMMAND", &command]];
    // All that `cargo test` builds, with the same features, so that nothing is compiled twice; and with it the module and the command.
    let build = ["--workspace", "--lib", "--bins", "--tests", "--profile", "test", "--features", FEATURES];
    build_with(&build, "debug")
        && run(&python, &["-m", "pytest"], &variables)
        && run(&python, &["-m", "mypy"], &variables)
        && run(&python, &["-m", "mypy.stubtest", "taffeta", "--mypy-config-file", "pyproject.toml"], &variables)
}

/// Tests the optimised module with many more random calls and resets, and on a cluster, and the experts of the environments on fifty seeds.
pub fn prove() -> bool {
    let Some(python) = environment() else { return false };
    if !run(&python, &[&["-m", "pip", "install", "--quiet"], LARGE_PACKAGES].concat(), &[]) {
        eprintln!("without them the tests of clusters, of MuJoCo and of plots are skipped");
    }
    let command = command("release");
    let variables = [
        ["PYTHONPATH", SOURCES],
        ["TAFFETA_COMMAND", &command],
        ["TAFFETA_CALLS", "3000"],
        ["TAFFETA_RESETS", "100000"],
    ];
    cargo(&["build", "--release"])
        && build()
        && run(&python, &["-m", "pytest"], &variables)
        && run(&python, &["-m", "taffeta.envs.evaluate"], &variables)
}

/// Builds the optimised module for use from the sources.
pub fn build() -> bool {
    build_with(&["--release", "--package", "taffeta-py"], "release")
}

/// Builds the wheel, which every Python from 3.10 on can install.
pub fn wheel() -> bool {
    let Some(python) = environment() else { return false };
    run(&python, &["-m", "maturin", "build", "--release", "--out", "target/wheels"], &[])
}

/// Where the command is, of such a build.
fn command(folder: &str) -> String {
    here().join("target").join(folder).join(format!("taffeta{EXE_SUFFIX}")).display().to_string()
}

/// Builds the module and puts it beside its sources in Python.
fn build_with(how: &[&str], folder: &str) -> bool {
    let library = Path::new("target").join(folder).join(format!("{DLL_PREFIX}_taffeta{DLL_SUFFIX}"));
    let suffix = if cfg!(windows) { "pyd" } else { "abi3.so" };
    let module = Path::new(SOURCES).join("taffeta").join(format!("_taffeta.{suffix}"));
    if !cargo(&[&["build"], how].concat()) {
        return false;
    }
    // Not over what an interpreter may have loaded.
    let draft = module.with_extension("draft");
    let copied = std::fs::copy(&library, &draft).and_then(|_| std::fs::rename(&draft, &module));
    copied.inspect_err(|error| eprintln!("cannot copy {} to {}: {error}", library.display(), module.display())).is_ok()
}

/// The interpreter of the environment, which is made if it is not there; `None` if it cannot be.
fn environment() -> Option<String> {
    let folder = here().join(ENVIRONMENT);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" }).display().to_string();
    if succeeds(&python, &["-c", IMPORTS]) {
        return Some(python);
    }
    let Some(system) = ["python3", "python"].into_iter().find(|name| succeeds(name, &["-c", NEW_ENOUGH])) else {
        eprintln!("there is no Python from 3.10 on, with venv");
        return None;
    };
    let install = [&["-m", "pip", "install", "--quiet"], PACKAGES].concat();
    let made = run(system, &["-m", "venv", &folder.display().to_string()], &[]) && run(&python, &install, &[]);
    made.then_some(python)
}

fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}
