//! Memory that begins at the boundary of a cache line.

use std::ops::{Deref, DerefMut};

/// Numbers in a cache line, and in the longest vector of any processor. Rows are stored in multiples of this many, so that
/// every column begins at such a boundary: vectors that straddle cache lines cost twice.
pub(super) const LANES: usize = 8;

/// The next lower multiple of [`LANES`].
pub(super) const fn floor(row: usize) -> usize {
    row - row % LANES
}

/// Zeros that begin at the boundary of a cache line.
pub(super) struct Aligned {
    room: Vec<f64>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub fn zeros(len: usize) -> Self {
        let room = vec![0.0; len + LANES];
        // Where this cannot be told, vectors are slower and all else is the same.
        let start = room.as_ptr().align_offset(LANES * size_of::<f64>()).min(LANES);
        Self { room, start, len }
    }

    /// Makes it so many zeros, in the memory it has if they fit there.
    pub fn reset(&mut self, len: usize) {
        if self.start + len <= self.room.len() {
            self.len = len;
            self.fill(0.0);
        } else {
            // A little more than is needed, since the next may be larger by a little.
            *self = Self { len, ..Self::zeros(len + len / 8) };
        }
    }
}

impl Deref for Aligned {
    type Target = [f64];

    #[inline(always)]
    fn deref(&self) -> &[f64] {
        &self.room[self.start..self.start + self.len]
    }
}

impl DerefMut for Aligned {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.room[self.start..self.start + self.len]
    }
}
