//! `[analytic]`: what a run is to be compared with.

use serde::{Deserialize, Serialize};

/// `[analytic]`: a law of friction whose prediction the summary of a run states beside what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnalyticSettings {
    /// The law.
    pub law: LawName,
    /// The flat obstacle that the cloth lies on, or the cylinder that it is wrapped round.
    pub obstacle: String,
    /// Capstan: angle over which the cloth touches the cylinder, degrees.
    pub angle_deg: Option<f64>,
    /// Capstan: the load that grows until the cloth slips.
    pub pulling: Option<String>,
    /// Capstan: the load at the other end.
    pub holding: Option<String>,
    /// Capstan: mean speed from which on the cloth counts as slipping, m/s; 0.01 by default.
    pub slip_speed_m_s: Option<f64>,
}

/// A law of friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LawName {
    /// Acceleration down an incline.
    Incline,
    /// Distance in which a sliding sheet stops.
    Stopping,
    /// Ratio of the forces at the ends of a strip that begins to slip round a cylinder.
    Capstan,
}
