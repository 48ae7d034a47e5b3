//! `taffeta info`.

use taffeta_io::recording::Recording;

use crate::failure::Failure;
use crate::options::InfoOptions;
use crate::output::{say, table};
use crate::summary::Summary;

pub fn info(options: &InfoOptions) -> Result<(), Failure> {
    let folder = options.recording.display();
    let recording = Recording::open(&options.recording).map_err(Failure::recording)?;
    let times = match (recording.times().first(), recording.times().last()) {
        (Some(first), Some(last)) => format!("{first:.3} s to {last:.3} s"),
        _ => "none yet".to_owned(),
    };
    let finished = match recording.summary() {
        Some(_) => "yes".to_owned(),
        None => match recording.failure() {
            Some(why) => format!("no: {why}"),
            None => format!("no; if it is not running, go on with: taffeta run --resume {folder}"),
        },
    };
    let mut rows = vec![
        ("frames", recording.frames().to_string()),
        ("times", times),
        ("nodes", recording.nodes().to_string()),
        ("elements", recording.elements().len().to_string()),
        ("steps", recording.reports().to_string()),
        ("finished", finished),
    ];
    let summary = recording.summary();
    if summary.is_none() && recording.reports() > 0 {
        let strains = recording.report_field("max_edge_strain");
        let strains = strains.map_err(Failure::recording)?;
        let largest = strains.into_iter().fold(0.0, f64::max);
        rows.push(("largest edge strain", format!("{:.4} %", 100.0 * largest)));
    }
    let mut text = table(&rows);
    if let Some(object) = summary {
        text.push('\n');
        // A recording of another version may have another summary.
        match serde_json::from_value::<Summary>(object.clone()) {
            Ok(summary) => text.push_str(&summary.to_table()),
            Err(_) => text.push_str(&format!("{object:#}\n")),
        }
    }
    say(&text)
}
