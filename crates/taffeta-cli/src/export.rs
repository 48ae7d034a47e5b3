//! `taffeta export`: a recording for other tools.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use glam::DVec3;
use taffeta_io::export::{
    Caption, Effort, ExportError, Film, Progress, pack, write_csv, write_gltf, write_npz, write_obj_frames, write_pc2,
    write_ply_frames, write_text, write_usd,
};
use taffeta_io::recording::{Recording, RecordingError};
use taffeta_io::scene::Scene;

use crate::failure::Failure;
use crate::output::{frame_bar, note, say};
use crate::page::with_film;
use crate::stage::props;

#[derive(Debug, Args)]
pub struct ExportOptions {
    /// The folder of the recording
    pub recording: PathBuf,
    /// A folder for an OBJ file a frame
    #[arg(long, value_name = "DIR")]
    pub obj: Option<PathBuf>,
    /// A folder for a PLY file a frame, with velocities
    #[arg(long, value_name = "DIR")]
    pub ply: Option<PathBuf>,
    /// A binary glTF file, animated, with the obstacles
    #[arg(long, value_name = "FILE.glb")]
    pub gltf: Option<PathBuf>,
    /// A USD file, animated, with the obstacles
    #[arg(long, value_name = "FILE.usda")]
    pub usd: Option<PathBuf>,
    /// A PC2 point cache, for the mesh of the first frame
    #[arg(long, value_name = "FILE.pc2")]
    pub pc2: Option<PathBuf>,
    /// The arrays of the recording in one file for NumPy
    #[arg(long, value_name = "FILE.npz")]
    pub npz: Option<PathBuf>,
    /// A table with a row for every frame and node
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
    /// A page that plays the recording, in one file that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Only every so many frames
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub every: usize,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

type Writer = fn(&Film, &Path, Progress) -> Result<(), ExportError>;

pub fn export(options: &ExportOptions) -> Result<(), Failure> {
    let asked: [(&Option<PathBuf>, &str, Writer); 8] = [
        (&options.html, "html", write_html),
        (&options.obj, "", write_obj_frames),
        (&options.ply, "", write_ply_frames),
        (&options.gltf, "glb", write_gltf),
        (&options.usd, "usda", write_usd),
        (&options.pc2, "pc2", write_pc2),
        (&options.npz, "npz", write_npz),
        (&options.csv, "csv", write_csv),
    ];
    let wanted: Vec<(&Path, &str, Writer)> =
        asked.iter().filter_map(|(path, extension, write)| Some((path.as_deref()?, *extension, *write))).collect();
    if wanted.is_empty() {
        let formats =
            "--obj DIR, --ply DIR, --gltf FILE, --usd FILE, --pc2 FILE, --npz FILE, --csv FILE or --html FILE";
        return Err(Failure::input(anyhow!("say what to export to: {formats}")));
    }
    if options.every == 0 {
        return Err(Failure::input(anyhow!("--every 0 leaves no frames: give 1 or more")));
    }
    for (path, extension, _) in wanted.iter().filter(|(_, extension, _)| !extension.is_empty()) {
        if path.extension().is_none_or(|given| !given.eq_ignore_ascii_case(extension)) {
            let name = path.display();
            return Err(Failure::input(anyhow!("{name} is to be a .{extension} file: give it a name that ends so")));
        }
    }
    let recording = Recording::open(&options.recording).map_err(Failure::recording)?;
    let props = bounds(&recording).and_then(|(low, high)| props(&recording, low, high)).unwrap_or_else(|why| {
        note(&format!("the obstacles are left out: {why}"));
        Vec::new()
    });
    let film = Film::new(&recording, options.every, props).map_err(failure)?;
    let bar = frame_bar((film.frames().len() * wanted.len()) as u64, !options.quiet);
    for (path, _, write) in wanted {
        write(&film, path, &mut || bar.inc(1)).map_err(failure)?;
        bar.suspend(|| say(&format!("{}\n", path.display())))?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Writes a page that plays a film.
fn write_html(film: &Film, path: &Path, progress: Progress) -> Result<(), ExportError> {
    let page = with_film(&pack(film, &caption(film.recording()), Effort::Small, progress)?);
    write_text(path, &page)
}

/// What a page says of a recording.
pub fn caption(recording: &Recording) -> Caption {
    let name = recording.folder().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    // Without its scene, whose mesh may have gone, a recording has no rest lengths.
    let file = recording.folder().join("scene.toml");
    let scene = Scene::from_text(&name, recording.scene_toml(), Some(&file)).ok();
    let title = scene.as_ref().map(|scene| scene.settings().title.clone()).filter(|title| !title.is_empty());
    let cloth = scene.and_then(|scene| scene.build().ok());
    let edges = cloth.map_or_else(Vec::new, |simulation| {
        let cloth = simulation.model().cloth();
        cloth.mesh().edges().iter().map(|edge| edge.nodes).zip(cloth.rest_lengths().iter().copied()).collect()
    });
    Caption { title: title.unwrap_or(name), edges, id: String::new() }
}

fn failure(error: ExportError) -> Failure {
    match error {
        ExportError::Recording(error) => Failure::recording(error),
        ExportError::File(_) => Failure::run(error),
        ExportError::Empty { .. } | ExportError::TooLarge { .. } => Failure::input(error),
    }
}

/// The box that the cloth stays in, as far as ten frames tell: obstacles without bounds are drawn as large.
pub fn bounds(recording: &Recording) -> Result<(DVec3, DVec3), String> {
    let step = recording.frames().div_ceil(10).max(1);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for frame in (0..recording.frames()).step_by(step) {
        let positions = recording.positions(frame).map_err(|error: RecordingError| error.to_string())?;
        (low, high) = positions.iter().fold((low, high), |(low, high), &x| (low.min(x), high.max(x)));
    }
    Ok((low, high))
}
