//! The state in which the simulation of a capture begins.

use glam::DVec3;
use taffeta::obstacle::Motion;
use taffeta::{Params, Simulation, State};

use crate::capture::{Capture, CaptureFrame};
use crate::replay::{Nodes, ReplayError, Stage, Start};
use crate::spline::Spline;

/// 1/s. Damping while the cloth comes to rest in the first pose of the hands: about what stops the slow swings of a sheet of half a
/// metre soonest.
const SETTLING: f64 = 10.0;

/// s. For how long it does.
const SETTLING_TIME: f64 = 3.0;

/// s. The step of a projection, which has no time of its own: forces only have to balance as well as they do in a usual step.
const PROJECTION: f64 = 0.02;
const PROJECTIONS: usize = 4;

/// s. From so much of the capture its first velocities are found.
const GLANCE: f64 = 0.1;
const FEWEST: usize = 5;

/// Cloth is taken to be at rest while it seems to move by no more than so many standard errors.
const SIGNIFICANT: f64 = 4.0;

/// The state before the first step.
pub fn state(stage: &Stage, params: &Params, mu: f64) -> Result<State, ReplayError> {
    let capture = stage.capture;
    match stage.discretisation.start {
        Start::FirstFrame => {
            let (places, velocities) = first_sight(capture);
            let positions = project(stage, params, mu, &places)?;
            Ok(State::moving(stage.model(), positions, refine(stage.nodes(), &velocities)))
        }
        Start::Rest => {
            let shape = if capture.obstacles.is_empty() {
                hanging(capture, stage)
            } else {
                project(stage, params, mu, &first_sight(capture).0)?
            };
            let rest = vec![DVec3::ZERO; shape.len()];
            settle(stage, params, mu, State::moving(stage.model(), shape, rest))
        }
    }
}

/// The frames in which a capture begins: a tenth of a second, or a few of a slow camera.
pub fn first_glance(frames: &[CaptureFrame]) -> &[CaptureFrame] {
    let begin = frames.first().map_or(0.0, |frame| frame.time);
    let count = frames.iter().take_while(|frame| frame.time <= begin + GLANCE).count();
    &frames[..count.max(FEWEST).min(frames.len())]
}

/// Where the markers are at first, and how fast they move.
fn first_sight(capture: &Capture) -> (Vec<DVec3>, Vec<DVec3>) {
    let begin = capture.frames[0].time;
    let glance = first_glance(&capture.frames);
    let lines: Vec<Option<Line>> = (0..capture.counted.len())
        .map(|marker| {
            let sights = glance
                .iter()
                .filter(|frame| !frame.bad)
                .filter_map(|frame| Some((frame.time - begin, frame.markers[marker]?)));
            Line::through(&sights.collect::<Vec<_>>())
        })
        .collect();
    let moves = lines
        .iter()
        .flatten()
        .any(|line| line.speed.is_some_and(|(speed, error)| speed.length() > SIGNIFICANT * error));
    let (places, velocities) = lines
        .iter()
        .map(|line| {
            let line = line.as_ref();
            let place = line.map(|line| if moves { line.place } else { line.mean });
            (place, if moves { line.and_then(|line| line.speed).map(|(speed, _)| speed) } else { Some(DVec3::ZERO) })
        })
        .unzip();
    let (mut places, mut velocities): (Vec<_>, Vec<_>) = (places, velocities);
    for held in &capture.held {
        places[held.marker] = Some(held.path.at(begin));
        let ahead = (held.path.at(begin + 0.01) - held.path.at(begin)) / 0.01;
        velocities[held.marker] = Some(if moves { ahead } else { DVec3::ZERO });
    }
    (bridge(capture.grid, &places), bridge(capture.grid, &velocities))
}

/// A straight line through sights of a marker.
struct Line {
    /// Where it is at the beginning, m, and on the whole.
    place: DVec3,
    mean: DVec3,
    /// m/s, and its standard error; `None` of too few sights.
    speed: Option<(DVec3, f64)>,
}

impl Line {
    fn through(sights: &[(f64, DVec3)]) -> Option<Self> {
        let n = sights.len() as f64;
        let place = sights.first()?.1;
        let time = sights.iter().map(|(t, _)| t).sum::<f64>() / n;
        let mean = sights.iter().map(|(_, x)| *x).sum::<DVec3>() / n;
        let spread: f64 = sights.iter().map(|(t, _)| (t - time).powi(2)).sum();
        if sights.len() < 4 || spread <= 0.0 {
            return Some(Self { place, mean, speed: None });
        }
        let speed = sights.iter().map(|(t, x)| (*t - time) * *x).sum::<DVec3>() / spread;
        let off: f64 = sights.iter().map(|(t, x)| (*x - mean - speed * (t - time)).length_squared()).sum();
        let error = (off / (n - 2.0) / spread).sqrt();
        Some(Self { place: mean - speed * time, mean, speed: Some((speed, error)) })
    }
}

/// Fills the gaps of a grid: the sum of the squared second differences along its rows and columns becomes least.
fn bridge(grid: [usize; 2], seen: &[Option<DVec3>]) -> Vec<DVec3> {
    let known = seen.iter().flatten();
    let mean = known.clone().sum::<DVec3>() / known.count().max(1) as f64;
    let mut places: Vec<DVec3> = seen.iter().map(|place| place.unwrap_or(mean)).collect();
    let missing: Vec<usize> = (0..seen.len()).filter(|&k| seen[k].is_none()).collect();
    // The triples of neighbours in which a place takes part, and its weight in them.
    let triples = |k: usize| {
        let (column, row) = (k % grid[0], k / grid[0]);
        [(column, grid[0], 1), (row, grid[1], grid[0])].into_iter().flat_map(move |(at, count, stride)| {
            (0..3usize).filter_map(move |slot| {
                let first = at.checked_sub(slot)?;
                (first + 2 < count).then(|| (k - slot * stride, stride, if slot == 1 { -2.0 } else { 1.0 }))
            })
        })
    };
    // One at a time, over and over: there are few of them.
    for _ in 0..if missing.is_empty() { 0 } else { 500 } {
        for &k in &missing {
            let (mut pull, mut weight) = (DVec3::ZERO, 0.0);
            for (first, stride, own) in triples(k) {
                let difference = places[first] - 2.0 * places[first + stride] + places[first + 2 * stride];
                pull += own * (difference - own * places[k]);
                weight += own * own;
            }
            if weight > 0.0 {
                places[k] = -pull / weight;
            }
        }
    }
    places
}

/// From the markers to all nodes, by cubic splines along the rows and then along the columns.
fn refine(nodes: &Nodes, markers: &[DVec3]) -> Vec<DVec3> {
    let ([columns, _], [fine_columns, fine_rows]) = (nodes.markers, nodes.grid);
    let along = |places: Vec<DVec3>, count: usize| -> Vec<DVec3> {
        let knots = (0..places.len()).map(|k| k as f64).collect();
        let spline = Spline::new(knots, places);
        (0..count).map(|k| spline.as_ref().map_or(DVec3::ZERO, |s| s.at(k as f64 / nodes.refinement as f64))).collect()
    };
    let rows: Vec<Vec<DVec3>> = markers.chunks(columns).map(|row| along(row.to_vec(), fine_columns)).collect();
    let lines: Vec<Vec<DVec3>> =
        (0..fine_columns).map(|column| along(rows.iter().map(|row| row[column]).collect(), fine_rows)).collect();
    (0..fine_columns * fine_rows).map(|node| lines[node % fine_columns][node / fine_columns]).collect()
}

/// The shape that is not stretched, not inside anything, and nearest to given places of the markers.
///
/// A step without gravity from rest goes to the nearest shape in the metric of the mass, of all nodes; those between the markers
/// were only guessed, so what the markers were moved by is made up for in the guess, a few times.
fn project(stage: &Stage, params: &Params, mu: f64, markers: &[DVec3]) -> Result<Vec<DVec3>, ReplayError> {
    let step = |simulation: &mut Simulation| {
        stage.take_step(simulation, stage.capture.frames[0].time).map_err(|error| match error {
            ReplayError::Step { id, cause, .. } => ReplayError::Start { id, cause },
            other => other,
        })
    };
    let mut params = *params;
    params.gravity = DVec3::ZERO;
    params.material.damping = 0.0;
    let nodes = stage.nodes();
    let mut positions = refine(nodes, markers);
    for _ in 0..PROJECTIONS {
        let rest = vec![DVec3::ZERO; positions.len()];
        let mut simulation = waiting(stage, params, mu, PROJECTION, State::moving(stage.model(), positions, rest));
        step(&mut simulation)?;
        positions = simulation.positions().to_vec();
        let missed: Vec<DVec3> =
            (0..markers.len()).map(|marker| markers[marker] - positions[nodes.of(marker)]).collect();
        positions.iter_mut().zip(refine(nodes, &missed)).for_each(|(place, missed)| *place += missed);
    }
    let rest = vec![DVec3::ZERO; positions.len()];
    let mut simulation = waiting(stage, params, mu, PROJECTION, State::moving(stage.model(), positions, rest));
    step(&mut simulation)?;
    Ok(simulation.positions().to_vec())
}

/// A simulation in a world that waits where it is at first.
fn waiting(stage: &Stage, params: Params, mu: f64, dt: f64, state: State) -> Simulation {
    let mut simulation = stage.with_state(params, mu, dt, state);
    for obstacle in &mut simulation.obstacles {
        obstacle.motion = Motion::still(obstacle.motion.at(0.0));
    }
    simulation
}

/// Lets the cloth come to rest in the first pose of the hands.
fn settle(stage: &Stage, params: &Params, mu: f64, state: State) -> Result<State, ReplayError> {
    let mut params = *params;
    params.material.damping = SETTLING * params.material.density;
    let mut simulation = waiting(stage, params, mu, stage.discretisation.dt, state);
    for _ in 0..(SETTLING_TIME / stage.discretisation.dt).round() as usize {
        stage.take_step(&mut simulation, stage.capture.frames[0].time)?;
    }
    Ok(simulation.state().clone())
}

/// The cloth as it hangs straight down from the first places of the hands: what is off, settling mends.
fn hanging(capture: &Capture, stage: &Stage) -> Vec<DVec3> {
    let begin = capture.frames[0].time;
    let column = |marker: usize| marker % capture.columns();
    let hands = || capture.held.iter().map(|held| (column(held.marker), held.path.at(begin)));
    let left = hands().min_by_key(|(column, _)| *column).map_or(DVec3::ZERO, |(_, place)| place);
    let right = hands().max_by_key(|(column, _)| *column).map_or(DVec3::ZERO, |(_, place)| place);
    let across = (right - left).with_z(0.0).try_normalize().unwrap_or(DVec3::X);
    let middle = 0.5 * (left + right);
    // The mesh as it was made: its width along x, its height along z.
    let flat = stage.model().cloth().mesh().positions();
    let [width, height] = flat.last().map_or([0.0; 2], |corner| [corner.x, corner.z]);
    flat.iter().map(|p| middle + across * (p.x - 0.5 * width) + DVec3::Z * (p.z - height)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_of_a_grid_are_bridged_straight() {
        let place = |k: usize| DVec3::new((k % 4) as f64, (k / 4) as f64, 2.0 * (k % 4) as f64 - (k / 4) as f64);
        let seen: Vec<Option<DVec3>> =
            (0..20).map(|k| Some(place(k)).filter(|_| ![0, 6, 7, 13].contains(&k))).collect();
        for (k, found) in bridge([4, 5], &seen).iter().enumerate() {
            assert!(found.distance(place(k)) < 1e-6, "{k}: {found}");
        }
    }

    #[test]
    fn markers_are_nodes_of_the_refined_grid_and_lines_stay_lines() {
        let nodes = Nodes { grid: [7, 9], markers: [4, 5], refinement: 2 };
        let place = |x: f64, y: f64| DVec3::new(x, y, 0.5 * x - y);
        let markers: Vec<DVec3> = (0..20).map(|k| place((k % 4) as f64, (k / 4) as f64)).collect();
        for (k, found) in refine(&nodes, &markers).iter().enumerate() {
            assert!(found.distance(place(0.5 * (k % 7) as f64, 0.5 * (k / 7) as f64)) < 1e-12);
        }
    }

    #[test]
    fn lines_tell_motion_from_noise() {
        let mut dice = fastrand::Rng::with_seed(3);
        let mut sights = |speed: f64| {
            let mut noise = || 1e-4 * (dice.f64() - 0.5);
            let sight = |k: i32| (0.01 * f64::from(k), DVec3::new(speed * 0.01 * f64::from(k) + noise(), noise(), 1.0));
            (0..11).map(sight).collect::<Vec<_>>()
        };
        let line = Line::through(&sights(0.3)).unwrap();
        let (speed, error) = line.speed.unwrap();
        assert!((speed.x - 0.3).abs() < 3e-3 && speed.length() > SIGNIFICANT * error);
        assert!(line.place.distance(DVec3::Z) < 1e-4);
        let still = Line::through(&sights(0.0)).unwrap();
        let (speed, error) = still.speed.unwrap();
        assert!(speed.length() < SIGNIFICANT * error);
        assert!(Line::through(&sights(1.0)[..3]).unwrap().speed.is_none());
        assert!(Line::through(&[]).is_none());
    }
}
