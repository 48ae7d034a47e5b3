//! Points without their mesh: point caches and tables.

use std::io::Write;
use std::path::Path;

use super::{ExportError, Film, Progress, write_whole, writing};

/// Writes a PC2 point cache: the places of the nodes in every frame, for a mesh with the same nodes (the first frame as OBJ).
///
/// # Errors
///
/// If the recording cannot be read or the file cannot be written.
pub fn write_pc2(film: &Film, path: &Path, progress: Progress) -> Result<(), ExportError> {
    write_whole(path, |file| {
        let mut header = b"POINTCACHE2\0".to_vec();
        header.extend_from_slice(&1i32.to_le_bytes());
        header.extend_from_slice(&(film.recording().nodes() as i32).to_le_bytes());
        // The first frame, and frames from one sample to the next.
        header.extend_from_slice(&0f32.to_le_bytes());
        header.extend_from_slice(&1f32.to_le_bytes());
        header.extend_from_slice(&(film.frames().len() as i32).to_le_bytes());
        file.write_all(&header).map_err(writing(path))?;
        for &frame in film.frames() {
            for number in film.positions(frame)?.iter().flat_map(|x| x.to_array()) {
                file.write_all(&(number as f32).to_le_bytes()).map_err(writing(path))?;
            }
            progress();
        }
        Ok(())
    })
}

/// Writes a table with a row for every frame and node: time, s, node, place, m, velocity, m/s, and whether it is held.
///
/// # Errors
///
/// If the recording cannot be read or the file cannot be written.
pub fn write_csv(film: &Film, path: &Path, progress: Progress) -> Result<(), ExportError> {
    write_whole(path, |file| {
        let header = "time_s,node,x_m,y_m,z_m,vx_m_s,vy_m_s,vz_m_s,held\n";
        file.write_all(header.as_bytes()).map_err(writing(path))?;
        for (&frame, time) in film.frames().iter().zip(film.times()) {
            let (velocities, held) = (film.recording().velocities(frame)?, film.recording().held(frame)?);
            for (node, ((x, v), held)) in film.positions(frame)?.iter().zip(velocities).zip(held).enumerate() {
                let held = u8::from(held);
                writeln!(file, "{time},{node},{},{},{},{},{},{},{held}", x.x, x.y, x.z, v.x, v.y, v.z)
                    .map_err(writing(path))?;
            }
            progress();
        }
        Ok(())
    })
}
