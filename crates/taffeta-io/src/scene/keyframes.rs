//! Values at times: what hands, bodies and loads have in common.

use std::path::Path as FilePath;

use glam::DVec3;
use taffeta::{Interpolation, Keyframes, Path};

use super::SceneError;
use super::document::Origin;
use super::number::{finite, finite_vector};
use super::schema::Vector;
use crate::table::Table;

/// The times of a table of a scene, and how it goes from one to the next.
pub(super) struct KeyTimes<'a> {
    times: &'a [f64],
    interpolation: Interpolation,
    table: &'a str,
    origin: &'a Origin,
}

impl<'a> KeyTimes<'a> {
    /// Refuses times that are not finite or not in order.
    pub fn new(
        times: &'a [f64],
        interpolation: Option<Interpolation>,
        table: &'a str,
        origin: &'a Origin,
    ) -> Result<Self, SceneError> {
        let key = format!("{table}.times_s");
        times.iter().try_for_each(|&time| finite(origin, &key, time))?;
        if let Some(pair) = times.windows(2).find(|pair| pair[0] >= pair[1]) {
            let why = format!("has {} s after {} s: each time must be later than the one before", pair[1], pair[0]);
            return Err(origin.fault(&key, why));
        }
        Ok(Self { times, interpolation: interpolation.unwrap_or_default(), table, origin })
    }

    /// The values of a key at these times, one for each. `what` is what messages call them.
    pub fn of<V, T>(
        &self,
        key: &str,
        what: &str,
        given: &[V],
        value: impl Fn(&str, &V) -> Result<T, SceneError>,
    ) -> Result<Keyframes<T>, SceneError> {
        let Self { times, interpolation, table, origin } = *self;
        let key = format!("{table}.{key}");
        if given.len() != times.len() || given.is_empty() {
            let (count, times) = (given.len(), times.len());
            let why = format!(
                "has {count} {what} for the {times} times of {table}.times_s: give one for each, and at least one"
            );
            return Err(origin.fault(&key, why));
        }
        let values = given.iter().map(|given| value(&key, given)).collect::<Result<_, _>>()?;
        Ok(Keyframes { times: times.to_vec(), values, interpolation })
    }

    /// The same for vectors.
    pub fn vectors(&self, key: &str, what: &str, given: &[Vector]) -> Result<Keyframes<DVec3>, SceneError> {
        self.of(key, what, given, |key, vector| {
            finite_vector(self.origin, key, vector)?;
            Ok(DVec3::from_array(*vector))
        })
    }

    /// The same for angles in degrees.
    pub fn angles(&self, key: &str, given: &[f64]) -> Result<Keyframes<f64>, SceneError> {
        self.of(key, "angles", given, |key, angle| {
            finite(self.origin, key, *angle)?;
            Ok(angle.to_radians())
        })
    }
}

/// A path through the vectors of a key.
pub(super) fn path(
    times: &[f64],
    vectors: &[Vector],
    interpolation: Option<Interpolation>,
    key: &str,
    table: &str,
    origin: &Origin,
) -> Result<Path, SceneError> {
    let times = KeyTimes::new(times, interpolation, table, origin)?;
    Ok(Path::Keyframes(times.vectors(key, "vectors", vectors)?))
}

/// The file that the key `csv` of a table of a scene names: rows of numbers, each with its time.
pub(super) struct TimedRows<'a> {
    rows: Table,
    csv: &'a str,
    table: &'a str,
    origin: &'a Origin,
}

impl<'a> TimedRows<'a> {
    pub fn read(csv: &'a str, table: &'a str, origin: &'a Origin) -> Result<Self, SceneError> {
        let unusable = |error| origin.fault(&format!("{table}.csv"), format!("cannot be used: {error}"));
        let text = origin.text_of(csv).map_err(|error| unusable(error.into()))?;
        let rows = Table::parse(FilePath::new(csv), &text).map_err(unusable)?;
        rows.time_column().map_err(unusable)?;
        Ok(Self { rows, csv, table, origin })
    }

    /// The names of its columns.
    pub fn names(&self) -> &[String] {
        self.rows.names()
    }

    /// What is in some columns, at every time; it goes evenly from one to the next. `asks` is what a message says of the key
    /// `columns` where one of them is not there.
    pub fn keyframes<T>(
        &self,
        columns: &[&str],
        asks: &str,
        value: impl Fn(&[f64]) -> Result<T, SceneError>,
    ) -> Result<Keyframes<T>, SceneError> {
        let Self { rows, csv, table, origin } = self;
        let unusable = |error| origin.fault(&format!("{table}.csv"), format!("cannot be used: {error}"));
        let times = rows.time_column().map_err(unusable)?;
        let column = |name: &&str| {
            rows.column(name).ok_or_else(|| {
                let why = format!("{asks} {name:?}, and {csv} has the columns {}", rows.names().join(", "));
                origin.fault(&format!("{table}.columns"), why)
            })
        };
        let columns = columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
        let row = |k: usize| columns.iter().map(|column| column[k]).collect::<Vec<f64>>();
        let values = (0..times.len()).map(|k| value(&row(k))).collect::<Result<Vec<T>, _>>()?;
        Ok(Keyframes::linear(times, values))
    }
}

/// A key that is needed, and by what.
pub(super) fn needed<'a, T>(
    value: &'a Option<T>,
    table: &str,
    key: &str,
    user: &str,
    origin: &Origin,
) -> Result<&'a T, SceneError> {
    value.as_ref().ok_or_else(|| origin.fault(&format!("{table}.{key}"), format!("is missing: {user} needs it")))
}
