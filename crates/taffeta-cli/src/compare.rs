//! Two recordings of the same cloth: which nodes are the same points of it.

use anyhow::{anyhow, ensure};
use taffeta::DVec3;
use taffeta_io::recording::Recording;

/// Nodes are the same points if they begin closer than this part of the mean edge of the coarser mesh.
const SAME: f64 = 0.5;

/// For each node of `other` the node of `recording` that is the same point of the cloth: the node of the same number in equal meshes,
/// else the nearest one in the first frame, if it is near.
pub fn matches(recording: &Recording, other: &Recording) -> anyhow::Result<Vec<Option<usize>>> {
    if recording.elements() == other.elements() && recording.nodes() == other.nodes() {
        return Ok((0..other.nodes()).map(Some).collect());
    }
    let (here, there) = (recording.positions(0)?, other.positions(0)?);
    let reach = SAME * mean_edge(recording, &here).max(mean_edge(other, &there));
    let partner = |place: &DVec3| {
        let near = (0..here.len())
            .min_by(|&a, &b| here[a].distance_squared(*place).total_cmp(&here[b].distance_squared(*place)));
        near.filter(|&node| here[node].distance(*place) < reach)
    };
    let matches: Vec<Option<usize>> = there.iter().map(partner).collect();
    let found = matches.iter().flatten().count();
    ensure!(
        2 * found > there.len(),
        "{} and {} do not begin in the same place: only {found} of {} nodes have a partner within {:.1} mm, so they cannot be compared",
        recording.folder().display(),
        other.folder().display(),
        there.len(),
        1e3 * reach
    );
    Ok(matches)
}

fn mean_edge(recording: &Recording, positions: &[DVec3]) -> f64 {
    let sides = recording.elements().iter().flat_map(|element| {
        let corners = element.nodes();
        (0..corners.len()).map(move |k| positions[corners[k]].distance(positions[corners[(k + 1) % corners.len()]]))
    });
    let (sum, count) = sides.fold((0.0, 0), |(sum, count), length| (sum + length, count + 1));
    sum / f64::max(f64::from(count), 1.0)
}

/// Opens the other recording, and finds the partners of its nodes.
pub fn open(recording: &Recording, folder: &std::path::Path) -> anyhow::Result<(Recording, Vec<Option<usize>>)> {
    let other = Recording::open(folder)?;
    for film in [recording, &other] {
        ensure!(film.frames() > 0, anyhow!("{} has no frames yet: let the run get further", film.folder().display()));
    }
    let matches = matches(recording, &other)?;
    Ok((other, matches))
}
