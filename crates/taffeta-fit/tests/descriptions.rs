//! Captures as TOML files describe them: read, and refused with what is wrong and where.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use glam::DVec3;
use taffeta_fit::{Capture, Start, description};
use tempfile::TempDir;

/// A cloth of 0.3 × 0.2 m with 4×3 markers that hangs still for half a second, beside a stick and over a table with markers of their own.
struct Files {
    folder: TempDir,
    about: String,
    table: String,
}

const ABOUT: &str = r#"
id = "still"

[cloth]
size_m = [0.3, 0.2]
density_kg_m2 = 0.15

[markers]
file = "still.csv"
grid = [4, 3]
held = [8, 11]
left_out = [0]
bad_frames = [7]

[obstacle.table]
shape = "plane"
markers = ["t1", "t2", "t3"]

[obstacle.stick]
shape = "stick"
markers = ["a", "b"]
radius_m = 0.01
friction = 0.0
"#;

impl Files {
    fn new() -> Self {
        let mut table = "t".to_owned();
        let cloth = (0..12).map(|k| (format!("m{k}"), [0.1 * f64::from(k % 4), 0.0, 1.0 + 0.1 * f64::from(k / 4)]));
        let others = [
            ("t1", [0.0, 0.0, 0.5]),
            ("t2", [1.0, 0.0, 0.5]),
            ("t3", [0.0, 1.0, 0.5]),
            ("a", [-0.2, 0.5, 1.0]),
            ("b", [0.4, 0.5, 1.0]),
        ];
        let all: Vec<(String, [f64; 3])> = cloth.chain(others.map(|(name, place)| (name.to_owned(), place))).collect();
        all.iter().for_each(|(name, _)| write!(table, ",{name}_x,{name}_y,{name}_z").unwrap());
        for k in 0..51 {
            write!(table, "\n{:.2}", 0.01 * f64::from(k)).unwrap();
            for (name, [x, y, z]) in &all {
                // The stick moves along y at 1 m/s, and one end of it is not seen for a while.
                let y = if ["a", "b"].contains(&name.as_str()) { y + 0.01 * f64::from(k) } else { *y };
                match name == "b" && (20..24).contains(&k) {
                    true => table.push_str(",,,"),
                    false => write!(table, ",{x:.3},{y:.3},{z:.3}").unwrap(),
                }
            }
        }
        Self { folder: tempfile::tempdir().unwrap(), about: ABOUT.to_owned(), table: table + "\n" }
    }

    fn path(&self) -> PathBuf {
        let path = self.folder.path().join("capture.toml");
        fs::write(&path, &self.about).unwrap();
        fs::write(self.folder.path().join("still.csv"), &self.table).unwrap();
        path
    }

    fn read(&self) -> Capture {
        description::read(&self.path()).unwrap()
    }

    /// What is said of a capture that cannot be read, or that makes no sense.
    fn fault(&self) -> String {
        match description::read(&self.path()) {
            Ok(capture) => capture.check().unwrap_err().to_string(),
            Err(error) => error.to_string(),
        }
    }

    fn with(mut self, from: &str, to: &str) -> Self {
        assert!(self.about.contains(from), "{from}");
        self.about = self.about.replacen(from, to, 1);
        self
    }

    /// With another number in some column of the table.
    fn with_cell(mut self, row: usize, column: usize, cell: &str) -> Self {
        let mut rows: Vec<String> = self.table.lines().map(str::to_owned).collect();
        let mut cells: Vec<&str> = rows[row].split(',').collect();
        cells[column] = cell;
        rows[row] = cells.join(",");
        self.table = rows.join("\n") + "\n";
        self
    }
}

#[test]
fn a_description_is_read_as_it_says() {
    let capture = Files::new().read();
    capture.check().unwrap();
    assert_eq!((capture.id.as_str(), capture.grid, capture.size), ("still", [4, 3], [0.3, 0.2]));
    assert_eq!(capture.counted.iter().filter(|counted| **counted).count(), 12 - 2 - 1);
    assert_eq!(capture.density, Some(0.15));
    assert!(capture.frames[7].bad && !capture.frames[8].bad);
    assert_eq!(capture.frames[3].markers[5], Some(DVec3::new(0.1, 0.0, 1.1)));
    assert!(capture.held[1].path.at(0.123).distance(DVec3::new(0.3, 0.0, 1.2)) < 1e-9);
    assert!(capture.held[0].noise < 1e-9);
    let [stick, table] = &capture.obstacles[..] else { panic!("{:?}", capture.obstacles) };
    assert!(stick.friction_known && !table.friction_known && capture.rubs());
    // The stick is where it goes evenly, also where one end was not seen.
    for time in [0.1, 0.215, 0.4] {
        let end = stick.body.motion.at(time).to_world(DVec3::X * 0.3);
        assert!(end.distance(DVec3::new(0.4, 0.5 + time, 1.0)) < 1e-4, "{time}: {end}");
    }
    let pose = table.body.motion.at(0.0);
    let near = table.body.shape.near(pose.to_local(DVec3::new(3.0, 2.0, 0.8)));
    assert!((near.gap - 0.3).abs() < 1e-9 && pose.rotate(near.normal).distance(DVec3::Z) < 1e-9);
    assert_eq!(capture.discretisation.start, Start::FirstFrame);
    let rested =
        Files::new().with("[obstacle.table]", "[simulation]\nstart = \"rest\"\nrefinement = 3\n[obstacle.table]");
    assert_eq!((rested.read().discretisation.start, rested.read().discretisation.refinement), (Start::Rest, 3));
}

#[test]
fn markers_may_be_named_and_axes_turned() {
    let names: Vec<String> = (0..12).rev().map(|k| format!("\"m{k}\"")).collect();
    let named = Files::new()
        .with("held = [8, 11]", &format!("names = [{}]\nheld = [\"m11\", \"m8\"]", names.join(", ")))
        .with("left_out = [0]", "left_out = [\"m0\"]");
    let capture = named.read();
    assert_eq!(capture.frames[0].markers[0], Some(DVec3::new(0.3, 0.0, 1.2)));
    assert_eq!(capture.held.iter().map(|held| held.marker).collect::<Vec<_>>(), [0, 3]);
    let upright = Files::new().with("grid", "up = \"y\"\ngrid").read();
    assert_eq!(upright.frames[0].markers[5], Some(DVec3::new(0.1, -1.1, 0.0)));
    let millimetres = Files::new().with("grid", "unit = \"mm\"\ngrid").read();
    assert_eq!(millimetres.frames[0].markers[5], Some(DVec3::new(0.1, 0.0, 1.1) * 1e-3));
}

#[test]
fn bad_captures_are_told_what_is_wrong_and_where() {
    let files = Files::new;
    for (files, fragment) in [
        // No markers.
        (files().with("grid = [4, 3]", "grid = [40, 3]"), "40 × 3 markers, and still.csv has 17"),
        (files().with("held = [8, 11]", "held = []"), "no held markers"),
        (files().with("held = [8, 11]", "held = [8, 8]"), "markers.held has marker 8 twice"),
        (files().with("held = [8, 11]", "held = [1, 3]"), "all held markers are in row 0"),
        (files().with("held = [8, 11]", "held = [8, 12]"), "markers.held has 12, and the grid has markers 0 to 11"),
        (files().with("held = [8, 11]", "held = [\"m8\"]"), "which is not one of markers.names"),
        // Wrong units.
        (files().with("size_m = [0.3, 0.2]", "size_m = [0.003, 0.002]"), "may be in millimetres"),
        (files().with("grid", "unit = \"furlong\"\ngrid"), "markers.unit is \"furlong\""),
        // Swapped axes.
        (files().with("grid", "up = \"y\"\ngrid"), "swap the axes (up = "),
        // Numbers that are none, and time going backwards.
        (files().with_cell(5, 7, "here"), "still.csv: line 6, column 8: \"here\" is not a finite number"),
        (files().with_cell(5, 0, "nan"), "still.csv: line 6, column 1: the time is missing"),
        (files().with_cell(5, 0, "0.01"), "frame 4 is at 0.01 s, after 0.03 s"),
        // Held markers farther apart than the cloth.
        (files().with("size_m = [0.3, 0.2]", "size_m = [0.25, 0.2]"), "markers 8 and 11 are 0.3000 m apart at t = 0."),
        (files().with("bad_frames = [7]", "bad_frames = [99]"), "markers.bad_frames names 99"),
        (files().with("density_kg_m2 = 0.15", "density_kg_m2 = -1"), "cloth.density_kg_m2 is -1"),
        (files().with("density_kg_m2 = 0.15", "fabric = \"tin\""), "cloth.fabric is \"tin\": give polyester"),
        (files().with("density_kg_m2 = 0.15", "fabric = \"wool\"\ndensity_kg_m2 = 0.1"), "give one of them"),
        (files().with("[cloth]", "[cloth]\ncolour = \"red\""), "unknown field `colour`"),
        (files().with("still.csv", "gone.csv"), "gone.csv"),
        (
            files().with("grid", "cutoff_hz = 0\ngrid"),
            "markers.cutoff_hz is 0: of 100.0 frames a second give 0.400 to 100.0",
        ),
        (files().with("grid", "cutoff_hz = 1e60\ngrid"), "markers.cutoff_hz is 1"),
        (
            files().with("held = [8, 11]", &format!("held = [8, 11]\nnames = [{}]", ["\"m1\""; 12].join(","))),
            "\"m1\" twice",
        ),
        (files().with("grid", "unit = \"mm\"\ngrid"), "check the unit"),
        (
            files().with("bad_frames = [7]", "bad_frames = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]"),
            "was not seen from 0.000 to 0.120 s",
        ),
        (files().with("shape = \"plane\"", "shape = \"table\"\nsize_m = [1, 1]"), "cannot be told by markers"),
        // Obstacles.
        (files().with("\"t3\"", "\"t9\""), "obstacle.table.markers has \"t9\", and the markers are: m0"),
        (files().with("\"t3\"", "\"t2\""), "its markers are on a line"),
        (files().with(", \"t3\"", ""), "obstacle.table.markers has 2: give three or more"),
        (files().with("\"a\", \"b\"", "\"a\""), "give its two ends"),
        (files().with("radius_m = 0.01", ""), "obstacle.stick.radius_m is missing"),
        (files().with("markers = [\"a\", \"b\"]", ""), "obstacle.stick is nowhere"),
        (files().with("markers = [\"a\", \"b\"]", "body = \"Stick\""), "obstacle.stick.body is \"Stick\""),
        (files().with("friction = 0.0", "friction = -0.5"), "its friction is -0.5"),
        (files().with("radius_m = 0.01", "radius_m = 0.55"), "inside the obstacle \"stick\""),
    ] {
        println!("{fragment}");
        let fault = files.fault();
        assert!(fault.contains(fragment), "{fault}\n… does not say: {fragment}");
    }
    // A hand that nobody has seen for most of the time.
    let mut blind = Files::new();
    for row in 2..60.min(blind.table.lines().count()) {
        for axis in 0..3 {
            blind = blind.with_cell(row, 1 + 3 * 8 + axis, "");
        }
    }
    // At the end of a capture nothing says where the hand goes.
    assert!(blind.fault().contains("held marker \"m8\" was not seen from 0.000 to 0.500 s"), "{}", blind.fault());
    // Three tenths between two sights are just what may be.
    for row in 31..52 {
        for (axis, seen) in ["0.000", "0.000", "1.200"].into_iter().enumerate() {
            blind = blind.with_cell(row, 1 + 3 * 8 + axis, seen);
        }
    }
    blind.read();
    for axis in 0..3 {
        blind = blind.with_cell(31, 1 + 3 * 8 + axis, "");
    }
    assert!(blind.fault().contains("held marker \"m8\" was not seen from 0.000 to 0.310 s"), "{}", blind.fault());
}

#[test]
fn bad_frames_move_no_hands() {
    // A hand is seen far away in a frame that is known to be bad.
    let glitch = Files::new().with_cell(8, 1 + 3 * 8 + 1, "0.400");
    assert!(glitch.read().held[0].path.at(0.07).distance(DVec3::new(0.0, 0.0, 1.2)) < 1e-6);
    let believed = Files::new().with("bad_frames = [7]", "").with_cell(8, 1 + 3 * 8 + 1, "0.400");
    assert!(believed.read().held[0].path.at(0.07).y > 0.05);
}
