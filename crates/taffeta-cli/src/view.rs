//! `taffeta view`: a page that plays a recording, also while it is being made, or runs a scene.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, anyhow};
use clap::Args;
use taffeta_io::recording::Recording;
use taffeta_io::scene::Scene;

use crate::compare;
use crate::failure::Failure;
use crate::options::parse_override;
use crate::serve::{Reels, Show, serve};

#[derive(Debug, Args)]
pub struct ViewOptions {
    /// The folder of a recording, or a scene to run in the page: one that comes with taffeta, or the path of a file
    #[arg(value_name = "RECORDING|SCENE")]
    pub what: String,
    /// Another recording to lay over the first, such as that of a real cloth
    #[arg(long, value_name = "RECORDING")]
    pub with: Option<PathBuf>,
    /// Override a key of the scene, as in --set cloth.fabric=denim
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_override)]
    pub overrides: Vec<(String, String)>,
    /// Where to listen [default: a free port of 127.0.0.1]. Beyond this machine the address has a random token in it
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<SocketAddr>,
    /// Print the address and open no browser
    #[arg(long)]
    pub no_open: bool,
}

pub fn view(options: &ViewOptions) -> Result<(), Failure> {
    let show = match recording_or_scene(&options.what, &options.overrides)? {
        Subject::Recording(folder) => recordings(&folder, options.with.as_deref())?,
        Subject::Scene(_) if options.with.is_some() => {
            let why = format!("{} is a scene, and --with compares recordings: run it first", options.what);
            return Err(Failure::input(anyhow!(why)));
        }
        Subject::Scene(scene) => Show {
            page: taffeta_page::with_scene(&scene, &native(&options.what, &options.overrides))?,
            films: Vec::new(),
        },
    };
    let address = options.listen.unwrap_or(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.context("no server can be started").map_err(Failure::run)?;
    runtime.block_on(serve(show, address, |url| {
        if !options.no_open {
            open_browser(url);
        }
    }))
}

/// What can be looked at.
pub enum Subject {
    Recording(PathBuf),
    Scene(Box<Scene>),
}

/// A folder is a recording, and all else a scene, which is sound.
pub fn recording_or_scene(what: &str, overrides: &[(String, String)]) -> Result<Subject, Failure> {
    let path = Path::new(what);
    if path.is_dir() {
        if let Some((key, _)) = overrides.first() {
            return Err(Failure::input(anyhow!("{what} is a recording: --set {key} has no effect on it, remove it")));
        }
        return Ok(Subject::Recording(path.to_path_buf()));
    }
    let scene = Scene::load(what, overrides);
    let scene = scene.map_err(|error| Failure::input(anyhow!("{what} is no folder of a recording, and {error}")))?;
    crate::stepping::check_start(&mut scene.build()?)?;
    Ok(Subject::Scene(Box::new(scene)))
}

/// What follows `taffeta run` to run a scene natively, for a shell.
pub fn native(what: &str, overrides: &[(String, String)]) -> String {
    let quoted = |text: &str| {
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/=".contains(c));
        if plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
    };
    let sets = overrides.iter().map(|(key, value)| format!(" --set {}", quoted(&format!("{key}={value}"))));
    quoted(what) + &sets.collect::<String>()
}

/// A recording, and another to compare it with.
fn recordings(folder: &Path, other: Option<&Path>) -> Result<Show, Failure> {
    let recording = Recording::open(folder).map_err(Failure::recording)?;
    let mut films = vec![("film", Reels::new(folder, Vec::new()))];
    if let Some(other) = other {
        let (_, matches) = compare::open(&recording, other).map_err(Failure::Input)?;
        films.push(("other", Reels::new(other, matches)));
    }
    let names: Vec<&str> = films.iter().map(|(name, _)| *name).collect();
    Ok(Show { page: taffeta_page::that_asks(&names), films })
}

/// Shows an address in a browser, where there is one to ask for; whether it comes up is for the user to see.
fn open_browser(url: &str) {
    let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[url]),
        "windows" => ("cmd", &["/c", "start", "", url]),
        _ if has_screen => ("xdg-open", &[url]),
        _ => return,
    };
    let quiet = || Stdio::null();
    let _ = Command::new(program).args(arguments).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn();
}
