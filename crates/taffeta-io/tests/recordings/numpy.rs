//! NumPy and this crate read each other's files. Without Python and NumPy there is nothing to try.

use std::path::Path;
use std::process::Command;

use taffeta_io::npy::{NpyReader, NpyWriter};
use taffeta_io::recording::Recording;

use crate::fixture::{self, assert_sound, record};

/// Runs a script in a folder, or returns false if there is no NumPy to run it with.
fn run_python(dir: &Path, script: &str) -> bool {
    let python = |script: &str| Command::new("python3").args(["-c", script]).current_dir(dir).output();
    match python("import numpy") {
        Ok(output) if output.status.success() => {}
        _ => {
            eprintln!("skipped: python3 cannot import numpy");
            return false;
        }
    }
    let output = python(script).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    true
}

#[test]
fn numpy_reads_a_recording() {
    let scratch = tempfile::tempdir().unwrap();
    let mut recorder = record(scratch.path(), &[2, 6]);
    // Some that are in memory only, as the run goes on.
    fixture::record_up_to(&mut recorder, 9);
    assert_sound(&Recording::open(scratch.path()).unwrap(), 6, 18);
    run_python(
        scratch.path(),
        r#"
import numpy as np
positions, velocities, times, held, report, elements = (
    np.load(f"{name}.npy") for name in
    ["positions", "velocities", "times", "held", "report", "elements"])
assert positions.shape == velocities.shape == (6, 5, 3), positions.shape
assert positions.dtype == velocities.dtype == times.dtype == np.float64
frame, node = np.arange(6)[:, None], np.arange(5)[None, :]
assert (positions[:, :, 0] == frame).all() and (positions[:, :, 1] == node).all()
assert np.allclose(positions[:, :, 2], np.sin(0.1 * frame), rtol=0, atol=1e-15)
assert (velocities == -0.5 * positions).all()
assert times.shape == (6,) and (times == np.arange(6) * 0.1).all()
assert held.dtype == bool and (held == ((frame + node) % 3 == 0)).all()
normal, friction, pose = (np.load(f"{name}.npy") for name in ["contact_normal", "contact_friction", "obstacle_pose"])
assert (normal == 2 * positions).all() and (friction == 3 * positions).all()
assert pose.shape == (6, 2, 7) and (pose[:, :, 3:] == [0.8, 0, 0.6, 0]).all()
assert (pose[:, :, 1] == frame).all() and (pose[:, :, 0] == [0, 1]).all()
grips = np.load("grippers.npy")
assert grips.shape == (6, 1) and grips.dtype.names[0] == "opening_m"
assert (grips["slip_m"] == 0.25 * (frame + 9)).all() and (grips["layers"] == frame).all()
assert (grips["tangential_z_N"] == -0.25 * (frame + 5)).all()
assert report.shape == (18,)
assert report.dtype.names == ("time_s", "iterations", "worst_stretch")
assert (report["iterations"] == np.arange(18) % 7).all()
assert (report["time_s"] == np.arange(18) / 30).all()
assert elements.dtype == np.int64
assert elements.tolist() == [[0, 1, 2, 3], [1, 4, 2, -1]]
mapped = np.load("positions.npy", mmap_mode="r")
assert (mapped[3] == positions[3]).all()
# What NumPy saves is the same to the byte.
for name, array in [("positions", positions), ("held", held), ("elements", elements)]:
    np.save("again.npy", array)
    assert open("again.npy", "rb").read() == open(f"{name}.npy", "rb").read(), name
"#,
    );
}

#[test]
fn files_saved_by_numpy_are_read_and_extended() {
    let scratch = tempfile::tempdir().unwrap();
    let ran = run_python(
        scratch.path(),
        r#"
import numpy as np
rows = np.arange(12.0).reshape(4, 3)
np.save("1.npy", rows)
with open("2.npy", "wb") as file:
    np.lib.format.write_array(file, rows, version=(2, 0))
np.save("3.npy", rows.view([("a", "<f8"), ("b", "<f8"), ("c", "<f8")]).reshape(4))
np.save("fortran.npy", np.asfortranarray(rows))
np.save("single.npy", rows.astype(np.float32))
np.save("integers.npy", np.array([-1, 2**62]))
np.save("truths.npy", np.array([[True, False]]))
"#,
    );
    if !ran {
        return;
    }
    let path = |name: &str| scratch.path().join(name);
    for name in ["1.npy", "2.npy", "3.npy"] {
        let reader = NpyReader::open(&path(name)).unwrap();
        assert_eq!(reader.rows(), 4);
        assert_eq!(reader.read::<f64>(1..2).unwrap(), [3.0, 4.0, 5.0], "{name}");
        let mut writer = NpyWriter::reopen(&path(name), 3).unwrap();
        writer.append(&[-1.0; 3]).unwrap();
        writer.flush().unwrap();
    }
    for (name, complaint) in [("fortran.npy", "Fortran"), ("single.npy", "'<f4'")] {
        let error = NpyReader::open(&path(name)).unwrap_err().to_string();
        assert!(error.contains(complaint), "{error}");
    }
    let integers = NpyReader::open(&path("integers.npy")).unwrap();
    assert_eq!(integers.read::<i64>(0..2).unwrap(), [-1, 1 << 62]);
    let truths = NpyReader::open(&path("truths.npy")).unwrap();
    assert_eq!(truths.read::<bool>(0..1).unwrap(), [true, false]);

    run_python(
        scratch.path(),
        r#"
import numpy as np
expected = np.arange(12.0).reshape(4, 3)
expected[3] = -1
for name in ["1.npy", "2.npy"]:
    assert (np.load(name) == expected).all(), name
assert np.load("3.npy")["b"].tolist() == [1, 4, 7, -1]
"#,
    );
}
