//! What a page shows of a recording: its frames, its obstacles, and what is said of it.

use glam::DVec3;
use taffeta::obstacle::Obstacle;
use taffeta_io::export::{Caption, Effort, ExportError, Film, Prop, box_about, pack};
use taffeta_io::recording::{Recording, RecordingError};
use taffeta_io::scene::Scene;

use crate::with_films;

/// A page that plays a recording, every so many frames of it, and needs nothing but itself. Obstacles that cannot be had are left out.
///
/// # Errors
///
/// If the recording cannot be read, or has no frames.
pub fn that_plays(recording: &Recording, every: usize) -> Result<String, ExportError> {
    let props = props_of(recording).unwrap_or_default();
    let film = Film::new(recording, every, props)?;
    Ok(with_films(&pack(&film, &caption(recording), Effort::Small, &mut || ())?, None))
}

/// The obstacles of the scene that was recorded.
///
/// # Errors
///
/// Says why, if the scene cannot be read or has other obstacles than were recorded.
pub fn obstacles(recording: &Recording) -> Result<Vec<Obstacle>, String> {
    let scene = Scene::from_text("scene.toml", recording.scene_toml(), None);
    let obstacles = scene.and_then(|scene| scene.obstacles()).map_err(|error| error.to_string())?;
    if obstacles.len() != recording.obstacles() {
        let (scene, recorded) = (obstacles.len(), recording.obstacles());
        return Err(format!("its scene has {scene} obstacles, and {recorded} were recorded"));
    }
    Ok(obstacles)
}

/// All obstacles of a recording, floors among them, as far as its cloth gets.
///
/// # Errors
///
/// As those of [`obstacles`] and [`bounds`].
pub fn props_of(recording: &Recording) -> Result<Vec<Prop>, String> {
    bounds(recording).and_then(|(low, high)| props(recording, low, high))
}

/// All obstacles of a recording whose cloth stays between two corners of a box, m, floors among them, with their names.
///
/// # Errors
///
/// As those of [`obstacles`].
pub fn props(recording: &Recording, min: DVec3, max: DVec3) -> Result<Vec<Prop>, String> {
    Ok(obstacles(recording)?.iter().enumerate().map(|(index, obstacle)| Prop::new(index, obstacle, min, max)).collect())
}

/// The box that the cloth stays in, as far as ten frames tell: obstacles without bounds are drawn as large.
///
/// # Errors
///
/// Says why, if a frame cannot be read.
pub fn bounds(recording: &Recording) -> Result<(DVec3, DVec3), String> {
    let step = recording.frames().div_ceil(10).max(1);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for frame in (0..recording.frames()).step_by(step) {
        let positions = recording.positions(frame).map_err(|error: RecordingError| error.to_string())?;
        (low, high) = positions.iter().fold((low, high), |(low, high), &x| (low.min(x), high.max(x)));
    }
    Ok((low, high))
}

/// A box about all that is to be seen of a recording, as far as it goes by now, m.
pub fn stage_of(recording: &Recording) -> Option<[DVec3; 2]> {
    let (low, high) = bounds(recording).ok()?;
    let (props, poses) = (props(recording, low, high).ok()?, recording.obstacle_poses(0).ok()?);
    Some(box_about(&props, &poses, low, high))
}

/// What a page says of a recording.
pub fn caption(recording: &Recording) -> Caption {
    let name = recording.folder().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    // Without its scene, whose mesh may have gone, a recording has no rest lengths.
    let file = recording.folder().join("scene.toml");
    let scene = Scene::from_text(&name, recording.scene_toml(), Some(&file)).ok();
    let title = scene.as_ref().map(|scene| scene.settings().title.clone()).filter(|title| !title.is_empty());
    let built = scene.and_then(|scene| scene.build().ok());
    let cloth = built.filter(|simulation| simulation.positions().len() == recording.nodes());
    let triangles =
        cloth.as_ref().map_or_else(Vec::new, |simulation| simulation.model().cloth().surface().triangles().to_vec());
    let edges = cloth.map_or_else(Vec::new, |simulation| {
        let cloth = simulation.model().cloth();
        cloth.mesh().edges().iter().map(|edge| edge.nodes).zip(cloth.rest_lengths().iter().copied()).collect()
    });
    Caption { title: title.unwrap_or(name), edges, triangles, stage: stage_of(recording), ..Caption::default() }
}
