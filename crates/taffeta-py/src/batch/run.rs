//! Stepping many simulations at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};

use pyo3::prelude::*;
use rayon::ThreadPool;

use super::Member;
use crate::account::Account;
use crate::errors::Refused;
use crate::interruptible::LOOK_INTERVAL;

impl Member {
    /// Takes steps until one is refused, or all are to stop.
    fn run(&mut self, steps: u64, stop: &AtomicBool) {
        let mut account = Account::default();
        while account.steps < steps && !stop.load(Ordering::Relaxed) {
            match self.world.step() {
                Ok(report) => account.add(&report),
                Err(trouble) => {
                    self.refused = Some(Refused::new(&trouble, &self.world.simulation, account.steps));
                    break;
                }
            }
        }
        self.world.account = account;
    }
}

/// Takes steps of those members that have not failed. Ctrl-C ends it between steps.
pub fn run(py: Python<'_>, pool: &ThreadPool, members: &mut [Member], ids: &[usize], steps: u64) -> PyResult<()> {
    let mut is_chosen = vec![false; members.len()];
    ids.iter().for_each(|&k| is_chosen[k] = true);
    let able = members.iter_mut().zip(is_chosen).filter(|(member, chosen)| *chosen && member.refused.is_none());
    let able: Vec<&mut Member> = able.map(|(member, _)| member).collect();
    if able.is_empty() {
        return Ok(());
    }
    let (stop, left) = (AtomicBool::new(false), AtomicUsize::new(able.len()));
    py.detach(|| {
        let (stop, left, (done, all_done)) = (&stop, &left, channel());
        pool.in_place_scope(|scope| {
            for member in able {
                let done = done.clone();
                scope.spawn(move |_| {
                    member.run(steps, stop);
                    if left.fetch_sub(1, Ordering::Relaxed) == 1 {
                        // Nobody listens any more if Ctrl-C was pressed.
                        let _ = done.send(());
                    }
                });
            }
            while let Err(RecvTimeoutError::Timeout) = all_done.recv_timeout(LOOK_INTERVAL) {
                if let Err(pressed) = Python::attach(|py| py.check_signals()) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(pressed);
                }
            }
            Ok(())
        })
    })
}
