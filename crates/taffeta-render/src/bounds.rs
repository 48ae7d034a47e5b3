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

    /// The part of the box inside another one, if there is any.
    pub fn within(self, other: Self) -> Option<Self> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        min.cmple(max).all().then_some(Self { min, max })
    }

    /// The box with a border all around, as wide as the given share of its longest side.
    pub fn grown(self, share: f64) -> Self {
        let border = DVec3::splat(share * self.extent().max_element());
        Self { min: self.min - border, max: self.max + border }
    }

    /// The box around the cloth and whatever of the bodies is near it: within a border around the
    /// cloth as wide as the given share of its longest side. Without cloth, all of the bodies.
    pub fn in_focus(cloth: Option<Self>, bodies: impl Iterator<Item = Self>, share: f64) -> Option<Self> {
        let Some(cloth) = cloth else {
            return bodies.reduce(Self::union);
        };
        let near = cloth.grown(share);
        Some(bodies.filter_map(|body| body.within(near)).fold(cloth, Self::union))
    }

    pub fn extent(self) -> DVec3 {
        self.max - self.min
    }

    pub fn centre(self) -> DVec3 {
        (self.min + self.max) / 2.0
    }

    pub fn corners(self) -> [DVec3; 8] {
        let pick = |corner: usize, axis: usize| [self.min, self.max][corner >> axis & 1][axis];
        std::array::from_fn(|corner| DVec3::new(pick(corner, 0), pick(corner, 1), pick(corner, 2)))
    }

    /// How far a point is from the box; zero inside.
    pub fn distance(self, point: DVec3) -> f64 {
        point.distance(point.clamp(self.min, self.max))
    }
}
