//! Where a body is placed and how it moves: the keys that obstacles and grippers have in common.

use serde::{Deserialize, Serialize};

/// A table with these keys beside its own. One that refuses keys it does not have cannot have them from another struct.
macro_rules! with_travel {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($own)*
            /// Where its origin is, m; the world's by default.
            pub place_m: Option<$crate::scene::schema::Vector>,
            /// Direction of its own z axis in the world.
            pub axis: Option<$crate::scene::schema::Vector>,
            /// Axis about which it is turned instead, by `rotation_deg`.
            pub rotation_axis: Option<$crate::scene::schema::Vector>,
            /// By how much it is turned about `rotation_axis`, degrees.
            pub rotation_deg: Option<f64>,
            /// How it moves; `still` by default.
            pub motion: Option<$crate::scene::schema::TravelName>,
            /// Velocity: of its origin, m/s; 0 by default. Of a free body: that of its centre of mass at the start.
            pub velocity_m_s: Option<$crate::scene::schema::Vector>,
            /// Velocity: of its rotation about its origin, degrees/s, along axes of the world; 0 by default. Of a free body: that at the
            /// start.
            pub angular_velocity_deg_s: Option<$crate::scene::schema::Vector>,
            /// Velocity: when it begins, s; 0 by default.
            pub from_s: Option<f64>,
            /// Velocity: when it ends, s; never (`inf`) by default.
            pub until_s: Option<f64>,
            /// Turn: direction of the axis in the world.
            pub turn_axis: Option<$crate::scene::schema::Vector>,
            /// Turn: a point on the axis, m; the body's place by default.
            pub through_m: Option<$crate::scene::schema::Vector>,
            /// Turn, keyframes: times in the run, s, each later than the one before.
            pub times_s: Option<Vec<f64>>,
            /// Turn: angles at these times, degrees.
            pub angles_deg: Option<Vec<f64>>,
            /// Keyframes: places of its origin at these times, m.
            pub places_m: Option<Vec<$crate::scene::schema::Vector>>,
            /// Keyframes: rotations at these times: an axis and an angle in degrees each.
            pub rotations_axis_deg: Option<Vec<[f64; 4]>>,
            /// Keyframes: the same as quaternions instead: w, x, y, z.
            pub rotations_wxyz: Option<Vec<[f64; 4]>>,
            /// Turn, keyframes: how it moves in between; `linear` by default.
            pub interpolation: Option<taffeta::Interpolation>,
            /// CSV: a table with a column of times `t` or `t_s`, relative to the scene file.
            pub csv: Option<String>,
            /// CSV: the columns with x, y and z (m), and perhaps the quaternion's w, x, y and z.
            pub columns: Option<Vec<String>>,
        }
    };
}

/// Takes the keys of such a table apart from its own, and puts them back.
macro_rules! travel_apart {
    ($name:ident) => {
        impl $name {
            /// Its keys of place and motion, by themselves.
            pub(in crate::scene) fn travel(&self) -> TravelSettings {
                TravelSettings {
                    place_m: self.place_m,
                    axis: self.axis,
                    rotation_axis: self.rotation_axis,
                    rotation_deg: self.rotation_deg,
                    motion: self.motion,
                    velocity_m_s: self.velocity_m_s,
                    angular_velocity_deg_s: self.angular_velocity_deg_s,
                    from_s: self.from_s,
                    until_s: self.until_s,
                    turn_axis: self.turn_axis,
                    through_m: self.through_m,
                    times_s: self.times_s.clone(),
                    angles_deg: self.angles_deg.clone(),
                    places_m: self.places_m.clone(),
                    rotations_axis_deg: self.rotations_axis_deg.clone(),
                    rotations_wxyz: self.rotations_wxyz.clone(),
                    interpolation: self.interpolation,
                    csv: self.csv.clone(),
                    columns: self.columns.clone(),
                }
            }

            /// Takes over what became of them.
            pub(in crate::scene) fn set_travel(&mut self, travel: TravelSettings) {
                TravelSettings {
                    place_m: self.place_m,
                    axis: self.axis,
                    rotation_axis: self.rotation_axis,
                    rotation_deg: self.rotation_deg,
                    motion: self.motion,
                    velocity_m_s: self.velocity_m_s,
                    angular_velocity_deg_s: self.angular_velocity_deg_s,
                    from_s: self.from_s,
                    until_s: self.until_s,
                    turn_axis: self.turn_axis,
                    through_m: self.through_m,
                    times_s: self.times_s,
                    angles_deg: self.angles_deg,
                    places_m: self.places_m,
                    rotations_axis_deg: self.rotations_axis_deg,
                    rotations_wxyz: self.rotations_wxyz,
                    interpolation: self.interpolation,
                    csv: self.csv,
                    columns: self.columns,
                } = travel;
            }
        }
    };
}

pub(super) use {travel_apart, with_travel};

with_travel! {
    /// These keys alone.
    pub struct TravelSettings {}
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TravelName {
    /// Not at all.
    Still,
    /// At constant velocity for some time.
    Velocity,
    /// About a fixed axis, to given angles.
    Turn,
    /// Through given poses.
    Keyframes,
    /// Through the poses in a table.
    Csv,
}
