//! The server of the viewer's page.
//!
//! It knows the page and the frames of the recordings that it was started with, and serves nothing else: there is no path that
//! leads to a file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, anyhow};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use taffeta_io::export::{Caption, Effort, Film, Prop, pack};
use taffeta_io::recording::Recording;
use taffeta_page::film::{caption, props_of, stage_of};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::door::Door;
use crate::failure::Failure;
use crate::output::say;

/// Bytes of a reel before it is packed: a page shows the first one while it asks for the next.
const REEL: usize = 4 << 20;

/// Bytes of a node in a frame there: three coordinates, eight numbers of forces and the like, and whether it is held.
const NODE: usize = 24;

/// Reels that are packed at once; whoever asks for more waits.
const PACKERS: usize = 2;

/// What is shown.
pub struct Show {
    /// The page.
    pub page: String,
    /// The recordings that it asks for, by the names under which it does.
    pub films: Vec<(&'static str, Reels)>,
}

/// A recording that is told in reels.
pub struct Reels {
    folder: PathBuf,
    /// The partner of each of its nodes in the recording that it is compared with.
    matches: Vec<Option<usize>>,
    /// What a page is told once, and of which recording that is.
    scenery: Mutex<Option<Arc<Scenery>>>,
}

struct Scenery {
    caption: Caption,
    props: Vec<Prop>,
}

impl Reels {
    pub fn new(folder: &Path, matches: Vec<Option<usize>>) -> Self {
        Self { folder: folder.to_path_buf(), matches, scenery: Mutex::new(None) }
    }

    /// As many frames from one on as make a reel, and how many they are.
    fn from(&self, from: usize) -> anyhow::Result<Option<(usize, Vec<u8>)>> {
        let recording = Recording::open(&self.folder)?;
        if from >= recording.frames() {
            return Ok(None);
        }
        let scenery = self.scenery(&recording);
        let count = (REEL / (NODE * recording.nodes())).max(1);
        let until = from.saturating_add(count).min(recording.frames());
        let film = Film::of_frames(&recording, from..until, scenery.props.clone())?;
        // A recording that grows may leave the box that it began in.
        let caption = Caption { stage: stage_of(&recording), ..scenery.caption.clone() };
        Ok(Some((until - from, pack(&film, &caption, Effort::Fast, &mut || ())?)))
    }

    /// What stands around the cloth and what the page is called: found once for each recording, from its first frames.
    fn scenery(&self, recording: &Recording) -> Arc<Scenery> {
        let id = identity(&self.folder, recording);
        // Nothing in there is left half done by a panic.
        let mut known = self.scenery.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(scenery) = known.as_ref().filter(|scenery| scenery.caption.id == id) {
            return scenery.clone();
        }
        // Without its scene a recording is shown without its obstacles.
        let props = props_of(recording).unwrap_or_default();
        let caption = Caption { id, matches: self.matches.clone(), ..caption(recording) };
        let scenery = Arc::new(Scenery { caption, props });
        *known = Some(scenery.clone());
        scenery
    }
}

/// What tells a recording from another that has taken its place: when its mesh was written.
fn identity(folder: &Path, recording: &Recording) -> String {
    let written = std::fs::metadata(folder.join("elements.npy")).and_then(|file| file.modified()).ok();
    let since = written.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    format!("{}-{}", recording.nodes(), since.map_or(0, |since| since.as_nanos()))
}

/// What all requests share.
struct ServerState {
    page: Bytes,
    packers: Arc<Semaphore>,
    /// The address that is listened at, if only this machine may ask.
    loopback: Option<String>,
}

/// Serves a show for ever; says where, and tells `opened` of it.
pub async fn serve(show: Show, address: SocketAddr, opened: impl FnOnce(&str)) -> Result<(), Failure> {
    let listening = TcpListener::bind(address).await;
    let listener = listening.map_err(|error| Failure::input(anyhow!("cannot listen on {address}: {error}")))?;
    let address = listener.local_addr().map_err(Failure::run)?;
    let loopback = address.ip().is_loopback();
    let server = Arc::new(ServerState {
        page: Bytes::from(show.page),
        packers: Arc::new(Semaphore::new(PACKERS)),
        loopback: loopback.then(|| address.ip().to_string()),
    });
    let mut routes = Router::new().route("/", get(the_page));
    for (name, reels) in show.films {
        let reels = Arc::new(reels);
        let frames = move |server: State<Arc<ServerState>>, from: Query<From>| frames(server, from, reels.clone());
        routes = routes.route(&format!("/{name}"), get(frames));
    }
    let (routes, path) = if loopback {
        (routes, "/".to_owned())
    } else {
        let token = token().map_err(Failure::run)?;
        (Router::new().nest(&format!("/{token}/"), routes), format!("/{token}/"))
    };
    let app = routes.layer(middleware::from_fn_with_state(server.clone(), admit)).with_state(server);
    let url = format!("http://{address}{path}");
    say(&format!("{url}\n"))?;
    opened(&url);
    axum::serve(Door::new(listener), app).await.context("the server stopped").map_err(Failure::run)
}

/// Turns away pages of other sites that have made their own name lead to this machine, and everything but reading.
async fn admit(State(server): State<Arc<ServerState>>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let known = |own: &String| ["localhost", "127.0.0.1", "[::1]", own].contains(&name);
    if !server.loopback.as_ref().is_none_or(known) {
        return (StatusCode::FORBIDDEN, "this server answers to localhost only\n").into_response();
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, header::HeaderValue::from_static("nosniff"));
    response
}

async fn the_page(State(server): State<Arc<ServerState>>) -> Html<Bytes> {
    Html(server.page.clone())
}

#[derive(Deserialize)]
struct From {
    #[serde(default)]
    from: usize,
}

/// Some frames from one on, packed; no content if there are none yet.
async fn frames(
    State(server): State<Arc<ServerState>>,
    Query(From { from }): Query<From>,
    reels: Arc<Reels>,
) -> Response {
    let Ok(permit) = server.packers.clone().acquire_owned().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let packing = tokio::task::spawn_blocking(move || {
        // Given back when it is done, also if nobody waits for it any more.
        let _permit = permit;
        reels.from(from)
    });
    match packing.await {
        Ok(Ok(Some((count, packed)))) => {
            let kind = (header::CONTENT_TYPE, header::HeaderValue::from_static("application/octet-stream"));
            // So that the next can be asked for before these are unpacked.
            let frames = (header::HeaderName::from_static("x-frames"), header::HeaderValue::from(count));
            ([kind, frames], Bytes::from(packed)).into_response()
        }
        Ok(Ok(None)) => StatusCode::NO_CONTENT.into_response(),
        Ok(Err(error)) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error:#}\n")).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A name that nobody guesses.
fn token() -> anyhow::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| anyhow!("no random token can be made: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
