//! `taffeta export`: a recording for other tools.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use taffeta_io::export::{
    Caption, Effort, ExportError, Film, Progress, pack, write_csv, write_gltf, write_npz, write_obj_frames, write_pc2,
    write_ply_frames, write_text, write_usd,
};
use taffeta_io::recording::Recording;
use taffeta_io::scene::Scene;
use taffeta_page::film::{caption, props_of};
use taffeta_page::{with_films, with_scene};

use crate::compare;
use crate::failure::Failure;
use crate::options::parse_override;
use crate::output::{frame_bar, note, say};
use crate::view::{Subject, native, recording_or_scene};

#[derive(Debug, Args)]
pub struct ExportOptions {
    /// The folder of the recording; with --live, a scene
    #[arg(value_name = "RECORDING|SCENE")]
    pub what: String,
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
    /// A page in which the scene runs, and its cloth can be pulled at: with --html alone
    #[arg(long, requires = "html", conflicts_with_all = ["obj", "ply", "gltf", "usd", "pc2", "npz", "csv", "every", "with"])]
    pub live: bool,
    /// Another recording to lay over the first in the page, such as that of a real cloth
    #[arg(long, value_name = "RECORDING", requires = "html")]
    pub with: Option<PathBuf>,
    /// Override a key of the scene, as in --set cloth.fabric=denim
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_override, requires = "live")]
    pub overrides: Vec<(String, String)>,
    /// Only every so many frames
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub every: usize,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

type Writer<'a> = &'a dyn Fn(&Film, &Path, Progress) -> Result<(), ExportError>;

pub fn export(options: &ExportOptions) -> Result<(), Failure> {
    if options.live {
        return export_live(options);
    }
    let html = |film: &Film, path: &Path, progress: Progress| {
        write_html(film, path, options.with.as_deref(), options.every, progress)
    };
    let asked: [(&Option<PathBuf>, &str, Writer); 8] = [
        (&options.html, "html", &html),
        (&options.obj, "", &write_obj_frames),
        (&options.ply, "", &write_ply_frames),
        (&options.gltf, "glb", &write_gltf),
        (&options.usd, "usda", &write_usd),
        (&options.pc2, "pc2", &write_pc2),
        (&options.npz, "npz", &write_npz),
        (&options.csv, "csv", &write_csv),
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
        check_extension(path, extension)?;
    }
    let folder = Path::new(&options.what);
    if !folder.exists() && Scene::load(&options.what, &[]).is_ok() {
        let (what, hint) = (&options.what, "add --live for a page that runs it, or run it first");
        return Err(Failure::input(anyhow!("{what} is a scene and not a recording: {hint}")));
    }
    let recording = Recording::open(folder).map_err(Failure::recording)?;
    let film = film(&recording, options.every)?;
    let bar = frame_bar((film.frames().len() * wanted.len()) as u64, !options.quiet);
    for (path, _, write) in wanted {
        write(&film, path, &mut || bar.inc(1)).map_err(failure)?;
        bar.suspend(|| say(&format!("{}\n", path.display())))?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Refuses a file that is called otherwise than what is in it.
pub fn check_extension(path: &Path, extension: &str) -> Result<(), Failure> {
    if path.extension().is_some_and(|given| given.eq_ignore_ascii_case(extension)) {
        return Ok(());
    }
    let name = path.display();
    Err(Failure::input(anyhow!("{name} is to be a .{extension} file: give it a name that ends so")))
}

/// Writes a page that runs a scene.
fn export_live(options: &ExportOptions) -> Result<(), Failure> {
    let Some(path) = &options.html else { return Err(Failure::input(anyhow!("--live needs --html FILE"))) };
    check_extension(path, "html")?;
    let Subject::Scene(scene) = recording_or_scene(&options.what, &options.overrides)? else {
        let why = format!("{} is a recording, and --live runs a scene: leave --live out to play it", options.what);
        return Err(Failure::input(anyhow!(why)));
    };
    write_text(path, &with_scene(&scene, &native(&options.what, &options.overrides))?).map_err(failure)?;
    say(&format!("{}\n", path.display()))
}

/// Writes a page that plays a whole recording.
pub fn write_page(folder: &Path, path: &Path, show_progress: bool) -> Result<(), Failure> {
    let recording = Recording::open(folder).map_err(Failure::recording)?;
    let film = film(&recording, 1)?;
    let bar = frame_bar(film.frames().len() as u64, show_progress);
    write_html(&film, path, None, 1, &mut || bar.inc(1)).map_err(failure)?;
    bar.finish_and_clear();
    Ok(())
}

/// A recording with its obstacles, as far as they are known.
fn film(recording: &Recording, every: usize) -> Result<Film<'_>, Failure> {
    let props = props_of(recording).unwrap_or_else(|why| {
        note(&format!("the obstacles are left out: {why}"));
        Vec::new()
    });
    Film::new(recording, every, props).map_err(failure)
}

/// Writes a page that plays a film, and another beside it.
fn write_html(
    film: &Film,
    path: &Path,
    with: Option<&Path>,
    every: usize,
    progress: Progress,
) -> Result<(), ExportError> {
    let packed = pack(film, &caption(film.recording()), Effort::Small, progress)?;
    let other = with.map(|folder| packed_other(film.recording(), folder, every)).transpose()?;
    write_text(path, &with_films(&packed, other.as_deref()))
}

/// A recording that another is compared with.
fn packed_other(recording: &Recording, folder: &Path, every: usize) -> Result<Vec<u8>, ExportError> {
    let (other, matches) = compare::open(recording, folder).map_err(|why| ExportError::Apart(why.to_string()))?;
    let film = Film::new(&other, every, Vec::new())?;
    pack(&film, &Caption { matches, ..caption(&other) }, Effort::Small, &mut || ())
}

fn failure(error: ExportError) -> Failure {
    match error {
        ExportError::Recording(error) => Failure::recording(error),
        ExportError::File(_) => Failure::run(error),
        ExportError::Empty { .. }
        | ExportError::TooLarge { .. }
        | ExportError::NotFinite { .. }
        | ExportError::Apart(_) => Failure::input(error),
    }
}
