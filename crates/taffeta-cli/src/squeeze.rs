//! Moved bodies that will leave cloth between them less room than its fibres need.

use taffeta::Simulation;
use taffeta::obstacle::{Obstacle, Travel};

/// More moments of a run than this are not looked at: a body that closes on another does so for longer than a few thousandths of it.
const MOST_MOMENTS: u64 = 2000;

/// Warnings about pairs of bodies that no force stops and that come closer to each other than cloth can be pressed, in a run of so many
/// steps. Bodies that are as near at the start are left out: they stand in each other. Whether cloth is between them then is not known.
pub fn warnings(simulation: &Simulation, steps: u64) -> Vec<String> {
    let material = simulation.params.material;
    let least = material.thickness * material.solid_fraction;
    let moved: Vec<&Obstacle> = simulation.obstacles.iter().filter(|obstacle| obstacle.dynamics.is_none()).collect();
    let pairs = moved.iter().enumerate().flat_map(|(k, one)| moved[..k].iter().map(move |other| [*other, *one]));
    let moments = steps.min(MOST_MOMENTS);
    let time = |moment: u64| simulation.dt() * (steps * moment / moments) as f64;
    pairs
        .filter(|pair| pair.iter().any(|body| body.motion.travel != Travel::Still))
        .filter(|pair| distance(pair, 0.0) >= least)
        .filter_map(|pair| {
            let at = (1..=moments).map(time).find(|&at| distance(&pair, at) < least)?;
            let [one, other] = pair.map(|body| body.name.as_str());
            Some(format!(
                "warning: at {at:.3} s {one} and {other}, which no force stops, are nearer to each other than the {:.2} mm that the \
                 cloth cannot be pressed below: if it is between them then, the run ends there. Keep them apart, or make one of \
                 them body = \"driven\"",
                1e3 * least
            ))
        })
        .collect()
}

/// The distance of the corners of each of two bodies from the other at a time, m; below 0 where one is in the other. Of bodies without
/// bounds only the other one's corners count.
fn distance(pair: &[&Obstacle; 2], time: f64) -> f64 {
    let of = |corners: &Obstacle, body: &Obstacle| {
        if !corners.shape.reach().is_finite() {
            return f64::INFINITY;
        }
        let [from, to] = [corners, body].map(|obstacle| obstacle.motion.at(time));
        let outline = corners.shape.outline(0.0);
        let gaps = outline.positions.iter().map(|corner| body.shape.near(to.to_local(from.to_world(*corner))).gap);
        gaps.fold(f64::INFINITY, f64::min)
    };
    of(pair[0], pair[1]).min(of(pair[1], pair[0]))
}
