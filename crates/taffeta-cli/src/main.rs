//! The command `taffeta`: run, inspect and render simulations of inextensible cloth.

mod analytic;
mod bench;
mod captures;
mod check;
mod check_recording;
mod colouring;
mod compare;
mod door;
mod evaluate;
mod export;
mod failure;
mod fit;
mod fit_report;
mod folder;
mod garment;
mod info;
mod movie;
mod options;
mod output;
mod overlay;
mod plot;
mod render;
mod run;
mod scenes;
mod sensitivity;
mod serve;
mod squeeze;
mod stage;
mod stepping;
mod strict;
mod summary;
mod timings;
mod twin;
mod validate;
mod view;

use std::process::ExitCode;

use clap::Parser;

use options::{Command, Options, RunOptions};

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match options.command {
        None => run::run(&RunOptions::default()),
        Some(Command::Run(options)) => run::run(&options),
        Some(Command::Scenes) => scenes::list(),
        Some(Command::Check(options)) => check::check(&options),
        Some(Command::Info(options)) => info::info(&options),
        Some(Command::CheckRecording(options)) => check_recording::check_recording(&options),
        Some(Command::Render(options)) => render::render(&options),
        Some(Command::Export(options)) => export::export(&options),
        Some(Command::View(options)) => view::view(&options),
        Some(Command::Garment(options)) => garment::garment(&options),
        Some(Command::Evaluate(options)) => evaluate::evaluate(&options),
        Some(Command::Fit(options)) => fit::fit(&options),
        Some(Command::Sensitivity(options)) => sensitivity::sensitivity(&options),
        Some(Command::Twin(options)) => twin::twin(&options),
        Some(Command::Validate(options)) => validate::validate(&options),
        Some(Command::Bench(options)) => bench::bench(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&failure.to_string());
            failure.exit_code()
        }
    }
}
