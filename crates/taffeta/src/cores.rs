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
        match self {
            #[cfg(feature = "parallel")]
            Self::All if pays && rayon::current_num_threads() > 1 => Self::All,
            _ => Self::One,
        }
    }

    /// Does something on a thread of the pool, where [`join`](Self::join) costs least: from outside each would have to wake a thread and
    /// to wait for it.
    pub(crate) fn enter<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        match self {
            #[cfg(feature = "parallel")]
            Self::All => rayon::scope(|_| work()),
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
            Self::All => rayon::join(first, second),
            _ => (first(), second()),
        }
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
