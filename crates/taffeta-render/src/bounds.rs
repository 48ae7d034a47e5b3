//! Boxes along the axes.

use glam::DVec3;

/// A box between two corners, never empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub min: DVec3,
    pub max: DVec3,
}

impl Bounds {
    /// The smallest box around some points, if there are any.
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Option<Self> {
        let point = |at: DVec3| Self { min: at, max: at };
        points.into_iter().map(point).reduce(Self::union)
    }

    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    pub fn extent(self) -> DVec3 {
        self.max - self.min
    }

    pub fn centre(self) -> DVec3 {
        (self.min + self.max) / 2.0
    }
}
