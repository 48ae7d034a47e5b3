//! `taffeta sensitivity`: the error of captures over values of one parameter, or of two.

use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, anyhow};
use clap::Args;
use rayon::prelude::*;
use serde_json::json;
use taffeta_fit::{Capture, Errors, Parameter, Parameters, ReplayError, Stage};

use crate::captures::{ReplayOptions, failure};
use crate::export::check_extension;
use crate::failure::Failure;
use crate::output::{count_bar, say};
use crate::plot::{HeatMap, number};

#[derive(Debug, Args)]
pub struct SensitivityOptions {
    /// Captures: TOML files, a depth camera's JSON files, or folders of either
    #[arg(required = true, value_name = "CAPTURE")]
    pub captures: Vec<PathBuf>,
    /// A parameter, its least and its largest value, and how many to try, as in mu=0.5:3:11; once or twice
    #[arg(long, value_name = "NAME=FROM:TO:COUNT", default_value = "mu=0:3:13")]
    pub over: Vec<Span>,
    /// The heat map: one row for every capture, or one map for each if there are two parameters
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub replay: ReplayOptions,
    /// Print the errors as JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

/// Values of a parameter, evenly spaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    pub parameter: Parameter,
    pub values: Vec<f64>,
}

impl Span {
    pub fn new(parameter: Parameter, from: f64, to: f64, count: usize) -> Self {
        let part = |k: usize| if count > 1 { k as f64 / (count - 1) as f64 } else { 0.0 };
        Self { parameter, values: (0..count).map(|k| from + part(k) * (to - from)).collect() }
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || format!("{text:?} is not NAME=FROM:TO:COUNT, as in mu=0.5:3:11");
        let (name, numbers) = text.split_once('=').ok_or_else(form)?;
        let parameter: Parameter = name.parse()?;
        let numbers: Vec<&str> = numbers.split(':').collect();
        let [from, to, count] = numbers[..] else { return Err(form()) };
        let (from, to) = (from.parse::<f64>().map_err(|_| form())?, to.parse::<f64>().map_err(|_| form())?);
        let count = count.parse::<usize>().map_err(|_| form())?;
        let [low, high] = parameter.range();
        if !(low..=high).contains(&from) || !(low..=high).contains(&to) || from > to {
            return Err(format!("{name} goes from {low} to {high}: give two such values, the smaller first"));
        }
        if !(1..=1000).contains(&count) {
            return Err(format!("{count} values of {name} cannot be tried: give 1 to 1000"));
        }
        Ok(Self::new(parameter, from, to, count))
    }
}

pub fn sensitivity(options: &SensitivityOptions) -> Result<(), Failure> {
    if let Some(path) = &options.svg {
        check_extension(path, "svg")?;
    }
    let captures = options.replay.read(&options.captures)?;
    let others = options.replay.parameters();
    let single = Span { parameter: Parameter::Alpha, values: vec![others.alpha] };
    let (across, up) = match &options.over[..] {
        [across] => (across, None),
        [across, up] if across.parameter != up.parameter => (across, Some(up)),
        _ => return Err(Failure::input(anyhow!("--over is for one parameter, or for two different ones"))),
    };
    let rows = up.unwrap_or(&single);
    if !captures.iter().any(Capture::rubs) && options.over.iter().any(|span| span.parameter == Parameter::Mu) {
        let why = "no capture has an obstacle whose friction is not known, so mu changes nothing";
        let fix = "leave its `friction` out, or name another parameter, as in --over alpha=1:5:9";
        return Err(Failure::input(anyhow!("{why}: {fix}")));
    }
    let bar =
        count_bar("simulation", (captures.len() * across.values.len() * rows.values.len()) as u64, !options.quiet);
    let maps = captures
        .iter()
        .map(|capture| error_map(capture, &others, across, up, &|| bar.inc(1)))
        .collect::<Result<Vec<_>, Failure>>()?;
    bar.finish_and_clear();
    if options.json {
        let span = |span: &Span| json!({ "parameter": span.parameter.name(), "values": span.values });
        let told = captures.iter().zip(&maps).map(|(capture, map)| json!({ "id": capture.id, "rms_error_m": map }));
        let told: Vec<serde_json::Value> = told.collect();
        let object = json!({ "across": span(across), "up": up.map(span), "captures": told });
        say(&format!("{}\n", serde_json::to_string_pretty(&object).map_err(Failure::run)?))?;
        return write_picture(options, &captures, across, up, &maps);
    }
    let fixed = Parameter::ALL.into_iter().filter(|fixed| options.over.iter().all(|span| span.parameter != *fixed));
    let fixed: Vec<String> = fixed.map(|fixed| format!("{} = {}", fixed.name(), number(others.get(fixed)))).collect();
    let mut text = format!("with {}\n", fixed.join(", "));
    for (capture, map) in captures.iter().zip(&maps) {
        text += &table(capture, across, up, map);
    }
    say(&text)?;
    write_picture(options, &captures, across, up, &maps)
}

fn write_picture(
    options: &SensitivityOptions,
    captures: &[Capture],
    across: &Span,
    up: Option<&Span>,
    maps: &[Vec<Vec<Option<f64>>>],
) -> Result<(), Failure> {
    let Some(path) = &options.svg else { return Ok(()) };
    let writing = || format!("cannot write {}", path.display());
    fs::write(path, picture(captures, across, up, maps)).with_context(writing).map_err(Failure::run)
}

/// The rms error at every pair of values, m: a row for every value of the second parameter. `None` where the capture cannot be simulated.
pub fn error_map(
    capture: &Capture,
    others: &Parameters,
    across: &Span,
    up: Option<&Span>,
    tick: &(dyn Fn() + Sync),
) -> Result<Vec<Vec<Option<f64>>>, Failure> {
    let stage = Stage::new(capture, &capture.discretisation).map_err(failure)?;
    let others = Parameters { density: capture.density.unwrap_or(others.density), ..*others };
    let rows: Vec<Option<(Parameter, f64)>> =
        up.map_or(vec![None], |up| up.values.iter().map(|&value| Some((up.parameter, value))).collect());
    rows.into_iter()
        .map(|row| {
            let base = row.map_or(others, |(parameter, value)| others.with(parameter, value));
            let error = |&value: &f64| {
                let found = stage.replay(&base.with(across.parameter, value));
                tick();
                match found {
                    Ok(replay) => Ok(Some(Errors::new(capture, &replay).rms_m)),
                    Err(ReplayError::Step { .. }) => Ok(None),
                    Err(other) => Err(failure(other)),
                }
            };
            across.values.par_iter().map(error).collect()
        })
        .collect()
}

/// One map of all captures over one parameter, or a map for each over two, one below the other.
fn picture(captures: &[Capture], across: &Span, up: Option<&Span>, maps: &[Vec<Vec<Option<f64>>>]) -> String {
    let millimetres =
        |row: &Vec<Option<f64>>| row.iter().map(|error| error.map(|error| 1e3 * error)).collect::<Vec<_>>();
    let columns = || across.values.iter().map(|value| number(*value)).collect::<Vec<String>>();
    match up {
        None => HeatMap {
            title: "rms error, mm",
            axes: [across.parameter.symbol(), ""],
            columns: columns(),
            rows: captures.iter().map(|capture| capture.id.clone()).collect(),
            values: maps.iter().flat_map(|map| map.iter().map(millimetres)).collect(),
            mark_each_row: true,
        }
        .svg(),
        Some(up) => {
            let maps: Vec<String> = captures
                .iter()
                .zip(maps)
                .map(|(capture, map)| {
                    HeatMap {
                        title: &format!("{}: rms error, mm", capture.id),
                        axes: [across.parameter.symbol(), up.parameter.symbol()],
                        columns: columns(),
                        rows: up.values.iter().rev().map(|value| number(*value)).collect(),
                        values: map.iter().rev().map(millimetres).collect(),
                        mark_each_row: false,
                    }
                    .svg()
                })
                .collect();
            stacked(&maps)
        }
    }
}

/// Pictures one below the other.
fn stacked(pictures: &[String]) -> String {
    let size = |picture: &str, name: &str| -> f64 {
        let after = picture.split_once(&format!(" {name}=\"")).map_or("", |(_, after)| after);
        after.split('"').next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
    };
    let width = pictures.iter().map(|picture| size(picture, "width")).fold(0.0, f64::max);
    let (mut body, mut top) = (String::new(), 0.0);
    for picture in pictures {
        body += &picture.replacen("<svg ", &format!("<svg y=\"{top}\" "), 1);
        top += size(picture, "height");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {top}\" width=\"{width}\" height=\"{top}\">\n{body}</svg>\n"
    )
}

fn table(capture: &Capture, across: &Span, up: Option<&Span>, map: &[Vec<Option<f64>>]) -> String {
    let mut text = format!("{}: rms error, mm, over {}\n", capture.id, across.parameter.symbol());
    let cells = |numbers: Vec<String>| numbers.iter().map(|cell| format!("{cell:>8}")).collect::<String>();
    text += &format!("{:>10}{}\n", "", cells(across.values.iter().map(|value| number(*value)).collect()));
    for (k, row) in map.iter().enumerate() {
        let name = up.map_or(String::new(), |up| format!("{} {}", up.parameter.name(), number(up.values[k])));
        let errors = row.iter().map(|error| error.map_or("–".to_owned(), |error| format!("{:.2}", 1e3 * error)));
        text += &format!("{name:>10}{}\n", cells(errors.collect()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_or_refused() {
        let span: Span = "mu=0.5:2.5:5".parse().unwrap();
        assert_eq!((span.parameter, span.values), (Parameter::Mu, vec![0.5, 1.0, 1.5, 2.0, 2.5]));
        for (text, fragment) in [
            ("mu", "NAME=FROM:TO:COUNT"),
            ("nu=0:1:2", "there is no parameter"),
            ("mu=0:1", "NAME=FROM:TO:COUNT"),
            ("mu=1:0:3", "the smaller first"),
            ("delta=0:1:3", "0.05 to 1"),
            ("mu=0:1:0", "give 1 to 1000"),
        ] {
            let error = text.parse::<Span>().unwrap_err();
            assert!(error.contains(fragment), "{error}");
        }
    }
}
