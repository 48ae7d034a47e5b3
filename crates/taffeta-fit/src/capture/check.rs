//! What a capture must be for anything to be learned from it.

use glam::DVec3;

use super::{Capture, CaptureError, CapturedObstacle};
use crate::replay::Start;
use crate::start::first_glance;

/// Held markers may be seen farther apart than the cloth between them is long by this part of it: cameras are not exact.
const STRETCH: f64 = 0.02;

/// Sizes that differ by more than this factor are in different units.
const OTHER_UNITS: f64 = 20.0;

/// m. Markers that are closer to a body may be held up by it.
const TOUCHING: f64 = 0.02;

/// The sine of the angle by which a hem that hangs is below the hands, at least.
const HANGING: f64 = 0.3;

impl Capture {
    /// Refuses a capture that nothing can be learned from.
    ///
    /// # Errors
    ///
    /// What is wrong with it, where, and how to fix it.
    pub fn check(&self) -> Result<(), CaptureError> {
        let id = || self.id.clone();
        let too_little = |what: String, fix| Err(CaptureError::TooLittle { id: id(), what, fix });
        let nonsense = |what: String| Err(CaptureError::Nonsense { id: id(), what });
        let markers = self.columns() * self.rows();
        if self.columns() < 2 || self.rows() < 2 {
            return too_little(format!("a grid of {}×{} markers", self.columns(), self.rows()), "use 2×2 or more");
        }
        if self.size.iter().any(|&size| !(size.is_finite() && size > 0.0)) {
            return nonsense(format!(
                "the cloth measures {} × {} m: give positive numbers",
                self.size[0], self.size[1]
            ));
        }
        if self.held.is_empty() {
            return too_little("no held markers".to_owned(), "say which are held: cloth that falls tells little");
        }
        if self.held.iter().all(|held| self.hem().contains(&held.marker)) {
            return nonsense(
                "all held markers are in row 0, which is the free hem: turn the order of the rows round".to_owned(),
            );
        }
        let good = self.frames.iter().filter(|frame| !frame.bad);
        let seen = good.flat_map(|frame| frame.markers.iter().zip(&self.counted)).filter(|(x, c)| x.is_some() && **c);
        if seen.count() == 0 {
            return too_little("no markers that were seen and count".to_owned(), "check columns and gaps");
        }
        for (k, frame) in self.frames.iter().enumerate() {
            if !frame.time.is_finite() {
                return nonsense(format!("the time of frame {k} is {}: give seconds", frame.time));
            }
            if k > 0 && frame.time <= self.frames[k - 1].time {
                let before = self.frames[k - 1].time;
                let time = frame.time;
                return nonsense(format!(
                    "frame {k} is at {time} s, after {before} s: times must ascend, sort the rows"
                ));
            }
            if frame.markers.len() != markers {
                let count = frame.markers.len();
                return nonsense(format!(
                    "frame {k} has {count} markers, and the grid {markers}: give every one three columns"
                ));
            }
            if let Some(marker) = frame.markers.iter().position(|place| place.is_some_and(|x| !x.is_finite())) {
                return nonsense(format!(
                    "marker {marker} of frame {k} is at infinity: leave it out where it was not seen"
                ));
            }
        }
        self.check_lengths()?;
        self.check_upright()?;
        self.check_start()
    }

    fn check_lengths(&self) -> Result<(), CaptureError> {
        let misfit = |markers, found, length, time, fix| {
            Err(CaptureError::Misfit { id: self.id.clone(), markers, found, length, time, fix })
        };
        for (k, one) in self.held.iter().enumerate() {
            for other in &self.held[k + 1..] {
                let markers = [one.marker, other.marker];
                let length = self.length(markers);
                let apart = |&time: &f64| (one.path.at(time).distance(other.path.at(time)), time);
                let farthest =
                    one.path.times().iter().map(apart).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
                if farthest.0 > OTHER_UNITS * length {
                    return misfit(
                        markers,
                        farthest.0,
                        length,
                        farthest.1,
                        "the places may be in millimetres or centimetres: say unit = \"mm\" or \"cm\" in [markers], or give metres",
                    );
                }
                if farthest.0 > (1.0 + STRETCH) * length {
                    let fix = "cloth does not stretch, check the size of the cloth and which markers are held";
                    return misfit(markers, farthest.0, length, farthest.1, fix);
                }
            }
        }
        // The longest row or column of the first good frame, to find units that differ.
        let Some(frame) = self.frames.iter().find(|frame| !frame.bad) else { return Ok(()) };
        let seen: Vec<(usize, DVec3)> =
            frame.markers.iter().enumerate().filter_map(|(marker, place)| Some((marker, (*place)?))).collect();
        for window in seen.windows(2) {
            let ([a, b], found) = ([window[0].0, window[1].0], window[0].1.distance(window[1].1));
            let length = self.length([a, b]);
            if found > OTHER_UNITS * length {
                return misfit(
                    [a, b],
                    found,
                    length,
                    frame.time,
                    "the places may be in millimetres or centimetres: say unit = \"mm\" or \"cm\" in [markers], or give metres",
                );
            }
        }
        // Cloth may be folded, but it is not all in one place.
        let first = seen.first().copied();
        let farthest = first.zip(seen.iter().max_by(|(_, a), (_, b)| {
            let from = |place: &DVec3| first.map_or(0.0, |(_, first)| first.distance(*place));
            from(a).total_cmp(&from(b))
        }));
        if let Some(((a, from), &(b, to))) = farthest
            && seen.len() > 2
            && from.distance(to) * OTHER_UNITS < self.size[0].min(self.size[1])
        {
            let fix = "the places may be in kilometres, or metres that are taken for millimetres: check the unit";
            return misfit([a, b], from.distance(to), self.length([a, b]), frame.time, fix);
        }
        Ok(())
    }

    /// A cloth that touches nothing at first hangs from its hands; it may be swung, but neither stands on its hem nor lies on air.
    fn check_upright(&self) -> Result<(), CaptureError> {
        let Some(frame) = self.frames.iter().find(|frame| !frame.bad) else { return Ok(()) };
        let gap = |obstacle: &CapturedObstacle, place: DVec3| {
            obstacle.body.shape.near(obstacle.body.motion.at(frame.time).to_local(place)).gap
        };
        let touches = |place: &DVec3| self.obstacles.iter().any(|obstacle| gap(obstacle, *place).abs() < TOUCHING);
        let hem: Vec<DVec3> = self.hem().filter_map(|marker| frame.markers[marker]).collect();
        let held_by_hem = self.held.iter().any(|held| self.hem().contains(&held.marker));
        if !hem.is_empty() && !held_by_hem && !frame.markers.iter().flatten().any(touches) {
            let mean = |places: &[DVec3]| places.iter().sum::<DVec3>() / places.len() as f64;
            let hands: Vec<DVec3> = self.held.iter().map(|held| held.path.at(frame.time)).collect();
            let hem = mean(&hem) - mean(&hands);
            // The hands may be closer to the hem than to the other edge.
            if hem.length() > 0.3 * self.size[1] && hem.z > -HANGING * hem.length() {
                return Err(CaptureError::NotHanging { id: self.id.clone(), hem });
            }
        }
        let seen = frame.markers.iter().enumerate().filter_map(|(marker, place)| Some((marker, (*place)?)));
        for (marker, place) in seen {
            if let Some(inside) = self.obstacles.iter().find(|obstacle| gap(obstacle, place) < -TOUCHING) {
                let (obstacle, depth) = (inside.body.name.clone(), -gap(inside, place));
                return Err(CaptureError::Inside { id: self.id.clone(), marker, obstacle, depth });
            }
        }
        Ok(())
    }

    /// A simulation that begins in the first frame needs to see it.
    fn check_start(&self) -> Result<(), CaptureError> {
        if self.discretisation.start == Start::Rest && self.obstacles.is_empty() {
            return Ok(());
        }
        let seen = first_glance(&self.frames).iter().flat_map(|frame| frame.markers.iter().enumerate());
        let mut known = vec![false; self.counted.len()];
        seen.filter(|(_, place)| place.is_some()).for_each(|(marker, _)| known[marker] = true);
        let count = known.iter().filter(|known| **known).count();
        if 2 * count < known.len() {
            return Err(CaptureError::TooLittle {
                id: self.id.clone(),
                what: format!("only {count} of {} markers seen in its first frames", known.len()),
                fix: "let it begin where they are seen, or begin at rest (start = \"rest\")",
            });
        }
        Ok(())
    }
}
