//! Who computes a step: one thread, or several that share parts of it.

/// Whether a step is computed by one thread or by several. Results are the same to the bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// The thread that asks for the step: for many runs beside each other, each with a thread of its own.
    #[default]
    One,
    /// The threads of the rayon pool in which the step is asked for, or else of rayon's global pool, where there is enough to do for
    /// them. The same as [`One`](Self::One) without the feature `parallel`.
    Pool,
}

impl Threads {
    /// These threads if there are several and there is enough to do for them, otherwise one.
    pub(crate) fn if_it_pays(self, pays: bool) -> Self {
        match self {
            #[cfg(feature = "parallel")]
            Self::Pool if pays && rayon::current_num_threads() > 1 => Self::Pool,
            _ => Self::One,
        }
    }

    /// Does something on a thread of the pool, where [`join`](Self::join) costs least: from outside each would have to wake a thread and
    /// to wait for it.
    pub(crate) fn enter<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        match self {
            #[cfg(feature = "parallel")]
            Self::Pool => rayon::scope(|_| work()),
            _ => work(),
        }
    }

    /// Does two things, at the same time if there is a thread for the second.
    pub(crate) fn join<A: Send, B: Send>(
        self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match self {
            #[cfg(feature = "parallel")]
            Self::Pool => rayon::join(first, second),
            _ => (first(), second()),
        }
    }

    /// Does something with each of some things, which the threads share.
    pub(crate) fn each<T: Send>(self, things: &mut [T], work: &(impl Fn(&mut T) + Sync)) {
        if self == Self::One || things.len() <= 1 {
            return things.iter_mut().for_each(work);
        }
        let (some, others) = things.split_at_mut(things.len() / 2);
        self.join(|| self.each(some, work), || self.each(others, work));
    }
}
