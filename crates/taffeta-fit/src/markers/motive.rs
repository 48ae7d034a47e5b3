//! Tables as Motive (OptiTrack) exports them: a line about the take, then lines that say of every column what it is.

use std::collections::BTreeMap;

use glam::DQuat;
use taffeta::obstacle::Pose;

use super::cells::{number, place, split, time};
use super::{BodyTrack, Trajectories, Up, unit_of};

/// Whether a table begins as Motive's do.
pub fn is_motive(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.starts_with("Format Version"))
}

/// What a column belongs to.
#[derive(Default)]
struct Columns {
    kinds: Vec<String>,
    names: Vec<String>,
    /// "Position" or "Rotation".
    quantities: Vec<String>,
}

pub fn parse(text: &str, unit: Option<f64>) -> Result<Trajectories, String> {
    let mut lines = text.lines().enumerate();
    let take = split(lines.next().map_or("", |(_, line)| line));
    let said = |key: &str| take.windows(2).find(|two| two[0] == key).map_or("", |two| two[1].as_str());
    // Takes that do not say it are in metres.
    let unit = unit_of(Some(said("Length Units")).filter(|unit| !unit.is_empty()).unwrap_or("Meters"), unit)?;
    let mut columns = Columns::default();
    let axes = loop {
        let (k, line) = lines.next().ok_or("it has no line that begins with \"Frame\": export it from Motive again")?;
        let cells = split(line);
        match (cells.first().map(String::as_str), cells.get(1).map(String::as_str)) {
            (Some("Frame"), _) => break cells,
            (_, Some("Type")) => columns.kinds = cells,
            (_, Some("Name")) => columns.names = cells,
            // Numbers, and the bodies that markers belong to.
            (_, Some("ID" | "Parent")) => {}
            (_, Some("")) if cells.iter().any(|cell| cell == "Position") => columns.quantities = cells,
            _ if line.trim_matches([',', ' ']).is_empty() => {}
            _ => return Err(format!("line {}: it is not a line of Motive's header: {line:?}", k + 1)),
        }
    };
    let Parts { markers, bodies } = columns.parts(&axes);
    if !bodies.is_empty() && !matches!(said("Rotation Type"), "Quaternion" | "") {
        return Err(format!(
            "its rotations are of type {:?}: export them as quaternions, or without rigid bodies",
            said("Rotation Type")
        ));
    }
    let mut read = Trajectories {
        names: markers.iter().map(|(name, _)| name.clone()).collect(),
        bodies: bodies.keys().map(|name| BodyTrack { name: name.clone(), poses: Vec::new() }).collect(),
        up: Up::Y,
        ..Default::default()
    };
    for (k, line) in lines.filter(|(_, line)| !line.trim_matches([',', ' ']).is_empty()) {
        let cells: Vec<&str> = line.split(',').collect();
        read.times.push(time(&cells, 1, k + 1)?);
        let places = markers.iter().map(|&(_, first)| place(&cells, first, k + 1, unit));
        read.frames.push(places.collect::<Result<Vec<_>, String>>()?);
        for body in &mut read.bodies {
            let [rotation, position] = bodies[&body.name];
            let turn = [0, 1, 2, 3].map(|part| number(&cells, rotation + part, k + 1));
            let [x, y, z, w] = turn;
            let turn = x?.zip(y?).zip(z?.zip(w?)).map(|((x, y), (z, w))| DQuat::from_xyzw(x, y, z, w));
            let turn = turn.filter(|turn| turn.length() > 0.5).map(DQuat::normalize);
            let place = place(&cells, position, k + 1, unit)?;
            body.poses.push(turn.zip(place).map(|(turn, place)| Pose::new(turn, place)));
        }
    }
    Ok(read)
}

/// The first columns of what a table holds.
struct Parts {
    /// Of a marker's place, in their order.
    markers: Vec<(String, usize)>,
    /// Of a body's rotation and place.
    bodies: BTreeMap<String, [usize; 2]>,
}

impl Columns {
    fn parts(&self, axes: &[String]) -> Parts {
        let (mut markers, mut bodies) = (Vec::new(), BTreeMap::<String, [Option<usize>; 2]>::new());
        let cell = |row: &[String], column: usize| row.get(column).cloned().unwrap_or_default();
        for (column, _) in axes.iter().enumerate().skip(2).filter(|(_, axis)| *axis == "X") {
            let (kind, name) = (cell(&self.kinds, column), cell(&self.names, column));
            let quantity = cell(&self.quantities, column);
            match (kind.as_str(), quantity.as_str()) {
                ("Marker", "Position") => markers.push((name, column)),
                ("Rigid Body", "Rotation") => bodies.entry(name).or_default()[0] = Some(column),
                ("Rigid Body", "Position") => bodies.entry(name).or_default()[1] = Some(column),
                // Markers of rigid bodies and bones are told by their bodies.
                _ => {}
            }
        }
        let bodies = bodies.into_iter().filter_map(|(name, [rotation, place])| Some((name, [rotation?, place?])));
        Parts { markers, bodies: bodies.collect() }
    }
}
