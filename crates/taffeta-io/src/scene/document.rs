//! From the text of a scene file to its settings, and where in the text each of them is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::SceneError;
use super::nearest::nearest;
use super::schema::Settings;
use crate::FileError;
use crate::file::read_text;

/// Where settings come from, to be named in errors.
#[derive(Clone, Debug, Default)]
pub(super) struct Origin {
    /// The file.
    file: String,
    /// The line of each key.
    lines: BTreeMap<String, usize>,
    /// The keys that were overridden.
    overridden: BTreeSet<String>,
    /// The texts of files that the scene refers to and that come with it, by their paths there.
    files: BTreeMap<String, String>,
}

impl Origin {
    /// Whether a file comes with the scene.
    pub fn has_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// The text of a file that the scene refers to.
    pub fn text_of(&self, path: &str) -> Result<String, FileError> {
        self.files.get(path).cloned().map_or_else(|| read_text(Path::new(path)), Ok)
    }

    /// The complaint about a key.
    pub fn fault(&self, key: &str, why: impl Into<String>) -> SceneError {
        let overridden = self.overridden.contains(key);
        // What is missing is missed in its table.
        let line = parents(key).find_map(|key| self.lines.get(key));
        let place = match line {
            _ if overridden => format!("{}, overridden by --set", self.file),
            Some(line) => format!("{}, line {line}", self.file),
            None => self.file.clone(),
        };
        let (key, why) = (key.to_owned(), why.into());
        SceneError::Key { place, key, why }
    }
}

/// A key and the tables it is in, inside out.
fn parents(key: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(key), |key| key.rsplit_once('.').map(|(table, _)| table))
}

/// Reads settings from a text after overriding some of them.
pub(super) fn read(
    file: &str,
    text: &str,
    files: BTreeMap<String, String>,
    overrides: &[(String, String)],
) -> Result<(Settings, Origin), SceneError> {
    let syntax = |error: toml::de::Error| SceneError::Syntax {
        origin: file.to_owned(),
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        why: format!("{}; see docs/scenes.md for examples", error.message()),
    };
    let mut origin = Origin { file: file.to_owned(), files, ..Origin::default() };
    let spanned = DeTable::parse(text).map_err(syntax)?;
    note_lines(text, spanned.get_ref(), "", &mut origin.lines);
    let mut table: Table = text.parse().map_err(syntax)?;
    for (key, value) in overrides {
        set(&mut table, key, value).map_err(|why| SceneError::Override { key: key.clone(), why })?;
        origin.overridden.insert(key.clone());
    }
    match Settings::deserialize(table) {
        Ok(settings) => Ok((settings, origin)),
        Err(error) => {
            let (key, why) = explain(&error);
            Err(origin.fault(&key, why))
        }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().iter().take(offset);
    1 + before.filter(|&&byte| byte == b'\n').count()
}

fn note_lines(text: &str, table: &DeTable, path: &str, lines: &mut BTreeMap<String, usize>) {
    for (key, value) in table {
        let path = joined(path, key.get_ref());
        lines.insert(path.clone(), line_of(text, key.span().start));
        if let DeValue::Table(table) = value.get_ref() {
            note_lines(text, table, &path, lines);
        }
    }
}

fn joined(table: &str, key: &str) -> String {
    if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") }
}

/// Gives a key a value, making the tables it is in where there are none.
fn set(mut table: &mut Table, path: &str, value: &str) -> Result<(), String> {
    let (tables, key) = path.rsplit_once('.').unwrap_or(("", path));
    let names = tables.split('.').filter(|_| !tables.is_empty());
    if key.is_empty() || names.clone().any(str::is_empty) {
        return Err("write the key as in held.left.ramp_s".to_owned());
    }
    for name in names {
        let inner = table.entry(name).or_insert_with(|| Value::Table(Table::new()));
        table = match inner {
            Value::Table(inner) => inner,
            _ => return Err(format!("{name} is a value and not a table; set it alone")),
        };
    }
    table.insert(key.to_owned(), parse_value(value));
    Ok(())
}

/// A value as TOML, or else the text as it is: so that words need no quotes in a shell.
fn parse_value(text: &str) -> Value {
    let document: Result<Table, _> = format!("value = {text}").parse();
    let mut entries = document.unwrap_or_default().into_iter();
    match (entries.next(), entries.next()) {
        (Some((_, value)), None) => value,
        _ => Value::String(text.to_owned()),
    }
}

/// The key that could not be read, and why, in words for those who write scenes.
fn explain(error: &toml::de::Error) -> (String, String) {
    let message = error.message();
    // The path of the key is only told in the error's text.
    let text = error.to_string();
    let path = text.rsplit_once("\nin `").map_or("", |(_, path)| path.trim_end().trim_end_matches('`'));
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match *quoted.as_slice() {
        [key] if message.starts_with("missing field") => (joined(path, key), "is missing: add it".to_owned()),
        [key, ref known @ ..] if message.starts_with("unknown field") => {
            let why = format!("is not a key of a scene: {}", instead(key, known));
            (joined(path, key), why)
        }
        [word, ref known @ ..] if message.starts_with("unknown variant") => {
            let why = format!("cannot be {word:?}: {}", instead(word, known));
            (path.to_owned(), why)
        }
        _ => (path.to_owned(), format!("is wrong: {}", plain(message))),
    }
}

fn instead(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "remove it".to_owned(),
        None => format!("use one of {}", known.join(", ")),
    }
}

/// Says in words what is expected in terms of types.
fn plain(message: &str) -> String {
    let words = [
        ("expected fewer elements in array", "fewer are expected"),
        ("an array of length", "a list of length"),
        ("expected f64", "expected a number"),
        ("expected usize", "expected a whole number, 0 or more"),
        ("expected u32", "expected a whole number, 0 or more"),
        ("expected a map", "expected a table"),
        ("struct ClothSettings", "a table"),
        ("struct GridSettings", "a table"),
        ("struct ObjSettings", "a table"),
        ("struct GarmentSettings", "a table"),
        ("struct SeamSettings", "a table"),
        ("data did not match any variant of untagged enum Chain", "expected a name or a list of nodes"),
        ("struct HeldSettings", "a table"),
        ("struct LoadSettings", "a table"),
        ("struct ObstacleSettings", "a table"),
        ("struct GripperSettings", "a table"),
        ("struct GoalSettings", "a table"),
        ("data did not match any variant of untagged enum PerAxis", "expected a number, or three: along x, y and z"),
        ("struct AnalyticSettings", "a table"),
        ("struct SolverSettings", "a table"),
        ("a sequence", "a list"),
        ("sequence", "a list"),
    ];
    words.iter().fold(message.to_owned(), |message, (type_name, word)| message.replace(type_name, word))
}
