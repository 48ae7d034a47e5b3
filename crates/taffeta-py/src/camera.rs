//! Pictures of a simulation.

use glam::DVec3;
use pyo3::prelude::*;
use taffeta::obstacle::{Obstacle, Travel};
use taffeta_io::export::Prop;
use taffeta_render::{Body, Picture, Scene, Style, Surface, render_scene};

use crate::arrays::vector;
use crate::errors::invalid;
use crate::world::World;

/// Where a picture is taken from: `eye` and `target`, m, a direction `up` that is upright in it, and the angle `fov_deg` between its top and
/// its bottom, degrees.
#[pyclass(frozen, from_py_object, module = "taffeta")]
#[derive(Clone, Copy)]
pub struct Camera(taffeta_render::Camera);

#[pymethods]
impl Camera {
    #[new]
    #[pyo3(signature = (eye, target, up = None, fov_deg = 30.0))]
    fn new(
        eye: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        up: Option<&Bound<'_, PyAny>>,
        fov_deg: f64,
    ) -> PyResult<Self> {
        let up = up.map_or(Ok(DVec3::Z), |up| vector(up, "up"))?;
        Ok(Self(taffeta_render::Camera { eye: vector(eye, "eye")?, target: vector(target, "target")?, up, fov_deg }))
    }

    /// Where it is, m.
    #[getter]
    fn eye(&self) -> (f64, f64, f64) {
        self.0.eye.into()
    }

    /// The point in the middle of the picture, m.
    #[getter]
    fn target(&self) -> (f64, f64, f64) {
        self.0.target.into()
    }

    /// A direction that is upright in the picture.
    #[getter]
    fn up(&self) -> (f64, f64, f64) {
        self.0.up.into()
    }

    /// Angle between the top and the bottom of the picture, degrees.
    #[getter]
    fn fov_deg(&self) -> f64 {
        self.0.fov_deg
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (VectorTuple, VectorTuple, VectorTuple, f64)) {
        let camera = slf.get();
        (slf.get_type().into_any(), (camera.eye(), camera.target(), camera.up(), camera.fov_deg()))
    }

    fn __repr__(&self) -> String {
        let taffeta_render::Camera { eye, target, up, fov_deg } = self.0;
        format!(
            "Camera(eye={:?}, target={:?}, up={:?}, fov_deg={fov_deg})",
            eye.to_array(),
            target.to_array(),
            up.to_array()
        )
    }
}

type VectorTuple = (f64, f64, f64);

/// What stands around the cloth, placed.
struct Stage {
    /// Height of a floor that is painted rather than drawn: it goes on for ever.
    floor: Option<f64>,
    bodies: Vec<(Vec<DVec3>, Vec<[usize; 3]>)>,
}

impl Stage {
    fn of(world: &World) -> Self {
        let simulation = &world.simulation;
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = simulation.positions().iter().fold(start, |(low, high), &x| (low.min(x), high.max(x)));
        let floor = simulation.obstacles.iter().position(is_floor);
        let bodies = simulation.obstacles.iter().zip(simulation.poses()).enumerate();
        let place = |(k, (obstacle, pose)): (usize, (&Obstacle, taffeta::obstacle::Pose))| {
            let outline = Prop::new(k, obstacle, low, high).outline;
            (outline.positions.iter().map(|&corner| pose.to_world(corner)).collect(), outline.triangles)
        };
        Self {
            floor: floor.map(|k| simulation.obstacles[k].motion.at(0.0).translation.z),
            bodies: bodies.filter(|(k, _)| Some(*k) != floor).map(place).collect(),
        }
    }

    fn bodies(&self) -> Vec<Body<'_>> {
        let colours = Body::NEUTRALS.into_iter().cycle();
        let placed = self.bodies.iter().zip(colours);
        placed.map(|((positions, triangles), colour)| Body { positions, triangles, colour }).collect()
    }
}

/// Whether an obstacle is level and at rest, with nothing above it.
fn is_floor(obstacle: &Obstacle) -> bool {
    let still = matches!(obstacle.motion.travel, Travel::Still);
    obstacle.shape.is_flat() && still && obstacle.motion.at(0.0).rotate(DVec3::Z).z > 1.0 - 1e-12
}

impl Camera {
    /// The camera that has all of the cloth in the picture.
    pub fn of(world: &World, azimuth: f64, elevation: f64, aspect: f64) -> Self {
        Self::on(world, &Stage::of(world), azimuth, elevation, aspect)
    }

    fn on(world: &World, stage: &Stage, azimuth: f64, elevation: f64, aspect: f64) -> Self {
        let positions = world.simulation.positions().iter().copied();
        Self(taffeta_render::Camera::framing_scene(positions, &stage.bodies(), azimuth, elevation, aspect))
    }
}

/// Draws a simulation.
pub fn draw(
    world: &World,
    camera: Option<Camera>,
    [width, height]: [usize; 2],
    lines: bool,
    supersample: usize,
) -> PyResult<Picture> {
    let simulation = &world.simulation;
    let stage = Stage::of(world);
    let bodies = stage.bodies();
    let aspect = width.max(1) as f64 / height.max(1) as f64;
    let Camera(camera) = camera.unwrap_or_else(|| Camera::on(world, &stage, 30.0, 15.0, aspect));
    let surface = simulation.model().cloth().surface();
    let triangles: Vec<[usize; 3]> = surface.triangles().iter().map(|nodes| nodes.map(|node| node as usize)).collect();
    let edges: Vec<[usize; 2]> = match lines {
        true => simulation.model().cloth().mesh().edges().iter().map(|edge| edge.nodes).collect(),
        false => Vec::new(),
    };
    let lowest = simulation.positions().iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    // Without a floor of its own, a scene gets one below the cloth, unless there is something for it to lie on.
    let floor = stage.floor.or_else(|| bodies.is_empty().then_some(lowest));
    let style = Style { floor, supersample, ..Style::default() };
    let marked = world.held();
    let surface = Surface {
        positions: simulation.positions(),
        triangles: &triangles,
        edges: &edges,
        marked: &marked,
        colours: &[],
    };
    render_scene(&Scene { surface, bodies: &bodies }, &camera, &style, width, height)
        .map_err(|error| invalid(error.to_string()))
}
