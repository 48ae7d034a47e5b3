//! `taffeta run`.

use taffeta_io::recording::RecordingError;
use taffeta_io::scene::Scene;

use crate::export::{check_extension, write_page};
use crate::failure::Failure;
use crate::folder::default_folder;
use crate::options::{DEFAULT_SCENE, RunOptions};
use crate::output::{note, say};
use crate::stepping::Run;

pub fn run(options: &RunOptions) -> Result<(), Failure> {
    if let Some(path) = &options.html {
        check_extension(path, "html")?;
    }
    let mut run = match &options.resume {
        Some(folder) => Run::resume(folder)?,
        None => begin(options)?,
    };
    if options.strict {
        run.be_strict();
    }
    if options.timings {
        run.measure_timings();
    }
    let folder = run.folder().display().to_string();
    if !options.quiet {
        note(&format!("recording into {folder}"));
    }
    let recording = run.folder().to_path_buf();
    let summary = run.finish(!options.quiet)?;
    if let Some(path) = &options.html {
        write_page(&recording, path, !options.quiet)?;
    }
    if options.json {
        let object = serde_json::to_string_pretty(&summary).map_err(Failure::run)?;
        return say(&format!("{object}\n"));
    }
    let hint = format!("look at it: taffeta view {folder}, or taffeta render {folder} --sheet 6 --png sheet.png");
    say(&format!("{}\n{hint}\n", summary.to_table()))
}

fn begin(options: &RunOptions) -> Result<Run, Failure> {
    let name = options.scene.as_deref().unwrap_or(DEFAULT_SCENE);
    let solver = options.solver.iter().map(|method| ("solver.method".to_owned(), format!("{method:?}")));
    let overrides: Vec<(String, String)> = options.overrides.iter().cloned().chain(solver).collect();
    let scene = Scene::load(name, &overrides)?;
    let folder = match &options.out {
        Some(folder) => folder.clone(),
        None => default_folder(scene.name(), options.overwrite),
    };
    Run::begin(scene, &folder, options.overwrite).map_err(|failure| match failure {
        Failure::Input(error) if matches!(error.downcast_ref(), Some(RecordingError::Exists { .. })) => {
            Failure::Input(anyhow::anyhow!("{error} with --overwrite"))
        }
        other => other,
    })
}
