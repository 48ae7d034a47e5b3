//! The server of the viewer: what it tells, whom it turns away, and that it outlasts garbage.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use taffeta_io::recording::Recording;

use crate::export::{PASSED, browser, validate, validator};
use crate::taffeta::Desk;

/// A server of a recording, stopped with the test.
struct Server {
    child: Child,
    /// `127.0.0.1:PORT`, and the path of the page.
    host: String,
    path: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already; the test has said so then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(desk: &Desk, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_taffeta"));
        command.args(["view", "run", "--no-open"]).args(arguments).current_dir(desk.path("."));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("a server");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("an address");
        let rest = line.trim().strip_prefix("http://").expect("an address");
        let (host, path) = rest.split_once('/').expect("a path");
        // All addresses of this machine are told as one that is none.
        Self { child, host: host.replace("0.0.0.0", "127.0.0.1"), path: format!("/{path}") }
    }

    /// Sends bytes and reads the answer to its end; if there is no more to come, that is said.
    fn send(&self, bytes: &[u8], no_more: bool) -> Vec<u8> {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
        // A server may turn away before all is sent.
        let _ = stream.write_all(bytes);
        if no_more {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }

    /// The status of a request for a path, and what is answered.
    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.host))
    }

    fn ask(&self, request: &str) -> (u16, Vec<u8>) {
        let answer = self.send(request.as_bytes(), false);
        let end = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, answer[(end + 4).min(answer.len())..].to_vec())
    }
}

/// A desk with a recording in `run`, finished or as if its run were still going on.
fn recorded(finished: bool) -> Desk {
    let desk = Desk::new();
    desk.write("passed.toml", PASSED);
    desk.expect(&["run", "passed.toml", "--out", "run", "--quiet"]);
    if !finished {
        fs::remove_file(desk.path("run/summary.json")).expect("a summary");
    }
    desk
}

#[test]
fn the_page_and_the_frames_are_served_and_nothing_else() {
    let desk = recorded(true);
    let server = Server::start(&desk, &[]);
    let (status, page) = server.get("/");
    assert!(status == 200 && String::from_utf8_lossy(&page).contains("id=\"timeline\""), "{status}");
    let (status, film) = server.get("/film?from=0");
    assert!(status == 200 && film.len() > 1000, "{status}, {} bytes", film.len());
    assert_eq!(server.get("/film?from=31").0, 204);
    for path in [
        "/run/positions.npy",
        "/../run/positions.npy",
        "/%2e%2e/run/positions.npy",
        "/..%2frun%2fpositions.npy",
        "//etc/passwd",
        "/film/../../passed.toml",
        "/scene.toml",
        "/\\..\\passed.toml",
    ] {
        let (status, answer) = server.get(path);
        assert!(status == 404 || status == 400, "{path}: {status}");
        assert!(answer.len() < 200, "{path}: {} bytes", answer.len());
    }
    for query in ["/film?from=-1", "/film?from=1e3", "/film?from=99999999999999999999999", "/film?from=%00"] {
        assert_eq!(server.get(query).0, 400, "{query}");
    }
    let other = |host: &str| format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    assert_eq!(server.ask(&other("evil.example")).0, 403);
    assert_eq!(server.ask(&other("127.0.0.1.evil.example:80")).0, 403);
    assert_eq!(server.ask(&other("localhost:1")).0, 200);
    let post =
        format!("POST /film HTTP/1.1\r\nHost: {}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}", server.host);
    assert_eq!(server.ask(&post).0, 405);
}

#[test]
fn beyond_this_machine_the_address_is_not_to_be_guessed() {
    let desk = recorded(true);
    let server = Server::start(&desk, &["--listen", "0.0.0.0:0"]);
    assert_eq!(server.path.len(), 34, "{}", server.path);
    assert_eq!(server.get(&server.path).0, 200);
    assert_eq!(server.get(&format!("{}film?from=0", server.path)).0, 200);
    for path in ["/", "/film?from=0", "/00000000000000000000000000000000/"] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    let taken = desk.run(&["view", "run", "--no-open", "--listen", &server.host]);
    assert!(taken.code == Some(2) && taken.stderr.contains("cannot listen on"), "{}", taken.stderr);
    let nothing = desk.run(&["view", "nowhere", "--no-open"]);
    assert!(nothing.code == Some(2) && nothing.stderr.contains("nowhere"), "{}", nothing.stderr);
}

#[test]
fn frames_are_told_as_they_come() {
    let desk = recorded(false);
    let server = Server::start(&desk, &[]);
    assert_eq!(server.get("/film?from=31").0, 204, "not yet");
    // The run goes on: another one, twice as long, in its place.
    desk.expect(&["run", "passed.toml", "--set", "duration_s=0.6", "--out", "run", "--overwrite", "--quiet"]);
    let (status, film) = server.get("/film?from=31");
    assert!(status == 200 && film.len() > 500, "{status}");
}

/// What a reel says of itself.
fn header(packed: &[u8]) -> serde_json::Value {
    let mut bytes = Vec::new();
    flate2::read::DeflateDecoder::new(packed).read_to_end(&mut bytes).expect("a reel");
    let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[4..4 + length]).expect("a header")
}

#[test]
fn a_long_recording_comes_in_reels_that_fit_together() {
    let desk = Desk::new();
    // A sheet that hangs from all of its upper side, at rest: many frames for little work.
    let hanging =
        "duration_s = 3.6\ndt_s = 0.01\n[cloth.grid]\nnodes = [40, 40]\nsize_m = [1, 1]\n[held.top]\nside = \"top\"\n";
    desk.write("hanging.toml", hanging);
    desk.expect(&["run", "hanging.toml", "--out", "run", "--quiet"]);
    let server = Server::start(&desk, &[]);
    let (mut frames, mut steps, mut reels) = (0, 0, 0);
    while frames < 361 {
        let (status, film) = server.get(&format!("/film?from={frames}"));
        assert_eq!(status, 200);
        let header = header(&film);
        let count = |list: &serde_json::Value| list.as_array().map_or(0, Vec::len);
        assert_eq!(
            (&header["first"], &header["total"], &header["finished"]),
            (&frames.into(), &361.into(), &true.into())
        );
        // What all frames share is told once.
        assert_eq!(count(&header["triangles"]) > 0, frames == 0);
        assert_eq!(count(&header["restLengths"]) > 0, frames == 0);
        frames += count(&header["times"]);
        steps += count(&header["report"]["max_edge_strain"]);
        reels += 1;
    }
    assert_eq!((frames, steps), (361, 360));
    assert!(reels > 1, "all came at once");
}

#[test]
fn those_who_say_nothing_do_not_keep_others_out() {
    let desk = recorded(true);
    let server = Server::start(&desk, &[]);
    let start = Instant::now();
    // More than are let in at once, each in the middle of its request.
    let silent: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.host).expect("a connection");
            stream.write_all(b"GET / HTTP/1.1\r\nHost: loc").expect("half a request");
            stream
        })
        .collect();
    let mut stream = TcpStream::connect(&server.host).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    let request = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.host);
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{} bytes", answer.len());
    println!("answered after {:?} with {} silent", start.elapsed(), silent.len());
}

#[test]
fn garbage_is_survived() {
    let desk = recorded(true);
    let mut server = Server::start(&desk, &[]);
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize
    };
    let whole = format!("GET /film?from=3 HTTP/1.1\r\nHost: {}\r\nX: y\r\n\r\n", server.host).into_bytes();
    let before = memory(&server);
    let start = Instant::now();
    let requests = std::env::var("TAFFETA_GARBAGE").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    for _ in 0..requests {
        let mut bytes = whole.clone();
        match random() % 4 {
            0 => bytes.truncate(random() % bytes.len()),
            1 => (0..5).for_each(|_| {
                let k = random() % bytes.len();
                bytes[k] = random() as u8;
            }),
            2 => bytes = (0..random() % 3000).map(|_| random() as u8).collect(),
            _ => bytes.splice(5..5, vec![b'a'; random() % 200_000]).for_each(drop),
        }
        server.send(&bytes, true);
    }
    println!("{requests} requests in {:?}", start.elapsed());
    assert!(server.child.try_wait().expect("a process").is_none(), "the server has ended");
    assert_eq!(server.get("/").0, 200);
    if let (Some(before), Some(after)) = (before, memory(&server)) {
        assert!(after < before + 64 * 1024, "from {before} to {after} KiB");
    }
}

/// A viewer: asks for the frames that it does not have yet, until it is told to stop; how many it got.
fn watch(server: &Server, stop: &AtomicBool) -> usize {
    let mut frames = 0;
    while !stop.load(Ordering::Relaxed) {
        let (status, film) = server.get(&format!("/film?from={frames}"));
        match status {
            200 => {
                let header = header(&film);
                assert_eq!(header["first"], frames);
                frames += header["times"].as_array().map_or(0, Vec::len);
            }
            204 => thread::sleep(Duration::from_millis(200)),
            other => panic!("status {other}"),
        }
    }
    frames
}

#[test]
fn many_viewers_of_a_growing_recording_do_not_disturb_it_or_each_other() {
    let seconds: u64 = std::env::var("TAFFETA_VIEWERS_S").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let desk = Desk::new();
    let scene = ["run", "swing", "--quiet", "--set", "cloth.grid.nodes=[30,30]", "--set", "frame_interval_s=0.01"];
    let run = |out: &str, duration: u64| {
        let duration = format!("duration_s={duration}");
        desk.command(&[&scene[..], &["--out", out, "--set", &duration]].concat()).spawn().expect("a run")
    };
    let mut running = run("run", 100 * seconds);
    while !Recording::open(&desk.path("run")).is_ok_and(|recording| recording.frames() > 0) {
        thread::sleep(Duration::from_millis(50));
    }
    let server = Server::start(&desk, &[]);
    // One asks for everything, and reads nothing of it.
    let mut stalled = TcpStream::connect(&server.host).expect("a connection");
    let greedy = format!("GET /film?from=0 HTTP/1.1\r\nHost: {}\r\n\r\n", server.host).repeat(200);
    stalled.write_all(greedy.as_bytes()).expect("a request");
    let stop = AtomicBool::new(false);
    let (counts, memories) = thread::scope(|scope| {
        let viewers: Vec<_> = (0..7).map(|_| scope.spawn(|| watch(&server, &stop))).collect();
        let memories: Vec<Option<u64>> = (0..6)
            .map(|_| {
                thread::sleep(Duration::from_millis(1000 * seconds / 6));
                memory(&server)
            })
            .collect();
        stop.store(true, Ordering::Relaxed);
        (viewers.into_iter().map(|viewer| viewer.join().expect("a viewer")).collect::<Vec<_>>(), memories)
    });
    running.kill().expect("a run to end");
    running.wait().expect("its end");
    let recorded = Recording::open(&desk.path("run")).expect("a recording");
    println!("{} frames; viewers saw {counts:?}; memory {memories:?} KiB", recorded.frames());
    // All see about the same, and nearly all that there is: flushes are a second apart.
    let [fewest, most] = [counts.iter().min(), counts.iter().max()].map(|count| *count.expect("viewers"));
    assert!(fewest > 10 && recorded.frames() >= most && 2 * fewest > recorded.frames(), "{counts:?}");
    // In the first seconds viewers do not have as much to ask for as one answer holds, 4 MiB: each of eight may come to hold an answer more,
    // as it is made and as it is sent. The 200 answers that the stalled one has asked for would be 800 MiB.
    let fills_up = if seconds < 30 { 8 * 2 * 4 * 1024 } else { 0 };
    if let (Some(early), Some(late)) = (memories[1], memories[5]) {
        assert!(late < early + 32 * 1024 + fills_up, "{memories:?} KiB");
    }
    // The run is what it is without any.
    run("alone", 1).wait().expect("its end");
    let alone = Recording::open(&desk.path("alone")).expect("a recording");
    for frame in 0..alone.frames().min(recorded.frames()) {
        assert_eq!(alone.positions(frame).expect("a frame"), recorded.positions(frame).expect("a frame"));
    }
}

/// Resident memory, KiB, where the system tells.
fn memory(server: &Server) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_page_comes_back_with_its_server() {
    let desk = recorded(false);
    let Some(browser) = browser() else { return };
    let (script, taffeta) = (validator("reconnect.cjs"), env!("CARGO_BIN_EXE_taffeta"));
    let arguments = [script.as_str(), &browser, taffeta, "run"];
    let Some(said) = validate(&desk, "node", &["-e", "require('playwright-core')"], &arguments) else { return };
    let seen: serde_json::Value = serde_json::from_str(&said).expect("a report");
    assert_eq!(seen, serde_json::json!({ "frames": 31, "errors": [] }));
}
