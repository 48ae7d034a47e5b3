//! How many cores compute a step.

/// Whether a step is computed by one core or by several. Results are the same to the bit.
///
/// This is said by the caller and not found out: who runs many simulations beside each other has given every core its work already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cores {
    /// The thread that asks for the step.
    #[default]
    One,
    /// The threads of the rayon pool in which the step is asked for, or else of rayon's global pool, where there is enough to do for
    /// them. The same as [`One`](Self::One) without the feature `parallel`.
    All,
}

impl Cores {
    /// All if there are several and there is enough to do for them, otherwise one.
    pub(crate) fn if_it_pays(self, pays: bool) -> Self {
        if self == Self::All && pays && several() { Self::All } else { Self::One }
    }

    /// Does something on a thread of the pool, where [`join`](Self::join) costs least: from outside each would have to wake a thread and
    /// to wait for it.
    pub(crate) fn enter<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "parallel")]
        if self == Self::All {
            return rayon::scope(|_| work());
        }
        work()
    }

    /// Does two things, at the same time if there is a thread for the second.
    pub(crate) fn join<A: Send, B: Send>(
        self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        #[cfg(feature = "parallel")]
        if self == Self::All {
            return rayon::join(first, second);
        }
        (first(), second())
    }

    /// Does something with each of some things, which the cores share.
    pub(crate) fn each<T: Send>(self, things: &mut [T], work: &(impl Fn(&mut T) + Sync)) {
        if self == Self::One || things.len() <= 1 {
            return things.iter_mut().for_each(work);
        }
        let (some, others) = things.split_at_mut(things.len() / 2);
        self.join(|| self.each(some, work), || self.each(others, work));
    }
}

/// Whether there is more than one thread to share a step.
fn several() -> bool {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "parallel"))]
    false
}
