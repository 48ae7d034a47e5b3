//! Who meets whom: the cloth and the bodies of the world, the cloth and itself.
//!
//! For the simulator there is a [broad phase](BroadPhase) over the [surface](Surface) of a cloth, and continuous detection of
//! what meets in a motion ([`ccd`]). Apart from these, and independent of them, stands the check of a frame:
//! [`self_intersections`], [`self_gaps`].

mod bounds;
mod boxes;
mod broad;
pub mod ccd;
mod distance;
mod edges;
mod exact;
mod gaps;
mod glance;
mod intersections;
mod lanes;
mod neighbours;
mod obstacles;
mod pairs;
mod points;
mod rings;
mod site;
mod sweep;
mod tree;

#[cfg(test)]
mod tests;

pub use broad::{BroadPhase, Candidates, FaceBoxes};
pub use gaps::{Gap, Parts, self_gaps, smallest_gap};
pub use intersections::{Intersection, self_intersections};
pub use points::Stencil;
pub use rings::Rings;
pub use site::Site;

pub use crate::cloth::Surface;

pub(crate) use edges::{EdgeMeeting, EdgeMotion, Known, meet_edge, near_edge};
pub(crate) use glance::{Glance, Parting, glances, partings};
pub(crate) use lanes::LANES;
pub(crate) use neighbours::Neighbours;
pub(crate) use obstacles::meet;
pub(crate) use pairs::{Approach, Kind, Pair, TOUCHING};
pub(crate) use points::point_count;
