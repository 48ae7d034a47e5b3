//! Puts queries with known answers to the continuous collision detection, and counts wrong answers and time.
//!
//! `cargo run --release -p taffeta --example ccd_queries -- FOLDER`

#[path = "../tests/ccd/queries.rs"]
mod queries;

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use queries::{Kind, Query};
use taffeta::DVec3;

/// Long enough for a mean that repeats.
const TIMED: Duration = Duration::from_millis(300);

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: ccd_queries FOLDER, which holds CSV files in folders named edge-edge and vertex-face");
        return ExitCode::from(2);
    };
    let queries = match queries::read(Path::new(&folder)) {
        Ok(queries) => queries,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let wrong =
        |meets: bool| queries.iter().filter(|query| query.meets == meets && query.ask(0.0).is_some() != meets).count();
    let select = |keep: &dyn Fn(&Query) -> bool| queries.iter().copied().filter(keep).collect::<Vec<_>>();
    let far = queries.iter().map(far_away).collect::<Vec<_>>();
    let report = serde_json::json!({
        "queries": queries.len(),
        "false_negatives": wrong(true),
        "false_positives": wrong(false),
        "ns_per_query": nanoseconds(&queries),
        "ns_per_node_face": nanoseconds(&select(&|query| query.kind == Kind::NodeFace)),
        "ns_per_edge_edge": nanoseconds(&select(&|query| query.kind == Kind::EdgeEdge)),
        "ns_per_meeting": nanoseconds(&select(&|query| query.meets)),
        "ns_per_miss": nanoseconds(&select(&|query| !query.meets)),
        "ns_per_far_away": nanoseconds(&far),
    });
    match writeln!(std::io::stdout(), "{report:#}") {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The query with its first point (and of an edge the second) moved off by more than the query is wide.
fn far_away(query: &Query) -> Query {
    let points = || query.x_t0.iter().chain(&query.x_t1);
    let size = points().fold(DVec3::ZERO, |size, x| size.max(x.abs())).max_element();
    let moved = if query.kind == Kind::NodeFace { 1 } else { 2 };
    let mut far = *query;
    for x in far.x_t0[..moved].iter_mut().chain(&mut far.x_t1[..moved]) {
        x.z += 3.0 * size;
    }
    far
}

/// Mean time of a query; `None` of none.
fn nanoseconds(queries: &[Query]) -> Option<f64> {
    let (start, mut asked) = (Instant::now(), 0);
    while !queries.is_empty() && start.elapsed() < TIMED {
        for query in queries {
            black_box(black_box(query).ask(0.0));
        }
        asked += queries.len();
    }
    (asked > 0).then(|| (start.elapsed().as_nanos() as f64 / asked as f64 * 10.0).round() / 10.0)
}
