//! The report of a fit: a page with its numbers, its errors over time, and the captures laid over their simulations.

use std::fmt::Write as _;
use std::path::Path;

use taffeta_fit::fit::{Fit, Problem};
use taffeta_fit::{Capture, Errors, Parameters};

use crate::captures::file_name;
use crate::failure::Failure;
use crate::overlay;
use crate::plot::{Line, LinePlot, digits, escape, number};

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .8rem;border-bottom:1px solid #ddd;text-align:right}\
td:first-child,th:first-child{text-align:left}svg{max-width:100%;height:auto}\
iframe{width:100%;height:34rem;border:1px solid #ccc}.beware{background:#fff3cd;padding:.5rem 1rem}";

/// The page; recordings of what it shows are left in the folder.
pub fn page(problem: &Problem, fit: &Fit, others: &Parameters, folder: &Path) -> Result<String, Failure> {
    let names: Vec<&str> = problem.captures().map(|capture| capture.id.as_str()).collect();
    let title = escape(&format!("Fit of {}", names.join(", ")));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
    );
    page += &parameters(problem, fit);
    for warning in &fit.warnings {
        let _ = writeln!(page, "<p class=\"beware\">Beware: {}.</p>", escape(warning));
    }
    page += &errors_table(problem, fit);
    for ((k, capture), errors) in problem.captures().enumerate().zip(&fit.errors) {
        let _ = writeln!(page, "<h2>{}</h2>\n{}", escape(&capture.id), error_plot(capture, errors).svg());
        page += &contacts(capture, errors);
        page += &markers(capture, errors);
        let values: Vec<f64> = fit.estimates.iter().map(|estimate| estimate.value).collect();
        let own = folder.join(Path::new("overlay").join(file_name(capture)));
        let overlay = overlay::page(&problem.stages()[k], &problem.with(k, &values), &own)?;
        let _ = writeln!(
            page,
            "<p>The cloth as it was simulated, and the markers as they were captured; a marker that was not seen is drawn on the way to where it is seen next.</p>\n<iframe title=\"overlay\" srcdoc=\"{}\"></iframe>",
            overlay.replace('&', "&amp;").replace('"', "&quot;")
        );
    }
    let density = problem.captures().next().and_then(|capture| capture.density).unwrap_or(others.density);
    let _ = writeln!(
        page,
        "<p>ρ = {} kg/m². Intervals: blocks of residuals turned round, and the noise of hands and of the first frame drawn again. {} simulations.</p>\n</body></html>",
        number(density),
        fit.evaluations
    );
    Ok(page)
}

fn parameters(problem: &Problem, fit: &Fit) -> String {
    let truth = problem.captures().next().and_then(|capture| capture.truth);
    let mut table = "<table><tr><th>parameter</th><th>value</th><th>95 %</th>".to_owned();
    table += if truth.is_some() { "<th>truth</th></tr>\n" } else { "</tr>\n" };
    for estimate in &fit.estimates {
        let [low, high] = estimate.interval;
        let _ = write!(
            table,
            "<tr><td>{}</td><td>{}</td><td>{} to {}</td>",
            estimate.parameter.symbol(),
            digits(estimate.value),
            digits(low),
            digits(high)
        );
        if let Some(truth) = truth {
            let _ = write!(table, "<td>{}</td>", number(truth.get(estimate.parameter)));
        }
        table += "</tr>\n";
    }
    table + "</table>\n"
}

fn errors_table(problem: &Problem, fit: &Fit) -> String {
    let mut table = "<table><tr><th>capture</th><th>rms, mm</th><th>mean, mm</th><th>√(xᵀ diag(m) x), mm·m</th><th>s̄, mm</th><th>hem correlation</th><th>hem amplitude, mm (seen)</th><th>hem lag, rad</th></tr>\n".to_owned();
    for (capture, errors) in problem.captures().zip(&fit.errors) {
        let hem = errors.hem;
        let _ = writeln!(
            table,
            "<tr><td>{}</td><td>{:.2}</td><td>{:.2}</td><td>{:.3}</td><td>{:.2}</td><td>{:.3}</td><td>{:.1} ({:.1})</td><td>{:.2}</td></tr>",
            escape(&capture.id),
            1e3 * errors.rms_m,
            1e3 * errors.mean_m,
            1e3 * errors.area_weighted_m2,
            1e3 * errors.spatial_sd_m,
            hem.correlation,
            1e3 * hem.simulated_amplitude_m,
            1e3 * hem.captured_amplitude_m,
            hem.lag_rad
        );
    }
    table + "</table>\n"
}

/// The error of a capture over time, with contacts marked.
pub fn error_plot<'a>(capture: &'a Capture, errors: &Errors) -> LinePlot<'a> {
    let points = capture.frames.iter().zip(&errors.frames_m).map(|(frame, off)| (frame.time, off.map(|off| 1e3 * off)));
    LinePlot {
        title: &capture.id,
        axes: ["time, s (yellow: in contact)", "rms error, mm"],
        lines: vec![Line { name: capture.id.clone(), points: points.collect() }],
        bands: errors.contacts.iter().map(|contact| (contact.interval.from, contact.interval.to)).collect(),
    }
}

fn contacts(capture: &Capture, errors: &Errors) -> String {
    if errors.contacts.is_empty() {
        return String::new();
    }
    let off = |off: Option<f64>| off.map_or("–".to_owned(), |off| format!("{:.2}", 1e3 * off));
    let mut table = "<table><tr><th>contact with</th><th>from, s</th><th>to, s</th><th>rms during, mm</th><th>after, mm</th></tr>\n".to_owned();
    for contact in &errors.contacts {
        let _ = writeln!(
            table,
            "<tr><td>{}</td><td>{:.2}</td><td>{:.2}</td><td>{}</td><td>{}</td></tr>",
            escape(&capture.obstacles[contact.interval.obstacle].body.name),
            contact.interval.from,
            contact.interval.to,
            off(contact.during_m),
            off(contact.after_m)
        );
    }
    table + "</table>\n"
}

/// The error of every marker, laid out as they are on the cloth: the held edge above.
fn markers(capture: &Capture, errors: &Errors) -> String {
    let mut table = "<p>rms error of every marker, mm, the hem below:</p>\n<table>\n".to_owned();
    for row in errors.markers_m.chunks(capture.columns()).rev() {
        let cells =
            row.iter().map(|off| off.map_or("<td>–</td>".to_owned(), |off| format!("<td>{:.2}</td>", 1e3 * off)));
        let _ = writeln!(table, "<tr>{}</tr>", cells.collect::<String>());
    }
    table + "</table>\n"
}
