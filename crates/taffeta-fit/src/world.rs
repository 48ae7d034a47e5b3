//! Bodies in the way of a captured cloth: from the markers on them to obstacles that move as they did.

use glam::{DQuat, DVec3};
use taffeta::Keyframes;
use taffeta::obstacle::{Motion, Pose, Travel};

use crate::smooth::{fill, smooth};

/// s. Longer gaps are bridged linearly, as in the paper; shorter ones with as little jerk as there can be.
const LONG: f64 = 0.3;

/// The motion of a rod along the x axis of its frame, by the places of its two ends. What was not seen is bridged, and noise is taken
/// out above `cutoff` Hz. Returns the length of the rod, too, m.
pub fn rod(times: &[f64], ends: [&[Option<DVec3>]; 2], cutoff: f64) -> Option<(Motion, f64)> {
    let mut lengths: Vec<f64> = ends[0].iter().zip(ends[1]).filter_map(|(a, b)| Some((*a)?.distance((*b)?))).collect();
    lengths.sort_by(f64::total_cmp);
    let length = *lengths.get(lengths.len() / 2)?;
    let [a, b] = ends.map(|seen| {
        let straight = fill(times, seen)?;
        // What is left open is bridged by the filter.
        let open = |k: usize| seen[k].is_none() && gap(times, seen, k) <= LONG;
        let filled: Vec<Option<DVec3>> = (0..times.len()).map(|k| Some(straight[k]).filter(|_| !open(k))).collect();
        smooth(times, &filled, cutoff)
    });
    let (a, b) = (a?, b?);
    let (mut along, mut turn) = (DVec3::X, DQuat::IDENTITY);
    let poses = a.iter().zip(&b).map(|(a, b)| {
        let next = (*b - *a).normalize_or(along);
        // From direction to direction by the shortest way: two markers do not tell how the rod spins.
        turn = (DQuat::from_rotation_arc(along, next) * turn).normalize();
        along = next;
        Pose::new(turn, 0.5 * (*a + *b))
    });
    Some((keyframes(times, poses.collect()), length))
}

/// How long the gap is that a frame is in, s; without end at the ends.
fn gap(times: &[f64], seen: &[Option<DVec3>], frame: usize) -> f64 {
    let before = seen[..frame].iter().rposition(Option::is_some).map(|k| times[k]);
    let after = seen[frame..].iter().position(Option::is_some).map(|k| times[frame + k]);
    before.zip(after).map_or(f64::INFINITY, |(before, after)| after - before)
}

/// The motion of a body by its poses; where it was not seen it goes on evenly to where it is seen next.
pub fn rigid_body(times: &[f64], seen: &[Option<Pose>]) -> Option<Motion> {
    let known = times.iter().zip(seen).filter_map(|(&time, pose)| Some((time, (*pose)?)));
    let (times, poses): (Vec<f64>, Vec<Pose>) = known.unzip();
    (!times.is_empty()).then(|| keyframes(&times, poses))
}

fn keyframes(times: &[f64], poses: Vec<Pose>) -> Motion {
    let start = poses.first().copied().unwrap_or(Pose::IDENTITY);
    Motion { start, travel: Travel::Keyframes(Keyframes::linear(times, poses)) }
}

/// The plane through three or more places: a frame whose z axis is its normal, to the side on which the cloth is. `None` if they are
/// on a line.
pub fn plane(places: &[DVec3], cloth: DVec3) -> Option<Pose> {
    let middle = places.iter().sum::<DVec3>() / places.len().max(1) as f64;
    // Of all normals by two of the places the sum, each turned to the cloth: for three places it is theirs.
    let normal = |a: &DVec3, b: &DVec3| {
        let cross = (*a - middle).cross(*b - middle);
        if cross.dot(cloth - middle) < 0.0 { -cross } else { cross }
    };
    let sum: DVec3 =
        (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| normal(&places[i], &places[j])).sum();
    let reach = places.iter().map(|place| place.distance(middle)).fold(0.0, f64::max);
    (sum.length() > 1e-3 * reach * reach)
        .then(|| Pose::new(DQuat::from_rotation_arc(DVec3::Z, sum.normalize()), middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rod_goes_where_its_ends_went() {
        let times: Vec<f64> = (0..200).map(|k| 0.01 * f64::from(k)).collect();
        let place = |t: f64, side: f64| {
            let turn = DQuat::from_rotation_z(2.0 * t) * DQuat::from_rotation_y(0.7 * t);
            DVec3::new(0.1 * t, 0.2, 0.3 * t * t) + turn * DVec3::X * (0.375 * side)
        };
        // Gaps of 50 ms in one end.
        let end = |side: f64| {
            let seen = times
                .iter()
                .enumerate()
                .map(|(k, &t)| Some(place(t, side)).filter(|_| side < 0.0 || k < 5 || k % 40 > 4));
            seen.collect::<Vec<_>>()
        };
        let (motion, length) = rod(&times, [&end(-1.0), &end(1.0)], 10.0).unwrap();
        assert!((length - 0.75).abs() < 1e-12);
        for k in 0..150 {
            let t = 0.1 + 0.01 * f64::from(k) + 0.004;
            let pose = motion.at(t);
            for side in [-1.0, 1.0] {
                let off = pose.to_world(DVec3::X * (0.375 * side)).distance(place(t, side));
                assert!(off < 1e-4, "{t}: {off}");
            }
        }
        assert!(rod(&times, [&vec![None; 200], &end(1.0)], 10.0).is_none());
    }

    #[test]
    fn missing_poses_are_bridged() {
        let pose = |x: f64| Some(Pose::new(DQuat::from_rotation_z(x), DVec3::X * x));
        let motion = rigid_body(&[0.0, 1.0, 2.0, 3.0], &[pose(0.0), None, None, pose(3.0)]).unwrap();
        assert!(motion.at(1.0).translation.distance(DVec3::X) < 1e-12);
        assert!(motion.at(2.0).rotation.angle_between(DQuat::from_rotation_z(2.0)) < 1e-7);
        assert_eq!(rigid_body(&[0.0], &[None]), None);
    }

    #[test]
    fn a_plane_goes_through_its_markers() {
        let turn = DQuat::from_rotation_x(0.3);
        let places = [(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0)].map(|(x, y)| turn * DVec3::new(x, y, 0.4));
        for some in [&places[..3], &places[..]] {
            let pose = plane(some, DVec3::Z * 3.0).unwrap();
            assert!(pose.rotate(DVec3::Z).distance(turn * DVec3::Z) < 1e-12);
            assert!(places.iter().all(|place| pose.to_local(*place).z.abs() < 1e-12));
        }
        // Seen from below it is turned round; a wall is turned to the cloth.
        assert!(plane(&places, -DVec3::Z).unwrap().rotate(DVec3::Z).distance(turn * -DVec3::Z) < 1e-12);
        let wall = [DVec3::ZERO, DVec3::Z, DVec3::X];
        assert!(plane(&wall, DVec3::Y).unwrap().rotate(DVec3::Z).distance(DVec3::Y) < 1e-12);
        assert_eq!(plane(&[DVec3::ZERO, DVec3::X, DVec3::X * 2.0], DVec3::Z), None);
        assert_eq!(plane(&[], DVec3::Z), None);
    }
}
