//! The options of the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use crate::colouring::ColourBy;
pub use crate::evaluate::EvaluateOptions;
pub use crate::export::ExportOptions;
pub use crate::fit::FitOptions;
pub use crate::garment::GarmentOptions;
pub use crate::sensitivity::SensitivityOptions;
pub use crate::twin::TwinOptions;
pub use crate::validate::ValidateOptions;
pub use crate::view::ViewOptions;

/// A simulator of inextensible cloth: it bends and shears, and does not stretch.
///
/// Without a command, the scene `swing` is run.
#[derive(Debug, Parser)]
#[command(name = "taffeta", version)]
pub struct Options {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and record it
    Run(RunOptions),
    /// List the scenes that come with taffeta
    Scenes,
    /// Check a scene, and say how large it is, without running it
    Check(CheckOptions),
    /// Say what is in a recording
    Info(InfoOptions),
    /// Look for cloth that passes through itself, frame by frame
    CheckRecording(CheckRecordingOptions),
    /// Draw frames of a recording
    Render(RenderOptions),
    /// Play a recording in a browser, also while it is being made, or run a scene there and pull at its cloth
    View(ViewOptions),
    /// Write a recording for other tools: OBJ, PLY, glTF, USD, PC2, NPZ, CSV, or as a page
    Export(ExportOptions),
    /// Make a garment to measure, as an OBJ file of quads
    Garment(GarmentOptions),
    /// Simulate captures of real cloth with the hands that were captured, and say how far the two are apart
    Evaluate(EvaluateOptions),
    /// Find the parameters with which simulations come closest to captures, and how well they are known
    Fit(FitOptions),
    /// Say how the error of captures changes over one parameter or two, as a heat map
    Sensitivity(SensitivityOptions),
    /// Make captures of simulated cloth, whose parameters are known
    Twin(TwinOptions),
    /// Run the validation suite and write validation.md: fits of twins, and of real captures if there are some
    Validate(ValidateOptions),
    /// Measure what a step costs, from 7×9 to 160×160 nodes, or what solving, collisions or whole scenes cost
    Bench(BenchOptions),
}

/// The scene that is run by default.
pub const DEFAULT_SCENE: &str = "swing";

#[derive(Debug, Default, Args)]
pub struct RunOptions {
    /// A scene that comes with taffeta, or the path of a scene file [default: swing]
    pub scene: Option<String>,
    /// The folder to record into [default: recordings/<scene>, or the next free one of
    /// recordings/<scene>-2 …]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Override a key of the scene, as in --set held.left.ramp_s=0.2
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_override)]
    pub overrides: Vec<(String, String)>,
    /// How the quadratic programs of a step are solved: active-set, paper or interior-point [default:
    /// what the scene says]
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Stop with an error when a step leaves its tolerances, before the step
    #[arg(long)]
    pub strict: bool,
    /// Say where the time of the steps went
    #[arg(long)]
    pub timings: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
    /// Write a page that plays the recording as well, in one file that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Go on with a recording whose run was interrupted
    #[arg(long, value_name = "DIR", conflicts_with_all = ["scene", "out", "overrides", "solver", "overwrite"])]
    pub resume: Option<PathBuf>,
    /// Replace an earlier recording in the same folder
    #[arg(long)]
    pub overwrite: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct CheckOptions {
    /// A scene that comes with taffeta, or the path of a scene file
    pub scene: String,
    /// Override a key of the scene, as in --set held.left.ramp_s=0.2
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_override)]
    pub overrides: Vec<(String, String)>,
}

#[derive(Debug, Args)]
pub struct InfoOptions {
    /// The folder of the recording
    pub recording: PathBuf,
}

#[derive(Debug, Args)]
pub struct CheckRecordingOptions {
    /// The folder of the recording
    pub recording: PathBuf,
    /// Print the findings as JSON, frame by frame
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct RenderOptions {
    /// The folder of the recording
    pub recording: PathBuf,
    /// The frame to draw, counted from 0, or from -1 backwards [default: the last]
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "sheet")]
    pub frame: Option<i64>,
    /// Draw so many frames, evenly spread over the recording
    #[arg(long, value_name = "K")]
    pub sheet: Option<usize>,
    /// The picture to write
    #[arg(long, value_name = "FILE.png", group = "picture", required = true)]
    pub png: Option<PathBuf>,
    /// An animated PNG to write, of all frames, at most 25 a second
    #[arg(long, value_name = "FILE.png", group = "picture", conflicts_with_all = ["frame", "sheet"])]
    pub apng: Option<PathBuf>,
    /// The same as a GIF
    #[arg(long, value_name = "FILE.gif", group = "picture", conflicts_with_all = ["frame", "sheet"])]
    pub gif: Option<PathBuf>,
    /// The same as a film, where there is an ffmpeg to encode it
    #[arg(long, value_name = "FILE.mp4", group = "picture", conflicts_with_all = ["frame", "sheet"])]
    pub mp4: Option<PathBuf>,
    /// Colour the cloth by a number at its nodes instead of by its sides
    #[arg(long, value_name = "WHAT", value_enum)]
    pub colour: Option<ColourBy>,
    /// Where the camera stands around the cloth, in degrees: 0 looks along y
    #[arg(long, default_value_t = 30.0, allow_negative_numbers = true)]
    pub azimuth: f64,
    /// How high the camera stands above the horizon, in degrees
    #[arg(long, default_value_t = 15.0, allow_negative_numbers = true)]
    pub elevation: f64,
    /// Width of each frame's picture in pixels [default: 960, or 480 in a sheet or an animation]
    #[arg(long)]
    pub width: Option<usize>,
    /// Height of each frame's picture in pixels [default: three quarters of the width]
    #[arg(long)]
    pub height: Option<usize>,
    /// Leave out the lines of the mesh
    #[arg(long)]
    pub no_lines: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct BenchOptions {
    /// What is measured.
    #[arg(value_enum, default_value_t = BenchSubject::Sheets)]
    pub subject: BenchSubject,
    /// Leave out sheets with more nodes a side than this
    #[arg(long, value_name = "NODES")]
    pub largest: Option<usize>,
    /// Scenes: only these, by the names in the table, as in --only fold,stack-12
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Scenes: leave out those that take minutes
    #[arg(long)]
    pub skip_slow: bool,
    /// Scenes: run each from so many starts, moved by a micrometre, and print the medians
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub starts: u64,
    /// Scenes: say where the time of the steps went, in shares of each scene
    #[arg(long)]
    pub timings: bool,
    /// Print the figures as JSON
    #[arg(long)]
    pub json: bool,
}

pub fn parse_override(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
        None => Err("there is no '=' in it: write KEY=VALUE, as in cloth.fabric=denim".to_owned()),
    }
}

/// What `taffeta bench` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum BenchSubject {
    /// Swinging sheets without contact, of growing size.
    Sheets,
    /// Steps in contact, by the three solvers.
    Solvers,
    /// Finding the parts of a folded sheet that may meet, up to 100 000 triangles.
    Collisions,
    /// Whole runs of scenes that come with taffeta.
    Scenes,
}
