//! Queries of continuous collision detection with their exact answers, as published by Wang et al. (2021): CSV files of 8 rows
//! per query, in folders named `edge-edge` and `vertex-face`.

use std::fs;
use std::path::{Path, PathBuf};

use num_rational::BigRational;
use num_traits::ToPrimitive;
use taffeta::{DVec3, ccd};

/// Which primitives a query is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    NodeFace,
    EdgeEdge,
}

/// One query and its exact answer.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    pub kind: Kind,
    pub x_t0: [DVec3; 4],
    pub x_t1: [DVec3; 4],
    /// Whether the primitives meet.
    pub meets: bool,
}

impl Query {
    /// What the detector says.
    pub fn ask(&self, separation: f64) -> Option<f64> {
        match self.kind {
            Kind::NodeFace => ccd::node_face(&self.x_t0, &self.x_t1, separation),
            Kind::EdgeEdge => ccd::edge_edge(&self.x_t0, &self.x_t1, separation),
        }
    }
}

/// All queries below a folder, in the order of the names of the files.
pub fn read(folder: &Path) -> Result<Vec<Query>, String> {
    // The folder itself may be the one that names the kind, also where it is given as `.`.
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}; give a folder", folder.display()))?;
    let (mut queries, mut strange) = (Vec::new(), Vec::new());
    for file in tables(&folder)? {
        match kind(&file) {
            Some(kind) => read_table(&file, kind, &mut queries)?,
            None => strange.push(file),
        }
    }
    if let Some(first) = strange.first() {
        let count = strange.len();
        eprintln!("left out, in no folder named edge-edge or vertex-face: {count} CSV files ({})", first.display());
    }
    if queries.is_empty() {
        let wanted = "CSV files in folders named edge-edge and vertex-face";
        return Err(format!("{}: no queries found; they are looked for in {wanted}", folder.display()));
    }
    Ok(queries)
}

/// The CSV files below a folder, sorted.
fn tables(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(describe)? {
        entries.push(entry.map_err(describe)?.path());
    }
    entries.sort();
    let mut files = Vec::new();
    for path in entries {
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden {
            continue;
        } else if path.is_dir() {
            files.extend(tables(&path)?);
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
            files.push(path);
        }
    }
    Ok(files)
}

/// The kind of the queries of a file: the innermost name on its path that tells.
fn kind(file: &Path) -> Option<Kind> {
    file.iter().rev().find_map(|name| {
        let name = name.to_string_lossy().to_lowercase().replace('_', "-");
        match (name.contains("edge-edge"), name.contains("vertex-face")) {
            (true, false) => Some(Kind::EdgeEdge),
            (false, true) => Some(Kind::NodeFace),
            _ => None,
        }
    })
}

fn read_table(file: &Path, kind: Kind, queries: &mut Vec<Query>) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row = parse_row(line).map_err(|what| format!("{}, line {}: {what}", file.display(), number + 1))?;
        rows.push(row);
    }
    let (chunks, rest) = rows.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(format!("{}: {} rows, but a query takes 8", file.display(), rows.len()));
    }
    for (number, rows) in chunks.iter().enumerate() {
        let meets = rows[0].1;
        if rows.iter().any(|row| row.1 != meets) {
            return Err(format!("{}: the rows of query {} differ in their answer", file.display(), number + 1));
        }
        let place = |k: usize| rows[k].0;
        let (x_t0, x_t1) = (std::array::from_fn(place), std::array::from_fn(|k| place(k + 4)));
        queries.push(Query { kind, x_t0, x_t1, meets });
    }
    Ok(())
}

/// A row: three fractions and the answer.
fn parse_row(line: &str) -> Result<(DVec3, bool), String> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let &[x, x_by, y, y_by, z, z_by, answer] = fields.as_slice() else {
        return Err(format!("{} columns, 7 expected", fields.len()));
    };
    let place = DVec3::new(parse_fraction(x, x_by)?, parse_fraction(y, y_by)?, parse_fraction(z, z_by)?);
    match answer {
        "0" => Ok((place, false)),
        "1" => Ok((place, true)),
        _ => Err(format!("the answer is {answer:?}, 0 or 1 expected")),
    }
}

/// A fraction of whole numbers of any length, which must be a floating-point number exactly: the answer holds for no other.
fn parse_fraction(numerator: &str, denominator: &str) -> Result<f64, String> {
    let whole = |digits: &str| digits.parse().map_err(|_| format!("{digits:?} is not a whole number"));
    let (numerator, denominator) = (whole(numerator)?, whole(denominator)?);
    if denominator == 0.into() {
        return Err("a denominator is 0".to_owned());
    }
    let exact = BigRational::new(numerator, denominator);
    let number = exact.to_f64().filter(|&number| BigRational::from_float(number).as_ref() == Some(&exact));
    number.ok_or_else(|| format!("{exact} is not a double exactly"))
}
