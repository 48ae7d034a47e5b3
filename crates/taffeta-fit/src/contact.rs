//! When the cloth touches what is in its way.

use serde::Serialize;
use taffeta::Simulation;

/// s. Contacts that pause for less are one.
const PAUSE: f64 = 0.1;

/// A time in which the cloth touches an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContactInterval {
    /// The obstacle, by its place in the capture.
    pub obstacle: usize,
    /// When the contact begins, s, in the times of the capture.
    pub from: f64,
    /// When it ends, s.
    pub to: f64,
}

/// When steps found the cloth in contact.
pub(crate) struct Touches {
    /// The ends of such steps, for each obstacle, s.
    times: Vec<Vec<f64>>,
}

impl Touches {
    pub fn new(obstacles: usize) -> Self {
        Self { times: vec![Vec::new(); obstacles] }
    }

    /// Looks at a simulation after a step that ends at a time of the capture.
    pub fn note(&mut self, time: f64, simulation: &Simulation) {
        let pushed = simulation.state().contacts.iter().filter(|contact| contact.normal_force > 0.0);
        for obstacle in pushed.filter_map(|contact| contact.site.obstacle()) {
            let times = &mut self.times[obstacle];
            if times.last() != Some(&time) {
                times.push(time);
            }
        }
    }

    /// The intervals, in the order in which they begin; steps are `dt` long.
    pub fn intervals(&self, dt: f64) -> Vec<ContactInterval> {
        let mut intervals: Vec<ContactInterval> = Vec::new();
        for (obstacle, times) in self.times.iter().enumerate() {
            let mut last: Option<ContactInterval> = None;
            for &time in times {
                match &mut last {
                    Some(interval) if time - dt - interval.to <= PAUSE => interval.to = time,
                    _ => intervals.extend(last.replace(ContactInterval { obstacle, from: time - dt, to: time })),
                }
            }
            intervals.extend(last);
        }
        intervals.sort_by(|a, b| a.from.total_cmp(&b.from));
        intervals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_that_hardly_pause_are_one() {
        let touches = Touches { times: vec![vec![0.5, 0.51, 0.55, 1.0], vec![], vec![0.2]] };
        let found: Vec<(usize, f64, f64)> =
            touches.intervals(0.01).iter().map(|interval| (interval.obstacle, interval.from, interval.to)).collect();
        assert_eq!(found, [(2, 0.19, 0.2), (0, 0.49, 0.55), (0, 0.99, 1.0)]);
    }
}
