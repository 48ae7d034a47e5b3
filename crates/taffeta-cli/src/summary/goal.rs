//! How near the cloth is to the goal of its scene.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use taffeta::mesh::{GridCorner, GridShape, GridSide};
use taffeta::metrics::{Region, corner_distance, side_distance};
use taffeta::obstacle::Pose;
use taffeta::{DVec2, DVec3, Simulation};
use taffeta_io::scene::schema::GoalSettings;

/// The sides of a grid, and the corners at their first and last node.
const SIDES: [(&str, [&str; 2]); 4] = [
    ("bottom", ["bottom-left", "bottom-right"]),
    ("top", ["top-left", "top-right"]),
    ("left", ["bottom-left", "top-left"]),
    ("right", ["bottom-right", "top-right"]),
];

/// A side is to be straight if the places of its corners are as far apart as it is long, to this share of it.
const STRAIGHT: f64 = 0.05;

/// How near the cloth is to its goal, at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoalSummary {
    /// What it covers and is to cover, over what is one of the two at least, from 0 to 1; null if the goal has no polygon.
    pub overlap: Option<f64>,
    /// How far corners are from their places.
    pub corner_distance_m: BTreeMap<String, f64>,
    /// How far the nodes of a side are in the mean from their places on a straight line between its corners', if it is
    /// to be straight.
    pub side_distance_m: BTreeMap<String, f64>,
}

/// The area that the cloth covers seen from above, m².
pub fn covered_area(simulation: &Simulation) -> f64 {
    covered(simulation).area()
}

fn covered(simulation: &Simulation) -> Region {
    Region::covered(simulation.model().cloth(), simulation.positions(), &Pose::IDENTITY)
}

impl GoalSummary {
    pub fn new(goal: &GoalSettings, simulation: &Simulation) -> Self {
        let polygon = goal.polygon_m.as_ref().map(|corners| corners.iter().map(|&[x, y]| DVec2::new(x, y)).collect());
        let overlap = polygon.map(|corners| covered(simulation).overlap(&Region::Polygon(corners)).ratio());
        let shape = simulation.model().cloth().mesh().grid_shape();
        let start = simulation.model().cloth().mesh().positions();
        let distances = shape.map(|shape| distances(goal, &shape, start, simulation.positions()));
        let [corner_distance_m, side_distance_m] = distances.unwrap_or_default();
        Self { overlap, corner_distance_m, side_distance_m }
    }

    /// Rows of a table about it.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let overlap = self.overlap.map(|overlap| ("goal", format!("{:.2} % overlap", 100.0 * overlap)));
        let distance = |(name, distance): (&String, &f64)| format!("{name} {:.1}", 1e3 * distance);
        let off = |what, distances: &BTreeMap<String, f64>| {
            let list: Vec<String> = distances.iter().map(distance).collect();
            (!list.is_empty()).then(|| (what, format!("{} mm off", list.join(", "))))
        };
        let corners = off("goal, corners", &self.corner_distance_m);
        overlap.into_iter().chain(corners).chain(off("goal, sides", &self.side_distance_m)).collect()
    }
}

/// How far the corners, and the sides between them that are to be straight, are from their places.
fn distances(
    goal: &GoalSettings,
    shape: &GridShape,
    start: &[DVec3],
    positions: &[DVec3],
) -> [BTreeMap<String, f64>; 2] {
    let place = |name: &str| goal.corners_m.get(name).copied().map(DVec3::from_array);
    let corners = goal.corners_m.keys().filter_map(|name| {
        let distance = corner_distance(shape, positions, GridCorner::from_name(name)?, place(name)?);
        Some((name.clone(), distance))
    });
    let sides = SIDES.iter().filter_map(|(name, ends)| {
        let (ends, side) = ([place(ends[0])?, place(ends[1])?], GridSide::from_name(name)?);
        let length: f64 = shape.side(side).windows(2).map(|pair| start[pair[0]].distance(start[pair[1]])).sum();
        let straight = (ends[0].distance(ends[1]) / length - 1.0).abs() < STRAIGHT;
        straight.then(|| ((*name).to_owned(), side_distance(shape, positions, side, ends)))
    });
    [corners.collect(), sides.collect()]
}
