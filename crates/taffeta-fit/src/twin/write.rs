//! A twin as files: what `taffeta fit` reads.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glam::DVec3;

use super::{FABRICS, Scenario, Twin, hands};

/// Writes a twin's description and its markers into a folder, which is made if it is not there. Returns the description's path.
///
/// # Errors
///
/// If they cannot be written.
pub fn write(twin: &Twin, folder: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let id = twin.recipe.id();
    let (table, about) = (folder.join(format!("{id}.csv")), folder.join(format!("{id}.toml")));
    fs::write(&table, sights(twin))?;
    fs::write(&about, description(twin))?;
    Ok(about)
}

/// The table of the markers.
fn sights(twin: &Twin) -> String {
    let cloth = (0..twin.capture.counted.len()).map(|marker| format!("m{marker}"));
    let names: Vec<String> = cloth.chain(twin.others.iter().map(|other| other.name.clone())).collect();
    let mut text = "t".to_owned();
    for name in &names {
        for axis in ["x", "y", "z"] {
            let _ = write!(text, ",{name}_{axis}");
        }
    }
    text.push('\n');
    for (k, frame) in twin.capture.frames.iter().enumerate() {
        let _ = write!(text, "{:.4}", frame.time);
        let places = frame.markers.iter().chain(twin.others.iter().map(|other| &other.sights[k]));
        for place in places {
            match place {
                Some(DVec3 { x, y, z }) => _ = write!(text, ",{x:.6},{y:.6},{z:.6}"),
                None => text.push_str(",,,"),
            }
        }
        text.push('\n');
    }
    text
}

fn description(twin: &Twin) -> String {
    let (recipe, truth, size) = (&twin.recipe, twin.recipe.truth(), twin.capture.size);
    let ([columns, rows], [left, right]) = (hands::GRID, hands::HELD);
    let id = recipe.id();
    let mut text = format!(
        "# A twin: simulated cloth, seen as cameras see it.\n\
        id = \"{id}\"\n\n\
        [cloth]\nfabric = \"{}\"\nsize_m = [{}, {}]\n\n\
        [markers]\nfile = \"{id}.csv\"\ngrid = [{columns}, {rows}]\nheld = [{left}, {right}]\n\n",
        FABRICS[recipe.fabric].0, size[0], size[1]
    );
    text += match recipe.scenario {
        Scenario::Hits => {
            "[obstacle.stick]\nshape = \"stick\"\nmarkers = [\"stick-a\", \"stick-b\"]\nradius_m = 0.0075\nfriction = 0.0\n\n"
        }
        _ => "[obstacle.table]\nshape = \"plane\"\nmarkers = [\"table-1\", \"table-2\", \"table-3\"]\n\n",
    };
    let made = recipe.discretisation;
    let _ = write!(
        text,
        "# Made with {} edges between markers and steps of {} s.\n[truth]\nalpha = {}\ndelta = {}\n",
        made.refinement, made.dt, truth.alpha, truth.delta
    );
    if recipe.scenario != Scenario::Hits {
        let _ = writeln!(text, "mu = {}", truth.mu);
    }
    text
}
