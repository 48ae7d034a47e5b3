//! C3D, the binary format of most systems of motion capture.

use c3dio::C3d;
use glam::DVec3;

use super::{Trajectories, Up, unit_of};

/// Bytes of a block.
const BLOCK: usize = 512;

pub fn parse(bytes: &[u8], unit: Option<f64>) -> Result<Trajectories, String> {
    let broken = |why: &str| format!("it is not a C3D file that can be read: {why}");
    check(bytes).map_err(broken)?;
    // What the check does not know of must not end the program.
    let read = std::panic::catch_unwind(|| C3d::from_bytes(bytes).map_err(|error| broken(&error.to_string())));
    let whole = read.map_err(|_| broken("its parameters are damaged"))??;
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

/// Whether the header and the sizes it tells fit the file: the reader believes them.
fn check(bytes: &[u8]) -> Result<(), &'static str> {
    let blocks = bytes.len() / BLOCK;
    if blocks < 2 || bytes[1] != 0x50 {
        return Err("its first bytes are not those of one");
    }
    let parameters = usize::from(bytes[0]);
    if parameters < 2 || parameters > blocks {
        return Err("it is cut short, or the place of its parameters is wrong");
    }
    let section = &bytes[(parameters - 1) * BLOCK..];
    let big_endian = section[3] == 86;
    let word = |k: usize| {
        let pair = [bytes[2 * k], bytes[2 * k + 1]];
        usize::from(if big_endian { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let (points, first, last, data) = (word(1), word(3), word(4), word(8));
    if last < first {
        return Err("its last frame is before its first");
    }
    if data <= parameters || data > blocks || parameters - 1 + usize::from(section[2]) > blocks {
        return Err("it is cut short, or the place of its data is wrong");
    }
    // A negative scale says that numbers are real; its sign is in the last byte, or in the first.
    let real = bytes[if big_endian {
        12
    } else if section[3] == 85 {
        13
    } else {
        15
    }] & 0x80
        != 0;
    let needed = (last - first + 1) * points * if real { 16 } else { 8 };
    if needed > bytes.len() - (data - 1) * BLOCK {
        return Err("it has fewer frames than its header says: it is cut short");
    }
    Ok(())
}
