//! From what Python says of a scene to a scene, by the loader that the command uses.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use taffeta_io::scene::Scene;
use toml::{Table, Value};

use crate::arrays::kind_of;
use crate::errors::{invalid, of_scene};
use crate::world::World;

/// Tables in tables beyond this are one that holds itself.
const MAX_DEPTH: usize = 32;

/// What messages call a scene that is not from a file.
const NAME: &str = "scene";

/// The start of a scene: a shipped one by its name, a file, a text in TOML, or a dict of its tables.
pub fn world(
    scene: &Bound<'_, PyAny>,
    overrides: Option<&Bound<'_, PyDict>>,
    files: Option<BTreeMap<String, String>>,
) -> PyResult<World> {
    let overrides = overrides.map(overrides_of).transpose()?.unwrap_or_default();
    let files = files.unwrap_or_default();
    let loaded = if let Ok(table) = scene.cast::<PyDict>() {
        let text = toml::to_string(&table_of(table, "", 0)?)
            .map_err(|error| invalid(format!("the scene cannot be written as TOML: {error}")))?;
        Scene::with_overrides(NAME, &text, files, &overrides)
    } else if let Ok(text) = scene.cast::<PyString>() {
        let text = text.to_str()?;
        if text.contains(['\n', '=']) {
            Scene::with_overrides(NAME, text, files, &overrides)
        } else {
            Scene::load(text, &overrides)
        }
    } else if let Ok(path) = scene.extract::<PathBuf>() {
        let path = path.to_str().ok_or_else(|| invalid(format!("{path:?} is not Unicode: rename the file")))?;
        Scene::load(path, &overrides)
    } else {
        return Err(invalid(format!(
            "a scene is the name of a shipped one, the path of a file, a text in TOML or a dict, not {}",
            kind_of(scene)
        )));
    };
    let loaded = loaded.map_err(of_scene)?;
    // A large mesh takes a while, in which others may go on.
    scene.py().detach(|| World::new(loaded)).map_err(of_scene)
}

/// Overrides as the command takes them: keys with dots, and values as TOML.
fn overrides_of(overrides: &Bound<'_, PyDict>) -> PyResult<Vec<(String, String)>> {
    let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let key: String =
            key.extract().map_err(|_| invalid("the keys of overrides must be texts, such as cloth.fabric"))?;
        // A word needs no quotes there, nor here.
        let text = match value.cast::<PyString>() {
            Ok(text) => text.to_str()?.to_owned(),
            Err(_) => value_of(&value, &key, 0)?.to_string(),
        };
        Ok((key, text))
    };
    overrides.iter().map(pair).collect()
}

fn table_of(table: &Bound<'_, PyDict>, place: &str, depth: usize) -> PyResult<Table> {
    let entry = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let key: String = key.extract().map_err(|_| {
            invalid(format!("a key of {} is no text", if place.is_empty() { "the scene" } else { place }))
        })?;
        let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        Ok((key, value_of(&value, &place, depth + 1)?))
    };
    table.iter().map(entry).collect()
}

fn value_of(value: &Bound<'_, PyAny>, place: &str, depth: usize) -> PyResult<Value> {
    if depth > MAX_DEPTH {
        return Err(invalid(format!("{place} is nested more than {MAX_DEPTH} deep: it may hold itself")));
    }
    let list = |items: Vec<Bound<'_, PyAny>>| -> PyResult<Value> {
        Ok(Value::Array(items.iter().map(|item| value_of(item, place, depth + 1)).collect::<PyResult<_>>()?))
    };
    if let Ok(boolean) = value.cast::<PyBool>() {
        return Ok(Value::Boolean(boolean.is_true()));
    } else if value.is_instance_of::<PyInt>() {
        let number = value.extract().map_err(|_| invalid(format!("{place} is too large a number")))?;
        return Ok(Value::Integer(number));
    } else if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    } else if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    } else if let Ok(table) = value.cast::<PyDict>() {
        return Ok(Value::Table(table_of(table, place, depth)?));
    } else if let Ok(items) = value.cast::<PyList>() {
        return list(items.iter().collect());
    } else if let Ok(items) = value.cast::<PyTuple>() {
        return list(items.iter().collect());
    } else if let Ok(plain) = value.call_method0("tolist") {
        // Arrays and numbers of NumPy.
        return value_of(&plain, place, depth + 1);
    } else if let Ok(path) = value.call_method0("__fspath__") {
        return value_of(&path, place, depth + 1);
    }
    Err(invalid(format!(
        "{place} is {}, which a scene has no room for: give a number, a text, true or false, a list or a dict, or leave it out",
        kind_of(value)
    )))
}
