//! C3D, the binary format of most systems of motion capture.

use c3dio::C3d;
use glam::DVec3;

use super::{Trajectories, Up, unit_of};

pub fn parse(bytes: &[u8], unit: Option<f64>) -> Result<Trajectories, String> {
    let whole = C3d::from_bytes(bytes).map_err(|error| format!("it is not a C3D file that can be read: {error}"))?;
    let points = &whole.points;
    let name: String = points.units.iter().filter(|letter| letter.is_ascii_alphabetic()).collect();
    let unit = unit_of(&name, unit)?;
    let rate = f64::from(points.frame_rate);
    if !(rate.is_finite() && rate > 0.0) {
        return Err(format!("its rate is {rate} frames a second: write it again with a positive one"));
    }
    let markers = points.labels.len().min(points.points.cols());
    let place = |frame: usize, marker: usize| {
        let point = points.points.get(frame, marker)?;
        let place = DVec3::from_array(point.point.map(f64::from));
        // A negative residual says that nothing was seen.
        (point.residual >= 0.0 && place.is_finite()).then_some(place * unit)
    };
    let frames = points.points.rows();
    Ok(Trajectories {
        names: points.labels[..markers].iter().map(|label| label.trim().to_owned()).collect(),
        times: (0..frames).map(|frame| frame as f64 / rate).collect(),
        frames: (0..frames).map(|frame| (0..markers).map(|marker| place(frame, marker)).collect()).collect(),
        bodies: Vec::new(),
        up: Up::Z,
    })
}
