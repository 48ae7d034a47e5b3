//! Plain tables: `t, a_x, a_y, a_z, b_x, …`, or `t, x0, y0, z0, x1, …`; empty cells and `nan` where a marker was not seen.

use super::cells::{place, split, time};
use super::{Trajectories, Up};

pub fn parse(text: &str, unit: Option<f64>) -> Result<Trajectories, String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let (_, header) = lines.next().ok_or("it is empty")?;
    let columns = split(header);
    let clock = columns.iter().position(|name| ["t", "t_s", "time", "time_s"].contains(&name.to_lowercase().as_str()));
    let clock = clock.ok_or_else(|| format!("line 1 has no column \"t\" of times in seconds: it has {header:?}"))?;
    let mut markers: Vec<(String, usize)> = Vec::new();
    let mut column = 0;
    while column < columns.len() {
        match name(&columns, column) {
            Some(name) => {
                markers.push((name, column));
                column += 3;
            }
            None if column == clock => column += 1,
            None => {
                return Err(format!(
                    "line 1, column {}: {:?} does not begin the x, y, z of a marker: name them a_x, a_y, a_z or x0, y0, z0",
                    column + 1,
                    columns[column]
                ));
            }
        }
    }
    let unit = unit.unwrap_or(1.0);
    let mut read =
        Trajectories { names: markers.iter().map(|(name, _)| name.clone()).collect(), up: Up::Z, ..Default::default() };
    for (k, line) in lines {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != columns.len() {
            return Err(format!("line {}: it has {} cells, and line 1 has {}", k + 1, cells.len(), columns.len()));
        }
        read.times.push(time(&cells, clock, k + 1)?);
        read.frames.push(
            markers.iter().map(|&(_, first)| place(&cells, first, k + 1, unit)).collect::<Result<Vec<_>, String>>()?,
        );
    }
    Ok(read)
}

/// The name of the marker whose x, y, z are in these columns.
fn name(columns: &[String], first: usize) -> Option<String> {
    let three = columns.get(first..first + 3)?;
    let of = |text: &str, axis: char| {
        let lower = text.to_lowercase();
        let before = ['_', '.', ' ', ':'].iter().find_map(|mark| lower.strip_suffix(&format!("{mark}{axis}")));
        let after = || lower.strip_prefix(axis).filter(|rest| rest.parse::<usize>().is_ok());
        // As it was written: only the length is taken from the lower case.
        match before {
            Some(stem) => text.get(..stem.len()).map(str::to_owned),
            None => after().map(str::to_owned),
        }
    };
    let [x, y, z] = [of(&three[0], 'x')?, of(&three[1], 'y')?, of(&three[2], 'z')?];
    (x == y && y == z).then_some(x)
}
