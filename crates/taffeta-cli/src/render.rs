//! `taffeta render`.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::anyhow;
use glam::DVec3;
use taffeta::mesh::Element;
use taffeta::obstacle::Pose;
use taffeta_io::recording::Recording;
use taffeta_render::{
    Body, Camera, Picture, RenderError, Scene, Style, Surface, contact_sheet, render_scene, write_apng, write_gif,
};

use crate::colouring::Colouring;
use crate::export::check_extension;
use crate::failure::Failure;
use crate::movie::write_mp4;
use crate::options::RenderOptions;
use crate::output::{frame_bar, note, say};
use crate::stage::Stage;

/// More pictures than this do not fit on a page.
const MOST_PICTURES: usize = 100;
const WIDTH: usize = 960;
const WIDTH_IN_SHEET: usize = 480;

/// Frames of an animation in a second.
const MOST_A_SECOND: f64 = 25.0;

/// A frame to be drawn.
struct Frame {
    time: f64,
    positions: Vec<DVec3>,
    held: Vec<usize>,
    poses: Vec<Pose>,
}

pub fn render(options: &RenderOptions) -> Result<(), Failure> {
    let (path, format) = goal(options)?;
    let recording = Recording::open(&options.recording).map_err(Failure::recording)?;
    let moving = format != Format::Png;
    let chosen = if moving { in_motion(&recording) } else { choose(options, recording.frames()) };
    let chosen = chosen.map_err(Failure::input)?;
    let frames = chosen.iter().map(|&frame| read(&recording, frame)).collect::<Result<Vec<_>, _>>()?;
    let colouring = options.colour.map(|by| Colouring::read(by, &recording, &chosen)).transpose()?;

    let usual = if options.sheet.is_some() || moving { WIDTH_IN_SHEET } else { WIDTH };
    let width = options.width.unwrap_or(usual);
    let height = options.height.unwrap_or(width * 3 / 4);
    // Films are made of squares of two pixels.
    let (width, height) = if format == Format::Mp4 { (width & !1, height & !1) } else { (width, height) };
    let places = || frames.iter().flat_map(|frame| &frame.positions);
    let (min, max) =
        places().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), &place| (min.min(place), max.max(place)));
    let stage = Stage::of(&recording, min, max).unwrap_or_else(|why| {
        note(&format!("the obstacles are not drawn: {why}"));
        Stage::default()
    });
    let placed: Vec<Vec<Vec<DVec3>>> = frames.iter().map(|frame| stage.placed(&frame.poses)).collect();
    let aspect = width as f64 / height as f64;
    let all_bodies: Vec<Body> = placed.iter().flat_map(|placed| stage.bodies(placed)).collect();
    let (azimuth, elevation) = (options.azimuth, options.elevation);
    let camera = Camera::framing_scene(places().copied(), &all_bodies, azimuth, elevation, aspect);
    // Without a floor of its own, a scene gets one below the cloth, unless there is something for it to lie on.
    let floor = stage.floor.or_else(|| all_bodies.is_empty().then_some(min.z));
    let style = Style { floor, ..Style::default() };
    let triangles = triangles(&recording, &options.recording);
    let edges = if options.no_lines { Vec::new() } else { edges(recording.elements()) };
    let bar = frame_bar(if frames.len() > 1 { frames.len() as u64 } else { 0 }, !options.quiet);
    let pictures = frames
        .iter()
        .zip(&placed)
        .enumerate()
        .map(|(k, (frame, placed))| {
            bar.inc(1);
            let colours = colouring.as_ref().map_or_else(Vec::new, |colouring| colouring.colours(k));
            let surface = Surface {
                positions: &frame.positions,
                triangles: &triangles,
                edges: &edges,
                marked: &frame.held,
                colours: &colours,
            };
            let scene = Scene { surface, bodies: &stage.bodies(placed) };
            let mut picture = render_scene(&scene, &camera, &style, width, height)?;
            if let Some(colouring) = &colouring {
                colouring.label(&mut picture);
            }
            Ok(picture)
        })
        .collect::<Result<Vec<Picture>, RenderError>>()
        .map_err(Failure::input)?;
    bar.finish_and_clear();
    if moving {
        let rate = match frames[..] {
            [ref first, .., ref last] => (frames.len() - 1) as f64 / (last.time - first.time),
            _ => MOST_A_SECOND,
        };
        match format {
            Format::Mp4 => write_mp4(path, &pictures, rate)?,
            Format::Gif => write_gif(path, &pictures, rate).map_err(Failure::run)?,
            Format::Png | Format::Apng => write_apng(path, &pictures, rate).map_err(Failure::run)?,
        }
        return say(&format!("{}\n", path.display()));
    }
    let labels: Vec<String> = frames.iter().map(|frame| format!("t = {:.2} s", frame.time)).collect();
    let page = contact_sheet(&pictures, &labels, columns(pictures.len()));
    page.write_png(path).map_err(Failure::run)?;
    say(&format!("{}\n", path.display()))
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Png,
    Apng,
    Gif,
    Mp4,
}

/// The file to be written.
fn goal(options: &RenderOptions) -> Result<(&Path, Format), Failure> {
    let goals = [
        (&options.png, Format::Png, "png"),
        (&options.apng, Format::Apng, "png"),
        (&options.gif, Format::Gif, "gif"),
        (&options.mp4, Format::Mp4, "mp4"),
    ];
    let asked = goals.into_iter().find_map(|(path, format, extension)| Some((path.as_deref()?, format, extension)));
    let Some((path, format, extension)) = asked else {
        return Err(Failure::input(anyhow!("say what to draw: --png, --apng, --gif or --mp4 FILE")));
    };
    check_extension(path, extension)?;
    Ok((path, format))
}

/// The frames of an animation: all, or as many as are shown in a second.
fn in_motion(recording: &Recording) -> anyhow::Result<Vec<usize>> {
    let mut frames: Vec<usize> = Vec::new();
    for (frame, &time) in recording.times().iter().enumerate() {
        let next = frames.last().map_or(f64::NEG_INFINITY, |&last| recording.times()[last] + 1.0 / MOST_A_SECOND);
        if time > next - 1e-9 {
            frames.push(frame);
        }
    }
    if frames.is_empty() {
        let folder = recording.folder().display();
        return Err(anyhow!("{folder} has no frames yet: wait for the run that is recorded there"));
    }
    Ok(frames)
}

/// Three in a row, or more if there are many.
fn columns(pictures: usize) -> usize {
    (3..).find(|&columns| columns * columns >= pictures).unwrap_or(3)
}

/// The frames to be drawn, in a recording of so many.
fn choose(options: &RenderOptions, frames: usize) -> anyhow::Result<Vec<usize>> {
    let folder = options.recording.display();
    let Some(last) = frames.checked_sub(1) else {
        return Err(anyhow!("{folder} has no frames yet: wait for the run that is recorded there"));
    };
    match (options.sheet, options.frame) {
        (Some(count), _) if !(1..=MOST_PICTURES).contains(&count) => {
            Err(anyhow!("--sheet {count}: ask for 1 to {MOST_PICTURES} frames"))
        }
        (Some(1), _) => Ok(vec![last]),
        (Some(count), _) => {
            // Of few frames each is drawn once.
            let count = count.min(frames);
            let spread = |k: usize| (k * last + (count - 1) / 2) / (count - 1).max(1);
            Ok((0..count).map(spread).collect())
        }
        (None, frame) => {
            let frame = frame.unwrap_or(-1);
            let counted = i128::from(frame) + if frame < 0 { frames as i128 } else { 0 };
            match usize::try_from(counted) {
                Ok(index) if index < frames => Ok(vec![index]),
                _ => Err(anyhow!("--frame {frame}: {folder} has the frames 0 to {last}, and -1 is the last one")),
            }
        }
    }
}

fn read(recording: &Recording, frame: usize) -> Result<Frame, Failure> {
    let held = recording.held(frame).map_err(Failure::recording)?;
    let marked = held.iter().enumerate().filter(|(_, held)| **held);
    Ok(Frame {
        time: recording.time(frame).map_err(Failure::recording)?,
        positions: recording.positions(frame).map_err(Failure::recording)?,
        held: marked.map(|(node, _)| node).collect(),
        poses: recording.obstacle_poses(frame).map_err(Failure::recording)?,
    })
}

/// The triangles in which the cloth meets itself, so that layers that do not cross are not drawn across each other; where the
/// scene can no longer be built, whatever triangles there are.
fn triangles(recording: &Recording, folder: &Path) -> Vec<[usize; 3]> {
    let scene = taffeta_io::scene::Scene::from_text("scene", recording.scene_toml(), Some(&folder.join("scene.toml")));
    let built = scene.ok().and_then(|scene| scene.build().ok());
    let surface = built.as_ref().map(|simulation| simulation.model().cloth().surface());
    if let Some(surface) = surface.filter(|surface| surface.node_count() == recording.nodes()) {
        return surface.triangles().iter().map(|nodes| nodes.map(|node| node as usize)).collect();
    }
    let elements = recording.elements();
    let mut triangles = Vec::with_capacity(2 * elements.len());
    for element in elements {
        match *element {
            Element::Triangle(nodes) => triangles.push(nodes),
            Element::Quad([a, b, c, d]) => triangles.extend([[a, b, c], [a, c, d]]),
        }
    }
    triangles
}

fn edges(elements: &[Element]) -> Vec<[usize; 2]> {
    let sides = elements.iter().flat_map(|element| {
        let nodes = element.nodes();
        let following = nodes.iter().cycle().skip(1);
        nodes.iter().zip(following).map(|(&a, &b)| [a.min(b), a.max(b)])
    });
    sides.collect::<BTreeSet<_>>().into_iter().collect()
}
