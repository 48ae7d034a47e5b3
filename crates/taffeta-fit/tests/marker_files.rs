//! Files of motion capture: the same two markers from every kind of file, and files that are broken.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use glam::{DQuat, DVec3};
use taffeta_fit::markers::{self, Trajectories, Up};

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn read(path: &Path) -> Trajectories {
    markers::read(path, None).unwrap()
}

/// Two markers in three frames, the second of which the first marker is missing from, m.
fn expect_two_markers(read: &Trajectories, tolerance: f64) {
    assert_eq!(read.names, ["hem", "hand"]);
    let a = |x: f64| Some(DVec3::new(x, 2.0, 3.0));
    let expected = [[a(1.0), a(-1.0)], [None, a(-1.5)], [a(1.25), a(-2.0)]];
    assert_eq!(read.frames.len(), 3);
    for (frame, expected) in read.frames.iter().zip(&expected) {
        for (found, expected) in frame.iter().zip(expected) {
            assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some(expected)) = (found, expected) {
                assert!(found.distance(*expected) < tolerance, "{found} and not {expected}");
            }
        }
    }
    for (time, expected) in read.times.iter().zip([0.0, 0.01, 0.02]) {
        assert!((time - expected).abs() < 1e-7, "{time}");
    }
}

#[test]
fn plain_tables_name_markers_in_either_way() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "0,1,2,3,-1,2,3\n0.01,,,,-1.5,2,3\n0.02,1.25,2,3,-2,2,3\n";
    let table = format!("t,hem_x,hem_y,hem_z,hand_x,hand_y,hand_z\n{rows}");
    expect_two_markers(&read(&written(folder.path(), "named.csv", &table)), 1e-12);
    let spelled =
        format!("\u{feff}time_s,hem.X,hem.Y,hem.Z,hand.X,hand.Y,hand.Z\n{}", rows.replace(",,,", ",nan,NaN,nan"));
    expect_two_markers(&read(&written(folder.path(), "spelled.CSV", &spelled)), 1e-12);
    let numbered = written(folder.path(), "numbered.csv", &format!("t,x0,y0,z0,x7,y7,z7\n{rows}"));
    assert_eq!(read(&numbered).names, ["0", "7"]);
    let millimetres = markers::read(&numbered, Some(1e-3)).unwrap();
    assert_eq!(millimetres.frames[0][1], Some(DVec3::new(-1.0, 2.0, 3.0) * 1e-3));
}

#[test]
fn tables_of_motive_have_markers_and_rigid_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let take = "Format Version,1.23,Take Name,\"a, b\",Capture Frame Rate,100.0,Rotation Type,Quaternion,Length Units,Millimeters,Coordinate Space,Global\n\n";
    let header = ",Type,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body,Rigid Body Marker,Rigid Body Marker,Rigid Body Marker,Marker,Marker,Marker,Marker,Marker,Marker\n\
        ,Name,Stick,Stick,Stick,Stick,Stick,Stick,Stick,Stick,Stick:1,Stick:1,Stick:1,\"hem\",\"hem\",\"hem\",hand,hand,hand\n\
        ,ID,1,1,1,1,1,1,1,1,2,2,2,3,3,3,4,4,4\n\
        ,,Rotation,Rotation,Rotation,Rotation,Position,Position,Position,Mean Marker Error,Position,Position,Position,Position,Position,Position,Position,Position,Position\n\
        Frame,Time (Seconds),X,Y,Z,W,X,Y,Z,,X,Y,Z,X,Y,Z,X,Y,Z\n";
    let half = 0.5f64.sqrt();
    let rows = format!(
        "0,0.000000,0,0,{half},{half},100,200,300,0.1,1,1,1,1000,2000,3000,-1000,2000,3000\n\
        1,0.010000,,,,,,,,,1,1,1,,,,-1500,2000,3000\n\
        2,0.020000,0,0,0,1,100,200,400,0.1,1,1,1,1250,2000,3000,-2000,2000,3000\n"
    );
    let path = written(folder.path(), "take.csv", &format!("{take}{header}{rows}"));
    let mut found = read(&path);
    expect_two_markers(&found, 1e-12);
    assert_eq!(found.up, Up::Y);
    let [stick] = &found.bodies[..] else { panic!("{:?}", found.bodies) };
    let first = stick.poses[0].unwrap();
    assert!(stick.name == "Stick" && stick.poses[1].is_none());
    assert!(first.translation.distance(DVec3::new(0.1, 0.2, 0.3)) < 1e-12);
    assert!(first.rotation.angle_between(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2)) < 1e-6);
    // Upright: what was y is z, and turns go along.
    found.turn_upright(Up::Y);
    assert_eq!(found.frames[0][0], Some(DVec3::new(1.0, -3.0, 2.0)));
    let turned = found.bodies[0].poses[0].unwrap();
    assert!(turned.translation.distance(DVec3::new(0.1, -0.3, 0.2)) < 1e-12);
    // The body's x axis was along y, and is along z.
    assert!(turned.rotate(DVec3::X).distance(DVec3::Z) < 1e-12);
    assert_eq!((found.marker("hand"), found.marker("nose")), (Some(1), None));

    let refused = |text: String, fragment: &str| {
        let path = written(folder.path(), "broken.csv", &text);
        let error = markers::read(&path, None).unwrap_err().to_string();
        assert!(error.contains("broken.csv") && error.contains(fragment), "{error}");
    };
    refused(take.replace("Millimeters", "Cubits") + header + &rows, "\"Cubits\", which is not known");
    refused(take.replace("Quaternion", "XYZ") + header + &rows, "export them as quaternions");
    refused(take.to_owned(), "no line that begins with \"Frame\"");
    refused(format!("{take}{header}{}", rows.replace("0.020000", "0.010000")), "times must ascend");
    refused(format!("{take}{header}{}", rows.replace("1250", "far")), "line 10, column 14: \"far\"");
}

#[test]
fn trc_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let text = "PathFileType\t4\t(X/Y/Z)\tswing.trc\n\
        DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n\
        100\t100\t3\t2\tmm\t100\t1\t3\n\
        Frame#\tTime\them\t\t\thand\t\t\n\
        \t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\
        \n\
        1\t0.00\t1000\t2000\t3000\t-1000\t2000\t3000\n\
        2\t0.01\t\t\t\t-1500\t2000\t3000\n\
        3\t0.02\t1250\t2000\t3000\t-2000\t2000\t3000\n";
    expect_two_markers(&read(&written(folder.path(), "swing.trc", text)), 1e-12);
    for (from, to, fragment) in [
        ("PathFileType", "File", "begins with PathFileType"),
        ("\t2\tmm", "\t3\tmm", "line 3 says 3 markers, and line 4 names 2"),
        ("\tmm\t", "\tell\t", "\"ell\", which is not known"),
        ("\t-1500\t", "\tx\t", "line 8, column 6: \"x\""),
        ("0.01", "", "line 8, column 2: the time is missing"),
        ("\thand", "\t\thand", "are not three columns apart"),
    ] {
        let path = written(folder.path(), "broken.trc", &text.replace(from, to));
        let error = markers::read(&path, None).unwrap_err().to_string();
        assert!(error.contains(fragment), "{error}");
    }
    assert!(markers::read(&written(folder.path(), "short.trc", "PathFileType\n"), None).is_err());
}

/// Written by ezc3d, which knows nothing of how it is read here.
#[test]
fn c3d_files_of_another_writer_are_read() {
    let python = std::env::var("TAFFETA_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    if !Command::new(&python).args(["-c", "import ezc3d"]).output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no ezc3d to write a C3D file with");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("swing.c3d");
    let script = r#"
import ezc3d, numpy, sys
c = ezc3d.c3d()
c["parameters"]["POINT"]["RATE"]["value"] = [100]
c["parameters"]["POINT"]["LABELS"]["value"] = ("hem", "hand")
c["parameters"]["POINT"]["UNITS"]["value"] = ("mm",)
nan = numpy.nan
hem = [[1000, nan, 1250], [2000, nan, 2000], [3000, nan, 3000], [1, 1, 1]]
hand = [[-1000, -1500, -2000], [2000] * 3, [3000] * 3, [1] * 3]
c["data"]["points"] = numpy.stack([numpy.array(hem, float), numpy.array(hand, float)], axis=1)
c.write(sys.argv[1])
"#;
    let output = Command::new(&python).args(["-c", script]).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    expect_two_markers(&read(&path), 1e-6);

    // Headers that a reader must not believe.
    let whole = fs::read(&path).unwrap();
    let broken = folder.path().join("broken.c3d");
    for (place, byte) in
        [(0, 0), (0, 1), (0, 250), (1, 0), (2, 255), (3, 255), (8, 0), (9, 255), (16, 0), (16, 1), (17, 200)]
    {
        let mut bytes = whole.clone();
        bytes[place] = byte;
        fs::write(&broken, bytes).unwrap();
        let error = markers::read(&broken, None).map(|_| ()).map_err(|error| error.to_string());
        assert!(error.is_err_and(|error| error.contains("not a C3D file that can be read")), "byte {place} is {byte}");
    }

    // Cut short or changed anywhere, it is read or refused, and nothing worse.
    let mut dice = fastrand::Rng::with_seed(5);
    for k in 0..400 {
        let mut bytes = whole.clone();
        if k % 2 == 0 {
            bytes.truncate(dice.usize(..whole.len()));
        } else {
            (0..dice.usize(1..8)).for_each(|_| bytes[dice.usize(..whole.len())] = dice.u8(..));
        }
        fs::write(&broken, bytes).unwrap();
        let _ = markers::read(&broken, None);
    }
}

#[test]
fn other_files_are_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text, fragment) in [
        ("a.xlsx", "", "give .csv (Motive's or a plain one), .trc or .c3d"),
        ("a.csv", "", "it is empty"),
        ("a.csv", "x,y,z\n1,2,3\n", "no column \"t\""),
        ("a.csv", "t,a_x,a_y,b_z\n", "column 2: \"a_x\" does not begin"),
        ("a.csv", "t,a_x,a_y,a_z,a_x,a_y,a_z\n", "two markers named \"a\""),
        ("a.csv", "t,a_x,a_y,a_z\n0,1,2\n", "line 2: it has 3 cells, and line 1 has 4"),
        ("a.csv", "t,a_x,a_y,a_z\n0,1,2,inf\n", "line 2, column 4: \"inf\""),
        ("a.csv", "t,a_x,a_y,a_z\nnan,1,2,3\n", "line 2, column 1: the time is missing"),
        ("a.csv", "t,a_x,a_y,a_z\n1,1,2,3\n0.5,1,2,3\n", "frame 1 is at 0.5 s, after 1 s"),
        ("a.c3d", "nothing", "not a C3D file"),
        ("a.c3d", &"\0".repeat(1024), "not a C3D file"),
    ] {
        let error = markers::read(&written(folder.path(), name, text), None).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(fragment), "{error}");
    }
    assert!(markers::read(&folder.path().join("none.csv"), None).unwrap_err().to_string().contains("cannot read"));
    let path = folder.path().join("bytes.csv");
    fs::write(&path, [0xff, 0xfe, 0x00]).unwrap();
    assert!(markers::read(&path, None).unwrap_err().to_string().contains("it is not a text"));
}
