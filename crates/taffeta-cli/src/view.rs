//! `taffeta view`: a page on loopback that plays a recording, also while it is being written.
//!
//! The server knows two addresses, the page and the frames of this one recording, and serves nothing else: there is no path
//! that leads to a file.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, anyhow};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use clap::Args;
use serde::Deserialize;
use taffeta_io::export::{Caption, Effort, Film, Prop, pack};
use taffeta_io::recording::Recording;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::export::{bounds, caption};
use crate::failure::Failure;
use crate::output::say;
use crate::page;
use crate::stage::props;

/// Bytes of a reel before it is packed: a page shows the first one while it asks for the next.
const REEL: usize = 4 << 20;

/// Reels that are packed at once; whoever asks for more waits.
const PACKERS: usize = 2;

#[derive(Debug, Args)]
pub struct ViewOptions {
    /// The folder of the recording
    pub recording: PathBuf,
    /// Where to listen [default: a free port of 127.0.0.1]. Beyond this machine the address has a random token in it
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<SocketAddr>,
    /// Print the address and open no browser
    #[arg(long)]
    pub no_open: bool,
}

/// What is shown.
struct Hall {
    folder: PathBuf,
    /// What a page is told once, and of which recording that is.
    scenery: Mutex<Option<Arc<Scenery>>>,
    packers: Semaphore,
    /// Whether only this machine may ask.
    loopback: bool,
}

struct Scenery {
    caption: Caption,
    props: Vec<Prop>,
}

pub fn view(options: &ViewOptions) -> Result<(), Failure> {
    Recording::open(&options.recording).map_err(Failure::recording)?;
    let address = options.listen.unwrap_or(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.context("no server can be started").map_err(Failure::run)?;
    runtime.block_on(serve(&options.recording, address, !options.no_open))
}

async fn serve(folder: &Path, address: SocketAddr, open: bool) -> Result<(), Failure> {
    let listening = TcpListener::bind(address).await;
    let listener = listening.map_err(|error| Failure::input(anyhow!("cannot listen on {address}: {error}")))?;
    let address = listener.local_addr().map_err(Failure::run)?;
    let loopback = address.ip().is_loopback();
    let hall = Arc::new(Hall {
        folder: folder.to_path_buf(),
        scenery: Mutex::new(None),
        packers: Semaphore::new(PACKERS),
        loopback,
    });
    let rooms = Router::new().route("/", get(the_page)).route("/film", get(frames));
    let (rooms, path) = if loopback {
        (rooms, "/".to_owned())
    } else {
        let token = token().map_err(Failure::run)?;
        (Router::new().nest(&format!("/{token}/"), rooms), format!("/{token}/"))
    };
    let app = rooms.layer(middleware::from_fn_with_state(hall.clone(), admit)).with_state(hall);
    let url = format!("http://{address}{path}");
    say(&format!("{url}\n"))?;
    if open {
        open_browser(&url);
    }
    axum::serve(listener, app).await.context("the server stopped").map_err(Failure::run)
}

/// Turns away pages of other sites that have made their own name lead to this machine, and everything but reading.
async fn admit(State(hall): State<Arc<Hall>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if hall.loopback && !["localhost", "127.0.0.1", "[::1]"].contains(&name) {
        return (StatusCode::FORBIDDEN, "this server answers to localhost only\n").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, header::HeaderValue::from_static("nosniff"));
    response
}

async fn the_page() -> Html<String> {
    Html(page::that_asks())
}

#[derive(Deserialize)]
struct From {
    #[serde(default)]
    from: usize,
}

/// Some frames from one on, packed; no content if there are none yet.
async fn frames(State(hall): State<Arc<Hall>>, Query(From { from }): Query<From>) -> Response {
    let Ok(_permit) = hall.packers.acquire().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let seated = hall.clone();
    match tokio::task::spawn_blocking(move || reel(&seated, from)).await {
        Ok(Ok(Some(packed))) => {
            ([(header::CONTENT_TYPE, "application/octet-stream")], Bytes::from(packed)).into_response()
        }
        Ok(Ok(None)) => StatusCode::NO_CONTENT.into_response(),
        Ok(Err(error)) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}\n")).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// As many frames from one on as make a reel.
fn reel(hall: &Hall, from: usize) -> anyhow::Result<Option<Vec<u8>>> {
    let recording = Recording::open(&hall.folder)?;
    if from >= recording.frames() {
        return Ok(None);
    }
    let id = identity(&hall.folder, &recording);
    let scenery = scenery(hall, &recording, id)?;
    let count = (REEL / (8 * recording.nodes())).max(1);
    let until = from.saturating_add(count).min(recording.frames());
    let film = Film::of_frames(&recording, from..until, scenery.props.clone())?;
    Ok(Some(pack(&film, &scenery.caption, Effort::Fast, &mut || ())?))
}

/// What tells a recording from another that has taken its place: when its mesh was written.
fn identity(folder: &Path, recording: &Recording) -> String {
    let written = std::fs::metadata(folder.join("elements.npy")).and_then(|file| file.modified()).ok();
    let since = written.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    format!("{}-{}", recording.nodes(), since.map_or(0, |since| since.as_nanos()))
}

/// What stands around the cloth and what the page is called: found once for each recording, from its first frames.
fn scenery(hall: &Hall, recording: &Recording, id: String) -> anyhow::Result<Arc<Scenery>> {
    // Nothing in there is left half done by a panic.
    let mut known = hall.scenery.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(scenery) = known.as_ref().filter(|scenery| scenery.caption.id == id) {
        return Ok(scenery.clone());
    }
    // Without its scene a recording is shown without its obstacles.
    let props = bounds(recording).and_then(|(low, high)| props(recording, low, high)).unwrap_or_default();
    let scenery = Arc::new(Scenery { caption: Caption { id, ..caption(recording) }, props });
    *known = Some(scenery.clone());
    Ok(scenery)
}

/// A name that nobody guesses.
fn token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("no random token can be made: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
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
