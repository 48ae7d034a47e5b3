//! Cloth in layers: scenes that bring it onto itself, and checks that know nothing of how it got there.

use std::sync::Arc;

use taffeta::cloth::{Cloth, Material, RestShape, Scheme};
use taffeta::collide::{Parts, Surface, self_intersections};
use taffeta::mesh::{Element, Mesh};
use taffeta::obstacle::{Obstacle, Plane};
use taffeta::{
    Body, Contact, DVec3, Grasp, Held, Inputs, Keyframes, Model, Params, Path, Simulation, Site, State, StepError,
    Workspace, ccd, step,
};

use super::{Kind, WOOL};

/// When the corners of a [`fold`] are let go, s.
pub const RELEASE: f64 = 1.5;

/// `τ₀` of the scenes, m.
pub const THICKNESS: f64 = 2e-3;

/// Wool of [`THICKNESS`] that bends as a shirt does.
pub fn thick() -> Params {
    let mut params = Params { material: Material::with_density(WOOL), ..Params::default() };
    params.material.thickness = THICKNESS;
    params.material.bending = 1e-5;
    params
}

/// A sheet of 1 m × 1 m and n × n nodes on a floor. Two corners are taken half round its middle, over to the other side,
/// and let go about 5 cm above it at [`RELEASE`].
pub fn fold(kind: Kind, n: usize, params: Params, dt: f64) -> Simulation {
    let height = 0.5 * params.material.thickness;
    let cloth = kind.cloth(n, n, |s, t| DVec3::new(s - 0.5, t - 0.5, height));
    fold_of(&Arc::new(Model::new(cloth)), n, params, dt)
}

/// The same of a model that others share.
pub fn fold_of(model: &Arc<Model>, n: usize, params: Params, dt: f64) -> Simulation {
    let mut simulation = Simulation::of_model(model.clone(), params, dt);
    simulation.add_obstacle(Obstacle::new("floor", Plane).with_friction(0.5));
    let (mut times, mut places) = (Vec::new(), Vec::new());
    for k in 0..=60 {
        let s = f64::from(k) / 60.0;
        // It starts gently: a sheet on a floor is not torn off it.
        let eased = s * s * (2.0 - s);
        let angle = 0.97 * std::f64::consts::PI * eased;
        times.push(RELEASE * s);
        places.push(DVec3::new(0.0, 0.49 * angle.cos() - 0.01 * eased, 0.5 * angle.sin() + 0.05 * eased));
    }
    let path = Path::Keyframes(Keyframes::linear(times, places));
    simulation.grasp(Grasp { until: RELEASE, ..Grasp::moving(vec![n * (n - 1), n * n - 1], path) });
    simulation
}

/// Two grids of nodes in one mesh, the first's before the second's.
pub fn two_sheets(
    first: (usize, usize),
    place_first: impl Fn(f64, f64) -> DVec3,
    second: (usize, usize),
    place_second: impl Fn(f64, f64) -> DVec3,
) -> Cloth {
    let one = Mesh::grid(first.0, first.1, place_first).expect("a grid");
    let other = Mesh::grid(second.0, second.1, place_second).expect("a grid");
    let count = one.node_count();
    let moved = other.elements().iter().map(|element| match *element {
        Element::Triangle(nodes) => Element::Triangle(nodes.map(|i| i + count)),
        Element::Quad(nodes) => Element::Quad(nodes.map(|i| i + count)),
    });
    let elements = one.elements().iter().copied().chain(moved).collect();
    let positions = one.positions().iter().chain(other.positions()).copied().collect();
    Cloth::new(Mesh::new(positions, elements, None).expect("two sheets"), RestShape::Mesh, Scheme::default())
}

/// The contacts of the cloth with itself.
pub fn self_contacts(simulation: &Simulation) -> impl Iterator<Item = &Contact> {
    simulation.state().contacts.iter().filter(|contact| contact.site.obstacle().is_none())
}

/// What the layers do to these nodes, N.
pub fn force_on(simulation: &Simulation, nodes: std::ops::Range<usize>) -> DVec3 {
    let share = |contact: &Contact| -> f64 {
        contact.stencil.entries().filter(|(i, _)| nodes.contains(i)).map(|(_, weight)| weight).sum()
    };
    self_contacts(simulation).map(|contact| share(contact) * contact.force()).sum()
}

/// How far apart two parts are that touch, m; `None` if one of them is an obstacle.
pub fn distance_at(site: &Site, positions: &[DVec3]) -> Option<f64> {
    let parts = match *site {
        Site::Nodes([i, j]) => Parts::EdgeEdge([i, i], [j, j]),
        Site::NodeEdge(i, edge) => Parts::EdgeEdge([i, i], edge),
        Site::NodeFace(i, face) => Parts::NodeFace(i, face),
        Site::Edges(one, other) => Parts::EdgeEdge(one, other),
        _ => return None,
    };
    Some(parts.distance(positions))
}

/// Weight of the cloth over these nodes, N.
pub fn weight(simulation: &Simulation, nodes: std::ops::Range<usize>) -> f64 {
    let area: f64 = simulation.model().cloth().node_areas()[nodes].iter().sum();
    simulation.params.material.virtual_density * area * simulation.params.gravity.length()
}

/// Root mean square of the velocities, m/s.
pub fn rms_speed(simulation: &Simulation) -> f64 {
    let velocities = simulation.velocities();
    (velocities.iter().map(|v| v.length_squared()).sum::<f64>() / velocities.len() as f64).sqrt()
}

/// Takes the steps of some seconds; in none of the frames does the cloth meet itself.
pub fn run_clear(simulation: &mut Simulation, seconds: f64) {
    for _ in 0..(seconds / simulation.dt()).round() as usize {
        simulation.step().unwrap_or_else(|error| panic!("at {} s: {error}", simulation.time()));
        assert_clear(simulation);
    }
}

/// The cloth does not meet itself.
pub fn assert_clear(simulation: &Simulation) {
    let met = self_intersections(simulation.positions(), simulation.model().cloth().surface());
    assert!(met.is_empty(), "at {} s: {met:?}", simulation.time());
}

/// Steps of a world that are halved where they must be, as the simulator does it, but in the open: every part is a motion in
/// straight lines that can be looked at.
pub struct Watched {
    pub model: Model,
    pub params: Params,
    pub state: State,
    pub obstacles: Vec<Obstacle>,
    pub pinned: Vec<usize>,
    workspace: Workspace,
    /// Parts taken.
    pub parts: usize,
}

impl Watched {
    /// A cloth at rest.
    pub fn new(cloth: Cloth, mut params: Params) -> Self {
        let model = Model::new(cloth);
        params.solver.max_halvings = 0;
        let (state, workspace) = (State::at_rest(&model), Workspace::new(&model));
        Self { model, params, state, obstacles: Vec::new(), pinned: Vec::new(), workspace, parts: 0 }
    }

    /// Takes a step and shows `watch` the state before and after each of its parts; says how many points bodies push at its end.
    pub fn step(&mut self, dt: f64, watch: &mut impl FnMut(&State, &State, &Model)) -> usize {
        self.try_step(dt, watch).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same, of a step that may be refused.
    pub fn try_step(&mut self, dt: f64, watch: &mut impl FnMut(&State, &State, &Model)) -> Result<usize, StepError> {
        self.part(dt, 6, watch)
    }

    fn part(
        &mut self,
        dt: f64,
        halvings: u32,
        watch: &mut impl FnMut(&State, &State, &Model),
    ) -> Result<usize, StepError> {
        let before = self.state.clone();
        let (from, to) = (before.time, before.time + dt);
        let bodies: Vec<Body> = self.obstacles.iter().map(|obstacle| obstacle.during(from, to)).collect();
        let rest = self.model.cloth().mesh().positions();
        let held: Vec<Held> = self.pinned.iter().map(|&node| Held::exact(node, rest[node])).collect();
        let inputs = Inputs { dt, held: &held, forces: &[], bodies: &bodies, seams: &[], jaws: &[] };
        match step(&self.model, &self.params, &mut self.state, &inputs, &mut self.workspace) {
            Ok(report) => {
                self.parts += 1;
                watch(&before, &self.state, &self.model);
                Ok(report.active_contacts)
            }
            Err(error) if halvings == 0 => Err(error),
            Err(_) => {
                self.part(0.5 * dt, halvings - 1, watch)?;
                self.part(0.5 * dt, halvings - 1, watch)
            }
        }
    }
}

/// A node and a face, or two edges, that meet when all nodes move straight from one frame to the next: everything is tried.
pub fn passage(surface: &Surface, from: &[DVec3], to: &[DVec3]) -> Option<Parts> {
    let faces: Vec<[usize; 3]> = surface.triangles().iter().map(|face| face.map(|i| i as usize)).collect();
    let edges: Vec<[usize; 2]> = surface.edges().iter().map(|edge| edge.map(|i| i as usize)).collect();
    let places = |x: &[DVec3], nodes: [usize; 4]| nodes.map(|i| x[i]);
    let node_face = |i: usize, [a, b, c]: [usize; 3]| {
        let nodes = [i, a, b, c];
        let apart = ![a, b, c].contains(&i);
        apart && ccd::node_face(&places(from, nodes), &places(to, nodes), 0.0).is_some()
    };
    let edge_edge = |[a, b]: [usize; 2], [c, d]: [usize; 2]| {
        let nodes = [a, b, c, d];
        let apart = ![a, b].contains(&c) && ![a, b].contains(&d);
        apart && ccd::edge_edge(&places(from, nodes), &places(to, nodes), 0.0).is_some()
    };
    for i in 0..from.len() {
        if let Some(&face) = faces.iter().find(|&&face| node_face(i, face)) {
            return Some(Parts::NodeFace(i, face));
        }
    }
    for (k, &one) in edges.iter().enumerate() {
        if let Some(&other) = edges[k + 1..].iter().find(|&&other| edge_edge(one, other)) {
            return Some(Parts::EdgeEdge(one, other));
        }
    }
    None
}
