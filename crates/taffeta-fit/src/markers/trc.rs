//! TRC: tables of tabs, with a header of five lines; empty cells where a marker was not seen.

use super::cells::{place, time};
use super::{Trajectories, Up, unit_of};

pub fn parse(text: &str, unit: Option<f64>) -> Result<Trajectories, String> {
    let lines: Vec<&str> = text.lines().collect();
    let [path, keys, values, names, _, rows @ ..] = &lines[..] else {
        return Err("it ends within the five lines of a TRC header".to_owned());
    };
    if !path.starts_with("PathFileType") {
        return Err(format!("line 1: a TRC file begins with PathFileType, and not with {path:?}"));
    }
    let keys: Vec<&str> = keys.split('\t').map(str::trim).collect();
    let values: Vec<&str> = values.split('\t').map(str::trim).collect();
    let said = |key: &str| keys.iter().position(|k| *k == key).and_then(|k| values.get(k)).copied();
    let unit = unit_of(said("Units").unwrap_or(""), unit)?;
    let cells: Vec<&str> = names.split('\t').map(str::trim).collect();
    // Each name stands over the first of its three columns.
    let markers: Vec<(String, usize)> = cells
        .iter()
        .enumerate()
        .skip(2)
        .filter(|(_, name)| !name.is_empty())
        .map(|(k, name)| ((*name).to_owned(), k))
        .collect();
    if let Some(two) = markers.windows(2).find(|two| two[1].1 != two[0].1 + 3) {
        return Err(format!("line 4: {:?} and {:?} are not three columns apart", two[0].0, two[1].0));
    }
    if let Some(count) = said("NumMarkers").filter(|count| count.parse() != Ok(markers.len())) {
        return Err(format!("line 3 says {count} markers, and line 4 names {}", markers.len()));
    }
    let mut read = Trajectories {
        names: markers.iter().map(|(name, _)| name.clone()).collect(),
        // As OpenSim and most who write it have it.
        up: Up::Y,
        ..Default::default()
    };
    for (k, row) in rows.iter().enumerate().filter(|(_, row)| !row.trim().is_empty()) {
        let (cells, line) = (row.split('\t').collect::<Vec<&str>>(), k + 6);
        read.times.push(time(&cells, 1, line)?);
        let places = markers.iter().map(|&(_, first)| place(&cells, first, line, unit));
        read.frames.push(places.collect::<Result<Vec<_>, String>>()?);
    }
    Ok(read)
}
