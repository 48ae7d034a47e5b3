//! What can be wrong with the mesh of a solid, and how to fix it.

use glam::DVec3;

/// The first defect found in the mesh of a solid. Positions and triangles are named by their zero-based index.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolidError {
    /// There are no triangles.
    #[error("the solid has no triangles: give a closed surface, of four at least")]
    Empty,
    /// A coordinate is NaN, infinite, or so large that volumes would overflow.
    #[error("position {index} is {position}: make every coordinate a finite number of magnitude at most 1e60")]
    UnusableCoordinate {
        /// The position.
        index: usize,
        /// Where it was said to be.
        position: DVec3,
    },
    /// A triangle refers to a position that does not exist.
    #[error(
        "triangle {triangle} refers to position {index}, but there are only {count}: use indices from 0 to {}",
        .count.saturating_sub(1)
    )]
    OutOfRange {
        /// The triangle.
        triangle: usize,
        /// The index it used.
        index: usize,
        /// How many positions there are.
        count: usize,
    },
    /// A triangle without area.
    #[error("triangle {triangle} has no area: remove it, and join its neighbours")]
    NoArea {
        /// The triangle.
        triangle: usize,
    },
    /// A side that no other triangle shares.
    #[error(
        "the surface is open at the side from {from} to {to} of triangle {triangle}: close the hole, and let triangles \
         that meet share positions, not copies of them"
    )]
    Open {
        /// The triangle.
        triangle: usize,
        /// Where its side begins.
        from: usize,
        /// Where it ends.
        to: usize,
    },
    /// Two triangles that run along a side in the same direction, so that one faces inward and the other outward, or
    /// more than two that share it.
    #[error(
        "triangles {first} and {second} both run from {from} to {to}: turn one of them over; or, if more than two \
         triangles meet there, give each pair a side of its own"
    )]
    Inconsistent {
        /// The triangle that comes first.
        first: usize,
        /// The other.
        second: usize,
        /// Where the side begins.
        from: usize,
        /// Where it ends.
        to: usize,
    },
    /// A closed surface that encloses nothing.
    #[error("the surface encloses no volume: give the solid a thickness")]
    NoVolume,
}
