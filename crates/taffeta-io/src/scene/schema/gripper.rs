//! `[gripper.<name>]`: hands with two fingers.

use serde::{Deserialize, Serialize};

use super::travel::{TravelSettings, travel_apart, with_travel};

with_travel! {
    /// `[gripper.<name>]`: two fingers that close on the cloth, where they are and how they move.
    pub struct GripperSettings {
        /// Width and length of its pads, m; 0.02 by 0.02 by default.
        pub pad_m: Option<[f64; 2]>,
        /// Radius of round pads instead, m.
        pub pad_radius_m: Option<f64>,
        /// How thick a finger is behind its pad, m; 0.008 by default.
        pub finger_m: Option<f64>,
        /// How far apart the pads are when it is open, m; 0.04 by default.
        pub opening_m: Option<f64>,
        /// How fast it closes and opens, m/s; 0.1 by default.
        pub speed_m_s: Option<f64>,
        /// The force with which each pad presses when it is closed, N; 10 by default.
        #[serde(rename = "force_N")]
        pub force: Option<f64>,
        /// Coefficient of friction of the pads with the cloth; 0.8 by default.
        pub friction: Option<f64>,
        /// When it is closed: from when until when, s, in order; never by default.
        pub closed_s: Option<Vec<[f64; 2]>>,
        /// Stiffness of the arm that carries it, N/m; 1e4 by default.
        #[serde(rename = "stiffness_N_m")]
        pub stiffness: Option<f64>,
        /// Damping of that arm, N s/m; by default critical for the mass of its fingers.
        #[serde(rename = "damping_N_s_m")]
        pub damping: Option<f64>,
        /// The largest force of that arm, N; 100 by default, `inf` for no limit.
        #[serde(rename = "max_force_N")]
        pub max_force: Option<f64>,
    }
}

travel_apart!(GripperSettings);
