//! A path through places at given times, with continuous velocity and acceleration: jumps of either would be blows to the cloth.

use glam::DVec3;

/// A natural cubic spline; it rests at its ends before and after.
#[derive(Clone, Debug, PartialEq)]
pub struct Spline {
    times: Vec<f64>,
    places: Vec<DVec3>,
    /// Second derivative at every time, m/s².
    accelerations: Vec<DVec3>,
}

impl Spline {
    /// The spline through places at ascending times; `None` if they are not finite, do not ascend or differ in number, or are none.
    pub fn new(times: Vec<f64>, places: Vec<DVec3>) -> Option<Self> {
        let ascending = times.windows(2).all(|two| two[1] > two[0]);
        let finite = times.iter().all(|time| time.is_finite()) && places.iter().all(|place| place.is_finite());
        if times.is_empty() || times.len() != places.len() || !ascending || !finite {
            return None;
        }
        let accelerations = accelerations(&times, &places);
        Some(Self { times, places, accelerations })
    }

    /// The times it was given, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The place at a time, m.
    pub fn at(&self, time: f64) -> DVec3 {
        let last = self.times.len() - 1;
        let next = self.times.partition_point(|&t| t <= time);
        if next == 0 {
            return self.places[0];
        }
        if next > last {
            return self.places[last];
        }
        let k = next - 1;
        let h = self.times[next] - self.times[k];
        let (a, b) = ((self.times[next] - time) / h, (time - self.times[k]) / h);
        let bend = self.accelerations[k] * (a * a * a - a) + self.accelerations[next] * (b * b * b - b);
        self.places[k] * a + self.places[next] * b + bend * (h * h / 6.0)
    }
}

/// Solves the tridiagonal system of the second derivatives, which vanish at both ends.
fn accelerations(times: &[f64], places: &[DVec3]) -> Vec<DVec3> {
    let n = times.len();
    let mut seconds = vec![DVec3::ZERO; n];
    if n < 3 {
        return seconds;
    }
    let h = |k: usize| times[k + 1] - times[k];
    let slope = |k: usize| (places[k + 1] - places[k]) / h(k);
    let (mut diagonal, mut right) = (vec![0.0; n], vec![DVec3::ZERO; n]);
    for k in 1..n - 1 {
        diagonal[k] = 2.0 * (h(k - 1) + h(k));
        right[k] = 6.0 * (slope(k) - slope(k - 1));
        if k > 1 {
            let factor = h(k - 1) / diagonal[k - 1];
            diagonal[k] -= factor * h(k - 1);
            let before = right[k - 1];
            right[k] -= factor * before;
        }
    }
    for k in (1..n - 1).rev() {
        seconds[k] = (right[k] - h(k) * seconds[k + 1]) / diagonal[k];
    }
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spline_goes_through_its_places_smoothly() {
        let times: Vec<f64> = (0..40).map(|k| 0.02 * f64::from(k) + 0.003 * f64::from(k % 3)).collect();
        let place = |t: f64| DVec3::new((3.0 * t).sin(), (5.0 * t).cos(), t * t);
        let spline = Spline::new(times.clone(), times.iter().map(|&t| place(t)).collect()).unwrap();
        for &t in &times {
            assert!(spline.at(t).distance(place(t)) < 1e-12);
        }
        // Between them, away from the ends, as close as a cubic gets: h⁴·|f⁗|·5/384.
        for k in 0..200 {
            let t = 0.2 + 0.4 * f64::from(k) / 200.0;
            assert!(spline.at(t).distance(place(t)) < 5e-6, "{t}");
        }
        // Velocity and acceleration have no jumps at a knot.
        let (t, e) = (times[20], 1e-5);
        let acceleration = |t: f64| (spline.at(t + e) - 2.0 * spline.at(t) + spline.at(t - e)) / (e * e);
        assert!(acceleration(t - 2.0 * e).distance(acceleration(t + 2.0 * e)) < 0.05);
        assert_eq!(spline.at(-1.0), spline.at(times[0]));
        assert_eq!(spline.at(9.0), spline.at(times[39]));
    }

    #[test]
    fn what_is_no_path_is_refused() {
        let x = DVec3::X;
        for (times, places) in [
            (vec![], vec![]),
            (vec![0.0, 0.0], vec![x, x]),
            (vec![0.0, 1.0], vec![x]),
            (vec![0.0, f64::NAN], vec![x, x]),
            (vec![0.0, 1.0], vec![x, DVec3::NAN]),
        ] {
            assert_eq!(Spline::new(times, places), None);
        }
        assert_eq!(Spline::new(vec![2.0], vec![x]).unwrap().at(0.0), x);
    }
}
